"""The share of one access in a kernel's traffic: an estimate of what its fix is worth.

An access has its cost once in each iteration of the loops around it. Unrolled iterations are
counted; other trip counts are symbols. Every warp is taken to make every access, with the lanes of
the costliest warp: guards that keep warps away are not weighed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from msgspec import Struct

from analyses.lanes.evaluation import Warps
from analyses.traffic.costs import Cost

Loops = tuple[int, ...]  # by head: a product of their trip counts
Amount = Mapping[Loops, int]  # a sum of products
Priced = tuple[int, Cost | None]  # the block of an access, and its cost


class TrafficShare(Struct, frozen=True):
    """The traffic of one access and of all accesses to its space, in ``unit``, over the iterations
    of a warp. ``unknown`` is the number of other accesses whose cost is not known."""

    own: Amount
    whole: Amount
    unit: str
    unknown: int

    @property
    def percent(self) -> int | None:
        """The limit for growing trip counts; None if it depends on which of them grows faster, or
        if there is no traffic."""
        most = [m for m in self.whole if not any(set(m) < set(other) for other in self.whole)]
        if len(most) != 1 or self.unknown or not self.whole[most[0]]:
            return None
        return round(100 * self.own.get(most[0], 0) / self.whole[most[0]])


def amount(warps: Warps, block: int, price: Cost) -> Amount:
    """The traffic of a warp in a block."""
    count = sum(iteration.worst for iteration in price.iterations) or price.worst
    open_ = []
    loops = sorted(warps.divergence.inside[block], key=lambda loop: len(loop.nodes))
    for loop in loops[1:] if price.iterations else loops:
        unrolled = warps.at(loop.head).unroll(loop)
        if unrolled is None:
            open_.append(loop.head)
        elif not price.iterations:
            count *= len(unrolled)
    return {tuple(sorted(open_)): count}


class Traffic:
    """All accesses to a space, with their prices."""

    def __init__(self, warps: Warps, accesses: Sequence[Priced]) -> None:
        self.warps = warps
        self.accesses = accesses
        self._wholes: dict[str, tuple[Amount, int]] = {}

    def share(self, own: Priced) -> TrafficShare | None:
        """The share of one of the accesses; None if its cost is not known."""
        block, price = own
        if price is None:
            return None
        whole, unknown = self._whole(price.unit)
        return TrafficShare(amount(self.warps, block, price), whole, price.unit, unknown)

    def _whole(self, unit: str) -> tuple[Amount, int]:
        """The traffic in a unit, and the number of accesses whose cost in it is not known."""
        if unit not in self._wholes:
            alike = [(at, cost) for at, cost in self.accesses if cost and cost.unit == unit]
            whole = Counter[Loops]()
            for at, cost in alike:
                whole.update(amount(self.warps, at, cost))
            self._wholes[unit] = dict(whole), len(self.accesses) - len(alike)
        return self._wholes[unit]
