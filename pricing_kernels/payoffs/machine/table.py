"""The table that a program reads: the inputs of the run, then its columns, then the bits of sets.

Words of 32 bits; reals are float32. Column c of row r is c * rows + r words after the inputs of the
run, so the address of a row is linear in its number.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pricing_kernels.payoffs.machine.program import WORD, Program

Reals = NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class Inputs:
    """The numbers of a run: ``run`` for all rows, ``rows`` by column and row."""

    run: Reals
    rows: Reals

    def words(self, program: Program) -> NDArray[np.uint32]:
        """The table as the kernels read it."""
        run = np.zeros(program.run_words, np.float32)
        run[: len(self.run)] = self.run
        rows = self.rows.reshape(-1)
        return np.concatenate([run.view(np.uint32), rows.view(np.uint32), _bits(program)])


def table_words(program: Program) -> tuple[int, int]:
    """The words of the table before the rows, and for each row."""
    return program.run_words, program.columns + program.set_words


def _bits(program: Program) -> NDArray[np.uint32]:
    """For each word of bits and each row, the bits of the sets that have the row."""
    words = np.zeros((program.set_words, program.rows), np.uint32)
    for number, rows in enumerate(program.sets):
        words[number // WORD, list(rows)] |= np.uint32(1 << number % WORD)
    return words.reshape(-1)
