"""Fixes: changes of the array layout that lower the cost of an access.

Each is confirmed by counting the accesses again with the change. Rows are as long as the distance
between neighbouring lanes, if every access to the array is then a row and a column inside of it:
only so does a source that declares longer rows move each byte as it is counted here. A layout is a
fix if the access then costs no more than its ideal and what is tolerated, and no other access to
the array costs more than before.
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
from analyses.lanes.offsets import NO_WRAP, LaneValue
from analyses.lanes.sequences import signed_values
from analyses.polynomials.polynomial import Polynomial, Symbol
from analyses.scalar_evolution import SymbolicValues
from analyses.traffic.costs import Cost, Metric, of_warps
from analyses.traffic.layouts import ArrayOfStructures
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
        multiples of ``base`` to multiples of what it takes one of them to."""
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


def layout_fixes(
    warps: Warps,
    place: ResolvedAccess,
    found: Pattern,
    by: Metric,
    others: Sequence[tuple[ResolvedAccess, Metric]],
    tolerated: int,
    declared: ArrayOfStructures | None,
) -> Iterator[ProposedFix]:
    """The fixes of an access, the simplest first. ``others`` are all accesses to its region, which
    is ``declared`` to be an array of structures, or rows as long as the stride of the access."""
    size = place.access.bytes
    row = abs(found.stride or 0) if declared is None else declared.bytes
    if row < 2 * size or (declared is None and row % size):
        return
    own = region_offsets(warps, place, by, row)
    if own is None or not all(in_columns(warps.symbolic, other, row) for other, _ in others):
        return
    all_ = [region_offsets(warps, other, metric, row) for other, metric in others]
    known = [other for other in all_ if other is not None]
    if len(known) < len(all_):
        return
    before = [other.cost().worst for other in known]
    for change, move in layouts(place, row, size, known, declared):
        after = own.cost(move)
        kept = all(o.cost(move).worst <= b for o, b in zip(known, before, strict=True))
        if after.worst <= after.ideal + tolerated and kept:
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


def layouts(
    place: ResolvedAccess,
    row: int,
    size: int,
    known: Sequence[RegionOffsets],
    declared: ArrayOfStructures | None,
) -> Iterator[tuple[ProposedFix, Move]]:
    """Layouts to try for rows of so many bytes: in shared memory rows of elements of ``size``
    bytes, in global memory structures."""
    if place.region is None or place.region.space != "shared":
        yield from structure_of_arrays(row, known, declared)
        return
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
