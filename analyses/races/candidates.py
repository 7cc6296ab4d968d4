"""Accesses by which two threads may run into each other: one of them writes, not both are atomic,
nothing orders them, and the bytes may be the same.

Threads of a CTA are ordered by its barriers. Whatever two of them do between two barriers, both do
after the start of the kernel or after one and the same barrier (``phases``), so only accesses of
one phase are compared. Between CTAs nothing is taken to order anything.

Two accesses are apart if their offsets are one linear form of coordinates and iterations, up to a
constant, and the form is a number in a mixed radix: in the order of their size, each factor is at
least as large as the span of all before it. Then distinct coordinates have distinct bytes.

All threads of a CTA are taken to wait at the same barrier: where some miss it, none of this holds.
Not seen: what a fence, a warp's barrier or an atomic orders. So this is a list of suspects.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from itertools import combinations_with_replacement as pairs
from typing import NamedTuple

from analyses.addresses import ResolvedAccess
from analyses.domains.affine import Monomial
from analyses.lanes.accesses import active
from analyses.lanes.coordinates import threads
from analyses.lanes.evaluation import GUARDED, Warps
from analyses.program import Effect, Instr, SsaFunction
from analyses.traffic.patterns import laid_out

SPACES = ("shared", "global")

Linear = tuple[tuple[Monomial, int], ...]


def phases(function: SsaFunction) -> Iterator[frozenset[Instr]]:
    """The accesses that a thread may make between the start, or a barrier, and the next one."""
    starts = [(0, 0)]
    for block in function.blocks:
        starts += [(block.index, i + 1) for i, at in enumerate(block.instrs) if divides(at)]
    for start in starts:
        found, seen, open_ = set(), set[int](), [start]
        while open_:
            index, first = open_.pop()
            block = function.blocks[index]
            for instr in block.instrs[first:]:
                if divides(instr):
                    break
                if instr.access is not None:
                    found.add(instr)
            else:
                ahead = set(block.terminator.targets) - seen
                seen |= ahead
                open_ += [(target, 0) for target in ahead]
        yield frozenset(found)


def divides(instr: Instr) -> bool:
    """Whether all threads of the CTA wait here: of a barrier with a number of threads, nobody knows
    who they are."""
    return bool(instr.effects & Effect.BARRIER) and len(instr.uses) < 2


class Shape(NamedTuple):
    """What tells threads apart: the extents of the coordinates, those that must differ, and what is
    the same for all."""

    extents: dict[str, int]
    differ: frozenset[str]
    common: tuple[str, ...]


class Races:
    """Of one launch: its block and its ``grid`` are known."""

    def __init__(self, warps: Warps, grid: tuple[int, int, int]) -> None:
        assert warps.shape is not None
        self.warps, self.values, self.block = warps, warps.values, warps.shape
        tids = {f"tid.{axis}": n for axis, n in zip("xyz", self.block, strict=True)}
        ctas = {f"ctaid.{axis}": n for axis, n in zip("xyz", grid, strict=True)}
        self.inside = Shape(tids, several(tids), ("ctaid.", "ntid.", "nctaid."))
        self.between = Shape(tids | ctas, several(ctas), ("ntid.", "nctaid."))
        self.active = cache(self._active)

    def suspects(self, places: Sequence[ResolvedAccess]) -> set[Instr]:
        """The accesses that are not shown to be apart from all those of other threads."""
        places = [p for p in places if p.reached and space(p) in (*SPACES, "generic")]
        found = set[Instr]()
        for phase in phases(self.values.function):
            found |= self._colliding([p for p in places if p.instr in phase], self.inside)
        if self.between.differ:
            found |= self._colliding([p for p in places if space(p) != "shared"], self.between)
        return found

    def _colliding(self, places: Sequence[ResolvedAccess], shape: Shape) -> set[Instr]:
        """Those of some accesses, in the same phase, that may meet one of them."""
        forms: dict[tuple[object, Linear | None], list[ResolvedAccess]] = {}
        for place in places:
            forms.setdefault((place.region, linear(place)), []).append(place)
        found = set[Instr]()
        for (one, form), (other, another) in pairs(forms, 2):
            if one is not None and other is not None and one != other:
                continue
            here, there = forms[one, form], forms[other, another]
            same = one is not None and one == other and form is not None and form == another
            if same and self._distinct(form, here, shape):
                continue
            for a in here:
                for b in there:
                    new = {a.instr, b.instr} - found
                    if new and clash(a, b) and not self._apart(a, b, same, shape):
                        found |= new
        return found

    def _apart(self, a: ResolvedAccess, b: ResolvedAccess, same: bool, shape: Shape) -> bool:
        if shape is self.inside and len(self.active(a) | self.active(b)) < 2:
            return True
        return same and self._distinct(linear(a), (a, b), shape)

    def _distinct(
        self, form: Linear | None, places: Sequence[ResolvedAccess], shape: Shape
    ) -> bool:
        """Whether accesses of one form touch no byte in common, unless a thread is the same."""
        digits: list[tuple[int, int]] = []
        differ = set(shape.differ)
        for monomial, factor in form or ():
            if all(isinstance(s, str) and s.startswith(shape.common) for s in monomial):
                continue
            if len(monomial) > 1:
                return False
            (symbol,) = monomial
            extent = shape.extents.get(symbol) if isinstance(symbol, str) else None
            if extent is None:
                bounds = self.values.range_of(symbol)
                if bounds is None:
                    return False
                extent = bounds[1] - bounds[0] + 1
            digits.append((abs(factor), extent))
            differ.discard(str(symbol))
        starts = [constant(place) for place in places]
        ends = [constant(place) + place.access.bytes for place in places]
        span = max(ends) - min(starts)
        for factor, extent in sorted(digits):
            if extent > 1 and factor < span:
                return False
            span += factor * (extent - 1)
        return not differ and span < 1 << (places[0].polynomial.width - 1)

    def _active(self, place: ResolvedAccess) -> frozenset[int]:
        """The threads of a CTA that may make the access."""
        lanes = active(self.warps.at(place.block), place.access, place.block)
        count, padded = threads(self.block)
        if lanes.offsets is None or lanes.doubts - {GUARDED}:
            return frozenset(range(count))
        return frozenset(i for i, on in enumerate(laid_out(lanes.offsets, padded)[:count]) if on)


def several(extents: dict[str, int]) -> frozenset[str]:
    return frozenset(name for name, extent in extents.items() if extent > 1)


def space(place: ResolvedAccess) -> str:
    """The space that the address is in, where a generic access tells."""
    generic = place.access.space == "generic" and place.region is not None
    return place.region.space if generic and place.region is not None else place.access.space


def clash(a: ResolvedAccess, b: ResolvedAccess) -> bool:
    """Whether the kinds of two accesses are in conflict, and their bytes may be the same. A load of
    global memory beside an atomic is how loops of compare-and-swap begin."""
    kinds = {a.access.kind, b.access.kind}
    if "store" not in kinds and (len(kinds) == 1 or space(a) == space(b) == "global"):
        return False
    if None in (a.low, a.high, b.low, b.high) or a.region != b.region:
        return True
    assert a.low is not None and a.high is not None and b.low is not None and b.high is not None
    return a.low < b.high + b.access.bytes and b.low < a.high + a.access.bytes


def linear(place: ResolvedAccess) -> Linear | None:
    """The offset without its constant; None where it is no polynomial, or one that may wrap."""
    terms = None if place.polynomial.assumed else place.polynomial.terms
    return None if terms is None else tuple(term for term in terms if term[0])


def constant(place: ResolvedAccess) -> int:
    return next((factor for monomial, factor in place.polynomial.terms or () if not monomial), 0)
