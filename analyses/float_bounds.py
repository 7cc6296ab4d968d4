"""Bounds of floats, and of the integers that they are converted to.

``if (y <= 0) y = 0; low = (int)y`` is not negative whatever y is: a float that is not at most zero
is greater or NaN, and NaN becomes 0. Only bounds that are numbers are known of a float: by tests
that select it, that the edges of a phi pass, or that dominate the conversion, and by arithmetic.
``float_limits`` has those by integers of the program.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from math import isnan

from analyses.budget import CONDITION_DEPTH
from analyses.conditions import Atom, FloatTest, FloatWord, Selection, Term, absolute
from analyses.float_intervals import (
    ANY,
    FORMATS,
    SUBNORMAL,
    Between,
    converted,
    extreme,
    fused,
    of_integers,
    over,
    times,
    total,
    union,
)
from analyses.polynomials.symbols import type_range
from analyses.program import Constant, Operand, Phi, Value
from analyses.values import Values

Tests = tuple[FloatTest, ...]
NESTED = 6  # selections and phis, one inside of the other


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
        word = self.word(value)
        if word is None or word.by != "to integer" or not word.signed:
            return None
        (source,) = word.parts
        found = self.bounds(source, tuple(self.tests(value)))
        least, most = type_range(word.bits, signed=True)
        ends = list(found.integral(word.mode.rounding)[:2])
        if found.nan:
            ends.append(least if 64 in (word.bits, source.width) else 0)
        integers = [int(min(max(end, least), most)) for end in ends]
        return min(integers), max(integers)

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

    def meant(self, operand: Operand) -> Term | None:
        """What the operand is made of."""
        operand = self.plain(operand)
        return self.values.flow.formulas.meaning(operand) if isinstance(operand, Value) else None

    def word(self, operand: Operand) -> FloatWord | None:
        """What makes the operand, if it is made of floats, or a float of an integer."""
        word = self.meant(operand)
        return word if isinstance(word, FloatWord) else None

    def root(self, operand: Operand) -> Operand:
        """The float of a shorter format that the operand is exactly."""
        word = self.word(operand)
        while word is not None and word.by == "wider" and not word.mode.ftz:
            (operand,) = word.parts
            word = self.word(operand)
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
        formulas = self.values.flow.formulas
        for test in tests:
            for one, other, less, more in ((test.a, test.b, "<", ">"), (test.b, test.a, ">", "<")):
                number = decoded(self.plain(other))
                if number is None:
                    continue
                if self.root(one) == operand:
                    found = refined(found, test, number, less, more)
                elif (of := formulas.absolute(self.root(one))) is not None and self.root(
                    of
                ) == operand:
                    _, most, nan = refined(found.magnitude, test, number, less, more)
                    found = Between(max(found.low, -most), min(found.high, most), nan)
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
            return union(
                self.bounds(source, (*tests, *self._passed(edge, block)), depth + 1)
                for edge, source in phi.sources.items()
            )
        formulas = self.values.flow.formulas
        meant = formulas.meaning(operand)
        if isinstance(meant, Selection):
            return union(
                self.bounds(side, (*tests, *formulas.float_tests(meant.by, truth)), depth + 1)
                for side, truth in ((meant.a, True), (meant.b, False))
            )
        if (of := absolute(meant)) is not None:
            return self.bounds(of, tests, depth + 1).flushed(of.width).magnitude
        return self._computed(meant, tests, depth) if isinstance(meant, FloatWord) else ANY

    def _computed(self, word: FloatWord, tests: Tests, depth: int) -> Between:
        if word.by == "of integer":
            return self._of_integer(word)
        if word.by == "saturated":
            return Between(0, 1, False)
        a, *others = (self.bounds(operand, tests, depth + 1) for operand in word.parts)
        match word.by, others:
            case "integral", _:
                return a.integral(word.mode.rounding)
            case "wider" | "shorter", _:
                return converted(a, word.bits)
            case "opposite", _:
                return a.flushed(word.bits).opposite
            case "max", [b]:
                return extreme(max, a, b, word.bits)
            case "min", [b]:
                return extreme(min, a, b, word.bits)
            case "sum", [b]:
                return total(a, b, word.bits)
            case "difference", [b]:
                return total(a, b.opposite, word.bits)
            case "product", [b]:
                return times(a, b, word.bits)
            case "quotient", [b]:
                return over(a, b, word.bits)
            case "fused", [b, c]:
                return fused(a, b, c, word.bits)
        return ANY

    def _of_integer(self, word: FloatWord) -> Between:
        (operand,) = word.parts
        known = self.values.number.facts.get(operand) if isinstance(operand, Value) else None
        if known is None or self.values.numbers.is_bottom(known):
            return ANY
        interval = self.values.interval(known)
        low, high = interval.signed_bounds() if word.signed else interval.unsigned_bounds()
        return of_integers(low, high, word.bits)


def decoded(operand: Operand) -> float | None:
    """The number that a constant is."""
    if not isinstance(operand, Constant) or operand.width not in FORMATS:
        return None
    bits = operand.bits.to_bytes(operand.width // 8, "little")
    (number,) = struct.unpack(FORMATS[operand.width], bits)
    return None if isnan(number) or 0 < abs(number) < SUBNORMAL[operand.width] else number


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
