"""An array of a thread in local memory whose elements the lanes of a warp pick differently.

What it does
    Counts the 32-byte sectors of an access to local memory, which is interleaved: the same word of
    all threads of a warp is one line. Reports accesses in loops that need two sectors more than
    the ideal.

Why it is bad
    What does not fit into registers, or is indexed by a variable, lives in device memory. As long
    as all lanes use the same element the cache serves them together; lanes at different elements
    take a sector each.

Use instead
    An index that the compiler can unroll, so that the array becomes registers; or shared memory
    with a column for each thread.

Limits
    Registers that ptxas spills later are not in PTX. Outside of loops an access is not worth it.

References
    CUDA C++ Programming Guide, "Device Memory Accesses", Local Memory.
"""

from __future__ import annotations

from collections.abc import Iterator

from ptxlint.claim import Claim
from ptxlint.facts import Facts
from ptxlint.finding import Severity
from ptxlint.rule import Rule
from ptxlint.rules._traffic import costly

RULE = Rule(
    id="local-memory-spill",
    severity=Severity.WARNING,
    tags=("traffic",),
    summary="lanes of a warp pick different elements of their local arrays",
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


ADVICE = "index the array by what all lanes share, or give each thread a column in shared memory"


def check(facts: Facts) -> Iterator[Claim]:
    for access in facts.accesses:
        if access.space == "local" and facts.divergence.inside[access.place.block]:
            yield from costly(RULE, facts, access, "a warp's local", ADVICE)
