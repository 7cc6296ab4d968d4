"""Upper bounds in whole groups: where a guard compares a multiple of a number with a parameter.

``for (i = 2*t; i < n; ...)`` accesses ``x[i]`` and ``x[i + 1]``: that is up to ``n`` rounded up to
a multiple of 2, where ``n + 1`` is one element too much if n is even. A loop by tiles of 32 that
adds the thread ends with the last tile, not with the thread behind the last element. A sum of
which ``4*n`` is only a part, as the end of the last row is, cannot be rounded itself.
"""

from __future__ import annotations

from math import gcd

from msgspec.structs import replace

from analyses.addresses import ResolvedAccess
from analyses.footprints import ByteBounds, Footprints
from analyses.polynomials.fast_division import FastDivisions
from analyses.polynomials.inequality import Inequality
from analyses.polynomials.polynomial import Polynomial, Symbol
from analyses.polynomials.symbols import LaunchQuotient
from analyses.proofs.inequalities import Bound, is_launch_symbol, multiple
from analyses.proofs.no_wrap import replaced
from analyses.proofs.path_conditions import PathCondition
from analyses.proofs.preconditions import ConditionalBound, cost, unique
from analyses.proofs.prover import Proofs


def in_groups(footprints: Footprints, place: ResolvedAccess, span: ByteBounds) -> ByteBounds:
    """The bounds of an access, with upper ones in whole groups of elements if each of them is
    proved not to be greater than one of those, whose preconditions imply its own."""
    behind, proofs = footprints.end(place), footprints.proofs
    if behind is None or not any(map(unrounded, span.high)):
        return span
    needs = tuple(unique(need for under in span.high for need in under.preconditions))
    held = PathCondition(tuple(Inequality(need.polynomial) for need in needs))
    premises, goal = unwrapped(proofs, footprints.premises(place), -behind, held)
    in_whole = rounded(proofs.symbolic.integers, premises)
    if in_whole is premises:
        return span
    high = proofs.bounds(in_whole, goal, by_groups)
    weaker = [need.polynomial for under in high for need in under.preconditions]
    less = bool(high) and named(high) <= named(span.high)
    for under in high if less else ():
        gaps = (under.least.scaled(o.scale) - o.least.scaled(under.scale) for o in span.high)
        less = less and any(proofs.proves(held, gap) for gap in gaps)
    if less and all(proofs.proves(held, need) for need in weaker):
        return replace(span, high=tuple(replace(under, preconditions=needs) for under in high))
    return span


def unwrapped(
    proofs: Proofs, premises: PathCondition, goal: Polynomial, held: PathCondition
) -> tuple[PathCondition, Polynomial]:
    """The path condition and the goal, with polynomials in place of words that do not wrap in a
    launch that meets ``held``."""
    integers, no_wrap = proofs.symbolic.integers, proofs.no_wrap(premises, goal, needed=True)
    fitting = [
        word
        for word, fit in no_wrap.fits.items()
        if all(proofs.proves(held, need.polynomial) for need in fit.preconditions)
    ]
    return replaced(integers, premises, goal, no_wrap.only(fitting, integers).by)


def unrounded(under: ConditionalBound) -> bool:
    """True if it is the end of a sum of terms and a number of bytes, which is not rounded."""
    exact = under.bound is None or under.bound.exact
    return exact and () in under.least.terms and len(under.least.terms) > 2


def named(bounds: tuple[ConditionalBound, ...] | list[ConditionalBound]) -> frozenset[Symbol]:
    """The symbols in the bounds, and those that quotients of the launch divide."""
    found = frozenset[Symbol]().union(*(under.least.parts for under in bounds))
    return frozenset(symbol for symbol in found if not isinstance(symbol, LaunchQuotient))


def rounded(integers: FastDivisions, premises: PathCondition) -> PathCondition:
    """The path condition with its guards ``limit - i >= 0``, where i is a multiple of a number and
    the limit, which the launch decides, need not be, rounded: i is at most the limit rounded down
    to a multiple. The same one if it has no such guard."""
    known = tuple(in_multiples(integers, fact) or fact for fact in premises.known)
    if known == premises.known:
        return premises
    return PathCondition(known, premises.apart, premises.distinct)


def in_multiples(integers: FastDivisions, fact: Inequality) -> Inequality | None:
    """The rounded guard; None if it is no such guard."""
    terms = fact.polynomial.terms
    limit = Polynomial({m: c for m, c in terms.items() if all(map(is_launch_symbol, m))})
    moving = fact.polynomial - limit
    group = gcd(*map(multiple, moving.terms.items()))
    if group <= 1 or all(factor % group == 0 for m, factor in limit.terms.items() if m):
        return None
    quotient = integers.launch_quotient(limit + group, Polynomial.of(group))
    return Inequality(Polynomial.of(quotient).scaled(group) - group + moving, fact.origin)


def by_groups(bound: Bound | ConditionalBound) -> tuple[float, ...]:
    """As ``cost``, but a quotient of the launch is as short as a parameter."""
    *others, length, value = cost(bound)
    quotients = sum(isinstance(symbol, LaunchQuotient) for symbol in bound.least.symbols)
    return (*others, length - 2 * quotients, value)
