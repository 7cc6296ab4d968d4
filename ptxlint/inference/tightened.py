"""Upper bounds without bytes that no access reaches: in whole groups of elements, and without a
constant behind the end of a loop."""

from __future__ import annotations

from math import gcd
from typing import NamedTuple

from msgspec.structs import replace

from analyses.addresses import ResolvedAccess
from analyses.footprints import ByteBounds, Footprints
from analyses.polynomials.inequality import Inequality
from analyses.polynomials.polynomial import Polynomial
from analyses.proofs.path_condition import PathCondition
from analyses.proofs.preconditions import ConditionalBound, unique
from ptxlint.inference.alignment import Multiples
from ptxlint.inference.groups import in_groups
from ptxlint.inference.parts import inside_by_parts


class Tightened(NamedTuple):
    """Bounds of an access: the first whose requirements some launch meets count. It is aligned if
    these products are ``multiples``."""

    bounds: tuple[ByteBounds, ...]
    first_tightened: ByteBounds
    multiples: Multiples


def tightened(footprints: Footprints, place: ResolvedAccess, span: ByteBounds) -> ByteBounds:
    """The bounds, each upper one without its constant if the access is proved to stay below that in
    the launches that meet what it requires: the last iteration of an unrolled loop ends where the
    loop does."""
    span = in_groups(footprints, place, span)
    low = [under.enough for under in span.low]
    low += [need.polynomial for under in span.low for need in under.preconditions]
    said = PathCondition(tuple(Inequality(each) for each in low if each.range()[0] < 0))
    return replace(span, high=tuple(cut(footprints, place, under, said) for under in span.high))


def cut(
    footprints: Footprints, place: ResolvedAccess, under: ConditionalBound, low: PathCondition
) -> ConditionalBound:
    """The upper bound without its constant, or with the bytes of a vector behind its first element
    in place of that, if that is proved, be it where the lower bounds, too, are what they are
    required to be: a proof with less to look at comes first."""
    constant = under.least.terms.get((), 0)
    moving = Polynomial.of(constant) - under.least
    behind, proofs = footprints.end(place), footprints.proofs
    if under.scale != 1 or constant >= 0 or not moving.terms or behind is None:
        return under
    here = footprints.premises(place)
    here += PathCondition(tuple(Inequality(need.polynomial) for need in under.preconditions))
    vector = place.access.bytes - gcd(*moving.terms.values())
    for rest in (0, vector) if 0 < vector < -constant else (0,):
        end = moving + rest
        if (
            proofs.proves(here, end - behind)
            or inside_by_parts(proofs, here, behind, end)
            or (bool(low.known) and proofs.proves(here + low, end - behind))
        ):
            return replace(under, least=-end, bound=None)
    return under


def as_required(footprints: Footprints, place: ResolvedAccess, span: ByteBounds) -> PathCondition:
    """The path condition of an access, with what its bounds need. Launches that do not meet that
    are asked about when it is left out."""
    needs = (need for under in (*span.low, *span.high) for need in under.preconditions)
    required = tuple(Inequality(need.polynomial) for need in unique(needs))
    return footprints.premises(place) + PathCondition(required)
