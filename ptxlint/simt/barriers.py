"""Barriers of the SIMT machine: the waiting threads, and when they are released.

Threads wait at a numbered barrier of their CTA (PTX ISA 9.4, ``bar`` and ``barrier``). A warp
arrives as a whole: every thread waits for the threads of its warp that have not exited, at
whichever instruction they come to this barrier. ``arrive`` waits for nothing else. ``sync`` and
``red`` wait until the barrier opens: without a thread count, when every thread of the CTA that has
not exited waits; with a count, when that many threads, in whole warps, wait or have arrived. That
is tried only when no thread can run, so a thread that has not come by then never will.

Since sm_70 threads that have exited do not count: an early return before a barrier is legal
("reached by all non-exited threads in the block", CUDA C++ Programming Guide, "Independent Thread
Scheduling"). Warps may wait at different instructions. Reported as divergent are: an ``.aligned``
instruction that splits a warp, a block in which no barrier opens, and an ``.aligned`` barrier
skipped by threads that were still running when others began to wait, even if they have exited
since. After a report the threads are released.

Reported as misused are: a warp that comes again to a barrier at which it has arrived and which has
not opened since, and warps at one barrier with different thread counts.
"""

from __future__ import annotations

import numpy as np
from msgspec import Struct

from analyses.concrete.bitvectors import Array
from analyses.hardware import BARRIERS, WARP


