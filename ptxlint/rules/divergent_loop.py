"""A loop that the lanes of a warp leave many iterations apart.

What it does
    Looks at loops whose end depends on the thread. Where the comparison is a polynomial of the
    thread's coordinates and the number of the iteration, it says how many iterations lie between
    the first lane of a warp to leave and the last, and reports four and more.

Why it is bad
    A warp goes on until its last lane is done. Lanes that have left wait.

Use instead
    Work dealt out in turns (``for (i = lane; i < n; i += 32)``), or sorted so that lanes of a warp
    have as much to do.

Limits
    Lengths that were loaded, such as rows of a sparse matrix, are not judged. Needs a declared
    block.

References
    CUDA C++ Best Practices Guide, "Branching and Divergence".
"""

from __future__ import annotations

from collections.abc import Iterator

from analyses.graph import Loop
from analyses.traffic.patterns import apart
from ptxlint.claim import Claim
from ptxlint.facts import Facts
from ptxlint.finding import Severity
from ptxlint.rule import Rule
from ptxlint.thresholds import APART

RULE = Rule(
    id="divergent-loop",
    severity=Severity.NOTE,
    tags=("work",),
    summary="lanes of a warp leave a loop many iterations apart",
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
        if distance >= APART:
            at = next(b for b in sorted(loop.nodes) if leaves(facts, loop, b))
            yield RULE.claim(
                facts.branch(facts.kernel.blocks[at]),
                f"lanes of a warp leave this loop up to {distance} iterations apart",
                True,
                help="deal the work out in turns, so that lanes have as much to do",
            )


def leaves(facts: Facts, loop: Loop, block: int) -> bool:
    targets = facts.kernel.blocks[block].terminator.targets
    return len(targets) == 2 and not loop.nodes.issuperset(targets)


def iterations(facts: Facts, loop: Loop) -> int:
    """The most iterations between two lanes of a warp that leave by comparing, 0 if not known."""
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
