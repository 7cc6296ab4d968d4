"""A thread executes ``trap``.

What it does
    Reports ``trap`` instructions, and assertions that fail, which a thread comes to.

Why it is bad
    The kernel is aborted and its results are lost. Compilers write ``trap`` where an assertion
    fails and where control must not come.

How to fix
    Arguments for which the assertion holds, or a check before the launch.

Known limitations
    Checked only if block, grid and every integer are declared that decide where and when memory is
    accessed, and reported if a run shows it. Where words that are loaded decide whether a thread
    comes here, only ``ptxlint run`` reports it, for its data. A thread that stops here does nothing
    more, so what it would have done later is not judged.

References
    PTX ISA, "trap".
"""

from __future__ import annotations

from collections.abc import Iterator

from analyses.program import Effect
from ptxlint.claim import Claim, Faulting
from ptxlint.facts.kernel_facts import Facts
from ptxlint.facts.members import decided_by_launch
from ptxlint.results.finding import Severity
from ptxlint.rule import Rule

RULE = Rule(
    id="trap",
    severity=Severity.ERROR,
    tags=("sync",),
    summary="a thread executes trap",
)

BAD = """
// launch: --block 32 --grid 1
.visible .entry checked() {
    .reg .pred %p;
    .reg .b32 %r;
    mov.u32 %r, %tid.x;
    setp.gt.u32 %p, %r, 30;
    @%p trap;  // expect: trap
    ret;
}
"""

GOOD = BAD.replace("%r, 30;", "%r, 31;")


def check(facts: Facts) -> Iterator[Claim]:
    if not facts.launch.has_grid or not facts.launch.decided(facts.kernel):
        return
    for block in facts.kernel.blocks:
        for instr in facts.instructions(block):
            trapping = instr.effects & Effect.TRAP and facts.values.reached(block.index)
            if trapping and decided_by_launch(facts, block.index):
                yield RULE.claim(
                    instr,
                    "a thread comes to this trap, which aborts the kernel",
                    False,
                    harm=Faulting(("trap",)),
                    help="launch with arguments for which no thread comes here",
                    unless="no thread may come here",
                )
