"""Candidate bounds of a phi, each of which is kept if it is proved on every incoming edge."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import inf

from analyses.polynomials.polynomial import Polynomial
from analyses.polynomials.symbols import Case, Choice, above, in_order, spelt_out
from analyses.proofs.lower_bounds import part_of_launch
from analyses.proofs.path_condition import PathCondition


def phi_bounds(choice: Choice, at: Callable[[Case], PathCondition]) -> Iterator[Polynomial]:
    """First the bounds that the values of the cases suggest. Then those that the path condition
    ``at`` the edge of one case states of its value, with the phi in place of that."""
    yield from bounds_of(choice)
    for case in choice.cases:
        symbol = case.polynomial.alone
        facts = {fact.polynomial for fact in at(case).known} if symbol is not None else set()
        for polynomial in sorted(facts, key=in_order):
            limit = part_of_launch(polynomial)
            if polynomial - limit in (case.polynomial, -case.polynomial):
                assert symbol is not None
                yield polynomial.replaced({symbol: Polynomial.of(choice)})


def bounds_of(choice: Choice) -> Iterator[Polynomial]:
    """Candidate bounds of a phi that a loop moves in one direction, or leaves as it was."""
    now, first = Polynomial.of(choice), min(choice.cases, key=lambda case: above(case.polynomial))
    moves = [
        (spelt_out(case.polynomial) - first.polynomial).range()
        for case in choice.cases
        if case is not first
    ]
    if all(low >= 0 for low, _ in moves):
        yield now - first.polynomial
        most = max((high for _, high in moves), default=inf)
        if most < inf:
            yield first.polynomial - now + int(most)
    elif all(high <= 0 for _, high in moves):
        yield first.polynomial - now
        yield now + 1  # a loop that counts down may exit at -1
    if choice.low < 0:
        yield now
    if (most := first.polynomial.range()[1]) < choice.high:
        yield -now + int(most)
