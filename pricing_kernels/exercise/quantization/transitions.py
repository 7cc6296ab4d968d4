"""Transition probabilities of a quantization tree: moves of simulated paths are counted.

The algorithms are those of the paper. I counts one path after the other, on the host
(``serial_transitions``). II has a thread for each path and counts by atomics in global memory
(``by="paths"``). III has blocks for each date: it draws the state at the date before from its law
instead of following a path, which takes twice the numbers and searches, and counts in shared memory
(``by="layers"``). Of the same numbers, the serial counts are the same, in both ways to draw states.
"""

from __future__ import annotations

from statistics import NormalDist
from typing import Final

import numpy as np
from numpy.typing import NDArray

from pricing_kernels import engines
from pricing_kernels.contract import GlobalArray, KernelContract, Scalar
from pricing_kernels.draws import Draws, normal_numbers
from pricing_kernels.exercise.policy import ExerciseError
from pricing_kernels.exercise.quantization.grids import cells_by_numpy
from pricing_kernels.exercise.quantization.nearest import BLOCK, searching
from pricing_kernels.exercise.quantization.tree import (
    MAX_DATES,
    QuantizationTree,
    step_fragment,
    stepped,
)
from pricing_kernels.kernel import EmittedKernel
from pricing_kernels.link import Fragment

MAX_PATHS: Final = 2**24
MAX_LAYER_POINTS: Final = 96  # a histogram in 36 KB of shared memory
LAYER_BLOCKS: Final = 8  # for each date
FOLLOWED, DRAWN = 0, 1  # streams of numbers
NUMBERS: Final = 4  # of a state that is drawn and its step: one result of the generator

Counts = NDArray[np.uint32]
"""By date, cell at the date before, and cell at the date."""

Probabilities = NDArray[np.float32]
"""By date, cell at the date, and cell at the date before."""


