"""The scheduler: which lanes run next, unless threads simply run in lockstep.

Instructions with ``.sync`` wait until all lanes in their member mask that have not exited have
arrived: at the same instruction, or, for ``bar.warp.sync``, at any of them. With a seed, threads
are scheduled independently of each other (CUDA C++ Programming Guide, "Independent Thread
Scheduling"): each step takes a segment at random, and of the lanes waiting there all, some warps,
or some lanes of any warp. A program that relies on lockstep fails for some seed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from analyses.concrete.bitvectors import Array
from analyses.concrete.machine import BitVector
from analyses.hardware import WARP
from analyses.program import Operand
from ptxlint.ir import PtxInstr
from ptxlint.simt.barriers import Barriers
from ptxlint.simt.code import Segment, is_warp_barrier, members_of

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
    ) -> None:
        self.segments = segments
        self.pending = pending
        self.barriers = barriers
        self.read = read
        self.priority = priority
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
        here = self._waiting_at(number, gather)
        absent = _masks(self.barriers.live & ~self.barriers.exited & ~here)
        missing: Array = self._members(gather) & np.repeat(absent, WARP)
        return missing

    def _waiting_at(self, number: int, gather: PtxInstr) -> Array:
        if not is_warp_barrier(gather):
            return self.pending[number]
        here = np.zeros_like(self.released)
        for other, lanes in self.pending.items():
            instr = self.segments[other].gather
            if instr is not None and is_warp_barrier(instr):
                here |= lanes
        return here

    def _complete(self, number: int, gather: PtxInstr) -> Array:
        """The lanes whose members have all arrived. They leave a warp barrier together."""
        ready: Array = self.pending[number] & (self._missing(number, gather) == 0)
        if is_warp_barrier(gather):
            named = np.where(ready, self._members(gather), 0).reshape(-1, WARP)
            wanted = np.repeat(np.bitwise_or.reduce(named, axis=1), WARP)
            own = np.tile(LANES, ready.size // WARP)
            self.released |= self._waiting_at(number, gather) & ((wanted & own) != 0)
            ready = self.pending[number] & (ready | self.released)
        return ready


def _masks(lanes: Array) -> Array:
    """A mask of 32 bits for each warp."""
    masks: Array = np.where(lanes.reshape(-1, WARP), LANES, 0).sum(axis=1, dtype=np.uint32)
    return masks


def with_warps(lanes: Array) -> Mapping[int, Array]:
    """The lanes by warp."""
    numbers = np.flatnonzero(lanes)
    return {int(w): numbers[numbers // WARP == w] for w in np.unique(numbers // WARP)}
