"""Grids of the standard normal law in one and two dimensions, by Lloyd's iteration: each point
becomes the mean of its cell, until no cell changes.

On the line, the means of cells are known and Newton's method ends the search. In the plane, cells
are taken from a fine mesh with normal weights, and the iteration begins at a sunflower: turns of
the golden angle, as dense as the best grid is where there are many points (Zador: the root of the
density, which is normal with twice the variance).

Points are in the order of a balanced kd-tree: the children of point i, counted from 1, are 2i and
2i + 1. A point splits by one coordinate, the next level by the next.

Sources: S. Lloyd, "Least squares quantization in PCM", IEEE Transactions on Information Theory 28,
1982; G. Pages and J. Printems, "Optimal quadratic quantization for numerics: the Gaussian case",
Monte Carlo Methods and Applications 9, 2003.
"""

from __future__ import annotations

import math
from functools import lru_cache
from statistics import NormalDist
from typing import Final

import numpy as np
from numpy.typing import NDArray

from pricing_kernels.exercise.policy import ExerciseError
from pricing_kernels.exercise.quantization.process import Floats, Reals

MAX_POINTS: Final = 256
LINE_TURNS: Final = 50  # of Lloyd's, before Newton's
NEWTON_TURNS: Final = 8
PLANE_TURNS: Final = 100
MESH: Final = np.linspace(-5.5, 5.5, 121)  # the best grids in the plane to 1e-3 of the distance
CHUNK: Final = 4096  # states that are compared at once
GOLDEN_ANGLE: Final = math.pi * (3 - math.sqrt(5))


@lru_cache(maxsize=8)
def normal_grid(points: int, factors: int = 1) -> Reals:
    """The grid of so many points with the least mean squared distance from the standard normal law,
    by point and coordinate, in the order of a tree. Raises ExerciseError."""
    if not 1 <= points <= MAX_POINTS:
        raise ExerciseError(f"{points} grid points, expected 1 to {MAX_POINTS}")
    found = line_grid(points)[:, None] if factors == 1 else _plane_grid(points)
    ordered = found[tree_order(found)]
    ordered.setflags(write=False)
    return ordered


def lloyd(sample: Reals, weights: Reals, start: Reals, turns: int = PLANE_TURNS) -> Reals:
    """The grid that Lloyd's iteration comes to from ``start``: points of the sample and the grid by
    number and coordinate. Raises ExerciseError for a cell without points of the sample."""
    grid = np.array(start, float)
    before = np.empty(0, np.intp)
    for _ in range(turns):
        cells = nearest(sample, grid)
        if np.array_equal(cells, before):
            break
        before = cells
        mass = np.bincount(cells, weights, len(grid))
        if not mass.all():
            raise ExerciseError(
                f"grid point {int(np.argmin(mass > 0))} of {len(grid)} has no point of the sample "
                "in its cell: expected fewer grid points, or a start near the sample"
            )
        for k in range(grid.shape[1]):
            grid[:, k] = np.bincount(cells, weights * sample[:, k], len(grid)) / mass
    return grid


def nearest(sample: Reals, grid: Reals) -> NDArray[np.intp]:
    """The nearest grid point to each point of the sample, the first of several."""
    distance = sum((sample[:, None, k] - grid[:, k]) ** 2 for k in range(grid.shape[1]))
    found: NDArray[np.intp] = np.asarray(distance).argmin(axis=1)
    return found


def cells_by_numpy(grid: Reals, states: Floats) -> NDArray[np.intp]:
    """The nearest grid points to states, by factor and number: from distances of the kernels' bits,
    the first of several."""
    points = grid.astype(np.float32)
    found = [np.empty(0, np.intp)]
    for first in range(0, states.shape[1], CHUNK):
        some = states[:, first : first + CHUNK, None]
        distance = (some[-1] - points[:, -1]) ** 2
        for k in range(len(some) - 1):
            apart = some[k] - points[:, k]
            distance = fused(apart, apart, distance)
        found.append(distance.argmin(axis=1))
    return np.concatenate(found)


def fused(a: Floats | np.float32, b: Floats, c: Floats) -> Floats:
    """a b + c, rounded once: float64 holds the product exactly. (The sum is rounded to float64
    first, which moves one result of 2^29.)"""
    return (np.float64(a) * b + c).astype(np.float32)


def _plane_grid(points: int) -> Reals:
    x, y = (axis.ravel() for axis in np.meshgrid(MESH, MESH))
    weights = np.exp(-0.5 * (x * x + y * y))
    near = weights > 1e-12 * weights.max()
    number = np.arange(points)
    radius = np.sqrt(-4 * np.log1p(-(number + 0.5) / points))
    angle = number * GOLDEN_ANGLE
    start = np.stack([radius * np.cos(angle), radius * np.sin(angle)], axis=1)
    return lloyd(np.stack([x, y], axis=1)[near], weights[near], start)


def line_grid(points: int) -> Reals:
    """The best grid on the line, rising."""
    law = NormalDist()
    x = np.array([math.sqrt(3) * law.inv_cdf((k + 0.5) / points) for k in range(points)])
    for turn in range(LINE_TURNS + NEWTON_TURNS):
        weights, moments = line_cells(x)
        if turn < LINE_TURNS:
            x = moments / weights
            continue
        error = x * weights - moments
        ends = 0.5 * (x[1:] + x[:-1])
        slopes = np.exp(-0.5 * ends**2) / math.sqrt(2 * math.pi) * 0.25 * np.diff(x)
        jacobian = np.diag(weights) - np.diag(slopes, 1) - np.diag(slopes, -1)
        jacobian -= np.diag(np.append(slopes, 0.0) + np.append(0.0, slopes))
        move = np.linalg.solve(jacobian, error)
        x = x - move
        if np.abs(move).max() < 1e-10:
            break
    return x


def line_cells(x: Reals) -> tuple[Reals, Reals]:
    """The probabilities of the cells of a rising grid on the line, and the first moments."""
    ends = 0.5 * (x[1:] + x[:-1])
    cdf = np.array([0.0, *map(NormalDist().cdf, ends.tolist()), 1.0])
    density = np.concatenate([[0.0], np.exp(-0.5 * ends**2) / math.sqrt(2 * math.pi), [0.0]])
    return np.diff(cdf), -np.diff(density)


def tree_order(points: Reals) -> NDArray[np.intp]:
    """The numbers of the points in the order of a balanced kd-tree, all levels full but the last,
    which is filled from the left."""
    order = np.empty(len(points), np.intp)

    def place(node: int, level: int, numbers: NDArray[np.intp]) -> None:
        if not len(numbers):
            return
        rising = numbers[np.argsort(points[numbers, level % points.shape[1]], kind="stable")]
        middle = _left_of_root(len(numbers))
        order[node - 1] = rising[middle]
        place(2 * node, level + 1, rising[:middle])
        place(2 * node + 1, level + 1, rising[middle + 1 :])

    place(1, 0, np.arange(len(points)))
    return order


def _left_of_root(size: int) -> int:
    """How many of so many points are left of the root."""
    last = 1 << (size.bit_length() - 1)  # places on the last level
    return max(last // 2 - 1 + min(size - last + 1, last // 2), 0)
