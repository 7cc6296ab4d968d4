"""A contended atomic: many lanes of a warp update one address.

What it does
    Reports atomics on global memory by which eight or more lanes of a warp update the same
    address, if the addresses are known.

Why it is bad
    Updates of one address are serialised, in the whole grid: 32 lanes of a thousand warps are 32
    thousand updates in sequence.

How to fix
    Aggregate within the warp (shuffles, ``redux.sync``, a ballot and ``popc``), then one atomic by
    one lane; or one counter for each warp in shared memory, summed at the end. An exchange, a
    compare-and-swap or a counter that wraps cannot be aggregated: let fewer lanes update it.

Known limitations
    Addresses that depend on loaded words (a histogram) are not analysed. Neither is shared memory,
    where updates are serialised in one block only, and fast. For some reductions without a result
    the compiler or the hardware aggregates a warp.

References
    CUDA Pro Tip, "Optimized Filtering with Warp-Aggregated Atomics" (A. Adinets).
"""

from __future__ import annotations

from collections.abc import Iterator

from analyses.program import Constant
from analyses.traffic.devices import COLLISIONS
from ptxlint.claim import Claim
from ptxlint.facts.kernel_facts import Facts
from ptxlint.ir import PtxInstr
from ptxlint.results.finding import Severity
from ptxlint.results.verdict import Property
from ptxlint.rule import Rule
from ptxlint.rules._traffic import costly

RULE = Rule(
    id="contended-atomic",
    severity=Severity.WARNING,
    tags=("traffic",),
    summary="many lanes of a warp update one address",
    property=Property.COSTS,
)

BAD = """
// launch: --block 32 --grid 1 --buffer n=4 --params n
.visible .entry count(.param .u64 n) {
    .reg .b64 %rd<2>;
    ld.param.u64 %rd1, [n];
    red.global.add.u32 [%rd1], 1;  // expect: contended-atomic
    ret;
}
"""

GOOD = BAD.replace(
    "    red.global",
    "    .reg .pred %p;\n    .reg .b32 %r;\n    mov.u32 %r, %laneid;\n"
    "    setp.eq.u32 %p, %r, 0;\n    @%p red.global",
).replace("1;  // expect: contended-atomic", "32;")


AGGREGATE = "aggregate within the warp, then one atomic"
FEWER = "let fewer lanes update it, or spread the updates over several addresses"
LARGEST = Constant(32, (1 << 32) - 1)


def aggregates(instr: PtxInstr) -> bool:
    """True if one update can stand for those of several lanes: not for an exchange or a
    compare-and-swap, nor for a counter that wraps before its width does."""
    if instr.form is None or instr.form.row.opcode not in ("atom", "red"):
        return False
    if instr.form.one_of("inc", "dec"):
        return LARGEST in instr.uses[1:2]
    return bool(instr.form.one_of("add", "and", "or", "xor", "min", "max"))


def check(facts: Facts) -> Iterator[Claim]:
    for access in facts.accesses:
        if access.place.access.kind == "atomic" and access.space == "global":
            advice = AGGREGATE if aggregates(access.instr) else FEWER
            yield from costly(RULE, facts, access, "a warp's", advice, COLLISIONS)
