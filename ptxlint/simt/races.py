"""Race detection: two unordered accesses of different threads to one byte, one of them a write.

Inside a block, barriers order accesses, ``bar.warp.sync`` among them: each thread has a vector
clock (Lamport 1978, Mattern 1989), advanced and joined at each barrier. A test of a barrier object
acquires from all threads that arrived in a phase that is complete. A fence or releasing atomic
followed by an atomic or acquiring load of the other thread, or in the other block, orders accesses,
whatever its address: so some races are missed, and none is reported in error. What has scope
``.cta`` orders no threads of different blocks.

Atomics do not race with each other, nor do ``.relaxed`` and stronger accesses, unless one of two
has scope ``.cta`` and they are of different blocks; nor with loads of words that a compare-and-swap
expects. Threads that store the same word are no race, nor are lanes of a warp whose floats differ
by rounding alone. Of many threads that read a byte, or that wrote it with no order between them,
the first and the last are kept.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Hashable, Iterable, Sequence
from enum import Enum, auto

import numpy as np
from msgspec import Struct

from analyses.concrete.bitvectors import Array
from analyses.hardware import WARP
from ptxlint.ir import PtxInstr
from ptxlint.simt.rounding import differ_by_rounding

STRONG = frozenset({"relaxed", "acquire", "release", "acq_rel", "mmio", "sc"})
FENCE = "fence"  # where a block's fences release, and its strong accesses acquire


class Strength(Enum):
    """Which accesses of other threads an access is ordered with, as an atomic is: none, strong ones
    of its block, or strong ones of the grid. A load of a word that a compare-and-swap ``EXPECTED``
    races with no strong access of the grid, and orders nothing."""

    PLAIN = auto()
    EXPECTED = auto()
    BLOCK = auto()
    GRID = auto()


class Step(Struct, frozen=True, eq=False):
    """One instruction's accesses: the threads (from 1), the time by their own clocks and by the
    run's, the cells of the shadow, and those whose contents a store does not change."""

    instr: PtxInstr
    threads: Array
    clocks: Array
    event: int
    cells: Array
    same: Array | None  # true where a store does not change the contents
    strength: Strength


class Conflict(Struct, frozen=True, eq=False):
    """The accesses ``which`` of a step that conflict with another thread's, and those accesses."""

    which: Array
    threads: Array
    events: Array


class Clocks:
    """The vector clocks of the threads of a batch, by block; and what threads have released at a
    barrier of their block, or at a barrier object."""

    def __init__(self, blocks: int, threads: int) -> None:
        self.threads = threads
        self.own = np.ones((blocks, threads), np.uint32)
        self.known = np.zeros((blocks, threads, threads), np.uint32)
        self.released: dict[tuple[int, Hashable], Array] = {}

    def synchronise(self, block: int, threads: Array, at: Hashable = None) -> None:
        """These threads of a block wait for each other, and for those that have arrived ``at`` a
        barrier, which opens."""
        known, own = self.known[block], self.own[block]
        together = known[threads].max(axis=0)
        if (released := self.released.pop((block, at), None)) is not None:
            together = np.maximum(together, released)
        together[threads] = own[threads]
        known[threads] = together
        own[threads] += 1

    def synchronise_warps(self, warps: Array, lanes: Array) -> None:
        """In each of these warps of the batch, the ``lanes`` wait for each other; a row of 32 a
        warp."""
        known, own = self.known.reshape(-1, WARP, self.threads), self.own.reshape(-1, WARP)
        clocks = known if warps.size == len(known) else known[warps]
        together = clocks.max(axis=1, where=lanes[:, :, None], initial=0)
        row, lane = np.nonzero(lanes)
        warp = warps[row]
        together[row, warp * WARP % self.threads + lane] = own[warp, lane]
        known[warp, lane] = together[row]
        own[warp, lane] += 1

    def advance(self, lanes: Array) -> None:
        """Each of these lanes is ordered after what it has done so far."""
        blocks, threads = np.divmod(np.flatnonzero(lanes), self.threads)
        self.known[blocks, threads, threads] = self.own[blocks, threads]
        self.own[blocks, threads] += 1

    def release(self, block: int, threads: Array, at: Hashable) -> None:
        known, own = self.known[block], self.own[block]
        released = known[threads].max(axis=0)
        released[threads] = own[threads]
        before = self.released.get((block, at))
        self.released[block, at] = released if before is None else np.maximum(before, released)
        own[threads] += 1

    def acquire(self, block: int, threads: Array, at: Hashable) -> None:
        """These threads are ordered after all that have released there."""
        if (released := self.released.get((block, at))) is not None:
            self.known[block][threads] = np.maximum(self.known[block][threads], released)

    def hand_on(self, block: int, one: Hashable, other: Hashable) -> None:
        """What was released at one place is released at the other."""
        if (released := self.released.pop((block, one), None)) is not None:
            before = self.released.get((block, other))
            known = released if before is None else np.maximum(before, released)
            self.released[block, other] = known

    def happens_before(self, lanes: Array, others: Array, clocks: Array) -> Array:
        """True for each lane that is ordered after the other thread of its block at that clock."""
        block, thread = np.divmod(lanes, self.threads)
        known: Array = self.known[block, thread, others] >= clocks
        return known


