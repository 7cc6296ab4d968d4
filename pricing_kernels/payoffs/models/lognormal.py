"""Black-Scholes assets: exact in law at every date, or by Euler's scheme.

    dS_a = S_a ((r - q_a) dt + sigma_a dW_a)

W_a is a sum of independent Brownian motions with the coefficients ``loadings``; correlated assets
have the rows of a Cholesky factor. The exact step adds drift + diffusion w to the logarithm, w =
sum_k loading_ak z_k; drift and diffusion are integrals over the step, so rates and volatilities may
depend on time. Euler's scheme multiplies the price by 1 + (r - q) dt + sigma sqrt(dt) w: it is here
to be compared with, its error is of the order of the step.

Sources: P. Glasserman, "Monte Carlo Methods in Financial Engineering", 2004, sections 3.2 and 6.1;
the thesis, chapter II.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, reduce
from typing import Any, Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pricing_kernels.payoffs.language.expression import (
    Expression,
    apply,
    literal,
    whole_number,
)
from pricing_kernels.payoffs.language.functions import exp
from pricing_kernels.payoffs.language.operators import REAL
from pricing_kernels.payoffs.machine.dynamics import Dynamics, ModelError
from pricing_kernels.payoffs.machine.program import NormalInput, Register, RowInput, RunInput

Curve = float | Callable[[float], float]
"""A constant, or a function of the time in years."""

NODES: Final = 8  # of Gauss and Legendre, in each step


@dataclass(frozen=True)
class LognormalAsset:
    """An asset: its price now, its continuous yield, its volatility a year, and the coefficients of
    its Brownian motion."""

    spot: float
    volatility: Curve
    loadings: tuple[float, ...]
    dividend: Curve = 0.0

    def scaled(self, spot: float = 1.0, loadings: float = 1.0) -> LognormalAsset:
        """The asset with its price, or the coefficients of its Brownian motion, multiplied."""
        moved = tuple(loadings * each for each in self.loadings)
        return replace(self, spot=spot * self.spot, loadings=moved)


@dataclass(frozen=True)
class Lognormal:
    """Assets and a rate. ``euler_steps`` 0 is the exact step, else so many steps a date."""

    assets: tuple[LognormalAsset, ...]
    rate: Curve
    euler_steps: int = 0

    @property
    def rows_before(self) -> int:
        return 0

    @property
    def steps_between(self) -> int:
        return max(self.euler_steps, 1)

    @cached_property
    def dynamics(self) -> Dynamics:
        """State is the logarithm of the growth of each asset, for Euler's scheme the price."""
        euler = self.euler_steps > 0
        normals = max(len(asset.loadings) for asset in self.assets)
        z = [NormalInput(number=k) for k in range(normals)]
        start, step, spots = [], [], []
        first = tuple(RunInput(number=a) for a in range(len(self.assets)))
        for a, asset in enumerate(self.assets):
            terms = [times(c, z[k]) for k, c in enumerate(asset.loadings) if c]
            noise = RowInput(column=2 * a + 1) * reduce(lambda x, y: x + y, terms)
            move = RowInput(column=2 * a) + noise
            state = Register(type=REAL, name=f"{'s' if euler else 'x'}{a}")
            start.append((state, first[a] if euler else literal(0.0)))
            step.append((state, state * move if euler else state + move))
            spots.append(state if euler else first[a] * exp(state))
        return Dynamics(
            tuple(start), tuple(step), tuple(spots), first,
            run_inputs=len(self.assets), columns=2 * len(self.assets), normals=normals,
        )  # fmt: skip

    def run_numbers(self) -> Sequence[float]:
        return [asset.spot for asset in self.assets]

    def row_numbers(self, years: NDArray[np.float64]) -> NDArray[np.float64]:
        columns = []
        for asset in self.assets:
            drift, variance = self.moments(asset, years)
            if self.euler_steps:
                columns += [1.0 + drift, np.sqrt(variance)]
            else:
                columns += [drift - 0.5 * variance, np.sqrt(variance)]
        return np.array(columns)

    def moments(
        self, asset: LognormalAsset, years: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Of each step to these times, the integrals of rate less dividend and of the variance.
        Raises ModelError."""
        drift = integrals("rate", self.rate, years)
        drift = drift - integrals("dividend", asset.dividend, years)
        squared = combined(_squared, asset.volatility)
        return drift, integrals("squared volatility", squared, years)

    def discount(self, years: float) -> float:
        return math.exp(-float(integrals("rate", self.rate, np.array([years]))[0]))


def black_scholes(
    spot: float | Sequence[float] | NDArray[np.float64],
    rate: Curve,
    volatility: Curve | Sequence[Curve],
    dividend: Curve | Sequence[Curve] = 0.0,
    correlation: float | ArrayLike | None = None,
) -> Lognormal:
    """Black-Scholes assets, one for each price of `spot`. Volatilities and dividends are one for
    all or one each, and may be functions of time; `correlation` is a matrix, or one number for all
    pairs. Raises ModelError."""
    spots = [_number("spot", each, 0.0) for each in _list(spot)]
    if not spots:
        raise ModelError("no spot, expected one for each asset")
    volatilities = [_curve("volatility", v, 0.0) for v in _each(volatility, len(spots))]
    dividends = [_curve("dividend", q) for q in _each(dividend, len(spots))]
    factor = _cholesky(correlation, len(spots))
    assets = (
        LognormalAsset(s, v, tuple(row), q)
        for s, v, q, row in zip(spots, volatilities, dividends, factor.tolist(), strict=True)
    )
    return Lognormal(tuple(assets), _curve("rate", rate))


def _list(given: Any) -> list[Any]:
    """The numbers of a sequence or an array, or the one number."""
    if isinstance(given, np.ndarray):
        return list(given.reshape(-1).tolist())
    several = isinstance(given, Sequence) and not isinstance(given, str)
    return list(given) if several else [given]


def _curve(name: str, given: Any, least: float = -math.inf) -> Curve:
    return given if callable(given) else _number(name, given, least)


def _number(name: str, given: Any, least: float = -math.inf) -> float:
    """A finite number from `least` on. Raises ModelError."""
    wanted = "a number from 0 on" if least == 0.0 else "a finite number"
    if isinstance(given, int | float | np.number) and least <= given and math.isfinite(given):
        return float(given)
    raise ModelError(f"{name} {given!r:.60}, expected {wanted}")


def euler(model: Lognormal, steps: int) -> Lognormal:
    """The same assets, by Euler's scheme with so many steps between dates. Raises ModelError."""
    number = whole_number(steps)
    if number is None or number < 1:
        raise ModelError(f"{steps!r} steps between dates, expected an integer from 1 on")
    return replace(model, euler_steps=number)


def _each(given: Any, count: int) -> list[Any]:
    """A number for each asset; one number is for all."""
    if not isinstance(given, Sequence | np.ndarray) or isinstance(given, str):
        return [given] * count
    if len(given) != count:
        raise ModelError(f"{len(given)} numbers for {count} assets")
    return _list(given)


def _cholesky(correlation: float | ArrayLike | None, count: int) -> NDArray[np.float64]:
    """The lower factor of a correlation matrix, which may be singular. Raises ModelError."""
    try:
        matrix = np.asarray(0.0 if correlation is None else correlation, float)
    except (TypeError, ValueError):
        raise ModelError(f"the correlation {correlation!r:.60} is no matrix of numbers") from None
    if matrix.ndim == 0:
        matrix = np.where(np.eye(count, dtype=bool), 1.0, matrix)
    if matrix.shape != (count, count) or not np.allclose(matrix, matrix.T):
        raise ModelError(f"the correlation is no symmetric matrix of {count} x {count}")
    if not np.allclose(np.diag(matrix), 1.0):
        raise ModelError("the correlation of an asset with itself is not 1")
    least = float(np.linalg.eigvalsh(matrix)[0])
    if least < -1e-9:
        raise ModelError(
            f"the correlation is not positive semidefinite: its smallest eigenvalue is {least:.6g}"
        )
    factor = np.zeros_like(matrix)
    for j in range(count):
        rest = matrix[j:, j] - factor[j:, :j] @ factor[j, :j]
        if rest[0] > 1e-12:
            factor[j:, j] = rest / math.sqrt(rest[0])
    return factor


def times(coefficient: float, value: Expression) -> Expression:
    return value if coefficient == 1.0 else apply("mul", coefficient, value)


def combined(function: Callable[..., float], *curves: Curve) -> Curve:
    """The curve that is a function of others at every time."""
    if any(callable(curve) for curve in curves):
        return lambda t: function(*(c(t) if callable(c) else c for c in curves))
    return function(*curves)


def _squared(volatility: float) -> float:
    """The square, and nan of what is no volatility."""
    return volatility * volatility if volatility >= 0.0 else math.nan


def integrals(name: str, curve: Curve, years: NDArray[np.float64]) -> NDArray[np.float64]:
    """The integral over each step: from the end of the step before, or 0, to its own. Raises
    ModelError for a curve that has no finite number somewhere."""
    starts = np.concatenate([[0.0], years[:-1]])
    lengths = years - starts
    if not callable(curve):
        return np.asarray(curve * lengths)
    points, weights = np.polynomial.legendre.leggauss(NODES)
    middle = starts + 0.5 * lengths
    at = middle[:, None] + 0.5 * lengths[:, None] * points
    try:
        values = np.array([[float(curve(float(t))) for t in row] for row in at])
    except (ArithmeticError, TypeError, ValueError) as error:
        raise ModelError(f"the {name} has no number at some time: {error}") from error
    if not np.isfinite(values).all():
        when, bad = at[~np.isfinite(values)][0], values[~np.isfinite(values)][0]
        raise ModelError(f"the {name} is {bad} at {when:.6g} years")
    return np.asarray(0.5 * lengths * (values @ weights))
