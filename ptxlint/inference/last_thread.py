"""The end of the last thread that a guard lets pass, where groups of threads have places of their
own.

``4*i + 64*(i//16)`` grows with i, so where ``2*i < n`` it is at most what it is for ``(n - 1)//2``.
A bound of its terms alone is reached only where n is a multiple of both.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import gcd, inf

from analyses.polynomials.fast_division import FastDivisions
from analyses.polynomials.inequality import Inequality
from analyses.polynomials.polynomial import Polynomial, Symbol
from analyses.polynomials.symbols import Quotient, deep
from analyses.proofs.lower_bounds import part_of_launch
from analyses.proofs.path_condition import PathCondition
from analyses.typical_launch import typical_launch_value as typical
from ptxlint.facts.kernel_facts import Facts
from ptxlint.inference.extents import AccessEnd, Accesses, UpperBound
from ptxlint.inference.groups import unwrapped
from ptxlint.inference.tiles import of_grid


def at_last_threads(facts: Facts, high: Accesses, held: PathCondition) -> Accesses:
    """The bounds, that of the last thread in place of one by parameters that is greater in a
    typical launch."""
    found: Accesses = {}
    for end, accesses in high.items():
        last = at_last_thread(facts, end, list(accesses.values()), held)
        found.setdefault(end if last is None else UpperBound(last), {}).update(accesses)
    return found


def at_last_thread(
    facts: Facts, end: UpperBound, accesses: Sequence[AccessEnd], held: PathCondition
) -> Polynomial | None:
    """A bound of all of these accesses: of the one that ends behind all others in each thread."""
    parts = {part for access in accesses for part in deep(access.behind)}
    if of_grid(end.polynomial) or not any(map(grouping, parts)):
        return None
    proves = facts.footprints.proofs.proves
    for access in accesses:
        last = next(last_ends(facts, access, held), None)
        if last is None or typical(last) >= typical_end(end):
            continue
        others = (one for one in accesses if one.behind != access.behind)
        if all(proves(one.here + held, access.behind - one.behind) for one in others):
            return last
    return None


def typical_end(end: UpperBound) -> float:
    """The number that the bound is in a typical launch."""
    whole = typical(end.polynomial) // end.scale
    return whole - (whole + end.rest) % end.step


def last_ends(facts: Facts, access: AccessEnd, held: PathCondition) -> Iterator[Polynomial]:
    """Where the access of the last thread ends, by each guard."""
    here, goal = unwrapped(facts.footprints.proofs, access.here + held, -access.behind, held)
    if any(map(grouping, goal.symbols)):
        for fact in here.known:
            if (end := with_last(facts.symbolic.integers, -goal, fact)) is not None:
                yield end


def with_last(integers: FastDivisions, offset: Polynomial, fact: Inequality) -> Polynomial | None:
    """The offset with the greatest index that the inequality allows, if it grows with that."""
    index, rest = split(-fact.polynomial)
    if not index.terms or min(index.terms.values()) < 0:
        return None
    last = over(integers, -rest, gcd(*index.terms.values()))
    index = index.primitive()
    groups = [m for m in offset.terms if any(map(grouping, m))]
    linear, end = split(Polynomial({m: c for m, c in offset.terms.items() if m not in groups}))
    by = multiple(linear, index)
    for monomial in groups:
        symbol, factor = monomial[0], offset.terms[monomial]
        if len(monomial) > 1 or factor < 0 or not isinstance(symbol, Quotient):
            return None
        own, more = split(symbol.dividend)
        each = multiple(own, index)
        if each is None:
            return None
        whole = over(integers, last.scaled(each) + more, int(symbol.divisor.constant or 1))
        end += whole.scaled(factor)
    return None if by is None else end + last.scaled(by)


def grouping(symbol: Symbol) -> bool:
    """True if it is a quotient, by a number, of what threads decide."""
    if not isinstance(symbol, Quotient) or not symbol.rank or symbol.limit < inf:
        return False
    return (symbol.divisor.constant or 0) > 0


def split(polynomial: Polynomial) -> tuple[Polynomial, Polynomial]:
    """The terms that threads decide, and the others."""
    others = part_of_launch(polynomial)
    return polynomial - others, others


def multiple(polynomial: Polynomial, of: Polynomial) -> int | None:
    """By what it is a multiple, of no negative number; None if it is none."""
    times = polynomial.terms.get(next(iter(of.terms)), 0) // next(iter(of.terms.values()))
    return times if times >= 0 and polynomial == of.scaled(times) else None


def over(integers: FastDivisions, polynomial: Polynomial, by: int) -> Polynomial:
    """floor(polynomial / by)"""
    if by == 1:
        return polynomial
    return Polynomial.of(integers.launch_quotient(polynomial, Polynomial.of(by)))
