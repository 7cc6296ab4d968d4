"""A boundary fitted by a swarm, and its price on paths of its own.

The search is for what early exercise adds to the European option of the last date, whose price has
a closed form: exercise at a date pays the gain, and gives up the European option. For every policy
the expectation of the difference is what the policy is worth above the European option, and it
varies far less from path to path than what the policy pays (control at the stopping time: N.
Rasmussen, Journal of Computational Finance 9, 2005). The difference is monotone in the price of the
asset, so a threshold on it is a boundary.

The threshold at a date is a part of what waiting costs: of the interest on the strike until the
last date for a put, of the dividends for a call. The parameters are this part at nodes of the
square root of the time left, linear between them. For an American put on an asset without dividends
it is nearly constant, so one parameter does.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from pricing_kernels import engines
from pricing_kernels.exercise.paths import recorded
from pricing_kernels.exercise.policy import BermudanOption, ExerciseError, exercised
from pricing_kernels.exercise.pso.kernels import (
    GROUP,
    MAX_PATHS,
    MAX_ROWS,
    PARAMETERS,
    gains_kernel,
)
from pricing_kernels.exercise.pso.stages import (
    STAGES,
    BoundaryProblem,
    DeviceSwarm,
    Floats,
    HostSwarm,
    Stage,
    Swarm,
    SwarmSearch,
)
from pricing_kernels.payoffs.language.expression import Expression
from pricing_kernels.payoffs.language.folds import by_date
from pricing_kernels.payoffs.pricing import PayoffPrice
from pricing_kernels.payoffs.pricing import price as simulated

UNITS: Final = 2**24  # of the strike: what a path pays is rounded to one
LEAST_VARIANCE: Final = 1e-12  # at the last date
FARTHEST: Final = 20.0  # a boundary from the strike, in logarithms
BISECTIONS: Final = 60

USUAL: Final = SwarmSearch()
FASTEST: Final = {"simt": STAGES[0], "cupy": STAGES[-1]}


@dataclass(frozen=True)
class Boundary:
    """A policy: by date, the price of the asset beyond which it exercises: below for a put, above
    for a call. ``turns`` of the swarm found it."""

    option: BermudanOption
    spots: tuple[float, ...]
    turns: int

    def payoff(self) -> Expression:
        """The payoff of the policy."""
        option = self.option
        boundary = by_date(option.over, self.spots)

        def stop(t: Expression) -> Expression:
            spot = option.underlying(t)
            beyond = spot > boundary[t] if option.call else spot < boundary[t]
            return beyond & (option.gain(t) > 0)

        return exercised(option.over, option.model, option.maturity, option.gain, stop)

    def price(
        self, paths: int, seed: int, engine: str = "simt", control: float | None = None
    ) -> PayoffPrice:
        """The value of the policy on paths that it was not fitted on, if the seed is another.
        Raises PayoffError, EngineError."""
        option = self.option
        known = None if control is None else (option.european(), control)
        return simulated(
            self.payoff(), option.model, option.maturity,
            paths=paths, seed=seed, engine=engine, control=known,
        )  # fmt: skip


def price(
    option: BermudanOption,
    *,
    search: SwarmSearch = USUAL,
    paths: int = 100_000,
    fit_paths: int = 4_000,
    seed: int = 0,
    engine: str = "simt",
    stage: Stage | None = None,
    control: float | None = None,
) -> PayoffPrice:
    """The value of the fitted policy on paths of its own. ``control`` is the price of the European
    option, if it is known. Raises ExerciseError, PayoffError, EngineError."""
    policy = fit(option, search, fit_paths, seed ^ 2**63, engine, stage)
    return policy.price(paths, seed, engine, control)


def fit(
    option: BermudanOption,
    search: SwarmSearch = USUAL,
    paths: int = 4_000,
    seed: int = 0,
    engine: str = "simt",
    stage: Stage | None = None,
) -> Boundary:
    """The boundary that pays most on simulated paths, as far as the swarm finds it. Each stage
    finds the same; without one, it is the fastest of the engine. Raises ExerciseError,
    EngineError."""
    made = problem(option, search, paths, seed)
    with engines.session(engine) as device:
        swarm = started(device, stage or FASTEST[engine], option, made, search)
        idle, most, number = 0, 0, 0
        for number in range(search.turns):
            swarm.turn(number)
            found = swarm.leader[1]
            idle, most = (0, found) if found > most else (idle + 1, most)
            if idle == search.patience:
                break
        return led(option, search, swarm, number + 1)


def led(option: BermudanOption, search: SwarmSearch, swarm: Swarm, turns: int) -> Boundary:
    """The boundary of the leader after so many turns."""
    european = EuropeanByDate(option)
    parts = nodes(option, len(search.bounds)) @ swarm.leader[0].astype(float)
    thresholds = np.maximum(parts * european.waiting, 0.0)
    return Boundary(option, tuple(european.spots(thresholds).tolist()), turns)


def problem(option: BermudanOption, search: SwarmSearch, paths: int, seed: int) -> BoundaryProblem:
    """What a swarm solves. Raises ExerciseError."""
    if not GROUP <= paths <= MAX_PATHS or paths % GROUP:
        expected = f"a multiple of {GROUP} up to {MAX_PATHS}"
        raise ExerciseError(f"{paths} paths to fit on, expected {expected}")
    if len(option.over) > MAX_ROWS:
        raise ExerciseError(f"{len(option.over)} dates, expected at most {MAX_ROWS}")
    number = len(search.bounds)
    box = np.zeros((2, PARAMETERS), np.float32)
    box[:, :number] = np.array(search.bounds).T
    european = EuropeanByDate(option)
    basis = nodes(option, number) * (UNITS * european.discounts * european.waiting)[:, None]
    return BoundaryProblem(paths, basis.astype(np.float32), box, seed)


def nodes(option: BermudanOption, parameters: int) -> NDArray[np.float64]:
    """By date and parameter, the weight of the parameter: linear between nodes of the square root
    of the time to the last date."""
    times = np.array(option.over.times)
    root = np.sqrt(1.0 - times / times[-1])
    found = np.zeros((len(root), PARAMETERS))
    for k in range(parameters):
        at = np.linspace(0.0, 1.0, parameters)
        found[:, k] = np.interp(root, at, np.arange(parameters) == k) if parameters > 1 else 1.0
    return found


class EuropeanByDate:
    """At each date, the European option of the last one, on one asset; prices and gains are in
    parts of the strike. Raises ExerciseError."""

    def __init__(self, option: BermudanOption) -> None:
        _ = option.asset  # or the error that there are several
        drift, deviation = option.model.row_numbers(np.array(option.years))
        later = np.cumsum(deviation[:0:-1] ** 2)[::-1]
        self.sign = option.sign
        self.strike = option.strike
        self.discounts = np.array([option.model.discount(years) for years in option.years])
        self.deviations = np.sqrt(np.append(later, LEAST_VARIANCE))
        self.growth = np.append(np.cumsum(drift[:0:-1])[::-1] + 0.5 * later, 0.0)
        self.to_last = self.discounts[-1] / self.discounts

    @property
    def laws(self) -> NDArray[np.float32]:
        """What ``pso_gains`` reads."""
        rows = self.discounts, self.growth, self.deviations, self.to_last
        return np.array(rows, np.float32).T

    @property
    def waiting(self) -> NDArray[np.float64]:
        """What waiting until the last date costs: interest on the strike of a put, dividends on the
        asset of a call."""
        kept = self.to_last * np.exp(self.growth) if self.sign > 0 else self.to_last
        found: NDArray[np.float64] = np.maximum(1.0 - kept, 0.0)
        return found

    def spots(self, thresholds: NDArray[np.float64]) -> NDArray[np.float64]:
        """The prices of the asset at which exercise pays so much more than the European option is
        worth, by bisection of their logarithms; 0 or infinity if none does."""
        inner, outer = np.zeros(len(thresholds)), np.full(len(thresholds), self.sign * FARTHEST)
        reached = self.gains(outer) >= thresholds
        for _ in range(BISECTIONS):
            middle = 0.5 * (inner + outer)
            beyond = self.gains(middle) >= thresholds
            inner, outer = np.where(beyond, inner, middle), np.where(beyond, middle, outer)
        found = np.where(reached, self.strike * np.exp(outer), np.inf if self.sign > 0 else 0.0)
        found[-1] = self.strike
        return found

    def gains(self, log_spots: NDArray[np.float64]) -> NDArray[np.float64]:
        """As ``pso_gains``, not discounted."""
        spots, sign = np.exp(log_spots), self.sign
        d = (log_spots + self.growth) / self.deviations + 0.5 * self.deviations
        forward = spots * np.exp(self.growth) * _cdf(sign * d)
        european = self.to_last * sign * (forward - _cdf(sign * (d - self.deviations)))
        found: NDArray[np.float64] = sign * (spots - 1.0) - european
        return found


def _cdf(x: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.array([0.5 * math.erfc(-each / math.sqrt(2.0)) for each in x.tolist()])


def started(
    device: engines.Session,
    stage: Stage,
    option: BermudanOption,
    made: BoundaryProblem,
    search: SwarmSearch,
) -> Swarm:
    """The swarm of a stage, before its first turn."""
    gains = exercise_gains(device, option, made)
    if stage.kernels:
        return DeviceSwarm(device, stage, made, search, gains)
    host: Floats = device.host(gains).reshape(made.rows, made.paths)
    return HostSwarm(made, search, host)


def exercise_gains(device: engines.Session, option: BermudanOption, made: BoundaryProblem) -> Any:
    """By date and path, what exercise adds to the European option."""
    values = recorded(device, option, (option.underlying,), made.paths, made.seed)
    kernel = gains_kernel()
    launch = kernel.contract.launch(
        paths=made.paths, rows=made.rows, strike=option.strike, sign=option.sign, unit=UNITS
    )
    arrays = {"values": values, "laws": device.array(EuropeanByDate(option).laws)}
    device.run(kernel.ptx(), launch, arrays)
    return values
