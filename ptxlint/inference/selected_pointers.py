"""What need not be required of accesses by a pointer that the kernel selects among several."""

from __future__ import annotations

from analyses.addresses import ResolvedAccess
from analyses.footprints import ByteBounds, Footprints
from analyses.polynomials.polynomial import Symbol


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
