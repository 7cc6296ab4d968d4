"""Fixes: changes of the array layout that lower the cost of an access.

Each is confirmed by counting the accesses again with the change. Rows are as long as the distance
between neighbouring lanes, if every access to the array is then a row and a column inside of it:
only so does a source that declares longer rows move each byte as it is counted here. No access to
the array may cost more than before.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from math import gcd, prod

from msgspec import Struct
from msgspec.structs import replace

from analyses.addresses import ResolvedAccess
from analyses.budget import ARRAY_BYTES
from analyses.lanes.accesses import lane_access
from analyses.lanes.coordinates import ROWS
from analyses.lanes.evaluation import Warps
from analyses.lanes.lane_value import NO_WRAP, LaneValue
from analyses.lanes.sequences import signed_values
from analyses.polynomials.polynomial import Polynomial, Symbol
from analyses.scalar_evolution import SymbolicValues
from analyses.traffic.costs import Cost, Metric, of_warps
from analyses.traffic.layouts import ArrayOfStructures
from analyses.traffic.patterns import Offsets, distinct, rows

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
    """The offsets of an access from a place in its region, warp by warp. The place is unknown, a
    multiple of ``base``; the start of the region if that is 0."""

    warps: tuple[Offsets, ...]
    base: int
    size: int
    by: Metric

    @property
    def lanes(self) -> set[int]:
        return {offset for warp in self.warps for offset in warp if offset is not None}

    def cost(self, move: Move = lambda offset: offset) -> Cost:
        """The cost with the bytes moved. Rows of the array move as a whole, so that a move takes
        multiples of ``base`` to multiples of what it takes one of them to. What no lane executes
        costs nothing."""
        if not self.lanes:
            return Cost(self.by.unit, 0, 0, 0)
        moved = [tuple(None if o is None else move(o) for o in warp) for warp in self.warps]
        base = gcd(*(move(offset + self.base) - move(offset) for offset in self.lanes))
        return of_warps(moved, (0, base), self.by, self.size)


def region_offsets(
    warps: Warps, place: ResolvedAccess, by: Metric, row: int
) -> RegionOffsets | None:
    """None if the offsets within rows of so many bytes are not known."""
    if place.region is None or place.access.bytes > row:
        return None
    whole = replace(warps, aligns={**warps.aligns, place.region: ZERO})
    access = place.access
    address, lanes = lane_access(whole.at(place.block), access, place.block)
    if address.offsets is None or not address.assumptions <= {ROWS, NO_WRAP}:
        return None
    base = 0 if address.known else 1 << address.free
    if base % row:
        base = base_multiple(whole, place, address)
        if not base or base % row:
            return None
        address = from_base(address, base)
    if address.known and max(address.offsets or ()) >= ARRAY_BYTES:
        return None
    found = distinct(rows(address, lanes, whole.shape, ARRAY_BYTES))
    split = any(o is not None and o % row + access.bytes > row for w in found for o in w)
    return None if split else RegionOffsets(found, base, access.bytes, by)


def base_multiple(warps: Warps, place: ResolvedAccess, address: LaneValue) -> int:
    """A number that divides the base of the lanes' offsets, by the formula of the address: the sum
    of its terms without the lanes' own part. 0 if no such number is known."""
    words, names = warps.at(place.block).domain.specials, warps.symbolic.names
    if place.formula is None:
        return 0
    common, lanes = 0, Polynomial({})
    for monomial, factor in place.formula.terms.items():
        known = [words[names[s]] for s in monomial if names.get(s) in words]
        if monomial and all(word.uniform for word in known):
            common = gcd(common, factor * prod(gcd(1 << w.free, w.lane(0)) for w in known))
        elif len(known) == len(monomial) and (len(known) == 1 or all(w.known for w in known)):
            lanes = lanes + Polynomial({monomial: factor})
            common = gcd(common, *(factor << w.free for w in known if not w.known))
        else:
            return 0
    numbers = signed_values(address.width, address.offsets or ())

    def coordinate(lane: int, symbol: Symbol) -> int:
        return words[names[symbol]].lane(lane)

    rest = {lanes.value(partial(coordinate, lane)) - offset for lane, offset in enumerate(numbers)}
    return gcd(common, *rest) if len(rest) == 1 else 0


def from_base(address: LaneValue, base: int) -> LaneValue:
    """The offsets from a multiple of the base below all lanes."""
    numbers = signed_values(address.width, address.offsets or ())
    first = min(numbers) // base * base
    return LaneValue(address.width, tuple(n - first for n in numbers), address.width)


class LayoutChange(Struct, frozen=True):
    """A layout of a region in which no access costs more than before: the change, and what each
    access costs then."""

    change: ProposedFix
    costs: tuple[Cost, ...]


def layout_changes(
    warps: Warps,
    accesses: Sequence[tuple[ResolvedAccess, Metric]],
    row: int,
    size: int,
    declared: ArrayOfStructures | None,
) -> Iterator[LayoutChange]:
    """The changes for a region, the simplest first. ``accesses`` are all that there are to it; it
    is ``declared`` to be an array of structures, or has rows of so many bytes, in shared memory of
    elements of ``size`` bytes."""
    if not all(in_columns(warps.symbolic, place, row) for place, _ in accesses):
        return
    all_ = [region_offsets(warps, place, metric, row) for place, metric in accesses]
    known = [offsets for offsets in all_ if offsets is not None]
    if len(known) < len(all_):
        return
    before = [offsets.cost().worst for offsets in known]
    shared = any(place.space == "shared" for place, _ in accesses)
    tried = longer_rows(row, size) if shared else structure_of_arrays(row, known, declared)
    for change, move in tried:
        costs = tuple(offsets.cost(move) for offsets in known)
        if all(cost.worst <= old for cost, old in zip(costs, before, strict=True)):
            yield LayoutChange(change, costs)


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


def longer_rows(row: int, size: int) -> Iterator[tuple[ProposedFix, Move]]:
    """Layouts to try in shared memory for rows of so many bytes, of elements of ``size`` bytes."""
    count = row // size
    longer, padded = count + 1, f"pad the rows of {count} elements to {count + 1}"
    change = ProposedFix("rows", f"{count} elements", f"{longer}", padded, row=(count, longer))
    yield change, lambda o: o + o // row * size
    if row & (row - 1) == 0:
        swizzled = f"x ^ (y % {count})"
        change = ProposedFix("column", "x", swizzled, f"swizzle the column: {swizzled}")
        yield change, lambda o: o // row * row + (o % row ^ o // row % count * size)


def structure_of_arrays(
    row: int, known: Sequence[RegionOffsets], declared: ArrayOfStructures | None
) -> Iterator[tuple[ProposedFix, Move]]:
    """An array for each field that is declared, or accessed. No access may be to several."""
    accesses = [(lane, one.size) for one in known for lane in one.lanes]
    found = declared or ArrayOfStructures.accessed(row, accesses)
    if all(found.holds(*access) for access in accesses):
        before = f"an array of structures of {row} bytes"
        after = "a structure of arrays"
        yield ProposedFix("layout", before, after, f"make the array {after}"), found.as_arrays
