"""Extended-precision integer arithmetic: the carry lives in the hidden register CC.CF.

The carry is one more word of width 1: last argument where a row reads it, last result where it
writes it. A subtraction's carry is its borrow. (PTX ISA 9.4, "Extended-Precision Integer
Arithmetic Instructions")
"""

from __future__ import annotations

from analyses.algebra import Algebra, V
from ptxlint.isa.integer import mul_hi
from ptxlint.isa.row import Form, op

INTEGERS = "u32 s32 u64 s64"


def add_carry(o: Algebra[V], f: Form, a: V, b: V, carry: V | None = None) -> tuple[V, V]:
    """Sum and carry out. The two partial sums cannot both wrap, so the carries are joined by or."""
    total = o.add(a, b)
    out = o.lt_u(total, a)
    if carry is None:
        return total, out
    carried = o.add(total, o.zext(f.type.bits, carry))
    return carried, o.or_(out, o.lt_u(carried, total))


def sub_borrow(o: Algebra[V], f: Form, a: V, b: V, borrow: V | None = None) -> tuple[V, V]:
    difference = o.sub(a, b)
    out = o.lt_u(a, b)
    if borrow is None:
        return difference, out
    borrowed = o.sub(difference, o.zext(f.type.bits, borrow))
    return borrowed, o.or_(out, o.lt_u(difference, borrowed))


def half(o: Algebra[V], f: Form, a: V, b: V) -> V:
    """The high or the low half of the product."""
    return mul_hi(o, f, a, b) if f.has("hi") else o.mul(a, b)


ROWS = (
    op("add.cc.type d, a, b", at="extended-precision-arithmetic-instructions-add-cc",
       types=INTEGERS, carry="out", sem=add_carry),
    op("addc.cc.type d, a, b", at="extended-precision-arithmetic-instructions-addc",
       types=INTEGERS, carry="in out", sem=add_carry),
    op("addc.type d, a, b", at="extended-precision-arithmetic-instructions-addc",
       types=INTEGERS, carry="in", sem=lambda o, f, a, b, c: add_carry(o, f, a, b, c)[0]),
    op("sub.cc.type d, a, b", at="extended-precision-arithmetic-instructions-sub-cc",
       types=INTEGERS, carry="out", sem=sub_borrow),
    op("subc.cc.type d, a, b", at="extended-precision-arithmetic-instructions-subc",
       types=INTEGERS, carry="in out", sem=sub_borrow),
    op("subc.type d, a, b", at="extended-precision-arithmetic-instructions-subc",
       types=INTEGERS, carry="in", sem=lambda o, f, a, b, c: sub_borrow(o, f, a, b, c)[0]),
    op("mad.mode.cc.type d, a, b, c", at="extended-precision-arithmetic-instructions-mad-cc",
       mode="lo hi", types=INTEGERS, carry="out",
       sem=lambda o, f, a, b, c: add_carry(o, f, half(o, f, a, b), c)),
    op("madc.mode.cc.type d, a, b, c", at="extended-precision-arithmetic-instructions-madc",
       mode="lo hi", types=INTEGERS, carry="in out",
       sem=lambda o, f, a, b, c, k: add_carry(o, f, half(o, f, a, b), c, k)),
    op("madc.mode.type d, a, b, c", at="extended-precision-arithmetic-instructions-madc",
       mode="lo hi", types=INTEGERS, carry="in",
       sem=lambda o, f, a, b, c, k: add_carry(o, f, half(o, f, a, b), c, k)[0]),
)  # fmt: skip
