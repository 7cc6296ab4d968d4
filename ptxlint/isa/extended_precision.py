"""Extended-precision integer arithmetic: the carry lives in the hidden register CC.CF.

The carry is one more word of width 1: last argument where a row reads it, last result where it
writes it. A subtraction's carry is its borrow. (PTX ISA 9.4, "Extended-Precision Integer
Arithmetic Instructions")
"""

from __future__ import annotations

from typing import Any

from ptxlint.isa.integer import mul_hi
from ptxlint.isa.row import Form, op

TYPES = "u32 s32 u64 s64"
MAD = "u32 s32 u64 s64"


def add_carry(o: Any, f: Form, a: Any, b: Any, carry: Any = None) -> tuple[Any, Any]:
    """Sum and carry out. The two partial sums cannot both wrap, so the carries are joined by or."""
    total = o.add(a, b)
    out = o.lt_u(total, a)
    if carry is None:
        return total, out
    carried = o.add(total, o.zext(f.type.bits, carry))
    return carried, o.or_(out, o.lt_u(carried, total))


def sub_borrow(o: Any, f: Form, a: Any, b: Any, borrow: Any = None) -> tuple[Any, Any]:
    difference = o.sub(a, b)
    out = o.lt_u(a, b)
    if borrow is None:
        return difference, out
    borrowed = o.sub(difference, o.zext(f.type.bits, borrow))
    return borrowed, o.or_(out, o.lt_u(difference, borrowed))


def half(o: Any, f: Form, a: Any, b: Any) -> Any:
    return mul_hi(o, f, a, b) if f.has("hi") else o.mul(a, b)


ROWS = (
    op("add.cc.type d, a, b", at="extended-precision-arithmetic-instructions-add-cc",
       types=TYPES, carry="out", sem=add_carry),
    op("addc.cc.type d, a, b", at="extended-precision-arithmetic-instructions-addc",
       types=TYPES, carry="in out", sem=add_carry),
    op("addc.type d, a, b", at="extended-precision-arithmetic-instructions-addc",
       types=TYPES, carry="in", sem=lambda o, f, a, b, c: add_carry(o, f, a, b, c)[0]),
    op("sub.cc.type d, a, b", at="extended-precision-arithmetic-instructions-sub-cc",
       types=TYPES, carry="out", sem=sub_borrow),
    op("subc.cc.type d, a, b", at="extended-precision-arithmetic-instructions-subc",
       types=TYPES, carry="in out", sem=sub_borrow),
    op("subc.type d, a, b", at="extended-precision-arithmetic-instructions-subc",
       types=TYPES, carry="in", sem=lambda o, f, a, b, c: sub_borrow(o, f, a, b, c)[0]),
    op("mad.mode.cc.type d, a, b, c", at="extended-precision-arithmetic-instructions-mad-cc",
       mode="lo hi", types=MAD, carry="out",
       sem=lambda o, f, a, b, c: add_carry(o, f, half(o, f, a, b), c)),
    op("madc.mode.cc.type d, a, b, c", at="extended-precision-arithmetic-instructions-madc",
       mode="lo hi", types=MAD, carry="in out",
       sem=lambda o, f, a, b, c, k: add_carry(o, f, half(o, f, a, b), c, k)),
    op("madc.mode.type d, a, b, c", at="extended-precision-arithmetic-instructions-madc",
       mode="lo hi", types=MAD, carry="in",
       sem=lambda o, f, a, b, c, k: add_carry(o, f, half(o, f, a, b), c, k)[0]),
)  # fmt: skip
