"""A barrier that only some threads of the CTA reach.

What it does
    Reports ``bar`` and ``barrier`` in control flow that diverges within the CTA, if the interpreter
    finds threads that do not arrive, or lanes of a warp at different ``.aligned`` instructions.

Why it is bad
    The others wait: the kernel hangs, or the barrier pairs with a later one and orders nothing.

How to fix
    Move the barrier out of the condition, and leave only the work inside.

Known limitations
    Exited threads are not waited for (compute capability 7.0 and later), so an early ``return``
    before a barrier is not reported. Whole warps may wait at one barrier by different
    instructions. Barriers with a thread count are reported only if a warp diverges. Lanes that
    diverge are assumed to reconverge at the post-dominator; after a divergent barrier they do not,
    so fix the first finding first.

References
    PTX ISA, "bar, barrier"; CUDA C++ Programming Guide, "Synchronization Functions" and
    "Independent Thread Scheduling".
"""

from __future__ import annotations

from collections.abc import Iterator

from analyses.program import Effect
from ptxlint.claim import Claim, Faulting, RelatedInstr
from ptxlint.facts.barriers import met
from ptxlint.facts.kernel_facts import Facts
from ptxlint.results.finding import Severity
from ptxlint.results.verdict import Property
from ptxlint.rule import Rule

RULE = Rule(
    id="divergent-barrier",
    severity=Severity.ERROR,
    tags=("sync",),
    summary="a barrier that only some threads of the CTA reach",
    property=Property.BARRIERS,
)

BAD = """
// launch: --block 64 --grid 1
.visible .entry half() {
    .shared .align 4 .b8 tile[256];
    .reg .b32 %r<4>;
    .reg .pred %p;
    mov.u32 %r1, %tid.x;
    shl.b32 %r2, %r1, 2;
    mov.u32 %r3, tile;
    add.s32 %r3, %r3, %r2;
    setp.gt.u32 %p, %r1, 40;
    @%p bra $skip;
    st.shared.u32 [%r3], %r1;
    bar.sync 0;  // expect: divergent-barrier
$skip:
    st.shared.u32 [%r3], %r2;
    ret;
}
"""

GOOD = BAD.replace(
    "    bar.sync 0;  // expect: divergent-barrier\n$skip:", "$skip:\n    bar.sync 0;"
)


def check(facts: Facts) -> Iterator[Claim]:
    for block in facts.kernel.blocks:
        for instr in facts.instructions(block):
            if not instr.effects & (Effect.BARRIER | Effect.ARRIVE):
                continue
            if met(facts, instr, block.index):
                continue
            of_all = instr in facts.cta_barriers.all
            branches = [facts.kernel.blocks[b] for b in facts.divergence.controlling[block.index]]
            yield RULE.claim(
                instr,
                "only some threads of the CTA reach this barrier"
                if of_all
                else "other threads reach this barrier than it counts",
                False,
                related=tuple(
                    RelatedInstr("threads diverge here", facts.branch(b)) for b in branches[:3]
                ),
                harm=Faulting(("divergent-barrier",)),
                help="move the barrier out of the condition" if branches else None,
                unless="the branch may be uniform" if of_all else "the counts may agree",
            )
