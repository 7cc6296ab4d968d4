"""Extended-precision integer arithmetic: the carry lives in the hidden register CC.CF.

The carry is one more word of width 1: last argument where a row reads it, last result where it
writes it. A subtraction's carry is its borrow. (PTX ISA 9.4, "Extended-Precision Integer
Arithmetic Instructions")
"""

from __future__ import annotations

from analyses.algebra import Algebra, V
from ptxlint.isa.integer import mul
from ptxlint.isa.row import Form, op

AT = "extended-precision-arithmetic-instructions-"
INTEGERS = "u32 s32 u64 s64"


def add_carry(o: Algebra[V], f: Form, a: V, b: V, carry: V | None = None) -> V | tuple[V, V]:
    """The sum, and the carry where the row writes it. The two partial sums cannot both wrap, so the
    carries are joined by or."""
    total = o.add(a, b)
    out = o.lt_u(total, a)
    if carry is not None:
        partial, total = total, o.add(total, o.zext(f.type.bits, carry))
        out = o.or_(out, o.lt_u(total, partial))
    return (total, out) if f.row.carry_out else total


def sub_borrow(o: Algebra[V], f: Form, a: V, b: V, borrow: V | None = None) -> V | tuple[V, V]:
    """The difference, and the borrow where the row writes it."""
    difference = o.sub(a, b)
    out = o.lt_u(a, b)
    if borrow is not None:
        partial, difference = difference, o.sub(difference, o.zext(f.type.bits, borrow))
        out = o.or_(out, o.lt_u(partial, difference))
    return (difference, out) if f.row.carry_out else difference


def mad_carry(o: Algebra[V], f: Form, a: V, b: V, c: V, carry: V | None = None) -> V | tuple[V, V]:
    """A half of the product, plus ``c``."""
    return add_carry(o, f, mul(o, f, a, b), c, carry)


ROWS = (
    op("add.cc.type d, a, b", at=AT + "add-cc", types=INTEGERS, carry="out", sem=add_carry),
    op("addc.cc.type d, a, b", at=AT + "addc", types=INTEGERS, carry="in out", sem=add_carry),
    op("addc.type d, a, b", at=AT + "addc", types=INTEGERS, carry="in", sem=add_carry),
    op("sub.cc.type d, a, b", at=AT + "sub-cc", types=INTEGERS, carry="out", sem=sub_borrow),
    op("subc.cc.type d, a, b", at=AT + "subc", types=INTEGERS, carry="in out", sem=sub_borrow),
    op("subc.type d, a, b", at=AT + "subc", types=INTEGERS, carry="in", sem=sub_borrow),
    op("mad.mode.cc.type d, a, b, c", at=AT + "mad-cc",
       mode="lo hi", types=INTEGERS, carry="out", sem=mad_carry),
    op("madc.mode.cc.type d, a, b, c", at=AT + "madc",
       mode="lo hi", types=INTEGERS, carry="in out", sem=mad_carry),
    op("madc.mode.type d, a, b, c", at=AT + "madc",
       mode="lo hi", types=INTEGERS, carry="in", sem=mad_carry),
)  # fmt: skip
