"""Rows of a thread, filled as far as data say: ``rows[t * capacity + count]``.

A thread that keeps what it finds in loaded words counts it. How much it finds is for the data to
say, and the caller knows that a row has room for it. Contents that a replay makes up do not: in
them a thread finds more, and writes into the row of the next one.

So a race is the data's if a branch on loaded words decides a count, and the two threads meet only
where their counts have advanced: the places to which they went first, before any count, share no
byte. Threads that go to one place first race whatever they find. A race that is taken for the
data's in error is left undecided.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np

from analyses.concrete.bitvectors import Array
from analyses.def_use import operands_of, users_of
from analyses.graph import postdominators
from analyses.program import Operand, Value
from analyses.races.updates import between
from analyses.slices import close, forward_slice
from ptxlint.contracts.declaration import Triple
from ptxlint.ir import Kernel, PtxInstr
from ptxlint.simt import Fault, Layout, Machine


def counted(kernel: Kernel, loaded: Collection[Value]) -> frozenset[PtxInstr]:
    """The accesses whose address depends on a count that advances where loaded words say."""
    users = users_of(kernel)
    known: set[Operand] = forward_slice(users, loaded)
    joins = postdominators([block.terminator.targets for block in kernel.blocks])
    operands, counts = operands_of(kernel), set[Value]()
    for block in kernel.blocks:
        join = joins[block.index]
        if block.terminator.condition not in known or join == len(kernel.blocks):
            continue
        ways = {block.index, *between(kernel, block.index, join)}
        for phi in kernel.blocks[join].phis:
            sources = [source for before, source in phi.sources.items() if before in ways]
            depends = set[Value]()
            close(depends, [*sources], operands)
            if len(set(sources)) > 1 and phi.target in depends:
                counts.add(phi.target)
    known = forward_slice(users, counts)
    return frozenset(
        i for i in kernel.instructions if i.access is not None and i.access.base in known
    )


class RowStarts:
    """The places to which each thread of a run went first by ``counted`` accesses, in each
    buffer."""

    def __init__(self, accesses: frozenset[PtxInstr]) -> None:
        self.counted = accesses
        self.batches: list[tuple[Layout, dict[str, tuple[Array, Array]]]] = []

    def begin(self, machine: Machine) -> None:
        self.pieces = machine.memory.buffers
        if self.counted:
            self.batches.append((machine.layout, {}))

    def accessed(self, instr: PtxInstr, addresses: Array, active: Array) -> None:
        if instr not in self.counted or not active.any():
            return
        layout, starts = self.batches[-1]
        every = np.broadcast_to(addresses, layout.live.shape)
        address = int(every[int(np.argmax(active))])
        for piece in self.pieces:
            if piece.distance(address):
                continue
            none = np.zeros(layout.live.shape, np.uint64)
            seen, first = starts.setdefault(piece.name, (none.astype(bool), none))
            new = active & ~seen
            first[new] = every[new] - np.uint64(piece.base)
            seen |= new

    def beyond(self, fault: Fault) -> bool:
        """True if two threads race only as their counts have advanced."""
        place, size, other, block = fault.distance, fault.bytes, fault.other, fault.other_ctaid
        if fault.region is None or place is None or size is None or other is None or block is None:
            return False
        first: int | None = place
        second: int | None = place
        if fault.instr in self.counted:
            first = self.start(fault.region, fault.ctaid, fault.tid)
        if fault.other_instr in self.counted:
            second = self.start(fault.region, block, other)
        return first is not None and second is not None and abs(first - second) >= size

    def start(self, buffer: str, ctaid: Triple, tid: Triple) -> int | None:
        """The place in a buffer to which the thread went first."""
        for layout, starts in self.batches:
            if buffer in starts and (lanes := lane_of(layout, ctaid, tid)):
                seen, first = starts[buffer]
                return int(first[lanes[0]]) if seen[lanes[0]] else None
        return None


def lane_of(layout: Layout, ctaid: Triple, tid: Triple) -> Sequence[int]:
    """The lane of a thread, if it is in the batch."""
    same = layout.live.copy()
    for axes, place in ((layout.ctaid, ctaid), (layout.tid, tid)):
        for axis, number in zip(axes, place, strict=True):
            same &= axis == number
    return [int(lane) for lane in np.flatnonzero(same)]
