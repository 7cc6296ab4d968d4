"""Video instructions (PTX ISA 9.4, "Scalar Video Instructions", "SIMD Video Instructions").

Selectors behind operands choose bytes and halves: ``%r1.b3``, ``%r1.h10``. A scalar instruction
computes with 64 bits, clamps under .sat to the part of the result that is written, and then either
joins the third operand by a second operation or lays the part into it. A SIMD one picks its parts
out of both operands together, and where the mask of the result has no part the third operand stays;
under .add the chosen parts are added to it instead.
"""

from __future__ import annotations

from analyses.algebra import Algebra, V
from ptxlint.isa.comparison import integer_compared
from ptxlint.isa.integer import extended, limited, shift_count
from ptxlint.isa.row import TYPES, Form, Type, op

WIDE = 64


def part(o: Algebra[V], kind: Type, selector: str, word: V) -> V:
    """A byte, half or whole word, extended to 64 bits by the sign of the type."""
    if selector:
        bits = size_of(selector)
        word = o.extract(bits, place_of(selector), word)
    return extended(o, kind.signed, WIDE, word)


def place_of(selector: str) -> int:
    """Where the part begins; a selector of no part of a word stands for another one."""
    bits = size_of(selector)
    return bits * (int(selector[1:2] or 0) % (32 // bits))


def size_of(selector: str) -> int:
    return {"b": 8, "h": 16, "": 32}[selector[:1]]


def clamped(o: Algebra[V], f: Form, kind: Type, bits: int, wide: V) -> V:
    """Under .sat within the range of that many bits; either way just those bits."""
    return o.trunc(bits, limited(o, wide, kind.signed, bits) if f.has("sat") else wide)


def finished(o: Algebra[V], f: Form, kind: Type, result: V, c: V | None) -> V:
    """The part of the result as a word, joined with c or laid into it."""
    selector = f.selectors[0]
    word = extended(o, kind.signed, 32, result)
    if c is None:
        return word
    if f.has("add"):
        return o.add(word, c)
    if f.has("min"):
        return (o.min_s if kind.signed else o.min_u)(word, c)
    if f.has("max"):
        return (o.max_s if kind.signed else o.max_u)(word, c)
    bits, place = size_of(selector), place_of(selector)
    mask = ((1 << bits) - 1) << place
    shifted = o.shl(o.zext(32, result), o.const(32, place))
    return o.or_(shifted, o.and_(c, o.const(32, ~mask)))


def computed(o: Algebra[V], name: str, a: V, b: V) -> V:
    """A scalar operation on signed words that are wider than what they hold."""
    if name == "vabsdiff":
        return o.abs_(o.sub(a, b))
    if name == "vavrg":  # halves are rounded up, below zero down
        total, one = o.add(a, b), o.const(32, 1)
        up = o.zext(o.width(total), o.not_(o.lt_s(total, o.const(o.width(total), 0))))
        return o.shr_s(o.add(total, up), one)
    return {"vadd": o.add, "vsub": o.sub, "vmin": o.min_s, "vmax": o.max_s}[name](a, b)


def scalar(o: Algebra[V], f: Form, a: V, b: V, c: V | None = None) -> V:
    to, left, right = f.types
    _, first, second = f.selectors
    wide = computed(o, f.row.opcode, part(o, left, first, a), part(o, right, second, b))
    return finished(o, f, to, clamped(o, f, to, size_of(f.selectors[0]), wide), c)


def shift(o: Algebra[V], f: Form, a: V, b: V, c: V | None = None) -> V:
    """A word shifted by 32 bits at most; an unsigned one that fills all 64 is clamped as such."""
    to, left, right = f.types
    amount = shift_count(o, f, o.trunc(32, part(o, right, f.selectors[2], b)))
    word = part(o, left, f.selectors[1], a)
    wide = o.shl(word, amount) if f.row.opcode == "vshl" else o.shr_s(word, amount)
    if not left.signed:
        wide = o.min_u(wide, o.const(WIDE, (1 << 63) - 1)) if f.has("sat") else wide
    return finished(o, f, to, clamped(o, f, to, size_of(f.selectors[0]), wide), c)


def vmad(o: Algebra[V], f: Form, a: V, b: V, c: V) -> V:
    """The product plus c, plus 1 under .po, then scaled down and clamped by its own sign. A minus
    before one factor negates the product, one before c negates c; either makes the sum signed, and
    a product that is clamped anyway is then kept small enough for 64 bits."""
    minus = len(f.negated & {"a", "b"}) == 1
    if (f.negated and f.has("po")) or (minus and "c" in f.negated):
        raise ValueError("which one it negates is not told")
    signed = f.types[1].signed or f.types[2].signed
    wide = o.mul(part(o, f.types[1], f.selectors[0], a), part(o, f.types[2], f.selectors[1], b))
    if f.has("sat") and not signed and (minus or "c" in f.negated):
        wide = o.min_u(wide, o.const(WIDE, 1 << 62))
    signed |= minus or "c" in f.negated
    if minus:
        wide = o.neg(wide)
    if "c" in f.negated:
        wide = o.add(o.add(wide, o.sext(WIDE, o.not_(c))), o.const(WIDE, 1))
    else:
        wide = o.add(wide, extended(o, signed, WIDE, c))
    if f.has("po"):
        wide = o.add(wide, o.const(WIDE, 1))
    count = 7 if f.has("shr7") else 15 if f.has("shr15") else 0
    wide = (o.shr_s if signed else o.shr_u)(wide, o.const(32, count))
    if f.has("sat"):
        wide = limited(o, wide, True, 32) if signed else o.min_u(wide, o.const(WIDE, 0xFFFFFFFF))
    return o.trunc(32, wide)


def vset(o: Algebra[V], f: Form, a: V, b: V, c: V | None = None) -> V:
    left, right = f.types
    _, first, second = f.selectors
    holds = integer_compared(o, f, True, part(o, left, first, a), part(o, right, second, b))
    return finished(o, f, TYPES["u32"], o.zext(size_of(f.selectors[0]), holds), c)


# --- SIMD


def elements(o: Algebra[V], bits: int, kind: Type, selector: str, both: V) -> list[V]:
    """The chosen parts of b:a, the lowest first, extended to 32 bits."""
    digits = (int(digit) % (64 // bits) for digit in selector[:0:-1])
    return [extended(o, kind.signed, 32, o.extract(bits, bits * digit, both)) for digit in digits]


def parts_of(f: Form, bits: int) -> tuple[str, str, str]:
    """The mask of the result and the selectors of the operands; by default, also where a selector
    has not one digit for each part, the whole word."""
    usual = ("h10", "h10", "h32") if bits == 16 else ("b3210", "b3210", "b7654")
    mask, first, second = f.selectors
    first, second = (
        given if len(given) == len(default) else default
        for given, default in zip((first, second), usual[1:], strict=True)
    )
    return mask or usual[0], first, second


def simd(o: Algebra[V], f: Form, a: V, b: V, c: V) -> V:
    """``vadd2 ... vmax4`` and, with two types, ``vset2 vset4``. What .add accumulates is exact."""
    bits = 16 if f.row.opcode.endswith("2") else 8
    name, both = f.row.opcode[:-1], o.concat(a, b)
    mask, first, second = parts_of(f, bits)
    left = elements(o, bits, f.types[-2], first, both)
    right = elements(o, bits, f.types[-1], second, both)
    results = []
    for x, y in zip(left, right, strict=True):
        if name == "vset":
            results.append(o.zext(32, integer_compared(o, f, True, x, y)))
            continue
        exact = computed(o, name, x, y)
        results.append(limited(o, exact, f.type.signed, bits) if f.has("sat") else exact)
    if f.has("add"):
        for i, result in enumerate(results):
            c = o.add(c, result) if str(i) in mask[1:] else c
        return c
    return o.concat(*(
        o.trunc(bits, result) if str(i) in mask[1:] else o.extract(bits, bits * i, c)
        for i, result in enumerate(results)
    ))  # fmt: skip


FIVE = ("vadd", "vsub", "vabsdiff", "vmin", "vmax")
EITHER = "u32 s32"
TESTS = "eq ne lt le gt ge"
SCALAR = "scalar-video-instructions-"
SIMD = "simd-video-instructions-"
SIX = "vadd{0}-vsub{0}-vavrg{0}-vabsdiff{0}-vmin{0}-vmax{0}"

ROWS = (
    *(op(f"{name}.dtype.atype.btype{{.sat}}{{.op2}} d{{.dsel}}, a{{.asel}}, b{{.bsel}}{{, c}}",
         at=SCALAR + "vadd-vsub-vabsdiff-vmin-vmax", dtype=EITHER, atype=EITHER, btype=EITHER,
         op2="add min max", sem=scalar) for name in FIVE),
    *(op(f"{name}.dtype.atype.u32{{.sat}}.mode{{.op2}} d{{.dsel}}, a{{.asel}}, b{{.bsel}}{{, c}}",
         at=SCALAR + "vshl-vshr", dtype=EITHER, atype=EITHER, mode="clamp wrap",
         op2="add min max", sem=shift) for name in ("vshl", "vshr")),
    op("vmad.dtype.atype.btype{.po}{.sat}{.scale} d, {-}a{.asel}, {-}b{.bsel}, {-}c",
       at=SCALAR + "vmad",
       dtype=EITHER, atype=EITHER, btype=EITHER, scale="shr7 shr15", sem=vmad),
    op("vset.atype.btype.cmp{.op2} d{.dsel}, a{.asel}, b{.bsel}{, c}", at=SCALAR + "vset",
       atype=EITHER, btype=EITHER, cmp=TESTS, op2="add min max", sem=vset),
    *(op(f"{name}{size}.dtype.atype.btype{{.sat}}{{.add}} d{{.mask}}, a{{.asel}}, b{{.bsel}}, c",
         at=SIMD + SIX.format(size), dtype=EITHER, atype=EITHER, btype=EITHER, sem=simd)
      for size in (2, 4) for name in (*FIVE, "vavrg")),
    *(op(f"vset{size}.atype.btype.cmp{{.add}} d{{.mask}}, a{{.asel}}, b{{.bsel}}, c",
         at=f"{SIMD}vset{size}", atype=EITHER, btype=EITHER, cmp=TESTS, sem=simd)
      for size in (2, 4)),
)  # fmt: skip
