"""Quantization trees: a Gaussian process on a grid at each date, with the probabilities between the
cells of one date and the next.

The grid of a date is that of the standard normal law with the least mean squared distance, times
the deviation of the process then. Its cells are the points that are nearest to each grid point.
``transitions`` counts the moves of simulated paths from cell to cell (algorithm II of the paper:
one path a thread, nearest neighbours by comparison with every point, atomic counts), so it serves
every process that can be simulated; ``exact_transitions`` integrates the normal law.

``fit`` is the dynamic programme of an option that is exercised once: it gives the price of the
asset at which each date exercises. ``swing`` is that of an option that is exercised several times.

Sources: G. Pages and B. Wilbertz, "GPGPUs in computational finance: massive parallel computing for
American style options", 2010; V. Bally and G. Pages, "A quantization algorithm for solving
multi-dimensional discrete-time optimal stopping problems", Bernoulli 9, 2003.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from statistics import NormalDist
from typing import Final

import numpy as np
from numpy.typing import NDArray

from pricing_kernels import engines
from pricing_kernels.contract import GlobalArray, KernelContract, Scalar
from pricing_kernels.draws import Draws
from pricing_kernels.exercise.policy import BermudanOption, ExerciseError, exercised
from pricing_kernels.kernel import EmittedKernel
from pricing_kernels.link import Fragment
from pricing_kernels.payoffs.language.expression import Expression
from pricing_kernels.payoffs.language.folds import by_date
from pricing_kernels.payoffs.language.functions import S
from pricing_kernels.payoffs.pricing import PayoffPrice
from pricing_kernels.payoffs.pricing import price as simulated

BLOCK: Final = 256
SHIPPED_POINTS: Final = (64, 128)  # whole warps: rows of a grid start at sectors
MAX_POINTS: Final = BLOCK
LLOYD_TURNS: Final = 50
NEWTON_TURNS: Final = 8
MAX_ROWS: Final = 2**10
MAX_PATHS: Final = 2**24
NEVER: Final = -1e30  # the value of what the contract does not allow

Probabilities = NDArray[np.float32]
"""By date, cell at the date, and cell at the date before."""


# --- the process and its grid


@dataclass(frozen=True)
class GaussianProcess:
    """x = 0 at time 0, and x(t) = decay(t - s) x(s) + normal noise: Brownian motion for a ``speed``
    of 0, else a process of Ornstein and Uhlenbeck. ``volatility`` a root of a year."""

    volatility: float
    speed: float = 0.0

    def decay(self, years: float) -> float:
        return math.exp(-self.speed * years)

    def deviation(self, years: float) -> float:
        """The standard deviation of x after so many years."""
        if not self.speed:
            return self.volatility * math.sqrt(years)
        return self.volatility * math.sqrt(-math.expm1(-2 * self.speed * years) / (2 * self.speed))


@lru_cache(maxsize=8)
def normal_grid(points: int) -> tuple[float, ...]:
    """The grid of so many points with the least mean squared distance from a standard normal
    number, rising: each point is the mean of its cell. Lloyd's iteration comes near the solution,
    Newton's method finds it. Raises ExerciseError."""
    if not 1 <= points <= MAX_POINTS:
        raise ExerciseError(f"{points} grid points, expected 1 to {MAX_POINTS}")
    law = NormalDist()
    x = np.array([math.sqrt(3) * law.inv_cdf((k + 0.5) / points) for k in range(points)])
    for turn in range(LLOYD_TURNS + NEWTON_TURNS):
        weights, moments = _cells(x)
        if turn < LLOYD_TURNS:
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
    return tuple(x.tolist())


