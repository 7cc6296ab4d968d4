"""Known bits."""

from __future__ import annotations

from functools import cache
from itertools import product

from analyses.domains.known_bits import KnownBits, Tnum, empty

from . import Judged

SAMPLES = [
    Tnum(8, value & ~unknown, unknown)
    for value, unknown in product((0, 0x5A, 0xFF), (0, 1, 0x0F, 0xF0, 0x7F, 0x80, 0xFE, 0xAA))
]


@cache
def elements(width: int) -> tuple[Tnum, ...]:
    size = 1 << width
    return (
        empty(width),
        *(Tnum(width, v, u) for u in range(size) for v in range(size) if not v & u),
    )


JUDGED = Judged(KnownBits(), SAMPLES, elements)
