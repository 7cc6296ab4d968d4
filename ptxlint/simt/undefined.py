"""Undefined registers: which lanes of a value were never written (a shadow, as in MemorySanitizer).

Few values can be undefined: phis with an undefined source, and the results of guarded writes. For
these a mask is kept beside the word.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from analyses.concrete.bitvectors import Array
from analyses.concrete.machine import BitVector
from analyses.program import Operand, Undefined, Value
from ptxlint.ir import PtxInstr


class UndefinedLanes:
    """The undefined lanes of ``values``, in a batch of ``size`` lanes."""

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
        """Parallel copies: each target takes the mask of its source."""
        if not self.values:
            return
        masks = {target: self[source] for target, source in pairs if target in self.values}
        for target, mask in masks.items():
            self._masks[target] = np.where(lanes, mask, self[target])

    def compute(self, instr: PtxInstr, words: Iterable[BitVector], lanes: Array) -> Array:
        """The lanes in which an instruction computes with an undefined register. A copy propagates
        undefined lanes instead: those of its operands, or of the operand that a guard selects."""
        if not instr.copies:
            read = self._none
            for use in instr.reads:
                read = read | self[use]
            return read & lanes
        undefined = self._none
        for use in instr.uses:
            undefined = undefined | self[use]
        if instr.synthetic and len(instr.uses) == 3:
            guard = list(words)[-1].bits
            undefined = np.where(guard, self[instr.uses[0]], self[instr.uses[1]])
        for value in instr.defs:
            if value in self.values:
                self._masks[value] = np.where(lanes, undefined, self[value])
        return self._none
