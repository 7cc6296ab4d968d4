"""Least squares Monte Carlo: at each date, from the last one back, a regression of what continuing
pays on the polynomials of degree 3 in what exercise pays, and in one more price if the option names
one, over the paths on which exercise pays.

Paths are simulated once; the features of the regression are kept by date and path. A date takes two
launches: ``moments`` adds up what the normal equations need, by one fixed tree for each segment of
128 paths in float64; the host adds the segments in their order and solves the equations by QR;
``decide`` exercises where the gain is above the regression. So the fit does not depend on block or
grid.

Source: F. Longstaff and E. Schwartz, "Valuing American options by simulation: a simple
least-squares approach", Review of Financial Studies 14, 2001.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import reduce
from operator import mul
from typing import Any, Final
from warnings import warn

import numpy as np
from numpy.typing import NDArray

from pricing_kernels import engines
from pricing_kernels.contract import GlobalArray, KernelContract, KernelLaunch, Scalar
from pricing_kernels.exercise.paths import recorded
from pricing_kernels.exercise.policy import (
    BermudanOption,
    ExerciseError,
    ExerciseWarning,
    exercised,
)
from pricing_kernels.kernel import EmittedKernel
from pricing_kernels.link import Fragment
from pricing_kernels.payoffs.language.expression import Expression, literal
from pricing_kernels.payoffs.language.folds import by_date
from pricing_kernels.payoffs.pricing import PayoffPrice
from pricing_kernels.payoffs.pricing import price as simulated
from pricing_kernels.payoffs.simulation import MAX_KEPT_PATHS

SEGMENT: Final = 128  # paths whose sums are added in one tree
BLOCK: Final = 256
DEGREE: Final = 3
MAX_PATHS: Final = MAX_KEPT_PATHS
MAX_ROWS: Final = 2**12
MAX_FEATURES: Final = 2
Arrays = dict[str, Any]
NEVER: Final = 1e30  # what continuing is worth where no regression was possible
SINGULAR: Final = 1e-10  # a diagonal element of R, of the greatest one


def powers(features: int, degree: int) -> list[tuple[int, int]]:
    """The exponents of the monomials in one or two features, in the order of the kernels."""
    second = degree if features > 1 else 0
    return [(i, j) for i in range(degree + 1) for j in range(min(second, degree - i) + 1)]


@dataclass(frozen=True)
class Regression:
    """A policy: by date, the coefficients of the ``powers`` in what continuing pays. The features
    are what exercise pays, and the difference of the option's other price from the strike, both
    over the strike."""

    option: BermudanOption
    coefficients: NDArray[np.float32]

    def payoff(self) -> Expression:
        """The payoff of the policy: exercise that pays, and no less than continuing."""
        option = self.option
        columns = [by_date(option.over, column) for column in self.coefficients.T]

        def stop(t: Expression) -> Expression:
            gain = option.gain(t)
            x, others = gain / option.strike, [f(t) / option.strike - 1 for f in option.also]
            y = others[0] if others else literal(0.0)
            continuing = literal(0.0)
            for column, (i, j) in zip(columns, powers(1 + len(others), DEGREE), strict=True):
                continuing = reduce(mul, [x] * i + [y] * j, column[t]) + continuing
            return (gain > 0) & (gain >= continuing)

        return exercised(option.over, option.model, option.maturity, option.gain, stop)


def price(
    option: BermudanOption,
    *,
    paths: int = 100_000,
    fit_paths: int = 20_000,
    seed: int = 0,
    engine: str = "simt",
    control: float | None = None,
) -> PayoffPrice:
    """The value of the fitted policy on paths of its own. ``control`` is the price of the European
    option, if it is known. Raises ExerciseError, PayoffError, EngineError."""
    policy = fit(option, fit_paths, seed ^ 2**63, engine)
    known = None if control is None else (option.european(), control)
    return simulated(
        policy.payoff(), option.model, option.maturity,
        paths=paths, seed=seed, engine=engine, control=known,
    )  # fmt: skip


def fit(option: BermudanOption, paths: int, seed: int, engine: str = "simt") -> Regression:
    """The regressions on simulated paths. Warns of the dates at which none was possible: there the
    policy never exercises. Raises ExerciseError, EngineError."""
    features = 1 + len(option.also)
    if features > MAX_FEATURES:
        raise ExerciseError(f"{features} prices to regress on, expected at most {MAX_FEATURES}")
    terms = len(powers(features, DEGREE))
    if not terms <= paths <= MAX_PATHS:
        raise ExerciseError(
            f"{paths} paths to fit {terms} coefficients on, expected {terms} to {MAX_PATHS}"
        )
    if len(option.over) > MAX_ROWS:
        raise ExerciseError(f"{len(option.over)} dates, expected at most {MAX_ROWS}")
    found = np.zeros((len(option.over), terms), np.float32)
    with engines.session(engine) as device:
        run = _Runs(device, option, paths, features)
        run.simulate(seed)
        run.decide(len(found) - 1, 0.0, found[-1])
        for row in reversed(range(len(found) - 1)):
            later = option.discount(row + 1)
            found[row] = _regression(run.moments(row, later), features, option.over.times[row])
            run.decide(row, later, found[row])
    return Regression(option, found)


def _regression(moments: NDArray[np.float64], features: int, time: float) -> NDArray[np.float32]:
    """The coefficients, from the sums of a date."""
    sums = dict(zip(powers(features, 2 * DEGREE), moments.tolist(), strict=False))
    basis = powers(features, DEGREE)
    matrix = np.array([[sums[a + c, b + d] for c, d in basis] for a, b in basis])
    scale = np.sqrt(np.maximum(np.diag(matrix), np.finfo(float).tiny))
    q, r = np.linalg.qr(matrix / np.outer(scale, scale))
    diagonal = np.abs(np.diag(r))
    if diagonal.min() <= SINGULAR * diagonal.max():
        message = (
            f"the regression at {time:g} of the maturity is singular, on {moments[0]:.0f} paths "
            "where exercise pays: the policy does not exercise then"
        )
        warn(message, ExerciseWarning, stacklevel=4)
        return np.array([NEVER, *[0.0] * (len(basis) - 1)], np.float32)
    right = moments[len(sums) :] / scale
    return (np.linalg.solve(r, q.T @ right) / scale).astype(np.float32)


@dataclass
class _Runs:
    """The launches of one fit; features and values stay where the kernels run."""

    device: engines.Session
    option: BermudanOption
    paths: int
    features: int

    def simulate(self, seed: int) -> None:
        """Keeps the features, by feature, date and path."""
        features = (self.option.gain, *self.option.also)
        self.stride = self.paths * len(self.option.over)
        self.kept = recorded(self.device, self.option, features, self.paths, seed)
        self.values = self.device.array(np.zeros(self.paths, np.float32))

    def _at(
        self, row: int, discount: float, kernel: EmittedKernel, **coefficients: float
    ) -> tuple[KernelLaunch, Arrays]:
        """A launch at a date, with its features and the values."""
        launch = kernel.contract.launch(
            (-(-self.paths // math.prod(kernel.contract.block)),),
            paths=self.paths, stride=self.stride, strike=self.option.strike, discount=discount,
            **coefficients,
        )  # fmt: skip
        first = row * self.paths
        features = self.kept[first : first + launch.elements("features")]
        return launch, {"values": self.values, "features": features}

    def moments(self, row: int, discount: float) -> NDArray[np.float64]:
        """The sums of a date, of values discounted from the next one."""
        kernel = moments_kernel(self.features)
        launch, arrays = self._at(row, discount, kernel)
        sums = self.device.zeros(launch, "sums")
        self.device.run(kernel.ptx(), launch, {**arrays, "sums": sums})
        parts = self.device.host(sums).reshape(int(launch.values["segments"]), -1)
        return np.array([sum(part) for part in parts.T.tolist()])

    def decide(self, row: int, discount: float, coefficients: NDArray[np.float32]) -> None:
        """Exercises at a date, by the coefficients."""
        kernel = decide_kernel(self.features)
        given = dict.fromkeys(powers(MAX_FEATURES, DEGREE), 0.0)
        given |= zip(powers(self.features, DEGREE), coefficients.tolist(), strict=True)
        named = {f"c{i}{j}": value for (i, j), value in given.items()}
        launch, arrays = self._at(row, discount, kernel, **named)
        self.device.run(kernel.ptx(), launch, arrays)


_MOMENTS: Final = """\
{
    __shared__ double part[TERMS][SEGMENT + 1];  // the last reads run down a column
    for (unsigned segment = blockIdx.x; segment < segments; segment += gridDim.x) {
        for (unsigned slot = threadIdx.x; slot < SEGMENT; slot += blockDim.x) {
            unsigned path = segment * SEGMENT + slot;
            double x[2 * DEGREE + 1] = {}, y[2 * DEGREE + 1] = {1.0}, value = 0.0;  // powers
            if (path < paths) {
                float gain = features[path], other = features[path + (FEATURES - 1) * stride];
                x[0] = gain > 0.0f ? 1.0 : 0.0;  // the paths on which exercise pays
                x[1] = x[0] * (gain / strike);
                y[1] = other / strike - 1.0f;
                value = values[path] * discount;
            }
            for (unsigned i = 2; i <= 2 * DEGREE; i++) {
                x[i] = x[i - 1] * x[1];
                y[i] = y[i - 1] * y[1];
            }
            unsigned term = 0;
            for (unsigned i = 0; i <= 2 * DEGREE; i++)
                for (unsigned j = 0; j <= (FEATURES > 1 ? 2 * DEGREE - i : 0); j++)
                    part[term++][slot] = x[i] * y[j];
            for (unsigned i = 0; i <= DEGREE; i++)
                for (unsigned j = 0; j <= (FEATURES > 1 ? DEGREE - i : 0); j++)
                    part[term++][slot] = x[i] * y[j] * value;
        }
        __syncthreads();
        for (unsigned half = SEGMENT / 2; half > 0; half /= 2) {
            for (unsigned slot = threadIdx.x; slot < half; slot += blockDim.x)
#pragma unroll
                for (unsigned k = 0; k < TERMS; k++)
                    part[k][slot] += part[k][slot + half];
            __syncthreads();
        }
        for (unsigned k = threadIdx.x; k < TERMS; k += blockDim.x)
            sums[segment * TERMS + k] = part[k][0];
        __syncthreads();
    }
}
"""

_DECIDE: Final = """\
{
    unsigned path = blockIdx.x * blockDim.x + threadIdx.x;
    if (path >= paths)
        return;
    float gain = features[path], other = features[path + (FEATURES - 1) * stride];
    float x = gain / strike, y = other / strike - 1.0f;
    float continuing = c00 + y * (c01 + y * (c02 + y * c03))
        + x * (c10 + y * (c11 + y * c12) + x * (c20 + y * c21 + x * c30));
    float value = values[path] * discount;
    if (gain > 0.0f && gain >= continuing)
        value = gain;
    values[path] = value;
}
"""


def _date(features: int) -> dict[str, Scalar | GlobalArray]:
    """What both kernels know of a date: ``features`` has one number a path for each feature, the
    second ``stride`` elements after the first."""
    return {
        "features": GlobalArray(np.float32, f"{features - 1}*stride + paths", const=True),
        "paths": Scalar(np.uint32, 1, MAX_PATHS),
        "stride": Scalar(np.uint64, 1, MAX_PATHS * MAX_ROWS),
        "strike": Scalar(np.float32, 0.0, 1e9),
        "discount": Scalar(np.float32, 0.0, 1e9),
    }


def moments_kernel(features: int = 1) -> EmittedKernel:
    """The sums of a regression, by segment and term."""
    terms = len(powers(features, 2 * DEGREE)) + len(powers(features, DEGREE))
    contract = KernelContract(
        f"lsmc_moments_{features}",
        {
            "sums": GlobalArray(np.float64, f"{terms}*segments"),
            "values": GlobalArray(np.float32, "paths", const=True),
            "segments": Scalar(
                np.uint32, 1, MAX_PATHS // SEGMENT, equals=f"(paths + {SEGMENT - 1})//{SEGMENT}"
            ),
            **_date(features),
        },
        (SEGMENT,),
    )
    constants = {"SEGMENT": SEGMENT, "TERMS": terms, "FEATURES": features, "DEGREE": DEGREE}
    body = Fragment("lsmc_moments", __file__, _MOMENTS, {}, constants)
    return EmittedKernel(body, contract, "The sums of a regression at one date.")


def decide_kernel(features: int = 1) -> EmittedKernel:
    """What each path pays from a date on, from what it pays from the next one on. Continuing is
    worth the sum of ``c{i}{j}`` times the powers i and j of the features over the strike."""
    coefficient = Scalar(np.float32, -3e38, 3e38)
    contract = KernelContract(
        f"lsmc_decide_{features}",
        {
            "values": GlobalArray(np.float32, "paths"),
            **_date(features),
            **{f"c{i}{j}": coefficient for i, j in powers(MAX_FEATURES, DEGREE)},
        },
        (BLOCK,),
        ("paths",),
    )
    body = Fragment("lsmc_decide", __file__, _DECIDE, {}, {"FEATURES": features})
    return EmittedKernel(body, contract, "Exercise where it pays more than the regression.")


def kernels() -> tuple[EmittedKernel, ...]:
    """The kernels that are shipped: all that a fit takes."""
    made = (moments_kernel, decide_kernel)
    return tuple(make(number) for number in range(1, MAX_FEATURES + 1) for make in made)
