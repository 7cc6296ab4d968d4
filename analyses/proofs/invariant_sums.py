"""Sums and products of two phis of a loop that an iteration leaves as they are on one way:
candidates for invariants.

A lower bound is searched for in the last ``count`` elements from ``first`` on: either ``half`` of
them are left, or what is added to ``first`` is taken from ``count``. So ``first + count`` does not
grow. With pointers it is ``first + 4*count``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import permutations
from typing import NamedTuple

from analyses.polynomials.polynomial import Polynomial, Symbol, order
from analyses.polynomials.symbols import Quotient, choices, selects, unwrapped
from analyses.program import Phi
from analyses.ways import NO_CHOICE, Way


class Recurrence(NamedTuple):
    """The recurrence of a phi at a loop head: ``symbol`` is ``first`` in the first iteration, and
    ``after`` in the next."""

    phi: Phi
    symbol: Symbol
    first: Polynomial
    after: Polynomial

    @property
    def moved(self) -> Polynomial:
        """What an iteration adds to it."""
        return unwrapped(self.after) - Polynomial.of(self.symbol)


Pair = tuple[Recurrence, Recurrence]


Candidates = dict[tuple[Polynomial, ...], Pair]
"""What may hold together, each of two phis."""


def sums(recurrences: Sequence[Recurrence]) -> Candidates:
    """Those of two phis that may not move beyond what they were before the loop."""
    return {(c,): pair for pair in permutations(recurrences, 2) for c in balanced(*pair)}


def products(recurrences: Sequence[Recurrence]) -> Candidates:
    """The same of products."""
    return {c: pair for pair in permutations(recurrences, 2) for c in scaled(*pair)}


def balanced(one: Recurrence, other: Recurrence) -> Iterator[Polynomial]:
    """That a sum of the two is not more, or not less, than it was before the loop; of two that are
    exchanged it says nothing of use."""
    moved = one.moved, other.moved
    apart = one.symbol not in moved[1].symbols and other.symbol not in moved[0].symbols
    for times in dict.fromkeys(factors(*moved)) if apart else ():
        sums = (Polynomial.of(one.symbol), Polynomial.of(other.symbol)), (one.first, other.first)
        now, before = (mine.plus(theirs, times) for mine, theirs in sums)
        yield from (before - now, now - before)


def scaled(one: Recurrence, other: Recurrence) -> Iterator[tuple[Polynomial, ...]]:
    """That the product of the two is not more than it was before the loop, where each iteration
    multiplies one by what it divides the other by: the stride of a tree of sums, and how many
    threads still add. The one does not wrap then, so it is not less than it was."""
    grown, part = unwrapped(one.after), other.after.alone
    times = grown.terms.get((one.symbol,), 0)
    if times < 2 or len(grown.terms) > 1 or not isinstance(part, Quotient):
        return
    if part.dividend.alone is other.symbol and part.divisor.constant == times:
        now = Polynomial.of(one.symbol), Polynomial.of(other.symbol)
        yield one.first * other.first - now[0] * now[1], now[0] - one.first


def factors(one: Polynomial, other: Polynomial) -> Iterator[int]:
    """The numbers k for which ``one + k*other`` is 0, on a way on which neither is."""
    for way in ways((one, other)):
        mine, theirs = (unwrapped(p.replaced(way.decided(p.parts))) for p in (one, other))
        if not mine.terms or not theirs.terms:
            continue
        monomial, by = next(iter(theirs.terms.items()))
        times, odd = divmod(-mine.terms.get(monomial, 0), by)
        if times and not odd and not mine.plus(theirs, times).terms:
            yield times


def ways(polynomials: Iterable[Polynomial]) -> Iterable[Way]:
    """Those by which a choice in them is made, in order, or the only one."""
    selected = sorted(filter(selects, choices(polynomials)), key=order)
    found = dict.fromkeys(Way.of(case) for choice in selected for case in choice.cases)
    return found or [NO_CHOICE]
