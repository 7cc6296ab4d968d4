"""Bounds of floats, and of the integers that they are converted to.

``if (y <= 0) y = 0; low = (int)y`` is not negative whatever y is: a float that is not at most zero
is greater or NaN, and NaN becomes 0. Only bounds that are numbers are known of a float: by tests
that select it, that the edges of a phi pass, or that dominate the conversion.

A float that is less than the integer n as a float is less than n: n may be rounded up, but the
float below that is less than n, which would be rounded to it otherwise. So is the float rounded
down.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import islice
from math import ceil, floor, inf, isnan
from typing import NamedTuple

from analyses.budget import CONDITION_DEPTH
from analyses.conditions import Atom, FloatTest, FloatWord, Selection
from analyses.polynomials.symbols import type_range
from analyses.program import Constant, Operand, Phi, Value
from analyses.values import Values

Tests = tuple[FloatTest, ...]
FORMATS = {16: "e", 32: "f", 64: "d"}
NESTED = 6  # selections and phis, one inside of the other
SUBNORMAL = {16: 2.0**-14, 32: 2.0**-126, 64: 2.0**-1022}  # those that are less


class Between(NamedTuple):
    """A float: a number from ``low`` to ``high``, or perhaps NaN."""

    low: float = -inf
    high: float = inf
    nan: bool = True

    def joined(self, other: Between) -> Between:
        low, high = min(self.low, other.low), max(self.high, other.high)
        return Between(low, high, self.nan or other.nan)


ANY = Between()


class FloatBounds:
    """The bounds of the floats of a function; ``alias`` gives what a refined name stands for."""

    def __init__(self, values: Values, alias: Mapping[Value, Value]) -> None:
        self.values = values
        self.alias = alias
        self.blocks = values.function.blocks
        self.phis: dict[Value, tuple[Phi, int]] = {
            phi.target: (phi, block.index) for block in self.blocks for phi in block.phis
        }
        self.integers: dict[Value, tuple[int, int] | None] = {}
        self.known: dict[tuple[Operand, Tests, int], Between] = {}

    def integer(self, value: Value) -> tuple[int, int] | None:
        """The range of the signed integer that a float is converted to; None for another word."""
        if value not in self.integers:
            self.integers[value] = self._integer(value)
        return self.integers[value]

    def _integer(self, value: Value) -> tuple[int, int] | None:
        word = self._word(value)
        if word is None or word.by != "to integer" or not word.signed:
            return None
        (source,) = word.parts
        low, high, nan = self.bounds(source, tuple(self.tests(value)))
        least, most = type_range(word.bits, signed=True)
        ends = [whole(low, floor), whole(high, ceil)]
        if nan:
            ends.append(least if 64 in (word.bits, source.width) else 0)
        found = [int(min(max(end, least), most)) for end in ends]
        return min(found), max(found)

    def limits(self, value: Value) -> Iterator[tuple[Operand, bool]]:
        """The integers, with True if it is signed, than which such an integer is less: the float
        is less than each, and rounded down to an integer that is not the least of its type."""
        word, (least, _) = self._word(value), self.integer(value) or (0, 0)
        if word is None or word.by != "to integer" or least == type_range(word.bits, True)[0]:
            return
        (source,), steps = word.parts, [word]
        inner = self._word(source)
        if inner is not None and inner.by == "integral":
            (source,), steps = inner.parts, [inner, word]
        rounding = steps[0].mode.rounding
        if rounding != "rm" and (rounding != "rz" or least < 0):
            return
        root, ftz = self.root(source), any(step.mode.ftz for step in steps)
        for test in self.tests(value):
            for one, other, less in ((test.a, test.b, "<"), (test.b, test.a, ">")):
                limit = self._word(other) if test.outcomes == {less} else None
                if limit is None or limit.by != "of integer" or (ftz and not test.ftz):
                    continue
                if self.root(one) == root:
                    yield limit.parts[0], limit.signed

    # --- names

    def plain(self, operand: Operand) -> Operand:
        """The name or constant that an operand is another name for, or a copy of."""
        while isinstance(operand, Value):
            meant = self.values.flow.formulas.meaning(operand)
            copied = meant.operand if isinstance(meant, Atom) else None
            source = self.alias.get(operand, copied)
            if source is None:
                break
            operand = source
        return operand

    def _word(self, operand: Operand) -> FloatWord | None:
        operand = self.plain(operand)
        word = self.values.flow.formulas.meaning(operand) if isinstance(operand, Value) else None
        return word if isinstance(word, FloatWord) else None

    def root(self, operand: Operand) -> Operand:
        """The float of a shorter format that the operand is exactly."""
        word = self._word(operand)
        while word is not None and word.by == "wider" and not word.mode.ftz:
            (operand,) = word.parts
            word = self._word(operand)
        return self.plain(operand)

    # --- tests

    def tests(self, value: Value) -> Iterator[FloatTest]:
        """Those of the branches that dominate the definition of a name."""
        return self._tested(self.values.flow.branches(self.values.home[value]))

    def _tested(self, branches: Iterable[tuple[Operand, bool]]) -> Iterator[FloatTest]:
        for taken in branches:
            yield from self.values.flow.formulas.float_tests(*taken)

    def _passed(self, source: int, target: int) -> Iterator[FloatTest]:
        """The tests of the branches on every way to an edge."""
        return self._tested(islice(self.values.flow.branches(source, target), CONDITION_DEPTH))

    # --- bounds

    def bounds(self, operand: Operand, tests: Tests = (), depth: int = 0) -> Between:
        """The bounds where these tests are true."""
        operand = self.root(operand)
        key = operand, tests, depth
        if key not in self.known:
            found = self._bounds(operand, tests, depth) if depth < NESTED else ANY
            self.known[key] = self._refined(operand, tests, found)
        return self.known[key]

    def _refined(self, operand: Operand, tests: Tests, found: Between) -> Between:
        for test in tests:
            for one, other, less, more in ((test.a, test.b, "<", ">"), (test.b, test.a, ">", "<")):
                number = decoded(self.plain(other))
                if number is not None and self.root(one) == operand:
                    found = refined(found, test, number, less, more)
        return found

    def _bounds(self, operand: Operand, tests: Tests, depth: int) -> Between:
        if (number := decoded(operand)) is not None:
            return Between(number, number, False)
        if not isinstance(operand, Value):
            return ANY
        if operand in self.phis:
            phi, block = self.phis[operand]
            if block in self.values.loops:
                return ANY
            return joined(
                self.bounds(source, (*tests, *self._passed(edge, block)), depth + 1)
                for edge, source in phi.sources.items()
            )
        formulas = self.values.flow.formulas
        meant = formulas.meaning(operand)
        if isinstance(meant, Selection):
            return joined(
                self.bounds(side, (*tests, *formulas.float_tests(meant.by, truth)), depth + 1)
                for side, truth in ((meant.a, True), (meant.b, False))
            )
        return self._computed(meant, tests, depth) if isinstance(meant, FloatWord) else ANY

    def _computed(self, word: FloatWord, tests: Tests, depth: int) -> Between:
        if word.by in ("of integer", "to integer"):
            return ANY
        parts = [self.bounds(operand, tests, depth + 1) for operand in word.parts]
        low, high, nan = parts[0]
        match word.by:
            case "integral":
                return Between(whole(low, floor), whole(high, ceil), nan)
            case "max":
                return extreme(max, *parts)
            case "min":
                return extreme(min, *parts)
        return Between(0 if low >= 0 else -inf, 0 if high <= 0 else inf, nan)  # it keeps the sign


def decoded(operand: Operand) -> float | None:
    """The number that a constant is."""
    if not isinstance(operand, Constant) or operand.width not in FORMATS:
        return None
    bits = operand.bits.to_bytes(operand.width // 8, "little")
    (number,) = struct.unpack("<" + FORMATS[operand.width], bits)
    return None if isnan(number) or 0 < abs(number) < SUBNORMAL[operand.width] else number


def whole(number: float, rounded: Callable[[float], int]) -> float:
    return number if abs(number) == inf else rounded(number)


def joined(parts: Iterable[Between]) -> Between:
    low, *more = parts
    for part in more:
        low = low.joined(part)
    return low


def refined(found: Between, test: FloatTest, number: float, less: str, more: str) -> Between:
    """The bounds where a test with a number is true. A subnormal float may count as zero."""
    subnormal = test.ftz and not number and "=" in test.outcomes
    near = SUBNORMAL[test.a.width] if subnormal else 0.0
    low, high, nan = found
    if more not in test.outcomes:
        high = min(high, number + near)
    if less not in test.outcomes:
        low = max(low, number - near)
    return Between(low, high, nan and "?" in test.outcomes)


def extreme(of: Callable[[float, float], float], a: Between, b: Between) -> Between:
    """The bounds of a maximum or a minimum: the other operand where one is NaN."""
    found = Between(of(a.low, b.low), of(a.high, b.high), a.nan and b.nan)
    for one, other in ((a, b), (b, a)):
        found = found.joined(other) if one.nan else found
    return found
