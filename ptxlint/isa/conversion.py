"""Conversions (PTX ISA 9.4, "Data Movement and Conversion Instructions", ``cvt`` and ``cvt.pack``).

Conversions between integers extend, truncate and clamp; f16, f32 and f64 are the algebra's; bf16,
tf32, fp8, fp6 and fp4 are rounded from 32 bits (``formats``). ``.ftz`` concerns the 32-bit side
alone. Stochastic rounding, scaled conversions, s2f6, ue5m3 and those to ue8m0 are unmodelled.
"""

from __future__ import annotations

from analyses.algebra import Algebra, FloatMode, V
from analyses.program import Effect
from ptxlint.isa.formats import (
    BFLOAT,
    NARROW,
    TF32,
    TO_ODD,
    Format,
    narrowed,
    rectified,
    single,
    widened,
)
from ptxlint.isa.integer import extended, limited
from ptxlint.isa.row import TYPES, Form, Type, op

AT = "data-movement-and-conversion-instructions-"
INTEGER = "u8 u16 u32 u64 s8 s16 s32 s64"
FLOAT = "f16 bf16 f32 f64"


# --- integers


def resized(o: Algebra[V], signed: bool, bits: int, a: V) -> V:
    """Extended by the sign of the type it comes from, or truncated."""
    have = o.width(a)
    if bits > have:
        return extended(o, signed, bits, a)
    return o.trunc(bits, a) if bits < have else a


def integer_to_integer(o: Algebra[V], f: Form, a: V) -> V:
    to, source = f.types
    if f.has("sat"):
        a = within(o, to, source, a)
    return resized(o, source.signed, to.bits, a)


def within(o: Algebra[V], to: Type, source: Type, a: V) -> V:
    """The word limited to the target's range, as far as the source can exceed it."""

    def limit(bits: int) -> V:
        return o.const(source.bits, (1 << bits) - 1)

    if not source.signed:
        value_bits = to.bits - to.signed
        return o.min_u(a, limit(value_bits)) if value_bits < source.bits else a
    if not to.signed:
        a = o.max_s(a, o.const(source.bits, 0))
        return o.min_s(a, limit(to.bits)) if to.bits < source.bits else a
    return limited(o, a, True, to.bits) if to.bits < source.bits else a


def cvt_pack(o: Algebra[V], f: Form, a: V, b: V, c: V | None = None) -> V:
    """a above b in the lowest bits, above them the lowest bits of c."""
    bits = f.type.bits
    parts = [o.trunc(bits, limited(o, word, f.type.signed, bits)) for word in (b, a)]
    return o.concat(*parts) if c is None else o.concat(*parts, o.trunc(32 - 2 * bits, c))


# --- floats


def float_to_float(o: Algebra[V], f: Form, a: V) -> V:
    """Between f16, bf16, f32 and f64, rounded once; .rni and its like give integral numbers. To f32
    or f64 from the same type, or from bf16 to f32, it is a move that keeps a NaN."""
    to, source = f.types
    integral = f.has("rni") or f.has("rzi") or f.has("rmi") or f.has("rpi")
    plain = not (integral or f.has("ftz") or f.has("sat"))
    if plain and to is source and to.bits > 16:
        return a
    if "bf" not in (to.kind, source.kind):
        return finite(o, f, o.float_to_float(to.bits, a, f.mode, integral=integral))
    mode = FloatMode(f.mode.rounding, "f32" in (to.name, source.name) and f.has("ftz"), f.mode.sat)
    if source.kind == "bf":
        a = widened(o, BFLOAT, a)
        if plain and to.name == "f32":
            return a
        if to.kind == "f":
            return finite(o, f, o.float_to_float(to.bits, a, mode))
    if integral:
        word = o.float_to_float(32, a, mode, integral=True)
    else:
        word = o.float_to_float(32, a, FloatMode("ro", mode.ftz))
    result = narrowed(o, BFLOAT, word, mode.rounding, f.has("satfinite"), f.has("relu"))
    if source.bits < 64:
        return result
    return o.select(o.funordered(word, word), o.extract(16, 16, word), result)


