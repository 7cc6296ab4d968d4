"""Proofs by combination: a goal is not negative if non-negative multiples of known inequalities add
up to no more than it.

A multiple is one by a number, or by a product of symbols that is not negative: row*n + col < n*m
follows from row < m and col < n by ``n`` times the first. This is Handelman's scheme (Pacific J.
Math. 132, 1988), restricted to products that have a monomial in common with the goal or with
another multiple. Where these do not suffice, inequalities are multiplied by the distance of such a
product from its least number: (m - 1)*(n - 8*(n//8)) >= 0 for m >= 1.

Monomials are the variables of a simplex, within the bounds of their products; that the goal is less
than zero is one more row. Products are added where the values that it finds violate them, as in
incremental linearization (Cimatti et al., "Incremental Linearization for Satisfiability and
Verification Modulo Nonlinear Arithmetic", ACM TOCL 19(3), 2018). If the rows contradict each other,
the goal is not negative anywhere; else nothing is known.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from math import inf

from analyses.budget import COMBINED_PRODUCTS
from analyses.polynomials.division import quotient, times_monomial
from analyses.polynomials.inequality import Inequality
from analyses.polynomials.polynomial import (
    Monomial,
    Number,
    Polynomial,
    Ranges,
    Symbol,
    product_range,
)
from analyses.proofs.simplex import Simplex
from analyses.proofs.squares import squares

Indexed = Mapping[Symbol, Iterable[tuple[Inequality, Monomial, int]]]
"""Inequalities by symbol, with each monomial that it stands in, and the factor of that."""


class Combination:
    """The search for one goal among the ``known`` inequalities, over symbols in ``ranges``, in
    at most about so many ``steps``."""

    def __init__(self, goal: Polynomial, known: Indexed, ranges: Ranges, steps: int) -> None:
        self.known, self.ranges, self.most = known, ranges, steps
        self.degree = max(2, goal.degree) + 1
        self.simplex = Simplex()
        self.variables: dict[Monomial, int] = {}
        self.rows: dict[int, Inequality] = {}
        self.seen: set[tuple[Inequality, Monomial]] = set()  # with what it is multiplied by
        self.wanted: dict[tuple[Monomial, bool], None] = {}  # to cancel it, with this sign
        self.multiplied = 0  # so many of these
        self.candidates: list[tuple[Polynomial, Inequality | None]] = []
        self.distant: list[tuple[Polynomial, Inequality, int]] = []
        self.tested = 0
        self.ends: dict[Monomial, tuple[Number, Number]] = {}
        self.values: dict[Monomial, tuple[int, int]] = {}  # that the simplex has now
        self._add(-goal, None, 1)
        if not goal.symbols:  # it is negative: the inequalities themselves are to contradict
            self._add_all()
        for square in squares(goal, ranges):
            self._add(square, None)
        self._add_known()

    @property
    def steps(self) -> int:
        """The rows that were computed, and a quarter of the products that were tested: as many
        steps of a search for bounds take as long."""
        return self.simplex.steps + self.tested // 4

    def found(self) -> tuple[Inequality, ...] | None:
        """The inequalities that show that the goal is not negative; None if none are found."""
        for _ in range(COMBINED_PRODUCTS):
            contradiction = self.simplex.contradiction(self.most)
            self.values.clear()
            if contradiction is not None:
                used = (self.rows[row] for row in contradiction if row in self.rows)
                return tuple(dict.fromkeys(used))
            if not self._add_products():
                return None
        return None

    def _add(self, polynomial: Polynomial, fact: Inequality | None, least: int = 0) -> None:
        """A row for the polynomial, which is at least this number; due to the inequality."""
        constant = polynomial.terms.get((), 0)
        factors = {self._variable(m): c for m, c in polynomial.terms.items() if m}
        row = self.simplex.sum(factors, least - constant, inf)
        self.wanted.update({(m, c < 0): None for m, c in polynomial.terms.items() if m})
        if fact is not None:
            self.rows[row] = fact

    def _variable(self, monomial: Monomial) -> int:
        found = self.variables.get(monomial)
        if found is None:
            found = self.variables[monomial] = self.simplex.variable(*self._range(monomial))
        return found

    def _range(self, monomial: Monomial) -> tuple[Number, Number]:
        found = self.ends.get(monomial)
        if found is None:
            found = self.ends[monomial] = product_range(monomial, self.ranges)
        return found

    def _add_all(self) -> None:
        """Rows for all inequalities."""
        for entries in self.known.values():
            for fact, _, _ in entries:
                if (fact, ()) not in self.seen:
                    self.seen.add((fact, ()))
                    self._add(fact.polynomial, fact)

    def _add_known(self, since: int = 0) -> None:
        """Rows for the inequalities that cancel a monomial that is wanted, or one of such an
        inequality."""
        wanted = list(self.wanted)[since:]
        for monomial, sign in wanted:  # grows on the way
            for fact, part, factor in self.known.get(monomial[0], ()):
                if part == monomial and (factor > 0) == sign and (fact, ()) not in self.seen:
                    self.seen.add((fact, ()))
                    before = len(self.wanted)
                    self._add(fact.polynomial, fact)
                    wanted += list(self.wanted)[before:]

    def _add_products(self) -> bool:
        """Rows for products that the values violate; False if there are none, or the steps end."""
        before = len(self.wanted)
        tested = self.tested
        for monomial, sign in list(self.wanted)[self.multiplied :]:
            self.candidates += self._products(monomial, sign)
            self.candidates += self._envelope(monomial, sign) if len(monomial) > 1 else ()
            self.tested = tested + len(self.candidates)
            if self.steps > self.most:
                return False
        self.multiplied = before
        violated = [one for one in self.candidates if self._is_violated(one[0])]
        if not violated:  # the usual case
            distant = [(p.plus(fact.polynomial, -least), fact) for p, fact, least in self.distant]
            violated = [one for one in distant if self._is_violated(one[0])]
            self.candidates += distant
            self.distant = []
        known = self.variables.keys() | {()}
        closed = [one for one in violated if one[0].terms.keys() <= known]
        chosen = closed or violated  # the others may not be needed
        for one in chosen:
            self._add(*one)
            self.candidates.remove(one)
        self._add_known(before)
        return bool(chosen)

    def _products(self, monomial: Monomial, sign: bool) -> Iterator[tuple[Polynomial, Inequality]]:
        """Inequalities with a symbol of the monomial, and multiples of them by what their own terms
        lack of it, if these have its sign."""
        for symbol in dict.fromkeys(monomial):
            for fact, part, factor in self.known.get(symbol, ()):
                lacks = quotient(monomial, part) if (factor > 0) == sign else None
                for by in ((), lacks):
                    if by is None or (fact, by) in self.seen:
                        continue
                    self.seen.add((fact, by))
                    least = self._range(by)[0] if by else 0
                    if least >= 0:
                        product = times_monomial(fact.polynomial, by)
                        if product.degree <= self.degree:
                            yield product, fact
                            if least > 0:
                                self.distant.append((product, fact, int(least)))

    def _envelope(self, monomial: Monomial, sign: bool) -> Iterator[tuple[Polynomial, None]]:
        """What is not negative by the ranges of a symbol and of the rest of the product: products
        of the distances to an end of each (McCormick, Mathematical Programming 10, 1976). The
        square of an integer is not less than its absolute value."""
        for symbol in dict.fromkeys(monomial):
            rest = quotient(monomial, (symbol,))
            assert rest is not None
            (low, high), (least, most) = self._range((symbol,)), self._range(rest)
            others = (least, most) if sign else (most, least)
            for end, other in zip((low, high), others, strict=True):
                if isinstance(end, int) and isinstance(other, int) and (end or other):
                    distances = (Polynomial.of(symbol) - end) * (Polynomial({rest: 1}) - other)
                    yield distances if sign else -distances, None
        if sign and len(monomial) == 2 and monomial[0] is monomial[1]:
            for integer in (Polynomial.of(monomial[0]), -Polynomial.of(monomial[0])):
                yield Polynomial({monomial: 1}) - integer, None

    def _is_violated(self, product: Polynomial) -> bool:
        """True if it is less than zero at the values, where a monomial that has none is the product
        of its symbols."""
        total, over = 0, 1
        for monomial, factor in product.terms.items():
            value, by = self._value(monomial)
            total, over = total * by + factor * value * over, over * by
        return total < 0

    def _value(self, monomial: Monomial) -> tuple[int, int]:
        """The value, as numerator and denominator."""
        found = self.values.get(monomial)
        if found is None:
            found = self.values[monomial] = self._computed(monomial)
        return found

    def _computed(self, monomial: Monomial) -> tuple[int, int]:
        variable = self.variables.get(monomial)
        if variable is not None:
            return self.simplex.value(variable)
        value, over = 1, 1
        for symbol in monomial:
            one = self.variables.get((symbol,))
            own, by = (int(max(symbol.low, 0)), 1) if one is None else self.simplex.value(one)
            value, over = value * own, over * by
        return value, over
