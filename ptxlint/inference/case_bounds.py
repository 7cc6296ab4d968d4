"""Upper bounds of each case of a choice, where that of all cases passes what the rest accesses.

``x[column == 0 ? i + 1 : i - 1]`` for ``i < rows*columns`` ends one element behind the last one if
nothing is said of the case. But the right neighbour is that of a first column, which ends
``columns - 2`` elements before the last one. A thread is in one of the cases, so the access ends at
the bound of one of them, where what these need holds.
"""

from __future__ import annotations

from msgspec.structs import replace

from analyses.addresses import ResolvedAccess
from analyses.polynomials.inequality import Inequality
from analyses.polynomials.polynomial import order
from analyses.polynomials.symbols import choices
from analyses.proofs.lower_bounds import Bound
from analyses.proofs.path_condition import PathCondition
from analyses.proofs.preconditions import ConditionalBound, coarse, extents, typical_value
from ptxlint.facts.kernel_facts import Facts
from ptxlint.inference.no_wrap_bounds import Bounds, by_shape, nameable


def by_cases(facts: Facts, place: ResolvedAccess, high: Bounds) -> Bounds:
    """The upper bounds of an access, or one of each case of a choice in it, if there is one bound
    that passes a product by some bytes, and in a typical launch no case does."""
    behind, proofs = facts.footprints.end(place), facts.footprints.proofs
    if behind is None or len(high) != 1 or by_shape(high) or not passes(high[0]):
        return high
    here = facts.footprints.premises(place)
    here += PathCondition(tuple(Inequality(need.polynomial) for need in high[0].preconditions))
    goal = -behind
    for choice in sorted(choices((behind,)), key=order):
        each = [proofs.unwrapped(*case, nearest, 0) for case in proofs.split(here, goal, choice, 0)]
        found = [one for bounds in each for one in bounds if shorter(facts, one, high[0])]
        if each and all(each) and len(found) == sum(map(len, each)):
            needs = high[0].preconditions
            return tuple(replace(u, preconditions=(*needs, *u.preconditions)) for u in found)
    return high


def passes(under: ConditionalBound) -> bool:
    """True if the upper bound is a product of parameters and some bytes."""
    moving = [monomial for monomial in under.least.terms if monomial]
    return len(moving) == 1 and len(moving[0]) > 1 and under.least.terms.get((), 0) < 0


def nearest(bound: Bound | ConditionalBound) -> tuple[float, ...]:
    """Prefers the greatest lower bound in a typical launch, be it long."""
    return coarse(bound.least), extents(bound.least.parts), -typical_value(bound)


def shorter(facts: Facts, one: ConditionalBound, than: ConditionalBound) -> bool:
    """True if the upper bound is, in a typical launch, no more than the product."""
    known = than.least.parts
    product = than.least - than.least.terms.get((), 0)
    if not nameable(facts, (one,)) or one.scale * than.scale != 1 or not one.least.parts <= known:
        return False
    return typical_value(one) >= typical_value(ConditionalBound(product))
