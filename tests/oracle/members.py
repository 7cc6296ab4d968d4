"""The domains under judgement: a domain joins by one line in ``MEMBERS``.

A line gives the domain and all its elements of a width; where there are too many for the budget of
operand tuples, the judge takes an even sample, the same every time.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from analyses.concrete.machine import BitVector
from analyses.domains import known_bits as alignment
from analyses.domains import reductions
from analyses.domains.known_bits import KnownBits, Tnum
from analyses.domains.product import Product, ProductValue, Reduction
from analyses.domains.strided_interval import StridedInterval, StridedIntervals, empty
from analyses.domains.wrapped_interval import wrapped
from analyses.lattice import Domain


@dataclass(frozen=True)
class Member:
    domain: Domain[Any]
    elements: Callable[[int], Sequence[Any]]
    widths: tuple[int, ...] = (1, 2, 3, 4, 5)
    unary_widths: tuple[int, ...] = (1, 2, 3, 4, 5, 6)
    budget: int = 10_000  # operand tuples for one case at one width

    @cache  # noqa: B019 - members live as long as the module
    def members(self, width: int) -> NDArray[np.bool_]:
        """Which element admits which word."""
        return covered(self.domain, self.elements(width), every_word(width))


def every_word(width: int) -> BitVector:
    return BitVector.of(width, range(1 << width))


def covered(domain: Domain[Any], facts: Sequence[Any], words: BitVector) -> NDArray[np.bool_]:
    return np.array([domain.admits(fact, words) for fact in facts], bool)


@cache
def strided_intervals(width: int) -> tuple[StridedInterval, ...]:
    """Every arc, also through both breaks; many progressions have the same normal form."""
    size = 1 << width
    arcs = {
        wrapped(width, (lo, lo + steps * stride, stride if steps else 0))
        for lo in range(size)
        for stride in range(1, size)
        for steps in range((size - 1) // stride + 1)
    }
    return (empty(width), *sorted(arcs))


@cache
def known_bits(width: int) -> tuple[Tnum, ...]:
    size = 1 << width
    return (
        alignment.empty(width),
        *(Tnum(width, v, u) for u in range(size) for v in range(size) if not v & u),
    )


PRODUCT = Product(
    (StridedIntervals(), KnownBits()), (Reduction(0, 1, reductions.interval_and_bits),)
)


@cache
def pairs(width: int) -> tuple[ProductValue, ...]:
    both = {
        PRODUCT.reduced((interval, bits))
        for interval in strided_intervals(width)
        for bits in known_bits(width)
    }
    return tuple(sorted(both))


MEMBERS: dict[str, Member] = {
    "strided-interval": Member(StridedIntervals(), strided_intervals),
    "known-bits": Member(KnownBits(), known_bits),
    "interval-and-bits": Member(PRODUCT, pairs, (1, 2, 3, 4), (1, 2, 3, 4), 4_000),
}
