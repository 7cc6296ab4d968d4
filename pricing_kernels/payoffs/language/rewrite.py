"""A payoff with its prices replaced: the same graph, read from other assets."""

from __future__ import annotations

from collections.abc import Callable

from pricing_kernels.payoffs.language.expression import (
    Accumulator,
    Applied,
    Expression,
    Fold,
    Folded,
    Spot,
)
from pricing_kernels.payoffs.language.walk import nodes


def with_prices(root: Expression, price: Callable[[Spot], Expression]) -> Expression:
    """The expression with ``price(spot)`` for each price that it reads."""
    made: dict[Expression, Expression] = {}
    accumulators: dict[Accumulator, Accumulator] = {}
    folds: dict[Fold, Fold] = {}
    for node in nodes(root):
        match node:
            case Spot():
                made[node] = price(node)
            case Accumulator():
                made[node] = _fresh(node, accumulators)
            case Folded(fold=fold):
                if fold not in folds:
                    folds[fold] = Fold(
                        fold.index,
                        tuple(_fresh(each, accumulators) for each in fold.accumulators),
                        tuple(made[each] for each in fold.initials),
                        tuple(made[each] for each in fold.updates),
                        fold.at,
                    )
                made[node] = Folded(
                    type=node.type, fold=folds[fold], position=node.position, at=node.at
                )
            case Applied(operator=operator):
                operands = tuple(made[each] for each in node.operands)
                made[node] = Applied(
                    type=node.type, operands=operands, operator=operator, at=node.at
                )
            case _:
                made[node] = node
    return made[root]


def _fresh(node: Accumulator, known: dict[Accumulator, Accumulator]) -> Accumulator:
    """The accumulator that takes the place of another."""
    fresh = Accumulator(type=node.type, name=node.name, index=node.index, at=node.at)
    return known.setdefault(node, fresh)