def finite(o: Algebra[V], f: Form, a: V) -> V:
    """Under .satfinite the greatest f16 stands for infinity, under .relu +0 for negative ones."""
    if f.has("satfinite"):
        size = o.and_(a, o.const(16, 0x7FFF))
        greatest = o.or_(o.and_(a, o.const(16, 0x8000)), o.const(16, 0x7BFF))
        a = o.select(o.eq(size, o.const(16, 0x7C00)), greatest, a)
    return rectified(o, f, a)


def float_to_integer(o: Algebra[V], f: Form, a: V) -> V:
    a = widened(o, BFLOAT, a) if f.types[1].kind == "bf" else a
    return o.float_to_int(f.type.bits, f.type.signed, a, f.mode)


def integer_to_float(o: Algebra[V], f: Form, a: V) -> V:
    signed = f.types[1].signed
    if f.type.kind == "bf":
        return narrowed(o, BFLOAT, o.int_to_float(32, signed, a, TO_ODD), f.mode.rounding)
    return o.int_to_float(f.type.bits, signed, a, f.mode)


def to_pair(o: Algebra[V], f: Form, a: V, b: V) -> V:
    """Two floats of 32 bits as halves of one word, the first above."""
    element = f.type.element
    one = f.of(element or f.type, TYPES["f32"])
    return o.concat(float_to_float(o, one, b), float_to_float(o, one, a))


def to_tf32(o: Algebra[V], f: Form, a: V) -> V:
    rounding = f.one_of("rna", "rn", "rz")
    return narrowed(o, TF32, a, rounding, f.has("satfinite"), f.has("relu"))


# --- fp8, fp6, fp4: two to a word, the first operand above


def narrow_format(kind: Type) -> Format:
    return NARROW[kind.name.removesuffix("x2")]


def to_narrow(o: Algebra[V], f: Form, *words: V) -> V:
    """From two floats of 32 bits, or the two halves of a word."""
    form, half = narrow_format(f.type), f.types[1].element
    if half is not None:
        words = tuple(single(o, half, o.extract(16, low, words[0])) for low in (16, 0))
    codes = [narrowed(o, form, a, f.mode.rounding, True, f.has("relu")) for a in words]
    return o.concat(codes[1], codes[0])


def from_narrow(o: Algebra[V], f: Form, a: V) -> V:
    """To halves of a word."""
    form, half = narrow_format(f.types[1]), f.of(f.type.element or f.type, TYPES["f32"])
    codes = (o.extract(form.bits, low, a) for low in (0, form.bits))
    return o.concat(*(float_to_float(o, half, widened(o, form, code)) for code in codes))


def from_exponents(o: Algebra[V], f: Form, a: V) -> V:
    """ue8m0 is the exponent of a power of two and nothing else; the highest one is NaN."""

    def one(code: V) -> V:
        word = o.shl(o.zext(16, code), o.const(32, 7))
        least = o.select(o.eq(code, o.const(8, 0)), o.const(16, 0x40), word)
        return o.select(o.eq(code, o.const(8, 0xFF)), o.const(16, BFLOAT.nan), least)

    return o.concat(*(one(o.extract(8, low, a)) for low in (0, 8)))


FP8 = "e4m3x2 e5m2x2"
FP6_4 = "e2m1x2 e2m3x2 e3m2x2"
HALVES = "f16x2 bf16x2"
SCALED = "{.scaled::n2::ue8m0}"
UNMODELLED = Effect.UNMODELLED

