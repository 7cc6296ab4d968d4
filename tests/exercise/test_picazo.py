"""Picazo's method and its classifiers, against brute force, quadrature, and bad input."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import replace
from functools import partial

import numpy as np
import pytest

from pricing_kernels import engines
from pricing_kernels.exercise import lsmc, picazo
from pricing_kernels.exercise.classifiers import Classifier, LinearMachine, Stumps, _stump, constant
from pricing_kernels.exercise.picazo import _Scenarios
from pricing_kernels.exercise.policy import (
    BermudanOption,
    ExerciseError,
    ExerciseWarning,
    average,
    geometric_average,
)
from pricing_kernels.lint import lint
from pricing_kernels.payoffs import S, assets, black_scholes, dates, price
from pricing_kernels.payoffs.kernels import payoff_program

from .quadrature import bermudan

MODEL = black_scholes(100, 0.03, 0.3)
PUT = BermudanOption(MODEL, 100, 1.0, dates(10))
EUROPEAN_PUT = 10.3278618
RNG = np.random.default_rng(5)


def basket(number: int, steps: int) -> BermudanOption:
    """The paper's arithmetic call; a policy sees every asset."""
    model = black_scholes([100.0] * number, 0.03, 0.4, dividend=0.05)
    each = tuple(partial(S, a) for a in range(number))
    return BermudanOption(model, 100, 1.0, dates(steps), True, average(assets(number)), each)


GEOMETRIC = BermudanOption(
    black_scholes([100.0] * 40, 0.03, 0.4, dividend=0.05), 100, 1.0, dates(50), True,
    geometric_average(assets(40)),
)  # fmt: skip
GEOMETRIC_PRICE = 0.70651
"""The mean of 40 independent assets is one asset with this yield and volatility."""
AS_ONE_ASSET = {"rate": 0.03, "dividend": 0.128, "volatility": 0.4 / np.sqrt(40)}


def accepted(value: float, stderr: float, reference: float, tolerance: float) -> bool:
    """True if a policy may be worth so much, out of sample."""
    return reference - tolerance <= value <= reference + 4 * stderr


# --- the classifiers


def test_a_stump_is_the_best_one() -> None:
    for _ in range(20):
        values = np.sort(RNG.integers(0, 12, 15).astype(float))
        signed = RNG.choice([-1.0, 1.0], 15) * RNG.random(15)
        threshold, correlation = _stump(values, signed)
        sides = [np.where(values > t, 1.0, -1.0) @ signed for t in np.unique(values)[:-1]]
        assert abs(correlation) == pytest.approx(max(map(abs, sides)))
        assert np.where(values > threshold, 1.0, -1.0) @ signed == pytest.approx(correlation)


def score(stumps: Stumps, points: np.ndarray, found: np.ndarray) -> np.ndarray:
    total = np.full(len(points), found[0])
    for number, (threshold, weight) in enumerate(found[1:].reshape(-1, 2)):
        feature = 0 if number % 2 == 0 else 1
        total += np.where(points[:, feature] > threshold, weight, 0.0)
    return total


def test_boosting_divides_what_no_stump_divides() -> None:
    points = RNG.random((400, 2))
    signs = np.where(points.sum(axis=1) > 1.1, 1.0, -1.0)
    wrong = {}
    for rounds in (1, 60):
        stumps = Stumps(rounds)
        found = stumps.train(points, signs, np.ones(400))
        wrong[rounds] = (np.sign(score(stumps, points, found)) != signs).mean()
    assert wrong[60] < 0.03 < 0.2 < wrong[1]


def test_a_linear_machine_has_the_least_loss() -> None:
    """No small change of its coefficients is better, and it finds the line."""
    points = RNG.random((300, 3))
    signs = np.where(points @ [1.0, -2.0, 0.5] > 0.1, 1.0, -1.0)
    weights = RNG.random(300)
    machine = LinearMachine()
    found = machine.train(points, signs, weights)
    middle, spread = points.mean(axis=0), points.std(axis=0)

    def loss(c: np.ndarray) -> float:
        hinge = np.maximum(0.0, 1.0 - signs * machine.score(points.T, c)) ** 2
        unit = np.concatenate([[c[0] + c[1:] @ middle], c[1:] * spread])
        return float(weights @ hinge / weights.sum() + machine.penalty * unit @ unit)

    for k in range(4):
        for change in (-1e-3, 1e-3):
            assert loss(found) < loss(found + change * np.eye(4)[k])
    assert (np.sign(machine.score(points.T, found)) == signs).mean() > 0.97


