"""Strided intervals."""

from __future__ import annotations

from functools import cache

from analyses.domains.strided_interval import (
    StridedInterval,
    StridedIntervals,
    constant,
    empty,
    interval,
)
from analyses.domains.wrapped_interval import wrapped

from . import Judged

SAMPLES = [
    *(constant(8, word) for word in (0, 1, 5, 127, 128, 200, 255)),
    *(interval(8, lo, hi) for lo, hi in ((0, 31), (-4, 5), (100, 140), (5, 4), (200, 100), (1, 0))),
    *(interval(8, 0, 252, stride) for stride in (2, 3, 4, 6, 12, 64, 126, 252)),
    *(interval(8, lo, lo + 90, 9) for lo in (-40, 100, 200)),
    *(interval(8, lo, lo + stride, stride) for lo, stride in ((0, 128), (3, 127), (250, 7))),
]


@cache
def elements(width: int) -> tuple[StridedInterval, ...]:
    """Every arc, also through both breaks; many progressions have the same normal form."""
    size = 1 << width
    arcs = {
        wrapped(width, (lo, lo + steps * stride, stride if steps else 0))
        for lo in range(size)
        for stride in range(1, size)
        for steps in range((size - 1) // stride + 1)
    }
    return (empty(width), *sorted(arcs))


JUDGED = Judged(StridedIntervals(), SAMPLES, elements)
