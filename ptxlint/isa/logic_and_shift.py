"""Logic and shift instructions (PTX ISA 9.4, "Logic and Shift Instructions").

A shift by the width or more gives zeros or signs, which is how the algebra defines it too.
"""

from __future__ import annotations

from analyses.algebra import Algebra, V
from ptxlint.isa.integer import shift_count
from ptxlint.isa.row import Form, op, primitive

BITS = "b16 b32 b64"
AT = "logic-and-shift-instructions-"


def cnot(o: Algebra[V], f: Form, a: V) -> V:
    return o.zext(f.type.bits, o.eq(a, o.const(f.type.bits, 0)))


def lop3(o: Algebra[V], f: Form, a: V, b: V, c: V, table: int) -> V:
    """Any function of three bits: bit 4a+2b+c of the table's low byte is its value.

    Shannon's expansion on ``a``; each half is a function of b and c with a name of its own, so the
    usual tables ((a & b) | c, a ^ b ^ c ...) come out as the formula they stand for.
    """
    low, high = table & 15, table >> 4 & 15
    if low == high:
        return of_two(o, f, low, b, c)
    if low == high ^ 15:
        return o.xor(a, of_two(o, f, low, b, c))
    if low == 0:
        return o.and_(a, of_two(o, f, high, b, c))
    if high == 15:
        return o.or_(a, of_two(o, f, low, b, c))
    if low & high == low:  # f = (a & high) | low
        return o.or_(o.and_(a, of_two(o, f, high, b, c)), of_two(o, f, low, b, c))
    chosen = o.and_(a, of_two(o, f, high, b, c))
    return o.or_(chosen, o.and_(o.not_(a), of_two(o, f, low, b, c)))


def of_two(o: Algebra[V], f: Form, table: int, b: V, c: V) -> V:
    """A function of two bits: bit 2b+c of the table is its value."""
    if table > 7:
        return o.not_(of_two(o, f, table ^ 15, b, c))
    match table:
        case 0:
            return o.const(f.type.bits, 0)
        case 1:
            return o.not_(o.or_(b, c))
        case 2:
            return o.and_(o.not_(b), c)
        case 3:
            return o.not_(b)
        case 4:
            return o.and_(b, o.not_(c))
        case 5:
            return o.not_(c)
        case 6:
            return o.xor(b, c)
        case _:
            return o.not_(o.and_(b, c))


def lop3_test(o: Algebra[V], f: Form, a: V, b: V, c: V, q: V, table: int) -> V | tuple[V, V]:
    """The word, and the predicate that it is not zero, joined with q."""
    word = lop3(o, f, a, b, c, table)
    holds = o.ne(word, o.const(32, 0))
    joined = o.or_(holds, q) if f.has("or") else o.and_(holds, q)
    return (word, joined) if f.parts == 2 else word


def shf(o: Algebra[V], f: Form, a: V, b: V, n: V) -> V:
    """A shift of the 64-bit word b:a, of which the high (l) or the low (r) half is the result."""
    n, pair = shift_count(o, f, n), o.concat(a, b)
    return o.extract(32, 32, o.shl(pair, n)) if f.has("l") else o.trunc(32, o.shr_u(pair, n))


ROWS = (
    op("and.type d, a, b", at=AT + "and", types=f"pred {BITS}",
       sem=primitive(Algebra.and_)),
    op("or.type d, a, b", at=AT + "or", types=f"pred {BITS}", sem=primitive(Algebra.or_)),
    op("xor.type d, a, b", at=AT + "xor", types=f"pred {BITS}", sem=primitive(Algebra.xor)),
    op("not.type d, a", at=AT + "not", types=f"pred {BITS}", sem=primitive(Algebra.not_)),
    op("cnot.type d, a", at=AT + "cnot", types=BITS, sem=cnot),
    op("lop3.type d, a, b, c, table:int", at=AT + "lop3", types="b32", sem=lop3),
    op("lop3.bool.type d{|p}, a, b, c, table:int, e:pred", at=AT + "lop3", bool="or and",
       types="b32", sem=lop3_test),
    op("shf.dir.mode.type d, a, b, c:u32", at=AT + "shf", dir="l r", mode="clamp wrap",
       types="b32", sem=shf),
    op("shl.type d, a, b:u32", at=AT + "shl", types=BITS, sem=primitive(Algebra.shl)),
    op("shr.type d, a, b:u32", at=AT + "shr", types=f"{BITS} u16 u32 u64",
       sem=primitive(Algebra.shr_u)),
    op("shr.type d, a, b:u32", at=AT + "shr", types="s16 s32 s64",
       sem=primitive(Algebra.shr_s)),
)  # fmt: skip
