"""``bra.uni`` on a condition that differs between the lanes of a warp.

What it does
    Reports branches marked ``.uni`` whose predicate (or index) differs between active lanes of a
    warp.

Why it is bad
    ``.uni`` is a promise. The whole warp may take one path: lanes execute the wrong code, or hang.

How to fix
    ``bra`` without ``.uni``; ptxas analyses uniformity itself.

Known limitations
    Uniform among the lanes that execute the branch together, in the same iteration, assuming that
    lanes reconverged at the post-dominator of earlier branches.

References
    PTX ISA, "bra": the behaviour is undefined if the targets differ; LLVM, "Convergence and
    Uniformity".
"""

from __future__ import annotations

from collections.abc import Iterator

from analyses.domains.uniformity import Level
from ptxlint.claim import Claim, Faulting
from ptxlint.facts.kernel_facts import Facts
from ptxlint.facts.wording import defined_at
from ptxlint.results.finding import Severity
from ptxlint.results.verdict import Property
from ptxlint.rule import Rule

RULE = Rule(
    id="divergent-uniform-branch",
    severity=Severity.ERROR,
    tags=("divergence",),
    summary="bra.uni on a condition that differs between the lanes of a warp",
    property=Property.UNIFORMITY,
)

BAD = """
// launch: --block 32 --grid 1
.visible .entry halves() {
    .shared .align 4 .b8 tile[128];
    .reg .b32 %r<3>;
    .reg .pred %p;
    mov.u32 %r1, %tid.x;
    setp.lt.u32 %p, %r1, 16;
    @%p bra.uni $done;  // expect: divergent-uniform-branch
    st.shared.u32 [tile], 1;
$done:
    ret;
}
"""

GOOD = BAD.replace("bra.uni", "bra")


def check(facts: Facts) -> Iterator[Claim]:
    for block in facts.kernel.blocks:
        end = block.terminator
        if not end.uniform or end.condition is None:
            continue
        if facts.divergence.use(end.condition, block.index) is not Level.DIVERGENT:
            continue
        yield RULE.claim(
            facts.branch(block),
            "bra.uni on a predicate that differs between the lanes of a warp",
            False,
            related=defined_at(facts, end.condition, "the divergent value is computed here"),
            harm=Faulting(("divergent-uniform-branch",)),
            help="remove .uni",
            unless="the predicate may be uniform",
        )
