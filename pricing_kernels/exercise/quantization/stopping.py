"""Options that are exercised once: a dynamic programme on the cells gives the price of the asset at
which each date exercises, and so a policy.
"""

from __future__ import annotations

import math
from typing import Final

import numpy as np
from numpy.typing import NDArray

from pricing_kernels import engines
from pricing_kernels.contract import GlobalArray, KernelContract, Scalar
from pricing_kernels.exercise.policy import BermudanOption, ExerciseError, exercised
from pricing_kernels.exercise.quantization.process import GaussianProcess
from pricing_kernels.exercise.quantization.transitions import exact_transitions
from pricing_kernels.exercise.quantization.tree import QuantizationTree
from pricing_kernels.kernel import EmittedKernel
from pricing_kernels.link import Fragment
from pricing_kernels.payoffs.language.expression import Expression
from pricing_kernels.payoffs.language.folds import by_date
from pricing_kernels.payoffs.language.functions import S
from pricing_kernels.payoffs.pricing import PayoffPrice
from pricing_kernels.payoffs.pricing import price as simulated

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


def price(
    option: BermudanOption,
    *,
    points: int = 128,
    paths: int = 100_000,
    seed: int = 0,
    engine: str = "simt",
    control: float | None = None,
) -> PayoffPrice:
    """The value of the fitted policy on simulated paths; ``control`` is the price of the European
    option, if it is known. Raises ExerciseError, PayoffError, EngineError."""
    known = None if control is None else (option.european(), control)
    return simulated(
        fit(option, points, engine), option.model, option.maturity,
        paths=paths, seed=seed, engine=engine, control=known,
    )  # fmt: skip


def fit(option: BermudanOption, points: int = 128, engine: str = "simt") -> Expression:
    """The payoff of the policy that exercises at once where the price of the asset is beyond that
    of each date: below it for a put, above it for a call. Raises ExerciseError, EngineError."""
    boundary = by_date(option.over, boundaries(option, points, engine))

    def stop(t: Expression) -> Expression:
        beyond = S(0, t) > boundary[t] if option.call else S(0, t) < boundary[t]
        return beyond & (option.gain(t) > 0)

    return exercised(option.over, option.model, option.maturity, option.gain, stop)


def boundaries(option: BermudanOption, points: int = 128, engine: str = "simt") -> list[float]:
    """By date, the price of the asset between the last cell that exercises and the next one. Raises
    ExerciseError, EngineError."""
    asset, years = option.asset, np.array(option.years)
    drift, _ = option.model.row_numbers(years)
    if callable(asset.volatility):
        raise ExerciseError("expected a volatility that does not depend on time")
    tree = QuantizationTree(GaussianProcess((asset.volatility,)), tuple(option.years), points)
    move = exact_transitions(tree)
    growth = asset.spot * np.exp(np.cumsum(drift))
    spots = [growth[date] * np.exp(tree.values(date)[:, 0]) for date in range(len(years))]
    gains = [option.sign * (s - option.strike) for s in spots]
    values = np.maximum(gains[-1], 0.0).astype(np.float32)
    found = [option.strike]
    kernel = backward_kernel(points)
    run = engines.engine(engine)
    for date in reversed(range(len(years) - 1)):
        launch = kernel.contract.launch(discount=option.discount(date + 1))
        contents = {"move": move[date + 1], "next": values, "gain": gains[date].astype(np.float32)}
        after = run(kernel.ptx(), launch, contents)
        stops = (gains[date] > 0) & (gains[date] >= after["continuation"])
        found.append(_boundary(spots[date], stops, option.call))
        values = after["values"]
    return found[::-1]


def _boundary(spots: NDArray[np.float64], stops: NDArray[np.bool_], call: bool) -> float:
    """Between the cells that stop and the others; beyond all prices where none stops."""
    if not stops.any():
        return math.inf if call else 0.0
    rising = np.argsort(spots)
    stopping = np.flatnonzero(stops[rising])
    inner = int(stopping[0] if call else stopping[-1])
    outer = max(inner - 1, 0) if call else min(inner + 1, len(spots) - 1)
    return float(0.5 * (spots[rising[inner]] + spots[rising[outer]]))


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
