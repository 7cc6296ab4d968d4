"""Facts by what they say apart from constants: whether one of them implies another polynomial takes
a look into a table."""

from __future__ import annotations

from collections.abc import Iterator
from math import gcd, inf

from analyses.polynomials.inequality import split
from analyses.polynomials.polynomial import Monomial, Polynomial, Symbol
from analyses.polynomials.symbols import Choice, Interpretation, Quotient, range_of_left, type_range

FACTS = 64  # that follow from one of them


class StatedFacts:
    """Polynomials that are not negative, by what they say apart from constants. If they are
    ``reduced``, each is divided by what its terms have in common, and choices that it decides are
    replaced: not where facts are rewritten by what they decide, which so loses them."""

    def __init__(self, known: list[Polynomial], reduced: bool = False) -> None:
        self.known, self.of = known, tightened if reduced else unchanged
        self.kept: dict[Interpretation, bool] = {}
        self.least: dict[frozenset[tuple[Monomial, int]], int] = {}
        self.facts = [each for fact in known for each in with_cases(fact, reduced)]
        for fact in self.facts:
            moving, constant = split(self.of(fact))
            self.least[moving] = min(constant, self.least.get(moving, constant))

    def implies(self, polynomial: Polynomial) -> bool:
        """True if one of the facts, or the ranges of symbols, imply that it is not negative, or
        that the dividend is at least n*d, for ``x//d - n``."""
        polynomial = self.of(polynomial)
        moving, constant = split(polynomial)
        least = self.least.get(moving)
        if (least is not None and least <= constant) or polynomial.range()[0] >= 0:
            return True
        of = polynomial.shifted(-constant).alone
        if not isinstance(of, Quotient) or of.limit != inf:
            return False
        by = of.divisor.constant
        return by is not None and by > 0 and self.implies(of.dividend.shifted(constant * by))

    def bounds(self, polynomial: Polynomial) -> bool:
        """True if one of the facts does, or what a multiple of another one and the ranges of
        remainders leave."""
        return self.implies(polynomial) or any(
            range_of_left(rest := polynomial.plus(fact, -times))[0] >= 0
            or self.implies(rest)
            or self.rounds(rest)
            for fact in self.facts
            for times in multiples(polynomial, fact)
        )

    def rounds(self, polynomial: Polynomial) -> bool:
        """True if it is a multiple of a number, and a constant, and one of the facts leaves none of
        these that are negative: of what a division leaves, as in a loop for a remainder."""
        by = gcd(*(factor for _, factor in polynomial.moving))
        if by < 2 or not any(isinstance(symbol, Quotient) for symbol in polynomial.symbols):
            return False
        constant = polynomial.terms.get((), 0)
        lows = (range_of_left(polynomial - fact)[0] for fact in self.facts)
        return any(low > -inf and low + (constant - low) % by >= 0 for low in lows)

    def keeps(self, integer: Interpretation) -> bool:
        """True if one of the facts, and the ranges of the symbols in it, keep its polynomial from
        wrapping: i + 1 is no more than 2**31 - 1 where an ``int`` is greater than i."""
        if integer not in self.kept:
            low, high = type_range(integer.width, integer.signed)
            self.kept[integer] = all(
                self.bounds(side) for side in (integer.polynomial - low, -integer.polynomial + high)
            )
        return self.kept[integer]

    def plain(self, polynomial: Polynomial) -> Polynomial:
        """With the polynomials of interpretations that the facts keep from wrapping."""
        by = dict[Symbol, Polynomial]()
        for symbol in polynomial.symbols:
            if isinstance(symbol, Interpretation) and self.keeps(symbol):
                by[symbol] = symbol.polynomial
        return polynomial.replaced(by)


def multiples(polynomial: Polynomial, fact: Polynomial) -> set[int]:
    """By how much a fact is multiplied to take a term out of the polynomial, and 1."""
    by = {polynomial.terms.get(monomial, 0) // factor for monomial, factor in fact.moving}
    return {1, *(times for times in by if times > 0)}


def unchanged(polynomial: Polynomial) -> Polynomial:
    return polynomial


def tightened(polynomial: Polynomial) -> Polynomial:
    """The polynomial divided by what its terms have in common: with the constant rounded down, it
    is not negative where that one is not, and nowhere else."""
    common = gcd(*(factor for _, factor in polynomial.moving))
    if common < 2:
        return polynomial
    return Polynomial({m: c for m, f in polynomial.terms.items() if (c := f // common)})


def with_cases(fact: Polynomial, chosen: bool) -> list[Polynomial]:
    """The fact, and what is not negative where it is not: what is at least a maximum is at least
    each of its cases; a choice is the only case that is great enough, if that counts as
    ``chosen``."""
    found = dict.fromkeys([fact])
    waiting = [fact]
    while waiting and len(found) < FACTS:
        for below in by_cases(waiting.pop(), chosen):
            if below not in found:
                found[below] = None
                waiting.append(below)
    return list(found)


def by_cases(fact: Polynomial, chosen: bool) -> Iterator[Polynomial]:
    """The fact with each case in place of a maximum that is subtracted, and with the only case that
    a choice can be, if that counts as ``chosen``."""
    for monomial, factor in fact.terms.items():
        choice = monomial[0] if len(monomial) == 1 else None
        if isinstance(choice, Choice) and (chosen or (factor < 0 and choice.greatest)):
            rest = fact - Polynomial({monomial: factor})
            each = [rest + case.polynomial.scaled(factor) for case in choice.cases]
            if factor > 0 or not choice.greatest:
                each = [one for one in each if one.range()[1] >= 0]
                each = each if len(each) == 1 else []
            yield from each


def sides(symbol: Symbol) -> Iterator[tuple[Polynomial, list[Polynomial]]]:
    """The values that are looked for of a maximum or a quotient, each with polynomials: the symbol
    has it where none of them is negative."""
    if isinstance(symbol, Choice):
        for case in symbol.cases:
            yield case.polynomial, [case.polynomial - other.polynomial for other in symbol.cases]
            others = [other.polynomial for other in symbol.cases if other is not case]
            if not symbol.rank:  # else what bounds the maximum may not bound the case
                yield case.polynomial, [Polynomial.of(symbol) - other - 1 for other in others]
    elif isinstance(symbol, Quotient):
        by = symbol.divisor.constant
        for value in (0, -1) if by is not None and by > 0 else ():
            assert by is not None
            rest = symbol.dividend - by * value
            yield Polynomial.of(value), [rest, -rest + (by - 1)]
