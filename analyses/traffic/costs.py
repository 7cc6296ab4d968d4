"""The cost of one request: sectors, lines, wavefronts.

A *request* is one warp executing the access once. Sectors are 32 bytes; shared memory has 32 banks
of 4 bytes, a word that several lanes load or store counts once, and 8- and 16-byte accesses take 2
and 4 phases, loads half as many where neighbours have the same address (``paired``). The names are
those of the profiler's counters: ``memory_l2_theoretical_sectors_global`` and
``memory_l1_wavefronts_shared``. Constant memory serves one address after the other. Local memory is
interleaved: the same word of all threads of a warp is one line.

On an H100 (driver 580.159.04, Nsight Compute 2025.3.1) the hardware counts the same in every
pattern that was tried: ``docs/measurements/device.md``. So a cost is exact where the pattern knows
all addresses; one that knows less of the base has a range, and one whose lanes may be off is an
upper bound, as fewer lanes never cost more.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from math import ceil, gcd

from msgspec import Struct

from analyses.hardware import BANK, BANKS, LINE, SECTOR, WARP
from analyses.traffic.patterns import Offsets, Pattern

Lanes = Sequence[int | None]
Count = Callable[[Lanes, int], int]


def touched(offsets: Lanes, size: int, unit: int) -> set[int]:
    """The units of ``unit`` bytes that the lanes touch."""
    return {
        block
        for offset in offsets
        if offset is not None
        for block in range(offset // unit, (offset + size - 1) // unit + 1)
    }


def sectors(offsets: Lanes, size: int) -> int:
    """Distinct 32-byte sectors that the lanes touch."""
    return len(touched(offsets, size, SECTOR))


def lines(offsets: Lanes, size: int) -> int:
    """Distinct 128-byte lines that the lanes touch: the tags that the cache looks up."""
    return len(touched(offsets, size, LINE))


def ideal_sectors(offsets: Lanes, size: int) -> int:
    """The sectors that the bytes of all lanes would fill, if each had its own; those that they do
    touch where these are fewer. So lanes that share bytes are no excess, and the profiler counts
    the same: ``memory_l2_theoretical_sectors_global_ideal``."""
    lanes = len(offsets) - offsets.count(None)
    return max(1, min(sectors(offsets, size), ceil(lanes * size / SECTOR)))


def ideal_lines(offsets: Lanes, size: int) -> int:
    return max(1, ceil(len(set(offsets) - {None}) * size / LINE))


def paired(offsets: Lanes) -> bool:
    """True if of all lanes n and n^1, or of all n and n^2, both have the same address, or one is
    off."""
    lanes = range(len(offsets))
    return any(
        all(offsets[n] in (None, offsets[n ^ far]) or offsets[n ^ far] is None for n in lanes)
        for far in (1, 2)
    )


def served_together(size: int) -> int:
    """The lanes whose accesses of this size fit into 128 bytes."""
    return max(1, min(WARP, WARP * BANK // size))


def phases(offsets: Lanes, size: int, load: bool = False) -> list[Lanes]:
    """The lanes that are served together: as many as fit into 128 bytes. A load of paired lanes
    serves twice as many."""
    together = served_together(size)
    if load and together < WARP and paired(offsets):
        together *= 2
    return [offsets[i : i + together] for i in range(0, WARP, together)]


def busiest(banks: Iterable[int]) -> int:
    """The most requests to one bank (or address)."""
    return max(Counter(banks).values(), default=0)


def wavefronts(offsets: Lanes, size: int, load: bool = False) -> int:
    """Wavefronts of a store: in each phase, the most distinct words in one bank."""
    groups = phases(offsets, size, load)
    return sum(busiest(word % BANKS for word in touched(group, size, BANK)) for group in groups)


def load_wavefronts(offsets: Lanes, size: int) -> int:
    return wavefronts(offsets, size, load=True)


def ideal_wavefronts(offsets: Lanes, size: int) -> int:
    """The wavefronts if the distinct words were spread over all banks. The profiler's ideal,
    ``memory_l1_wavefronts_shared_ideal``, counts the bytes of the active lanes and not which of
    them are served together, so that it is less where lanes of several phases are off."""
    return max(1, sum(any(o is not None for o in group) for group in phases(offsets, size)))


def ideal_load_wavefronts(offsets: Lanes, size: int) -> int:
    """The same; fewer where lanes are paired and have no conflict."""
    return max(1, min(load_wavefronts(offsets, size), ideal_wavefronts(offsets, size)))


def serialized_wavefronts(offsets: Lanes, size: int) -> int:
    """Wavefronts of an atomic: the lanes that access one bank are serialised, even at one
    address."""
    return sum(
        busiest(word % BANKS for lane in group for word in touched([lane], size, BANK))
        for group in phases(offsets, size)
    )


def addresses(offsets: Lanes, size: int) -> int:
    """Distinct addresses."""
    return len(set(offsets) - {None})


def collisions(offsets: Lanes, size: int) -> int:
    """The most lanes that access one address."""
    return busiest(offset for offset in offsets if offset is not None)


def one(offsets: Lanes, size: int) -> int:
    return 1


def interleaved(offsets: Lanes, size: int) -> list[int | None]:
    """The physical offsets in local memory: word w of lane l is word 32*w + l. One entry for each
    word that a lane touches."""
    return [
        word * LINE + lane * BANK
        for lane, offset in enumerate(offsets)
        for word in sorted(touched([offset], size, BANK))
    ]


def local_sectors(offsets: Lanes, size: int) -> int:
    return sectors(interleaved(offsets, size), BANK)


def local_ideal(offsets: Lanes, size: int) -> int:
    """The sectors that the words of all lanes fill."""
    words = (len(offsets) - offsets.count(None)) * ceil(size / BANK)
    return max(1, ceil(words * BANK / SECTOR))


class Metric(Struct, frozen=True):
    """How accesses are counted: the unit, the least and the greatest count of a request, the ideal
    count, and the period of the base address in bytes. Only ``used`` bytes of each lane are needed,
    if given; the others are moved too."""

    unit: str
    least: Count
    most: Count
    ideal: Count
    period: int
    used: int | None = None

    def would_do(self, offsets: Lanes, size: int) -> int:
        """The count if only the needed bytes were moved."""
        return self.ideal(offsets, size if self.used is None else self.used)


class Cost(Struct, frozen=True):
    """The cost of one request of the costliest warp (of a CTA; of the grid if CTAs differ): the one
    that exceeds its ideal most. Best and worst over the unknown part of the base. ``iterations``
    are the costs of each iteration of a loop."""

    unit: str
    best: int
    worst: int
    ideal: int
    iterations: tuple[Cost, ...] = ()

    @property
    def exact(self) -> bool:
        return self.best == self.worst


@lru_cache(maxsize=1024)
def cost(found: Pattern, by: Metric, size: int) -> Cost:
    """The costliest warp of the block, compared with the ideal for its lanes. ``size`` in bytes."""
    whole = of_warps(found.warps, found.base, by, size)
    if not found.iterations:
        return whole
    each = [of_warps(warps, found.base, by, size) for warps in found.iterations]
    return Cost(whole.unit, whole.best, whole.worst, whole.ideal, tuple(each))


def of_warps(warps: Iterable[Offsets], base: tuple[int, int], by: Metric, size: int) -> Cost:
    residue, modulus = base
    step = gcd(modulus, by.period)
    results = []
    for offsets in warps:
        shifts = range(residue % step, by.period, step)
        moved = [[None if o is None else o + shift for o in offsets] for shift in shifts]
        low = min(by.least(lanes, size) for lanes in moved)
        high = max(by.most(lanes, size) for lanes in moved)
        results.append((low, high, min(by.would_do(lanes, size) for lanes in moved)))
    least = max(results, key=lambda r: (r[1] - r[2], r[0] - r[2]))[2]
    best = least + max(low - own for low, _, own in results)
    worst = least + max(high - own for _, high, own in results)
    return Cost(by.unit, best, worst, least)
