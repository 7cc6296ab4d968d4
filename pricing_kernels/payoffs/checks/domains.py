"""Where a payoff may leave the domain of a function: division by 0, log and sqrt of what is too
small; and where it may lose digits.

Each value has a range: its least and greatest value, and whether it may be 0. Prices are positive.
The ranges of accumulators are found by iteration; an end that still moves after some rounds goes to
infinity (widening, Cousot and Cousot 1977). A range holds every value that the node takes, rounding
and overflow to infinity aside, so a function whose operand stays in its domain is not reported.

Both alternatives of a ``where`` are computed, but one is dropped: an operation is not reported if
it is dropped wherever its operand leaves the domain, by a condition that compares this operand, or
what it is computed from, with a constant. The same holds for the sides of ``&``.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from pricing_kernels.payoffs.language.expression import (
    MAX_INTEGER,
    Accumulator,
    Applied,
    CodeLine,
    Expression,
    Fold,
    Folded,
    Literal,
    NumberAt,
    Spot,
    TimeNow,
)
from pricing_kernels.payoffs.language.operators import BOOLEAN, INTEGER, REAL
from pricing_kernels.payoffs.language.walk import children, nodes

MANY = 10_000  # reals that float32 may add up
ROUNDS = 3  # before ends go to infinity
TINY = 2.0**-126  # the least normal number of float32: a lesser one may be 0 there
CHECKED = {"div": 1, "log2": 0, "sqrt": 0}
"""The operators with a domain, and which operand has to be in it."""


@dataclass(frozen=True)
class NumberRange:
    """The values from ``low`` to ``high``, without 0 if it is not ``zero``."""

    low: float = -math.inf
    high: float = math.inf
    zero: bool = True

    @property
    def has_zero(self) -> bool:
        return self.zero and self.low <= 0 <= self.high

    @property
    def positive(self) -> bool:
        return self.low >= 0 and not self.has_zero

    def join(self, other: NumberRange) -> NumberRange:
        zero = self.has_zero or other.has_zero
        return NumberRange(min(self.low, other.low), max(self.high, other.high), zero)

    def widened(self, before: NumberRange) -> NumberRange:
        """This range, with the ends that moved since `before` at infinity, or at 0 on the way."""
        low = self.low if self.low == before.low else 0.0 if self.low >= 0 else -math.inf
        return NumberRange(low, self.high if self.high == before.high else math.inf, self.zero)


TOP = NumberRange()
POSITIVE = NumberRange(0.0, math.inf, zero=False)


@dataclass(frozen=True)
class Doubt:
    """An operation that may leave its domain."""

    message: str
    at: CodeLine


def doubts(payoff: Expression) -> list[Doubt]:
    """The operations of a payoff that may leave their domain, and are used where they do; integers
    that a finite range shows to be too large; long sums in float32."""
    values = _Ranges(payoff)
    found = ((node, _doubt(payoff, node, values)) for node in values.order)
    return [Doubt(message, node.at) for node, message in found if message]


def _doubt(payoff: Expression, node: Expression, values: _Ranges) -> str:
    """What a node may do that its author may not want, or the empty text."""
    if isinstance(node, Applied) and node.operator.name in CHECKED:
        operand = node.operands[CHECKED[node.operator.name]]
        inside = _inside(node, values.range_of(operand))
        used = not inside and _is_used(payoff, node, values)
        return _message(node, operand, values) if used else ""
    if isinstance(node, Applied) and node.type is INTEGER:
        reach = values.range_of(node)
        most = max([abs(end) for end in (reach.low, reach.high) if math.isfinite(end)], default=0)
        if most > MAX_INTEGER:
            return f"{node.shown()} may be {most:.0f}, beyond an integer of 32 bits: it wraps"
    if isinstance(node, Folded) and len(node.fold.index.times) > MANY and _is_sum(node):
        count = len(node.fold.index.times)
        return f"a sum of {count} reals in float32 may be wrong by 1 part in {2**24 // count}"
    return ""


def _is_sum(node: Folded) -> bool:
    """True if a real accumulator is added to at each date."""
    accumulator = node.fold.accumulators[node.position]
    update = node.fold.updates[node.position]
    if not isinstance(update, Applied) or update.operator.name != "add":
        return False
    return accumulator.type is REAL and any(each is accumulator for each in update.operands)


def _inside(node: Applied, operand: NumberRange) -> bool:
    """True if every operand of the range is in the domain of the node's operator."""
    if node.operator.name == "div":
        return not operand.has_zero
    return operand.low >= 0 if node.operator.name == "sqrt" else operand.positive


