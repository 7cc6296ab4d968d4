"""Folds, arrays and let.

``sum``, ``product``, ``mean``, ``minimum`` and ``maximum`` run over assets or dates; ``fold`` takes
accumulators of its own. Over dates each is one `Fold`: an initial value, and an update that the
kernel computes at each date. The thesis (its chapter VI, section 2) has the same folds.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import reduce
from itertools import count
from typing import Any

from pricing_kernels.payoffs.language.expression import (
    MAX_INTEGER,
    Accumulator,
    CodeLine,
    DateIndex,
    Expression,
    Fold,
    Folded,
    Literal,
    NumberAt,
    PayoffError,
    TimeNow,
    apply,
    here,
    literal,
)
from pricing_kernels.payoffs.language.operators import BOOLEAN, INTEGER, REAL
from pricing_kernels.payoffs.language.sets import Assets, Dates
from pricing_kernels.payoffs.language.walk import nodes

Over = Assets | Dates
Body = Callable[[Any], Any]

_NUMBERS = count(1)


class PayoffArray:
    """One value for each of some assets: made by ``array``, read by ``x[a]``."""

    def __init__(self, values: Mapping[int, Expression]) -> None:
        self._values = dict(values)

    def __getitem__(self, asset: int) -> Expression:
        if asset not in self._values:
            numbers = ", ".join(map(str, self._values))
            raise PayoffError(f"the array has no asset {asset!r}; it has: {numbers}", here())
        return self._values[asset]

    def __len__(self) -> int:
        return len(self._values)

    def __iter__(self) -> Iterator[Expression]:
        return iter(self._values.values())


class NumbersByDate:
    """A known number for each date, made by ``by_date``; ``x[t]`` is that of a fold's date."""

    def __init__(self, over: Dates, numbers: tuple[float, ...]) -> None:
        self._over, self._numbers = over, numbers

    def __getitem__(self, time: Any) -> Expression:
        if not isinstance(time, TimeNow) or time.index.times != self._over.times:
            raise PayoffError("numbers by date are read at the date of a fold over them", here())
        return NumberAt(index=time.index, numbers=self._numbers)


class Accumulated:
    """The accumulators of a fold by name, as attributes or in brackets."""

    def __init__(self, values: Mapping[str, Expression]) -> None:
        self._values = dict(values)

    def __getitem__(self, name: str) -> Expression:
        if name not in self._values:
            names = ", ".join(self._values)
            raise PayoffError(f"the fold has no accumulator {name}; it has: {names}", here())
        return self._values[name]

    def __getattr__(self, name: str) -> Expression:
        if name.startswith("__"):
            raise AttributeError(name)
        return self[name]


def array(over: Assets, body: Body) -> PayoffArray:
    """A value for each asset."""
    if not isinstance(over, Assets):
        raise PayoffError(f"an array is over assets, not {type(over).__name__}", here())
    return PayoffArray({a: _scalar(body(a)) for a in over})


def by_date(over: Dates, numbers: Iterable[float]) -> NumbersByDate:
    """A known number for each date, such as a barrier's level or a policy's coefficient. It is
    data of the kernel: other numbers need no other kernel."""
    if not isinstance(over, Dates):
        raise PayoffError(f"numbers by date are over dates, not {type(over).__name__}", here())
    given = [literal(number) for number in numbers]
    known = tuple(float(each.value) for each in given if isinstance(each, Literal))
    if not len(known) == len(given) == len(over):
        found = f"{len(known)} known numbers, expected one for each of {len(over)} dates"
        raise PayoffError(found, here())
    return NumbersByDate(over, known)


def let(value: Any, body: Body) -> Any:
    """The body with the value under a name, as ``let x = value in body``; the body must use it."""
    named = _scalar(value)
    result = body(named)
    if isinstance(result, Expression) and not _uses(result, named):
        raise PayoffError(f"the value {named.shown()} of this let is never used", here())
    return result


