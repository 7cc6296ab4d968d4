"""The value of a name in the lanes of a warp, which ``lanes.offsets`` computes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from analyses.hardware import WARP
from analyses.lanes.sequences import Numbers, offsets_from

NEVER = "never-computed"  # of unreachable code
NO_WRAP = "no-wrap"  # assumption: no lane wraps around where a word is extended

Bounds = tuple[int, int]


class LaneValue(NamedTuple):
    """The value of a name in each lane: ``offsets`` of all lanes, warp by warp, or one for all;
    None if unknown. ``bounds`` of the value in every lane, as a signed and as an unsigned integer.
    ``assumptions``: what was assumed, or why nothing is known. ``run``: of a predicate, in which
    lanes it may hold (``lanes.runs``)."""

    width: int
    offsets: Numbers | None
    free: int
    bounds: tuple[Bounds, Bounds] | None = None
    assumptions: frozenset[str] = frozenset()
    run: frozenset[str] | None = None

    @property
    def known(self) -> bool:
        return self.offsets is not None and self.free >= self.width

    @property
    def uniform(self) -> bool:
        """True if all lanes of each warp have the same value."""
        if self.offsets is None:
            return False
        if len(self.offsets) == 1:
            return True
        return type(self.offsets) is not range and all(len(set(w)) == 1 for w in self.by_warp)

    @property
    def by_warp(self) -> list[Numbers]:
        numbers = self.offsets or ()
        return [numbers[first : first + WARP] for first in range(0, len(numbers), WARP)]

    @property
    def distances(self) -> list[Numbers]:
        """By warp, the distance of each lane from the first lane."""
        warps = self.by_warp
        alike = type(self.offsets) is range
        shown = warps[:1] if alike else warps
        found = [offsets_from(self.width, warp, warp[0]) for warp in shown]
        found = [(0,) * WARP if len(one) == 1 else one for one in found]
        return found * len(warps) if alike else found

    @property
    def constant(self) -> int | None:
        """The number, if it is known and the same in all lanes of all warps."""
        if self.offsets is None or len(self.offsets) > 1 or self.free < self.width:
            return None
        return self.offsets[0]

    def assuming(self, *assumptions: str) -> LaneValue:
        every = self.assumptions.union(assumptions)
        return LaneValue(self.width, self.offsets, self.free, self.bounds, every, self.run)

    def lane(self, lane: int) -> int:
        assert self.offsets is not None
        return self.offsets[lane if len(self.offsets) > 1 else 0]


def assumed(words: Iterable[LaneValue]) -> frozenset[str]:
    found: frozenset[str] = frozenset()
    for word in words:
        if word.assumptions:
            found |= word.assumptions
    return found


def signed(width: int, bits: int) -> int:
    half = 1 << (width - 1)
    return ((bits + half) & ((1 << width) - 1)) - half
