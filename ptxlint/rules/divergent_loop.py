"""A loop with a divergent trip count: the lanes of a warp exit many iterations apart.

What it does
    Reports loops whose trip counts differ by four or more within a warp, if the exit condition
    compares polynomials of the thread's coordinates and the loop counter.

Why it is bad
    A warp iterates until its last lane exits. Lanes that have exited are idle.

How to fix
    A warp-strided loop (``for (i = lane; i < n; i += 32)``), or work sorted so that the lanes of a
    warp have equal trip counts.

Known limitations
    Loaded trip counts (rows of a sparse matrix) are not analysed. The block must be declared.

References
    CUDA C++ Best Practices Guide, "Branching and Divergence".
"""

from __future__ import annotations

from collections.abc import Iterator

from analyses.graph import Loop
from analyses.polynomials.polynomial import Polynomial
from analyses.traffic.patterns import apart
from ptxlint.claim import Claim
from ptxlint.facts.kernel_facts import Facts
from ptxlint.results.finding import Severity
from ptxlint.results.verdict import Property
from ptxlint.rule import Rule
from ptxlint.thresholds import APART

RULE = Rule(
    id="divergent-loop",
    severity=Severity.NOTE,
    tags=("work",),
    summary="a loop whose trip count diverges within a warp",
    property=Property.COSTS,
)

BAD = """
// launch: --block 32 --grid 1 --buffer y=128 --params y
.visible .entry triangle(.param .u64 y) {
    .reg .pred %p;
    .reg .b32 %r<4>;
    .reg .b64 %rd<4>;
    ld.param.u64 %rd1, [y];
    mov.u32 %r1, %tid.x;
    mov.u32 %r2, 0;
    mov.u32 %r3, 0;
LOOP:
    add.u32 %r3, %r3, %r2;
    add.u32 %r2, %r2, 1;
    setp.lt.u32 %p, %r2, %r1;
    @%p bra LOOP;  // expect: divergent-loop
    mul.wide.u32 %rd2, %r1, 4;
    add.s64 %rd3, %rd1, %rd2;
    st.global.u32 [%rd3], %r3;
    ret;
}
"""

GOOD = BAD.replace("%r2, %r1;\n    @%p bra LOOP;",
                   "%r2, 4;\n    @%p bra LOOP;")  # fmt: skip


def check(facts: Facts) -> Iterator[Claim]:
    for loop in facts.values.loops.values():
        distance = iterations(facts, loop)
        if distance >= APART and not ends_before(facts, loop, APART):
            at = next(b for b in sorted(loop.nodes) if leaves(facts, loop, b))
            yield RULE.claim(
                facts.branch(facts.kernel.blocks[at]),
                f"divergent trip count: lanes of a warp exit up to {distance} iterations apart",
                True,
                help="use a warp-strided loop to balance lanes",
            )


def ends_before(facts: Facts, loop: Loop, iterations: int) -> bool:
    """True if no thread repeats the loop so often: one over what is left behind whole groups."""
    counter, proofs = facts.symbolic.counters.get(loop.head), facts.footprints.proofs
    most = -Polynomial.of(counter) + (iterations - 2) if counter is not None else None
    here = (proofs.conditions.at(latch) for latch in loop.latches)
    return most is not None and all(proofs.proves(premises, most) for premises in here)


def leaves(facts: Facts, loop: Loop, block: int) -> bool:
    targets = facts.kernel.blocks[block].terminator.targets
    return len(targets) == 2 and not loop.nodes.issuperset(targets)


def iterations(facts: Facts, loop: Loop) -> int:
    """The difference of the trip counts in a warp, 0 if unknown."""
    exits = [block for block in loop.nodes if leaves(facts, loop, block)]
    if facts.launch.block is None or len(exits) != 1 or not loop.natural:
        return 0
    condition = facts.kernel.blocks[exits[0]].terminator.condition
    if condition is None:
        return 0
    found = facts.flow.formulas.implied(condition, True)
    compared = [(a, b) for a, relation, b in found if relation.startswith(("lt", "le"))]
    if len(compared) != 1:
        return 0
    return apart(facts.warps, loop, *compared[0])
