"""Shared memory usage that limits occupancy to less than a quarter.

What it does
    Reports a kernel whose blocks use so much shared memory that less than a quarter of a
    multiprocessor's warps are resident, at the first access to the largest array.

Why it is bad
    A multiprocessor hides memory latency by running other warps. With few of them it is idle.

How to fix
    Smaller tiles, larger blocks that share a tile, or data in registers.

Known limitations
    The block must be declared. Dynamic shared memory counts if ``--shared`` declares it. Registers
    are unknown before ptxas, so occupancy may be lower still. A kernel with enough independent work
    in each thread does not need more.

References
    CUDA C++ Best Practices Guide, "Occupancy"; CUDA C++ Programming Guide, "Compute Capabilities".
"""

from __future__ import annotations

from collections.abc import Iterator

from ptxlint.claim import Claim
from ptxlint.facts.kernel_facts import Facts
from ptxlint.results.finding import Severity
from ptxlint.results.verdict import Property
from ptxlint.rule import Rule
from ptxlint.thresholds import RESIDENT

RULE = Rule(
    id="low-occupancy",
    severity=Severity.NOTE,
    tags=("occupancy",),
    summary="shared memory usage that limits occupancy to less than a quarter",
    property=Property.COSTS,
)

BAD = """
// launch: --block 32 --grid 1
.visible .entry wide() {
    .shared .align 4 .b8 tile[32768];
    .reg .b32 %r<4>;
    mov.u32 %r1, %tid.x;
    shl.b32 %r2, %r1, 2;
    mov.u32 %r3, tile;
    add.u32 %r2, %r3, %r2;
    st.shared.u32 [%r2], %r1;  // expect: low-occupancy
    ret;
}
"""

GOOD = BAD.replace("tile[32768]", "tile[128]")


def check(facts: Facts) -> Iterator[Claim]:
    found = facts.occupancy
    if found is None or "shared memory" not in found.limits or found.warps * RESIDENT >= found.most:
        return
    arrays = [a for a in facts.accesses if a.place.region and a.place.region.space == "shared"]
    largest = max((a.place.region.size or 0 for a in arrays if a.place.region), default=None)
    for access in arrays:
        region = access.place.region
        if region is not None and (region.size or 0) == largest:
            yield RULE.claim(
                access.instr,
                f"occupancy: {found.warps} of {found.most} warps, limited by"
                f" {facts.shared} bytes of shared memory a block",
                True,
                help="use smaller tiles, or more threads a tile",
            )
            return
