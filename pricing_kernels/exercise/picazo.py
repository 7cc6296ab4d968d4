"""Picazo's method: at each date, from the last one back, a classifier says from prices whether to
exercise.

A date's training points are prices on simulated paths on which exercise pays. What continuing is
worth from each point is the mean of what the policy pays from the next date on, over paths of its
own. One launch simulates the paths of all points of a date, each point with its own stream of
counted normal numbers: the fit does not depend on block or grid, nor on the time of day. The paper
(pricing American basket options on GPUs by classification) has a launch a point, and seeds from a
clock. It also lets a thread begin its next path when one has stopped. Here a warp stays at one date
and reads one set of coefficients; a path that has stopped does nothing until the maturity.

A wrong decision costs the difference between exercise and continuing, which is a point's weight.

Source: J. Picazo, "American option pricing: a classification-Monte Carlo approach", Monte Carlo and
Quasi-Monte Carlo Methods 2000, Springer, 2002.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final
from warnings import warn

import numpy as np
from numpy.typing import NDArray

from pricing_kernels import engines
from pricing_kernels.draws import normal_numbers
from pricing_kernels.exercise.classifiers import Classifier, Numbers, Stumps, constant
from pricing_kernels.exercise.policy import (
    BermudanOption,
    ExerciseError,
    ExerciseWarning,
    exercised,
)
from pricing_kernels.payoffs.backends.numpy import at_date, prices
from pricing_kernels.payoffs.kernels import PayoffProgram, payoff_program
from pricing_kernels.payoffs.language.expression import Expression, literal
from pricing_kernels.payoffs.language.folds import by_date
from pricing_kernels.payoffs.pricing import SEGMENTS_A_LAUNCH, PayoffPrice
from pricing_kernels.payoffs.pricing import price as simulated
from pricing_kernels.payoffs.simulation import MAX_STARTS, SEGMENT

STUMPS: Final = Stumps()
PATHS_A_POINT: Final = 8  # paths on which one training point is looked for
MAX_PATHS: Final = 2**24  # from a point
MAX_ROWS: Final = 2**12

Floats = NDArray[np.float32]


@dataclass(frozen=True)
class Classification:
    """A policy: by date, the coefficients of a classifier of the option's prices, over the
    strike."""

    option: BermudanOption
    classifier: Classifier
    coefficients: Floats

    def payoff(self) -> Expression:
        """The payoff of the policy: exercise that pays, where the classifier says so."""
        option = self.option
        columns = [by_date(option.over, column) for column in self.coefficients.T]

        def stop(t: Expression) -> Expression:
            features = [price(t) / option.strike for price in (option.underlying, *option.also)]
            score = self.classifier.score(features, [column[t] for column in columns])
            return (option.gain(t) > 0) & literal(score >= 0)

        return exercised(option.over, option.model, option.maturity, option.gain, stop)


def price(
    option: BermudanOption,
    classifier: Classifier = STUMPS,
    *,
    paths: int = 100_000,
    points: int = 256,
    point_paths: int = 512,
    seed: int = 0,
    engine: str = "simt",
    control: float | None = None,
) -> PayoffPrice:
    """The value of the fitted policy on paths of its own. ``control`` is the price of the European
    option, if it is known. Raises ExerciseError, PayoffError, EngineError."""
    policy = fit(option, classifier, points, point_paths, seed ^ 2**63, engine)
    known = None if control is None else (option.european(), control)
    return simulated(
        policy.payoff(), option.model, option.maturity,
        paths=paths, seed=seed, engine=engine, control=known,
    )  # fmt: skip


def fit(
    option: BermudanOption,
    classifier: Classifier,
    points: int,
    paths: int,
    seed: int,
    engine: str = "simt",
) -> Classification:
    """Classifiers trained on so many points a date, with so many paths from each. Warns of the
    dates at which exercise pays at no point: there the policy never exercises. Raises
    ExerciseError, EngineError."""
    limits = {"training points": (points, MAX_STARTS), "paths from a point": (paths, MAX_PATHS)}
    for name, (number, most) in limits.items():
        if not 1 <= number <= most:
            raise ExerciseError(f"{number} {name}, expected 1 to {most}")
    if len(option.over) > MAX_ROWS:
        raise ExerciseError(f"{len(option.over)} dates, expected at most {MAX_ROWS}")
    features = (option.underlying, *option.also)
    z = normal_numbers(
        seed, np.arange(points * PATHS_A_POINT, dtype=np.uint32), len(option.over),
        option.model.dynamics.normals,
    )  # fmt: skip
    visited = prices(option.model, np.array(option.years), z)
    with engines.session(engine) as device:
        run = _Scenarios(device, option, classifier, paths, seed, SEGMENTS_A_LAUNCH[engine])
        run.set(len(option.over) - 1, constant(run.size, 1.0))
        for row in reversed(range(len(option.over) - 1)):
            gains = at_date(option.gain(1.0), visited[row])
            pays = np.flatnonzero(gains > 0)[:points]
            spots = [spot[pays] for spot in visited[row]]
            if not len(pays):
                _say_that_none_pays(option.over.times[row], len(gains))
                run.set(row, constant(run.size, -1.0))
                continue
            less = gains[pays] - run.continuing(row, np.array(spots))
            given = np.column_stack([at_date(f(1.0), spots) / option.strike for f in features])
            run.set(row, _trained(classifier, given.astype(float), less))
    return Classification(option, classifier, run.coefficients)


def _say_that_none_pays(time: float, points: int) -> None:
    message = (
        f"exercise pays at none of {points} points at {time:g} of the maturity: the policy does "
        "not exercise then"
    )
    warn(message, ExerciseWarning, stacklevel=3)


def _trained(classifier: Classifier, points: Numbers, less: Numbers) -> Numbers:
    """The coefficients, from points and what continuing is worth less than exercise there."""
    signs = np.where(less >= 0.0, 1.0, -1.0)
    if len(set(signs)) == 1:
        return constant(classifier.size(points.shape[1]), signs[0])
    return classifier.train(points, signs, np.abs(less))


@dataclass
class _Scenarios:
    """The launches of one fit: one kernel, and a table of which a date takes the rows after it."""

    device: engines.Session
    option: BermudanOption
    classifier: Classifier
    paths: int
    seed: int
    segments_a_launch: int

    @cached_property
    def size(self) -> int:
        return self.classifier.size(1 + len(self.option.also))

    @cached_property
    def coefficients(self) -> Floats:
        """By date; a number of its own for each coefficient before any is known."""
        rows = len(self.option.over)
        return np.tile(-1.0 - np.arange(self.size, dtype=np.float32), (rows, 1))

    @cached_property
    def program(self) -> PayoffProgram:
        policy = Classification(self.option, self.classifier, self.coefficients)
        return payoff_program(policy.payoff(), self.option.model)

    @cached_property
    def table(self) -> NDArray[np.uint32]:
        """By column and row, without the inputs of the run."""
        words = self.program.table(self.option.maturity)[self.program.program.run_words :]
        return words.reshape(-1, self.program.program.rows).copy()

    @cached_property
    def columns(self) -> Sequence[int]:
        """The column of each coefficient."""
        own = [numbers[0] for numbers in self.program.program.by_date]
        first = self.program.program.columns - len(own)
        return [first + own.index(-1.0 - number) for number in range(self.size)]

    def set(self, row: int, coefficients: Numbers) -> None:
        """The coefficients of a date."""
        columns = self.columns  # before the numbers that tell them apart are lost
        self.table[columns, row] = coefficients.astype(np.float32).view(np.uint32)
        self.coefficients[row] = coefficients

    def continuing(self, row: int, spots: Floats) -> Numbers:
        """What continuing is worth at a date, from each of some points (asset, point)."""
        option, program, kernel = (
            self.option,
            self.program.program,
            self.program.kernel("scenarios"),
        )
        head = np.zeros(program.run_words, np.uint32)
        table = self.device.array(np.concatenate([head, self.table[:, row + 1 :].reshape(-1)]))
        runs = np.zeros((spots.shape[1], program.run_words), np.float32)
        runs[:, : len(spots)] = spots.T
        segments, found = -(-self.paths // SEGMENT), []
        step = max(self.segments_a_launch // segments, 1)
        for first in range(0, len(runs), step):
            part = runs[first : first + step]
            launch = kernel.contract.launch(
                (segments, len(part)),
                starts=len(part), paths=self.paths, rows=len(option.over) - 1 - row,
                stream=(row + 1) * MAX_STARTS + first, seed=self.seed,
            )  # fmt: skip
            sums = self.device.zeros(launch, "sums")
            given = self.device.array(part.view(np.uint32).reshape(-1))
            self.device.run(kernel.ptx(), launch, {"sums": sums, "runs": given, "table": table})
            found.append(self.device.host(sums).reshape(len(part), segments).sum(axis=1))
        means = np.concatenate(found) / self.paths
        if not np.isfinite(means).all():
            raise ExerciseError(f"from {option.over.times[row]:g} on a path pays no finite number")
        model = option.model
        discounted: Numbers = (
            means * model.discount(option.maturity) / model.discount(option.years[row])
        )
        return discounted
