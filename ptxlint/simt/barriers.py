"""Barriers of the SIMT machine: the waiting threads, and when they are released.

Threads wait at a numbered barrier of their CTA (PTX ISA 9.4, ``bar`` and ``barrier``). Without a
thread count it opens when every thread that has not exited waits at it; with a count, when that
many threads, in whole warps, wait or have arrived. It is tried only when no thread can run, so a
thread that has not arrived by then never will.

Since sm_70 threads that have exited do not count: an early return before a barrier is legal
("reached by all non-exited threads in the block", CUDA C++ Programming Guide, "Independent Thread
Scheduling"). Reported as divergent are: a block whose threads wait at different instructions, one
in which no barrier opens, and an ``.aligned`` barrier skipped by threads that were still running
when others began to wait, even if they have exited since. After a report the threads are released.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from analyses.concrete.bitvectors import Array
from analyses.hardware import WARP


@dataclass(frozen=True, slots=True)
class DivergentBarrier:
    """A divergent barrier: ``lane`` waits at the barrier of ``segment``, and ``other`` does not."""

    segment: int
    lane: int
    other: int


class Barriers:
    """The waiting lanes of one batch. A segment ends in a barrier."""

    def __init__(self, live: Array, cta: Array, in_step: bool = True) -> None:
        self.live = live
        self.cta = cta
        self.in_step = in_step  # lockstep: the order of arrival is meaningful
        self.waiting = np.zeros(live.size, np.bool_)
        self.exited = np.zeros(live.size, np.bool_)
        self.aborted = np.zeros(live.size, np.bool_)  # stopped by a fault
        self._segment = np.zeros(live.size, np.int64)
        self._number = np.zeros(live.size, np.int64)
        self._count = np.zeros(live.size, np.int64)  # 0: every thread
        self._aligned = np.zeros(live.size, np.bool_)
        self._expected = np.zeros(live.size, np.bool_)  # running when its CTA began to wait
        self._arrived: dict[tuple[int, int], int] = {}

    def wait(
        self, active: Array, segment: int, number: Array, count: Array | int, aligned: bool
    ) -> None:
        began = np.bincount(self.cta, active) > 0
        if self.waiting.any():
            began &= np.bincount(self.cta, self.waiting) == 0
        np.copyto(self._expected, self.live & ~self.exited, where=began[self.cta])
        self.waiting |= active
        for column, value in (
            (self._segment, segment),
            (self._number, number),
            (self._count, count),
            (self._aligned, aligned),
        ):
            np.copyto(column, value, where=active, casting="unsafe")

    def arrive(self, active: Array, number: Array) -> None:
        """Threads arrive at a barrier without waiting, in whole warps."""
        numbers = np.broadcast_to(number, active.shape)
        for first in np.flatnonzero(active.reshape(-1, WARP).any(axis=1)) * WARP:
            lane = first + int(np.argmax(active[first : first + WARP]))
            key = (int(self.cta[lane]), int(numbers[lane]))
            self._arrived[key] = self._arrived.get(key, 0) + WARP

    def open(self, others_run: bool = False) -> tuple[dict[int, Array], list[DivergentBarrier]]:
        """The released lanes, by the segment that they waited in, and the divergent barriers. If
        other threads can still run, an incomplete barrier stays closed."""
        if not self.waiting.any():
            return {}, []
        if not self.in_step:
            self._expected = self.live & ~self.exited
        released = self.waiting.copy()
        problems: list[DivergentBarrier] = []
        if not self._all_in_order():
            for cta in np.unique(self.cta[self.waiting]):
                released[self.cta == cta] = False
                problems += self._open_in(int(cta), released, others_run)
        self.waiting &= ~released
        segments = np.unique(self._segment[released])
        return {int(s): released & (self._segment == s) for s in segments}, problems

    def _all_in_order(self) -> bool:
        """True in the usual case: in every CTA either all running lanes wait at one barrier, or
        none does."""
        lanes = np.flatnonzero(self.waiting)
        if self._arrived or self._count[lanes].any():
            return False
        for column in (self._segment, self._number):
            if (column[lanes] != column[lanes[0]]).any():
                return False
        busy = np.bincount(self.cta, self.waiting) > 0
        return not (busy[self.cta] & self._expected & ~self.waiting).any()

    def _open_in(self, cta: int, released: Array, others_run: bool) -> list[DivergentBarrier]:
        inside = (self.cta == cta) & self.live
        problems: list[DivergentBarrier] = []
        opened = False
        for number in np.unique(self._number[inside & self.waiting]):
            here = inside & self.waiting & (self._number == number)
            partial = (
                others_run and self._count[here].any() and _partial(here, inside & ~self.exited)
            )
            if not partial and self._complete(cta, int(number), here, inside):
                opened = True
                released |= here
                self._arrived.pop((cta, int(number)), None)
                problems += self._divergence_at(here, inside)
        if not opened and not others_run:  # deadlock
            stuck = inside & self.waiting
            released |= stuck
            problems += self._divergent(stuck, inside)
        return problems

    def _complete(self, cta: int, number: int, here: Array, inside: Array) -> bool:
        expected = inside & ~self.exited
        count = int(self._count[here].max())
        arrived = self._arrived.get((cta, number), 0)
        if not count and not arrived:
            return not (expected & ~here).any()
        return WARP * _warps(here) + arrived >= (count or WARP * _warps(expected))

    def _divergence_at(self, here: Array, inside: Array) -> list[DivergentBarrier]:
        """The divergence of a barrier that opens: aligned, and not reached by all threads
        together."""
        if not (here & self._aligned).any():
            return []
        if not self._count[here].any() and not self.aborted[inside].any():
            if (inside & self.exited & self._expected).any():
                return self._divergent(here, inside & self.exited)
            return self._divergent(here, inside) if self._split(here) else []
        problems = []
        for warp in _warp_masks(here):
            partial = inside & warp & ~self.exited & ~here
            if partial.any() or self._split(here & warp):
                problems += self._divergent(here & warp, inside & warp)
        return problems

    def _split(self, lanes: Array) -> bool:
        segments = self._segment[lanes]
        return bool((segments != segments[0]).any())

    def _divergent(self, lanes: Array, inside: Array) -> list[DivergentBarrier]:
        """One report a segment, each with a thread of ``inside`` that is elsewhere."""
        problems = []
        for segment in np.unique(self._segment[lanes]):
            here = lanes & (self._segment == segment)
            others = np.flatnonzero(inside & ~here & self._expected)
            lane = int(np.argmax(here))
            problems.append(
                DivergentBarrier(int(segment), lane, int(others[0]) if others.size else lane)
            )
        return problems


def _warps(lanes: Array) -> int:
    return int(lanes.reshape(-1, WARP).any(axis=1).sum())


def _partial(some: Array, of: Array) -> bool:
    """True if some lanes of a warp are among ``some`` and others are not."""
    warps = np.repeat(some.reshape(-1, WARP).any(axis=1), WARP)
    return bool((warps & of & ~some).any())


def _warp_masks(lanes: Array) -> list[Array]:
    """The mask of each warp with one of the lanes."""
    warp = np.arange(lanes.size) // WARP
    return [warp == number for number in np.unique(warp[lanes])]
