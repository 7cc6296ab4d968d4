"""Integer arithmetic instructions (PTX ISA 9.4, "Integer Arithmetic Instructions").

Packed words (``u16x2``, ``s8x4`` ...) are computed element by element. ``fns`` searches by halves,
counting the ones in the lower half; ``clmad`` adds up shifted operands without carries.
"""

from __future__ import annotations

from analyses.algebra import Algebra, V
from ptxlint.isa.formats import packed
from ptxlint.isa.row import Form, op, primitive

INTEGERS = "u16 u32 u64 s16 s32 s64"
SIGNED = "s16 s32 s64"
UNSIGNED = "u16 u32 u64"
HALVES = "u16x2 s16x2"
BYTES = "u8x4 s8x4"
AT = "integer-arithmetic-instructions-"


def extended(o: Algebra[V], signed: bool, width: int, a: V) -> V:
    return (o.sext if signed else o.zext)(width, a)


def widen(o: Algebra[V], f: Form, a: V) -> V:
    """The word at twice its width, by the sign of the instruction's type."""
    return extended(o, f.type.signed, 2 * f.type.bits, a)


def mul(o: Algebra[V], f: Form, a: V, b: V) -> V:
    """The low half of the product, under .hi the high one, under .wide the whole of it."""
    if f.has("wide"):
        return o.mul(widen(o, f, a), widen(o, f, b))
    if f.has("hi"):
        return (o.mul_hi_s if f.type.signed else o.mul_hi_u)(a, b)
    return o.mul(a, b)


def mad(o: Algebra[V], f: Form, a: V, b: V, c: V) -> V:
    return plus(o, f, mul(o, f, a, b), c)


def saturated(o: Algebra[V], f: Form, wide: V) -> V:
    """A signed double-width word clamped to the instruction's type."""
    return o.trunc(f.type.bits, limited(o, wide, f.type.signed, f.type.bits))


def limited(o: Algebra[V], wide: V, signed: bool, bits: int) -> V:
    """A signed word clamped to the range of a narrower type."""
    width = o.width(wide)
    top = o.const(width, (1 << (bits - signed)) - 1)
    low = o.const(width, -(1 << (bits - 1)) if signed else 0)
    return o.max_s(low, o.min_s(top, wide))


def mul24(o: Algebra[V], f: Form, a: V, b: V) -> V:
    """The low or the high 32 bits of the 48-bit product of the low 24 bits."""
    left, right = (extended(o, f.type.signed, 64, o.trunc(24, word)) for word in (a, b))
    whole = o.mul(left, right)
    return o.extract(32, 16, whole) if f.has("hi") else o.trunc(32, whole)


def mad24(o: Algebra[V], f: Form, a: V, b: V, c: V) -> V:
    return plus(o, f, mul24(o, f, a, b), c)


def sad(o: Algebra[V], f: Form, a: V, b: V, c: V) -> V:
    less = (o.lt_s if f.type.signed else o.lt_u)(a, b)
    return o.add(c, o.select(less, o.sub(b, a), o.sub(a, b)))


def clamped_bits(o: Algebra[V], f: Form, pos: V, length: V) -> tuple[V, V]:
    """Position and length of a bit field. The manual has them up to 255: of greater ones a device
    takes the low byte for a field of 32 bits, and all of the number for one of 64."""
    if f.type.bits == 64:
        return o.min_u(pos, o.const(32, 64)), o.min_u(length, o.const(32, 64))
    byte = o.const(32, 0xFF)
    return o.and_(pos, byte), o.and_(length, byte)


def bfe(o: Algebra[V], f: Form, a: V, pos: V, length: V) -> V:
    bits = f.type.bits
    pos, length = clamped_bits(o, f, pos, length)
    if not f.type.signed:
        ones = o.const(bits, -1)
        return o.and_(o.shr_u(a, pos), o.not_(o.shl(ones, length)))
    left = o.sub(o.const(32, bits), o.min_u(o.const(32, bits), o.add(pos, length)))
    field = o.shr_s(o.shl(a, left), o.add(left, pos))
    return o.select(o.eq(length, o.const(32, 0)), o.const(bits, 0), field)


def bfi(o: Algebra[V], f: Form, a: V, b: V, pos: V, length: V) -> V:
    pos, length = clamped_bits(o, f, pos, length)
    mask = o.shl(o.not_(o.shl(o.const(f.type.bits, -1), length)), pos)
    return o.or_(o.and_(b, o.not_(mask)), o.and_(o.shl(a, pos), mask))


