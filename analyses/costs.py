"""What a warp's worth of an access costs.

A *request* is one warp executing the access once. Sectors are 32 bytes; shared memory has 32 banks
of 4 bytes, a word read by several lanes counts once, and 8- and 16-byte accesses go in 2 and 4
phases. The names are those of the counters: ``memory_l2_theoretical_sectors_global`` and
``memory_l1_wavefronts_shared``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import ceil, gcd

from analyses.patterns import WARP, Pattern

SECTOR = 32
BANKS, BANK = 32, 4
LINE = BANKS * BANK


def sectors(offsets: Sequence[int | None], size: int) -> int:
    """Distinct 32-byte sectors that the lanes touch."""
    touched: set[int] = set()
    for offset in offsets:
        if offset is not None:
            touched.update(range(offset // SECTOR, (offset + size - 1) // SECTOR + 1))
    return len(touched)


def ideal_sectors(offsets: Sequence[int | None], size: int) -> int:
    """As many sectors as the distinct bytes fill."""
    return max(1, ceil(len(set(offsets) - {None}) * size / SECTOR))


def wavefronts(offsets: Sequence[int | None], size: int) -> int:
    """Passes over the banks: in each phase the most distinct words that one bank must give."""
    phases = max(1, size // BANK)
    lanes = WARP // phases
    total = 0
    for phase in range(phases):
        words: dict[int, set[int]] = {}
        for offset in offsets[phase * lanes : (phase + 1) * lanes]:
            if offset is not None:
                for word in range(offset // BANK, (offset + size - 1) // BANK + 1):
                    words.setdefault(word % BANKS, set()).add(word)
        total += max((len(found) for found in words.values()), default=0)
    return total


def ideal_wavefronts(offsets: Sequence[int | None], size: int) -> int:
    """As many passes as the distinct words need if they were spread over all banks."""
    phases = max(1, size // BANK)
    lanes = WARP // phases
    groups = (offsets[phase * lanes : (phase + 1) * lanes] for phase in range(phases))
    return max(1, sum(any(offset is not None for offset in group) for group in groups))


@dataclass(frozen=True, slots=True)
class Cost:
    """Of one request of the costliest warp, which spends most beyond its ideal: best and worst
    over what is unknown of the base."""

    unit: str
    best: int
    worst: int
    ideal: int


@lru_cache(maxsize=1024)
def cost(found: Pattern, space: str, size: int) -> Cost:
    """The costliest warp of the block, compared with the ideal for its lanes. ``size`` in bytes."""
    shared = space == "shared"
    count, ideal = (wavefronts, ideal_wavefronts) if shared else (sectors, ideal_sectors)
    period = LINE if shared else SECTOR
    residue, modulus = found.base
    step = gcd(modulus, period)
    results = []
    for offsets in found.warps:
        least = ideal(offsets, size)
        costs = [
            count([None if o is None else o + shift for o in offsets], size)
            for shift in range(residue % step, period, step)
        ]
        results.append((min(costs), max(costs), least))
    least = max(results, key=lambda r: (r[1] - r[2], r[0] - r[2]))[2]
    best = least + max(low - own for low, _, own in results)
    worst = least + max(high - own for _, high, own in results)
    return Cost("wavefronts" if shared else "sectors", best, worst, least)
