"""Upper bounds without bytes that no access reaches: in whole groups of elements, and without a
constant behind the end of a loop."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import gcd
from typing import NamedTuple

from msgspec.structs import replace

from analyses.addresses import ResolvedAccess
from analyses.footprints import ByteBounds, Footprints
from analyses.polynomials.inequality import Inequality
from analyses.polynomials.polynomial import Polynomial
from analyses.polynomials.symbols import unwrapped
from analyses.proofs.inequalities import InequalitySystem
from analyses.proofs.lower_bounds import Bound
from analyses.proofs.path_condition import PathCondition
from analyses.proofs.preconditions import ConditionalBound, Precondition, unique
from analyses.typical_launch import is_parameter
from ptxlint.inference.alignment import Multiples
from ptxlint.inference.groups import in_groups
from ptxlint.inference.reasons import WRAPS
from ptxlint.inference.requirements import Required


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


def in_common_grids(footprints: Footprints, span: ByteBounds) -> ByteBounds:
    """The bounds, which need also that there are at most 2**31 threads along x, as contracts say
    of most kernels."""
    limit = Precondition(common_grids(footprints))
    return replace(
        span,
        high=tuple(
            replace(under, preconditions=tuple(unique((*under.preconditions, limit))))
            for under in span.high
        ),
    )


def common_grids(footprints: Footprints) -> Polynomial:
    """Not negative in a grid of at most 2**31 threads along x."""
    specials = footprints.symbolic.specials
    extents = [specials.get((name, 32)) for name in ("nctaid.x", "ntid.x")]
    blocks, threads = (extent or Polynomial.of(1) for extent in extents)
    return -(blocks * threads) + (1 << 31)


def with_common_grid(
    footprints: Footprints,
    every: dict[Polynomial, Required],
    needs: list[Required],
    dispensable: Callable[[Required, list[Required]], bool],
) -> list[Required]:
    """The requirements, with that of a common grid in place of the sign of a parameter that is
    dispensable then: ``left + x`` may begin before a screen if no x wraps. A requirement that is
    new is added to ``every`` one."""
    limit = common_grids(footprints)
    for need in needs:
        if not only_added(footprints, need):
            continue
        others = [other for other in needs if other is not need]
        held = InequalitySystem([Inequality(other.polynomial) for other in others])
        if held.entails(limit) is not None:
            continue
        short = every.get(limit) or Required(limit, WRAPS.format(32), need.instr, need.places)
        if dispensable(need, [*others, short]):
            every[limit] = short
            needs = [*others, short]
    return needs


def only_added(footprints: Footprints, need: Required) -> bool:
    """True if it is the sign of a parameter that multiplies nothing in the addresses."""
    symbol = need.polynomial.alone
    if symbol is None or not is_parameter(symbol):
        return False
    offsets = (footprints.offset(place) for place in need.places)
    products = (m for one in offsets if one is not None for m in unwrapped(one).terms if m[1:])
    return not any(symbol in part.parts for product in products for part in product)


def in_fewer_bytes(
    footprints: Footprints, place: ResolvedAccess, span: ByteBounds
) -> tuple[ByteBounds, ByteBounds]:
    """The bounds as they are to be required, and tightened: those in common grids if only these
    can be."""
    short = tightened(footprints, place, span)
    if all(u.least.terms.get((), 0) >= 0 for u in short.high) or least(short) != least(span):
        return span, short
    limited = in_common_grids(footprints, span)
    shorter = tightened(footprints, place, limited)
    return (span, short) if least(shorter) == least(limited) else (limited, shorter)


def least(span: ByteBounds) -> list[Polynomial]:
    """The upper bounds, negated."""
    return [under.least for under in span.high]


def cut(
    footprints: Footprints, place: ResolvedAccess, under: ConditionalBound, low: PathCondition
) -> ConditionalBound:
    """The upper bound without its constant, or with the bytes of a vector behind its first element
    in place of that, or without the rows behind a product, if that is proved, be it where the lower
    bounds, too, are what they are required to be: a proof with less to look at comes first. It is
    rounded to what the bytes are a multiple of."""
    behind, proofs = footprints.end(place), footprints.proofs
    if under.scale != 1 or behind is None:
        return under
    here = footprints.premises(place)
    here += PathCondition(tuple(Inequality(need.polynomial) for need in under.preconditions))
    for end in shorter(under.least, place.access.bytes):
        gap = end - behind
        if proofs.proves(here, gap) or (bool(low.known) and proofs.proves(here + low, gap)):
            whole = replace(Bound(-behind, 1, ()).rounded, least=-end).rounded
            return replace(under, least=whole.least, bound=whole)
    return under


def shorter(least: Polynomial, bytes_: int) -> Iterator[Polynomial]:
    """Upper bounds below that of an access of so many bytes."""
    constant = least.terms.get((), 0)
    moving = Polynomial.of(constant) - least
    if not moving.terms:
        return
    behind = {m for m, c in moving.terms.items() if c > 0 and len(m) < moving.degree}
    if behind and constant <= 0:
        yield Polynomial({m: c for m, c in moving.terms.items() if m not in behind})
    if constant < 0:
        yield moving
        vector = bytes_ - gcd(*moving.terms.values())
        if 0 < vector < -constant:
            yield moving + vector


def needed(span: ByteBounds) -> tuple[Precondition, ...]:
    """The preconditions of all bounds, each once."""
    bounds = (*span.low, *span.high)
    return tuple(unique(need for under in bounds for need in under.preconditions))


def as_required(footprints: Footprints, place: ResolvedAccess, span: ByteBounds) -> PathCondition:
    """The path condition of an access, with what its bounds need. Launches that do not meet that
    are asked about when it is left out."""
    required = tuple(Inequality(need.polynomial) for need in needed(span))
    return footprints.premises(place) + PathCondition(required)