class Blocks:
    """The order between blocks: their releases, and the last acquire of each."""

    def __init__(self) -> None:
        self.released: dict[int, list[int]] = {}
        self.acquired: dict[int, int] = {}

    def release(self, blocks: Iterable[int], event: int) -> None:
        for block in blocks:
            self.released.setdefault(block, []).append(event)

    def acquire(self, blocks: Iterable[int], event: int) -> None:
        for block in blocks:
            self.acquired[block] = event

    def ordered(self, block: int, other: int, event: int) -> bool:
        """True if ``block`` has acquired after ``other`` released the event."""
        released = self.released.get(other, [])
        first = bisect_right(released, event)
        return first < len(released) and released[first] < self.acquired.get(block, 0)


class Accessors:
    """For each cell of a memory, the first and the last of the threads that accessed it: their
    numbers (from 1; 0 is none), the times by their own clocks, and the events."""

    def __init__(self, cells: int) -> None:
        self.first, self.first_at, self.first_by = _columns(cells)
        self.last, self.last_at, self.last_by = _columns(cells)

    def at(self, cells: Array) -> Iterable[tuple[Array, Array, Array]]:
        yield self.first[cells], self.first_at[cells], self.first_by[cells]
        yield self.last[cells], self.last_at[cells], self.last_by[cells]

    def others(self, step: Step) -> Array:
        """The places, in the step, of the lanes whose cell another thread accessed."""
        first, last, mine = self.first[step.cells], self.last[step.cells], step.threads
        return np.flatnonzero((first != 0) & ((first != mine) | (last != mine)))

    def add(self, step: Step, after: Array) -> None:
        """``after``: the lanes that are ordered after all accesses so far, which are then
        forgotten."""
        at = step.cells
        first = last = step.threads
        first_at = last_at = step.clocks
        first_by = last_by = np.full(first.size, step.event, np.uint32)
        if not after.all():
            keep = ~after & (self.first[at] != 0) & (self.first[at] < first)
            first = np.where(keep, self.first[at], first)
            first_at = np.where(keep, self.first_at[at], first_at)
            first_by = np.where(keep, self.first_by[at], first_by)
            keep = ~after & (self.last[at] > last)
            last = np.where(keep, self.last[at], last)
            last_at = np.where(keep, self.last_at[at], last_at)
            last_by = np.where(keep, self.last_by[at], last_by)
        back = at[::-1]  # of several lanes at one cell the first stays
        self.first[back], self.last[at] = first[::-1], last
        self.first_at[back], self.last_at[at] = first_at[::-1], last_at
        self.first_by[back], self.last_by[at] = first_by[::-1], last_by


class Shadow:
    """Who accessed each cell of a memory, by whether they wrote it and the strength: a later access
    of the thread conflicts with other accesses than an earlier one if it is stronger. ``copied`` if
    an asynchronous copy has written to it."""

    def __init__(self, cells: int) -> None:
        self.cells = cells
        self.kept: dict[tuple[bool, Strength], Accessors] = {}
        for writes in (True, False):
            self.of(writes, Strength.PLAIN)
        self.copied = False

    def of(self, writes: bool, strength: Strength) -> Accessors:
        key = writes, strength
        if key not in self.kept:
            self.kept[key] = Accessors(self.cells)
        return self.kept[key]


def _columns(cells: int) -> tuple[Array, Array, Array]:
    """Columns of zeros; untouched pages are never allocated."""
    return np.zeros(cells, np.uint32), np.zeros(cells, np.uint32), np.zeros(cells, np.uint32)


def is_strong(instr: PtxInstr) -> bool:
    """True if the access is a synchronising one: atomic, relaxed or stronger, volatile."""
    access, form = instr.access, instr.form
    assert access is not None
    strong = form is not None and bool(form.words & STRONG)
    volatile = form is not None and "volatile" in form.words and access.space != "shared"
    polls = access.kind == "load" and on_barrier_object(instr)
    return access.kind == "atomic" or strong or volatile or polls


def on_barrier_object(instr: PtxInstr) -> bool:
    """True if it accesses a barrier object."""
    form = instr.form
    return form is not None and (form.row.opcode == "mbarrier" or form.has("mbarrier"))


def strength(instr: PtxInstr) -> Strength:
    if not is_strong(instr):
        return Strength.PLAIN
    return Strength.BLOCK if inside_block(instr) else Strength.GRID


def inside_block(instr: PtxInstr) -> bool:
    """True if the scope of a strong access or a fence is the block."""
    return instr.form is not None and instr.form.has("cta")


def is_release(instr: PtxInstr) -> bool:
    form = instr.form
    return form is not None and bool(form.words & {"release", "acq_rel", "sc"})


def repeated(
    starts: Array, data: list[Array] | None, fractions: Sequence[int | None], lanes: Array
) -> Conflict | None:
    """Pairs of lanes of one step that store different words to one address; None: any words. Floats
    have ``fractions``: those of a warp are the same if they differ by rounding alone."""
    if (starts[1:] > starts[:-1]).all():
        return None
    order = np.argsort(starts, kind="stable")
    pairs = np.flatnonzero(starts[order][1:] == starts[order][:-1])
    one, two = order[pairs], order[pairs + 1]
    warp = lanes[one] // WARP == lanes[two] // WARP
    differ = np.full(pairs.size, data is None)
    for words, fraction in zip(data or (), fractions, strict=False):
        unlike = words[..., two] != words[..., one]
        if fraction is not None:
            unlike &= ~(warp & differ_by_rounding(words[one], words[two], fraction))
        differ |= unlike.any(axis=0) if unlike.ndim > 1 else unlike
    if not differ.any():
        return None
    return Conflict(two[differ], one[differ], np.zeros(0))
