"""The scheduler: which lanes run next, unless threads simply run in lockstep.

Instructions with ``.sync`` wait until all lanes in their member mask that have not exited have
arrived: at the same instruction, or, for ``bar.warp.sync``, at any of them with the same mask. With
a seed, threads are scheduled independently of each other (CUDA C++ Programming Guide, "Independent
Thread Scheduling"): each step takes a segment at random, and of the lanes waiting there all, some
warps, or some lanes of any warp. A program that relies on lockstep fails for some seed.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from analyses.concrete.bitvectors import Array
from analyses.concrete.machine import BitVector
from analyses.hardware import WARP
from analyses.program import Operand
from ptxlint.ir import PtxInstr, is_warp_barrier, members_of
from ptxlint.simt.barriers import Barriers
from ptxlint.simt.code import Segment

LANES = np.uint32(1) << np.arange(WARP, dtype=np.uint32)


class Scheduler:
    """The schedule of one batch. Takes lanes from ``pending``, which maps a segment to its runnable
    lanes."""

    def __init__(
        self,
        segments: tuple[Segment, ...],
        pending: dict[int, Array],
        barriers: Barriers,
        read: Callable[[Operand], BitVector],
        seed: int | None,
        priority: Callable[[int], tuple[bool, int]],
        leave: Callable[[Array, Array], None] | None,
    ) -> None:
        self.segments = segments
        self.pending = pending
        self.barriers = barriers
        self.read = read
        self.priority = priority
        self.leave = leave  # called with warps, and the lanes of each that leave a barrier of it
        self.random = None if seed is None else np.random.default_rng(seed)
        self.released = np.zeros(barriers.live.size, np.bool_)  # may leave their warp's barrier

    def pause(self) -> bool:
        """True if barriers are to be tried although other threads can run."""
        return self.random is not None and self.random.random() < 0.25

    def next(self) -> tuple[int, Array] | None:
        order = sorted(self.pending, key=self.priority)
        if self.random is not None:
            self.random.shuffle(order)
        for number in order:
            gather = self.segments[number].gather
            lanes = self.pending[number] if gather is None else self._complete(number, gather)
            if lanes.any():
                return number, self._take(number, self._chosen_lanes(lanes, gather is None))
        return None

    def deadlocked(self) -> tuple[int, Array, int, int] | None:
        """Lanes that wait for a lane that never arrives: they are resumed. Also a waiting lane and
        a lane that it waits for."""
        for number in sorted(self.pending):
            gather = self.segments[number].gather
            assert gather is not None
            lanes = self.pending[number]
            missing = self._missing(number, gather)
            first = int(np.argmax(lanes & (missing != 0)))
            other = first // WARP * WARP + int(missing[first]).bit_length() - 1
            return number, self._take(number, lanes), first, other
        return None

    def lanes_outside_mask(self, gather: PtxInstr, active: Array) -> Array:
        """The active lanes that are not in their own member mask."""
        own = np.tile(LANES, active.size // WARP)
        lanes_outside_mask: Array = active & ((self._members(gather) & own) == 0)
        return lanes_outside_mask

    def _take(self, number: int, lanes: Array) -> Array:
        rest = self.pending[number] & ~lanes
        if rest.any():
            self.pending[number] = rest
        else:
            del self.pending[number]
        self.released &= ~lanes
        return lanes

    def _chosen_lanes(self, lanes: Array, split: bool) -> Array:
        """The random choice: all, some warps or, if warps may be split, some lanes."""
        if self.random is None:
            return lanes
        match int(self.random.integers(3)):
            case 0:
                return lanes
            case 1 if split:
                chosen = lanes & (self.random.random(lanes.size) < 0.5)
            case _:
                warps = self.random.random(lanes.size // WARP) < 0.5
                chosen = lanes & np.repeat(warps, WARP)
        return chosen if chosen.any() else lanes

    # --- warp synchronisation

    def _members(self, gather: PtxInstr) -> Array:
        operand = members_of(gather)
        members = np.uint32(0xFFFF_FFFF) if operand is None else self.read(operand).bits
        return np.broadcast_to(members, self.released.shape)

    def _missing(self, number: int, gather: PtxInstr) -> Array:
        """For each lane, the lanes that it still waits for, as a mask."""
        members = self._members(gather)
        expected = self.barriers.live & ~self.barriers.exited
        if not is_warp_barrier(gather):
            absent = np.repeat(_masks(expected & ~self.pending[number]), WARP)
            missing: Array = members & absent
            return missing
        waited = self._masks_waited_with()
        missing = np.zeros_like(members)
        for mask in np.unique(members[self.pending[number]]):
            absent = np.repeat(_masks(expected & (waited != mask)), WARP)
            np.copyto(missing, mask & absent, where=members == mask)
        return missing

    def _masks_waited_with(self) -> Array:
        """The member mask with which each lane waits at a barrier of its warp; 0 for the others."""
        waited = np.zeros(self.released.size, np.uint32)
        for number, lanes in self.pending.items():
            instr = self.segments[number].gather
            if instr is not None and is_warp_barrier(instr):
                np.copyto(waited, self._members(instr), where=lanes & ~self.released)
        return waited

    def _complete(self, number: int, gather: PtxInstr) -> Array:
        """The lanes whose members have all arrived. They leave a warp barrier together."""
        lanes = self.pending[number]
        if not is_warp_barrier(gather):
            ready: Array = lanes & (self._missing(number, gather) == 0)
            return ready
        ready = lanes & ~self.released & (self._missing(number, gather) == 0)
        if ready.any():
            waited, members = self._masks_waited_with(), self._members(gather)
            by_warp = self.released.reshape(-1, WARP)
            for mask in np.unique(members[ready]):
                leaving = (ready & (members == mask)).reshape(-1, WARP).any(axis=1)
                warps = np.flatnonzero(leaving)
                together = (waited == mask).reshape(-1, WARP)[warps]
                if self.leave is not None:
                    self.leave(warps, together)
                by_warp[warps] |= together
        left: Array = lanes & self.released
        return left


def _masks(lanes: Array) -> Array:
    """A mask of 32 bits for each warp."""
    masks: Array = np.where(lanes.reshape(-1, WARP), LANES, 0).sum(axis=1, dtype=np.uint32)
    return masks
