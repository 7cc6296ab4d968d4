"""Changes of where things lie in memory that make an access cheap: proposed only if counting again
with the change shows it.

An array is taken for rows as long as the lanes are apart, and every access to it is counted where
the change would put it. A change is a cure if the access then needs no more than its ideal, and no
other access to the array needs more than it did.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from analyses.addresses import ResolvedAccess
from analyses.lanes.accesses import lane_access
from analyses.lanes.evaluation import Warps
from analyses.traffic.costs import Cost, Metric, of_warps
from analyses.traffic.patterns import Offsets, Pattern, distinct, rows

ZERO = 1 << 64  # an alignment that only the address 0 has
WHOLE = 1 << 20  # bytes of an array that are looked at

Change = Callable[[int], int]


class ArrayLayout(NamedTuple):
    """What is changed of how an array lies, as it was and as it becomes; ``text`` says it in a
    sentence. ``row`` where rows get longer: their elements, before and after."""

    what: str
    old: str
    new: str
    text: str
    row: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class Cure:
    """What to change, and what the access costs then."""

    layout: ArrayLayout
    after: Cost


@dataclass(frozen=True, slots=True)
class Reach:
    """The warps of an access, by offsets from the start of its region."""

    warps: tuple[Offsets, ...]
    size: int
    by: Metric

    def cost(self, change: Change | None = None) -> Cost:
        moved = [
            tuple(o if o is None or change is None else change(o) for o in warp)
            for warp in self.warps
        ]
        return of_warps(moved, (0, WHOLE), self.by, self.size)


def reach(warps: Warps, place: ResolvedAccess, by: Metric, row: int) -> Reach | None:
    """Where the lanes are, in rows of so many bytes; None where that is not known."""
    if place.region is None or place.access.bytes > row:
        return None
    whole = replace(warps, aligns={**warps.aligns, place.region: ZERO})
    access = place.access
    address, lanes = lane_access(whole.at(place.block), access, place.block)
    if address.offsets is None or address.assumptions:
        return None
    if max(address.offsets) >= WHOLE if address.known else (1 << address.free) % row:
        return None  # a base that nobody knows must be whole rows
    found = distinct(rows(address, lanes, whole.shape, WHOLE))
    split = any(o is not None and o % row + access.bytes > row for w in found for o in w)
    return None if split else Reach(found, access.bytes, by)


def cures(
    warps: Warps,
    place: ResolvedAccess,
    found: Pattern,
    by: Metric,
    others: Sequence[tuple[ResolvedAccess, Metric]],
) -> Iterator[Cure]:
    """The cures of an access, the simplest first. ``others`` are all accesses to its region."""
    row, size = abs(found.stride or 0), place.access.bytes
    own = reach(warps, place, by, row) if row >= 2 * size and row % size == 0 else None
    if own is None:
        return
    all_ = [reach(warps, other, measure, row) for other, measure in others]
    there = [other for other in all_ if other is not None]
    if len(there) < len(all_):
        return
    before = [other.cost().worst for other in there]
    for layout, change in changes(place, row, size):
        after = own.cost(change)
        kept = all(o.cost(change).worst <= b for o, b in zip(there, before, strict=True))
        if after.worst <= after.ideal and kept:
            yield Cure(layout, after)


def changes(place: ResolvedAccess, row: int, size: int) -> Iterator[tuple[ArrayLayout, Change]]:
    count = row // size
    if place.region is not None and place.region.space == "shared":
        yield padded(count), lambda o: o + o // row * size
        if row & (row - 1) == 0:
            swizzled = f"x ^ (y % {count})"
            yield (
                ArrayLayout("column", "x", swizzled, f"swizzle the column: {swizzled}"),
                lambda o: o // row * row + (o % row ^ o // row % count * size),
            )
    else:
        fields = f"fields {row} bytes apart"
        yield (
            ArrayLayout(
                "layout", fields, "an array for each", f"keep {fields} in arrays of their own"
            ),
            lambda o: o % row // size * WHOLE + o // row * size + o % size,
        )


def padded(count: int) -> ArrayLayout:
    """Rows that are one element longer."""
    text = f"pad the rows of {count} elements to {count + 1}"
    return ArrayLayout("rows", f"{count} elements", f"{count + 1}", text, (count, count + 1))
