"""Polynomial inequalities, each with its origin."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import gcd

from msgspec import Struct

from analyses.polynomials.polynomial import Monomial, Polynomial, Ranges, Symbol


class Inequality(Struct, frozen=True, eq=False):
    """``polynomial >= 0``. ``origin`` is any object: an instruction, a symbol."""

    polynomial: Polynomial
    origin: object = None


def split(polynomial: Polynomial) -> tuple[frozenset[tuple[Monomial, int]], int]:
    """The terms without the constant, and the constant."""
    return polynomial.moving, polynomial.terms.get((), 0)


def not_least(polynomial: Polynomial, others: Iterable[Polynomial]) -> bool:
    """True if interval arithmetic shows that one of the others, which has a symbol in common with
    the polynomial, is never greater."""
    symbols = polynomial.symbols
    near = (other for other in others if not symbols.isdisjoint(other.symbols))
    return any((polynomial - other).range()[0] >= 0 for other in near)


def implied(polynomial: Polynomial, others: Sequence[Polynomial]) -> bool:
    """True if it is not negative where the others are not, by interval arithmetic: one of them is
    never greater where each symbol is at least the number that they say. ``4 - w*h`` implies
    ``4 - w`` with ``w`` and ``h - 1``."""
    least: dict[Symbol, int] = {}
    for symbol, low in filter(None, map(least_number, others)):
        least[symbol] = max(low, least.get(symbol, low))
    above = {symbol: Polynomial.of(symbol) + low for symbol, low in least.items()}
    ranges: Ranges = {symbol: (0, symbol.high - low) for symbol, low in least.items()}
    goal = polynomial.replaced(above)
    known = (Polynomial.of(0), *(other.replaced(above) for other in others))
    return any((goal - other).range(ranges)[0] >= 0 for other in known)


def least_number(polynomial: Polynomial) -> tuple[Symbol, int] | None:
    """For ``symbol - number``: both."""
    low = -polynomial.terms.get((), 0)
    symbol = polynomial.shifted(low).alone
    return None if symbol is None else (symbol, low)


def not_least_of_progression(polynomial: Polynomial, others: Iterable[Polynomial]) -> bool:
    """True if a weighted mean of two of the others is less than one greater: an integer that is
    between the terms of an arithmetic progression is not negative if its first and last are not."""
    sides = dict[frozenset[tuple[Monomial, int]], list[tuple[int, int]]]()
    for other in others:
        apart = other - polynomial
        by = gcd(*(factor for _, factor in apart.moving))
        if by:
            way = frozenset((monomial, factor // by) for monomial, factor in apart.moving)
            back = frozenset((monomial, -factor) for monomial, factor in way)
            over = apart.terms.get((), 0)
            if any(t * over + by * more < by + t for t, more in sides.get(back, ())):
                return True
            sides.setdefault(way, []).append((by, over))
    return False


def strongest(facts: Iterable[Inequality]) -> list[Inequality]:
    """Of inequalities that differ by a constant only the strongest, in place of the first."""
    least = dict[frozenset[tuple[Monomial, int]], tuple[int, Inequality]]()
    for fact in facts:
        moving, constant = split(fact.polynomial)
        known = least.get(moving)
        if known is None or constant < known[0]:
            least[moving] = constant, fact
    return [fact for _, fact in least.values()]
