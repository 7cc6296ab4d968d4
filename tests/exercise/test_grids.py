"""Quantization grids against the theory of quantization, and searches for the nearest point."""

from __future__ import annotations

import math

import numpy as np
import pytest

from pricing_kernels.exercise import quantization
from pricing_kernels.exercise.policy import ExerciseError
from pricing_kernels.exercise.quantization import grids
from pricing_kernels.exercise.quantization.grids import cells_by_numpy


def test_a_grid_on_the_line_is_the_best_one() -> None:
    """Known for two points; each point is the mean of its cell, and cells are symmetric."""
    assert grids.line_grid(2)[1] == pytest.approx(math.sqrt(2 / math.pi))
    x = grids.line_grid(64)
    weights, moments = grids.line_cells(x)
    np.testing.assert_allclose(x * weights, moments, atol=1e-12)
    np.testing.assert_allclose(x, -x[::-1], atol=1e-8)
    assert np.all(np.diff(x) > 0)


@pytest.mark.parametrize(
    ("points", "factors", "limit"),
    [(128, 1, math.sqrt(3) * math.pi / 2), (128, 2, 20 * math.pi / 9 / math.sqrt(3))],
)
def test_the_distance_falls_as_zador_says(points: int, factors: int, limit: float) -> None:
    """The mean squared distance times points^(2/d) comes near a known limit: that of equal cells on
    the line (Panter and Dite), of regular hexagons in the plane (Fejes Toth)."""
    grid = quantization.normal_grid(points, factors)
    sample = np.random.default_rng(1).standard_normal((20_000, factors))
    apart = sample - grid[grids.nearest(sample, grid)]
    distance = float((apart**2).sum(axis=1).mean())
    assert distance * points ** (2 / factors) == pytest.approx(limit, rel=0.05)


def test_a_point_in_the_plane_is_the_mean_of_its_cell() -> None:
    grid = quantization.normal_grid(16, 2)
    sample = np.random.default_rng(2).standard_normal((100_000, 2))
    cells = grids.nearest(sample, grid)
    for cell, point in enumerate(grid):
        inside = sample[cells == cell]
        error = inside.std(axis=0) / math.sqrt(len(inside))
        assert np.all(abs(inside.mean(axis=0) - point) < 4.5 * error + 0.02)


def test_a_cell_without_points_is_refused() -> None:
    sample = np.array([[0.0], [1.0], [2.0]])
    with pytest.raises(ExerciseError, match=r"^grid point 2 of 3 has no point of the sample in "):
        quantization.lloyd(sample, np.ones(3), np.array([[0.0], [1.5], [9.0]]))


@pytest.mark.parametrize("size", [1, 2, 3, 6, 7, 8, 100])
def test_a_tree_splits_by_one_coordinate_after_the_other(size: int) -> None:
    points = np.random.default_rng(3).standard_normal((size, 2))
    order = grids.tree_order(points)
    assert sorted(order) == list(range(size))
    for node in range(2, size + 1):
        above, child = node // 2, node
        while above:
            axis = (above.bit_length() - 1) % 2
            low, high = sorted((points[order[above - 1], axis], points[order[node - 1], axis]))
            assert low == points[order[(above, node)[child % 2 == 0] - 1], axis] or low == high
            assert high >= low
            above, child = above // 2, above


@pytest.mark.parametrize("search", ["brute", "tree"])
def test_searches_find_the_nearest_point(search: str) -> None:
    """The first of several: at random, at the points, between two of them, at 0 and far away."""
    grid = quantization.normal_grid(128, 2)
    between = 0.5 * (grid[1:] + grid[:-1])
    states = np.random.default_rng(4).standard_normal((3000, 2))
    far = np.array([[0.0, 0.0], [1e4, -1e4], [0.0, 1e12]])
    every = np.concatenate([states, grid, between, far]).T.astype(np.float32)
    found = quantization.nearest_cells(grid, every, search)
    assert np.array_equal(found, cells_by_numpy(grid, every))


def test_searches_break_ties_alike() -> None:
    """Points on a lattice, states on its lines: two or four points are as near."""
    axis = np.arange(8.0)
    lattice = np.stack([a.ravel() for a in np.meshgrid(axis, np.arange(16.0))], axis=1)
    lattice = lattice[grids.tree_order(lattice)]
    states = np.random.default_rng(5).integers(0, 30, (2, 2000)).astype(np.float32) / 2
    brute, tree = (quantization.nearest_cells(lattice, states, s) for s in ("brute", "tree"))
    assert np.array_equal(brute, tree)


def test_bad_states_are_refused() -> None:
    grid, states = quantization.normal_grid(8, 2), np.zeros((1, 5), np.float32)
    with pytest.raises(ExerciseError, match="1 x 5 states, expected 2 factors"):
        quantization.nearest_cells(grid, states)
    with pytest.raises(ExerciseError, match="search 'near', expected one of brute, tree"):
        quantization.nearest_cells(grid, states, "near")
