"""Fixes: changes of the array layout that lower the cost of an access.

Each is confirmed by counting the accesses again with the change. Rows are as long as the distance
between neighbouring lanes, if every access to the array is then a row and a column inside of it:
only so does a source that declares longer rows move each byte as it is counted here. A layout is a
fix if the access then costs no more than its ideal, and no other access to the array costs more
than before.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from analyses.addresses import ResolvedAccess
from analyses.budget import ARRAY_BYTES
from analyses.lanes.accesses import lane_access
from analyses.lanes.evaluation import Warps
from analyses.polynomials.polynomial import Polynomial
from analyses.scalar_evolution import SymbolicValues
from analyses.traffic.costs import Cost, Metric, of_warps
from analyses.traffic.patterns import Offsets, Pattern, distinct, rows

ZERO = 1 << 64  # an alignment that only the address 0 has

Move = Callable[[int], int]  # the new offset of the byte at an old one


class ProposedFix(Struct, frozen=True):
    """A change of the source after which a request has the ``cost``: ``what`` is ``before`` and
    becomes ``after``; ``text`` says it in a sentence. ``row`` if the rows of an array get longer:
    their elements, before and after."""

    what: str
    before: str
    after: str
    text: str
    cost: int = 0
    row: tuple[int, int] | None = None


class RegionOffsets(Struct, frozen=True):
    """The offsets of an access from the start of its region, warp by warp."""

    warps: tuple[Offsets, ...]
    size: int
    by: Metric

    def cost(self, move: Move | None = None) -> Cost:
        moved = [
            tuple(o if o is None or move is None else move(o) for o in warp) for warp in self.warps
        ]
        return of_warps(moved, (0, ARRAY_BYTES), self.by, self.size)


def region_offsets(
    warps: Warps, place: ResolvedAccess, by: Metric, row: int
) -> RegionOffsets | None:
    """None if the offsets within rows of so many bytes are not known."""
    if place.region is None or place.access.bytes > row:
        return None
    whole = replace(warps, aligns={**warps.aligns, place.region: ZERO})
    access = place.access
    address, lanes = lane_access(whole.at(place.block), access, place.block)
    if address.offsets is None or address.assumptions:
        return None
    if max(address.offsets) >= ARRAY_BYTES if address.known else (1 << address.free) % row:
        return None  # an unknown base must be whole rows
    found = distinct(rows(address, lanes, whole.shape, ARRAY_BYTES))
    split = any(o is not None and o % row + access.bytes > row for w in found for o in w)
    return None if split else RegionOffsets(found, access.bytes, by)


def layout_fixes(
    warps: Warps,
    place: ResolvedAccess,
    found: Pattern,
    by: Metric,
    others: Sequence[tuple[ResolvedAccess, Metric]],
) -> Iterator[ProposedFix]:
    """The fixes of an access, the simplest first. ``others`` are all accesses to its region."""
    row, size = abs(found.stride or 0), place.access.bytes
    own = region_offsets(warps, place, by, row) if row >= 2 * size and row % size == 0 else None
    if own is None:
        return
    if not all(in_columns(warps.symbolic, other, row) for other, _ in others):
        return
    all_ = [region_offsets(warps, other, metric, row) for other, metric in others]
    known = [other for other in all_ if other is not None]
    if len(known) < len(all_):
        return
    before = [other.cost().worst for other in known]
    for change, move in layouts(place, row, size):
        after = own.cost(move)
        kept = all(o.cost(move).worst <= b for o, b in zip(known, before, strict=True))
        if after.worst <= after.ideal and kept:
            yield replace(change, cost=after.worst)


def in_columns(symbolic: SymbolicValues, place: ResolvedAccess, row: int) -> bool:
    """True if the offset is a multiple of the row plus a column: its terms that are no multiples
    stay inside of one row. Terms of words that are no polynomial are left to the counting."""
    if place.formula is None:
        return True
    plain = {
        monomial: factor % row
        for monomial, factor in place.formula.terms.items()
        if factor % row
        and all(symbol.parts == {symbol} and symbol not in symbolic.opaque for symbol in monomial)
    }
    low, high = Polynomial(plain).range()
    return low >= 0 and high + place.access.bytes <= row


def layouts(place: ResolvedAccess, row: int, size: int) -> Iterator[tuple[ProposedFix, Move]]:
    """Layouts to try for rows of so many bytes, made of elements of ``size`` bytes."""
    count = row // size
    if place.region is not None and place.region.space == "shared":
        longer, padded = count + 1, f"pad the rows of {count} elements to {count + 1}"
        change = ProposedFix("rows", f"{count} elements", f"{longer}", padded, row=(count, longer))
        yield change, lambda o: o + o // row * size
        if row & (row - 1) == 0:
            swizzled = f"x ^ (y % {count})"
            change = ProposedFix("column", "x", swizzled, f"swizzle the column: {swizzled}")
            yield change, lambda o: o // row * row + (o % row ^ o // row % count * size)
    else:
        fields = f"fields {row} bytes apart"
        apart = f"keep {fields} in arrays of their own"
        change = ProposedFix("layout", fields, "an array for each", apart)
        yield change, lambda o: o % row // size * ARRAY_BYTES + o // row * size + o % size
