"""Parallel synchronization and communication instructions (PTX ISA 9.4, section of that name):
barriers, fences, atomics. Warps have a chapter of their own (``warp``), barrier objects too
(``mbarrier``).

An atomic's ``sem`` computes the new word in memory from the old one and the operands; its result
is the old word, and of a vector each element is updated by itself. Barriers are effects: ``simt``
makes threads wait, analyses ask which threads arrive. Not modelled: barriers of a cluster, atomics
of 128 bits.
"""

from __future__ import annotations

from analyses.algebra import Algebra, FloatMode, V
from analyses.program import Effect
from ptxlint.isa.formats import BFLOAT, narrowed, packed, widened
from ptxlint.isa.row import Form, Row, op

AT = "parallel-synchronization-and-communication-instructions-"
ORDER = "{.sem}{.scope}{.space}{.sub}"
INTEGER = "u32 s32 u64 s64"
BARRIER = Effect.BARRIER | Effect.CONVERGENT
ARRIVE = Effect.ARRIVE | Effect.CONVERGENT
UNKNOWN = Effect.UNMODELLED


def updated(o: Algebra[V], f: Form, old: V, b: V) -> V:
    """The word that an atomic leaves in memory."""
    kind = f.type
    if kind.floating:
        return updated_float(o, f, old, b)
    zero, one = o.const(kind.bits, 0), o.const(kind.bits, 1)
    least, greatest = (o.min_s, o.max_s) if kind.signed else (o.min_u, o.max_u)
    operators = {"add": o.add, "and": o.and_, "or": o.or_, "xor": o.xor}
    operators |= {"min": least, "max": greatest}
    name = f.one_of(*operators, "exch", "inc", "dec")
    if name == "exch":
        return b
    if name == "inc":
        return o.select(o.lt_u(old, b), o.add(old, one), zero)
    if name == "dec":
        out_of_range = o.or_(o.eq(old, zero), o.lt_u(b, old))
        return o.select(out_of_range, b, o.sub(old, one))
    return operators[name](old, b)


def swapped(o: Algebra[V], f: Form, old: V, b: V, c: V) -> V:
    """Compare and swap: c where the old word is b."""
    return o.select(o.eq(old, b), c, old)


def updated_float(o: Algebra[V], f: Form, old: V, b: V) -> V:
    """Rounded to nearest; a bfloat16 is computed as the f32 that it is the upper half of."""
    brain = f.type.kind == "bf"
    if brain:
        old, b = widened(o, BFLOAT, old), widened(o, BFLOAT, b)
    compute = {"add": o.fadd, "min": o.fmin, "max": o.fmax}[f.one_of("add", "min", "max")]
    result = compute(old, b, FloatMode())
    return narrowed(o, BFLOAT, result, "rn") if brain else result


def barrier_vote(o: Algebra[V], f: Form, a: V, *operands: V) -> V:
    """The reduction over the threads at barrier ``a``; the last operand is the thread's own
    predicate."""
    return o.barrier_vote(f.one_of("and", "or", "popc"), operands[-1], a)


def barriers(name: str, aligned: Effect) -> tuple[Row, ...]:
    """The forms of ``bar.cta`` and ``barrier.cta``, aligned or not."""
    at = AT + "bar"
    return (
        op(f"{name}.sync a:u32{{, b:u32}}", at=at, effects=BARRIER | aligned),
        op(f"{name}.arrive a:u32, b:u32", at=at, effects=ARRIVE | aligned),
        op(f"{name}.red.popc.type d, a:u32{{, b:u32}}, c:pred", at=at, types="u32",
           effects=BARRIER | aligned, sem=barrier_vote),
        op(f"{name}.red.op.type p, a:u32{{, b:u32}}, c:pred", at=at, op="and or",
           types="pred", effects=BARRIER | aligned, sem=barrier_vote),
    )  # fmt: skip


SCALAR = {
    "add": "u32 s32 u64 s64 f32 f64",
    "and": "b32 b64", "or": "b32 b64", "xor": "b32 b64",
    "min": INTEGER, "max": INTEGER, "inc": "u32", "dec": "u32",
}  # fmt: skip
HALF = "f16 bf16 f16x2 bf16x2"


def atomics(opcode: str, result: str) -> tuple[Row, ...]:
    """The forms that ``atom`` and ``red`` share."""
    at = AT + opcode

    def form(words: str, types: str, **more: str) -> Row:
        return op(f"{opcode}{ORDER}{words}.type {result}[a], b{{, policy:b64}}", at=at,
                  types=types, effects=Effect.ATOMIC, sem=packed(updated), **more)  # fmt: skip

    return (
        *(form(f".{name}{{.hint}}", types) for name, types in SCALAR.items()),
        form(".op.noftz{.hint}", HALF, op="add"),
        form(".add{.hint}{.vec}", "f32"),
        form(".op{.noftz}{.hint}.vec", HALF, op="add min max"),
    )


