"""Which of two integers is never less than the other one."""

from __future__ import annotations

from analyses.polynomials.polynomial import Polynomial
from analyses.polynomials.symbols import Choice, Quotient


def dominates(one: Polynomial, other: Polynomial) -> bool:
    """True if it is never less by the ranges of symbols, together or apart."""
    gap = one - other
    if gap.range()[0] >= 0 or one.range()[0] >= other.range()[1]:
        return True
    greatest = [s for s in gap.symbols if isinstance(s, Choice) and s.greatest]
    return any(gap.terms.get((symbol,)) == 1 and covered(symbol, gap) for symbol in greatest)


def covered(greatest: Choice, polynomial: Polynomial) -> bool:
    """True if the polynomial, with the greatest of two integers added in it, is not negative: with
    one of them it is not, or it is x//d with one and -x with the other, which have not one sign."""
    rest = polynomial - Polynomial.of(greatest)
    first, second = (case.polynomial + rest for case in greatest.cases)
    if first.range()[0] >= 0 or second.range()[0] >= 0:
        return True
    return sign_of(first, -second) or sign_of(second, -first)


def sign_of(quotient: Polynomial, of: Polynomial) -> bool:
    """True if it is a quotient of the integer by a positive number."""
    symbol = quotient.alone
    by = symbol.divisor.constant if isinstance(symbol, Quotient) else None
    return isinstance(symbol, Quotient) and (by or 0) > 0 and symbol.dividend == of
