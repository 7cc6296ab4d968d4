"""Intra-thread dependence: the order of the accesses that one thread makes to a byte."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import product

from analyses.addresses import ResolvedAccess
from analyses.footprints import Footprints
from analyses.polynomials.polynomial import Symbol
from analyses.races.injectivity import Injective


def reads_after_write(
    footprints: Footprints,
    found: Injective,
    writes: Sequence[ResolvedAccess],
    reads: Sequence[ResolvedAccess],
) -> bool:
    """True if a thread may read a byte after it wrote it, with equal digits."""
    blocks = footprints.values.function.blocks
    at = {
        instr: number
        for index in {place.block for place in (*writes, *reads)}
        for number, instr in enumerate(blocks[index].instrs)
    }
    paths: dict[tuple[int, int], bool] = {}
    for write, read in product(writes, reads):
        first, other = found.constants[write.instr], found.constants[read.instr]
        if first >= other + read.access.bytes or other >= first + write.access.bytes:
            continue
        if write.block == read.block and at[write.instr] < at[read.instr]:
            return True
        path = write.block, read.block
        if path not in paths:
            paths[path] = leads(footprints, *path, found.digits)
        if paths[path]:
            return True
    return False


def leads(footprints: Footprints, one: int, other: int, digits: Collection[Symbol]) -> bool:
    """True if a thread may get from the end of a block to another block with equal digits.

    A path through the back edge of a loop around both blocks changes the number of the iteration,
    and only an outer loop could reset it. A path through a loop around neither block needs no back
    edge. So back edges are left out if the digits count all loops around both blocks. Irreducible
    loops keep theirs."""
    values, counters = footprints.values, footprints.symbolic.counters
    around = [head for head, loop in values.loops.items() if one in loop.nodes]
    beside = [head for head, loop in values.loops.items() if other in loop.nodes]
    counted = around == beside and all(counters.get(head) in digits for head in around)
    loops = [loop for loop in values.loops.values() if counted and loop.natural]
    back = {(latch, loop.head) for loop in loops for latch in loop.latches}
    blocks = values.function.blocks
    seen, open_ = set[int](), [one]
    while open_:
        block = open_.pop()
        ahead = {t for t in blocks[block].terminator.targets if (block, t) not in back} - seen
        seen |= ahead
        open_ += ahead
    return other in seen
