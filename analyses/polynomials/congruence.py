"""Congruences of integers, ``x = rest modulo modulus``, derived from the definitions of symbols
(Granger, Int. J. Computer Math. 30, 1989).

A precondition ``n % 4 == 0`` is an equality, ``n = 4*(n//4)``, and so is a guard on a remainder.
With these substituted for symbols, the factors of a polynomial give its congruence.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from functools import partial, reduce
from math import gcd, isfinite
from typing import NamedTuple

from analyses.polynomials.polynomial import Polynomial, Symbol
from analyses.polynomials.symbols import Choice, Interpretation, Quotient


class Congruence(NamedTuple):
    """The integers ``rest + k*modulus`` for all k; the one number ``rest`` if the modulus is 0."""

    rest: int
    modulus: int

    @classmethod
    def of(cls, rest: int, modulus: int) -> Congruence:
        return cls(rest % modulus if modulus else rest, modulus)

    def __add__(self, other: Congruence) -> Congruence:  # type: ignore[override]
        return self.of(self.rest + other.rest, gcd(self.modulus, other.modulus))

    def __mul__(self, other: Congruence) -> Congruence:  # type: ignore[override]
        """(r + m*i)*(s + n*j) = r*s + r*n*j + s*m*i + m*n*i*j."""
        (r, m), (s, n) = self, other
        return self.of(r * s, gcd(r * n, s * m, m * n))

    def __or__(self, other: Congruence) -> Congruence:
        """The union."""
        modulus = gcd(self.modulus, other.modulus, self.rest - other.rest)
        return self.of(self.rest, modulus)

    def divides(self, by: int) -> bool:
        """True if each of the integers is a multiple."""
        return self.rest % by == 0 and self.modulus % by == 0


ANY = Congruence(0, 1)


def congruence(
    polynomial: Polynomial,
    equal: Mapping[Symbol, Polynomial],
    known: Callable[[Symbol], Congruence],
    memo: dict[Hashable, Congruence] | None = None,
) -> Congruence:
    """The congruence of the polynomial. Symbols are replaced once by ``equal`` polynomials, which
    may contain the symbol itself. ``known`` gives the congruences of opaque symbols; ``memo`` holds
    what was found, since polynomials share their parts."""
    memo = {} if memo is None else memo
    key = polynomial, frozenset(equal)
    if key in memo:
        return memo[key]
    left = {symbol: other for symbol, other in equal.items() if symbol not in polynomial.symbols}
    inner = partial(congruence, equal=left, known=known, memo=memo)
    total = Congruence(0, 0)
    for monomial, factor in polynomial.replaced(equal).terms.items():
        factors = [single(symbol, inner, known) for symbol in monomial]
        total += reduce(Congruence.__mul__, factors, Congruence(factor, 0))
        if total.modulus == 1:
            break  # nothing is known of a sum with any number
    memo[key] = total
    return total


def single(
    symbol: Symbol,
    inner: Callable[[Polynomial], Congruence],
    known: Callable[[Symbol], Congruence],
) -> Congruence:
    """The congruence of a symbol, from those of its parts by ``inner``. An interpretation equals
    its polynomial modulo 2**width. If a number is ``rest`` modulo ``by*m``, the quotients of the
    two by ``by``, rounded down, are equal modulo ``m``."""
    if isinstance(symbol, Interpretation):
        return inner(symbol.polynomial) + Congruence(0, 1 << symbol.width)
    if isinstance(symbol, Choice):
        first, *others = symbol.cases
        found = inner(first.polynomial)
        for case in others:
            if found.modulus == 1:
                break
            found |= inner(case.polynomial)
        return found
    if isinstance(symbol, Quotient):
        by, (rest, modulus) = symbol.divisor.constant, inner(symbol.dividend)
        if by is None or by <= 0 or modulus % by or isfinite(symbol.limit):
            return ANY
        return Congruence.of(rest // by, modulus // by)
    return known(symbol)