def fold(over: Over, initial: Mapping[str, Any], update: Callable[[Any, Any], Any]) -> Accumulated:
    """Accumulators by name, with their initial values; ``update(s, t)`` gives their next values
    from their values ``s`` and the date or asset ``t``, as a mapping with the same names."""
    at = here()
    if not isinstance(over, Assets | Dates):
        raise PayoffError(f"a fold is over assets or dates, not {type(over).__name__}", at)
    if not isinstance(initial, Mapping) or not initial:
        raise PayoffError(f"the initial values {initial!r:.60} are no mapping from names", at)
    initials = {name: _scalar(value) for name, value in initial.items()}
    if isinstance(over, Assets):
        held = initials
        for asset in over:
            held = _next(held, update(Accumulated(held), asset), at)
        return Accumulated(held)
    index = DateIndex(next(_NUMBERS), over.times)
    now = {
        name: Accumulator(type=e.type, name=name, index=index, at=at)
        for name, e in initials.items()
    }
    updates = _next(now, update(Accumulated(now), TimeNow(index=index, at=at)), at)
    made = Fold(index, tuple(now.values()), tuple(initials.values()), tuple(updates.values()), at)
    return Accumulated({n: _folded(made, k) for k, n in enumerate(now)})


def _next(now: Mapping[str, Expression], given: Any, at: CodeLine) -> dict[str, Expression]:
    """The next values of accumulators, with their types, from what an update gives."""
    if not isinstance(given, Mapping) or given.keys() != now.keys():
        raise PayoffError(f"the update of a fold gives a mapping with: {', '.join(now)}", at)
    found = {}
    for name, accumulator in now.items():
        value = _scalar(given[name])
        if value.type is INTEGER and accumulator.type is REAL:
            value = apply("real", value)
        if value.type is not accumulator.type:
            raise PayoffError(
                f"the accumulator {name} begins as {accumulator.type.value} and becomes "
                f"{value.type.value}: give it an initial value of that type",
                at,
            )
        found[name] = value
    return found


def sum(over: Over, body: Body) -> Expression:
    """The sum of the body over assets or dates."""
    return _accumulated("add", over, body, 0, 0.0)


def product(over: Over, body: Body) -> Expression:
    """The product of the body over assets or dates."""
    return _accumulated("mul", over, body, 1, 1.0)


def mean(over: Over, body: Body) -> Expression:
    """The mean of the body over assets or dates."""
    return sum(over, body) / len(over)


def minimum(first: Any, second: Any) -> Expression:
    """The lesser of two values; or, over assets or dates, the least value of a body."""
    if isinstance(first, Assets | Dates):
        return _accumulated("min", first, second, MAX_INTEGER, math.inf)
    return apply("min", first, second)


def maximum(first: Any, second: Any) -> Expression:
    """The greater of two values; or, over assets or dates, the greatest value of a body."""
    if isinstance(first, Assets | Dates):
        return _accumulated("max", first, second, -MAX_INTEGER, -math.inf)
    return apply("max", first, second)


def _accumulated(operator: str, over: Over, body: Body, integer: int, real: float) -> Expression:
    """The fold of one operator, from its neutral element of the body's type on."""
    at = here()
    if isinstance(over, Assets):
        return reduce(lambda a, b: apply(operator, a, b), [_scalar(body(a)) for a in over])
    if not isinstance(over, Dates):
        raise PayoffError(f"a fold is over assets or dates, not {type(over).__name__}", at)
    index = DateIndex(next(_NUMBERS), over.times)
    value = _scalar(body(TimeNow(index=index, at=at)))
    if value.type is BOOLEAN:
        raise PayoffError(f"{value.shown()} is boolean: a fold takes numbers", at)
    name = {"add": "sum", "mul": "product"}.get(operator, operator)
    now = Accumulator(type=value.type, name=name, index=index, at=at)
    neutral = literal(integer if value.type is INTEGER else real)
    updates = (apply(operator, now, value),)
    return _folded(Fold(index, (now,), (neutral,), updates, at), 0)


def _folded(made: Fold, position: int) -> Folded:
    accumulator = made.accumulators[position]
    return Folded(type=accumulator.type, fold=made, position=position, at=made.at)


def _scalar(value: Any) -> Expression:
    if isinstance(value, PayoffArray):
        raise PayoffError("an array where one value is expected: arrays hold no arrays", here())
    return literal(value)


def _uses(root: Expression, wanted: Expression) -> bool:
    return any(node is wanted for node in nodes(root))
