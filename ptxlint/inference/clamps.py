"""Upper bounds by what a minimum in the index compares it with.

``x[min(i/2, n - 1)]`` ends with element n - 1, however many threads there are. That the word
``n - 1`` does not wrap is known once the contract requires it, as where n is the length of an axis
that is not empty.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

from analyses.polynomials.polynomial import Polynomial, order
from analyses.polynomials.symbols import Choice
from analyses.proofs.lower_bounds import decided_by_launch
from analyses.proofs.path_condition import PathCondition
from ptxlint.facts.kernel_facts import Facts
from ptxlint.inference.extents import AccessEnd, UpperBound
from ptxlint.inference.groups import unwrapped
from ptxlint.inference.index_buffers import spoken


def by_minimum(
    facts: Facts, end: UpperBound, accesses: Collection[AccessEnd], held: PathCondition
) -> Polynomial | None:
    """An end by other parameters than the bound speaks of, which a minimum in an index has; None if
    there is none that all accesses stay below."""
    proofs, known = facts.footprints.proofs, end.polynomial.parts
    for access in accesses:
        here, goal = unwrapped(proofs, access.here + held, -access.behind, held)
        for limited in limits(goal):
            bounds = proofs.conditions.facts(here, limited).least(limited)
            ends = (-one.least for one in bounds if one.scale == 1)
            for found in (one for one in ends if one.symbols and known.isdisjoint(one.parts)):
                own = None if spoken(facts, found.parts) else shortest(facts, found, accesses, held)
                if own is not None:
                    return own
    return None


def shortest(
    facts: Facts, end: Polynomial, accesses: Iterable[AccessEnd], held: PathCondition
) -> Polynomial | None:
    """The end without the bytes that it adds, or else the end; None if not all accesses stay below
    it."""
    proves = facts.footprints.proofs.proves
    for found in (end - max(end.terms.get((), 0), 0), end):
        if all(proves(one.here + held, found - one.behind) for one in accesses):
            return found
    return None


def limits(goal: Polynomial) -> Iterator[Polynomial]:
    """The goal with what the launch decides in place of the greatest of that and another number,
    which is not less: where it grows with that."""
    for symbol in sorted(goal.symbols, key=order):
        if not isinstance(symbol, Choice) or not symbol.greatest:
            continue
        if goal.terms.get((symbol,), 0) > 0 and sum(symbol in m for m in goal.terms) == 1:
            for case in symbol.cases:
                if decided_by_launch(case.polynomial):
                    yield goal.replaced({symbol: case.polynomial})
