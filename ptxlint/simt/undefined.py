"""Which lanes of a value hold a register that nothing has written.

Only few values can: phis joined with an undefined register, and what a guarded write left over. For
those a mask is kept beside the word; every other value is written wherever it is read.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from analyses.concrete.bitvectors import Array
from analyses.concrete.machine import BitVector
from analyses.program import Operand, Undefined, Value
from ptxlint.ir import PtxInstr


class UndefinedLanes:
    """``values`` are those that may be blank in some lane of a batch of ``size`` lanes."""

    def __init__(self, values: frozenset[Value], size: int) -> None:
        self.values = values
        self._none = np.zeros(size, np.bool_)
        self._every = np.ones(size, np.bool_)
        self._masks: dict[Value, Array] = {}

    def __getitem__(self, operand: Operand) -> Array:
        if isinstance(operand, Undefined):
            return self._every
        return self._masks.get(operand, self._none) if isinstance(operand, Value) else self._none

    def copy_all(self, pairs: Sequence[tuple[Value, Operand]], lanes: Array) -> None:
        """Each target takes over from its source, all at once: one may be another's source."""
        if not self.values:
            return
        masks = {target: self[source] for target, source in pairs if target in self.values}
        for target, mask in masks.items():
            self._masks[target] = np.where(lanes, mask, self[target])

    def compute(self, instr: PtxInstr, words: Iterable[BitVector], lanes: Array) -> Array:
        """The lanes in which an instruction computes with a blank. One that only copies hands
        blanks on: those of its operands, or of the operand that a guard selects."""
        if not instr.copies:
            read = self._none
            for use in instr.reads:
                read = read | self[use]
            return read & lanes
        blank = self._none
        for use in instr.uses:
            blank = blank | self[use]
        if instr.synthetic and len(instr.uses) == 3:
            guard = list(words)[-1].bits
            blank = np.where(guard, self[instr.uses[0]], self[instr.uses[1]])
        for value in instr.defs:
            if value in self.values:
                self._masks[value] = np.where(lanes, blank, self[value])
        return self._none
