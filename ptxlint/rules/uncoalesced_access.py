"""An uncoalesced access: a warp touches far more memory sectors than its data fills.

What it does
    Reports requests to global memory that touch at least two 32-byte sectors more than the bytes
    of all its lanes would fill, for every alignment of the base. Lanes may share bytes.

Why it is bad
    Memory moves whole sectors. A warp that touches 32 sectors for 128 bytes uses an eighth of the
    bandwidth.

How to fix
    Let neighbouring lanes access neighbouring addresses: interchanged loops, a structure of arrays,
    a tile in shared memory, or a vector load. What a structure of arrays costs is counted, if each
    access is to one field of a structure as long as the distance of neighbouring lanes, or as one
    that ``--layout p=aos:4,4,8`` declares.

Known limitations
    Loaded indices are undecided; a stride that is a parameter is reported with a condition. Without
    a declared block, a warp is assumed to be one row of 32 threads. Lanes that diverge are assumed
    to reconverge at the post-dominator; if they do not, the cost is higher. Percentages of the
    kernel's sectors do not weigh guards.

References
    CUDA C++ Best Practices Guide, "Coalesced Access to Global Memory"; the numbers are those that
    Nsight Compute calls memory_l2_theoretical_sectors_global and its ideal.
"""

from __future__ import annotations

from collections.abc import Iterator

from ptxlint.claim import Claim
from ptxlint.facts.kernel_facts import Facts
from ptxlint.results.finding import Severity
from ptxlint.results.verdict import Property
from ptxlint.rule import Rule
from ptxlint.rules._traffic import costly

RULE = Rule(
    id="uncoalesced-access",
    severity=Severity.WARNING,
    tags=("traffic",),
    summary="a warp touches far more memory sectors than its data fills",
    property=Property.COSTS,
)

BAD = """
// launch: --block 64 --grid 2 --buffer x=16384 --params x
.visible .entry columns(.param .u64 x) {
    .reg .b32 %r<6>;
    .reg .b64 %rd<4>;
    ld.param.u64 %rd1, [x];
    cvta.to.global.u64 %rd1, %rd1;
    mov.u32 %r1, %tid.x;
    mov.u32 %r2, %ctaid.x;
    mul.lo.s32 %r3, %r1, 128;
    shl.b32 %r4, %r2, 2;
    add.s32 %r4, %r4, %r3;
    cvt.u64.u32 %rd2, %r4;
    add.s64 %rd3, %rd1, %rd2;
    st.global.u32 [%rd3], %r1;  // expect: uncoalesced-access
    ret;
}
"""

GOOD = BAD.replace("%r1, 128;", "%r1, 4;").replace("%r2, 2;", "%r2, 8;")


ADVICE = "let neighbouring lanes access neighbouring addresses"


def check(facts: Facts) -> Iterator[Claim]:
    for access in facts.accesses:
        if access.space == "global":
            yield from costly(RULE, facts, access, "a warp's", ADVICE)