def transitions(
    tree: QuantizationTree, paths: int, seed: int = 0, engine: str = "simt", by: str = "paths"
) -> Counts:
    """How many of so many states move from cell to cell, between each date and the one before;
    every path begins at 0. Raises ExerciseError, EngineError."""
    _check(paths, by)
    made = transitions_kernel if by == "paths" else layers_kernel
    kernel = made(tree.factors, tree.points)
    numbers = {"paths": paths, "rows": (dates := len(tree.years)), "seed": seed}
    if by == "paths":
        launch = kernel.contract.launch(**numbers, origin=tree.origin)
    else:
        blocks = min(-(-paths // BLOCK), LAYER_BLOCKS)
        launch = kernel.contract.launch((blocks, dates), **numbers)
    contents = {"grid": tree.grid.T.astype(np.float32), "law": tree.law}
    after = engines.engine(engine)(kernel.ptx(), launch, contents)
    return np.asarray(after["counts"]).reshape(-1, tree.points, tree.points)


def serial_transitions(
    tree: QuantizationTree, paths: int, seed: int = 0, by: str = "paths"
) -> Counts:
    """The same counts by numpy. Raises ExerciseError."""
    _check(paths, by)
    factors, dates, every = tree.factors, len(tree.years), np.arange(paths, dtype=np.uint32)
    followed = by == "paths"
    stream, size = (FOLLOWED, factors) if followed else (DRAWN, NUMBERS)
    counts = np.zeros((dates, tree.points, tree.points), np.uint32)
    state = np.zeros((factors, paths), np.float32)
    cells = np.full(paths, tree.origin)
    numbers = normal_numbers(seed, every, dates, size, stream)
    for date, (law, z) in enumerate(zip(tree.law, numbers, strict=True)):
        if not followed:
            state = z[:factors] if law[0] else np.zeros_like(state)
            cells, z = cells_by_numpy(tree.grid, state), z[factors:]
        state = state.copy()
        stepped(state, law, z)
        to = cells_by_numpy(tree.grid, state)
        np.add.at(counts[date], (cells, to), 1)
        cells = to
    return counts


def _check(paths: int, by: str) -> None:
    if not 1 <= paths <= MAX_PATHS:
        raise ExerciseError(f"{paths} paths, expected 1 to {MAX_PATHS}")
    if by not in ("paths", "layers"):
        raise ExerciseError(f"transitions by {by!r}, expected by paths or by layers")


def estimated(counts: Counts) -> Probabilities:
    """Probabilities from counts. A cell that is never left has none; raises ExerciseError for one
    that is reached the date before."""
    total = counts.sum(axis=2)
    lost = (counts[:-1].sum(axis=1) > 0) & (total[1:] == 0)
    if lost.any():
        date, cell = np.argwhere(lost)[0]
        raise ExerciseError(
            f"cell {cell} is reached at date {date} and never left: expected more paths"
        )
    shape = np.zeros(counts.shape)
    shares = np.divide(counts, total[:, :, None], out=shape, where=total[:, :, None] > 0)
    return np.ascontiguousarray(shares.transpose(0, 2, 1), np.float32)


def exact_transitions(tree: QuantizationTree) -> Probabilities:
    """The probabilities of one factor by the normal law, as if a path stood at its grid point.
    Raises ExerciseError."""
    if tree.factors != 1:
        raise ExerciseError("exact transitions of two factors: expected a process of one")
    grid = tree.grid[:, 0]
    rising = np.argsort(grid)
    ends = np.concatenate(
        [[-np.inf], 0.5 * (np.diff(grid[rising]) + 2 * grid[rising][:-1]), [np.inf]]
    )
    cdf = np.vectorize(NormalDist().cdf)
    found = np.zeros((len(tree.years), tree.points, tree.points), np.float32)
    for date, (left, noise) in enumerate(tree.law.astype(float)):
        if noise == 0.0:
            found[date, tree.origin] = 1.0
        else:
            found[date, rising] = np.diff(cdf((ends[:, None] - left * grid) / noise), axis=0)
    return found


# --- kernels

_TRANSITIONS: Final = """\
{
    __shared__ float point[FACTORS * BLOCK];
    P::load(point, grid);
    __syncthreads();
    unsigned path = blockIdx.x * blockDim.x + threadIdx.x;
    if (path >= paths)
        return;
    D::Normals normals = {};
    float state[FACTORS] = {};
    unsigned cell = origin;
    unsigned* layer = counts;
    const X::Row* step = (const X::Row*)law;
#pragma unroll 1
    for (unsigned row = 0; row < rows; row++) {
        D::draw(normals, make_uint2(path, FOLLOWED), row, seed);
        X::step(state, step, normals.z);
        unsigned to = N::nearest(point, state);
        atomicAdd(layer + cell * POINTS + to, 1u);
        layer += POINTS * POINTS;
        step += FACTORS;
        cell = to;
    }
}
"""

_LAYERS: Final = """\
{
    __shared__ float point[FACTORS * BLOCK];
    __shared__ unsigned count[SHARES * BLOCK];
    P::load(point, grid);
#pragma unroll
    for (unsigned k = 0; k < SHARES; k++)
        count[k * BLOCK + threadIdx.x] = 0;
    __syncthreads();
    unsigned row = blockIdx.y;
    if (row >= rows)
        return;
    const X::Row* step = (const X::Row*)law + FACTORS * row;
    bool moved = step->left[0] != 0.0f;  // else the state at the date before is 0
    for (unsigned path = blockIdx.x * BLOCK + threadIdx.x; path < paths;
         path += gridDim.x * BLOCK) {
        D::Normals normals = {};
        D::draw(normals, make_uint2(path, DRAWN), row, seed);
        float state[FACTORS];
        for (unsigned i = 0; i < FACTORS; i++)
            state[i] = moved ? normals.z[i] : 0.0f;
        unsigned cell = N::nearest(point, state);
        X::step(state, step, normals.z + FACTORS);
        atomicAdd(&count[cell * POINTS + N::nearest(point, state)], 1u);
    }
    __syncthreads();
    unsigned* layer = counts + POINTS * POINTS * row;
    for (unsigned k = threadIdx.x; k < POINTS * POINTS; k += blockDim.x)
        if (count[k] != 0)
            atomicAdd(layer + k, count[k]);
}
"""


def transitions_kernel(factors: int, points: int) -> EmittedKernel:
    """Algorithm II: a thread follows a path, from the cell ``origin`` on. ``law`` is the tree's."""
    origin = Scalar(np.uint32, 0, points - 1)
    contract = _contract("transitions", factors, points, ("paths",), origin=origin)
    body = Fragment(
        "transitions", __file__, _TRANSITIONS,
        {"D": Draws(factors).fragment, **_imports(factors, points)},
        {"FACTORS": factors, "POINTS": points, "BLOCK": BLOCK, "FOLLOWED": FOLLOWED},
    )  # fmt: skip
    return EmittedKernel(body, contract, f"Moves of paths among {points} cells, counted.")


def layers_kernel(factors: int, points: int) -> EmittedKernel:
    """Algorithm III: a row of blocks has a date. Raises ExerciseError."""
    if points > MAX_LAYER_POINTS:
        raise ExerciseError(
            f"{points} grid points, expected at most {MAX_LAYER_POINTS} by layers: "
            "the counts are in shared memory"
        )
    contract = _contract("layers", factors, points, ("1", "rows"))
    body = Fragment(
        "layers", __file__, _LAYERS,
        {"D": Draws(NUMBERS).fragment, **_imports(factors, points)},
        {
            "FACTORS": factors, "POINTS": points, "BLOCK": BLOCK, "DRAWN": DRAWN,
            "SHARES": -(-points * points // BLOCK),
        },
    )  # fmt: skip
    return EmittedKernel(body, contract, f"Moves among {points} cells, counted date by date.")


def _imports(factors: int, points: int) -> dict[str, Fragment]:
    return {"X": step_fragment(factors), **searching("brute", factors, points)}


def _contract(
    name: str, factors: int, points: int, threads: tuple[str, ...], **scalars: Scalar
) -> KernelContract:
    return KernelContract(
        f"quantization_{name}_{factors}x{points}",
        {
            "counts": GlobalArray(np.uint32, f"rows*{points * points}"),
            "grid": GlobalArray(np.float32, str(factors * points), const=True),
            "law": GlobalArray(np.float32, f"{2 * factors * factors}*rows", const=True),
            "paths": Scalar(np.uint32, 1, MAX_PATHS),
            "rows": Scalar(np.uint32, 1, MAX_DATES),
            "seed": Scalar(np.uint64, 0, 2**64 - 1),
            **scalars,
        },
        (BLOCK, 1),
        threads,
    )
