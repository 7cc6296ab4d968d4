"""Requirements under which an offset is a multiple of a number, and what follows from them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable
from math import gcd

from analyses.polynomials.polynomial import Polynomial, Symbol, order
from analyses.polynomials.symbols import Choice, Difference, LaunchQuotient, unwrapped
from analyses.program import Access, Region
from ptxlint.inference.extents import UpperBound

Multiples = dict[tuple[Symbol, ...], int]
PLACED = 16  # bytes: the widest access


def packed(regions: Iterable[Region], region: Region) -> bool:
    """True if it is the only shared array of a kernel, or all have sizes that are multiples of
    PLACED bytes. An assembler may place them anywhere that their declared alignment allows; ptxas
    places one behind the other from where shared memory begins, which is aligned to PLACED bytes. A
    contract that rests on it says so."""
    arrays = [each for each in regions if each.space == "shared"]
    multiple = all((each.size or 0) % PLACED == 0 for each in arrays)
    return arrays == [region] or (region in arrays and multiple)


def whole(
    end: UpperBound, access: Access, aligned: Multiples, names: Collection[Symbol]
) -> UpperBound:
    """The upper bound, or the multiple of the access's alignment below it: an access that is
    aligned where these products are such multiples ends at one."""
    align, odd = access.align, end.constant % access.align
    exact = access.length is None and access.bytes % align == 0
    if not odd or not exact or end.scale != 1 or end.step != 1:
        return end
    needed = multiples(end.polynomial - odd, align, names)
    given = needed is not None and all(follows(own, of, aligned) for own, of in needed.items())
    return end._replace(polynomial=end.polynomial - odd) if given else end


def evenly(end: UpperBound, known: Multiples, names: Collection[Symbol]) -> UpperBound:
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
    dividend: Polynomial, by: int, times: int, known: Multiples, names: Collection[Symbol]
) -> Polynomial | None:
    """``times*(dividend//by)``, a power of two, where the products are multiples so that nothing
    but a number is rounded; None if that is not enough, or it is no polynomial of integers."""
    number = dividend.terms.get((), 0)
    moving = (dividend - number).scaled(times)
    if by < 1 or by & (by - 1) or any(factor % by for factor in moving.terms.values()):
        return None
    needed = multiples(dividend - number, by, names)
    if needed is None or not all(follows(own, of, known) for own, of in needed.items()):
        return None
    each = {monomial: factor // by for monomial, factor in moving.terms.items()}
    return Polynomial(each) + times * (number // by)


def multiples(offset: Polynomial, align: int, names: Collection[Symbol]) -> Multiples | None:
    """The products of launch symbols that must be multiples of a number so that the offset is one
    of ``align``, in each of the cases that a word may be; None if that is not enough. An offset
    that wraps is congruent to its polynomial modulo a power of two, as ``align`` is."""
    found: Multiples = {}
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
            one = left_over(monomial, least, names)
            if one is None:
                return in_each_case(polynomial, monomial, align, names)
            merge(found, one)
            continue
        merge(found, {own: least})
    return None if rest % align else found


def merge(found: Multiples, other: Multiples) -> None:
    """Adds other requirements; the numbers are powers of two."""
    found |= {own: max(of, found.get(own, 1)) for own, of in other.items()}


def follows(product: tuple[Symbol, ...], of: int, known: Multiples) -> bool:
    """True if the product is a multiple of the number because a part of it is."""
    return any(n % of == 0 and not Counter(part) - Counter(product) for part, n in known.items())


def left_over(
    monomial: Iterable[Symbol], align: int, names: Collection[Symbol]
) -> Multiples | None:
    """The same for what a division leaves, a factor of the product: it is computed as ``dividend -
    divisor*quotient``, a multiple of what both are multiples of, whatever the quotient is."""
    for symbol in monomial:
        if isinstance(symbol, Difference):
            found: Multiples = {}
            for part in (symbol.quotient.dividend, symbol.quotient.divisor):
                one = multiples(part, align, names)
                if one is None:
                    break
                merge(found, one)
            else:
                return found
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
        merge(found, one)
    return found
