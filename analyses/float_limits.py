"""Integers of the program that an integer is at most which a float is converted to.

``i = (int)fminf(fmaxf(x, 0), (float)(w - 1))`` is at most ``w - 1``, whatever x is: no rounding
exchanges two numbers. An integer n of more bits than a float has may be another one as a float: it
differs by at most ``n/2**24`` then, and by as much again where a number is added to it.

A float that is less than the integer n as a float is less than n: n may be rounded up, but the
float below that is less than n, which would be rounded to it otherwise. So is the float rounded
down. And a product of n by a float below 1 is below n as a float: its distance to that is half of a
unit in the last place of n, or else n is a power of two, below which floats are as near.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from analyses.conditions import FloatWord, Selection
from analyses.float_bounds import NESTED, FloatBounds, Tests, decoded
from analyses.polynomials.modular import ModularPolynomials
from analyses.polynomials.polynomial import Polynomial
from analyses.program import Operand, Value

EXACT = {32: 22, 64: 51}
"""A sum of integers whose magnitudes add up to less than ``2**EXACT`` is exact in floats of such a
width. Any is wrong by at most a ``2**-EXACT`` of these, be it rounded twice."""
ADDED = 2**20  # a number that is added to an index is no greater


class FloatLimit(Struct, frozen=True):
    """A float of ``width`` bits is at most the float of an operand's integer, plus a number, or
    ``less`` than that; or for a lower limit, at least that. With ``zero`` it may be 0 or beyond
    instead."""

    operand: Operand
    signed: bool
    width: int
    plus: int = 0
    less: bool = False
    zero: bool = False

    def exact(self, of: Polynomial) -> bool:
        """True if the float is the sum, where the operand's integer is this polynomial."""
        low, high = of.range()
        return max(-low, high) + abs(self.plus) < 1 << EXACT[self.width]

    def most(self, of: Polynomial, integers: ModularPolynomials) -> Polynomial:
        """What the converted integer is at most. Where a sum is not exact, a negative one has the
        limit 0."""
        found, below = of + self.plus - int(self.less), self.less and not self.plus
        if below or self.exact(of):
            return integers.greatest(found + 1, Polynomial.of(1)) - 1 if self.zero else found
        found += integers.quotient(of + abs(self.plus), Polynomial.of(1 << EXACT[self.width]))
        return integers.greatest(found + 1, Polynomial.of(1)) - 1

    def least(self, of: Polynomial, integers: ModularPolynomials) -> Polynomial:
        """What it is at least: 0, or one above twice the sum if that is negative, which no rounding
        passes. Where nothing is less than a sum of 0, no more is said of that."""
        double = (of + self.plus).scaled(2)
        return -integers.greatest(-double + (1 if self.less else -1), Polynomial.of(0))


class Converted(NamedTuple):
    """The ``value``, a signed integer that a float is converted to. ``integer`` gives the integer
    of an operand."""

    bounds: FloatBounds
    value: Value
    integer: Callable[[Operand, bool], Polynomial | None]
    integers: ModularPolynomials

    def limits(self, upper: bool, compared: bool = False) -> list[tuple[FloatLimit, Polynomial]]:
        """The limits, each with the integer of its operand."""
        found = FloatLimits(self.bounds, upper).of(self.value, compared)
        each = ((limit, self.integer(limit.operand, limit.signed)) for limit in found)
        return [(limit, of) for limit, of in each if of is not None]

    def below(self) -> Iterator[Polynomial]:
        """What it is at most as the float is compared with that on all ways to the conversion."""
        each = self.limits(upper=True, compared=True)
        return (limit.most(of, self.integers) for limit, of in each)

    def limited(self, found: Polynomial) -> Polynomial:
        """It, which is ``found``, as the lesser or greater one of itself and its limits, which it
        is between. One between 0 and an exact limit is so whatever the limit's sign. What a thread
        computes is no limit if numbers are closer."""
        upper, lower = (
            [
                (limit, of)
                for limit, of in self.limits(up)
                if not any(symbol.rank for symbol in of.symbols)
                or found.range()[1] >= of.range()[1]
            ]
            for up in (True, False)
        )
        ends = {replace(limit, zero=False) for limit, _ in lower}
        if any(limit in ends and limit.exact(of) for limit, of in upper):
            lower, found = [], self.integers.greatest(found, Polynomial.of(0))
        for limit, of in lower:
            found = self.integers.greatest(found, limit.least(of, self.integers))
        for limit, of in upper:
            found = -self.integers.greatest(-found, -limit.most(of, self.integers))
        return found


