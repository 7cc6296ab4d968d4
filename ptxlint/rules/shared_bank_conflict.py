"""A bank conflict: lanes of a warp access different words of one shared-memory bank.

What it does
    Reports requests that need more wavefronts than their width does. Shared memory has 32 banks of
    4 bytes; in each wavefront a bank serves one word, to any number of lanes. Words of 8 and 16
    bytes go in 2 and 4 wavefronts, half as many in loads where lanes n and n^1, or n and n^2, have
    the same address.

Why it is bad
    Wavefronts are serialised: a 32-way conflict makes the access 32 times as long.

How to fix
    A padded row (``tile[32][33]``), a swizzled column (``tile[y][x ^ y]``), or an access along x.

Known limitations
    Loaded indices are undecided. Atomics are not reported. Lanes that diverge are assumed to
    reconverge at the post-dominator; if they do not, the cost is higher.

References
    CUDA C++ Programming Guide, "Shared Memory" of compute capability 5.x and later; the numbers are
    those that Nsight Compute calls memory_l1_wavefronts_shared. Its ideal counts the bytes of the
    active lanes, ours the wavefronts of the same lanes without a conflict.
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
    id="shared-bank-conflict",
    severity=Severity.WARNING,
    tags=("traffic",),
    summary="lanes of a warp access different words of one shared-memory bank",
    property=Property.COSTS,
)

BAD = """
// launch: --block 32 --grid 1
.visible .entry column() {
    .shared .align 4 .b8 tile[4096];
    .reg .b32 %r<5>;
    mov.u32 %r1, %tid.x;
    shl.b32 %r2, %r1, 7;
    mov.u32 %r3, tile;
    add.s32 %r4, %r3, %r2;
    st.shared.u32 [%r4], %r1;  // expect: shared-bank-conflict
    ret;
}
"""

GOOD = BAD.replace("shl.b32 %r2, %r1, 7;", "mul.lo.s32 %r2, %r1, 132;").replace(
    "tile[4096]", "tile[4224]"
)


ADVICE = "pad the row by one element, or access along x"


def check(facts: Facts) -> Iterator[Claim]:
    for access in facts.accesses:
        if access.space == "shared" and access.place.access.kind != "atomic":
            yield from costly(RULE, facts, access, "bank conflict: a warp's", ADVICE)
