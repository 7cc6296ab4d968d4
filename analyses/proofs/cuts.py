"""Cutting planes: an inequality divided by a common factor of its terms, its constant rounded."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import gcd

from analyses.budget import NESTED_QUOTIENTS
from analyses.polynomials.division import quotient, split, times_monomial
from analyses.polynomials.inequality import Inequality
from analyses.polynomials.polynomial import (
    Monomial,
    Number,
    Polynomial,
    Symbol,
    order,
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
    quotients = (fact.origin for fact in facts.known if isinstance(fact.origin, Quotient))
    again = {of.dividend.symbols for of in quotients}
    for fact in facts.known:
        symbol = fact.origin
        dividend = symbol.dividend.replaced(facts.solved) if isinstance(symbol, Quotient) else None
        if not isinstance(symbol, Quotient) or dividend is None or not dividend.terms:
            continue
        divisor = symbol.divisor.replaced(facts.solved).replaced(launch)
        leading = max(dividend.terms, key=lambda m: [order(s) for s in reversed(m)])
        factor = fact.polynomial.terms.get(leading)
        if not leading or not factor:
            continue
        parts = {id(f) for s in leading for f, _, _ in facts.by_symbol.get(s, ())}
        for other in facts.known:
            if other.origin is symbol or id(other) not in parts:
                continue
            for against in multiples(other.polynomial, leading, symbol, facts):
                opposite = against.terms.get(leading, 0)
                if opposite * factor >= 0:
                    continue
                both = fact.polynomial.scaled(abs(opposite)).plus(against, abs(factor))
                both = both.replaced(launch)
                cut = divided(both, divisor, facts.ranges)
                if cut is None and any(both.symbols <= symbols for symbols in again):
                    cut = whole_part(both, divisor)
                if cut is not None and cut not in said:
                    said.add(cut)
                    yield Inequality(cut, symbol)


def multiples(
    fact: Polynomial, leading: Monomial, symbol: Quotient, facts: InequalitySystem
) -> Iterable[Polynomial]:
    """The inequality; and, for a product that a symbol divides, the inequality times what its own
    terms lack of the product, if that is not negative: where y < m, y*k < m*k bounds (y*k)//m."""
    yield fact
    for monomial in fact.terms if divides(symbol) else ():
        lacks = quotient(leading, monomial) if monomial else None
        if lacks and product_range(lacks, facts.ranges)[0] >= 0:
            yield times_monomial(fact, lacks)


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
