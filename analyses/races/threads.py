"""Polynomials of the coordinates of a thread, computed for each thread of a CTA.

A quotient or a remainder is computed where it is specified in all threads: of a number that is not
negative, nor above its limit, by a positive number. The padding of the last warp is computed, too.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from analyses.polynomials.polynomial import Polynomial, Symbol
from analyses.polynomials.symbols import Quotient, Remainder

Numbers = Sequence[int]


def in_threads(
    polynomial: Polynomial, coordinate: Callable[[Symbol], Numbers | None], count: int
) -> Numbers | None:
    """One integer for each of ``count`` threads; None if a symbol is no function of those whose
    ``coordinate`` is known."""
    columns: dict[Symbol, Numbers] = {}
    for symbol in polynomial.symbols:
        numbers = _symbol(symbol, coordinate, count)
        if numbers is None:
            return None
        columns[symbol] = numbers
    return [polynomial.value(lambda s, at=at: columns[s][at]) for at in range(count)]  # type: ignore[misc]


def _symbol(
    symbol: Symbol, coordinate: Callable[[Symbol], Numbers | None], count: int
) -> Numbers | None:
    known = coordinate(symbol)
    if known is not None:
        return known
    rest = isinstance(symbol, Remainder)
    quotient = symbol.quotient if isinstance(symbol, Remainder) else symbol
    if not isinstance(quotient, Quotient):
        return None
    divisor = quotient.divisor.constant
    dividends = in_threads(quotient.dividend, coordinate, count)
    if divisor is None or divisor <= 0 or dividends is None:
        return None
    if not 0 <= min(dividends) <= max(dividends) <= quotient.limit:
        return None
    return [number % divisor if rest else number // divisor for number in dividends]
