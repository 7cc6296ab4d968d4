"""Bits of words that divisions by powers of two, which are no numbers, leave or clear."""

from __future__ import annotations

from collections.abc import Iterator

from analyses.polynomials.polynomial import Polynomial, Symbol
from analyses.polynomials.symbols import PowerOfTwo, Quotient


def powers(polynomial: Polynomial) -> int:
    """The number of powers of two, which are no numbers, that it is a sum of multiples with."""
    return sum(isinstance(symbol, PowerOfTwo) for symbol in polynomial.symbols)


def apart_by_power(low: Polynomial, high: Polynomial) -> bool:
    """True if no bit is set in both: the low one is what a division by 2**n leaves, or 2**n itself,
    and the high one a multiple of 2**n, or of 2**(n + 1) and such a rest."""
    for power in (symbol for symbol in high.symbols if isinstance(symbol, PowerOfTwo)):
        by = Polynomial.of(power)
        left = any(low == rest for rest in rests_by(by, low))
        if left and multiple(high, power, 1):
            return True
        if low == by and any(multiple(high - rest, power, 2) for rest in rests_by(by, high)):
            return True
    return False


def rests_by(power: Polynomial, polynomial: Polynomial) -> Iterator[Polynomial]:
    """What divisions by this power of two leave, whose quotients are in the polynomial."""
    for of in polynomial.symbols:
        if isinstance(of, Quotient) and of.divisor == power and of.dividend.range()[0] >= 0:
            yield of.dividend - power * Polynomial.of(of)


def multiple(polynomial: Polynomial, of: Symbol, times: int) -> bool:
    """True if each term is a multiple of ``times`` the symbol."""
    return all(of in m and factor % times == 0 for m, factor in polynomial.terms.items())