def bfind(o: Algebra[V], f: Form, a: V) -> V:
    """Position of the most significant bit that is not the sign; all ones where there is none."""
    if f.type.signed:
        a = o.xor(a, o.shr_s(a, o.const(32, f.type.bits - 1)))
    leading = o.clz(o.or_(a, o.const(f.type.bits, 1)))  # at most the number of the lowest bit
    found = leading if f.has("shiftamt") else o.sub(o.const(32, f.type.bits - 1), leading)
    none = o.eq(a, o.const(f.type.bits, 0))
    return o.select(none, o.const(32, -1), found)


def plus(o: Algebra[V], f: Form, a: V, b: V) -> V:
    """The sum, clamped under .sat."""
    if not f.has("sat"):
        return o.add(a, b)
    return saturated(o, f, o.add(widen(o, f, a), widen(o, f, b)))


def minus(o: Algebra[V], f: Form, a: V, b: V) -> V:
    if not f.has("sat"):
        return o.sub(a, b)
    return saturated(o, f, o.sub(widen(o, f, a), widen(o, f, b)))


def least(o: Algebra[V], f: Form, a: V, b: V) -> V:
    """The minimum; .relu puts 0 in the place of what is negative."""
    return positive(o, f, (o.min_s if f.type.signed else o.min_u)(a, b))


def greatest(o: Algebra[V], f: Form, a: V, b: V) -> V:
    return positive(o, f, (o.max_s if f.type.signed else o.max_u)(a, b))


def positive(o: Algebra[V], f: Form, a: V) -> V:
    return o.max_s(a, o.const(f.type.bits, 0)) if f.has("relu") else a


def shift_count(o: Algebra[V], f: Form, n: V) -> V:
    """A number of bits: at most 32 under .clamp, else modulo 32."""
    return o.min_u(n, o.const(32, 32)) if f.has("clamp") else o.and_(n, o.const(32, 31))


def bmsk(o: Algebra[V], f: Form, start: V, length: V) -> V:
    """Ones from ``start`` on, ``length`` of them. Shifts clamp as .clamp does."""
    if f.has("wrap"):
        start, length = shift_count(o, f, start), shift_count(o, f, length)
    ones = o.shl(o.const(32, -1), start)
    return o.and_(ones, o.not_(o.shl(ones, length)))


def szext(o: Algebra[V], f: Form, a: V, length: V) -> V:
    """The lowest ``length`` bits, extended by the sign of the type."""
    length = shift_count(o, f, length)
    left = o.sub(o.const(32, 32), length)
    return (o.shr_s if f.type.signed else o.shr_u)(o.shl(a, left), left)


def fns(o: Algebra[V], f: Form, mask: V, base: V, offset: V) -> V:
    """The place of the offset-th one from ``base`` upwards, or downwards if the offset is negative;
    with offset 0 only ``base`` itself counts. All ones where there is none."""
    zero, one, last = o.const(32, 0), o.const(32, 1), o.const(32, 31)
    down, none = o.lt_s(offset, zero), o.eq(offset, zero)
    start = o.select(down, o.sub(last, base), base)
    here = o.shl(o.select(none, one, o.const(32, -1)), start)
    rest = o.and_(o.select(down, o.brev(mask), mask), here)
    wanted = o.select(none, one, o.abs_(offset))
    missing = o.or_(o.lt_u(o.popc(rest), wanted), o.lt_u(last, base))
    place = zero
    for half in (16, 8, 4, 2, 1):
        below = o.popc(o.and_(rest, o.const(32, (1 << half) - 1)))
        above = o.lt_u(below, wanted)
        step = o.select(above, o.const(32, half), zero)
        wanted = o.select(above, o.sub(wanted, below), wanted)
        rest, place = o.shr_u(rest, step), o.add(place, step)
    place = o.select(down, o.sub(last, place), place)
    return o.select(missing, o.const(32, -1), place)


