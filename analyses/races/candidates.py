"""Race candidates: accesses by which two threads of a launch may race.

One of them writes, not both are atomic, nothing orders them, and they may share a byte.
Threads of a CTA are ordered by its barriers, so only accesses of one barrier phase are compared.
Threads of different CTAs are taken to be unordered. Accesses of one linear form share no byte where
``analyses.races.injectivity`` shows it, or the offsets that are computed for each thread of a CTA.

An asynchronous access belongs to all phases in which it may be outstanding, and may race with
accesses of its own thread. An opaque access may be made at any time after its instruction: it is
compared with all accesses to its state space.

No thread is taken to miss a barrier of its CTA without exiting: if one does, none of this holds.
The order that fences, warp barriers and atomics give is not seen. So a candidate may be no race.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import combinations_with_replacement as pairs
from itertools import pairwise, product
from math import prod
from typing import NamedTuple

from analyses.addresses import ResolvedAccess
from analyses.domains.uniformity import Level
from analyses.footprints import Footprints
from analyses.lanes.accesses import active
from analyses.lanes.coordinates import thread_registers, threads
from analyses.lanes.evaluation import Warps
from analyses.lanes.runs import GUARDED
from analyses.polynomials.polynomial import Number, Polynomial, Symbol
from analyses.program import Instr, opaque_accesses
from analyses.races.exclusive import Exclusive
from analyses.races.injectivity import linear_form, reach, window
from analyses.races.outstanding import Outstanding
from analyses.races.phases import CtaBarriers
from analyses.races.threads import in_threads
from analyses.traffic.patterns import laid_out

SPACES = ("shared", "global")


class ThreadPair(NamedTuple):
    """Two threads of one CTA, or of two: the extents of their coordinates, the coordinates of which
    at least one differs, and the prefixes of the special registers that both read alike."""

    extents: dict[str, int]
    differ: frozenset[str]
    common: tuple[str, ...]


class RaceCandidates:
    """The candidates of all launches with one block, and a grid of at most ``largest`` extents.
    Threads of a smaller grid are among those of the largest, and each pair of them reads its
    extents alike: so what no pair does there, none does in a smaller one."""

    def __init__(self, warps: Warps, largest: tuple[int, int, int], footprints: Footprints) -> None:
        self.footprints, self.greatest = footprints, cache(self._greatest)
        assert warps.shape is not None
        self.warps, self.values, self.block = warps, warps.values, warps.shape
        tids = {f"tid.{axis}": n for axis, n in zip("xyz", self.block, strict=True)}
        ctas = {f"ctaid.{axis}": n for axis, n in zip("xyz", largest, strict=True)}
        self.inside = ThreadPair(tids, several(tids), ("ctaid.", "ntid.", "nctaid."))
        self.between = ThreadPair(tids | ctas, several(ctas), ("ntid.", "nctaid."))
        self.exclusive = Exclusive(self.values.flow, warps.divergence)
        self.active, self.digits = cache(self._active), cache(self._digits)
        self.numbers = cache(self._numbers)

    def among(self, places: Sequence[ResolvedAccess]) -> set[Instr]:
        """The accesses that may race with an access of another thread."""
        places = [p for p in places if p.reached and p.space in (*SPACES, "generic")]
        found = self._beside_opaque(places)
        function, divergence = self.values.function, self.warps.divergence
        for phase in CtaBarriers(function, divergence, prod(self.block)).phases():
            found |= self._colliding([p for p in places if p.instr in phase], self.inside)
        found |= self._beside_outstanding(places)
        if self.between.differ:
            found |= self._colliding(places, self.between)
        return found

    def _beside_outstanding(self, places: Sequence[ResolvedAccess]) -> set[Instr]:
        """The accesses that may race with an outstanding one of their own thread, and these."""
        found, of = set[Instr](), dict[Instr, list[ResolvedAccess]]()
        for place in places:
            of.setdefault(place.instr, []).append(place)
        for instr, issued in Outstanding(self.values.function).pairs():
            for one, other in product(of.get(instr, ()), of.get(issued, ())):
                apart = None not in (one.region, other.region) and one.region != other.region
                if not apart and conflict(one, other):
                    found |= {instr, issued}
        return found

    def _beside_opaque(self, places: Sequence[ResolvedAccess]) -> set[Instr]:
        """The opaque accesses that may race with another access, and these."""
        found = set[Instr]()
        every = list(opaque_accesses(self.values.function))
        for instr, one in every:
            for space in filter(one.reaches, SPACES):
                others = [(p.instr, p.access.kind) for p in places if p.space in (space, "generic")]
                others += [(other, two.kind) for other, two in every if two.reaches(space)]
                for other, kind in others:
                    if unordered_kinds(one.kind, kind, space):
                        found |= {instr, other}
        return found

    def _colliding(self, places: Sequence[ResolvedAccess], pair: ThreadPair) -> set[Instr]:
        """The accesses of one phase that may race with one of them. An access races only with one
        to its region, or to an unknown one, and one of the two is no load."""
        changed = {place.region for place in places if place.access.kind != "load"}
        if None not in changed:
            places = [p for p in places if changed and (p.region is None or p.region in changed)]
        forms: dict[tuple[object, Polynomial | None], list[ResolvedAccess]] = {}
        for place in places:
            forms.setdefault((place.region, linear(place)), []).append(place)
        found = set[Instr]()
        for (one, form), (other, another) in pairs(forms, 2):
            if one is not None and other is not None and one != other:
                continue
            here, there = forms[one, form], forms[other, another]
            same = one is not None and one == other and form is not None and form == another
            if same and self._injective(form, here, pair):
                continue
            for a in here:
                for b in there:
                    new = {a.instr, b.instr} - found
                    apart = pair is self.between
                    if new and conflict(a, b, apart) and not self._apart(a, b, same, pair):
                        found |= new
        return found

    def _apart(self, a: ResolvedAccess, b: ResolvedAccess, same: bool, pair: ThreadPair) -> bool:
        if pair is self.inside and len(self.active(a) | self.active(b)) < 2:
            return True
        if pair is self.between and own_shared(a) and own_shared(b):
            return True
        alike = Level.CTA if pair is self.inside else Level.GRID
        if self.exclusive.apart(a.block, b.block, alike):
            return True
        return same and self._injective(linear(a), (a, b), pair)

    def _injective(
        self, form: Polynomial | None, places: Sequence[ResolvedAccess], pair: ThreadPair
    ) -> bool:
        """True if accesses of one form that share a byte are made by one thread."""
        if form is None:
            return False
        span = window((constant(place), place) for place in places)
        between, end = pair is self.between, None
        if self.digits(form, between) is not None:
            each = (self.digits(form, between, guarded) for guarded in ((), tuple(places)))
            known = (digits for digits in each if digits is not None)
            ends = (reach(digits, span, lambda number: number >= 0) for digits in known)
            end = next((one for one in ends if one is not None), None)
        elif pair is self.inside:
            end = self._one_by_one(form, places, span)
        return end is not None and end < 1 << (places[0].access.base.width - 1)

    def _one_by_one(
        self, form: Polynomial, places: Sequence[ResolvedAccess], span: int
    ) -> int | None:
        """The bytes from the first access of a CTA to the end of the last one, if the windows of
        the threads that make them are disjoint: the offset of each thread is computed."""
        numbers = self.numbers(form)
        if numbers is None:
            return None
        makers = frozenset[int]().union(*map(self.active, places))
        starts = sorted(numbers[thread] for thread in makers)
        if any(after - before < span for before, after in pairwise(starts)):
            return None
        return starts[-1] - starts[0] + span if starts else span

    def _digits(
        self, form: Polynomial, between: bool, guarded: tuple[ResolvedAccess, ...] = ()
    ) -> list[tuple[int, int]] | None:
        """The factors of the digits of a form, the least first, with the greatest digits, those in
        the threads that make the ``guarded`` accesses; None unless every coordinate in which two
        threads (``between`` CTAs) differ is one of them."""
        names, pair = self.warps.symbolic.names, self.between if between else self.inside
        parts = linear_form(form, lambda s: names.get(s, "").startswith(pair.common))
        if parts is None:
            return None
        digits: list[tuple[int, int]] = []
        for symbol, factor in parts.factors.items():
            extent = pair.extents.get(names.get(symbol, ""), symbol.high - symbol.low + 1)
            if guarded:
                extent = min(extent, max(self.greatest(place, symbol) for place in guarded) + 1)
            if factor.constant is None or not isinstance(extent, int):
                return None
            if extent > 1:
                digits.append((abs(factor.constant), extent - 1))
        apart = pair.differ - {names.get(symbol) for symbol in parts.factors}
        return None if apart else sorted(digits)

    def _greatest(self, place: ResolvedAccess, coordinate: Symbol) -> Number:
        """A number than which a coordinate is not greater in threads that make the access."""
        premises = self.footprints.premises(place)
        return self.footprints.proofs.conditions.greatest(premises, coordinate)

    def _numbers(self, form: Polynomial) -> Sequence[int] | None:
        """The form in each thread of a CTA, but for what all threads have in common."""
        names, registers = self.warps.symbolic.names, thread_registers(self.block)
        parts = linear_form(form, lambda s: names.get(s, "").startswith(self.inside.common))
        if parts is None or any(f.constant is None for f in parts.factors.values()):
            return None
        _, padded = threads(self.block)

        def coordinate(symbol: Symbol) -> Sequence[int] | None:
            found = registers.get(names.get(symbol, ""))
            return None if found is None else laid_out(found.offsets or (0,), padded)

        return in_threads(form - parts.base, coordinate, padded)

    def _active(self, place: ResolvedAccess) -> frozenset[int]:
        """The threads of a CTA that may make the access."""
        lanes = active(self.warps.at(place.block), place.access, place.block)
        count, padded = threads(self.block)
        if lanes.offsets is None or lanes.assumptions - {GUARDED}:
            return frozenset(range(count))
        return frozenset(i for i, on in enumerate(laid_out(lanes.offsets, padded)[:count]) if on)


def several(extents: dict[str, int]) -> frozenset[str]:
    return frozenset(name for name, extent in extents.items() if extent > 1)


def conflict(a: ResolvedAccess, b: ResolvedAccess, between: bool = False) -> bool:
    """True if two accesses of unordered kinds may share a byte; atomics of ``between`` CTAs are
    unordered if one is atomic in its CTA only."""
    space = a.space if a.space == b.space else "generic"
    narrow = between and (a.access.cta or b.access.cta)
    if not narrow and not unordered_kinds(a.access.kind, b.access.kind, space):
        return False
    if a.access.kind == b.access.kind == "load":
        return False
    if None in (a.low, a.high, b.low, b.high) or a.region != b.region:
        return True
    assert a.low is not None and a.high is not None and b.low is not None and b.high is not None
    return a.low < b.high + b.access.bytes and b.low < a.high + a.access.bytes


def own_shared(place: ResolvedAccess) -> bool:
    """True if it is to shared memory of the thread's own CTA; an unknown address may be one of
    another CTA of the cluster."""
    return place.space == "shared" and place.region is not None


def unordered_kinds(one: str, other: str, space: str) -> bool:
    """True if one of two accesses to a space writes and not both are atomic. False for a load of
    global memory beside an atomic: loops of compare-and-swap begin so."""
    kinds = {one, other}
    return "store" in kinds or (len(kinds) == 2 and space != "global")


def linear(place: ResolvedAccess) -> Polynomial | None:
    """The offset without its constant; None if it is no polynomial."""
    return None if place.polynomial is None else place.polynomial - constant(place)


def constant(place: ResolvedAccess) -> int:
    return 0 if place.polynomial is None else place.polynomial.terms.get((), 0)
