"""Division of polynomials by numbers."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from math import gcd, inf
from typing import NamedTuple

from analyses.polynomials.polynomial import (
    Monomial,
    Number,
    Polynomial,
    Ranges,
    Symbol,
    order,
    symbol_range,
)


def twos(polynomial: Polynomial) -> Number:
    """The greatest power of two that divides it; none for 0."""
    common = gcd(*polynomial.terms.values())
    return common & -common or inf


def without_number(polynomial: Polynomial) -> Polynomial:
    """The polynomial divided by the number that all of its terms have: 0 where that is."""
    common = gcd(*polynomial.terms.values())
    return Polynomial({m: c // common for m, c in polynomial.terms.items()})


def common_symbols(polynomial: Polynomial) -> list[Symbol]:
    """The symbols that all terms have, in their order; none for 0."""
    each = map(frozenset, polynomial.terms)
    return sorted(frozenset.intersection(*each), key=order) if polynomial.terms else []


def without_symbol(polynomial: Polynomial, symbol: Symbol) -> Polynomial:
    """The polynomial divided once by a symbol that all terms have."""
    divided = ((quotient(m, (symbol,)), c) for m, c in polynomial.terms.items())
    return Polynomial({m: c for m, c in divided if m is not None})


def floor(number: Number, by: int) -> Number:
    return number // by if isinstance(number, int) else number


class Divided(NamedTuple):
    """``x // divisor``, or ``(x - 1) // divisor`` for a negative x if it may be ``signed``."""

    x: Polynomial
    divisor: int
    signed: bool = False


def reciprocal(
    dividend: Polynomial,
    by: int,
    range_of: Callable[[Polynomial], tuple[Number, Number]] = Polynomial.range,
) -> Divided:
    """``m*x // by`` as a division by d if these are equal for every x in its range.

    For 0 <= x < 2**n, m*d = by + e with 0 <= e and e*2**n <= by: then m*x/by = x/d + x*e/(d*by),
    and the second part is less than 1/d, too little to reach the next multiple of 1/d. For a
    negative x and 0 < e it is from -1/d to less than zero, and rounds down to (x - 1)//d. What the
    terms have in common is m, or also a power of two that x was multiplied by: ``32*row/3``.
    """
    factor = gcd(*dividend.terms.values())
    x = Polynomial({m: c // factor for m, c in dividend.terms.items()}) if factor else dividend
    least, most = range_of(x)
    if factor <= 1 or not isinstance(least, int) or not isinstance(most, int):
        return Divided(dividend, by)
    powers = (factor & -factor).bit_length()
    for power in (1 << bits for bits in range(powers)):
        d = -(-by // (factor // power))
        error = (factor // power) * d - by
        above, below = error * most * power >= by, error * -least * power > by
        if d > 1 and not above and not below and (least >= 0 or error):
            return Divided(x.scaled(power), d, signed=least < 0)
    return Divided(dividend, by)


def without(polynomial: Polynomial, leading: Monomial, zero: Polynomial) -> Iterator[Polynomial]:
    """The polynomial less a multiple of ``zero``, which has the monomial ``leading``, for each
    multiple of that monomial in it: equal where ``zero`` is 0."""
    factor = zero.terms[leading]
    for monomial, coefficient in polynomial.terms.items():
        rest = quotient(monomial, leading)
        if coefficient % factor or rest is None:
            continue
        yield polynomial - zero * Polynomial({rest: coefficient // factor})


def quotient(monomial: Monomial, part: Monomial) -> Monomial | None:
    """The monomial divided by ``part``; None if it is not a multiple."""
    if len(part) == 1:
        (symbol,) = part
        if symbol not in monomial:
            return None
        at = monomial.index(symbol)
        return monomial[:at] + monomial[at + 1 :]
    if len(part) > len(monomial):
        return None
    rest = list(monomial)
    for symbol in part:
        if symbol not in rest:
            return None
        rest.remove(symbol)
    return tuple(rest)


def split(polynomial: Polynomial, divisor: Polynomial) -> tuple[Polynomial, Polynomial]:
    """(m, r) where the polynomial is m*divisor + r, and no term of r is a multiple of the
    divisor's leading one: the division of polynomials, which ends as each step leaves lesser
    terms. All is left by 0, which a divisor is where no thread is."""
    if not divisor.terms:
        return Polynomial({}), polynomial
    leading = greatest_product(divisor)
    whole, rest = dict[Monomial, int](), polynomial
    if not polynomial.symbols.issuperset(leading):
        return Polynomial(whole), rest  # the usual case
    while True:
        found = {
            remaining: factor // divisor.terms[leading]
            for monomial, factor in rest.terms.items()
            if factor % divisor.terms[leading] == 0
            and (remaining := quotient(monomial, leading)) is not None
        }
        if not found:
            return Polynomial({m: factor for m, factor in whole.items() if factor}), rest
        for monomial, factor in found.items():
            whole[monomial] = whole.get(monomial, 0) + factor
        rest -= divisor * Polynomial(found)


def greatest_product(polynomial: Polynomial) -> Monomial:
    """The last product of a polynomial, which is not 0, by degree and then by symbols."""
    if len(polynomial.terms) == 1:  # the usual case
        return next(iter(polynomial.terms))
    return max(polynomial.terms, key=graded)


def youngest_product(polynomial: Polynomial) -> Monomial:
    """The last product of a polynomial by symbols alone; that without symbols for 0."""
    return max(polynomial.terms, key=places, default=())


def graded(monomial: Monomial) -> tuple[int, list[tuple[int, int, str]]]:
    """The order of monomials by degree, and then by their greatest symbols."""
    return len(monomial), places(monomial)


def places(monomial: Monomial) -> list[tuple[int, int, str]]:
    """The places of its symbols, the greatest first."""
    return [order(symbol) for symbol in reversed(monomial)]


def size(polynomial: Polynomial) -> tuple[int, int]:
    """The number of terms, and of factors in them."""
    return len(polynomial.terms), sum(map(len, polynomial.terms))


def about(polynomial: Polynomial, symbols: Collection[Symbol]) -> int:
    """The number of terms that contain one of the symbols."""
    return sum(not set(monomial).isdisjoint(symbols) for monomial in polynomial.terms)


def shortened(polynomial: Polynomial, ranges: Ranges) -> Polynomial:
    """A polynomial with the same signs, without symbols that all terms have and that are not
    negative: ``n - 1`` for ``rows*n - rows``."""
    if len(polynomial.terms) > 1:
        for symbol in common_symbols(polynomial):
            if symbol_range(symbol, ranges)[0] >= 0:
                polynomial = without_symbol(polynomial, symbol)
    return polynomial


def times_monomial(a: Polynomial, by: Monomial) -> Polynomial:
    """The product of both."""
    if not by:
        return a
    return Polynomial({tuple(sorted(m + by, key=order)): c for m, c in a.terms.items()})
