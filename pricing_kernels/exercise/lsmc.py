"""Least squares Monte Carlo: at each date, from the last one back, a regression of what continuing
pays on 1, x and x^2, x the price over the strike, over the paths on which exercise pays.

Paths are simulated once and kept, price by date and path. A date takes two launches: ``moments``
adds up what the normal equations need, by one fixed tree for each segment of 256 paths in float64;
the host adds the segments in their order and solves three equations by QR; ``decide`` exercises
where the gain is above the regression. So the fit does not depend on block or grid.

Source: F. Longstaff and E. Schwartz, "Valuing American options by simulation: a simple
least-squares approach", Review of Financial Studies 14, 2001.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final
from warnings import warn

import numpy as np
from numpy.typing import NDArray

from pricing_kernels import engines
from pricing_kernels.contract import GlobalArray, KernelContract, Scalar
from pricing_kernels.draws import Draws
from pricing_kernels.exercise.policy import (
    BermudanOption,
    ExerciseError,
    ExerciseWarning,
    exercised,
)
from pricing_kernels.kernel import EmittedKernel
from pricing_kernels.link import Fragment
from pricing_kernels.payoffs.language.expression import Expression
from pricing_kernels.payoffs.language.folds import by_date
from pricing_kernels.payoffs.language.functions import S
from pricing_kernels.payoffs.pricing import PayoffPrice
from pricing_kernels.payoffs.pricing import price as simulated

SEGMENT: Final = 256
BLOCK: Final = 256
MAX_PATHS: Final = 2**20
MAX_ROWS: Final = 2**12
TERMS: Final = 8  # sums of 1, x, x^2, x^3, x^4, y, x y, x^2 y
NEVER: Final = 1e30  # what continuing is worth where no regression was possible
SINGULAR: Final = 1e-10  # a diagonal element of R, of the greatest one


@dataclass(frozen=True)
class Regression:
    """A policy: by date, the coefficients of 1, x and x^2 in what continuing pays."""

    option: BermudanOption
    coefficients: NDArray[np.float32]

    def payoff(self) -> Expression:
        """The payoff of the policy: exercise that pays, and no less than continuing."""
        option = self.option
        constant, linear, square = (by_date(option.over, row) for row in self.coefficients.T)

        def stop(t: Expression) -> Expression:
            x = S(0, t) / option.strike
            gain = option.gain(t)
            return (gain > 0) & (gain >= constant[t] + x * (linear[t] + x * square[t]))

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
    if not 1 <= paths <= MAX_PATHS:
        raise ExerciseError(f"{paths} paths to fit on, expected 1 to {MAX_PATHS}")
    if len(option.over) > MAX_ROWS:
        raise ExerciseError(f"{len(option.over)} dates, expected at most {MAX_ROWS}")
    years = [0.0, *option.years]
    discounts = [option.model.discount(t) for t in years]
    found = np.zeros((len(option.over), 3), np.float32)
    with engines.session(engine) as device:
        run = _Runs(device, option, paths)
        run.simulate(seed)
        run.decide(len(found) - 1, 0.0, found[-1])
        for row in reversed(range(len(found) - 1)):
            later = discounts[row + 2] / discounts[row + 1]
            found[row] = _regression(run.moments(row, later), option.over.times[row])
            run.decide(row, later, found[row])
    return Regression(option, found)


def simulated_prices(device: engines.Session, option: BermudanOption, paths: int, seed: int) -> Any:
    """Prices of the asset by date and path, in an array of the device."""
    kernel, spot = paths_kernel(), option.model.assets[0].spot
    law = option.model.row_numbers(np.array(option.years)).T.astype(np.float32)
    launch = kernel.contract.launch(paths=paths, rows=len(option.over), spot=spot, seed=seed)
    prices = device.zeros(launch, "prices")
    device.run(kernel.ptx(), launch, {"prices": prices, "law": device.array(law)})
    return prices


def _regression(moments: NDArray[np.float64], time: float) -> NDArray[np.float32]:
    """The coefficients, from the sums of a date."""
    powers, right = moments[:5], moments[5:]
    matrix = np.array([powers[k : k + 3] for k in range(3)])
    q, r = np.linalg.qr(matrix)
    diagonal = np.abs(np.diag(r))
    if diagonal.min() <= SINGULAR * diagonal.max():
        message = (
            f"the regression at {time:g} of the maturity is singular, on {powers[0]:.0f} paths "
            "where exercise pays: the policy does not exercise then"
        )
        warn(message, ExerciseWarning, stacklevel=4)
        return np.array([NEVER, 0.0, 0.0], np.float32)
    return np.linalg.solve(r, q.T @ right).astype(np.float32)


@dataclass
class _Runs:
    """The launches of one fit; prices and values stay where the kernels run."""

    device: engines.Session
    option: BermudanOption
    paths: int

    def simulate(self, seed: int) -> None:
        self.prices = simulated_prices(self.device, self.option, self.paths, seed)
        self.values = self.device.array(np.zeros(self.paths, np.float32))

    def _row(self, row: int) -> Any:
        return self.prices[row * self.paths : (row + 1) * self.paths]

    def moments(self, row: int, discount: float) -> NDArray[np.float64]:
        """The sums of a date, of values discounted from the next one."""
        kernel, option = moments_kernel(), self.option
        launch = kernel.contract.launch(
            (min(-(-self.paths // SEGMENT), 1024),),
            paths=self.paths, strike=option.strike, sign=option.sign, discount=discount,
        )  # fmt: skip
        sums = self.device.zeros(launch, "sums")
        arrays = {"sums": sums, "prices": self._row(row), "values": self.values}
        self.device.run(kernel.ptx(), launch, arrays)
        parts = self.device.host(sums).reshape(-1, TERMS)
        return np.array([sum(part) for part in parts.T.tolist()])

    def decide(self, row: int, discount: float, coefficients: NDArray[np.float32]) -> None:
        kernel, option = decide_kernel(), self.option
        constant, linear, square = coefficients.tolist()
        launch = kernel.contract.launch(
            paths=self.paths, strike=option.strike, sign=option.sign, discount=discount,
            constant=constant, linear=linear, square=square,
        )  # fmt: skip
        self.device.run(kernel.ptx(), launch, {"values": self.values, "prices": self._row(row)})


_PATHS: Final = """\
{
    unsigned path = blockIdx.x * blockDim.x + threadIdx.x;
    if (path >= paths)
        return;
    float x = 0.0f;
    D::Normals normals = {};
    float* next = prices + path;
#pragma unroll 1
    for (unsigned row = 0; row < rows; row++) {
        D::draw(normals, make_uint2(path, 0), row, seed);
        x += law[2 * row] + law[2 * row + 1] * normals.z[0];
        *next = spot * __expf(x);
        next += paths;
    }
}
"""

_MOMENTS: Final = """\
{
    __shared__ double part[TERMS][SEGMENT + 1];  // the last reads run down a column
    for (unsigned segment = blockIdx.x; segment < segments; segment += gridDim.x) {
        for (unsigned slot = threadIdx.x; slot < SEGMENT; slot += blockDim.x) {
            unsigned path = segment * SEGMENT + slot;
            double n = 0.0, x = 0.0, y = 0.0;
            if (path < paths) {
                float price = prices[path], value = values[path] * discount;
                bool pays = sign * (price - strike) > 0.0f;
                n = pays ? 1.0 : 0.0;
                x = pays ? price / strike : 0.0f;
                y = pays ? value : 0.0f;
            }
            part[0][slot] = n;
            part[1][slot] = x;
            part[2][slot] = x * x;
            part[3][slot] = x * x * x;
            part[4][slot] = x * x * x * x;
            part[5][slot] = y;
            part[6][slot] = x * y;
            part[7][slot] = x * x * y;
        }
        __syncthreads();
        for (unsigned half = SEGMENT / 2; half > 0; half /= 2) {
            for (unsigned slot = threadIdx.x; slot < half; slot += blockDim.x)
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
    float x = prices[path] / strike, gain = sign * (prices[path] - strike);
    float value = values[path] * discount;
    if (gain > 0.0f && gain >= constant + x * (linear + x * square))
        value = gain;
    values[path] = value;
}
"""

_PATHS_RANGE: Final = Scalar(np.uint32, 1, MAX_PATHS)
_MONEY: Final = Scalar(np.float32, 0.0, 1e9)
_OPTION: Final = {
    "strike": _MONEY,
    "sign": Scalar(np.float32, -1.0, 1.0),
    "discount": Scalar(np.float32, 0.0, 1e9),
}


def paths_kernel() -> EmittedKernel:
    """Prices by date and path. ``law`` has drift and diffusion of each date."""
    contract = KernelContract(
        "lsmc_paths",
        {
            "prices": GlobalArray(np.float32, "rows*paths"),
            "law": GlobalArray(np.float32, "2*rows", const=True),
            "paths": _PATHS_RANGE,
            "rows": Scalar(np.uint32, 1, MAX_ROWS),
            "spot": _MONEY,
            "seed": Scalar(np.uint64, 0, 2**64 - 1),
        },
        (BLOCK,),
        ("paths",),
    )
    body = Fragment("lsmc_paths", __file__, _PATHS, {"D": Draws(1).fragment})
    return EmittedKernel(body, contract, "Prices of one asset by date and path.")


def moments_kernel() -> EmittedKernel:
    """The sums of a regression, by segment and term."""
    contract = KernelContract(
        "lsmc_moments",
        {
            "sums": GlobalArray(np.float64, f"{TERMS}*segments"),
            "prices": GlobalArray(np.float32, "paths", const=True),
            "values": GlobalArray(np.float32, "paths", const=True),
            "segments": Scalar(
                np.uint32, 1, MAX_PATHS // SEGMENT, equals=f"(paths + {SEGMENT - 1})//{SEGMENT}"
            ),
            "paths": _PATHS_RANGE,
            **_OPTION,
        },
        (BLOCK,),
    )
    constants = {"SEGMENT": SEGMENT, "TERMS": TERMS}
    body = Fragment("lsmc_moments", __file__, _MOMENTS, {}, constants)
    return EmittedKernel(body, contract, "The sums of a regression at one date.")


def decide_kernel() -> EmittedKernel:
    """What each path pays from a date on, from what it pays from the next one on."""
    coefficient = Scalar(np.float32, -3e38, 3e38)
    contract = KernelContract(
        "lsmc_decide",
        {
            "values": GlobalArray(np.float32, "paths"),
            "prices": GlobalArray(np.float32, "paths", const=True),
            "paths": _PATHS_RANGE,
            **_OPTION,
            "constant": coefficient,
            "linear": coefficient,
            "square": coefficient,
        },
        (BLOCK,),
        ("paths",),
    )
    body = Fragment("lsmc_decide", __file__, _DECIDE)
    return EmittedKernel(body, contract, "Exercise where it pays more than the regression.")
