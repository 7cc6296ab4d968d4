"""Comparison and selection instructions (PTX ISA 9.4, "Comparison and Selection Instructions").

A float comparison is ordered unless its name ends in ``u``; then it also holds where an operand is
NaN. ``lo ls hi hs`` are the unsigned spellings of ``lt le gt ge``.
"""

from __future__ import annotations

from typing import Any

from ptxlint.isa.row import Form, op

INTEGER_TESTS = "eq ne lt le gt ge lo ls hi hs"
FLOAT_TESTS = "eq ne lt le gt ge equ neu ltu leu gtu geu num nan"
BITS = "b16 b32 b64"
INTEGERS = "u16 u32 u64 s16 s32 s64"
FLOATS = "f32 f64"


def compared(o: Any, f: Form, a: Any, b: Any) -> Any:
    """The predicate ``a test b``."""
    if f.type.floating:
        return float_compared(o, f, a, b)
    test = f.one_of(*INTEGER_TESTS.split())
    less = o.lt_s if f.type.signed else o.lt_u
    match test:
        case "eq":
            return o.eq(a, b)
        case "ne":
            return o.not_(o.eq(a, b))
        case "lt" | "lo":
            return less(a, b)
        case "le" | "ls":
            return o.not_(less(b, a))
        case "gt" | "hi":
            return less(b, a)
        case _:
            return o.not_(less(a, b))


def float_compared(o: Any, f: Form, a: Any, b: Any) -> Any:
    test = f.one_of(*FLOAT_TESTS.split())
    nan = o.funordered(a, b)
    match test:
        case "nan":
            return nan
        case "num":
            return o.not_(nan)
        case "ne":  # ordered and not equal
            return o.not_(o.or_(o.feq(a, b, f.mode), nan))
        case "neu":
            return o.not_(o.feq(a, b, f.mode))
    if test.startswith(("gt", "ge")):
        a, b = b, a
    if test.startswith("eq"):
        holds = o.feq(a, b, f.mode)
    elif test.startswith(("lt", "gt")):
        holds = o.flt(a, b, f.mode)
    else:
        holds = o.or_(o.flt(a, b, f.mode), o.feq(a, b, f.mode))
    return o.or_(holds, nan) if test.endswith("u") else holds


def connected(o: Any, f: Form, holds: Any, c: Any) -> Any:
    if c is None:
        return holds
    connect = {"and": o.and_, "or": o.or_, "xor": o.xor}[f.one_of("and", "or", "xor")]
    return connect(holds, c)


def setp(o: Any, f: Form, a: Any, b: Any, c: Any = None) -> Any:
    holds = compared(o, f, a, b)
    if f.parts == 1:
        return connected(o, f, holds, c)
    return connected(o, f, holds, c), connected(o, f, o.not_(holds), c)


def set_(o: Any, f: Form, a: Any, b: Any, c: Any = None) -> Any:
    """All ones, or 1.0 for a float result, where the comparison holds; else 0."""
    compare = Form(f.row, f.words, f.types[1:])
    holds = connected(o, compare, compared(o, compare, a, b), c)
    true = 0x3F800000 if f.types[0].floating else -1
    return o.select(holds, o.const(32, true), o.const(32, 0))


def slct(o: Any, f: Form, a: Any, b: Any, c: Any) -> Any:
    """a where c >= 0, else b; a NaN chooses b."""
    if f.types[1].floating:
        zero = o.const(32, 0)
        return o.select(o.or_(o.flt(zero, c, f.mode), o.feq(zero, c, f.mode)), a, b)
    return o.select(o.lt_s(c, o.const(32, 0)), b, a)


AT = "comparison-and-selection-instructions-"
LOGIC = "and or xor"

ROWS = (
    op("set.cmp.dtype.atype d, a:atype, b:atype", at=AT + "set", cmp=INTEGER_TESTS,
       dtype="u32 s32 f32", atype=f"{BITS} {INTEGERS}", sem=set_),
    op("set.cmp.bool.dtype.atype d, a:atype, b:atype, c:pred", at=AT + "set", cmp=INTEGER_TESTS,
       bool=LOGIC, dtype="u32 s32 f32", atype=f"{BITS} {INTEGERS}", sem=set_),
    op("set.cmp{.bool}{.ftz}.dtype.atype d, a:atype, b:atype{, c:pred}", at=AT + "set",
       cmp=FLOAT_TESTS, bool=LOGIC, dtype="u32 s32 f32", atype=FLOATS, sem=set_),
    op("setp.cmp{.bool}.type p{|q}, a, b{, c:pred}", at=AT + "setp", cmp=INTEGER_TESTS,
       bool=LOGIC, types=f"{BITS} {INTEGERS}", sem=setp),
    op("setp.cmp{.bool}{.ftz}.type p{|q}, a, b{, c:pred}", at=AT + "setp", cmp=FLOAT_TESTS,
       bool=LOGIC, types=FLOATS, sem=setp),
    op("selp.type d, a, b, c:pred", at=AT + "selp", types=f"{BITS} {INTEGERS} {FLOATS}",
       sem=lambda o, f, a, b, c: o.select(c, a, b)),
    op("slct{.ftz}.dtype.atype d, a:dtype, b:dtype, c:atype", at=AT + "slct",
       dtype=f"{BITS} {INTEGERS} {FLOATS}", atype="s32 f32", sem=slct),
)  # fmt: skip
