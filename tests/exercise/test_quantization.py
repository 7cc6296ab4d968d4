"""Quantization trees against the normal law, known prices, and bad input."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from pricing_kernels.draws import normal_numbers
from pricing_kernels.exercise import quantization
from pricing_kernels.exercise.policy import BermudanOption, ExerciseError
from pricing_kernels.exercise.quantization import GaussianProcess, QuantizationTree
from pricing_kernels.lint import lint
from pricing_kernels.payoffs import black_scholes, dates

MODEL = black_scholes(100, 0.03, 0.3)
REVERTING = GaussianProcess(volatility=0.7, speed=4.0)
THIRTY = QuantizationTree(REVERTING, tuple(k / 30 for k in range(30)), 64)
ON_TWO = BermudanOption(black_scholes([1.0, 2.0], 0, 0.1), 1, 1.0, dates(2))
SMALL = QuantizationTree(REVERTING, (0.0, 0.1, 0.4), 64)


def test_a_grid_is_the_best_one() -> None:
    """Known for two points; each point is the mean of its cell, and cells are symmetric."""
    assert quantization.normal_grid(2)[1] == pytest.approx(np.sqrt(2 / np.pi))
    x = np.array(quantization.normal_grid(64))
    weights, moments = quantization._cells(x)
    np.testing.assert_allclose(x * weights, moments, atol=1e-12)
    np.testing.assert_allclose(x, -x[::-1], atol=1e-8)
    assert np.all(np.diff(x) > 0)


def test_counts_are_those_of_numpy() -> None:
    """The same paths: nearest grid points by numpy, in float32."""
    paths = 2000
    z = normal_numbers(9, np.arange(paths, dtype=np.uint32), 3, 1)[:, 0]
    x = np.zeros(paths, np.float32)
    before = np.zeros(paths, np.int64)
    expected = np.zeros((3, 64, 64), np.uint32)
    for date, (decay, noise, inverse) in enumerate(SMALL.law):
        x = decay * x + noise * z[date]
        cell = np.abs(x[:, None] * inverse - SMALL.grid.astype(np.float32)).argmin(axis=1)
        np.add.at(expected[date], (before, cell), 1)
        before = cell
    found = quantization.transitions(SMALL, paths, seed=9)
    moved = np.abs(found.astype(int) - expected.astype(int)).sum()
    assert moved <= 8  # a path on the border of two cells may round to the other


def test_counts_follow_the_normal_law() -> None:
    """Chi-square of the first cells that paths reach, at 0.1, against the exact probabilities."""
    tree = QuantizationTree(REVERTING, (0.1, 0.2), 64)
    paths = 20_000
    counts = quantization.transitions(tree, paths, seed=5)[0, 0]
    expected = paths * quantization._cells(tree.grid)[0]
    square = float(((counts - expected) ** 2 / expected).sum())
    assert abs(square - 63) < 4 * np.sqrt(2 * 63)


SWINGS = {(0, 1): 4.9406, (0, 5): 21.3408, (10, 20): 44.2487, (0, 30): 53.37509, (30, 30): 0.0}


@pytest.mark.parametrize("volume", SWINGS)
def test_a_swing_option_has_its_price(volume: tuple[int, int]) -> None:
    move = quantization.exact_transitions(THIRTY)
    pay = [
        20 * np.exp(THIRTY.values(k) - 0.5 * REVERTING.deviation(THIRTY.years[k]) ** 2) - 20
        for k in range(30)
    ]
    found = quantization.swing(THIRTY, move, pay, *volume)
    assert found == pytest.approx(SWINGS[volume], rel=5e-3, abs=0.05)


def test_the_policy_of_a_put_is_worth_the_put() -> None:
    put = BermudanOption(MODEL, 100, 1.0, dates(50))
    found = quantization.price(
        put, points=64, tree_paths=8000, paths=60_000, seed=1, control=10.3278618
    )
    assert 10.60065 - 0.03 <= found.price <= 10.60065 + 4 * found.stderr, found


@pytest.mark.parametrize(
    ("make", "numbers"),
    [
        (quantization.transitions_kernel, {"paths": 300, "rows": 2, "seed": 1}),
        (quantization.backward_kernel, {"discount": 1}),
        (quantization.swing_kernel, {"taken": 3}),
    ],
)
def test_a_launch_is_proved_in_every_property(
    make: Callable[[int], quantization.EmittedKernel], numbers: dict[str, float]
) -> None:
    kernel = make(64)
    code, said = lint(kernel, launch=kernel.contract.launch(**numbers), strict=True)
    assert code == 0, said
    assert said.startswith("no findings"), said


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: quantization.normal_grid(0), "0 grid points, expected 1 to 256"),
        (lambda: QuantizationTree(REVERTING, (0.2, 0.1)), "rising times from 0 on"),
        (lambda: quantization.fit(ON_TWO, 64, 100, 1), "a model of 2 assets, expected one"),
        (lambda: quantization.transitions(SMALL, 0), "0 paths, expected 1 to"),
        (
            lambda: quantization.swing(SMALL, quantization.exact_transitions(SMALL), [], 2, 1),
            "2 to 1 of 3 dates",
        ),
    ],
)
def test_bad_input_is_refused(make: Callable[[], object], said: str) -> None:
    with pytest.raises(ExerciseError, match=said):
        make()
