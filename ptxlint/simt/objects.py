"""Barrier objects as the race check sees them: what their completed phases order.

A thread that arrives at an object releases; one that tests the object acquires from all that
arrived in the phases that were complete by then (PTX ISA, "mbarrier"). The machine counts the
arrivals in the object, so whether a phase has ended is read from it, at the next access.
"""

from __future__ import annotations

import numpy as np
from msgspec import Struct

from analyses.concrete.bitvectors import Array
from ptxlint.ir import PtxInstr
from ptxlint.isa.mbarrier import PARITY, PENDING
from ptxlint.simt.memory import Part
from ptxlint.simt.races import Clocks

PHASE, COMPLETE = "phase", "complete"


class Phase(Struct):
    """The parity of an object and its pending arrivals at the last access, and the arrivals that
    this made (None: an unknown number)."""

    parity: int
    pending: int
    arrivals: int | None


class BarrierObjects:
    """The barrier objects of one batch, by their place in shared memory."""

    def __init__(self, clocks: Clocks) -> None:
        self.clocks = clocks
        self.phases: dict[int, Phase] = {}

    def accessed(self, instr: PtxInstr, part: Part, lanes: Array) -> None:
        """Called before the access."""
        assert instr.access is not None
        for start in np.unique(part.starts).tolist():
            here = lanes[part.starts == start]
            block, threads = int(here[0]) // self.clocks.threads, here % self.clocks.threads
            self._look(block, start, part)
            phase = self.phases[start]
            match instr.access.kind:
                case "store":
                    self.clocks.released.pop((block, (PHASE, start)), None)
                    self.clocks.released.pop((block, (COMPLETE, start)), None)
                    del self.phases[start]
                case "atomic":
                    self.clocks.release(block, threads, (PHASE, start))
                    phase.arrivals = arrivals(instr, here.size)
                case _:
                    self.clocks.acquire(block, threads, (COMPLETE, start))

    def _look(self, block: int, start: int, part: Part) -> None:
        """Reads the object: what was released in a phase that has ended can be acquired."""
        word = int(part.space.load(np.array([start]), 64)[0])
        parity, pending = word >> PARITY, (word >> PENDING[0]) % (1 << PENDING[1])
        before = self.phases.get(start)
        self.phases[start] = Phase(parity, pending, 0)
        if before is None:
            return
        same = before.arrivals is not None and pending == before.pending - before.arrivals
        if parity != before.parity or not same:
            self.clocks.hand_on(block, (PHASE, start), (COMPLETE, start))


def arrivals(instr: PtxInstr, lanes: int) -> int | None:
    """The arrivals that an atomic of so many lanes makes; None if an operand says it."""
    form, access = instr.form, instr.access
    assert form is not None and access is not None
    if form.row.opcode == "cp":
        return lanes * form.has("noinc")
    if not form.has("arrive") and not form.has("arrive_drop"):
        return 0
    operands = len(instr.uses) - 1 - (access.mask is not None)
    return lanes if form.has("expect_tx") or not operands else None
