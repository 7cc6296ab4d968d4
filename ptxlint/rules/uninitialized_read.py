"""A read of uninitialised shared or local memory.

What it does
    Reports loads from shared or local memory of bytes that no store of the kernel writes or, in
    local memory, that no store can have written before.

Why it is bad
    The memory holds data of an earlier block or kernel: the result differs from run to run and
    from device to device, and is often right in a test.

How to fix
    Write the elements that are read, by the same threads or before a barrier.

Known limitations
    Written bytes are known as ranges: an array written with gaps counts as written. A store to an
    unknown address counts for every array, as does an instruction that is not modelled, such as a
    tensor copy, or a call of an external function.

References
    PTX ISA, "Shared State Space", "Local State Space".
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from analyses.graph import reverse_postorder
from analyses.offset_index import ANY, Bytes, OffsetIndex, touched
from analyses.program import Region, opaque_writes, positions
from ptxlint.claim import Claim, Faulting
from ptxlint.facts.kernel_facts import AccessFacts, Facts
from ptxlint.facts.wording import described, region_name
from ptxlint.results.finding import Severity
from ptxlint.results.verdict import Property
from ptxlint.rule import Rule

RULE = Rule(
    id="uninitialized-read",
    severity=Severity.WARNING,
    tags=("memory",),
    summary="a read of uninitialised shared or local memory",
    property=Property.INITIALISATION,
)

BAD = """
// launch: --block 32 --grid 1
.visible .entry halves(.param .u64 out) {
    .shared .align 4 .b8 pairs[256];
    .reg .b32 %r<6>;
    .reg .b64 %rd<5>;
    mov.u32 %r1, %tid.x;
    shl.b32 %r2, %r1, 2;
    mov.u32 %r3, pairs;
    add.u32 %r4, %r3, %r2;
    st.shared.u32 [%r4], %r1;
    bar.sync 0;
    ld.shared.u32 %r5, [%r4+128];  // expect: uninitialized-read
    ld.param.u64 %rd1, [out];
    cvta.to.global.u64 %rd2, %rd1;
    mul.wide.u32 %rd3, %r1, 4;
    add.s64 %rd4, %rd2, %rd3;
    st.global.u32 [%rd4], %r5;
    ret;
}
"""

GOOD = BAD.replace("bar.sync", "st.shared.u32 [%r4+128], %r1;\n    bar.sync")

FRESH = ("shared", "local")


def check(facts: Facts) -> Iterator[Claim]:
    stores = [a for a in facts.accesses if a.place.access.kind != "load" and a.place.reached]
    by_region = defaultdict[Region | None, OffsetIndex[AccessFacts]](OffsetIndex)
    for store in stores:
        by_region[store.place.region].add(touches(store), store)
    anywhere = {s.place.access.space for s in stores if s.place.region is None}
    fresh = [
        space
        for space in FRESH
        if anywhere.isdisjoint((space, "generic")) and not opaque_writes(facts.kernel, space)
    ]
    paths = Paths(facts)
    decided = facts.launch.decided(facts.kernel)
    for access in facts.accesses:
        place, region = access.place, access.place.region
        if place.access.kind != "load" or region is None or not place.reached:
            continue
        if region.space not in fresh:
            continue
        if region in facts.pointers.values():  # the caller says which memory it is
            continue
        stored = by_region[region]
        never = not any(paths.lead(store, access) for store in stored.at(touches(access)))
        if not never and not decided:
            continue
        if not never and covered([s for s in stored.at(ANY) if paths.lead(s, access)], access):
            continue
        always = never and facts.unconditional(place.block, place.access.mask)
        yield RULE.claim(
            access.instr,
            f"uninitialised read of `{region_name(region)}`",
            always,
            access=described(access),
            harm=Faulting(("uninitialized-read",), frozenset({"init"})),
            help="write the elements that are read, before the barrier that precedes the read",
            unless="every thread may read written bytes",
        )


class Paths:
    """The paths of a kernel, from stores to the loads that may read what they wrote."""

    def __init__(self, facts: Facts) -> None:
        self.graph = facts.flow.graph
        self.position = positions(facts.kernel.blocks)
        self.after: dict[int, frozenset[int]] = {}  # the blocks behind the end of a block

    def lead(self, store: AccessFacts, load: AccessFacts) -> bool:
        """True if a store to the region of a load may be executed before it; in local memory, by a
        path from one to the other."""
        if load.place.space == "shared":
            return True
        (first, earlier), (last, later) = self.position[store.instr], self.position[load.instr]
        if first == last and earlier < later:
            return True
        if first not in self.after:
            found = (reverse_postorder(self.graph, block) for block in self.graph[first])
            self.after[first] = frozenset().union(*found)
        return last in self.after[first]


def touches(access: AccessFacts) -> Bytes:
    place = access.place
    return touched(place.low, place.high, place.access.bytes)


def covered(stores: list[AccessFacts], load: AccessFacts) -> bool:
    """True if the load is between the first and the last byte that is stored."""
    place = load.place
    lows = [store.place.low for store in stores]
    ends = [s.place.high + s.place.access.bytes for s in stores if s.place.high is not None]
    if place.low is None or place.high is None or None in lows or len(ends) < len(lows):
        return True
    first = min(low for low in lows if low is not None)
    return first <= place.low and place.high + place.access.bytes <= max(ends)
