"""A lane mask that names lanes which do not take part, or leaves out one that does.

What it does
    Reports ``shfl.sync``, ``vote.sync``, ``match.sync``, ``redux.sync`` and ``bar.warp.sync`` where
    a lane of the mask never comes to the instruction, or a lane comes that the mask leaves out.
    Only ``ptxlint run`` finds this.

Why it is bad
    The lanes of the mask wait for each other: with one that never comes the warp hangs, or the
    result is undefined.

How to fix
    The mask of the lanes that come, computed before they diverge (``activemask`` does not say who
    will come), or the instruction outside of the condition.

Known limitations
    Only the launch that is run. Lanes that have ended are not waited for.

References
    PTX ISA, "shfl.sync", "bar.warp.sync".
"""

from __future__ import annotations

from ptxlint.results.finding import Severity
from ptxlint.results.verdict import Property
from ptxlint.rule import Rule

RULE = Rule(
    id="bad-membermask",
    severity=Severity.ERROR,
    tags=("run",),
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
