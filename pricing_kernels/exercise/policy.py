"""The payoff of an exercise policy, and the options that are exercised early."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from pricing_kernels.payoffs.language.expression import Expression
from pricing_kernels.payoffs.language.folds import (
    Accumulated,
    by_date,
    fold,
    maximum,
    mean,
    minimum,
)
from pricing_kernels.payoffs.language.functions import S, exp, log, where
from pricing_kernels.payoffs.language.sets import Assets, Dates
from pricing_kernels.payoffs.machine.dynamics import Model
from pricing_kernels.payoffs.models.lognormal import Lognormal, LognormalAsset

AtDate = Callable[[Any], Expression]
"""What an expression of prices is at a date: that of a fold, or a part of the maturity."""


class ExerciseError(ValueError):
    """Numbers that make no option, or no fit."""


class ExerciseWarning(UserWarning):
    """What a fit could not do."""


def average(assets: Assets) -> AtDate:
    """The arithmetic mean of the prices of assets."""
    return lambda date: mean(assets, lambda a: S(a, date))


def geometric_average(assets: Assets) -> AtDate:
    """The geometric mean of the prices of assets."""
    return lambda date: exp(mean(assets, lambda a: log(S(a, date))))


def largest(assets: Assets, rank: int = 1) -> AtDate:
    """The largest of the prices of assets, or the one of that rank. Raises ExerciseError."""
    if not 1 <= rank <= len(assets):
        raise ExerciseError(f"rank {rank} of {len(assets)} assets")

    def price(date: Any) -> Expression:
        found: list[Expression] = []
        for a in assets:
            each = S(a, date)
            for k, above in enumerate(found):
                found[k], each = maximum(above, each), minimum(above, each)
            found = [*found, each][:rank]
        return found[-1]

    return price


def _first(date: Any) -> Expression:
    return S(0, date)


@dataclass(frozen=True)
class BermudanOption:
    """A call or put that is exercised at one of the dates ``over``, which are parts of the maturity
    in years. It is on the price ``underlying``, that of asset 0 if none is given; a policy may
    depend on other prices as well, those of ``also``. The model's steps are exact. Raises
    ExerciseError."""

    model: Lognormal
    strike: float
    maturity: float
    over: Dates
    call: bool = False
    underlying: AtDate = _first
    also: tuple[AtDate, ...] = ()

    def __post_init__(self) -> None:
        if self.model.euler_steps:
            raise ExerciseError("expected a model with exact steps")
        for name, number in (("strike", self.strike), ("maturity", self.maturity)):
            if not 0.0 < number < math.inf:
                raise ExerciseError(f"{name} {number}, expected a positive number")

    @property
    def sign(self) -> float:
        return 1.0 if self.call else -1.0

    @property
    def years(self) -> list[float]:
        """The dates in years."""
        return [time * self.maturity for time in self.over]

    @property
    def asset(self) -> LognormalAsset:
        """The asset of a model that has one alone. Raises ExerciseError."""
        if len(self.model.assets) != 1:
            raise ExerciseError(f"a model of {len(self.model.assets)} assets, expected one")
        return self.model.assets[0]

    def discount(self, row: int) -> float:
        """What 1, paid at a date, is worth at the date before, or now at the first one."""
        before = self.model.discount(self.years[row - 1]) if row else 1.0
        return self.model.discount(self.years[row]) / before

    def gain(self, date: Any) -> Expression:
        """What exercise pays at a date; negative where it loses."""
        return self.sign * (self.underlying(date) - self.strike)

    def european(self) -> Expression:
        """The payoff without early exercise."""
        return maximum(self.gain(1.0), 0)


def exercised(over: Dates, model: Model, maturity: float, gain: AtDate, stop: AtDate) -> Expression:
    """The payoff of a policy: the gain at the first date at which ``stop`` holds, invested until
    the maturity; 0 if it never does."""
    last = model.discount(maturity)
    growth = by_date(over, [model.discount(time * maturity) / last for time in over])

    def update(s: Accumulated, t: Expression) -> dict[str, Expression]:
        stops = stop(t)
        return {
            "alive": s["alive"] & ~stops,
            "paid": where(s["alive"] & stops, gain(t) * growth[t], s["paid"]),
        }

    return fold(over, {"alive": True, "paid": 0.0}, update)["paid"]
