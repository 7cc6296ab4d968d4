"""Least squares Monte Carlo against known prices, numpy on the same paths, and bad input."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from pricing_kernels import engines
from pricing_kernels.draws import normal_numbers
from pricing_kernels.exercise import lsmc
from pricing_kernels.exercise.paths import recorded
from pricing_kernels.exercise.policy import (
    BermudanOption,
    ExerciseError,
    ExerciseWarning,
    largest,
)
from pricing_kernels.lint import lint
from pricing_kernels.payoffs import assets, black_scholes, dates, price
from pricing_kernels.payoffs.backends.numpy import at_date, prices

MODEL = black_scholes(100, 0.03, 0.3)
PUT = BermudanOption(MODEL, 100, 1.0, dates(50))
EUROPEAN_PUT, PUT_AT_50_DATES = 10.3278618, 10.60065  # closed form; quadrature
SMALL = {"paths": 1000, "stride": 5000, "strike": 100, "discount": 1}
COEFFICIENTS = {f"c{i}{j}": 1 - i for i, j in lsmc.powers(2, lsmc.DEGREE)}


def test_the_policy_of_a_put_is_worth_the_put() -> None:
    found = lsmc.price(PUT, paths=60_000, seed=1, control=EUROPEAN_PUT)
    assert PUT_AT_50_DATES - 0.03 <= found.price <= PUT_AT_50_DATES + 4 * found.stderr, found
    assert found.price > EUROPEAN_PUT + 4 * found.stderr


TWO = black_scholes([100, 100], 0.05, 0.2, dividend=0.1)
ON_TWO = BermudanOption(
    TWO, 100, 3.0, dates(9), True, largest(assets(2)), (largest(assets(2), rank=2),)
)


def european_on_two() -> float:
    """The price of the European call on the larger of the two, by the trapezoidal rule."""
    z = np.linspace(-7, 7, 1401)
    spot = 100 * np.exp((0.05 - 0.1 - 0.02) * 3 + 0.2 * np.sqrt(3) * z)
    density = np.exp(-0.5 * z**2) / np.sqrt(2 * np.pi) * (z[1] - z[0])
    gain = np.maximum(np.maximum(spot[:, None], spot) - 100, 0)
    return float(np.exp(-0.15) * density @ gain @ density)


@pytest.mark.parametrize(
    ("paths", "fit_paths"),
    [(100_000, 20_000), pytest.param(1_000_000, 100_000, marks=pytest.mark.slow)],
)
def test_a_call_on_the_larger_of_two_assets_is_worth_it(paths: int, fit_paths: int) -> None:
    """13.902 is in the literature; finite differences come to 13.901."""
    found = lsmc.price(ON_TWO, paths=paths, fit_paths=fit_paths, seed=2, control=european_on_two())
    assert 13.902 - 0.05 <= found.price <= 13.902 + 4 * found.stderr, found


PATHS = 1000


def kept() -> np.ndarray:
    """The features of the option on two assets, by feature, date and path."""
    with engines.session("simt") as device:
        features = (ON_TWO.gain, *ON_TWO.also)
        found = device.host(recorded(device, ON_TWO, features, PATHS, 3))
    return found.reshape(2, 9, PATHS)


def test_prices_are_kept_as_numpy_has_them() -> None:
    z = normal_numbers(3, np.arange(PATHS, dtype=np.uint32), 9, 2)
    expected = np.array(prices(TWO, np.array(ON_TWO.years), z))
    np.testing.assert_allclose(kept()[0] + 100, expected.max(axis=1), rtol=1e-4)
    np.testing.assert_allclose(kept()[1], expected.min(axis=1), rtol=1e-4)
    first = [at_date(f(1.0), [*expected[0]]) for f in (ON_TWO.gain, *ON_TWO.also)]
    np.testing.assert_allclose(kept()[:, 0], first, atol=0.02)


def test_the_sums_of_a_regression_are_those_of_numpy() -> None:
    both = kept()[:, 4].astype(float)
    values = np.random.default_rng(1).random(PATHS).astype(np.float32)
    kernel = lsmc.moments_kernel(2)
    launch = kernel.contract.launch((3,), paths=PATHS, stride=PATHS, strike=100, discount=0.5)
    given = {"values": values, "features": both.astype(np.float32).reshape(-1)}
    found = engines.engine("simt")(kernel.ptx(), launch, given)["sums"].reshape(8, -1).sum(axis=0)
    x, y, pays = both[0] / 100, both[1] / 100 - 1, both[0] > 0
    powers = [(x**i * y**j)[pays] for i, j in lsmc.powers(2, 2 * lsmc.DEGREE)]
    paid = [(0.5 * values * x**i * y**j)[pays] for i, j in lsmc.powers(2, lsmc.DEGREE)]
    expected = [each.sum() for each in (*powers, *paid)]
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-5)


def test_a_call_without_dividends_is_not_worth_more_for_early_exercise() -> None:
    call = BermudanOption(MODEL, 100, 1.0, dates(12), call=True)
    european = price(call.european(), MODEL, paths=20_000, seed=3)
    found = lsmc.price(call, paths=20_000, fit_paths=4_000, seed=3)
    assert abs(found.price - european.price) < 4 * (found.stderr + european.stderr)


def by_numpy(option: BermudanOption, paths: int, seed: int) -> np.ndarray:
    """The coefficients from the same paths, by least squares in float64."""
    rows, terms = len(option.over), lsmc.DEGREE + 1
    z = normal_numbers(seed, np.arange(paths, dtype=np.uint32), rows, 1)[:, 0].astype(float)
    drift, diffusion = option.model.row_numbers(np.array(option.years))
    spots = 100 * np.exp(np.cumsum(drift[:, None] + diffusion[:, None] * z, axis=0))
    values = np.maximum(option.strike - spots[-1], 0)
    found = np.zeros((rows, terms))
    for row in reversed(range(rows - 1)):
        values *= np.exp(-0.03 * option.maturity / rows)
        gain = option.strike - spots[row]
        pays = gain > 0
        basis = np.vander(gain / option.strike, terms, increasing=True)
        found[row] = np.linalg.lstsq(basis[pays], values[pays], rcond=None)[0]
        values = np.where(pays & (gain >= basis @ found[row]), gain, values)
    return found


def test_the_kernels_regress_as_numpy_does() -> None:
    """At each date the two continuation values are near, over the prices where exercise pays."""
    option = BermudanOption(MODEL, 100, 1.0, dates(8))
    found = lsmc.fit(option, 3000, 11).coefficients
    basis = np.vander(np.linspace(0.0, 0.3, 9), lsmc.DEGREE + 1, increasing=True)
    np.testing.assert_allclose(basis @ found.T, basis @ by_numpy(option, 3000, 11).T, atol=0.05)


@pytest.mark.parametrize(
    "made",
    [
        pytest.param(kernel, marks=pytest.mark.slow if kernel.name == "lsmc_moments_2" else ())
        for kernel in lsmc.kernels()
    ],
    ids=lambda kernel: kernel.name,
)
def test_a_launch_is_proved_in_every_property(made: lsmc.EmittedKernel) -> None:
    given = {**SMALL, **COEFFICIENTS}
    numbers = {name: given[name] for name in made.contract.scalars if name in given}
    code, said = lint(made, launch=made.contract.launch(**numbers), strict=True)
    assert code == 0, said
    assert said.startswith("no findings"), said


def test_a_date_without_a_regression_is_named() -> None:
    option = BermudanOption(black_scholes(100, 0.03, 0.01), 80, 1.0, dates(2))
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        policy = lsmc.fit(option, 64, 1)
    (said,) = heard
    assert said.category is ExerciseWarning
    assert "the regression at 0.5 of the maturity is singular, on 0 paths" in str(said.message)
    assert policy.coefficients[0, 0] == np.float32(lsmc.NEVER)


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: lsmc.fit(PUT, 0, 1), "0 paths to fit 4 coefficients on, expected 4 to 1048576"),
        (lambda: lsmc.fit(ON_TWO, 9, 1), "9 paths to fit 10 coefficients on"),
        (
            lambda: lsmc.fit(replace(PUT, also=(PUT.underlying,) * 2), 100, 1),
            "3 prices to regress on, expected at most 2",
        ),
        (lambda: BermudanOption(MODEL, -1, 1.0, dates(2)), "strike -1, expected a positive number"),
        (lambda: BermudanOption(MODEL, 1, 0.0, dates(2)), "maturity 0.0, expected a positive"),
        (lambda: largest(assets(2), 3), "rank 3 of 2 assets"),
    ],
)
def test_bad_input_is_refused(make: Callable[[], object], said: str) -> None:
    with pytest.raises(ExerciseError, match=said):
        make()
