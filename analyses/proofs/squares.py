"""The least value of a square of an integer, whatever that is.

(x + s)**2 >= 0, and (x + s)*(x + s + 1) >= 0, as 0 does not lie between two integers that follow
each other. So x*x + 2*s*x >= -s*s, and x*x + (2*s + 1)*x >= -s*(s + 1): the offset of row i of a
triangle that is packed by rows from the diagonal on, i*n - i*(i - 1)/2, is at most n*(n + 1)/2.
"""

from __future__ import annotations

from collections.abc import Iterator

from analyses.polynomials.division import quotient, times_monomial
from analyses.polynomials.polynomial import (
    Monomial,
    Polynomial,
    Ranges,
    Symbol,
    order,
    product_range,
)
from analyses.polynomials.symbols import Quotient


def without_square(polynomial: Polynomial, symbol: Symbol, ranges: Ranges) -> Polynomial | None:
    """What is not greater than the polynomial and has no such symbol: the least value of the terms
    with it in their place, if these are a multiple of x*x + 2*s*x or of x*x + (2*s + 1)*x that is
    not negative. None if they are not."""
    found = [m for m in polynomial.terms if m.count(symbol) > 1]
    if len(found) != 1:
        return None  # the usual case
    (square,) = found
    having = {m: c for m, c in polynomial.terms.items() if symbol in m}
    by, number = quotient(square, (symbol, symbol)), having.pop(square)
    if by is None or symbol in by or number < 0 or product_range(by, ranges)[0] < 0:
        return None
    linear: dict[Monomial, int] = {}
    for monomial, factor in having.items():
        rest = quotient(monomial, (*by, symbol))
        if rest is None or factor % (number if rest == () else 2 * number):
            return None
        linear[rest] = factor // number
    odd = linear.get((), 0) % 2
    half = Polynomial({m: h for m, c in linear.items() if (h := c // 2)})
    least = times_monomial((half * (half + odd)).scaled(-number), by)
    return Polynomial({m: c for m, c in polynomial.terms.items() if symbol not in m}) + least


def squares(polynomial: Polynomial, ranges: Ranges) -> Iterator[Polynomial]:
    """What is not negative as it is more than the least value of a square in the polynomial, or in
    that with what is divided by a number in place of a quotient."""
    for whole in (polynomial, *undivided(polynomial)):
        for symbol in sorted(whole.symbols, key=order):
            least = without_square(whole, symbol, ranges)
            if least is not None:
                yield whole - least


def undivided(polynomial: Polynomial) -> Iterator[Polynomial]:
    """Multiples of the polynomial, each with the dividend of one of its quotients."""
    for symbol in sorted(polynomial.symbols, key=order):
        by = symbol.divisor.constant if isinstance(symbol, Quotient) else None
        if isinstance(symbol, Quotient) and by and (symbol,) in polynomial.terms:
            factor = polynomial.terms[symbol,]
            rest = polynomial - Polynomial.of(symbol).scaled(factor)
            yield rest.scaled(by) + symbol.dividend.scaled(factor)
