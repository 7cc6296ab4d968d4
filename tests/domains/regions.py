"""Words as a region's first byte and an offset from it: the regions lie at odd multiples of their
alignment."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from analyses.domains.regions import BasePlusOffset, BasePlusOffsets, Origin
from analyses.domains.strided_interval import StridedIntervals
from analyses.program import Region

from . import Judged, strided_interval

TILE = Region("shared", "tile", 64, 4)
BYTES = Region("global", "bytes", None, 1)
BASES = {Origin(TILE, False): 4, Origin(TILE, True): 12, Origin(BYTES, False): 3}
DOMAIN = BasePlusOffsets(StridedIntervals(), bases=BASES)


def under_each(offsets: tuple[object, ...]) -> Iterator[BasePlusOffset]:
    for origin in (None, *BASES):
        yield from (BasePlusOffset(origin, offset) for offset in offsets)


@cache
def elements(width: int) -> tuple[BasePlusOffset, ...]:
    """The empty word, which comes first, has no origin, nor has a predicate."""
    offsets = strided_interval.elements(width)
    if width == 1:
        return tuple(BasePlusOffset(None, offset) for offset in offsets)
    return (DOMAIN.bottom(width), *under_each(offsets[1:]))


SAMPLES = list(under_each(tuple(strided_interval.SAMPLES[::3])))
JUDGED = Judged(DOMAIN, SAMPLES, elements, (2, 3, 4), (2, 3, 4), 4_000)
