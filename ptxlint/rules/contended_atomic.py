"""Many lanes of a warp update one address.

What it does
    Counts the lanes of a warp that an atomic operation sends to the same address of global memory,
    where the addresses are known, and reports eight and more.

Why it is bad
    Updates of one address happen one after the other, in the whole grid: 32 lanes of a thousand
    warps are 32 thousand turns.

Use instead
    A sum over the warp first (shuffles, ``redux.sync``, a ballot and ``popc``), then one atomic by
    one lane; or a counter for each warp in shared memory, added up at the end.

Limits
    Only addresses that do not depend on loaded words: a histogram of unknown data is not judged.
    Shared memory is not judged either: its turns are those of one block, and short.
    For some reductions without a result the compiler or the hardware adds up a warp by itself.

References
    CUDA Pro Tip, "Optimized Filtering with Warp-Aggregated Atomics" (A. Adinets).
"""

from __future__ import annotations

from collections.abc import Iterator

from analyses.traffic.devices import COLLISIONS
from ptxlint.claim import Claim
from ptxlint.facts import Facts
from ptxlint.finding import Severity
from ptxlint.rule import Rule
from ptxlint.rules._traffic import costly

RULE = Rule(
    id="contended-atomic",
    severity=Severity.WARNING,
    tags=("traffic",),
    summary="many lanes of a warp update one address",
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


ADVICE = "add up the warp first, then let one lane update"


def check(facts: Facts) -> Iterator[Claim]:
    for access in facts.accesses:
        if access.place.access.kind == "atomic" and access.space == "global":
            yield from costly(RULE, facts, access, "a warp's", ADVICE, COLLISIONS)
