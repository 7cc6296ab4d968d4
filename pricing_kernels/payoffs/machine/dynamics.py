"""What a model tells the machine: state, its first values, a step, prices, and numbers.

A model is no code of a back-end: its step is an expression over its state, the numbers of the row
and the row's normal numbers, and so is a price. The same expressions run in numpy, CUDA C and PTX.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from pricing_kernels.payoffs.language.expression import Expression, caller
from pricing_kernels.payoffs.machine.program import Assignment


class ModelError(ValueError):
    """Numbers that make no model, and the line that gave them."""

    def __init__(self, message: str) -> None:
        super().__init__(f"{caller()}: {message}")


@dataclass(frozen=True)
class Dynamics:
    """A model's expressions: ``start`` and ``step`` assign its state, the step all at once;
    ``spots`` are the prices of assets from the state, ``first`` the prices at time 0."""

    start: tuple[Assignment, ...]
    step: tuple[Assignment, ...]
    spots: tuple[Expression, ...]
    first: tuple[Expression, ...]
    run_inputs: int
    columns: int
    normals: int


@runtime_checkable
class Model(Protocol):
    """A model of the prices of some assets under the pricing measure."""

    @property
    def dynamics(self) -> Dynamics:
        """Its expressions."""

    @property
    def rows_before(self) -> int:
        """The rows at time 0, before the first step."""

    @property
    def steps_between(self) -> int:
        """The steps from one date of the payoff to the next."""

    def run_numbers(self) -> Sequence[float]:
        """The inputs of a run."""

    def row_numbers(self, years: NDArray[np.float64]) -> NDArray[np.float64]:
        """The numbers of each row, by column, for steps that end at these times, in years."""

    def discount(self, years: float) -> float:
        """What 1, paid after so many years, is worth now."""
