"""Which lanes of a value hold a register that nothing has written.

Only few values can: phis joined with an undefined register, and what a guarded write left over. For
those a mask is kept beside the word; every other value is written wherever it is read.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from analyses.domains.lanes import Word
from analyses.domains.words import Array
from analyses.program import Operand, Undefined, Value
from ptxlint.ir import Instr


class Blanks:
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

    def copy(self, target: Value, source: Operand, lanes: Array) -> None:
        if target in self.values:
            self._masks[target] = np.where(lanes, self[source], self[target])

    def compute(self, instr: Instr, words: Iterable[Word], lanes: Array) -> Array:
        """The lanes in which an instruction that somebody wrote reads a blank; one that lowering
        put in hands them on: of the operand it copies, or of the one that its guard selects."""
        uses = instr.uses
        if not instr.synthetic:
            read = self._none
            for use in uses:
                read = read | self[use]
            return read & lanes
        blank = self[uses[0]]
        if len(uses) == 3:
            guard = list(words)[-1].bits
            blank = np.where(guard, blank, self[uses[1]])
        for value in instr.defs:
            if value in self.values:
                self._masks[value] = np.where(lanes, blank, self[value])
        return self._none