def _message(node: Applied, operand: Expression, values: _Ranges) -> str:
    wanted = {"div": "not 0", "log2": "positive", "sqrt": "not negative"}[node.operator.name]
    first = values.at_first(operand)
    if first is not None and not _inside(node, first) and first.low == first.high:
        return f"{operand.shown()} is {first.low:g} at the first date, expected {wanted}"
    least = 0.0 if node.operator.name == "div" else values.range_of(operand).low
    return f"{operand.shown()} may be {least:g}, expected {wanted}"


class _Ranges:
    """The ranges of all values of a payoff."""

    def __init__(self, root: Expression) -> None:
        self.order = list(nodes(root))
        self.folds: dict[Accumulator, tuple[Fold, int]] = {}
        for node in self.order:
            if isinstance(node, Folded):
                self.folds |= {a: (node.fold, k) for k, a in enumerate(node.fold.accumulators)}
        self.accumulators: dict[Accumulator, NumberRange] = {}
        self.found: dict[Expression, NumberRange] = {}
        self._iterate()

    def range_of(self, node: Expression) -> NumberRange:
        return self.found[node]

    def under(self, root: Expression, known: Mapping[Expression, NumberRange]) -> NumberRange:
        """The range of a value where those of some nodes are known."""
        done = dict(known)
        for node in nodes(root):
            if node not in done:
                done[node] = self._range(node, done)
        return done[root]

    def at_first(self, root: Expression) -> NumberRange | None:
        """The range of a value at the first date of its fold; None outside of folds."""
        inside = [node for node in nodes(root) if isinstance(node, Accumulator)]
        if not inside:
            return None
        return self.under(root, {a: self._initial(a, self.found) for a in inside})

    def _iterate(self) -> None:
        for turn in range(64):
            done: dict[Expression, NumberRange] = {}
            for node in self.order:
                done[node] = self._range(node, done)
            self.found = done
            before = dict(self.accumulators)
            for accumulator, (fold, k) in self.folds.items():
                old = before.get(accumulator, done[fold.initials[k]])
                new = old.join(done[fold.updates[k]])
                self.accumulators[accumulator] = new.widened(old) if turn >= ROUNDS else new
            if self.accumulators == before:
                return
        self.accumulators = dict.fromkeys(self.folds, TOP)
        self.found = {}
        for node in self.order:
            self.found[node] = self._range(node, self.found)

    def _initial(self, node: Accumulator, done: Mapping[Expression, NumberRange]) -> NumberRange:
        fold, k = self.folds[node]
        return done[fold.initials[k]]

    def _range(self, node: Expression, done: Mapping[Expression, NumberRange]) -> NumberRange:
        match node:
            case Literal(value=value):
                return NumberRange(value, value)
            case Spot() | TimeNow():
                return POSITIVE
            case NumberAt(numbers=numbers):
                return NumberRange(min(numbers), max(numbers), any(abs(x) < TINY for x in numbers))
            case Accumulator():
                return self.accumulators.get(node) or self._initial(node, done)
            case Folded(fold=fold, position=position):
                return done[fold.updates[position]]
            case Applied() if node.type is not BOOLEAN:
                return _applied(node, [done[each] for each in node.operands])
            case _:
                return TOP


def _applied(node: Applied, given: list[NumberRange]) -> NumberRange:
    """The range of a result. Products and quotients are taken from the ends of the operands."""
    a, b = given[0], given[-1]
    same = len(node.operands) == 2 and node.operands[0] is node.operands[1]
    match node.operator.name:
        case "add":
            signs = (a.positive and b.low >= 0) or (b.positive and a.low >= 0)
            low = _sum(a.low, b.low, -math.inf)
            return NumberRange(low, _sum(a.high, b.high, math.inf), zero=not signs)
        case "sub":
            return NumberRange(0, 0) if same else _difference(a, b)
        case "mul":
            return _product(a, b, same)
        case "div" if not b.has_zero and (b.low >= 0 or b.high <= 0):
            return _product(a, _reciprocal(b), False)
        case "min":
            zero = a.has_zero or b.has_zero
            return NumberRange(min(a.low, b.low), min(a.high, b.high), zero)
        case "max":
            zero = not (a.positive or b.positive) and (a.has_zero or b.has_zero)
            return NumberRange(max(a.low, b.low), max(a.high, b.high), zero)
        case "neg":
            return NumberRange(-a.high, -a.low, a.zero)
        case "abs":
            low = max(a.low, -a.high, 0.0)
            return NumberRange(low, max(-a.low, a.high), a.has_zero)
        case "sqrt":
            return NumberRange(0.0, math.inf, a.has_zero or a.low < 0)
        case "exp2":
            return POSITIVE
        case "select":
            return given[0].join(given[1])
        case "real":
            return a
        case _:
            return TOP