ROWS = (
    op("cvt{.sat}.dtype.atype d, a:atype", at=AT + "cvt", dtype=INTEGER, atype=INTEGER,
       sem=integer_to_integer),
    op("cvt.rnd{.ftz}{.sat}.dtype.atype d, a:atype", at=AT + "cvt", dtype=FLOAT, atype=INTEGER,
       sem=integer_to_float),
    op("cvt.irnd{.ftz}{.sat}.dtype.atype d, a:atype", at=AT + "cvt", dtype=INTEGER, atype=FLOAT,
       sem=float_to_integer),
    op("cvt.irnd{.ftz}{.sat}.dtype.atype d, a:atype", at=AT + "cvt", dtype=FLOAT, atype=FLOAT,
       sem=float_to_float),
    op("cvt{.rnd}{.ftz}{.sat}.dtype.atype d, a:atype", at=AT + "cvt", dtype=FLOAT, atype=FLOAT,
       sem=float_to_float),
    op("cvt.rnd{.relu}{.satfinite}.dtype.f32 d, a:atype", at=AT + "cvt", rnd="rn rz",
       dtype="f16 bf16", sem=float_to_float),
    op("cvt.rnd{.relu}{.satfinite}.dtype.f32 d, a:atype, b:atype", at=AT + "cvt", rnd="rn rz",
       dtype=HALVES, sem=to_pair),
    op("cvt.rs{.relu}{.satfinite}.dtype.f32 d, a:atype, b:atype, c:u32", at=AT + "cvt",
       dtype=HALVES, effects=UNMODELLED),
    op("cvt.rna{.satfinite}.tf32.f32 d, a:atype", at=AT + "cvt", sem=to_tf32),
    op("cvt.rnd{.satfinite}{.relu}.tf32.f32 d, a:atype", at=AT + "cvt", rnd="rn rz", sem=to_tf32),
    op("cvt.rnd.satfinite{.relu}.dtype.f32 d, a:atype, b:atype", at=AT + "cvt", rnd="rn rz",
       dtype=f"{FP8} {FP6_4}", sem=to_narrow),
    op("cvt.rnd.satfinite{.relu}.dtype.atype d, a:atype", at=AT + "cvt", rnd="rn rz",
       dtype=f"{FP8} {FP6_4}", atype=HALVES, sem=to_narrow),
    op("cvt.rn{.relu}.dtype.atype d, a:atype", at=AT + "cvt", dtype=HALVES,
       atype=f"{FP8} {FP6_4}", sem=from_narrow),
    op("cvt.rs{.relu}.satfinite.dtype.f32 d, a:words, b:u32", at=AT + "cvt",
       dtype="e4m3x4 e5m2x4 e2m3x4 e3m2x4 e2m1x4", effects=UNMODELLED),
    op("cvt.rnd{.satfinite}.ue8m0x2.f32 d, a:atype, b:atype", at=AT + "cvt", rnd="rz rp",
       effects=UNMODELLED),
    op("cvt.rnd{.satfinite}.ue8m0x2.bf16x2 d, a:atype", at=AT + "cvt", rnd="rz rp",
       effects=UNMODELLED),
    op("cvt.rn.bf16x2.ue8m0x2 d, a:atype", at=AT + "cvt", sem=from_exponents),
    op(f"cvt.rn.satfinite{{.relu}}{SCALED}.s2f6x2.f32 d, a:atype, b:atype{{, c:b16}}",
       at=AT + "cvt", effects=UNMODELLED),
    op(f"cvt.rn.satfinite{{.relu}}{SCALED}.s2f6x2.bf16x2 d, a:atype{{, b:b16}}", at=AT + "cvt",
       effects=UNMODELLED),
    op(f"cvt.rn{{.satfinite}}{{.relu}}{SCALED}.bf16x2.s2f6x2 d, a:atype{{, b:b16}}",
       at=AT + "cvt", effects=UNMODELLED),
    op("cvt.rn{.satfinite}{.relu}.scaled::n2::ue8m0.bf16x2.atype d, a:atype, b:b16",
       at=AT + "cvt", atype=f"{FP8} {FP6_4} ue5m3x2", effects=UNMODELLED),
    op("cvt.rnd.satfinite{.relu}{.pzo}{.scaled::n1::ue8m0}.dtype.f32 d, a:atype, b:atype{, c:b8}",
       at=AT + "cvt", rnd="rn rz rp", dtype=f"{FP8} {FP6_4} ue5m3x2", effects=UNMODELLED),
    op("cvt.rnd.satfinite{.relu}{.pzo}{.scaled::n1::ue8m0}.dtype.atype d, a:atype{, b:b8}",
       at=AT + "cvt", rnd="rn rz rp", dtype=f"{FP8} {FP6_4} ue5m3x2", atype=HALVES,
       effects=UNMODELLED),
    op("cvt.rn.dtype.ue5m3x2 d, a:atype", at=AT + "cvt", dtype=HALVES, effects=UNMODELLED),
    op("cvt.pack.sat.dtype.s32 d:u32, a:atype, b:atype", at=AT + "cvt-pack", dtype="u16 s16",
       sem=cvt_pack),
    op("cvt.pack.sat.dtype.s32.b32 d:u32, a:atype, b:atype, c:btype", at=AT + "cvt-pack",
       dtype="u2 s2 u4 s4 u8 s8", sem=cvt_pack),
)  # fmt: skip
