"""Upper bounds in launches in which no index that a guard compares wraps, where they are less.

A guard ``i < n`` bounds the first of four elements that an iteration reads; the others end 3 behind
that. If no index wraps, the iterations are known, and the last element ends where the row does.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec.structs import replace

from analyses.addresses import ResolvedAccess
from analyses.budget import CASE_SPLITS
from analyses.polynomials.inequality import Inequality
from analyses.polynomials.symbols import is_sign
from analyses.proofs.path_condition import PathCondition
from analyses.proofs.preconditions import (
    ConditionalBound,
    Precondition,
    coarse,
    cost,
    of_block,
)
from ptxlint.contracts.launch import SHAPE
from ptxlint.facts.kernel_facts import Facts
from ptxlint.inference.extents import sized_by_block

Bounds = tuple[ConditionalBound, ...]


def bounds_without_wrap(facts: Facts, place: ResolvedAccess, high: Bounds) -> Bounds:
    """The upper bounds of an access, or such ones if each ends by some bytes before one of them, or
    at no thread of the grid while one of them does. What these require may show that more words do
    not wrap, so they are sought again under that. Of memory that is sized by the block, only where
    the sign of an index counts."""
    behind, proofs = facts.footprints.end(place), facts.footprints.proofs
    beyond = any(under.least.terms.get((), 0) < 0 for under in high)
    if behind is None or not (beyond or by_shape(high)):
        return high
    by = of_block if sized_by_block(place) else cost
    if by is of_block and not (beyond and any(map(is_sign, behind.parts))):
        return high
    needs: tuple[Precondition, ...] = ()
    for again in (False, True):
        before, needs = needs, tuple(need for one in high for need in one.preconditions)
        if again and (set(needs) == set(before) or by_shape(high)):
            break
        here = facts.footprints.premises(place)
        here += PathCondition(tuple(Inequality(need.polynomial) for need in needs))
        several = beyond or len(high) > 1
        found = proofs.unwrapped(here, -behind, by, CASE_SPLITS if several else 0)
        if beyond and by_shape(high) and not lesser(facts, found, high):  # by what cases share
            found = [one for one in proofs.unwrapped(here, -behind, by, 0) if one.least.symbols]
        if not lesser(facts, found, high):
            break
        high = tuple(replace(one, preconditions=(*needs, *one.preconditions)) for one in found)
    return high


def lesser(facts: Facts, found: Sequence[ConditionalBound], high: Bounds) -> bool:
    """True if there are bounds, each of which is less than one of the others."""
    return bool(found) and all(any(less(facts, one, than) for than in high) for one in found)


def less(facts: Facts, one: ConditionalBound, than: ConditionalBound) -> bool:
    """True if the upper bound is so many bytes less, or depends on fewer extents of the launch's
    shape than the other one does."""
    if not nameable(facts, (one,)) or coarse(one.least):
        return False
    times, odd = divmod(than.scale, one.scale)
    apart = None if odd else (one.least.scaled(times) - than.least).constant
    return apart > 0 if apart is not None else shape_of((one,)) < shape_of((than,))


def guarded_shape(facts: Facts, place: ResolvedAccess, high: Bounds) -> bool:
    """True if the bounds depend on an extent of the launch's shape that a guard may show to be
    none of theirs: there is none for ``blockIdx.y*rows`` where no guard speaks of that block."""
    offset = facts.footprints.offset(place)
    assert offset is not None
    words = [word for p in facts.footprints.premises(place).polynomials for word in p.parts]
    words += [part for symbol in offset.symbols for part in symbol.parts if part is not symbol]
    guarded = {word.label for word in words}
    free = {f"n{symbol.label}" for symbol in offset.symbols if symbol.label not in guarded}
    return not shape_of(high) <= free


def shape_of(high: Iterable[ConditionalBound]) -> frozenset[str]:
    """The extents of the launch's shape that the bounds depend on."""
    return frozenset(s.label for under in high for s in under.least.parts if s.label in SHAPE)


def by_shape(high: Iterable[ConditionalBound]) -> bool:
    """True if a bound depends on the launch's shape."""
    return bool(shape_of(high))


def nameable(facts: Facts, found: Bounds) -> bool:
    """True if a contract can state the bounds and their preconditions."""
    polynomials = [under.least for under in found]
    polynomials += [need.polynomial for under in found for need in under.preconditions]
    return all(p.symbols <= facts.decided.keys() for p in polynomials)
