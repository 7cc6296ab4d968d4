"""Asynchronous copies to shared memory that are not complete, for the detection of races.

The machine stores the bytes where a copy is issued. Until its thread waits for it, it may as well
happen later: no thread, not even its own, is ordered after it. A copy completes where its thread
waits for its group (``cp.async.wait_group``), or for those that acquire a barrier object: where the
object counts it (``cp.async.mbarrier.arrive``, or the end of a bulk copy).
"""

from __future__ import annotations

import numpy as np
from msgspec import Struct

from analyses.concrete.bitvectors import Array
from analyses.program import Completion
from ptxlint.ir import PtxInstr
from ptxlint.simt.races import Clocks, Shadow, Step

NEVER = np.uint32(0xFFFF_FFFF)
"""The time of a copy that is not complete: later than all that threads know."""


class Copy(Struct, eq=False):
    """The part of a copy that is not complete: its ``lanes``, and the groups committed since each
    was issued."""

    step: Step
    bulk: bool
    lanes: Array
    ages: Array
    open: Array


class Copies:
    """The incomplete copies of one batch."""

    def __init__(self, shadow: Shadow, clocks: Clocks) -> None:
        self.shadow = shadow
        self.clocks = clocks
        self.incomplete: list[Copy] = []

    def issue(self, step: Step, lanes: Array) -> None:
        ages, open_ = np.zeros(lanes.size, np.int64), np.ones(lanes.size, np.bool_)
        access = step.instr.access
        bulk = access is not None and access.completion is Completion.ELSEWHERE
        self.incomplete.append(Copy(step, bulk, lanes, ages, open_))

    def commit(self, active: Array) -> None:
        for copy in self.incomplete:
            copy.ages += active[copy.lanes]

    def complete(self, active: Array, left: int = -1, bulk: bool = False) -> None:
        """Completes the copies of the active lanes, but for the latest ``left`` groups, at the
        present time of their threads."""
        for copy in self.incomplete:
            if copy.bulk == bulk:
                done = copy.open & active[copy.lanes] & (copy.ages > left)
                self._complete(copy, done)
                copy.open &= ~done
        self.incomplete = [copy for copy in self.incomplete if copy.open.any()]

    def counted(self, instr: PtxInstr, lanes: Array) -> None:
        """Completes the copies that a barrier object counts from this instruction on."""
        form = instr.form
        active = np.zeros(self.clocks.own.size, np.bool_)
        active[lanes] = True
        if form is not None and form.has("complete_tx"):
            self.complete(active, bulk=True)
        elif form is not None and form.row.opcode == "cp" and form.has("mbarrier"):
            self.complete(active)

    def _complete(self, copy: Copy, done: Array) -> None:
        step, writers = copy.step, self.shadow.of(True, copy.step.strength)
        cells, threads = step.cells[done], step.threads[done]
        now = self.clocks.own.reshape(-1)[copy.lanes[done]]
        for thread, at, by in (
            (writers.first, writers.first_at, writers.first_by),
            (writers.last, writers.last_at, writers.last_by),
        ):
            mine = (thread[cells] == threads) & (by[cells] == step.event)
            at[cells[mine]] = now[mine]
