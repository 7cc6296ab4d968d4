"""Gaussian processes of one or two factors, which revert to 0."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pricing_kernels.exercise.policy import ExerciseError

Reals = NDArray[np.float64]
Floats = NDArray[np.float32]


@dataclass(frozen=True)
class GaussianProcess:
    """x = 0 at time 0. Factor i decays by exp(-speed[i] t) and takes normal noise of
    ``volatility[i]`` a root of a year: a Brownian motion for a speed of 0, else a process of
    Ornstein and Uhlenbeck. ``correlation`` is that of the noise of two factors. Raises
    ExerciseError."""

    volatility: tuple[float, ...]
    speed: tuple[float, ...] = (0.0,)
    correlation: float = 0.0

    def __post_init__(self) -> None:
        if not 1 <= len(self.volatility) == len(self.speed) <= 2:
            raise ExerciseError(
                f"{len(self.volatility)} volatilities and {len(self.speed)} speeds, "
                "expected one of each, or two"
            )
        if min(self.volatility) <= 0 or min(self.speed) < 0 or abs(self.correlation) >= 1:
            raise ExerciseError(
                f"volatility {self.volatility}, speed {self.speed}, correlation "
                f"{self.correlation}: expected positive, not negative, and between -1 and 1"
            )

    @property
    def factors(self) -> int:
        return len(self.volatility)

    def decay(self, years: float) -> Reals:
        """What is left of each factor after so many years."""
        left: Reals = np.exp(-np.array(self.speed) * years)
        return left

    def covariance(self, years: float) -> Reals:
        """Of the factors after so many years: the integral of what is left of the noise."""
        speed, volatility = np.array(self.speed), np.array(self.volatility)
        both = speed[:, None] + speed
        lasting: Reals = np.full(both.shape, years)
        np.divide(-np.expm1(-both * years), both, out=lasting, where=both > 0)
        noise: Reals = np.full(both.shape, self.correlation)
        np.fill_diagonal(noise, 1.0)
        found: Reals = noise * volatility[:, None] * volatility * lasting
        return found

    def root(self, years: float) -> Reals:
        """The lower triangular matrix that makes the factors of independent normal numbers."""
        if not years:
            return np.zeros((self.factors, self.factors))
        return np.asarray(np.linalg.cholesky(self.covariance(years)), float)
