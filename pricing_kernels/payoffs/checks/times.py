"""The time check: a payoff is computed in one pass over the path and reads no future price.

Each expression is ready at a time: the latest constant time that it reads, and at most one index,
the date of a fold on which it depends (the thesis's ``0.5_t``; its chapter VI, section 2.3). An
expression with two indices would need the whole path. The values that a fold reads and that do not
depend on its own date must be ready at its first date.

The check on indices, not on stars, is what refuses ``sum over t1 of let u = 0 + t1 in sum over t2
of u S(t2)``: the inner body is ready at ``0_t1`` combined with ``0_t2``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from pricing_kernels.payoffs.checks.scopes import leaked
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
from pricing_kernels.payoffs.language.walk import children, nodes


@dataclass(frozen=True)
class Ready:
    """When a value is known: at ``time``, or at the date ``index`` of a fold, if that is later."""

    time: float = 0.0
    index: DateIndex | None = None


@dataclass(frozen=True)
class TimedPayoff:
    """A payoff that one pass over the path computes; ``ready`` has each of its nodes."""

    root: Expression
    ready: Mapping[Expression, Ready]


class WholePathError(PayoffError):
    """A payoff that needs the whole path: one pass over the dates does not compute it."""


def timed(root: Expression) -> TimedPayoff:
    """The payoff with the time at which each node is ready. Raises WholePathError, PayoffError."""
    ready: dict[Expression, Ready] = {}
    for node in nodes(root):
        ready[node] = _ready(node, ready)
    last = ready[root]
    if last.index is not None:
        raise leaked(last.index, root)
    return TimedPayoff(root, ready)


def _ready(node: Expression, ready: Mapping[Expression, Ready]) -> Ready:
    match node:
        case TimeNow(index=index) | NumberAt(index=index) | Accumulator(index=index):
            return Ready(index=index)
        case Spot(time=DateIndex() as index):
            if node.lag:
                raise _elsewhere(node)
            return Ready(index=index)
        case Spot(time=float(time)):
            return Ready(time)
        case Folded():
            return _folded(node, ready)
        case _:
            return _combined(node, children(node), ready)


def _combined(
    node: Expression, operands: Iterable[Expression], ready: Mapping[Expression, Ready]
) -> Ready:
    """The later of the operands' times, and their one index."""
    time, index = 0.0, None
    for operand in operands:
        at = ready[operand]
        time = max(time, at.time)
        if at.index is not None and index not in (None, at.index):
            raise WholePathError(
                f"{node.shown()} depends on the dates {index} and {at.index} of two folds, which "
                "needs the whole path; compute the inner fold first, so that it does not depend "
                "on the outer date",
                node.at,
            )
        index = index if at.index is None else at.index
    return Ready(time, index)


def _folded(node: Folded, ready: Mapping[Expression, Ready]) -> Ready:
    fold = node.fold
    first, last = fold.index.times[0], fold.index.times[-1]
    for value in (*fold.initials, *fold.updates):
        at = ready[value]
        if at.index not in (None, fold.index):
            raise WholePathError(
                f"{value.shown()} depends on the date {at.index} of another fold than that over "
                f"{fold.index}; compute the inner fold first, so that it does not depend on the "
                "outer date",
                value.at,
            )
        if at.time > first:
            raise _future(node, value, ready)
    if any(ready[value].index is not None for value in fold.initials):
        raise PayoffError("the initial value of a fold depends on its date", fold.at)
    return Ready(last)


def _future(node: Folded, value: Expression, ready: Mapping[Expression, Ready]) -> WholePathError:
    """The error for a fold that reads what is known after its first date only."""
    times, needed = node.fold.index.times, ready[value].time
    culprit = next(each for each in nodes(value) if ready[each] == Ready(needed))
    before, since = (sum(t < needed for t in times), sum(t >= needed for t in times))
    message = (
        f"{culprit.shown()} is known at {needed:g}, the fold over {node.fold.index} begins at "
        f"{times[0]:g}: it would read the future"
    )
    if before and since > 1:
        message += (
            f"; split its dates T into two folds, over T.before({needed:g}) without "
            f"{culprit.shown()} and over T.since({needed:g})"
        )
    else:
        message += f"; take {culprit.shown()} out of the fold"
    return WholePathError(message, culprit.at)


def _elsewhere(spot: Spot) -> WholePathError:
    """The error for a price that is read at another time than the date of its fold."""
    instead = "an accumulator can keep an earlier price" if spot.lag > 0 else "that is the future"
    return WholePathError(f"{spot.shown()} is at another time than its fold; {instead}", spot.at)
