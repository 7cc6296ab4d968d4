"""Lower bounds of a sum of digits: numbers that divisions leave, each times what the launch
decides.

``((c*r + y%r)*h + y/r)*w + x`` is a number with digits of several bases. Written with the indices
that are divided, as known equalities have it, a digit is a sum whose terms stand in those of
others, and a search finds no order in which all cancel. But the bounds of each digit alone are
known: it is less than its base. Where each has a factor that does not change its sign, the sum is
at least the sum of the factors times these bounds.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeGuard

from msgspec.structs import replace

from analyses.polynomials.division import shortened
from analyses.polynomials.inequality import Inequality
from analyses.polynomials.polynomial import Polynomial, Symbol, order
from analyses.polynomials.symbols import Remainder
from analyses.proofs.inequalities import InequalitySystem
from analyses.proofs.lower_bounds import Bound, decided_by_launch, factor_of, is_launch_symbol
from analyses.proofs.preconditions import cost

End = tuple[Polynomial, tuple[Inequality, ...]]
"""What a symbol is at least, or at most, and what says so."""


def by_digits(system: InequalitySystem, goal: Polynomial) -> Iterator[Bound]:
    """The bound by each digit alone; none if the goal has fewer than two symbols that a thread
    computes, no remainder that an equality defines, or one of them has no such factor or bound."""
    moving = sorted((s for s in goal.symbols if not is_launch_symbol(s)), key=order)
    if len(moving) < 2 or not any(is_digit(symbol, system) for symbol in moving):
        return
    first = Bound(goal, 1, ()).rounded
    used, least = list[Inequality](), goal
    for symbol in moving:
        factor = factor_of(goal, symbol)
        if factor is None or not decided_by_launch(factor):
            return
        low, high = shortened(factor, system.ranges).range(system.ranges)
        sign = 1 if low >= 0 else -1
        if low < 0 < high:
            return
        found = [*ends(system, symbol, sign)] or [*end_of_range(system, symbol, sign)]
        if not found:
            return
        end, facts = min(found, key=lambda one: cost(Bound(one[0].scaled(sign), 1, one[1])))
        used += facts
        least += factor * (end - Polynomial.of(symbol))
    yield replace(first, least=least, used=tuple(dict.fromkeys(used))).rounded


def is_digit(symbol: Symbol, system: InequalitySystem) -> TypeGuard[Remainder]:
    """True if it is what a division leaves that is known to round down: then it is in 0 .. d - 1,
    and an equality says so that has the symbol as its origin."""
    said = system.equalities.get(symbol, ())
    return isinstance(symbol, Remainder) and any(fact.origin is symbol for fact in said)


def ends(system: InequalitySystem, symbol: Symbol, sign: int) -> Iterator[End]:
    """What the symbol is at least, or at most if the ``sign`` is -1, by one inequality that has
    nothing else that a thread computes."""
    if is_digit(symbol, system):
        divisor = symbol.quotient.divisor
        if sign > 0:
            yield Polynomial.of(0), system.equalities[symbol]
        elif decided_by_launch(divisor):
            yield divisor - 1, system.equalities[symbol]
    for fact, monomial, factor in system.by_symbol.get(symbol, ()):
        end = Polynomial.of(symbol) - fact.polynomial.scaled(factor)
        if monomial == (symbol,) and factor == sign and decided_by_launch(end):
            yield end, (fact,)


def end_of_range(system: InequalitySystem, symbol: Symbol, sign: int) -> Iterator[End]:
    """The same by the range of the symbol."""
    low, high = system.ranges.get(symbol) or (symbol.low, symbol.high)
    number = low if sign > 0 else high
    if isinstance(number, int):
        yield Polynomial.of(number), ()
