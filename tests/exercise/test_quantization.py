"""Quantization trees against the normal law, known prices, and bad input."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache

import numpy as np
import pytest

from pricing_kernels.exercise import quantization
from pricing_kernels.exercise.policy import BermudanOption, ExerciseError
from pricing_kernels.exercise.quantization import GaussianProcess, QuantizationTree
from pricing_kernels.exercise.quantization.grids import line_cells
from pricing_kernels.exercise.quantization.stopping import backward_kernel, boundaries
from pricing_kernels.exercise.quantization.swing import swing_kernel
from pricing_kernels.exercise.quantization.transitions import layers_kernel, transitions_kernel
from pricing_kernels.kernel import EmittedKernel
from pricing_kernels.lint import lint
from pricing_kernels.payoffs import black_scholes, dates

MODEL = black_scholes(100, 0.03, 0.3)
REVERTING = GaussianProcess((0.7,), (4.0,))
TWO_FACTORS = GaussianProcess((0.36, 1.11), (0.21, 5.4), -0.11)
MONTH = tuple(k / 30 for k in range(30))
THIRTY = QuantizationTree(REVERTING, MONTH, 64)
ON_TWO = BermudanOption(black_scholes([1.0, 2.0], 0, 0.1), 1, 1.0, dates(2))
TIMES = (0.0, 0.1, 0.4, 0.5)
TREES = {
    "paths": (QuantizationTree(REVERTING, TIMES, 64), QuantizationTree(TWO_FACTORS, TIMES, 128)),
    "layers": (QuantizationTree(REVERTING, TIMES, 64), QuantizationTree(TWO_FACTORS, TIMES, 64)),
}


def test_two_factors_keep_their_law() -> None:
    """A step leaves the standard normal law, and its noise is that of the process."""
    tree = TREES["layers"][1]
    for date in (2, 3):
        (left, noise) = tree.law[date].reshape(2, 2, 2).transpose(1, 0, 2).astype(float)
        np.testing.assert_allclose(left @ left.T + noise @ noise.T, np.eye(2), atol=1e-6)
    root, before = TWO_FACTORS.root(0.5), TWO_FACTORS.root(0.4)
    decay = np.exp(-0.1 * np.array([0.21, 5.4]))
    np.testing.assert_allclose(root @ left, np.diag(decay) @ before, atol=1e-6)


@pytest.mark.parametrize("by", TREES)
@pytest.mark.parametrize("factors", [1, 2])
def test_the_algorithms_count_the_same(by: str, factors: int) -> None:
    """Algorithm I, by numpy, against II and III on the interpreter: every count."""
    tree = TREES[by][factors - 1]
    found = quantization.transitions(tree, 3000, seed=9, by=by)
    assert np.array_equal(found, quantization.serial_transitions(tree, 3000, seed=9, by=by))
    assert found.sum() == 3000 * len(TIMES)


@pytest.mark.parametrize("by", TREES)
def test_rows_follow_the_normal_law(by: str) -> None:
    """Chi-square of the moves between two dates, against the integral over the cell before: of the
    moves by paths from 0.1 to 0.4, and of the moves by layers."""
    tree, paths = TREES["paths"][0], 200_000
    counts = quantization.serial_transitions(tree, paths, seed=5, by=by)[2]
    order = np.argsort(tree.grid[:, 0])
    x = tree.grid[order, 0]
    ends = np.concatenate([[-8.0], 0.5 * (x[1:] + x[:-1]), [8.0]])
    left, noise = tree.law[2].astype(float)
    nodes, weights = np.polynomial.legendre.leggauss(24)
    cdf = np.vectorize(lambda v: 0.5 * math.erfc(-v / math.sqrt(2)))
    square = cells = 0.0
    for cell in range(1, 63):
        half = 0.5 * (ends[cell + 1] - ends[cell])
        at = ends[cell] + half * (nodes + 1)
        density = weights * half * np.exp(-0.5 * at**2) / math.sqrt(2 * math.pi)
        moved = np.diff(cdf((ends[:, None] - left * at) / noise), axis=0) @ density * paths
        often = moved > 8
        seen = counts[order[cell], order]
        square += float(((seen - moved)[often] ** 2 / moved[often]).sum())
        square += float((seen - moved)[~often].sum() ** 2 / max(moved[~often].sum(), 1.0))
        cells += often.sum() + 1
    assert abs(square - cells) < 4 * math.sqrt(2 * cells), (square, cells)


def test_first_cells_follow_the_normal_law() -> None:
    """Chi-square of the first cells that paths reach, at 0.1, against the exact probabilities."""
    tree, paths = QuantizationTree(REVERTING, (0.1, 0.2), 64), 20_000
    counts = quantization.transitions(tree, paths, seed=5)[0, tree.origin]
    order = np.argsort(tree.grid[:, 0])
    expected = paths * line_cells(tree.grid[order, 0])[0]
    square = float(((counts[order] - expected) ** 2 / expected).sum())
    assert abs(square - 63) < 4 * np.sqrt(2 * 63)


SWINGS = {(0, 1): 4.9406, (0, 5): 21.3408, (10, 20): 44.2487, (0, 30): 53.37509, (30, 30): 0.0}


@pytest.mark.parametrize("volume", SWINGS)
def test_a_swing_option_has_its_price(volume: tuple[int, int]) -> None:
    move = quantization.exact_transitions(THIRTY)
    pay = [THIRTY.forwards(k, 20.0) - 20 for k in range(30)]
    found = quantization.swing(THIRTY, move, pay, *volume)
    assert found == pytest.approx(SWINGS[volume], rel=5e-3, abs=0.05)


def by_numpy(tree: QuantizationTree, move: np.ndarray, least: int, most: int) -> float:
    """The programme of a swing option in float64."""
    after = np.full((most + 2, tree.points), -1e30)
    after[least : most + 1] = 0.0
    for date in reversed(range(len(tree.years))):
        waited = after @ move[date + 1].astype(float) if date + 1 < len(tree.years) else after
        pay = tree.forwards(date, 20.0) - 20
        after = np.concatenate([np.maximum(waited[:-1], waited[1:] + pay), after[-1:]])
    return float(move[0, :, tree.origin].astype(float) @ after[0])


@cache
def estimated_on(points: int) -> np.ndarray:
    tree = QuantizationTree(TWO_FACTORS, MONTH, points)
    counts = quantization.serial_transitions(tree, 200_000, seed=1, by="layers")
    return quantization.estimated(counts)


TWO_FACTOR_SWINGS = {(0, 1): 8.4485, (10, 20): 70.89, (0, 30): 87.5455}


@pytest.mark.slow
@pytest.mark.parametrize("volume", TWO_FACTOR_SWINGS)
def test_a_swing_option_on_two_factors_has_its_price(volume: tuple[int, int]) -> None:
    """A grid in the plane errs by a multiple of 1/points: two grids take that out."""
    coarse, fine = (
        by_numpy(QuantizationTree(TWO_FACTORS, MONTH, points), estimated_on(points), *volume)
        for points in (128, 256)
    )
    assert coarse == pytest.approx(TWO_FACTOR_SWINGS[volume], rel=0.05)
    assert 2 * fine - coarse == pytest.approx(TWO_FACTOR_SWINGS[volume], rel=0.01)


def test_a_swing_option_on_two_factors_is_programmed_as_by_numpy() -> None:
    tree = QuantizationTree(TWO_FACTORS, MONTH[:10], 64)
    move = quantization.estimated(quantization.serial_transitions(tree, 20_000, 3))
    pay = [tree.forwards(k, 20.0) - 20 for k in range(10)]
    found = quantization.swing(tree, move, pay, 2, 4)
    assert found == pytest.approx(by_numpy(tree, move, 2, 4), rel=1e-5)


def value_of(boundary: list[float], size: int = 4001) -> float:
    """The put that is exercised below a boundary, by quadrature on the logarithm of the price."""
    volatility, rate, step = 0.3, 0.03, 1 / len(boundary)
    x = np.linspace(-1.8, 1.8, size)
    prices, apart = 100 * np.exp(x), x[1] - x[0]
    reach = math.ceil(8 * volatility * math.sqrt(step) / apart)
    offset = np.arange(-reach, reach + 1) * apart - (rate - 0.5 * volatility**2) * step
    kernel = np.exp(-(offset**2) / (2 * volatility**2 * step))
    kernel *= math.exp(-rate * step) / kernel.sum()
    values = np.maximum(100 - prices, 0)
    for limit in (*boundary[-2::-1], 0.0):
        waited = np.convolve(np.pad(values, reach, mode="edge"), kernel[::-1], "valid")
        values = np.where(prices < limit, 100 - prices, waited)
    return float(values[size // 2])


@pytest.mark.parametrize(
    ("number", "reference"),
    [(50, 10.60065), pytest.param(256, 10.60704, marks=pytest.mark.slow)],
)
def test_the_policy_of_a_put_is_worth_the_put(number: int, reference: float) -> None:
    """The policy's own value, without simulation: it is no more than the put's."""
    put = BermudanOption(MODEL, 100, 1.0, dates(number))
    assert reference - 0.02 <= value_of(boundaries(put, 64)) <= reference + 1e-4


def test_the_policy_is_priced_on_simulated_paths() -> None:
    put = BermudanOption(MODEL, 100, 1.0, dates(50))
    found = quantization.price(put, points=64, paths=60_000, seed=1, control=10.3278618)
    assert abs(found.price - 10.60065) <= 4 * found.stderr, found


SEEDED = {"paths": 300, "rows": 2, "seed": 1}


@pytest.mark.parametrize(
    ("kernel", "numbers"),
    [
        (transitions_kernel(1, 64), {**SEEDED, "origin": 0}),
        (layers_kernel(1, 64), SEEDED),
        (backward_kernel(64), {"discount": 1}),
        (swing_kernel(64), {"taken": 3}),
    ],
    ids=lambda given: given.name if isinstance(given, EmittedKernel) else "",
)
def test_a_launch_is_proved_in_every_property(
    kernel: EmittedKernel, numbers: dict[str, float]
) -> None:
    code, said = lint(kernel, launch=kernel.contract.launch(**numbers), strict=True)
    assert code == 0, said
    assert said.startswith("no findings"), said


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: quantization.normal_grid(0), "0 grid points, expected 1 to 256"),
        (lambda: QuantizationTree(REVERTING, (0.2, 0.1)), "rising times from 0 on"),
        (lambda: GaussianProcess((0.1,), (1.0, 2.0)), "1 volatilities and 2 speeds, expected one"),
        (lambda: GaussianProcess((0.1, 0.2), (1.0, 2.0), 1.0), "correlation 1.0: expected"),
        (lambda: quantization.fit(ON_TWO, 64), "a model of 2 assets, expected one"),
        (lambda: quantization.transitions(THIRTY, 0), "0 paths, expected 1 to"),
        (lambda: quantization.transitions(THIRTY, 9, by="rows"), "by 'rows', expected by paths or"),
        (lambda: layers_kernel(1, 128), "128 grid points, expected at most 96 by layers"),
        (lambda: quantization.exact_transitions(TREES["paths"][1]), "of two factors: expected a"),
        (
            lambda: quantization.estimated(
                quantization.serial_transitions(THIRTY, 5, by="layers")
            ),
            "cell .* is reached at date 1 and never left: expected more paths",
        ),
        (
            lambda: quantization.swing(THIRTY, quantization.exact_transitions(THIRTY), [], 2, 1),
            "2 to 1 of 30 dates",
        ),
    ],
)  # fmt: skip
def test_bad_input_is_refused(make: Callable[[], object], said: str) -> None:
    with pytest.raises(ExerciseError, match=said):
        make()