# --- the fit


def scenarios(a_launch: int) -> np.ndarray:
    """What the European put is worth half a year before the maturity, from three prices."""
    option = BermudanOption(MODEL, 100, 1.0, dates(2))
    with engines.session("simt") as device:
        run = _Scenarios(device, option, LinearMachine(), 4000, 3, a_launch)
        run.set(1, constant(run.size, 1.0))
        return run.continuing(0, np.array([[80.0, 100.0, 120.0]], np.float32))


def test_continuing_is_worth_the_price_from_each_point() -> None:
    found = scenarios(512)
    for value, spot in zip(found, (80, 100, 120), strict=True):
        there = black_scholes(spot, 0.03, 0.3)
        put = BermudanOption(there, 100, 0.5, dates(1))
        expected = price(put.european(), there, 0.5, paths=20_000, seed=8)
        assert abs(value - expected.price) < 4 * expected.stderr * (1 + np.sqrt(5))


def test_bits_do_not_depend_on_how_points_are_divided_among_launches() -> None:
    assert np.array_equal(scenarios(512), scenarios(1))


@pytest.mark.parametrize(
    "classifier", [Stumps(12), LinearMachine()], ids=lambda c: type(c).__name__
)
def test_the_policy_of_a_put_is_worth_the_put(classifier: Classifier) -> None:
    found = picazo.price(
        PUT, classifier, paths=50_000, points=128, point_paths=256, seed=1, control=EUROPEAN_PUT
    )
    assert accepted(found.price, found.stderr, bermudan(10), 0.06), found


def test_a_date_at_which_no_point_pays_is_named() -> None:
    option = BermudanOption(black_scholes(100, 0.03, 0.01), 80, 1.0, dates(2))
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        policy = picazo.fit(option, LinearMachine(), 4, 16, 1)
    (said,) = heard
    assert said.category is ExerciseWarning
    assert "exercise pays at none of 32 points at 0.5 of the maturity" in str(said.message)
    assert policy.coefficients[0].tolist() == [-1.0, 0.0]


def test_a_launch_is_proved_in_every_property() -> None:
    policy = picazo.Classification(PUT, Stumps(4), np.ones((10, 9), np.float32))
    kernel = payoff_program(policy.payoff(), MODEL).kernel("scenarios")
    launch = kernel.contract.launch((2, 3), starts=3, paths=500, rows=4, stream=65536, seed=1)
    code, said = lint(kernel, launch=launch, strict=True)
    assert code == 0, said
    assert said.startswith("no findings"), said


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: picazo.fit(PUT, Stumps(), 0, 1, 1), "0 training points, expected 1 to 65536"),
        (lambda: picazo.fit(PUT, Stumps(), 1, 0, 1), "0 paths from a point, expected 1 to"),
    ],
)
def test_bad_input_is_refused(make: Callable[[], object], said: str) -> None:
    with pytest.raises(ExerciseError, match=said):
        make()


# --- the paper's prices


def test_one_price_of_the_paper_is_wrong() -> None:
    """Table I: the two prices are given with half a 95 % interval."""
    reference = bermudan(50, call=True, **AS_ONE_ASSET)
    assert reference == pytest.approx(GEOMETRIC_PRICE, abs=2e-4)
    assert bermudan(50) == pytest.approx(10.60065, abs=1e-3)
    assert accepted(0.70557, 0.00135 / 1.96, reference, 0.006)
    assert not accepted(0.68976, 0.00147 / 1.96, reference, 0.006)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("option", "low", "high"),
    [
        (basket(5, 50), 6.352 - 0.018, 6.486 + 0.033),
        (basket(10, 100), 4.309 - 0.014, 4.448 + 0.036),
    ],
    ids=["5 assets", "10 assets"],
)
def test_the_arithmetic_calls(option: BermudanOption, low: float, high: float) -> None:
    """The bounds are those of other policies and of duality (Andersen and Broadie), each with two
    standard errors."""
    found = lsmc.price(replace(option, also=()), paths=200_000, fit_paths=50_000, seed=1)
    assert low <= found.price <= high, found


@pytest.mark.slow
def test_the_geometric_call_on_forty_assets() -> None:
    for policy in (
        lsmc.fit(GEOMETRIC, 10_000, 1).payoff(),
        picazo.fit(GEOMETRIC, Stumps(8), 128, 128, 1).payoff(),
    ):
        found = price(policy, GEOMETRIC.model, paths=100_000, seed=7)
        assert accepted(found.price, found.stderr, GEOMETRIC_PRICE, 0.006), found