def retried(form: Form) -> bool:
    """True if no device has the atomic for shared memory, so that ``ptxas`` writes a loop of a load
    and a compare-and-swap: all but exchange and compare-and-swap, and integers of 32 bits (seen in
    what release 13.0 makes of every type for sm_75, 80, 90, 100 and 120)."""
    if form.row.opcode not in ("atom", "red"):
        return False
    whole = form.type.bits >= 32 and form.one_of("exch", "cas") != ""
    return not whole and form.type.name not in ("u32", "s32", "b32")


ROWS = (
    *barriers("bar{.cta}", Effect.ALIGNED),
    *barriers("barrier{.cta}.aligned", Effect.ALIGNED),
    *barriers("barrier{.cta}", Effect.NONE),
    op("bar.warp.sync a:u32", at=AT + "bar-warp-sync", effects=Effect.CONVERGENT),
    op("barrier.cluster.arrive{.sem}", at=AT + "barrier-cluster",
       effects=UNKNOWN | Effect.CONVERGENT),
    op("barrier.cluster.arrive{.sem}.aligned", at=AT + "barrier-cluster",
       effects=UNKNOWN | Effect.CONVERGENT | Effect.ALIGNED),
    op("barrier.cluster.wait{.acquire}", at=AT + "barrier-cluster",
       effects=UNKNOWN | Effect.CONVERGENT),
    op("barrier.cluster.wait{.acquire}.aligned", at=AT + "barrier-cluster",
       effects=UNKNOWN | Effect.CONVERGENT | Effect.ALIGNED),
    op("membar.level", at=AT + "membar", level="cta gl sys", effects=Effect.FENCE),
    op("membar.proxy.kind", at=AT + "membar", kind="alias async", effects=Effect.FENCE),
    op("fence{.order}{.scope}", at=AT + "membar", order="sc acq_rel acquire release",
       effects=Effect.FENCE),
    op("fence.order.restrict.cluster", at=AT + "membar", order="acquire release",
       restrict="sync_restrict::shared::cluster sync_restrict::shared::cta",
       effects=Effect.FENCE),
    op("fence.mbarrier_init.release.cluster", at=AT + "membar", effects=Effect.FENCE),
    op("fence.proxy.kind{.space}{.sub}", at=AT + "membar", kind="alias async",
       effects=Effect.FENCE),
    op("fence.proxy.kind.release.scope", at=AT + "membar", kind="tensormap::generic",
       effects=Effect.FENCE),
    op("fence.proxy.kind.acquire.scope [a:b64], b:int", at=AT + "membar",
       kind="tensormap::generic", effects=Effect.FENCE),
    op("fence.proxy.kind.order.restrict.cluster", at=AT + "membar", kind="async::generic",
       order="acquire release", effects=Effect.FENCE,
       restrict="sync_restrict::shared::cluster sync_restrict::shared::cta"),
    *atomics("atom", "d, "),
    op(f"atom{ORDER}.exch{{.hint}}.type d, [a], b{{, policy:b64}}", at=AT + "atom",
       types="b32 b64", effects=Effect.ATOMIC, sem=packed(updated)),
    op(f"atom{ORDER}.cas{{.hint}}.type d, [a], b, c{{, policy:b64}}", at=AT + "atom",
       types="b16 b32 b64", effects=Effect.ATOMIC, sem=swapped),
    op(f"atom{ORDER}.exch{{.hint}}.type d, [a], b{{, policy:b64}}", at=AT + "atom",
       types="b128", effects=UNKNOWN, memory="atomic a:16"),
    op(f"atom{ORDER}.cas{{.hint}}.type d, [a], b, c{{, policy:b64}}", at=AT + "atom",
       types="b128", effects=UNKNOWN, memory="atomic a:16"),
    *atomics("red", ""),
    op(f"red.async{ORDER}.done.op.type [a], b, [c]", at=AT + "red-async",
       done="mbarrier::complete_tx::bytes", op="inc dec min max add and or xor",
       types="u32 s32 u64 b32", effects=Effect.ATOMIC, sem=packed(updated)),
    op(f"red.async{ORDER}.add.type [a], b", at=AT + "red-async", types="u32 s32 u64 s64",
       effects=Effect.ATOMIC, sem=packed(updated)),
    op(f"multimem.red.async{ORDER}.add.type [a], b", at=AT + "multimem-red-async",
       types="u32 s32 u64 s64", effects=UNKNOWN, memory="atomic global"),
    op("griddepcontrol.action", at=AT + "griddepcontrol", action="launch_dependents wait",
       effects=Effect.FENCE),
)  # fmt: skip
