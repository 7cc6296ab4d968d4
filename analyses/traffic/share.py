"""The share of one access in a kernel's traffic: an estimate of what its fix is worth.

An access has its cost once in each iteration of the loops around it. Unrolled iterations are
counted; other trip counts are symbols. Every warp is taken to make every access, with the lanes of
the costliest warp: guards that keep warps away are not weighed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass

from analyses.lanes.evaluation import Warps
from analyses.traffic.costs import Cost

Loops = tuple[int, ...]  # by head: a product of their trip counts
Amount = Mapping[Loops, int]  # a sum of products
Priced = tuple[int, Cost | None]  # the block of an access, and its cost


@dataclass(frozen=True, slots=True)
class TrafficShare:
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


def share(warps: Warps, own: Priced, all_: Iterable[Priced]) -> TrafficShare | None:
    """``all_`` accesses to a space, ``own`` among them; None if its cost is not known."""
    return next(shares(warps, [own], list(all_)))


def shares(
    warps: Warps, some: Iterable[Priced], all_: Collection[Priced]
) -> Iterator[TrafficShare | None]:
    """The shares of some accesses among ``all_`` to a space."""
    wholes: dict[str, tuple[Amount, int]] = {}
    for block, price in some:
        if price is None:
            yield None
            continue
        unit = price.unit
        if unit not in wholes:
            alike = [(at, cost) for at, cost in all_ if cost is not None and cost.unit == unit]
            whole = Counter[Loops]()
            for at, cost in alike:
                whole.update(amount(warps, at, cost))
            wholes[unit] = dict(whole), len(all_) - len(alike)
        whole_amount, unknown = wholes[unit]
        yield TrafficShare(amount(warps, block, price), whole_amount, unit, unknown)