def dot(o: Algebra[V], f: Form, a: V, b: V, c: V) -> V:
    """c plus the products of the bytes of b with the bytes (dp4a) or halves (dp2a) of a."""
    size = 8 if f.row.opcode == "dp4a" else 16
    first = 16 if f.has("hi") else 0
    for i in range(32 // size):
        left, right = o.extract(size, i * size, a), o.extract(8, first + 8 * i, b)
        left = extended(o, f.types[0].signed, 32, left)
        c = o.add(c, o.mul(left, extended(o, f.types[1].signed, 32, right)))
    return c


def clmad(o: Algebra[V], f: Form, a: V, b: V, c: V) -> V:
    """Half of the carry-less product of a and b, exclusive or c."""
    zero = o.const(64, 0)
    for i in range(64):
        count = o.const(32, 64 - i if f.has("hi") else i)
        term = (o.shr_u if f.has("hi") else o.shl)(a, count)
        c = o.xor(c, o.select(o.extract(1, i, b), term, zero))
    return c


ROWS = (
    op("add.type d, a, b", at=AT + "add", types=INTEGERS, sem=primitive(Algebra.add)),
    op("add{.sat}.type d, a, b", at=AT + "add", types=f"u32 s32 {HALVES} {BYTES}",
       sem=packed(plus)),
    op("sub.type d, a, b", at=AT + "sub", types=INTEGERS, sem=primitive(Algebra.sub)),
    op("sub{.sat}.type d, a, b", at=AT + "sub", types=f"s32 {BYTES}", sem=packed(minus)),
    op("mul.mode.type d, a, b", at=AT + "mul", mode="lo hi", types=INTEGERS, sem=mul),
    op("mul.wide.type d:wide, a, b", at=AT + "mul", types="u16 u32 s16 s32", sem=mul),
    op("mad.mode.type d, a, b, c", at=AT + "mad", mode="lo hi", types=INTEGERS, sem=mad),
    op("mad.hi.sat.type d, a, b, c", at=AT + "mad", types="s32", sem=mad),
    op("mad.wide.type d:wide, a, b, c:wide", at=AT + "mad", types="u16 u32 s16 s32", sem=mad),
    op("clmad.mode.type d, a, b, c", at=AT + "clmad", mode="lo hi", types="u64", sem=clmad),
    op("mul24.mode.type d, a, b", at=AT + "mul24", mode="lo hi", types="u32 s32", sem=mul24),
    op("mad24.mode.type d, a, b, c", at=AT + "mad24", mode="lo hi", types="u32 s32", sem=mad24),
    op("mad24.hi.sat.type d, a, b, c", at=AT + "mad24", types="s32", sem=mad24),
    op("sad.type d, a, b, c", at=AT + "sad", types=INTEGERS, sem=sad),
    op("div.type d, a, b", at=AT + "div", types=UNSIGNED, sem=primitive(Algebra.div_u)),
    op("div.type d, a, b", at=AT + "div", types=SIGNED, sem=primitive(Algebra.div_s)),
    op("rem.type d, a, b", at=AT + "rem", types=UNSIGNED, sem=primitive(Algebra.rem_u)),
    op("rem.type d, a, b", at=AT + "rem", types=SIGNED, sem=primitive(Algebra.rem_s)),
    op("abs.type d, a", at=AT + "abs", types=SIGNED, sem=primitive(Algebra.abs_)),
    op("neg.type d, a", at=AT + "neg", types=f"{SIGNED} s8x4",
       sem=packed(primitive(Algebra.neg))),
    op("min.type d, a, b", at=AT + "min", types=f"{UNSIGNED} u16x2 u8x4", sem=packed(least)),
    op("min{.relu}.type d, a, b", at=AT + "min", types=f"{SIGNED} s16x2 s8x4", sem=packed(least)),
    op("max.type d, a, b", at=AT + "max", types=f"{UNSIGNED} u16x2 u8x4", sem=packed(greatest)),
    op("max{.relu}.type d, a, b", at=AT + "max", types=f"{SIGNED} s16x2 s8x4",
       sem=packed(greatest)),
    op("popc.type d:u32, a", at=AT + "popc", types="b32 b64", sem=primitive(Algebra.popc)),
    op("clz.type d:u32, a", at=AT + "clz", types="b32 b64", sem=primitive(Algebra.clz)),
    op("bfind{.shiftamt}.type d:u32, a", at=AT + "bfind", types="u32 u64 s32 s64", sem=bfind),
    op("fns.type d, a, b:u32, c:s32", at=AT + "fns", types="b32", sem=fns),
    op("brev.type d, a", at=AT + "brev", types="b32 b64", sem=primitive(Algebra.brev)),
    op("bfe.type d, a, b:u32, c:u32", at=AT + "bfe", types="u32 u64 s32 s64", sem=bfe),
    op("bfi.type d, a, b, c:u32, e:u32", at=AT + "bfi", types="b32 b64", sem=bfi),
    op("bmsk.mode.type d, a:u32, b:u32", at=AT + "bmsk", mode="clamp wrap", types="b32", sem=bmsk),
    op("szext.mode.type d, a, b:u32", at=AT + "szext", mode="clamp wrap", types="u32 s32",
       sem=szext),
    op("dp4a.atype.btype d:b32, a:b32, b:b32, c:b32", at=AT + "dp4a", atype="u32 s32",
       btype="u32 s32", sem=dot),
    op("dp2a.mode.atype.btype d:b32, a:b32, b:b32, c:b32", at=AT + "dp2a", mode="lo hi",
       atype="u32 s32", btype="u32 s32", sem=dot),
)  # fmt: skip
