"""The dates of folds on which each value of a payoff depends: all may be read if paths are stored.

A value depends on the dates that it reads and that none of its folds binds. A payoff depends on
none; the initial value of a fold does not depend on the fold's own date.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from pricing_kernels.payoffs.language.expression import (
    Accumulator,
    DateIndex,
    Expression,
    Folded,
    NumberAt,
    PayoffError,
    Spot,
    TimeNow,
)
from pricing_kernels.payoffs.language.walk import nodes

Indices = frozenset[DateIndex]


@dataclass(frozen=True)
class ScopedPayoff:
    """A payoff of whole paths; ``free`` has the dates on which each of its nodes depends."""

    root: Expression
    free: Mapping[Expression, Indices]


def scoped(root: Expression) -> ScopedPayoff:
    """The payoff with the dates on which its nodes depend. Raises PayoffError."""
    free: dict[Expression, Indices] = {}
    for node in nodes(root):
        free[node] = _free(node, free)
    if free[root]:
        raise leaked(min(free[root], key=lambda index: index.number), root)
    return ScopedPayoff(root, free)


def leaked(index: DateIndex, root: Expression) -> PayoffError:
    """The error for a date that none of the payoff's folds binds."""
    return PayoffError(f"the date {index} is used outside of its fold", root.at)


def _free(node: Expression, free: Mapping[Expression, Indices]) -> Indices:
    match node:
        case TimeNow(index=index) | NumberAt(index=index) | Accumulator(index=index):
            return frozenset({index})
        case Spot(time=DateIndex() as index):
            return frozenset({index})
        case Folded(fold=fold):
            if any(fold.index in free[value] for value in fold.initials):
                raise PayoffError("the initial value of a fold depends on its date", fold.at)
            inside = (free[value] for value in (*fold.initials, *fold.updates))
            return frozenset().union(*inside) - {fold.index}
        case _:
            return frozenset().union(*(free[each] for each in node.operands))
