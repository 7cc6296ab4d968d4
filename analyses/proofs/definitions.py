"""Inequalities that symbols are defined by: a quotient rounds down, a maximum is not less than each
of its cases, a reading is less than its polynomial by a multiple of 2**width."""

from __future__ import annotations

from collections.abc import Iterable
from math import gcd
from typing import TypeGuard

from analyses.polynomials.inequality import Inequality
from analyses.polynomials.polynomial import Polynomial, Symbol, order
from analyses.polynomials.symbols import Choice, Interpretation, Quotient
from analyses.proofs.inequalities import InequalitySystem, quotient, solved


def closure(
    symbols: Iterable[Symbol], seen: Iterable[Symbol] = ()
) -> tuple[list[Inequality], frozenset[Symbol]]:
    """The inequalities that define the symbols and all that these speak of, those which are
    ``seen`` left out; and all symbols."""
    found: list[Inequality] = []
    done = set(seen)
    open_ = set(symbols) - done
    while open_:
        facts = [fact for symbol in sorted(open_, key=order) for fact in defining(symbol)]
        found += facts
        done |= open_
        open_ = {s for fact in facts for s in fact.polynomial.symbols} - done
    return found, frozenset(done)


def divides(symbol: Symbol) -> TypeGuard[Quotient]:
    """Whether it is a division of which the premises must show that it rounds down."""
    return isinstance(symbol, Quotient) and symbol.divisor.constant is None


def defining(symbol: Symbol) -> Iterable[Inequality]:
    """The inequalities that a symbol is defined by."""
    if isinstance(symbol, Interpretation) and symbol.polynomial.range()[0] >= 0:
        yield Inequality(
            symbol.polynomial - Polynomial.of(symbol), symbol
        )  # less by 2**width or more
    elif isinstance(symbol, Quotient) and not divides(symbol):
        yield from division(symbol)
    elif isinstance(symbol, Choice) and symbol.greatest:
        for case in symbol.cases:
            yield Inequality(Polynomial.of(symbol) - case.polynomial, symbol)


def division(symbol: Quotient) -> Iterable[Inequality]:
    """b*q <= a <= b*q + b - 1."""
    part = symbol.divisor * Polynomial.of(symbol)
    yield Inequality(symbol.dividend - part, symbol)
    yield Inequality(part + symbol.divisor - symbol.dividend - 1, symbol)
    if divides(symbol):
        yield Inequality(Polynomial.of(symbol), symbol)
        yield Inequality(symbol.dividend - Polynomial.of(symbol), symbol)


def cuts(facts: InequalitySystem) -> Iterable[Inequality]:
    """Where a dividend is bounded and so is its quotient, a multiple of the divisor is: it may be
    divided by it and rounded (Gomory, 1958)."""
    launch, _ = solved(facts.known, launch=True)
    said = {fact.polynomial for fact in facts.known}
    for fact in facts.known if launch else ():
        whole = fact.polynomial.replaced(launch)
        cut = rounded(whole)
        if cut is not None and cut not in said:
            said.add(cut)
            yield Inequality(cut, fact.what)
    for fact in facts.known:
        symbol = fact.what
        dividend = symbol.dividend.replaced(facts.solved) if isinstance(symbol, Quotient) else None
        if not isinstance(symbol, Quotient) or dividend is None or not dividend.terms:
            continue
        leading = max(dividend.terms, key=lambda m: [order(s) for s in reversed(m)])
        factor = fact.polynomial.terms.get(leading)
        if not leading or not factor:
            continue
        for other in facts.known:
            opposite = other.polynomial.terms.get(leading, 0)
            if opposite * factor >= 0 or other.what is symbol:
                continue
            both = fact.polynomial.scaled(abs(opposite)).plus(other.polynomial, abs(factor))
            cut = divided(both.replaced(launch), symbol.divisor)
            if cut is not None and cut not in said:
                said.add(cut)
                yield Inequality(cut, symbol)


def divided(polynomial: Polynomial, divisor: Polynomial) -> Polynomial | None:
    """For b*x + r >= 0 with a number r and b >= 1: x >= 0 if r < b, x >= 1 if r < 0. None where
    that says nothing new."""
    if divisor.constant is not None:
        return rounded(polynomial)
    if len(divisor.terms) != 1:
        return None
    ((part, by),) = divisor.terms.items()
    rest = polynomial.terms.get((), 0)
    quotients = {
        remaining: c // by
        for m, c in polynomial.terms.items()
        if m and (remaining := quotient(m, part)) is not None and c % by == 0
    }
    if by <= 0 or len(quotients) != len([m for m in polynomial.terms if m]) or rest > 0:
        return None
    return Polynomial(quotients) - (rest < 0)


def rounded(polynomial: Polynomial) -> Polynomial | None:
    """Divided by what divides all of its factors, where that rounds the number down."""
    cut = polynomial.primitive()
    common = gcd(*(factor for monomial, factor in polynomial.terms.items() if monomial))
    return cut if polynomial.terms.get((), 0) % (common or 1) else None
