"""The share of a kernel's traffic that one access makes: an estimate of what its cure is worth.

An access asks for its cost once in each iteration of the loops around it. Where the iterations are
told apart they are counted; else their number is a symbol. A warp is taken to come to every access,
with the lanes of the costliest warp: guards that keep warps away are not weighed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from analyses.lanes.evaluation import Warps
from analyses.traffic.costs import Cost

Rounds = tuple[int, ...]  # loops, by head, whose numbers of iterations are multiplied
Amount = Mapping[Rounds, int]  # a sum of products
Priced = tuple[int, Cost | None]  # the block of an access, and its cost


@dataclass(frozen=True, slots=True)
class Share:
    """What one access asks for, and all accesses to its space together, in ``unit``, over the
    iterations of a warp. ``unknown`` others have no cost that is known."""

    own: Amount
    whole: Amount
    unit: str
    unknown: int

    @property
    def percent(self) -> int | None:
        """As the numbers of iterations grow; None where that depends on which grows faster, or a
        warp asks for nothing."""
        most = [m for m in self.whole if not any(set(m) < set(other) for other in self.whole)]
        if len(most) != 1 or self.unknown or not self.whole[most[0]]:
            return None
        return round(100 * self.own.get(most[0], 0) / self.whole[most[0]])


def amount(warps: Warps, block: int, price: Cost) -> Amount:
    """What a warp asks for in a block."""
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


def share(warps: Warps, own: Priced, all_: Iterable[Priced]) -> Share | None:
    """``all_`` accesses to a space, ``own`` among them; None if its cost is not known."""
    block, price = own
    if price is None:
        return None
    whole, unknown = Counter[Rounds](), 0
    for place, cost in all_:
        if cost is not None and cost.unit == price.unit:
            whole.update(amount(warps, place, cost))
        else:
            unknown += 1
    return Share(amount(warps, block, price), dict(whole), price.unit, unknown)
