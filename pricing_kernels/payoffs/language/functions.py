"""Functions of a payoff: the price of an asset, conditionals, and the usual functions."""

from __future__ import annotations

import math
from typing import Any

from pricing_kernels.payoffs.language.expression import (
    Applied,
    Expression,
    Literal,
    PayoffError,
    Spot,
    TimeNow,
    apply,
    here,
    whole_number,
)


def S(asset: int = 0, time: Any = 1.0) -> Expression:  # noqa: N802
    """The price of an asset at a time: the date of a fold, also with a constant added or
    subtracted, or a part of the maturity, 0 to 1."""
    number = whole_number(asset)
    if number is None or number < 0:
        raise PayoffError(f"the asset {asset!r} is no number from 0 on", here())
    if isinstance(time, Expression):
        return _at_date(number, time)
    try:
        constant = float(time)
    except (TypeError, ValueError):
        raise PayoffError(f"the time {time!r} is no number", here()) from None
    if not 0.0 <= constant <= 1.0:
        raise PayoffError(
            f"the time {constant:g} is not in [0, 1]: times are parts of the maturity", here()
        )
    return Spot(asset=number, time=constant)


def _at_date(asset: int, time: Expression) -> Spot:
    """The price at the date of a fold, less a lag."""
    lag, date = 0.0, time
    if isinstance(time, Applied) and time.operator.name in ("add", "sub"):
        first, second = time.operands
        if time.operator.name == "add" and isinstance(first, Literal):
            first, second = second, first
        if isinstance(second, Literal):
            date, lag = first, second.value if time.operator.name == "sub" else -second.value
    if not isinstance(date, TimeNow):
        raise PayoffError(
            f"the time {time.shown()} is computed: S takes a constant, or the date of a fold, to "
            "which a constant may be added",
            here(),
        )
    found = Spot(asset=asset, time=date.index, lag=lag)
    for at in found.times:
        if not 0.0 <= at <= 1.0:
            raise PayoffError(
                f"{found.shown()} would read the time {at:g}, which is not in [0, 1]", here()
            )
    return found


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
