"""One access in the lanes of a warp: the address in each lane, and the active lanes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from analyses.lanes.evaluation import LaneEvaluation, Warps
from analyses.lanes.lane_value import LaneValue
from analyses.program import Access


class LaneAccess(NamedTuple):
    """The address of an access, and the predicate of the lanes that execute it."""

    address: LaneValue
    lanes: LaneValue


Scope = Iterator[Sequence[LaneAccess]]
"""An access in a set of CTAs: for all iterations at once, then for each iteration."""


def scopes(warps: Warps, access: Access, block: int) -> Iterator[Scope]:
    """The access in all CTAs at once, then in each CTA of a small grid."""
    at = warps.at(block)
    yield _scope(at, access, block)
    for cta in at.ctas:
        yield _scope(cta, access, block)


def _scope(at: LaneEvaluation, access: Access, block: int) -> Scope:
    yield [lane_access(at, access, block)]
    yield [lane_access(iteration, access, block) for iteration in at.iterations(block)]


def lane_access(at: LaneEvaluation, access: Access, block: int) -> LaneAccess:
    base = at.word(access.base)
    address = at.domain.add(base, at.domain.const(base.width, access.offset))
    return LaneAccess(address, active(at, access, block))


def active(at: LaneEvaluation, access: Access, block: int) -> LaneValue:
    """The lanes of the block for which the mask of the access holds."""
    lanes = at.lanes(block)
    return lanes if access.mask is None else at.both(lanes, at.word(access.mask))
