"""A lane mask that names lanes which do not take part, or leaves out one that does.

What it does
    Reports ``shfl.sync``, ``vote.sync``, ``match.sync``, ``redux.sync`` and ``bar.warp.sync`` where
    a lane of the mask never comes to the instruction, or a lane comes that the mask leaves out.

Why it is bad
    The lanes of the mask wait for each other: with one that never comes the warp hangs, or the
    result is undefined.

How to fix
    The mask of the lanes that come, computed before they diverge (``activemask`` does not say who
    will come), or the instruction outside of the condition.

Known limitations
    Checked only if block, grid and every integer are declared that decide where and when memory is
    accessed, and reported if a run shows it. Lanes that have ended are not waited for. Where words
    that are loaded decide which lanes come, only ``ptxlint run`` reports it, for its data.

References
    PTX ISA, "shfl.sync", "bar.warp.sync".
"""

from __future__ import annotations

from collections.abc import Iterator

from ptxlint.claim import Claim, Faulting
from ptxlint.facts.kernel_facts import Facts
from ptxlint.facts.members import all_come, decided_by_launch
from ptxlint.ir import members_of
from ptxlint.results.finding import Severity
from ptxlint.results.verdict import Property
from ptxlint.rule import Rule

RULE = Rule(
    id="bad-membermask",
    severity=Severity.ERROR,
    tags=("sync",),
    summary="a lane mask that names lanes which do not take part",
    property=Property.UNIFORMITY,
)

BAD = """
// launch: --block 32 --grid 1
.visible .entry half() {
    .reg .b32 %r<3>;
    mov.u32 %r1, %laneid;
    shfl.sync.idx.b32 %r2, %r1, 0, 31, 0x0000ffff;  // expect: bad-membermask
    ret;
}
"""

GOOD = BAD.replace("0x0000ffff", "0xffffffff")


def check(facts: Facts) -> Iterator[Claim]:
    if not facts.launch.has_grid or not facts.launch.decided(facts.kernel):
        return
    for block in facts.kernel.blocks:
        if not facts.values.reached(block.index):
            continue
        for instr in facts.instructions(block):
            mask = members_of(instr)
            if mask is None or all_come(facts, instr, block.index):
                continue
            if decided_by_launch(facts, block.index, [mask]):
                yield RULE.claim(
                    instr,
                    "a lane in the member mask never arrives, or one arrives that it leaves out",
                    False,
                    harm=Faulting(("bad-membermask",), frozenset({"sync"})),
                    help="compute the mask of the lanes that come before they diverge",
                    unless="the lanes of the mask may all come",
                )