def _cells(x: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The probabilities of the cells of a rising grid, and the first moments."""
    ends = 0.5 * (x[1:] + x[:-1])
    cdf = np.array([0.0, *map(NormalDist().cdf, ends.tolist()), 1.0])
    density = np.concatenate([[0.0], np.exp(-0.5 * ends**2) / math.sqrt(2 * math.pi), [0.0]])
    return np.diff(cdf), -np.diff(density)


@dataclass(frozen=True)
class QuantizationTree:
    """The grids of a process at some times in years, rising; the first may be 0. Raises
    ExerciseError."""

    process: GaussianProcess
    years: tuple[float, ...]
    points: int = 128

    def __post_init__(self) -> None:
        rising = all(a < b for a, b in zip(self.years, self.years[1:], strict=False))
        if not (0 < len(self.years) <= MAX_ROWS and self.years[0] >= 0 and rising):
            raise ExerciseError(f"expected 1 to {MAX_ROWS} rising times from 0 on")
        normal_grid(self.points)

    @property
    def grid(self) -> NDArray[np.float64]:
        return np.array(normal_grid(self.points))

    def values(self, date: int) -> NDArray[np.float64]:
        """The values of the process at a date, by cell."""
        found: NDArray[np.float64] = self.process.deviation(self.years[date]) * self.grid
        return found

    @property
    def law(self) -> NDArray[np.float32]:
        """Of each date: the decay since the one before, the noise, and one over the deviation, 0
        where that is 0."""
        rows, before = [], 0.0
        for time in self.years:
            deviation = self.process.deviation(time)
            noise = self.process.deviation(time - before)
            rows.append(
                [self.process.decay(time - before), noise, 1.0 / deviation if deviation else 0.0]
            )
            before = time
        return np.array(rows, np.float32)


# --- probabilities


def transitions(
    tree: QuantizationTree, paths: int, seed: int = 0, engine: str = "simt"
) -> NDArray[np.uint32]:
    """How many of the simulated paths move from cell to cell, by date, cell before, and cell; every
    path begins in cell 0. Raises ExerciseError, EngineError."""
    if not 1 <= paths <= MAX_PATHS:
        raise ExerciseError(f"{paths} paths, expected 1 to {MAX_PATHS}")
    kernel = transitions_kernel(tree.points)
    launch = kernel.contract.launch(paths=paths, rows=len(tree.years), seed=seed)
    contents = {"grid": tree.grid.astype(np.float32), "law": tree.law}
    after = engines.engine(engine)(kernel.ptx(), launch, contents)
    return np.asarray(after["counts"]).reshape(-1, tree.points, tree.points)


def estimated(counts: NDArray[np.uint32]) -> Probabilities:
    """Probabilities from counts; a cell that no path visits has none."""
    total = counts.sum(axis=2, keepdims=True)
    shares = np.divide(counts, total, out=np.zeros(counts.shape), where=total > 0)
    return np.ascontiguousarray(shares.transpose(0, 2, 1), np.float32)


def exact_transitions(tree: QuantizationTree) -> Probabilities:
    """The probabilities by the normal law, as if a path stood at its grid point."""
    ends = np.concatenate([[-np.inf], 0.5 * (tree.grid[1:] + tree.grid[:-1]), [np.inf]])
    cdf = np.vectorize(NormalDist().cdf)
    found = np.zeros((len(tree.years), tree.points, tree.points), np.float32)
    before = np.zeros(tree.points)
    for date, (decay, noise, inverse) in enumerate(tree.law.astype(float)):
        if inverse == 0.0:
            found[date, 0] = 1.0
            continue
        limits = (ends[:, None] / inverse - decay * before) / noise
        found[date] = np.diff(cdf(limits), axis=0)
        before = tree.values(date)
    return found


# --- dynamic programmes


def price(
    option: BermudanOption,
    *,
    points: int = 128,
    tree_paths: int = 20_000,
    paths: int = 100_000,
    seed: int = 0,
    engine: str = "simt",
    control: float | None = None,
) -> PayoffPrice:
    """The value of the fitted policy on paths of its own; ``control`` is the price of the European
    option, if it is known. Raises ExerciseError, PayoffError, EngineError."""
    policy = fit(option, points, tree_paths, seed ^ 2**63, engine)
    known = None if control is None else (option.european(), control)
    return simulated(
        policy, option.model, option.maturity,
        paths=paths, seed=seed, engine=engine, control=known,
    )  # fmt: skip


def fit(
    option: BermudanOption, points: int, paths: int, seed: int, engine: str = "simt"
) -> Expression:
    """The payoff of the policy that exercises at once where the price of the asset is beyond that
    of each date: below it for a put, above it for a call."""
    boundary = by_date(option.over, boundaries(option, points, paths, seed, engine))

    def stop(t: Expression) -> Expression:
        beyond = S(0, t) > boundary[t] if option.call else S(0, t) < boundary[t]
        return beyond & (option.gain(t) > 0)

    return exercised(option.over, option.model, option.maturity, option.gain, stop)


def boundaries(
    option: BermudanOption, points: int, paths: int, seed: int, engine: str = "simt"
) -> list[float]:
    """By date, the price of the asset between the last cell that exercises and the next one."""
    asset, years = option.asset, np.array(option.years)
    drift, _ = option.model.row_numbers(years)
    if callable(asset.volatility):
        raise ExerciseError("expected a volatility that does not depend on time")
    tree = QuantizationTree(GaussianProcess(asset.volatility), tuple(option.years), points)
    move = estimated(transitions(tree, paths, seed, engine))
    growth = asset.spot * np.exp(np.cumsum(drift))
    spots = [growth[date] * np.exp(tree.values(date)) for date in range(len(years))]
    gains = [option.sign * (s - option.strike) for s in spots]
    values = np.maximum(gains[-1], 0.0).astype(np.float32)
    found = [option.strike]
    kernel = backward_kernel(points)
    for date in reversed(range(len(years) - 1)):
        launch = kernel.contract.launch(discount=option.discount(date + 1))
        contents = {"move": move[date + 1], "next": values, "gain": gains[date].astype(np.float32)}
        after = engines.engine(engine)(kernel.ptx(), launch, contents)
        visited = move[date + 1].sum(axis=0) > 0
        stops = visited & (gains[date] > 0) & (gains[date] >= after["continuation"])
        found.append(_boundary(spots[date], stops, option.call))
        values = after["values"]
    return found[::-1]


def _boundary(spots: NDArray[np.float64], stops: NDArray[np.bool_], call: bool) -> float:
    """Between the cells that stop and the others; beyond all prices where none stops."""
    if not stops.any():
        return math.inf if call else 0.0
    inner = int(np.argmax(stops)) if call else int(np.flatnonzero(stops)[-1])
    outer = max(inner - 1, 0) if call else min(inner + 1, len(spots) - 1)
    return float(0.5 * (spots[inner] + spots[outer]))


def swing(
    tree: QuantizationTree,
    move: Probabilities,
    pay: Sequence[NDArray[np.float64]],
    least: int,
    most: int,
    engine: str = "simt",
) -> float:
    """The value of the right to take ``pay[date]``, by cell, at some of the dates of the tree: at
    least and at most so many. There is no interest. Raises ExerciseError, EngineError."""
    dates = len(tree.years)
    if not 0 <= least <= most <= dates:
        raise ExerciseError(f"{least} to {most} of {dates} dates: expected 0 <= least <= most")
    kernel = swing_kernel(tree.points)
    launch = kernel.contract.launch((most + 1,), taken=most + 1)
    code, run = kernel.ptx(), engines.engine(engine)
    after = np.full((most + 2, tree.points), NEVER, np.float32)
    after[least : most + 1] = 0.0
    for date in reversed(range(dates)):
        later = np.eye(tree.points, dtype=np.float32) if date + 1 == dates else move[date + 1]
        contents = {"move": later, "next": after, "pay": pay[date].astype(np.float32)}
        values = run(code, launch, contents)["values"].reshape(-1, tree.points)
        after = np.concatenate([values, after[-1:]])
    return float(move[0, :, 0].astype(float) @ after[0].astype(float))


# --- kernels

_TRANSITIONS: Final = """\
{
    __shared__ float point[BLOCK];
    point[threadIdx.x] = threadIdx.x < POINTS ? grid[threadIdx.x] : 0.0f;
    __syncthreads();
    unsigned path = blockIdx.x * blockDim.x + threadIdx.x;
    if (path >= paths)
        return;
    float x = 0.0f;
    D::Normals normals = {};
    unsigned cell = 0;
    unsigned* layer = counts;
#pragma unroll 1
    for (unsigned row = 0; row < rows; row++) {
        D::draw(normals, make_uint2(path, 0), row, seed);
        x = law[3 * row] * x + law[3 * row + 1] * normals.z[0];
        float u = x * law[3 * row + 2], least = fabsf(u - point[0]);
        unsigned nearest = 0;
#pragma unroll 4
        for (unsigned k = 1; k < POINTS; k++) {
            float distance = fabsf(u - point[k]);
            nearest = distance < least ? k : nearest;
            least = fminf(distance, least);
        }
        atomicAdd(layer + cell * POINTS + nearest, 1u);
        layer += POINTS * POINTS;
        cell = nearest;
    }
}
"""

_BACKWARD: Final = """\
{
    for (unsigned cell = threadIdx.x; cell < POINTS; cell += blockDim.x) {
        float mean = 0.0f;
        for (unsigned to = 0; to < POINTS; to++)
            mean += move[to * POINTS + cell] * next[to];
        continuation[cell] = mean * discount;
        values[cell] = fmaxf(gain[cell], mean * discount);
    }
}
"""

_SWING: Final = """\
{
    for (unsigned number = blockIdx.x; number < taken; number += gridDim.x)
        for (unsigned cell = threadIdx.x; cell < POINTS; cell += blockDim.x) {
            const float* keep = next + number * POINTS;
            float wait = 0.0f, take = 0.0f;
            for (unsigned to = 0; to < POINTS; to++) {
                float p = move[to * POINTS + cell];
                wait += p * keep[to];
                take += p * keep[to + POINTS];
            }
            values[number * POINTS + cell] = fmaxf(wait, take + pay[cell]);
        }
}
"""


def transitions_kernel(points: int) -> EmittedKernel:
    """Counts of moves from cell to cell. ``law`` is that of the tree."""
    contract = KernelContract(
        f"quantization_transitions_{points}",
        {
            "counts": GlobalArray(np.uint32, f"rows*{points * points}"),
            "grid": GlobalArray(np.float32, str(points), const=True),
            "law": GlobalArray(np.float32, "3*rows", const=True),
            "paths": Scalar(np.uint32, 1, MAX_PATHS),
            "rows": Scalar(np.uint32, 1, MAX_ROWS),
            "seed": Scalar(np.uint64, 0, 2**64 - 1),
        },
        (BLOCK,),
        ("paths",),
    )
    imports = {"D": Draws(1).fragment}
    constants = {"POINTS": points, "BLOCK": BLOCK}
    body = Fragment("transitions", __file__, _TRANSITIONS, imports, constants)
    return EmittedKernel(body, contract, f"Moves among {points} cells, counted.")


def backward_kernel(points: int) -> EmittedKernel:
    """One date of the programme of an option that is exercised once."""
    each = GlobalArray(np.float32, str(points))
    given = GlobalArray(np.float32, str(points), const=True)
    contract = KernelContract(
        f"quantization_backward_{points}",
        {
            "values": each,
            "continuation": each,
            "move": GlobalArray(np.float32, str(points * points), const=True),
            "next": given,
            "gain": given,
            "discount": Scalar(np.float32, 0.0, 1e9),
        },
        (points,),
    )
    body = Fragment("backward", __file__, _BACKWARD, {}, {"POINTS": points})
    return EmittedKernel(body, contract, f"Exercise or wait, for {points} cells.")


def swing_kernel(points: int) -> EmittedKernel:
    """One date of the programme of a swing option: values by number taken, and cell."""
    contract = KernelContract(
        f"quantization_swing_{points}",
        {
            "values": GlobalArray(np.float32, f"taken*{points}"),
            "move": GlobalArray(np.float32, str(points * points), const=True),
            "next": GlobalArray(np.float32, f"(taken + 1)*{points}", const=True),
            "pay": GlobalArray(np.float32, str(points), const=True),
            "taken": Scalar(np.uint32, 1, MAX_ROWS + 1),
        },
        (points,),
    )
    body = Fragment("swing", __file__, _SWING, {}, {"POINTS": points})
    return EmittedKernel(body, contract, f"Take or wait, for {points} cells.")


def kernels() -> tuple[EmittedKernel, ...]:
    """The kernels that are shipped: these grids need no compiler."""
    makers = (transitions_kernel, backward_kernel, swing_kernel)
    return tuple(make(points) for points in SHIPPED_POINTS for make in makers)
