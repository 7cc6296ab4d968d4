"""Limits of quotients by numbers, from guards of what is divided.

A guard of a channel, ``c < channels``, limits the group of eight that it is in: ``8*(c//8)`` is
below ``channels``. Where a stride multiplies the group, as in tensors whose channels are packed in
groups, ``c//8 <= (channels - 1)//8`` keeps the rounding, which a multiple of the stride loses.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from math import gcd

from analyses.polynomials.division import split, youngest_product
from analyses.polynomials.fast_division import FastDivisions
from analyses.polynomials.inequality import Inequality
from analyses.polynomials.polynomial import Polynomial, Symbol, order
from analyses.polynomials.symbols import Quotient, Remainder, is_sign
from analyses.proofs.definitions import definition, divides
from analyses.proofs.lower_bounds import decided_by_launch, part_of_launch
from analyses.proofs.preconditions import extents


def whole_groups(symbol: Symbol, known: Iterable[Inequality]) -> Iterator[Inequality]:
    """That a dividend is below a bound that the launch decides, for the multiple of the divisor
    below it, unless that is a sign: the search for a proof takes no such way from the multiple, if
    it came from the dividend."""
    if not isinstance(symbol, Quotient) or divides(symbol) or not symbol.rank or symbol.high <= 0:
        return
    leading = youngest_product(symbol.dividend)
    left = symbol.dividend - symbol.divisor * Polynomial.of(symbol)
    times = symbol.dividend.terms[leading]
    for fact in known:
        against = -fact.polynomial.terms.get(leading, 0)
        if against * times > 0:
            common = gcd(against, times)
            whole = fact.polynomial.scaled(abs(times) // common).plus(left, abs(against) // common)
            if {part for part in whole.symbols if part.rank} == {symbol}:
                yield Inequality(whole, symbol)


def multiplied(goal: Polynomial) -> frozenset[Symbol]:
    """The quotients by numbers that stand in products."""
    products = (m for m in goal.terms if len(m) > 1)
    return frozenset(s for m in products for s in m if isinstance(s, Quotient) and not divides(s))


def number_of_groups(
    integers: FastDivisions, symbol: Symbol, known: Iterable[Inequality]
) -> Iterator[Inequality]:
    """The same limits of the quotient itself, rounded down, if parameters alone give them."""
    for fact in whole_groups(symbol, known):
        limit = part_of_launch(fact.polynomial)
        by = -fact.polynomial.terms.get((symbol,), 0)
        named = limit.symbols and not extents(limit.symbols)
        if by > 1 and named and fact.polynomial - limit == Polynomial({(symbol,): -by}):
            yield from at_most_groups(integers, symbol, limit, by)


def groups_of_remainder(
    integers: FastDivisions, symbol: Symbol, known: Iterable[Inequality]
) -> Iterator[Inequality]:
    """The same limits where a division leaves what is in groups, of a number that the launch
    decides: for a division that rounds down, so that what it leaves has no sign."""
    if not isinstance(symbol, Remainder):
        return
    by = symbol.quotient.divisor
    if by.constant is not None or not decided_by_launch(by):
        return
    parts = {part for fact in known for part in fact.polynomial.symbols}
    for of in sorted((one for one in parts if isinstance(one, Quotient)), key=order):
        signs = of.dividend - Polynomial.of(symbol)
        left = all(is_sign(one) and one.dividend.alone is symbol for one in signs.symbols)
        number = of.divisor.constant or 0
        if left and not signs.terms.get(()) and not divides(of) and number > 1:
            yield from at_most_groups(integers, of, by - 1, number)


def at_most_groups(
    integers: FastDivisions, symbol: Symbol, limit: Polynomial, by: int
) -> Iterator[Inequality]:
    """That the quotient by a number of what is at most ``limit`` is at most the number of groups
    up to that."""
    number = groups_up_to(integers, limit, Polynomial.of(by))
    yield Inequality(number - Polynomial.of(symbol), symbol)
    for part in sorted(number.symbols, key=order):
        yield from definition(part)


def groups_up_to(integers: FastDivisions, limit: Polynomial, group: Polynomial) -> Polynomial:
    """The number of whole groups up to a limit, ``(limit + group)//group - 1``, which cuts write
    so, too: terms that are multiples of a group are not divided."""
    number = limit.terms.get((), 0)
    whole, left = split(limit - number, group)
    if not left.terms and group.constant is not None:
        return whole + number // group.constant
    return whole + Polynomial.of(integers.launch_quotient(left + number + group, group)) - 1
