"""The cost of a request that only some lanes of its pattern make, beside its ideal.

A guard such as ``i < n`` with an undeclared n leaves the first lanes of a warp, however many
(``lanes.runs``). What holds for each of these sets of lanes holds for the request.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from analyses.hardware import WARP
from analyses.lanes.runs import FIRST, LAST, Run
from analyses.traffic.costs import (
    Metric,
    cost,
    load_wavefronts,
    of_warps,
    served_together,
    wavefronts,
)
from analyses.traffic.patterns import Offsets, Pattern

RUNS = 2**10  # costs that are computed for one pattern
CONFLICTS = (load_wavefronts, wavefronts)  # counts that add up over phases
BLOCKS = ("sectors", "lines")  # units that a byte belongs to by its address


@lru_cache(maxsize=1024)
def close_to_ideal(found: Pattern, by: Metric, size: int, tolerated: int) -> bool:
    """True if a request of any lanes that may be left costs at most ``tolerated`` units more than
    its ideal. A request costs one unit at least, and no more if lanes are off."""
    whole = cost(found, by, size)
    if whole.worst <= 1 + tolerated or not found.guarded:
        return whole.worst <= whole.ideal + tolerated
    run = found.run
    if run is None:
        return by.most in CONFLICTS and without_conflicts(found, by, size)
    blocks = tolerated and by.unit in BLOCKS and by.used is None
    if blocks and all(in_a_row(warp, size) for warp in found.warps):
        return True
    sets = [lanes for warp in found.warps for lanes in runs(warp, run)]
    if len(sets) * by.period > RUNS * found.base[1]:
        return False
    each = (of_warps([lanes], found.base, by, size) for lanes in sets)
    return all(one.worst <= one.ideal + tolerated for one in each)


def without_conflicts(found: Pattern, by: Metric, size: int) -> bool:
    """True if lanes that are served together never ask one bank for different words. Fewer lanes do
    not, either, and take a wavefront for each phase with a lane, which is the ideal."""
    together = served_together(size)
    served = [range(first, first + together) for first in range(0, WARP, together)]
    parts = [
        [offset if lane in phase else None for lane, offset in enumerate(warp)]
        for warp in found.warps
        for phase in served
    ]
    return of_warps(map(tuple, parts), found.base, by, size).worst <= 1


def in_a_row(warp: Offsets, size: int) -> bool:
    """True if the bytes of all lanes follow each other, as then those of each run do. Such bytes
    touch at most one block more than they fill."""
    return warp == (*range(warp[0] or 0, (warp[0] or 0) + WARP * size, size),)


def runs(warp: Offsets, run: Run) -> Iterator[Offsets]:
    """The lanes of a warp that may be left; those of no other are on."""
    for first in range(WARP) if LAST in run else (0,):
        for last in range(first, WARP) if FIRST in run else (WARP - 1,):
            lanes = (*[None] * first, *warp[first : last + 1], *[None] * (WARP - 1 - last))
            if any(lane is not None for lane in lanes):
                yield lanes