class FloatLimits:
    """Those of the floats that have these ``bounds``: ``upper`` or lower ones."""

    def __init__(self, bounds: FloatBounds, upper: bool) -> None:
        self.bounds = bounds
        self.upper = upper

    def of(self, value: Value, compared: bool = False) -> Iterator[FloatLimit]:
        """The limits of a signed integer that a float is converted to: of what the float is made
        of, or where it is ``compared`` on all ways to the conversion."""
        word, (least, _) = self.bounds.word(value), self.bounds.integer(value) or (0, 0)
        if word is None or word.by != "to integer":
            return
        tests, (source,) = tuple(self.bounds.tests(value)), word.parts
        nan = self.bounds.bounds(source, tests).nan
        if not self.upper and (least >= 0 or (nan and 64 in (word.bits, source.width))):
            return  # nothing new; or NaN becomes the least integer
        inner = self.bounds.word(source)
        whole = inner is not None and inner.by == "integral"
        if compared:
            last = inner if inner is not None and whole else word
            found = self.rounded(self.tested(self.bounds.root(last.parts[0]), tests), last, tests)
        else:
            found = self.above(source, tests)
            found = found if whole else self.rounded(found, word, tests)
        yield from (replace(limit, zero=limit.zero or nan) for limit in found)

    def above(
        self, operand: Operand, tests: Tests, chosen: Tests = (), depth: int = 0
    ) -> Iterator[FloatLimit]:
        """The limits of a float where these tests are true, and those by which it is ``chosen``,
        and it is a number."""
        operand = self.bounds.root(operand)
        if depth == NESTED:
            return
        yield from self.tested(operand, chosen)
        meant = self.bounds.meant(operand)
        if isinstance(meant, Selection):
            formulas = self.bounds.values.flow.formulas
            sides = [
                (side, (*chosen, *formulas.float_tests(meant.by, truth)))
                for side, truth in ((meant.a, True), (meant.b, False))
            ]
            each = [list(self.above(side, tests, by, depth + 1)) for side, by in sides]
            yield from common(*each)
            for limits, (side, by) in zip(each, reversed(sides), strict=True):
                yield from self.or_zero(limits, side, (*tests, *by))
        elif isinstance(meant, FloatWord):
            yield from self.computed(meant, tests, chosen, depth + 1)

    def tested(self, operand: Operand, tests: Tests) -> Iterator[FloatLimit]:
        """Those by the tests alone. That a subnormal float counts as 0 is no lower limit: rounded
        down it may be -1."""
        for test in tests if self.upper else (test for test in tests if not test.ftz):
            for one, other, beyond in ((test.a, test.b, "<>"), (test.b, test.a, "><")):
                limit = self.bounds.word(other)
                if limit is None or beyond[self.upper] in test.outcomes:
                    continue
                if self.bounds.root(one) == operand:
                    less = self.upper and "=" not in test.outcomes
                    yield from (replace(n, less=less) for n in self.integral(limit))

    def integral(self, word: FloatWord) -> Iterator[FloatLimit]:
        """An integer as a float, be it with a number added: each is its own limit."""
        if word.bits not in EXACT or word.mode.rounding != "rn":
            return
        if word.by == "of integer":
            yield FloatLimit(word.parts[0], word.signed, word.bits)
        elif word.by in ("sum", "difference"):
            a, b = word.parts
            sides = [(a, b, 1), (b, a, 1)] if word.by == "sum" else [(a, b, -1)]
            for one, other, sign in sides:
                of, number = self.bounds.word(one), decoded(self.bounds.plain(other))
                if of is None or of.by != "of integer" or number is None:
                    continue
                if number.is_integer() and abs(number) <= ADDED:
                    yield from (replace(n, plus=sign * int(number)) for n in self.integral(of))

    def computed(
        self, word: FloatWord, tests: Tests, chosen: Tests, depth: int
    ) -> Iterator[FloatLimit]:
        """Those of a float that is made of others."""
        known = (*tests, *chosen)
        nearest, farthest = ("min", "max") if self.upper else ("max", "min")
        match word.by, word.parts:
            case "integral", (a,):
                yield from self.rounded(self.above(a, tests, chosen, depth), word, known)
            case by, (a, b) if by == nearest:  # of NaN and a number it is the number
                sides = (side for side in (a, b) if not self.bounds.bounds(side, known).nan)
                for side in sides:
                    yield from flushed(self.above(side, tests, chosen, depth), word)
            case by, (a, b) if by == farthest:
                for side, other in ((a, b), (b, a)):
                    yield from self.or_zero(self.above(side, tests, chosen, depth), other, known)
            case "product", (a, b) if word.mode.rounding == "rn":
                for one, other in ((a, b), (b, a)):
                    of, (low, high, nan) = self.bounds.word(other), self.bounds.bounds(one, known)
                    if of is None or nan or low < 0 or high > 1:
                        continue
                    less = high < 1 and of.bits == word.bits and of.by == "of integer"
                    yield from (replace(n, less=less, zero=True) for n in self.integral(of))
            case _:
                yield from self.integral(word)

    def or_zero(
        self, limits: Iterable[FloatLimit], other: Operand, tests: Tests
    ) -> Iterator[FloatLimit]:
        """The limits of what may be another float instead, if that is 0 or beyond."""
        low, high, _ = self.bounds.bounds(other, tests)
        for limit in limits if (high <= 0 if self.upper else low >= 0) else ():
            yield replace(limit, zero=True)

    def rounded(
        self, limits: Iterable[FloatLimit], word: FloatWord, tests: Tests
    ) -> Iterator[FloatLimit]:
        """The limits of a float rounded to an integer, by ``word``. One that is less stays less if
        it is rounded down, be it towards zero; but a negative one may become 0."""
        rounding, ftz = word.mode.rounding, word.mode.ftz
        low = self.bounds.bounds(word.parts[0], tests).low
        zero = low < 0 and (rounding == "rz" or ftz)
        for limit in limits if rounding in ("rn", "rz", "rm") else ():
            less = limit.less and rounding != "rn"
            yield replace(limit, less=less, zero=limit.zero or (less and zero))


def flushed(limits: Iterable[FloatLimit], word: FloatWord) -> Iterator[FloatLimit]:
    """The limits, where subnormal floats may become 0: less than 0 then need not stay so."""
    for limit in limits:
        yield replace(limit, zero=limit.zero or (limit.less and word.mode.ftz))


def common(some: list[FloatLimit], others: list[FloatLimit]) -> Iterator[FloatLimit]:
    """The limits of what is one of two floats."""
    for one in some:
        for other in others:
            if replace(one, less=other.less, zero=other.zero) == other:
                yield replace(one, less=one.less and other.less, zero=one.zero or other.zero)
