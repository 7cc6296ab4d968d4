"""Quantization trees: the grids of a process at some dates.

A date's grid is that of the standard normal law, times the root of the covariance then. So the
process is followed in the coordinates in which it is standard normal at every date: there a step
has a matrix for what is left and a lower triangular one for the noise, and the grid is the same.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from pricing_kernels.exercise.policy import ExerciseError
from pricing_kernels.exercise.quantization.grids import cells_by_numpy, fused, normal_grid
from pricing_kernels.exercise.quantization.process import Floats, GaussianProcess, Reals
from pricing_kernels.link import Fragment

MAX_DATES: Final = 2**10

_STEP: Final = """\
// Of one factor at one date: what is left of the state at the date before, and the noise.
struct alignas(8 * FACTORS) Row {
    float left[FACTORS], noise[FACTORS];
};

// The state at a date from that at the date before.
__device__ __forceinline__ void step(float* state, const Row* law, const float* z)
{
    float next[FACTORS];
    for (unsigned i = 0; i < FACTORS; i++) {
        const Row& row = law[i];
        next[i] = row.left[0] * state[0];
        for (unsigned j = 1; j < FACTORS; j++)
            next[i] = fmaf(row.left[j], state[j], next[i]);
        for (unsigned j = 0; j <= i; j++)
            next[i] = fmaf(row.noise[j], z[j], next[i]);
    }
    for (unsigned i = 0; i < FACTORS; i++)
        state[i] = next[i];
}
"""


def step_fragment(factors: int) -> Fragment:
    """``step``: one date of the process in standard coordinates; the rows of ``law``."""
    return Fragment("process", __file__, _STEP, {}, {"FACTORS": factors})


def stepped(state: Floats, law: Floats, z: Floats) -> None:
    """``step`` by numpy, in place, to the same bits: states and numbers by factor and path."""
    factors = len(state)
    rows = law.reshape(factors, 2, factors)
    before = state.copy()
    for i, (left, noise) in enumerate(rows):
        state[i] = left[0] * before[0]
        terms = [(left[j], before[j]) for j in range(1, factors)]
        for a, b in (*terms, *((noise[j], z[j]) for j in range(i + 1))):
            state[i] = fused(a, b, state[i])


@dataclass(frozen=True)
class QuantizationTree:
    """The grids of a process at some times in years, rising; the first may be 0. Cells are numbered
    as ``normal_grid`` orders the points. Raises ExerciseError."""

    process: GaussianProcess
    years: tuple[float, ...]
    points: int = 128

    def __post_init__(self) -> None:
        rising = all(a < b for a, b in zip(self.years, self.years[1:], strict=False))
        if not (0 < len(self.years) <= MAX_DATES and self.years[0] >= 0 and rising):
            raise ExerciseError(f"expected 1 to {MAX_DATES} rising times from 0 on")
        normal_grid(self.points, self.process.factors)

    @property
    def factors(self) -> int:
        return self.process.factors

    @property
    def grid(self) -> Reals:
        """The standard grid, by cell and factor."""
        return normal_grid(self.points, self.factors)

    @property
    def origin(self) -> int:
        """The cell in which every path begins."""
        return int(cells_by_numpy(self.grid, np.zeros((self.factors, 1), np.float32))[0])

    def values(self, date: int) -> Reals:
        """The factors at a date, by cell."""
        found: Reals = self.grid @ self.process.root(self.years[date]).T
        return found

    def forwards(self, date: int, price: float) -> Reals:
        """By cell, the price at a date of what is worth ``price`` on average, if the factors add up
        to its logarithm."""
        variance = self.process.covariance(self.years[date]).sum()
        found: Reals = price * np.exp(self.values(date).sum(axis=1) - 0.5 * variance)
        return found

    @property
    def law(self) -> Floats:
        """Of each date: for each factor, a row of what is left of the state at the date before, and
        one of the noise; zeros at time 0."""
        size, process = self.factors, self.process
        found = np.zeros((len(self.years), size, 2, size), np.float32)
        before = 0.0
        for date, time in enumerate(self.years):
            if time > 0:
                inverse = np.linalg.inv(process.root(time))
                left = inverse * process.decay(time - before) @ process.root(before)
                noise = inverse @ process.covariance(time - before) @ inverse.T
                found[date, :, 0], found[date, :, 1] = left, np.linalg.cholesky(noise)
            before = time
        return found.reshape(len(self.years), -1)
