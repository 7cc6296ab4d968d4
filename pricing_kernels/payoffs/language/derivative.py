"""The derivative of a payoff by a number that prices depend on, path by path.

Where a payoff is continuous in the prices, the price's derivative is the mean of this one. Minimum
and maximum are continuous; a condition on prices that chooses between values, or counts, is a jump,
whose derivative this is not: it is refused.

Source: P. Glasserman, "Monte Carlo Methods in Financial Engineering", 2004, section 7.2.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from pricing_kernels.payoffs.language.expression import (
    Accumulator,
    Applied,
    Expression,
    Fold,
    Folded,
    PayoffError,
    Spot,
    apply,
    literal,
)
from pricing_kernels.payoffs.language.operators import REAL
from pricing_kernels.payoffs.language.walk import children, nodes

Price = Callable[[Spot], Expression | None]

_LN2 = math.log(2.0)


def derivative(root: Expression, price: Price) -> Expression:
    """The derivative of a payoff, given that of each price, None for 0. Raises PayoffError."""
    found = _Derivatives(root, price)
    if root.type is not REAL and root in found.moving:
        raise _jump(root)
    return _or_zero(found.found[root])


class _Derivatives:
    """Each node of an expression twice: its value, and its derivative, None for 0. Both read the
    same folds, which have an accumulator more for the derivative of each real one."""

    def __init__(self, root: Expression, price: Price) -> None:
        self.values: dict[Expression, Expression] = {}
        self.found: dict[Expression, Expression | None] = {}
        self.folds: dict[Fold, Fold] = {}
        self.price = price
        order = list(nodes(root))
        self.moving = _moving(order, price)
        for node in order:
            self.values[node] = self._value(node)
            self.found[node] = self._derivative(node) if node in self.moving else None

    def _value(self, node: Expression) -> Expression:
        match node:
            case Accumulator():
                return Accumulator(type=node.type, name=node.name, index=node.index, at=node.at)
            case Folded():
                fold = self._fold(node.fold)
                return Folded(type=node.type, fold=fold, position=node.position, at=node.at)
            case Applied():
                operands = tuple(self.values[each] for each in node.operands)
                return Applied(
                    type=node.type, operands=operands, operator=node.operator, at=node.at
                )
            case _:
                return node

    def _derivative(self, node: Expression) -> Expression | None:
        """The derivative of a real value; counts and conditions have none."""
        if node.type is not REAL:
            return None
        match node:
            case Spot():
                return self.price(node)
            case Accumulator():
                return Accumulator(type=REAL, name=f"d{node.name}", index=node.index, at=node.at)
            case Folded():
                place = len(node.fold.accumulators) + self._places(node.fold)[node.position]
                return Folded(type=REAL, fold=self._fold(node.fold), position=place, at=node.at)
            case Applied():
                return self._applied(node)
            case _:
                return None

    def _applied(self, node: Applied) -> Expression | None:
        name = node.operator.name
        jumps = name == "select" and node.operands[2] in self.moving
        if name == "real" or jumps:
            raise _jump(node)
        values = [self.values[each] for each in node.operands]
        found = [self.found[each] for each in node.operands]
        if name == "select":
            return apply("select", values[2], _or_zero(found[0]), _or_zero(found[1]))
        return _chain(name, self.values[node], values, found)

    def _places(self, fold: Fold) -> dict[int, int]:
        """For the positions of accumulators that have a derivative, those of the derivatives."""
        real = (k for k, a in enumerate(fold.accumulators) if a.type is REAL and a in self.moving)
        return {position: place for place, position in enumerate(real)}

    def _fold(self, fold: Fold) -> Fold:
        if fold not in self.folds:
            moving = self._places(fold)
            now = [self._seen(a) for a in fold.accumulators]
            also = [self.found[fold.accumulators[k]] for k in moving]
            self.folds[fold] = Fold(
                fold.index,
                (*now, *(a for a in also if isinstance(a, Accumulator))),
                (
                    *(self.values[each] for each in fold.initials),
                    *(_or_zero(self.found[fold.initials[k]]) for k in moving),
                ),
                (
                    *(self.values[each] for each in fold.updates),
                    *(_or_zero(self.found[fold.updates[k]]) for k in moving),
                ),
                fold.at,
            )
        return self.folds[fold]

    def _seen(self, accumulator: Accumulator) -> Accumulator:
        """What stands for an accumulator, also for one that no update reads."""
        if accumulator not in self.values:
            self.values[accumulator] = self._value(accumulator)
            moves = accumulator in self.moving
            self.found[accumulator] = self._derivative(accumulator) if moves else None
        found = self.values[accumulator]
        assert isinstance(found, Accumulator)
        return found


def _jump(node: Expression) -> PayoffError:
    return PayoffError(
        f"{node.shown()} jumps where prices cross a level: it has no pathwise derivative; "
        "use bumps",
        node.at,
    )


def _moving(order: Sequence[Expression], price: Price) -> set[Expression]:
    """The nodes that depend on a price that has a derivative. An accumulator does if the fold's
    initial value or update for it does: found by repetition until nothing is added."""
    folds = {node.fold for node in order if isinstance(node, Folded)}
    found: set[Expression] = set()
    while True:
        before = len(found)
        for node in order:
            if isinstance(node, Spot):
                moves = price(node) is not None
            elif isinstance(node, Folded):
                moves = node.fold.accumulators[node.position] in found
            else:
                moves = any(child in found for child in children(node))
            found |= {node} if moves else set()
        for fold in folds:
            for accumulator, *sources in zip(
                fold.accumulators, fold.initials, fold.updates, strict=True
            ):
                if any(source in found for source in sources):
                    found.add(accumulator)
        if len(found) == before:
            return found


def _chain(
    name: str, node: Expression, given: Sequence[Expression], d: Sequence[Expression | None]
) -> Expression | None:
    """The rule of an operator that is differentiable, or continuous with a kink."""
    x, dx = given[0], d[0]
    y, dy = (given[1], d[1]) if len(given) > 1 else (x, dx)
    rules: Mapping[str, Callable[[], Any]] = {
        "add": lambda: _plus(dx, dy),
        "sub": lambda: _plus(dx, None if dy is None else -dy),
        "mul": lambda: _plus(_times(dx, y), _times(dy, x)),
        "div": lambda: _plus(
            None if dx is None else dx / y, None if dy is None else -(node / y) * dy
        ),
        "min": lambda: apply("select", x <= y, _or_zero(dx), _or_zero(dy)),
        "max": lambda: apply("select", x >= y, _or_zero(dx), _or_zero(dy)),
        "abs": lambda: apply("select", x >= 0, _or_zero(dx), -_or_zero(dx)),
        "neg": lambda: None if dx is None else -dx,
        "sqrt": lambda: None if dx is None else 0.5 * dx / node,
        "exp2": lambda: _times(dx, node * _LN2),
        "log2": lambda: None if dx is None else dx / (x * _LN2),
    }
    found: Expression | None = rules[name]()
    return found


def _or_zero(value: Expression | None) -> Expression:
    return literal(0.0) if value is None else value


def _plus(a: Expression | None, b: Expression | None) -> Expression | None:
    if a is None or b is None:
        return a if b is None else b
    return a + b


def _times(a: Expression | None, b: Expression) -> Expression | None:
    return None if a is None else a * b
