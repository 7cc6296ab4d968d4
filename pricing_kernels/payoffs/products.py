"""Products, each an expression: a payoff of this list is written as a user writes his own."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from itertools import combinations

from pricing_kernels.payoffs.language.expression import Expression
from pricing_kernels.payoffs.language.folds import (
    Accumulated,
    array,
    fold,
    maximum,
    mean,
    minimum,
    product,
    sum,
)
from pricing_kernels.payoffs.language.functions import S, exp, log, sqrt, where
from pricing_kernels.payoffs.language.sets import Dates, assets


def call(strike: float) -> Expression:
    """A call on asset 0."""
    return maximum(S(0) - strike, 0)


def put(strike: float) -> Expression:
    """A put on asset 0."""
    return maximum(strike - S(0), 0)


def digital_call(strike: float) -> Expression:
    """1 if asset 0 ends above the strike."""
    paid: Expression = where(S(0) > strike, 1.0, 0.0)
    return paid


def asian_put(strike: float, over: Dates) -> Expression:
    """A put on the arithmetic mean."""
    return maximum(strike - mean(over, lambda t: S(0, t)), 0)


def geometric_asian_put(strike: float, over: Dates) -> Expression:
    """A put on the geometric mean."""
    return maximum(strike - exp(mean(over, lambda t: log(S(0, t)))), 0)


def down_and_out_put(strike: float, barrier: float, over: Dates) -> Expression:
    """A put that ends when asset 0 is at or below a barrier at one of the dates."""
    alive = product(over, lambda t: where(S(0, t) > barrier, 1, 0))
    return alive * put(strike)


def lookback_put(over: Dates) -> Expression:
    """The greatest price of asset 0 at the dates, less the last one."""
    return maximum(over, lambda t: S(0, t)) - S(0)


def basket_put(strike: float, weights: Sequence[float]) -> Expression:
    """A put on a weighted sum of assets."""
    return maximum(strike - sum(assets(len(weights)), lambda a: weights[a] * S(a)), 0)


def everest(number: int = 12) -> Expression:
    """1 and the least growth of the assets: S(T) / S(0) (thesis, chapter II)."""
    return 1 + minimum(assets(number), lambda a: S(a) / S(a, 0))


def days_above(threshold: float, over: Dates) -> Expression:
    """The number of dates at which asset 0 is above a threshold."""
    return sum(over, lambda t: where(S(0, t) > threshold, 1, 0))


def first_passage(threshold: float, over: Dates) -> Expression:
    """The first of the dates at which asset 0 is at or below a threshold, as a part of the
    maturity; 1 if there is none."""
    return minimum(over, lambda t: where(S(0, t) <= threshold, t, 1.0))


def running_average(over: Dates) -> Expression:
    """The number of dates at which asset 0 is above the mean of the dates before (thesis, chapter
    VI, section 2.5)."""
    return fold(
        over,
        {"sum": 0.0, "num": 0, "res": 0},
        lambda s, t: {
            "sum": s.sum + S(0, t),
            "num": s.num + 1,
            "res": where((s.num > 0) & (s.sum < S(0, t) * s.num), s.res + 1, s.res),
        },
    ).res


def correlation_swap(number: int, over: Dates) -> Expression:
    """The mean of the realised, uncentred correlations of all pairs of assets (thesis, chapter
    II); 0 for an asset that does not move."""
    basket, pairs = assets(number), list(combinations(range(number), 2))

    def update(s: Accumulated, t: Expression) -> dict[str, Expression]:
        move = array(basket, lambda a: log(S(a, t) / s[f"price{a}"]))
        return (
            {f"price{a}": S(a, t) for a in basket}
            | {f"square{a}": s[f"square{a}"] + move[a] ** 2 for a in basket}
            | {f"product{j}_{k}": s[f"product{j}_{k}"] + move[j] * move[k] for j, k in pairs}
        )

    initial: dict[str, Expression | float] = {f"price{a}": S(a, 0) for a in basket}
    initial |= {f"square{a}": 0.0 for a in basket}
    initial |= {f"product{j}_{k}": 0.0 for j, k in pairs}
    realised = fold(over, initial, update)
    root = array(basket, lambda a: sqrt(maximum(realised[f"square{a}"], 1e-30)))
    terms = (realised[f"product{j}_{k}"] / (root[j] * root[k]) for j, k in pairs)
    return reduce(lambda x, y: x + y, terms) / len(pairs)
