"""Data movement and conversion instructions (PTX ISA 9.4, section of that name).

``mov`` of a vector packs or unpacks: the argument arrives as one word, and ``f.parts`` is the
number of results. Loads, stores and address spaces are in ``memory``, shuffles in ``warp``.
"""

from __future__ import annotations

from typing import Any

from ptxlint.isa.row import Form, op

AT = "data-movement-and-conversion-instructions-"
WORDS = "b16 b32 b64 b128 u16 u32 u64 s16 s32 s64 f32 f64 pred"
INTEGER = "u8 u16 u32 u64 s8 s16 s32 s64"


def mov(o: Any, f: Form, *parts: Any) -> Any:
    a = o.concat(*parts) if len(parts) > 1 else parts[0]
    if f.parts == 1:
        return a
    bits = f.type.bits // f.parts
    return tuple(o.extract(bits, i * bits, a) for i in range(f.parts))


def resized(o: Any, signed: bool, bits: int, a: Any) -> Any:
    """Extended by the sign of the type it comes from, or truncated."""
    have = o.width(a)
    if bits > have:
        return (o.sext if signed else o.zext)(bits, a)
    return o.trunc(bits, a) if bits < have else a


def cvt_integer(o: Any, f: Form, a: Any) -> Any:
    to, source = f.types
    if f.has("sat"):
        a = clamped(o, to, source, a)
    return resized(o, source.signed, to.bits, a)


def clamped(o: Any, to: Any, source: Any, a: Any) -> Any:
    """The word limited to the target's range, as far as the source can exceed it."""

    def limit(bits: int) -> Any:
        return o.const(source.bits, (1 << bits) - 1)

    if not source.signed:
        value_bits = to.bits - to.signed
        return o.min_u(a, limit(value_bits)) if value_bits < source.bits else a
    if not to.signed:
        a = o.max_s(a, o.const(source.bits, 0))
        return o.min_s(a, limit(to.bits)) if to.bits < source.bits else a
    if to.bits >= source.bits:
        return a
    low = o.const(source.bits, -(1 << (to.bits - 1)))
    return o.max_s(low, o.min_s(a, limit(to.bits - 1)))


ROWS = (
    op("mov.type d, a", at=AT + "mov", types=WORDS, sem=mov),
    op("prmt.type d, a, b, c", at=AT + "prmt", types="b32",
       sem=lambda o, f, a, b, c: o.prmt(a, b, c)),
    op("cvt{.sat}.dtype.atype d, a:atype", at=AT + "cvt", dtype=INTEGER, atype=INTEGER,
       sem=cvt_integer),
    op("cvt.rnd{.ftz}{.sat}.dtype.atype d, a:atype", at=AT + "cvt", dtype="f16 f32 f64",
       atype=INTEGER,
       sem=lambda o, f, a: o.int_to_float(f.type.bits, f.types[1].signed, a, f.mode)),
    op("cvt.irnd{.ftz}{.sat}.dtype.atype d, a:atype", at=AT + "cvt", dtype=INTEGER,
       atype="f16 f32 f64",
       sem=lambda o, f, a: o.float_to_int(f.type.bits, f.type.signed, a, f.mode)),
    op("cvt.irnd{.ftz}{.sat}.dtype.atype d, a:atype", at=AT + "cvt", dtype="f16 f32 f64",
       atype="f16 f32 f64",
       sem=lambda o, f, a: o.float_to_float(f.type.bits, a, f.mode, integral=True)),
    op("cvt{.rnd}{.ftz}{.sat}.dtype.atype d, a:atype", at=AT + "cvt", dtype="f16 f32 f64",
       atype="f16 f32 f64",
       sem=lambda o, f, a: o.float_to_float(f.type.bits, a, f.mode)),
)  # fmt: skip
