"""A payoff's value straight from its definition: every price known, folds as loops of Python."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pricing_kernels.payoffs.language.expression import (
    Accumulator,
    Applied,
    DateIndex,
    Expression,
    Folded,
    Literal,
    NumberAt,
    Spot,
    TimeNow,
)
from pricing_kernels.payoffs.language.operators import BOOLEAN, INTEGER, REAL

DTYPES = {INTEGER: np.int32, REAL: np.float32, BOOLEAN: np.bool_}
Column = NDArray[Any]
Prices = Mapping[tuple[int, float], Column]


def evaluated(root: Expression, prices: Prices) -> Column:
    """What each path pays, from the prices by asset and time."""
    with np.errstate(all="ignore"):
        return _Evaluation(prices, {}, {}).value(root)


class _Evaluation:
    """At dates of folds, with what their accumulators hold."""

    def __init__(
        self, prices: Prices, dates: dict[DateIndex, int], held: dict[Expression, Column]
    ) -> None:
        self.prices, self.dates, self.held = prices, dates, held
        self.paths = len(next(iter(prices.values())))

    def value(self, node: Expression) -> Column:
        if node not in self.held:
            self.held[node] = self._value(node)
        return self.held[node]

    def _value(self, node: Expression) -> Column:
        match node:
            case Literal(value=value):
                return np.full(self.paths, DTYPES[node.type](value))
            case Spot(asset=asset):
                which = 0 if isinstance(node.time, float) else self.dates[node.time]
                return self.prices[asset, node.times[which]]
            case TimeNow(index=index):
                return np.full(self.paths, np.float32(index.times[self.dates[index]]))
            case NumberAt(index=index, numbers=numbers):
                return np.full(self.paths, np.float32(numbers[self.dates[index]]))
            case Folded(fold=fold, position=position):
                held = [self.value(initial) for initial in fold.initials]
                for date in range(len(fold.index.times)):
                    known = dict(zip(fold.accumulators, held, strict=True))
                    outer = {k: v for k, v in self.held.items() if isinstance(k, Accumulator)}
                    inner = _Evaluation(
                        self.prices, {**self.dates, fold.index: date}, {**outer, **known}
                    )
                    held = [inner.value(update) for update in fold.updates]
                return held[position]
            case Applied(operator=operator):
                return np.asarray(operator.numpy(*map(self.value, node.operands)))
            case _:
                raise TypeError(type(node).__name__)
