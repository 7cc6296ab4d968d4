"""A boundary fitted by a swarm, and its price on paths of its own.

The boundary is a gain, in parts of the strike, for each date: the policy exercises where the gain
is at least as much. It is 0 at the maturity and linear in the square root of the time to it between
nodes; the parameters are its values at the nodes. Near the maturity the boundary of an American put
without dividends falls off a little faster than that root (Barles, Burdeau, Romano and Samsoen,
Mathematical Finance 5, 1995).
"""

from __future__ import annotations

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

USUAL: Final = SwarmSearch()
FASTEST: Final = {"simt": STAGES[0], "cupy": STAGES[-1]}


@dataclass(frozen=True)
class Boundary:
    """A policy: by date, the gain from which on it exercises, in parts of the strike; ``turns`` of
    the swarm found it."""

    option: BermudanOption
    gains: tuple[float, ...]
    turns: int

    @property
    def spots(self) -> list[float]:
        """By date, the price of the asset at the boundary."""
        return [self.option.strike * (1 + self.option.sign * gain) for gain in self.gains]

    def payoff(self) -> Expression:
        """The payoff of the policy."""
        option = self.option
        least = by_date(option.over, [option.strike * gain for gain in self.gains])

        def stop(t: Expression) -> Expression:
            return (option.gain(t) > 0) & (option.gain(t) >= least[t])

        return exercised(option.over, option.model, option.maturity, option.gain, stop)


def price(
    option: BermudanOption,
    *,
    search: SwarmSearch = USUAL,
    paths: int = 100_000,
    fit_paths: int = 20_000,
    seed: int = 0,
    engine: str = "simt",
    stage: Stage | None = None,
    control: float | None = None,
) -> PayoffPrice:
    """The value of the fitted policy on paths of its own. ``control`` is the price of the European
    option, if it is known. Raises ExerciseError, PayoffError, EngineError."""
    policy = fit(option, search, fit_paths, seed ^ 2**63, engine, stage)
    known = None if control is None else (option.european(), control)
    return simulated(
        policy.payoff(), option.model, option.maturity,
        paths=paths, seed=seed, engine=engine, control=known,
    )  # fmt: skip


def fit(
    option: BermudanOption,
    search: SwarmSearch = USUAL,
    paths: int = 20_000,
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
        leader = swarm.leader[0].astype(float)
    parts = shapes(option, len(search.bounds)) @ leader
    return Boundary(option, tuple(np.maximum(parts, 0.0).tolist()), number + 1)


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
    basis = shapes(option, number) * UNITS * discounts(option)[:, None]
    return BoundaryProblem(paths, basis.astype(np.float32), box, seed)


def shapes(option: BermudanOption, parameters: int) -> NDArray[np.float64]:
    """By date and parameter, the part of the parameter in the boundary; 0 for those that are not
    used."""
    root = np.sqrt(1.0 - np.array(option.over.times))
    nodes = np.arange(parameters + 1) / parameters
    found = np.zeros((len(root), PARAMETERS))
    for k in range(parameters):
        found[:, k] = np.interp(root, nodes, np.arange(parameters + 1) == k + 1)
    return found


def discounts(option: BermudanOption) -> NDArray[np.float64]:
    return np.array([option.model.discount(years) for years in option.years])


def started(
    device: engines.Session,
    stage: Stage,
    option: BermudanOption,
    made: BoundaryProblem,
    search: SwarmSearch,
) -> Swarm:
    """The swarm of a stage, before its first turn."""
    gains = discounted_gains(device, option, made)
    if stage.kernels:
        return DeviceSwarm(device, stage, made, search, gains)
    host: Floats = device.host(gains).reshape(made.rows, made.paths)
    return HostSwarm(made, search, host)


def discounted_gains(device: engines.Session, option: BermudanOption, made: BoundaryProblem) -> Any:
    """By date and path, in units of the strike."""
    gains = recorded(device, option, (option.underlying,), made.paths, made.seed)
    kernel = gains_kernel()
    launch = kernel.contract.launch(paths=made.paths, rows=made.rows, strike=option.strike)
    factors = option.sign * UNITS / option.strike * discounts(option)
    arrays = {"values": gains, "factors": device.array(factors.astype(np.float32))}
    device.run(kernel.ptx(), launch, arrays)
    return gains
