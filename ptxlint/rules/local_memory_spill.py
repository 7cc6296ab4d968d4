"""A local array that the lanes of a warp access at different indices.

What it does
    Reports accesses to local memory in loops that need at least two 32-byte sectors more than the
    ideal. Local memory is interleaved: the same word of all threads of a warp is one line.

Why it is bad
    A variable that does not fit into registers, or is indexed dynamically, is in device memory. If
    all lanes access the same element the cache serves them together; lanes at different elements
    need a sector each.

How to fix
    An index that the compiler can unroll, so that the array becomes registers; or shared memory
    with a column for each thread.

Known limitations
    Spills by ptxas are not in PTX. Accesses outside of loops are not reported.

References
    CUDA C++ Programming Guide, "Device Memory Accesses", Local Memory.
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
    id="local-memory-spill",
    severity=Severity.WARNING,
    tags=("traffic",),
    summary="lanes of a warp access different elements of their local arrays",
    property=Property.COSTS,
)

BAD = """
// launch: --block 32 --grid 1
.visible .entry pick() {
    .local .align 4 .b8 a[64];
    .reg .pred %p;
    .reg .b32 %r<4>;
    .reg .b64 %rd<4>;
    mov.u64 %rd1, a;
    mov.u32 %r1, %tid.x;
    mov.u32 %r3, 0;
AGAIN:
    add.u32 %r2, %r1, %r3;
    and.b32 %r2, %r2, 15;
    mul.wide.u32 %rd2, %r2, 4;
    add.s64 %rd3, %rd1, %rd2;
    st.local.u32 [%rd3], %r1;  // expect: local-memory-spill
    add.u32 %r3, %r3, 1;
    setp.lt.u32 %p, %r3, 8;
    @%p bra AGAIN;
    ret;
}
"""

GOOD = BAD.replace("[%rd3],", "[%rd1+8],")


ADVICE = "use a uniform index, or give each thread a column in shared memory"


def check(facts: Facts) -> Iterator[Claim]:
    for access in facts.accesses:
        if access.space == "local" and facts.divergence.inside[access.place.block]:
            yield from costly(RULE, facts, access, "a warp's local", ADVICE)
