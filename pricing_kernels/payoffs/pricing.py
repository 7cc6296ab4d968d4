"""The price of a payoff: the simulation's sums, by segment, added in their order.

The bits of a price depend on the payoff, the model, the seed and the number of paths. Paths are
divided among launches, processes or machines at the borders of segments, and the sums of segments
are added in the order of segments on the host, so block, grid, engine parts and ``executor`` do not
change them.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import dataclass, field, replace
from pathlib import Path
from statistics import NormalDist
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from pricing_kernels import engines
from pricing_kernels.contract import KernelContract
from pricing_kernels.payoffs.convergence import convergence_picture
from pricing_kernels.payoffs.kernels import payoff_program
from pricing_kernels.payoffs.language.expression import (
    Expression,
    PayoffError,
    caller,
    whole_number,
)
from pricing_kernels.payoffs.machine.dynamics import Model, ModelError
from pricing_kernels.payoffs.simulation import MAX_PATHS, SEGMENT

SEGMENTS_A_LAUNCH: Final = {"simt": 512, "cupy": 2**16}
"""The interpreter holds all threads of a launch at once; a device needs many to be busy."""

POINTS: Final = 128  # of the running price

Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class PayoffPrice:
    """A Monte Carlo price, discounted, with its standard error, which is nan for one path."""

    price: float
    stderr: float
    paths: int
    running: tuple[PayoffPrice, ...] = field(default=(), compare=False, repr=False)
    """The prices from the first of these paths, then from more and more of them."""

    def interval(self, confidence: float = 0.95) -> tuple[float, float]:
        """The interval that holds the expectation with that probability, by the normal law. Raises
        PayoffError."""
        if not 0.0 < confidence < 1.0:
            raise PayoffError(f"a confidence of {confidence}, expected one in (0, 1)", caller())
        half = NormalDist().inv_cdf(0.5 + 0.5 * confidence) * self.stderr
        return self.price - half, self.price + half

    def plot(self, file: str | Path) -> None:
        """Writes the running price, with its interval of 95 %, as a picture in SVG."""
        points = [(p.paths, p.price, *p.interval()) for p in self.running if p.paths > 1]
        Path(file).write_text(convergence_picture(points), "utf-8")

    def __str__(self) -> str:
        return f"{self.price:.6g} +- {self.stderr:.2g} ({self.paths} paths)"


@dataclass(frozen=True)
class Sums:
    """What segments of paths add up to: payoffs, their squares, and paths that are not finite."""

    sums: NDArray[np.float64]
    squares: NDArray[np.float64]
    not_finite: NDArray[np.uint32]


@dataclass(frozen=True, eq=False)
class Simulation:
    """All that a launch of a part of the paths needs; it can be sent to another process."""

    ptx: str
    contract: KernelContract
    table: NDArray[np.uint32]
    paths: int
    seed: int
    engine: str
    grid: int | None

    def sums(self, part: range) -> Sums:
        """The sums of the segments of a part. Raises EngineError."""
        launch = self.contract.launch(
            (self.grid or len(part),),
            first=part.start,
            paths=min(part.stop * SEGMENT, self.paths),
            seed=self.seed,
        )
        after = engines.engine(self.engine)(self.ptx, launch, {"table": self.table})
        return Sums(after["sums"], after["squares"], after["not_finite"])


def price(
    payoff: Expression,
    model: Model,
    maturity: float = 1.0,
    *,
    paths: int = 100_000,
    seed: int = 0,
    engine: str = "simt",
    executor: Executor | None = None,
    progress: Progress | None = None,
    grid: int | None = None,
    control: tuple[Expression, float] | None = None,
) -> PayoffPrice:
    """The price of a payoff at `maturity` years, by simulation of so many paths.

    `executor` runs parts of the paths; `progress` is called with the paths done and their total;
    `control` is a payoff whose price is known, and that price. Raises PayoffError, ModelError,
    EngineError."""
    paths = _integer("paths", paths, 1, MAX_PATHS)
    seed = _integer("seed", seed, 0, 2**64 - 1)
    grid = None if grid is None else _integer("grid", grid, 1, 2**31 - 1)
    if not isinstance(maturity, int | float) or not 0.0 < maturity < math.inf:
        raise ModelError(f"maturity {maturity!r}, expected a positive number of years")
    if control is not None:
        payoff = _controlled(payoff, model, maturity, control, max(paths // 16, 1024), seed, engine)
    made = payoff_program(payoff, model)
    kernel = made.kernel()
    table = made.table(maturity)
    run = Simulation(kernel.ptx(), kernel.contract, table, paths, seed, engine, grid)
    segments = -(-paths // SEGMENT)
    size = SEGMENTS_A_LAUNCH.get(engine, segments)
    parts = [range(k, min(k + size, segments)) for k in range(0, segments, size)]
    found = []
    results = executor.map(run.sums, parts) if executor else map(run.sums, parts)
    for part, sums in zip(parts, results, strict=True):
        found.append(sums)
        if progress:
            progress(min(part.stop * SEGMENT, paths), paths)
    return _estimate(found, paths, model.discount(maturity))


def _integer(name: str, given: Any, least: int, most: int) -> int:
    found = whole_number(given)
    if found is None or not least <= found <= most:
        raise PayoffError(f"{name} {given!r}, expected an integer from {least} to {most}", caller())
    return found


def _controlled(
    payoff: Expression,
    model: Model,
    maturity: float,
    control: tuple[Expression, float],
    paths: int,
    seed: int,
    engine: str,
) -> Expression:
    """The payoff less the error of a control with the coefficient that is best on other paths: the
    covariance over the control's variance, from the variances of sum and difference.

    Source: P. Glasserman, "Monte Carlo Methods in Financial Engineering", 2004, section 4.1.1. The
    coefficient does not depend on the paths of the price, so the estimate has no bias."""
    try:
        other, known = control[0], float(control[1])
    except (IndexError, TypeError, ValueError):
        known = math.nan
    if not math.isfinite(known):
        raise PayoffError(f"control {control!r:.60}, expected a payoff and its price", caller())
    pilot = seed ^ 2**63
    spread = [
        price(each, model, maturity, paths=paths, seed=pilot, engine=engine).stderr ** 2
        for each in (payoff + other, payoff - other, other)
    ]
    coefficient = (spread[0] - spread[1]) / (4.0 * spread[2]) if spread[2] else 0.0
    return payoff - coefficient * (other - known / model.discount(maturity))


def _estimate(parts: list[Sums], paths: int, discount: float) -> PayoffPrice:
    """The price from the sums, added in the order of segments. Raises PayoffError."""
    bad = sum(int(part.not_finite.sum()) for part in parts)
    if bad:
        raise PayoffError(
            f"{bad} of {paths} paths pay no finite number: there is no price; look for divisions "
            "by 0, logarithms of 0 and roots of negative numbers in the payoff"
        )
    totals = np.cumsum(np.concatenate([part.sums for part in parts]))
    squares = np.cumsum(np.concatenate([part.squares for part in parts]))
    segments = len(totals)
    picked = sorted({-(-segments * k // POINTS) for k in range(1, POINTS + 1)})
    running = tuple(
        _price(float(totals[k - 1]), float(squares[k - 1]), min(k * SEGMENT, paths), discount)
        for k in picked
    )
    return replace(running[-1], running=running)


def _price(total: float, squares: float, paths: int, discount: float) -> PayoffPrice:
    """The price from the sums of payoffs and of their squares."""
    mean = total / paths
    variance = max(squares / paths - mean * mean, 0.0)
    stderr = math.sqrt(variance / (paths - 1)) if paths > 1 else math.nan
    return PayoffPrice(discount * mean, discount * stderr, paths)