class Arrival(Struct, frozen=True, eq=False):
    """Lanes that come to barriers of these numbers, with these counts in whole warps (0: every
    thread); ``arrives`` if they wait for their warps only. ``wrong`` lanes have operands that no
    barrier has: ``refused`` ones pass, for others the count is rounded up."""

    lanes: Array
    numbers: Array
    counts: Array
    arrives: bool
    wrong: Array
    refused: Array

    @staticmethod
    def of(active: Array, numbers: Array, counts: Array | int, arrives: bool) -> Arrival:
        numbers = np.broadcast_to(numbers, active.shape)
        given = np.broadcast_to(np.asarray(counts, np.int64), active.shape)
        refused = active & ((numbers >= BARRIERS) | (arrives & (given == 0)))
        wrong = refused | (active & (given % WARP != 0))
        whole = -(-given // WARP) * WARP
        return Arrival(active & ~refused, numbers, whole, arrives, wrong, refused)


class BarrierFault(Struct, frozen=True):
    """A divergent or misused barrier: ``lane`` waits at the barrier of ``segment``; ``other`` is a
    lane that does not, or one that gives another count."""

    kind: str
    segment: int
    lane: int
    other: int
    detail: str = ""


class Crossing(Struct, frozen=True, eq=False):
    """Lanes that go on after the barrier of this number in their CTA: they have arrived, or waited
    until it opened."""

    number: int
    lanes: Array
    arrived: bool


class Opening(Struct, frozen=True, eq=False):
    """The lanes that go on, by the segment in which they waited and by barrier, and the faults."""

    segments: dict[int, Array] = {}
    crossings: list[Crossing] = []
    faults: list[BarrierFault] = []


class Arrived(Struct, eq=False):
    """The lanes that have arrived at a barrier which has not opened since, and their count."""

    lanes: Array
    count: int


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
        self._arrives = np.zeros(live.size, np.bool_)  # waits for its warp only
        self._expected = np.zeros(live.size, np.bool_)  # running when its CTA began to wait
        self._arrived: dict[tuple[int, int], Arrived] = {}

    def wait(self, arrival: Arrival, segment: int, aligned: bool) -> None:
        lanes = arrival.lanes
        if not arrival.arrives:
            began = np.bincount(self.cta, lanes) > 0
            if self.waiting.any():
                began &= np.bincount(self.cta, self.waiting & ~self._arrives) == 0
            np.copyto(self._expected, self.live & ~self.exited, where=began[self.cta])
        self.waiting |= lanes
        for column, value in (
            (self._segment, segment),
            (self._number, arrival.numbers),
            (self._count, arrival.counts),
            (self._aligned, aligned),
            (self._arrives, arrival.arrives),
        ):
            np.copyto(column, value, where=lanes, casting="unsafe")

    def open(self, others_run: bool = False) -> Opening:
        """Releases lanes. If other threads can still run, an incomplete barrier stays closed."""
        opening = Opening()
        if not self.waiting.any():
            return opening
        if not self.in_step:
            self._expected = self.live & ~self.exited
        orderly = self._in_order()
        rest = self.waiting & ~orderly
        for number in _distinct(self._number[orderly]):
            there = orderly & (self._number == number)
            opening.crossings.append(Crossing(number, there, False))
        for cta in np.unique(self.cta[rest]).tolist() if rest.any() else ():
            self._open_in(cta, others_run, opening)
        for crossing in opening.crossings:
            self.waiting &= ~crossing.lanes
            for segment in _distinct(self._segment[crossing.lanes]):
                lanes = crossing.lanes & (self._segment == segment)
                known = opening.segments.get(segment)
                opening.segments[segment] = lanes if known is None else known | lanes
        return opening

    def _in_order(self) -> Array:
        """The waiting lanes of the CTAs in which the usual case holds: all running lanes wait at
        one barrier."""
        lanes = np.flatnonzero(self.waiting)
        cta = self.cta[lanes]  # in ascending order
        starts = np.flatnonzero(np.diff(cta, prepend=-1))
        first = np.repeat(lanes[starts], np.diff(starts, append=lanes.size))
        odd = (self._count[lanes] != 0) | self._arrives[lanes]
        for column in (self._segment, self._number):
            odd |= column[lanes] != column[first]
        out_of_order = np.zeros(int(self.cta[-1]) + 1, np.bool_)
        out_of_order[cta[odd]] = True
        out_of_order[self.cta[self._expected & ~self.waiting]] = True
        out_of_order[[cta for cta, _ in self._arrived]] = True
        return self.waiting & ~out_of_order[self.cta]

    def _open_in(self, cta: int, others_run: bool, opening: Opening) -> None:
        inside = (self.cta == cta) & self.live
        opened = False
        for number in np.unique(self._number[inside & self.waiting]).tolist():
            here = inside & self.waiting & (self._number == number)
            arrived = self._arrived.setdefault((cta, number), Arrived(np.zeros_like(here), 0))
            whole = here & ~_with_warps(inside & ~self.exited & ~here & ~arrived.lanes)
            arriving, waiting = whole & self._arrives, whole & ~self._arrives
            if arriving.any():
                opened = True
                opening.faults.extend(self._misuse(arriving, arrived))
                arrived.lanes |= arriving
                arrived.count = max(arrived.count, int(self._count[arriving].max()))
                opening.crossings.append(Crossing(number, arriving, True))
                opening.faults.extend(self._split_warps(arriving, inside))
            if waiting.any() and self._complete(here & ~arriving, waiting, arrived, inside):
                opened = True
                opening.faults.extend(self._misuse(waiting, arrived))
                arrived.lanes[:] = False
                opening.crossings.append(Crossing(number, waiting, False))
                opening.faults.extend(self._divergence_at(waiting, inside))
            if not arrived.lanes.any():
                del self._arrived[cta, number]
        if not opened and not others_run:  # deadlock
            stuck = inside & self.waiting
            for number in np.unique(self._number[stuck]).tolist():
                there = stuck & (self._number == number)
                opening.crossings.append(Crossing(number, there, False))
                before = self._arrived.pop((cta, number), None)
                again = [] if before is None else self._misuse(there, before)
                opening.faults.extend(again or self._divergent(there, inside))

    def _complete(self, here: Array, waiting: Array, arrived: Arrived, inside: Array) -> bool:
        """True if the barrier opens for these ``waiting`` lanes of whole warps."""
        count = max(int(self._count[waiting].max()), arrived.count)
        if not count:
            return not (inside & ~self.exited & ~here).any()
        return WARP * _warps(waiting | arrived.lanes) >= count

    def _misuse(self, lanes: Array, arrived: Arrived) -> list[BarrierFault]:
        """Lanes that have arrived already, or that give another count than others."""
        again = np.flatnonzero(lanes & arrived.lanes)
        if again.size:
            lane = int(again[0])
            detail = "the warp has arrived at this barrier, which has not opened since"
            return [BarrierFault("bad-barrier", int(self._segment[lane]), lane, lane, detail)]
        counted = np.flatnonzero(lanes & (self._count > 0))
        if not counted.size:
            return []
        first = int(np.argmax(arrived.lanes)) if arrived.count else int(counted[0])
        unlike = counted[self._count[counted] != (arrived.count or self._count[first])]
        detail = "warps give different thread counts for one barrier"
        return [
            BarrierFault("bad-barrier", int(self._segment[lane]), lane, first, detail)
            for lane in unlike[:1].tolist()
        ]

    def _divergence_at(self, here: Array, inside: Array) -> list[BarrierFault]:
        """The divergence of a barrier that opens: aligned, and left out by threads that ran on to
        their end, or splitting a warp."""
        if not (here & self._aligned).any():
            return []
        left = inside & self.exited & self._expected
        if not self._count[here].any() and not self.aborted[inside].any() and left.any():
            return self._divergent(here, left)
        return self._split_warps(here, inside)

    def _split_warps(self, lanes: Array, inside: Array) -> list[BarrierFault]:
        """Aligned barriers of warps whose lanes wait at different instructions."""
        rows = np.where(lanes, self._segment, -1).reshape(-1, WARP)
        first = np.repeat(rows.max(axis=1), WARP)
        split = _with_warps(lanes & (self._segment != first)) & lanes
        if not (split & self._aligned).any():
            return []
        return self._divergent(split, inside & _with_warps(split))

    def _divergent(self, lanes: Array, inside: Array) -> list[BarrierFault]:
        """One report a segment, each with a thread of ``inside`` that is elsewhere."""
        faults = []
        for segment in np.unique(self._segment[lanes]):
            here = lanes & (self._segment == segment)
            others = np.flatnonzero(inside & ~here & self._expected)
            lane = int(np.argmax(here))
            other = int(others[0]) if others.size else lane
            faults.append(BarrierFault("divergent-barrier", int(segment), lane, other))
        return faults


def _distinct(numbers: Array) -> list[int]:
    """The different numbers; mostly, all are the same."""
    if numbers.size and (numbers == numbers[0]).all():
        return [int(numbers[0])]
    found: list[int] = np.unique(numbers).tolist()
    return found


def _warps(lanes: Array) -> int:
    return int(lanes.reshape(-1, WARP).any(axis=1).sum())


def _with_warps(lanes: Array) -> Array:
    """All lanes of the warps that have one of the lanes."""
    return np.repeat(lanes.reshape(-1, WARP).any(axis=1), WARP)
