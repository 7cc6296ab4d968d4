"""The upper bounds of the bytes that accesses of one kind to a buffer touch: as few as possible,
and as close, in launches that meet what the contract requires."""

from __future__ import annotations

from collections.abc import Callable

from analyses.budget import LESSER_STEPS
from analyses.polynomials.inequality import Inequality
from analyses.polynomials.polynomial import Polynomial, Symbol, order
from analyses.polynomials.symbols import Interpretation
from analyses.proofs.path_condition import PathCondition
from ptxlint.contracts.launch import SHAPE
from ptxlint.facts.kernel_facts import Facts
from ptxlint.inference.extents import Accesses, BufferAccesses, UpperBound
from ptxlint.inference.last_thread import at_last_threads
from ptxlint.inference.lesser_bounds import lesser_bounds
from ptxlint.inference.requirements import highest


def closest_bounds(facts: Facts, ends: BufferAccesses, held: PathCondition) -> list[Polynomial]:
    """Gives the accesses their closest bounds. What is returned, none of which may be negative, the
    bounds rely on in addition to what is ``held``: a parameter that a guard compares as an unsigned
    integer is taken for a number that is not negative, if it then bounds an index."""
    proofs = facts.footprints.proofs
    ends.high = highest(ends, held, proofs.proves)
    ends.high = at_last_threads(facts, ends.high, held)
    budget = proofs.conditions.budget
    budget.left = max(budget.left, LESSER_STEPS)
    ends.lesser, relied = {}, list[Polynomial]()
    for parameter in compared_as_unsigned(facts, ends.high):
        sign = Polynomial.of(parameter)
        more = {} if proofs.proves(held, sign) else lesser_by(facts, ends, parameter, held)
        if more:
            ends.lesser |= more
            held += PathCondition((Inequality(sign),))
            relied.append(sign)
    ends.lesser |= lesser(facts, ends, held)
    replace_by_lesser(ends, lambda end, one: proofs.proves(held, end.polynomial - one.polynomial))
    return relied


def compared_as_unsigned(facts: Facts, high: Accesses) -> list[Symbol]:
    """The parameters that may be negative, but are compared as unsigned integers with an index of
    accesses, of which the bound does not speak of them."""
    found = dict[Symbol, None]()
    for end, accesses in high.items():
        compared = {s for one in accesses.values() for p in one.here.polynomials for s in p.symbols}
        for word in sorted(compared - end.polynomial.parts, key=order):
            own = word.polynomial.alone if isinstance(word, Interpretation) else None
            signed = own is not None and own.low < 0 and own.label not in SHAPE
            if own in facts.decided and signed and own not in end.polynomial.parts:
                found[own] = None
    return list(found)


def lesser_by(
    facts: Facts, ends: BufferAccesses, parameter: Symbol, held: PathCondition
) -> dict[UpperBound, UpperBound]:
    """The lesser bounds by a parameter that is not negative of bounds that have no lesser one."""
    held += PathCondition((Inequality(Polynomial.of(parameter)),))
    found = lesser(facts, ends, held)
    return {end: one for end, one in found.items() if parameter in one.polynomial.parts}


def lesser(facts: Facts, ends: BufferAccesses, held: PathCondition) -> dict[UpperBound, UpperBound]:
    """A lesser bound for each upper bound that has none yet, where there is one. An access that it
    does not cover is moved back to its own upper bound."""
    high = {end: accesses for end, accesses in ends.high.items() if end not in ends.lesser}
    found = dict(lesser_bounds(facts, high, held))
    ends.high |= high
    return found


def replace_by_lesser(
    ends: BufferAccesses, never_less: Callable[[UpperBound, UpperBound], bool]
) -> None:
    """Leaves out the upper bounds that are never less than their lesser ones."""
    high: Accesses = {}
    for end, accesses in ends.high.items():
        one = ends.lesser.get(end)
        if one is not None and never_less(end, one):
            end = ends.lesser.pop(end)
        high.setdefault(end, {}).update(accesses)
    ends.high = high
