"""What integers leave when they are divided, ``x = rest modulo modulus``, by what symbols stand for
(congruences: Granger, Int. J. Computer Math. 30, 1989).

That a launch keeps to ``n % 4 == 0`` is an equality, ``n = 4*(n//4)``, and so is what a guard says
of a remainder. With these put in the place of symbols, the factors of a polynomial tell.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial, reduce
from math import gcd
from typing import NamedTuple

from analyses.polynomials.polynomial import Polynomial, Symbol
from analyses.polynomials.symbols import Choice, Interpretation, Quotient


class Congruence(NamedTuple):
    """The integers ``rest + k*modulus``, of all k; the one number ``rest`` if the modulus is 0."""

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
        """All of both."""
        modulus = gcd(self.modulus, other.modulus, self.rest - other.rest)
        return self.of(self.rest, modulus)

    def divides(self, by: int) -> bool:
        """Whether each of the integers is a multiple."""
        return self.rest % by == 0 and self.modulus % by == 0


ANY = Congruence(0, 1)


def congruence(
    polynomial: Polynomial,
    equal: Mapping[Symbol, Polynomial],
    known: Callable[[Symbol], Congruence],
) -> Congruence:
    """What the polynomial leaves. Symbols may be ``equal`` to polynomials, which is used once: what
    ``n`` is equal to may be made of ``n``. Of those that stand for nothing else it is ``known``."""
    left = {symbol: other for symbol, other in equal.items() if symbol not in polynomial.symbols}
    inner = partial(congruence, equal=left, known=known)
    total = Congruence(0, 0)
    for monomial, factor in polynomial.replaced(equal).terms.items():
        factors = [single(symbol, inner, known) for symbol in monomial]
        total += reduce(Congruence.__mul__, factors, Congruence(factor, 0))
    return total


def single(
    symbol: Symbol,
    inner: Callable[[Polynomial], Congruence],
    known: Callable[[Symbol], Congruence],
) -> Congruence:
    """What a symbol leaves, of which ``inner`` says it of the parts. A reading equals its
    polynomial modulo 2**width. If a number is ``rest`` modulo ``by*m``, then their quotients by
    ``by``, both rounded down, are equal modulo ``m``."""
    if isinstance(symbol, Interpretation):
        return inner(symbol.polynomial) + Congruence(0, 1 << symbol.width)
    if isinstance(symbol, Choice):
        return reduce(Congruence.__or__, (inner(case.polynomial) for case in symbol.cases))
    if isinstance(symbol, Quotient):
        by, (rest, modulus) = symbol.divisor.constant, inner(symbol.dividend)
        if by is None or by <= 0 or modulus % by:
            return ANY
        return Congruence.of(rest // by, modulus // by)
    return known(symbol)
