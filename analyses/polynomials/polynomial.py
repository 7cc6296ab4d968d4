"""Polynomials with integer coefficients over integer symbols.

Integers are unbounded and nothing wraps; ``polynomials.modular`` has words modulo 2**w. A symbol
has a range and a rank: launch symbols (rank 0) come before those of a block, a thread or an
iteration, and a symbol comes after all symbols in its definition.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from math import gcd, inf
from operator import attrgetter
from typing import Any

from analyses.polynomials.formatting import sum_of

Number = int | float  # a float only for an infinite bound


class Symbol:
    """An integer between ``low`` and ``high`` (both included). Equal only to itself.

    ``serial`` orders symbols of one rank by creation; ``parts`` are the symbols in its definition,
    and itself.
    """

    __slots__ = (
        "_polynomial", "definition", "high", "label", "low", "parts", "place", "rank", "serial",
    )  # fmt: skip

    def __init__(
        self,
        label: str,
        low: Number = -inf,
        high: Number = inf,
        rank: int = 0,
        serial: int = 0,
        parts: frozenset[Symbol] = frozenset(),
    ) -> None:
        self.label, self.low, self.high = label, low, high
        self.rank, self.serial = rank, serial
        self.place = rank, serial, label
        self.parts: frozenset[Symbol] = parts | {self}
        self._polynomial: Polynomial | None = None
        self.definition: tuple[Any, ...] | None = None  # see ``proofs.definitions``

    @property
    def as_polynomial(self) -> Polynomial:
        """The polynomial that it is."""
        if self._polynomial is None:
            self._polynomial = Polynomial({(self,): 1})
        return self._polynomial

    def text(self, names: Names) -> str:
        """As it is printed; ``names`` has the symbols that it is made of."""
        return self.label

    @property
    def name(self) -> str:
        return self.text(OwnNames())

    def __repr__(self) -> str:
        return self.name


class OwnNames(dict[Symbol, str]):
    """The names that symbols have of their own, each written once."""

    def __missing__(self, symbol: Symbol) -> str:
        name = self[symbol] = symbol.text(self)
        return name


Names = Mapping[Symbol, str]
Ranges = Mapping[Symbol, tuple[Number, Number]]
Monomial = tuple[Symbol, ...]  # sorted; a symbol stands as often as its power


order: Callable[[Symbol], tuple[int, int, str]] = attrgetter("place")
"""The place of a symbol, as a key that sorts."""


class Polynomial:
    """``terms`` maps monomials to coefficients, none of them 0. Immutable."""

    __slots__ = ("_common", "_hash", "_moving", "_parts", "_range", "_symbols", "terms")

    def __init__(self, terms: Mapping[Monomial, int]) -> None:
        self.terms = terms
        self._hash: int | None = None
        self._symbols: frozenset[Symbol] | None = None
        self._parts: frozenset[Symbol] | None = None
        self._common: int | None = None
        self._range: tuple[Number, Number] | None = None
        self._moving: frozenset[tuple[Monomial, int]] | None = None

    @classmethod
    def of(cls, value: int | Symbol) -> Polynomial:
        if isinstance(value, Symbol):
            return value.as_polynomial
        return cls({(): value} if value else {})

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Polynomial) and self.terms == other.terms

    def __hash__(self) -> int:
        if self._hash is None:
            self._hash = hash(frozenset(self.terms.items()))
        return self._hash

    def __add__(self, other: Polynomial | int) -> Polynomial:
        return self.plus(other) if isinstance(other, Polynomial) else self.shifted(other)

    def __sub__(self, other: Polynomial | int) -> Polynomial:
        return self.plus(other, -1) if isinstance(other, Polynomial) else self.shifted(-other)

    def __neg__(self) -> Polynomial:
        return self.scaled(-1)

    def __mul__(self, other: Polynomial) -> Polynomial:
        terms: dict[Monomial, int] = {}
        for left, x in self.terms.items():
            for right, y in other.terms.items():
                both = tuple(sorted(left + right, key=order)) if left and right else left or right
                terms[both] = terms.get(both, 0) + x * y
        return Polynomial({m: c for m, c in terms.items() if c})

    def plus(self, other: Polynomial, times: int = 1) -> Polynomial:
        """This and ``times`` the other."""
        if not times:
            return self
        terms = dict(self.terms)
        for monomial, factor in other.terms.items():
            total = terms.get(monomial, 0) + factor * times
            if total:
                terms[monomial] = total
            else:
                del terms[monomial]
        return Polynomial(terms)

    def shifted(self, by: int) -> Polynomial:
        """This and a number. What a constant does not change is known of both."""
        if not by:
            return self
        terms = dict(self.terms)
        total = terms.pop((), 0) + by
        if total:
            terms[()] = total
        found = Polynomial(terms)
        found._symbols, found._parts = self._symbols, self._parts
        found._common, found._moving = self._common, self._moving
        return found

    def scaled(self, by: int) -> Polynomial:
        if by == 1:
            return self
        if not by:
            return Polynomial({})
        found = Polynomial({m: c * by for m, c in self.terms.items()})
        found._symbols, found._parts = self._symbols, self._parts
        return found

    @property
    def constant(self) -> int | None:
        """The number, if the polynomial is one."""
        if not self.terms:
            return 0
        return self.terms.get(()) if len(self.terms) == 1 else None

    @property
    def degree(self) -> int:
        """The greatest number of factors of a term."""
        return max(map(len, self.terms), default=0)

    @property
    def moving(self) -> frozenset[tuple[Monomial, int]]:
        """The terms without the constant."""
        if self._moving is None:
            self._moving = frozenset([item for item in self.terms.items() if item[0]])
        return self._moving

    @property
    def symbols(self) -> frozenset[Symbol]:
        if self._symbols is None:
            self._symbols = frozenset([symbol for monomial in self.terms for symbol in monomial])
        return self._symbols

    @property
    def parts(self) -> frozenset[Symbol]:
        """The symbols, and those in their definitions."""
        if self._parts is None:
            self._parts = frozenset().union(*[symbol.parts for symbol in self.symbols])
        return self._parts

    @property
    def alone(self) -> Symbol | None:
        """The symbol, if the polynomial is one."""
        if len(self.terms) == 1:
            ((monomial, factor),) = self.terms.items()
            if factor == 1 and len(monomial) == 1:
                return monomial[0]
        return None

    def range(self, within: Ranges | None = None) -> tuple[Number, Number]:
        """Bounds by interval arithmetic on each monomial; ``within`` gives narrower ranges of
        symbols."""
        if self._range is not None and not within:
            return self._range
        low: Number = 0
        high: Number = 0
        for monomial, factor in self.terms.items():
            if len(monomial) == 1:  # the usual case
                symbol = monomial[0]
                found = within.get(symbol) if within else None
                least, most = found or (symbol.low, symbol.high)
            elif monomial:
                least, most = product_range(monomial, within)
            else:
                low, high = low + factor, high + factor
                continue
            if factor < 0:
                least, most = most, least
            low, high = low + factor * least, high + factor * most
        if not within:
            self._range = low, high
        return low, high

    def primitive(self) -> Polynomial:
        """An equivalent polynomial for ``>= 0``, divided by the common factor of its coefficients;
        the constant is rounded down, since the rest is an integer."""
        if self._common is None:
            self._common = gcd(*[c for m, c in self.terms.items() if m])
        if self._common <= 1:
            return self
        return Polynomial({m: q for m, c in self.terms.items() if (q := c // self._common)})

    def replaced(self, by: Mapping[Symbol, Polynomial]) -> Polynomial:
        """The polynomial with polynomials substituted for symbols."""
        if not by or by.keys().isdisjoint(self.symbols):
            return self
        terms: dict[Monomial, int] = {}
        for monomial, factor in self.terms.items():
            if by.keys().isdisjoint(monomial):
                terms[monomial] = terms.get(monomial, 0) + factor
                continue
            part = Polynomial({(): factor})
            for symbol in monomial:
                part = part * by.get(symbol, Polynomial.of(symbol))
            for product, times in part.terms.items():
                terms[product] = terms.get(product, 0) + times
        return Polynomial({m: c for m, c in terms.items() if c})

    def of_symbols(self, such: Callable[[Symbol], bool]) -> Polynomial:
        """The terms that have ``such`` symbols only, and the constant."""
        return Polynomial({m: c for m, c in self.terms.items() if all(map(such, m))})

    def value(self, of: Callable[[Symbol], int]) -> int:
        """The number, with the value ``of`` each symbol."""
        total = 0
        for monomial, factor in self.terms.items():
            for symbol in monomial:
                factor *= of(symbol)
            total += factor
        return total

    def __str__(self) -> str:
        return sum_of(self.terms, OwnNames())


def product_range(monomial: Monomial, within: Ranges | None) -> tuple[Number, Number]:
    """Bounds of a product; an even power is not negative."""
    if len(monomial) == 1:
        return symbol_range(monomial[0], within)
    if not monomial:
        return 1, 1
    if len(monomial) == 2 and monomial[0] is not monomial[1]:
        (a, b), (c, d) = symbol_range(monomial[0], within), symbol_range(monomial[1], within)
        if a >= 0 and c >= 0:  # the usual case
            return (a * c if a and c else 0), (b * d if b and d else 0)
        corners = [x * y if x and y else 0 for x in (a, b) for y in (c, d)]
        return min(corners), max(corners)
    low: Number = 1
    high: Number = 1
    for symbol, power in Counter(monomial).items():
        least, most = symbol_range(symbol, within)
        ends = (least, most) if power == 1 else (least**power, most**power)
        if power % 2 == 0:
            ends = (0 if least <= 0 <= most else min(ends), max(ends))
        corners = [x * y if x and y else 0 for x in (low, high) for y in ends]
        low, high = min(corners), max(corners)
    return low, high


def symbol_range(symbol: Symbol, within: Ranges | None) -> tuple[Number, Number]:
    found = within.get(symbol) if within else None
    return found if found is not None else (symbol.low, symbol.high)
