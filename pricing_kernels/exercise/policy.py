"""The payoff of an exercise policy, and the options that are exercised early."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from pricing_kernels.payoffs.language.expression import Expression
from pricing_kernels.payoffs.language.folds import Accumulated, by_date, fold, maximum
from pricing_kernels.payoffs.language.functions import S, where
from pricing_kernels.payoffs.language.sets import Dates
from pricing_kernels.payoffs.machine.dynamics import Model
from pricing_kernels.payoffs.models.lognormal import Lognormal

AtDate = Callable[[Expression], Expression]
"""What an expression is at the date of a fold."""


class ExerciseError(ValueError):
    """Numbers that make no option, or no fit."""


class ExerciseWarning(UserWarning):
    """What a fit could not do."""


@dataclass(frozen=True)
class BermudanOption:
    """A call or put on the one asset of a model, exercised at one of the dates ``over``, which are
    parts of the maturity in years. The model's steps are exact. Raises ExerciseError."""

    model: Lognormal
    strike: float
    maturity: float
    over: Dates
    call: bool = False

    def __post_init__(self) -> None:
        if len(self.model.assets) != 1 or self.model.euler_steps:
            raise ExerciseError("expected a model of one asset, with exact steps")
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

    def gain(self, date: Expression) -> Expression:
        """What exercise pays at a date; negative where it loses."""
        return self.sign * (S(0, date) - self.strike)

    def european(self) -> Expression:
        """The payoff without early exercise."""
        return maximum(self.sign * (S(0) - self.strike), 0)


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
