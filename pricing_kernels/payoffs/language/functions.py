"""Functions of a payoff: the price of an asset, conditionals, and the usual functions."""

from __future__ import annotations

import math
from typing import Any

from pricing_kernels.payoffs.language.expression import (
    Expression,
    PayoffError,
    Spot,
    TimeNow,
    apply,
    here,
)


def S(asset: int = 0, time: Any = 1.0) -> Expression:  # noqa: N802
    """The price of an asset at a time: the date of a fold, or a part of the maturity, 0 to 1."""
    if type(asset) is not int or asset < 0:
        raise PayoffError(f"the asset {asset!r} is no number from 0 on", here())
    if isinstance(time, TimeNow):
        return Spot(asset=asset, time=time.index)
    if isinstance(time, Expression):
        raise PayoffError(
            f"the time {time.shown()} is computed: S takes a constant or the date of a fold; "
            "an accumulator of a fold can keep an earlier price",
            here(),
        )
    try:
        constant = float(time)
    except (TypeError, ValueError):
        raise PayoffError(f"the time {time!r} is no number", here()) from None
    if not 0.0 <= constant <= 1.0:
        raise PayoffError(
            f"the time {constant:g} is not in [0, 1]: times are parts of the maturity", here()
        )
    return Spot(asset=asset, time=constant)


def where(condition: Any, yes: Any, no: Any) -> Any:
    """`yes` if the condition holds, else `no`; both are computed. A condition that Python knows
    chooses at once."""
    if isinstance(condition, bool):
        return yes if condition else no
    return apply("select", condition, yes, no)


def sqrt(x: Any) -> Expression:
    return apply("sqrt", x)


def exp(x: Any) -> Expression:
    return apply("exp2", apply("mul", x, math.log2(math.e)))


def log(x: Any) -> Expression:
    return apply("mul", apply("log2", x), math.log(2.0))