def _difference(a: NumberRange, b: NumberRange) -> NumberRange:
    return NumberRange(_sum(a.low, -b.high, -math.inf), _sum(a.high, -b.low, math.inf))


def _sum(a: float, b: float, of_infinities: float) -> float:
    """The sum; of infinities of both signs, what is given."""
    total = a + b
    return total if total == total else of_infinities


def _product(a: NumberRange, b: NumberRange, square: bool) -> NumberRange:
    ends = [x * y if x and y else 0.0 for x in (a.low, a.high) for y in (b.low, b.high)]
    zero = a.has_zero or b.has_zero
    return NumberRange(max(min(ends), 0.0) if square else min(ends), max(ends), zero)


def _reciprocal(a: NumberRange) -> NumberRange:
    """Of a range without 0, on one side of it."""
    if a.high <= 0:
        low, high = (-math.inf if a.high == 0 else 1 / a.high), 1 / a.low
    else:
        low, high = 1 / a.high, (math.inf if a.low == 0 else 1 / a.low)
    return NumberRange(low, high, zero=False)


def _is_used(root: Expression, wanted: Applied, values: _Ranges) -> bool:
    """True if the node is read by the root on a way where its operand may be out of the domain."""
    operand = wanted.operands[CHECKED[wanted.operator.name]]
    seen: set[Expression] = set()
    stack = [root]
    while stack:
        node = stack.pop()
        if node is wanted:
            return True
        if node in seen:
            continue
        seen.add(node)
        for child, condition, holds in _ways(node):
            known = {} if condition is None else _known(condition, holds, values)
            if not known or not _inside(wanted, values.under(operand, known)):
                stack.append(child)
    return False


def _ways(node: Expression) -> Iterator[tuple[Expression, Expression | None, bool]]:
    """What a node reads, and on which condition, or its contrary, it matters."""
    if isinstance(node, Applied) and node.operator.name == "select":
        yes, no, condition = node.operands
        yield from ((condition, None, True), (yes, condition, True), (no, condition, False))
    elif isinstance(node, Applied) and node.operator.name == "and":
        first, second = node.operands
        yield from ((first, second, True), (second, first, True))
    else:
        yield from ((child, None, True) for child in children(node))


def _known(condition: Expression, holds: bool, values: _Ranges) -> dict[Expression, NumberRange]:
    """The ranges of values where a condition holds, or does not."""
    if not isinstance(condition, Applied):
        return {}
    name = condition.operator.name
    if name == "not":
        return _known(condition.operands[0], not holds, values)
    if (name == "and" and holds) or (name == "or" and not holds):
        first, second = (_known(each, holds, values) for each in condition.operands)
        return {**first, **second}
    if name not in _CONTRARY:
        return {}
    name = name if holds else _CONTRARY[name]
    a, b = condition.operands
    found = {}
    for node, other, way in ((a, values.range_of(b), name), (b, values.range_of(a), _MIRROR[name])):
        if not isinstance(node, Literal):
            found[node] = _cut(values.range_of(node), way, other, node.type is INTEGER)
    return found


_CONTRARY = {"lt": "ge", "ge": "lt", "le": "gt", "gt": "le", "eq": "ne", "ne": "eq"}
_MIRROR = {"lt": "gt", "gt": "lt", "le": "ge", "ge": "le", "eq": "eq", "ne": "ne"}


def _cut(of: NumberRange, way: str, by: NumberRange, integer: bool) -> NumberRange:
    """The part of a range that compares so with a value of another."""
    step = 1.0 if integer else 0.0
    match way:
        case "gt":
            low = max(of.low, by.low + step)
            return replace(of, low=low, zero=of.zero and not by.low >= 0)
        case "ge":
            return replace(of, low=max(of.low, by.low), zero=of.zero and not by.positive)
        case "lt":
            high = min(of.high, by.high - step)
            return replace(of, high=high, zero=of.zero and not by.high <= 0)
        case "le":
            return replace(of, high=min(of.high, by.high))
        case "ne" if by.low == by.high == 0:
            return replace(of, zero=False)
        case "eq":
            low, high = max(of.low, by.low), min(of.high, by.high)
            return NumberRange(low, high, of.zero and by.has_zero)
        case _:
            return of
