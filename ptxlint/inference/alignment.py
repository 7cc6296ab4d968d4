"""Requirements under which an offset is a multiple of a number, and what follows from them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable
from math import gcd
from typing import NamedTuple

from analyses.addresses import ResolvedAccess
from analyses.polynomials.polynomial import Polynomial, Symbol, order
from analyses.polynomials.symbols import (
    Choice,
    Difference,
    Interpretation,
    LaunchQuotient,
    Quotient,
    Remainder,
    in_order,
    is_sign,
    unwrapped,
)
from analyses.program import Region
from analyses.proofs.preconditions import ConditionalBound, Precondition
from ptxlint.facts.kernel_facts import Facts
from ptxlint.inference.extents import UpperBound

Products = dict[tuple[Symbol, ...], int]
PLACED = 16  # bytes: the widest access


class Multiples(NamedTuple):
    """Products of launch symbols that must be multiples of numbers, powers of two, and divisors
    that must be positive: what a division by 0 leaves may be any number."""

    products: Products = {}
    divisors: frozenset[Polynomial] = frozenset()

    def __or__(self, other: Multiples) -> Multiples:
        both = [*self.products.items(), *other.products.items()]
        products = {own: max(of for each, of in both if each == own) for own, _ in both}
        return Multiples(products, self.divisors | other.divisors)

    @property
    def positive(self) -> ConditionalBound:
        """A bound under the precondition that the divisors are positive."""
        needs = sorted(self.divisors, key=in_order)
        return ConditionalBound(Polynomial.of(0), tuple(Precondition(one - 1) for one in needs))


def packed(regions: Iterable[Region], region: Region) -> bool:
    """True if it is the only shared array of a kernel, or all have sizes that are multiples of
    PLACED bytes. An assembler may place them anywhere that their declared alignment allows; ptxas
    places one behind the other from where shared memory begins, which is aligned to PLACED bytes. A
    contract that rests on it says so."""
    arrays = [each for each in regions if each.space == "shared"]
    multiple = all((each.size or 0) % PLACED == 0 for each in arrays)
    return arrays == [region] or (region in arrays and multiple)


def whole(facts: Facts, place: ResolvedAccess, end: UpperBound, aligned: Products) -> UpperBound:
    """The upper bound, or the multiple of the access's alignment below it: an access that is
    aligned where products are such multiples ends at one, unless a branch tests the alignment,
    wherever the buffer begins. Terms that such products make multiples are not divided."""
    access, behind, names = place.access, facts.footprints.end(place), facts.decided
    align = access.align
    exact = access.length is None and access.bytes % align == 0
    exact = exact and not facts.footprints.tested_alignment(place)
    if not exact or end.scale != 1 or end.rest or align % end.step:
        return end

    def even(polynomial: Polynomial) -> bool:
        return met(multiples(polynomial, align, names), aligned)

    terms = (Polynomial({m: c}) for m, c in end.polynomial.terms.items() if m)
    outside = sum(filter(even, terms), Polynomial.of(0))
    inside = end.polynomial - outside
    if inside.constant is not None:
        return UpperBound(outside + inside.constant // align * align)
    if behind is None or not even(behind):
        return end
    if all(factor % align == 0 for factor in outside.terms.values()):
        return end._replace(step=align)
    groups = facts.symbolic.integers.launch_quotient(inside, Polynomial.of(align))
    return UpperBound(outside + Polynomial.of(groups).scaled(align))


def evenly(end: UpperBound, known: Products, names: Collection[Symbol]) -> UpperBound:
    """The same upper bound where these products are such multiples, without what is rounded that is
    whole then: ``8*((n + 7)//8)`` is n for a multiple of 8."""
    polynomial = end.polynomial
    for symbol in sorted(polynomial.symbols, key=order):
        if isinstance(symbol, LaunchQuotient):
            factor, by = polynomial.terms.get((symbol,), 0), symbol.divisor.constant or 0
            whole = divided(symbol.dividend, by, factor, known, names)
            if whole is not None:
                polynomial = polynomial.plus(Polynomial.of(symbol), -factor) + whole
    end = end._replace(polynomial=polynomial)
    whole = divided(*end.shortened, end.step, known, names)
    return end if whole is None else UpperBound(whole - end.rest)


def divided(
    dividend: Polynomial, by: int, times: int, known: Products, names: Collection[Symbol]
) -> Polynomial | None:
    """``times*(dividend//by)``, a power of two, where the products are multiples so that nothing
    but a number is rounded; None if that is not enough, or it is no polynomial of integers."""
    number = dividend.terms.get((), 0)
    moving = (dividend - number).scaled(times)
    if by < 1 or by & (by - 1) or any(factor % by for factor in moving.terms.values()):
        return None
    if not met(multiples(dividend - number, by, names), known):
        return None
    each = {monomial: factor // by for monomial, factor in moving.terms.items()}
    return Polynomial(each) + times * (number // by)


def multiples(offset: Polynomial, align: int, names: Collection[Symbol]) -> Multiples | None:
    """The products of launch symbols that must be multiples of a number so that the offset is one
    of ``align``, in each of the cases that a word may be; None if that is not enough. An offset
    that wraps is congruent to its polynomial modulo a power of two, as ``align`` is."""
    found = Multiples()
    rest = 0
    polynomial = unwrapped(offset)
    for monomial, factor in polynomial.terms.items():
        if factor % align == 0:
            continue
        if not monomial:
            rest = factor
            continue
        own, least = tuple(s for s in monomial if s in names), align // gcd(align, factor)
        if not own:
            one = left_over(monomial, least, names) or divided_whole(monomial, least, names)
            if one is None:
                return in_each_case(polynomial, monomial, align, names)
            found |= one
            continue
        found |= Multiples({own: least})
    return None if rest % align else found


def met(needed: Multiples | None, known: Products) -> bool:
    """True if what is known suffices."""
    if needed is None or needed.divisors:
        return False
    return all(follows(own, of, known) for own, of in needed.products.items())


def follows(product: tuple[Symbol, ...], of: int, known: Products) -> bool:
    """True if the product is a multiple of the number because a part of it is."""
    return any(n % of == 0 and not Counter(part) - Counter(product) for part, n in known.items())


def left_over(
    monomial: Iterable[Symbol], align: int, names: Collection[Symbol]
) -> Multiples | None:
    """The same for what a division leaves, a factor of the product: it is ``dividend -
    divisor*quotient``, a multiple of what both are multiples of, whatever the quotient is: by its
    definition, or, for a positive divisor, by that of ``rem``, to whatever side it rounds."""
    for symbol in (symbol for symbol in monomial if isinstance(symbol, Remainder)):
        dividend, divisor = symbol.quotient.dividend, symbol.quotient.divisor
        sure = isinstance(symbol, Difference) or divisor.range()[0] > 0
        if not sure and not all(part in names for part in divisor.symbols):
            continue
        both = multiples(dividend, align, names), multiples(divisor, align, names)
        if both[0] is not None and both[1] is not None:
            return both[0] | both[1] | Multiples(divisors=frozenset(() if sure else (divisor,)))
    return None


def divided_whole(
    monomial: Iterable[Symbol], align: int, names: Collection[Symbol]
) -> Multiples | None:
    """The same for a factor of the product that is divided by a power of two: of a multiple of
    both, and of what is less than the divisor, as compilers add it to a negative dividend. Words in
    it are congruent to their polynomials modulo that multiple."""
    for symbol in (symbol for symbol in monomial if isinstance(symbol, Quotient)):
        by, terms = symbol.divisor.constant or 0, symbol.dividend.terms
        rest = Polynomial({m: factor for m, factor in terms.items() if all(map(is_sign, m))})
        least, most = rest.range()
        words = (part for part in symbol.dividend.parts if isinstance(part, Interpretation))
        whole = min((1 << word.width for word in words), default=by * align)
        if by > 0 and not by & (by - 1) and least >= 0 and most < by and by * align <= whole:
            return multiples(symbol.dividend - rest, by * align, names)
    return None


def in_each_case(
    polynomial: Polynomial, monomial: Iterable[Symbol], align: int, names: Collection[Symbol]
) -> Multiples | None:
    """The same for all cases of the youngest choice in a product."""
    choices = [symbol for symbol in monomial if isinstance(symbol, Choice)]
    if not choices:
        return None
    choice, found = max(choices, key=order), Multiples()
    for case in choice.cases:
        one = multiples(polynomial.replaced({choice: case.polynomial}), align, names)
        if one is None:
            return None
        found |= one
    return found
