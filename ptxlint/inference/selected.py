"""Accesses by a pointer that the kernel selects among several, and those by a thread's coordinates:
what need not be required of them, and what does not bound them."""

from __future__ import annotations

from analyses.addresses import ResolvedAccess
from analyses.footprints import ByteBounds, Footprints
from analyses.polynomials.polynomial import Symbol
from analyses.polynomials.symbols import unwrapped

COORDINATES = frozenset(f"tid.{axis}" for axis in "xyz")


def deselected(footprints: Footprints, place: ResolvedAccess, span: ByteBounds) -> bool:
    """True if the kernel may select another pointer where this access would begin before its
    buffer, so that no launch need be required not to get there: a number that the offset is made of
    selects the pointer, and where the preconditions hold the offset may still be negative."""
    conditions, proofs = footprints.proofs.conditions, footprints.proofs
    own = frozenset[Symbol]() if place.polynomial is None else place.polynomial.parts
    said = (conditions.implied(by, truth, place.instr) for by, truth in place.way.selected)
    if not any(p.parts & own for facts in said for p in facts.polynomials):
        return False
    starts = [under.enough for under in span.low if under.enough.range()[0] < 0]
    needs = [need.polynomial for under in span.low for need in under.preconditions]
    missing = proofs.missing(footprints.premises(place), needs + starts) if starts else []
    return any(polynomial in starts for polynomial in missing)


def of_thread(footprints: Footprints, place: ResolvedAccess) -> bool:
    """True if the offset grows with a coordinate of the thread, whose limits are those of any
    block: such numbers say nothing of the buffer."""
    offset = footprints.offset(place)
    return offset is not None and any(s.label in COORDINATES for s in unwrapped(offset).symbols)
