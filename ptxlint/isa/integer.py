"""Integer arithmetic instructions (PTX ISA 9.4, "Integer Arithmetic Instructions")."""

from __future__ import annotations

from typing import Any

from ptxlint.isa.row import Form, op

INTEGERS = "u16 u32 u64 s16 s32 s64"
SIGNED = "s16 s32 s64"
UNSIGNED = "u16 u32 u64"


def widen(o: Any, f: Form, a: Any) -> Any:
    """The word at twice its width, by the sign of the instruction's type."""
    return (o.sext if f.type.signed else o.zext)(2 * f.type.bits, a)


def product(o: Any, f: Form, a: Any, b: Any) -> Any:
    """The whole product."""
    return o.mul(widen(o, f, a), widen(o, f, b))


def mul_hi(o: Any, f: Form, a: Any, b: Any) -> Any:
    return (o.mul_hi_s if f.type.signed else o.mul_hi_u)(a, b)


def saturated(o: Any, f: Form, wide: Any) -> Any:
    """A signed double-width word clamped to the instruction's type."""
    bits = f.type.bits
    top = o.const(2 * bits, (1 << (bits - 1)) - 1)
    low = o.const(2 * bits, -(1 << (bits - 1)))
    return o.trunc(bits, o.max_s(low, o.min_s(top, wide)))


def product24(o: Any, f: Form, a: Any, b: Any) -> Any:
    """The 48-bit product of the low 24 bits, as a word of 64."""
    extend = o.sext if f.type.signed else o.zext
    return o.mul(extend(64, o.trunc(24, a)), extend(64, o.trunc(24, b)))


def sad(o: Any, f: Form, a: Any, b: Any, c: Any) -> Any:
    less = (o.lt_s if f.type.signed else o.lt_u)(a, b)
    return o.add(c, o.select(less, o.sub(b, a), o.sub(a, b)))


def clamped_bits(o: Any, f: Form, pos: Any, length: Any) -> tuple[Any, Any]:
    """Position and length of a bit field: the low bytes of the operands."""
    byte = o.const(32, 0xFF)
    return o.and_(pos, byte), o.and_(length, byte)


def bfe(o: Any, f: Form, a: Any, pos: Any, length: Any) -> Any:
    bits = f.type.bits
    pos, length = clamped_bits(o, f, pos, length)
    if not f.type.signed:
        ones = o.const(bits, -1)
        return o.and_(o.shr_u(a, pos), o.not_(o.shl(ones, length)))
    left = o.sub(o.const(32, bits), o.min_u(o.const(32, bits), o.add(pos, length)))
    field = o.shr_s(o.shl(a, left), o.add(left, pos))
    return o.select(o.eq(length, o.const(32, 0)), o.const(bits, 0), field)


def bfi(o: Any, f: Form, a: Any, b: Any, pos: Any, length: Any) -> Any:
    pos, length = clamped_bits(o, f, pos, length)
    mask = o.shl(o.not_(o.shl(o.const(f.type.bits, -1), length)), pos)
    return o.or_(o.and_(b, o.not_(mask)), o.and_(o.shl(a, pos), mask))


def bfind(o: Any, f: Form, a: Any) -> Any:
    """Position of the most significant bit that is not the sign; all ones where there is none."""
    if f.type.signed:
        a = o.xor(a, o.shr_s(a, o.const(32, f.type.bits - 1)))
    leading = o.clz(a)
    found = leading if f.has("shiftamt") else o.sub(o.const(32, f.type.bits - 1), leading)
    none = o.eq(a, o.const(f.type.bits, 0))
    return o.select(none, o.const(32, -1), found)


