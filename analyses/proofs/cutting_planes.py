"""Cutting planes: an inequality divided by a common factor of its terms, its constant rounded."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from math import gcd
from typing import NamedTuple

from analyses.budget import NESTED_QUOTIENTS
from analyses.polynomials.division import quotient, split, times_monomial, youngest_product
from analyses.polynomials.inequality import Inequality
from analyses.polynomials.polynomial import (
    Monomial,
    Number,
    Polynomial,
    Symbol,
    product_range,
)
from analyses.polynomials.symbols import Quotient
from analyses.proofs.definitions import divides
from analyses.proofs.disequalities import left_apart, one_sided
from analyses.proofs.inequalities import InequalitySystem, solved
from analyses.proofs.powers import Power, rounded_by_powers
from analyses.proofs.rows import MakeSystem, rows


def with_cuts(
    facts: InequalitySystem,
    known: list[Inequality],
    apart: list[Inequality],
    power: Power,
    system: MakeSystem,
) -> InequalitySystem:
    """The system with the cuts of nested quotients, what powers of two divide, rows of divisions,
    and what that says of polynomials that are not zero. A ``power`` is a power of two where it is
    positive; ``system`` makes the system of inequalities alone. Each pass bounds quotients by
    bounds of their dividends, so there is one for each of nested quotients."""
    quotients = {fact.origin for fact in known if isinstance(fact.origin, Quotient)}
    for _ in range(max([NESTED_QUOTIENTS, *map(nesting, quotients)])):
        more = [*cuts(facts), *rounded_by_powers(facts, power), *rows(facts, system)]
        if not more:
            break
        known = [*known, *more]
        facts = system(known)
        if sides := list(one_sided(facts, apart)):
            known += [side for side, _ in sides]
            apart = left_apart(apart, sides)
            facts = system(known)
    return facts


def nesting(quotient: Quotient) -> int:
    """The number of quotients that are divided one after the other, ``i // a // b // c``."""
    inner = quotient.dividend.alone
    return 1 + (nesting(inner) if isinstance(inner, Quotient) else 0)


def cuts(facts: InequalitySystem) -> Iterable[Inequality]:
    """Cutting planes (Gomory, 1958): an inequality that bounds a dividend and its quotient bounds a
    multiple of the divisor; divided by it, the constant is rounded. A parameter that is a multiple
    of a number is one in such a cut, which is given in its own symbols too. A cut that bounds what
    is divided again counts without rounding as well."""
    launch, _ = solved(facts.known, launch=True)
    said = {fact.polynomial for fact in facts.known}
    for fact in facts.known if launch else ():
        whole = fact.polynomial.replaced(launch)
        cut = rounded(whole)
        if cut is not None and cut not in said:
            said.add(cut)
            yield Inequality(cut, fact.origin)
            common = gcd(*(factor for monomial, factor in whole.terms.items() if monomial))
            yield Inequality(fact.polynomial - whole.terms.get((), 0) % common, fact.origin)
    quotients = dict.fromkeys(f.origin for f in facts.known if isinstance(f.origin, Quotient))
    again = {of.dividend.symbols for of in quotients}
    about = {of: Dividend.of(of, facts, launch) for of in quotients}
    for fact in facts.known:
        if not isinstance(fact.origin, Quotient):
            continue
        of = about[fact.origin]
        factor = fact.polynomial.terms.get(of.leading, 0)
        for against, opposite in of.compared if of.leading and factor else ():
            if opposite * factor >= 0:
                continue
            both = fact.polynomial.scaled(abs(opposite)).plus(against, abs(factor))
            both = both.replaced(launch)
            cut = divided(both, of.divisor, facts.ranges)
            if cut is None and any(both.symbols <= symbols for symbols in again):
                cut = whole_part(both, of.divisor)
            if cut is not None and cut not in said:
                said.add(cut)
                yield Inequality(cut, fact.origin)


class Dividend(NamedTuple):
    """What a quotient divides, by its ``leading`` product, and by what; and the inequalities that
    are ``compared`` with it, each with its factor of that product."""

    leading: Monomial
    divisor: Polynomial
    compared: list[tuple[Polynomial, int]]

    @classmethod
    def of(
        cls, symbol: Quotient, facts: InequalitySystem, launch: Mapping[Symbol, Polynomial]
    ) -> Dividend:
        dividend = symbol.dividend.replaced(facts.solved)
        divisor = symbol.divisor.replaced(facts.solved).replaced(launch)
        leading = youngest_product(dividend)
        parts = {id(fact) for s in leading for fact, _, _ in facts.by_symbol.get(s, ())}
        near = (f for f in facts.known if id(f) in parts and f.origin is not symbol)
        return cls(
            leading, divisor, [one for f in near for one in multiples(f, leading, symbol, facts)]
        )


def multiples(
    fact: Inequality, leading: Monomial, symbol: Quotient, facts: InequalitySystem
) -> Iterator[tuple[Polynomial, int]]:
    """The inequality, if it has the product, and its factor of that; and, for a product that a
    symbol divides, the inequality times what its own terms lack of the product, if that is not
    negative: where y < m, y*k < m*k bounds (y*k)//m."""
    terms = fact.polynomial.terms
    if leading in terms:
        yield fact.polynomial, terms[leading]
    for monomial, factor in terms.items() if divides(symbol) else ():
        lacks = quotient(leading, monomial) if monomial else None
        if lacks and product_range(lacks, facts.ranges)[0] >= 0:
            yield times_monomial(fact.polynomial, lacks), factor


def divided(
    polynomial: Polynomial, divisor: Polynomial, ranges: Mapping[Symbol, tuple[Number, Number]]
) -> Polynomial | None:
    """For b*x + r >= 0 with b >= 1: x >= 0 if r <= 0, x >= 1 if r < 0, by the ranges of symbols.
    None if that is not stronger."""
    if divisor.constant is not None:
        return rounded(polynomial)
    found, rest = split(polynomial, divisor)
    most = rest.range(ranges)[1]
    return None if most > 0 else found - (most < 0)


def whole_part(polynomial: Polynomial, divisor: Polynomial) -> Polynomial | None:
    """Divided by a number that all its factors are multiples of; None if they are not."""
    by = divisor.constant
    if by is None or any(factor % by for factor in polynomial.terms.values()):
        return None
    return polynomial.primitive() if polynomial.range()[0] < 0 else None


def rounded(polynomial: Polynomial) -> Polynomial | None:
    """Divided by the common divisor of its factors, if that rounds the constant down; else None."""
    cut = polynomial.primitive()
    common = gcd(*(factor for monomial, factor in polynomial.terms.items() if monomial))
    return cut if polynomial.terms.get((), 0) % (common or 1) else None
