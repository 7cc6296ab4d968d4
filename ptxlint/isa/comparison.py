"""Comparison and selection (PTX ISA 9.4, "Comparison and Selection Instructions", "Half Precision
Comparison Instructions").

A float comparison is ordered unless its name ends in ``u``; then it also holds where an operand is
NaN. ``lo ls hi hs`` are the unsigned spellings of ``lt le gt ge``. Two packed halves are compared
each on its own: ``setp`` has a predicate for each, ``set`` a half of its result.
"""

from __future__ import annotations

from analyses.algebra import Algebra, V
from ptxlint.isa.formats import BFLOAT, elementwise, joined, widened
from ptxlint.isa.row import TYPES, Form, Type, op

INTEGER_TESTS = "eq ne lt le gt ge lo ls hi hs"
FLOAT_TESTS = "eq ne lt le gt ge equ neu ltu leu gtu geu num nan"
BITS = "b16 b32 b64"
INTEGERS = "u16 u32 u64 s16 s32 s64"
FLOATS = "f32 f64"
HALVES = "f16 bf16"
PAIRS = "f16x2 bf16x2"
ONE = {"f16": 0x3C00, "bf16": 0x3F80, "f32": 0x3F800000}


def compared(o: Algebra[V], f: Form, a: V, b: V) -> V:
    """The predicate ``a test b``."""
    if f.type.kind == "bf":
        a, b = widened(o, BFLOAT, a), widened(o, BFLOAT, b)
    if f.type.floating:
        return float_compared(o, f, a, b)
    return integer_compared(o, f, f.type.signed, a, b)


def integer_compared(o: Algebra[V], f: Form, signed: bool, a: V, b: V) -> V:
    """The predicate ``a test b`` of integers."""
    less = o.lt_s if signed else o.lt_u
    match f.one_of(*INTEGER_TESTS.split()):
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


def float_compared(o: Algebra[V], f: Form, a: V, b: V) -> V:
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


def connected(o: Algebra[V], f: Form, holds: V, c: V | None) -> V:
    """The predicate joined with ``c``, if there is one."""
    if c is None:
        return holds
    name = f.one_of("and", "or", "xor", default="and")  # a predicate without one is not PTX
    return {"and": o.and_, "or": o.or_, "xor": o.xor}[name](holds, c)


def setp(o: Algebra[V], f: Form, a: V, b: V, c: V | None = None) -> V | tuple[V, V]:
    holds = compared(o, f, a, b)
    if f.parts == 1:
        return connected(o, f, holds, c)
    return connected(o, f, holds, c), connected(o, f, o.not_(holds), c)


def setp_pair(o: Algebra[V], f: Form, a: V, b: V, c: V | None = None) -> V | tuple[V, V]:
    first, second = (connected(o, f, p, c) for p in elementwise(o, f, compared, a, b))
    return first if f.parts == 1 else (first, second)


def truth(o: Algebra[V], kind: Type, holds: V) -> V:
    """All ones, or 1.0 of a float type, where the predicate holds; else 0."""
    true = ONE[kind.name] if kind.floating else -1
    return o.select(holds, o.const(kind.bits, true), o.const(kind.bits, 0))


def set_(o: Algebra[V], f: Form, a: V, b: V, c: V | None = None) -> V:
    """For each element of the operands an element of the result, which may be a b32 of halves."""
    compare = f.of(f.types[-1])
    kind = f.type.element or (TYPES["b16"] if compare.type.element else f.type)
    holds = elementwise(o, compare, compared, a, b)
    return joined(o, [truth(o, kind, connected(o, f, p, c)) for p in holds])


def selp(o: Algebra[V], f: Form, a: V, b: V, c: V) -> V:
    return o.select(c, a, b)


def slct(o: Algebra[V], f: Form, a: V, b: V, c: V) -> V:
    """a where c >= 0, else b; a NaN chooses b."""
    if f.types[1].floating:
        zero = o.const(32, 0)
        return o.select(o.or_(o.flt(zero, c, f.mode), o.feq(zero, c, f.mode)), a, b)
    return o.select(o.lt_s(c, o.const(32, 0)), b, a)


AT = "comparison-and-selection-instructions-"
HALF = "half-precision-comparison-instructions-"
LOGIC = "and or xor"
RESULTS = f"u32 s32 u16 s16 {HALVES}"

ROWS = (
    op("set.cmp{.bool}.dtype.atype d, a:atype, b:atype{, c:pred}", at=AT + "set",
       cmp=INTEGER_TESTS, bool=LOGIC, dtype=f"u32 s32 f32 {HALVES}", atype=f"{BITS} {INTEGERS}",
       sem=set_),
    op("set.cmp{.bool}{.ftz}.dtype.atype d, a:atype, b:atype{, c:pred}", at=AT + "set",
       cmp=FLOAT_TESTS, bool=LOGIC, dtype=f"u32 s32 f32 {HALVES}", atype=FLOATS, sem=set_),
    op("set.cmp.type d, a, b", at=AT + "set", cmp=INTEGER_TESTS, types="u8x4 s8x4 u16x2 s16x2",
       sem=set_),
    op("setp.cmp{.bool}.type p{|q}, a, b{, c:pred}", at=AT + "setp", cmp=INTEGER_TESTS,
       bool=LOGIC, types=f"{BITS} {INTEGERS}", sem=setp),
    op("setp.cmp{.bool}{.ftz}.type p{|q}, a, b{, c:pred}", at=AT + "setp", cmp=FLOAT_TESTS,
       bool=LOGIC, types=FLOATS, sem=setp),
    op("selp.type d, a, b, c:pred", at=AT + "selp", types=f"{BITS} {INTEGERS} {FLOATS}",
       sem=selp),
    op("slct{.ftz}.dtype.atype d, a:dtype, b:dtype, c:atype", at=AT + "slct",
       dtype=f"{BITS} {INTEGERS} {FLOATS}", atype="s32 f32", sem=slct),
    op("set.cmp{.bool}{.ftz}.dtype.atype d, a:atype, b:atype{, c:pred}", at=HALF + "set",
       cmp=FLOAT_TESTS, bool=LOGIC, dtype=RESULTS, atype=HALVES, sem=set_),
    op("set.cmp{.bool}{.ftz}.dtype.atype d, a:atype, b:atype{, c:pred}", at=HALF + "set",
       cmp=FLOAT_TESTS, bool=LOGIC, dtype=f"{PAIRS} u32 s32", atype=PAIRS, sem=set_),
    op("setp.cmp{.bool}{.ftz}.type p, a, b{, c:pred}", at=HALF + "setp", cmp=FLOAT_TESTS,
       bool=LOGIC, types=HALVES, sem=setp),
    op("setp.cmp{.bool}{.ftz}.type p{|q}, a, b{, c:pred}", at=HALF + "setp", cmp=FLOAT_TESTS,
       bool=LOGIC, types=PAIRS, sem=setp_pair),
)  # fmt: skip