ROWS = (
    op("add.type d, a, b", at="integer-arithmetic-instructions-add", types=INTEGERS,
       sem=lambda o, f, a, b: o.add(a, b)),
    op("add.sat.type d, a, b", at="integer-arithmetic-instructions-add", types="s32",
       sem=lambda o, f, a, b: saturated(o, f, o.add(widen(o, f, a), widen(o, f, b)))),
    op("sub.type d, a, b", at="integer-arithmetic-instructions-sub", types=INTEGERS,
       sem=lambda o, f, a, b: o.sub(a, b)),
    op("sub.sat.type d, a, b", at="integer-arithmetic-instructions-sub", types="s32",
       sem=lambda o, f, a, b: saturated(o, f, o.sub(widen(o, f, a), widen(o, f, b)))),
    op("mul.mode.type d, a, b", at="integer-arithmetic-instructions-mul", mode="lo",
       types=INTEGERS, sem=lambda o, f, a, b: o.mul(a, b)),
    op("mul.hi.type d, a, b", at="integer-arithmetic-instructions-mul", types=INTEGERS,
       sem=mul_hi),
    op("mul.wide.type d:wide, a, b", at="integer-arithmetic-instructions-mul",
       types="u16 u32 s16 s32", sem=product),
    op("mad.mode.type d, a, b, c", at="integer-arithmetic-instructions-mad", mode="lo",
       types=INTEGERS, sem=lambda o, f, a, b, c: o.add(o.mul(a, b), c)),
    op("mad.hi.type d, a, b, c", at="integer-arithmetic-instructions-mad", types=INTEGERS,
       sem=lambda o, f, a, b, c: o.add(mul_hi(o, f, a, b), c)),
    op("mad.hi.sat.type d, a, b, c", at="integer-arithmetic-instructions-mad", types="s32",
       sem=lambda o, f, a, b, c: saturated(
           o, f, o.add(widen(o, f, mul_hi(o, f, a, b)), widen(o, f, c)))),
    op("mad.wide.type d:wide, a, b, c:wide", at="integer-arithmetic-instructions-mad",
       types="u16 u32 s16 s32", sem=lambda o, f, a, b, c: o.add(product(o, f, a, b), c)),
    op("mul24.lo.type d, a, b", at="integer-arithmetic-instructions-mul24", types="u32 s32",
       sem=lambda o, f, a, b: o.trunc(32, product24(o, f, a, b))),
    op("mul24.hi.type d, a, b", at="integer-arithmetic-instructions-mul24", types="u32 s32",
       sem=lambda o, f, a, b: o.extract(32, 16, product24(o, f, a, b))),
    op("mad24.lo.type d, a, b, c", at="integer-arithmetic-instructions-mad24", types="u32 s32",
       sem=lambda o, f, a, b, c: o.add(o.trunc(32, product24(o, f, a, b)), c)),
    op("mad24.hi.type d, a, b, c", at="integer-arithmetic-instructions-mad24", types="u32 s32",
       sem=lambda o, f, a, b, c: o.add(o.extract(32, 16, product24(o, f, a, b)), c)),
    op("sad.type d, a, b, c", at="integer-arithmetic-instructions-sad", types=INTEGERS, sem=sad),
    op("div.type d, a, b", at="integer-arithmetic-instructions-div", types=UNSIGNED,
       sem=lambda o, f, a, b: o.div_u(a, b)),
    op("div.type d, a, b", at="integer-arithmetic-instructions-div", types=SIGNED,
       sem=lambda o, f, a, b: o.div_s(a, b)),
    op("rem.type d, a, b", at="integer-arithmetic-instructions-rem", types=UNSIGNED,
       sem=lambda o, f, a, b: o.rem_u(a, b)),
    op("rem.type d, a, b", at="integer-arithmetic-instructions-rem", types=SIGNED,
       sem=lambda o, f, a, b: o.rem_s(a, b)),
    op("abs.type d, a", at="integer-arithmetic-instructions-abs", types=SIGNED,
       sem=lambda o, f, a: o.abs_(a)),
    op("neg.type d, a", at="integer-arithmetic-instructions-neg", types=SIGNED,
       sem=lambda o, f, a: o.neg(a)),
    op("min.type d, a, b", at="integer-arithmetic-instructions-min", types=UNSIGNED,
       sem=lambda o, f, a, b: o.min_u(a, b)),
    op("min.type d, a, b", at="integer-arithmetic-instructions-min", types=SIGNED,
       sem=lambda o, f, a, b: o.min_s(a, b)),
    op("min.relu.type d, a, b", at="integer-arithmetic-instructions-min", types="s32",
       sem=lambda o, f, a, b: o.max_s(o.min_s(a, b), o.const(32, 0))),
    op("max.type d, a, b", at="integer-arithmetic-instructions-max", types=UNSIGNED,
       sem=lambda o, f, a, b: o.max_u(a, b)),
    op("max.type d, a, b", at="integer-arithmetic-instructions-max", types=SIGNED,
       sem=lambda o, f, a, b: o.max_s(a, b)),
    op("max.relu.type d, a, b", at="integer-arithmetic-instructions-max", types="s32",
       sem=lambda o, f, a, b: o.max_s(o.max_s(a, b), o.const(32, 0))),
    op("popc.type d:u32, a", at="integer-arithmetic-instructions-popc", types="b32 b64",
       sem=lambda o, f, a: o.popc(a)),
    op("clz.type d:u32, a", at="integer-arithmetic-instructions-clz", types="b32 b64",
       sem=lambda o, f, a: o.clz(a)),
    op("bfind{.shiftamt}.type d:u32, a", at="integer-arithmetic-instructions-bfind",
       types="u32 u64 s32 s64", sem=bfind),
    op("brev.type d, a", at="integer-arithmetic-instructions-brev", types="b32 b64",
       sem=lambda o, f, a: o.brev(a)),
    op("bfe.type d, a, b:u32, c:u32", at="integer-arithmetic-instructions-bfe",
       types="u32 u64 s32 s64", sem=bfe),
    op("bfi.type d, a, b, c:u32, e:u32", at="integer-arithmetic-instructions-bfi",
       types="b32 b64", sem=bfi),
)  # fmt: skip
