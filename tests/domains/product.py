"""The product of strided intervals and known bits, which is what values are solved with."""

from __future__ import annotations

from functools import cache
from itertools import islice, product

from analyses.domains import reductions
from analyses.domains.known_bits import KnownBits
from analyses.domains.product import Product, ProductValue, Reduction
from analyses.domains.strided_interval import StridedIntervals

from . import Judged, known_bits, strided_interval

DOMAIN = Product(
    (StridedIntervals(), KnownBits()), (Reduction(0, 1, reductions.interval_and_bits),)
)
SAMPLES = [
    DOMAIN.reduced(facts)
    for facts in islice(product(strided_interval.SAMPLES, known_bits.SAMPLES), 0, None, 19)
]


@cache
def elements(width: int) -> tuple[ProductValue, ...]:
    both = {
        DOMAIN.reduced((interval, bits))
        for interval in strided_interval.elements(width)
        for bits in known_bits.elements(width)
    }
    return tuple(sorted(both))


JUDGED = Judged(DOMAIN, SAMPLES, elements, (1, 2, 3, 4), (1, 2, 3, 4), 4_000)
