"""Races: two accesses of different threads to one byte, one of them a write, and no order.

Inside a block order comes from barriers, ``bar.warp.sync`` among them: each thread has a clock that
moves on when it meets others, and knows how far the others' clocks were when they last met, itself
or through third ones (vector clocks: Lamport 1978, Mattern 1989). Who asks a barrier object learns
from all that have arrived at any of the block's, whether or not a phase is over. Between blocks
order comes only from a fence or releasing atomic, followed by an atomic or acquiring load in the
other block; which location carries it is not asked, so some races are missed and none is made up.

Atomics do not race with each other, nor do ``.relaxed`` and stronger accesses. Two lanes that store
the same word by one instruction do no harm. Of many readers of a byte the first and the last are
kept.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from analyses.concrete.bitvectors import Array
from ptxlint.ir import PtxInstr

STRONG = frozenset({"relaxed", "acquire", "release", "acq_rel", "mmio", "sc"})


@dataclass(frozen=True, slots=True, eq=False)
class Step:
    """One instruction touching memory: who (threads counted from 1), when by their own clock and
    by the run's, the bytes (as cells of the shadow), and those cells that a store changes."""

    instr: PtxInstr
    threads: Array
    clocks: Array
    event: int
    cells: Array
    same: Array | None  # where a store repeats what was there
    strong: bool


@dataclass(frozen=True, slots=True, eq=False)
class Conflict:
    """``which`` of a step's accesses run into another thread's, and what that was."""

    which: Array
    threads: Array
    events: Array


class Clocks:
    """What the threads of a batch know of each other's clocks, block by block."""

    def __init__(self, blocks: int, threads: int) -> None:
        self.threads = threads
        self.own = np.ones((blocks, threads), np.uint32)
        self.known = np.zeros((blocks, threads, threads), np.uint32)
        self.arrived = np.zeros((blocks, threads), np.uint32)

    def meet(self, block: int, threads: Array, arrived: bool = False) -> None:
        """These threads of a block wait for each other, and for those that have arrived."""
        known, own = self.known[block], self.own[block]
        together = known[threads].max(axis=0)
        if arrived:
            together = np.maximum(together, self.arrived[block])
        together[threads] = own[threads]
        known[threads] = together
        own[threads] += 1

    def arrive(self, block: int, threads: Array) -> None:
        known, own = self.known[block], self.own[block]
        told = known[threads].max(axis=0)
        told[threads] = own[threads]
        self.arrived[block] = np.maximum(self.arrived[block], told)
        own[threads] += 1

    def learn(self, block: int, threads: Array) -> None:
        """These threads come after all that have arrived in their block."""
        self.known[block][threads] = np.maximum(self.known[block][threads], self.arrived[block])

    def knows(self, lanes: Array, others: Array, clocks: Array) -> Array:
        """Whether each lane comes after what another one of its block did at that clock."""
        block, thread = np.divmod(lanes, self.threads)
        known: Array = self.known[block, thread, others] >= clocks
        return known


class Blocks:
    """Order between blocks: when each told the others, and when it last listened."""

    def __init__(self) -> None:
        self.told: dict[int, list[int]] = {}
        self.listened: dict[int, int] = {}

    def tell(self, blocks: Iterable[int], event: int) -> None:
        for block in blocks:
            self.told.setdefault(block, []).append(event)

    def listen(self, blocks: Iterable[int], event: int) -> None:
        for block in blocks:
            self.listened[block] = event

    def ordered(self, block: int, other: int, event: int) -> bool:
        """Whether ``block`` has listened since ``other`` told what it did at the event."""
        told = self.told.get(other, [])
        first = bisect_right(told, event)
        return first < len(told) and told[first] < self.listened.get(block, 0)


class Shadow:
    """For each cell of a memory the last writer, and the first and the last reader since."""

    def __init__(self, cells: int) -> None:
        self.writer, self.written_at, self.written_by = _columns(cells)
        self.first, self.first_at, _ = _columns(cells)
        self.last, self.last_at, self.read_by = _columns(cells)

    def others(self, step: Step, writes: bool) -> Iterable[tuple[Array, Array, Array]]:
        """Earlier accesses to the cells that an access may be in conflict with."""
        at = step.cells
        yield self.writer[at], self.written_at[at], self.written_by[at]
        if writes:
            yield self.first[at], self.first_at[at], self.read_by[at]
            yield self.last[at], self.last_at[at], self.read_by[at]

    def write(self, step: Step) -> None:
        at = step.cells
        self.writer[at], self.written_at[at], self.written_by[at] = (
            step.threads,
            step.clocks,
            step.event,
        )

    def read(self, step: Step, after: Array) -> None:
        """``after``: who comes after all readers so far, and makes them forgotten."""
        at = step.cells
        mine, clock = step.threads, step.clocks
        first, last = self.first[at], self.last[at]
        keep_first = ~after & (first != 0) & (first < mine)
        keep_last = ~after & (last > mine)
        first_at, last_at = self.first_at[at], self.last_at[at]
        back = slice(None, None, -1)  # of several lanes at one cell the first stays
        self.first[at[back]] = np.where(keep_first, first, mine)[back]
        self.first_at[at[back]] = np.where(keep_first, first_at, clock)[back]
        self.last[at] = np.where(keep_last, last, mine)
        self.last_at[at] = np.where(keep_last, last_at, clock)
        self.read_by[at] = step.event


def _columns(cells: int) -> tuple[Array, Array, Array]:
    """Untouched pages of zeros cost nothing."""
    return np.zeros(cells, np.uint32), np.zeros(cells, np.uint32), np.zeros(cells, np.uint32)


def is_strong(instr: PtxInstr) -> bool:
    """Whether an access is made for other threads to see."""
    access, form = instr.access, instr.form
    assert access is not None
    strong = form is not None and bool(form.words & STRONG)
    volatile = form is not None and "volatile" in form.words and access.space != "shared"
    asks = access.kind == "load" and on_object(instr)
    return access.kind == "atomic" or strong or volatile or asks


def on_object(instr: PtxInstr) -> bool:
    """Whether it is an access to a barrier object."""
    form = instr.form
    return form is not None and (form.row.opcode == "mbarrier" or form.has("mbarrier"))


def tells(instr: PtxInstr) -> bool:
    form = instr.form
    return form is not None and bool(form.words & {"release", "acq_rel", "sc"})


def repeated(starts: Array, data: list[Array]) -> Conflict | None:
    """Stores of one step to the same place with different words: pairs of lanes."""
    order = np.argsort(starts, kind="stable")
    pairs = np.flatnonzero(starts[order][1:] == starts[order][:-1])
    one, two = order[pairs], order[pairs + 1]
    differ = np.zeros(pairs.size, np.bool_)
    for words in data:
        unlike = words[..., two] != words[..., one]
        differ |= unlike.any(axis=0) if unlike.ndim > 1 else unlike
    if not differ.any():
        return None
    return Conflict(two[differ], one[differ], np.zeros(0))
