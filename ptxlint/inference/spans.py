"""The bytes of one access between bounds that a contract may state."""

from __future__ import annotations

from collections.abc import Iterator

from analyses.addresses import ResolvedAccess
from analyses.footprints import ByteBounds
from analyses.polynomials.inequality import Inequality
from analyses.polynomials.polynomial import Polynomial, Symbol
from analyses.polynomials.symbols import Interpretation
from analyses.proofs.assumed_signs import differences
from analyses.proofs.path_condition import PathCondition
from analyses.proofs.preconditions import ConditionalBound, Precondition
from analyses.typical_launch import NO_BUFFER, holds, holds_for_sizes
from ptxlint.facts.kernel_facts import Facts
from ptxlint.inference.chunks import chunk_ends
from ptxlint.inference.guards import guarded_ends
from ptxlint.inference.no_wrap_bounds import by_shape, nameable
from ptxlint.inference.tiles import tile_ends


def spelt(facts: Facts, place: ResolvedAccess) -> tuple[ResolvedAccess, ByteBounds]:
    """The access and its bounds: written with the integers that guards compare, if only then a
    typical launch meets the lower one, or each launch, where else parameters are compared."""
    span = facts.footprints.span(place)
    met = all(holds(under.enough) for under in span.low)
    if not span.low or (met and not any(compares(under.enough) for under in span.low)):
        return place, span
    other = facts.footprints.by_guards(place)
    again = facts.footprints.span(other) if other is not None else span
    enough = [under.enough for under in again.low] if has_bounds(facts, again) else []
    better = bool(enough) and all(map(sure if met else holds, enough))
    return (other, again) if other is not None and better else (place, span)


def by_factors(facts: Facts, place: ResolvedAccess, reason: str | None) -> bool:
    """True if an access may have no bounds for what multiplies an index: a product, or a difference
    that the launch decides, as ``pitch - 1``."""
    footprints = facts.footprints
    offset = footprints.offset(place)
    if reason != "loop" or offset is None:
        return reason == "nonlinear"
    return bool(differences(footprints.premises(place), offset).known)


def compares(enough: Polynomial) -> bool:
    """True if launches that meet it differ in more than one parameter from those that do not."""
    return len(enough.symbols) > 1 and not sure(enough)


def sure(enough: Polynomial) -> bool:
    """True if every launch meets it."""
    return enough.range()[0] >= 0


def has_bounds(facts: Facts, span: ByteBounds) -> bool:
    """True if the bytes have bounds by launch symbols, that are no limits of a type."""
    vast = any(-(under.least.constant or 0) >= NO_BUFFER for under in span.high)
    named = bool(span.high) and nameable(facts, span.high)
    return possible(facts, span.low) and named and not vast


def possible(facts: Facts, found: tuple[ConditionalBound, ...]) -> bool:
    """True if there is a bound, and a launch in which it is not negative, of sizes of 1 at
    least."""
    return (
        bool(found)
        and all(holds_for_sizes(under.enough) for under in found)
        and nameable(facts, found)
    )


def guarded_spans(facts: Facts, place: ResolvedAccess, span: ByteBounds) -> Iterator[ByteBounds]:
    """The bytes below as many elements as a guard compares something with, or below a bound of
    another case of a choice, if the access is proved to stay below them."""
    footprints = facts.footprints
    premises, proves = footprints.premises(place), footprints.proofs.proves
    offset = footprints.offset(place)
    assert offset is not None
    low = span.low if possible(facts, span.low) else (ConditionalBound(Polynomial.of(0)),)
    stated = [need for under in span.high for need in under.preconditions]
    ends = [(one.shown, one.stated, one.needs) for one in chunk_ends(facts, place)]
    ends += [(end, end, [*map(Precondition, said)]) for end, said in guarded_ends(facts, place)]
    ends += [(-u.least, -u.least, stated) for u in span.high if not by_shape((u,))]
    ends += [(end, end, needs) for end, needs in tile_ends(facts, place, span.high)]
    for shown, end, assumed in ends:
        needs = [need for under in low for need in under.preconditions] + assumed
        here = premises + PathCondition(tuple(Inequality(need.polynomial) for need in needs))
        below = proves(here, shown - offset - place.access.bytes)
        if below and (low is span.low or proves(here, offset)):
            yield ByteBounds(low, (ConditionalBound(-end, tuple(needs)),))
    if any(of_difference(symbol) for guard in premises.polynomials for symbol in guard.symbols):
        with footprints.proofs.counting_down():
            found = footprints.span(place)
        if has_bounds(facts, found):
            yield found


def of_difference(symbol: Symbol) -> bool:
    """True for the unsigned integer of a word that a block is subtracted from: a guard compares a
    thread with the elements that are left to its block, which must not be negative, so the launch
    has no more blocks than elements need."""
    if not isinstance(symbol, Interpretation) or symbol.signed:
        return False
    subtracted = (part for m, c in symbol.polynomial.terms.items() if c < 0 for part in m)
    blocks = {each.label for part in subtracted for each in part.parts}
    return any(label.startswith("ctaid.") for label in blocks)
