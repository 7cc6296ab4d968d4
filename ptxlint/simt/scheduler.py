"""Whose turn it is, where threads do not simply keep step.

Instructions with ``.sync`` wait until all lanes that their mask names and that have not exited are
there: at the same instruction, or, for ``bar.warp.sync``, at any of them. With a seed threads are
scheduled independently of each other (CUDA C++ Programming Guide, "Independent Thread Scheduling"):
each turn takes a place in the code at random, and of those who wait there all, some warps, or some
lanes of any warp. So whatever a program gets right without asking for it, some seed gets wrong.
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
    """Takes lanes from ``pending``, which maps a segment to the lanes that are to run it."""

    def __init__(
        self,
        segments: tuple[Segment, ...],
        pending: dict[int, Array],
        barriers: Barriers,
        read: Callable[[Operand], BitVector],
        seed: int | None,
        place: Callable[[int], tuple[bool, int]],
    ) -> None:
        self.segments = segments
        self.pending = pending
        self.barriers = barriers
        self.read = read
        self.place = place
        self.random = None if seed is None else np.random.default_rng(seed)
        self.released = np.zeros(barriers.live.size, np.bool_)  # may leave their warp's barrier

    def pause(self) -> bool:
        """Whether to look for barriers that can open although other threads can run."""
        return self.random is not None and self.random.random() < 0.25

    def next(self) -> tuple[int, Array] | None:
        order = sorted(self.pending, key=self.place)
        if self.random is not None:
            self.random.shuffle(order)
        for number in order:
            gather = self.segments[number].gather
            lanes = self.pending[number] if gather is None else self._gathered(number, gather)
            if lanes.any():
                return number, self._take(number, self._some(lanes, gather is None))
        return None

    def stuck(self) -> tuple[int, Array, int, int] | None:
        """Lanes that wait for one that will never come: they may go on. A waiting lane and one
        that it waits for, too."""
        for number in sorted(self.pending):
            gather = self.segments[number].gather
            assert gather is not None
            lanes = self.pending[number]
            missing = self._missing(number, gather)
            first = int(np.argmax(lanes & (missing != 0)))
            other = first // WARP * WARP + int(missing[first]).bit_length() - 1
            return number, self._take(number, lanes), first, other
        return None

    def strangers(self, gather: PtxInstr, active: Array) -> Array:
        """The lanes whose mask does not name themselves."""
        own = np.tile(LANES, active.size // WARP)
        strangers: Array = active & ((self._members(gather) & own) == 0)
        return strangers

    def _take(self, number: int, lanes: Array) -> Array:
        rest = self.pending[number] & ~lanes
        if rest.any():
            self.pending[number] = rest
        else:
            del self.pending[number]
        self.released &= ~lanes
        return lanes

    def _some(self, lanes: Array, split: bool) -> Array:
        """The seed's choice: all, some warps or, where warps may be split, some lanes."""
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

    # --- waiting for lanes of the warp

    def _members(self, gather: PtxInstr) -> Array:
        operand = members_of(gather)
        members = np.uint32(0xFFFF_FFFF) if operand is None else self.read(operand).bits
        return np.broadcast_to(members, self.released.shape)

    def _missing(self, number: int, gather: PtxInstr) -> Array:
        """For each lane the lanes that it still waits for, as a mask."""
        here = self._here(number, gather)
        absent = _masks(self.barriers.live & ~self.barriers.exited & ~here)
        missing: Array = self._members(gather) & np.repeat(absent, WARP)
        return missing

    def _here(self, number: int, gather: PtxInstr) -> Array:
        if not is_warp_barrier(gather):
            return self.pending[number]
        here = np.zeros_like(self.released)
        for other, lanes in self.pending.items():
            instr = self.segments[other].gather
            if instr is not None and is_warp_barrier(instr):
                here |= lanes
        return here

    def _gathered(self, number: int, gather: PtxInstr) -> Array:
        """The lanes that have all others with them. They leave a warp's barrier together."""
        ready: Array = self.pending[number] & (self._missing(number, gather) == 0)
        if is_warp_barrier(gather):
            named = np.where(ready, self._members(gather), 0).reshape(-1, WARP)
            wanted = np.repeat(np.bitwise_or.reduce(named, axis=1), WARP)
            own = np.tile(LANES, ready.size // WARP)
            self.released |= self._here(number, gather) & ((wanted & own) != 0)
            ready = self.pending[number] & (ready | self.released)
        return ready


def _masks(lanes: Array) -> Array:
    """A mask of 32 bits for each warp."""
    masks: Array = np.where(lanes.reshape(-1, WARP), LANES, 0).sum(axis=1, dtype=np.uint32)
    return masks


def with_warps(lanes: Array) -> Mapping[int, Array]:
    """The lanes by the warp they belong to."""
    numbers = np.flatnonzero(lanes)
    return {int(w): numbers[numbers // WARP == w] for w in np.unique(numbers // WARP)}
