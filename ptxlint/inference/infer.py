"""Contract inference: the requirements of a kernel, from its PTX alone.

Every access to an array of known size gives *requirements* of the launch. Every access through a
pointer parameter gives the *bytes* that the buffer must have, as a function of block, grid and
parameters. A launch that meets the requirements, with buffers of these sizes, stays in bounds
everywhere but at the accesses that are ``unknown``.

Requirements that the limits of the hardware or other requirements imply are left out. PTX types do
not tell ``int`` from ``unsigned``: an integer parameter is signed unless the kernel only reads it
as unsigned.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from functools import partial

from msgspec.structs import replace

from analyses.addresses import ResolvedAccess, moving
from analyses.budget import INFERENCE_STEPS, INFERRED_ACCESS_SHARE, NEED_SHARE
from analyses.polynomials.formatting import at_least, multiple
from analyses.polynomials.inequality import Inequality
from analyses.polynomials.polynomial import Polynomial, Symbol
from analyses.program import Region, opaque_accesses
from analyses.proofs.inequalities import InequalitySystem as Inequalities
from analyses.proofs.path_condition import PathCondition
from analyses.proofs.preconditions import ConditionalBound, Precondition
from analyses.typical_launch import NO_BUFFER, holds_for_any_sizes, holds_in_a_small_launch
from ptxlint.contracts.declaration import ValueRange
from ptxlint.contracts.expression import Condition
from ptxlint.facts.imprecision import imprecision, imprecision_of
from ptxlint.facts.kernel_facts import Facts
from ptxlint.facts.missing import MissingFact, missing, of_data
from ptxlint.facts.parameter_types import typed_arguments
from ptxlint.facts.spaces import mismatch
from ptxlint.facts.wording import region_name
from ptxlint.inference.aliasing import InferredDistinct, distinct, together, written_buffers
from ptxlint.inference.alignment import PLACED, Multiples, evenly, follows, multiples, packed, whole
from ptxlint.inference.assumptions import assumptions
from ptxlint.inference.attempts import LOOSE, attempt_each, first_open
from ptxlint.inference.case_bounds import by_cases
from ptxlint.inference.closest_bounds import closest_bounds
from ptxlint.inference.extents import BufferAccesses, UpperBound, least_text, merged, sized_by_block
from ptxlint.inference.guards import not_above
from ptxlint.inference.index_buffers import bounded, of_types, spoken
from ptxlint.inference.inferred_contract import Bytes, Inferred, InferredRequirement, Unknown
from ptxlint.inference.no_wrap_bounds import bounds_without_wrap, guarded_shape, shape_of
from ptxlint.inference.reasons import FACTOR, PART, POSITIVE, UNSIGNED, WRAPS, avoids_overflow
from ptxlint.inference.requirements import (
    Required,
    between,
    defining_ends,
    dispensable_first,
    fewest,
    impossible,
    length,
    plainer,
    weaker,
)
from ptxlint.inference.selected_pointers import deselected
from ptxlint.inference.spans import by_factors, guarded_spans, has_bounds, possible, spelt
from ptxlint.inference.tightened_bounds import (
    Tightened,
    as_required,
    in_fewer_bytes,
    tightened,
    with_common_grid,
)
from ptxlint.inference.tiles import BEGINS, of_grid
from ptxlint.inference.unreachable import NO_THREAD, excludes, unreached
from ptxlint.ir import PtxInstr
from ptxlint.results.contract import SHARED
from ptxlint.results.finding import VERBS

ZERO = Polynomial.of(0)
ADDRESSES = "the addresses that the instruction accesses"
UNBOUNDED = frozenset({
    "budget", "loop", "join", "limit", "nonlinear", "lanes", "before", "loaded-index",
    "atomic-result", "far",
})  # fmt: skip
"""Reasons for which an access has no bound."""


class Inference:
    """Collects what the accesses of one kernel require, in about so many ``steps``: ``collect``
    all, or ``add`` some, then ask ``contract``. If ``excluding``, it may be that the launch has no
    thread that executes an access."""

    def __init__(self, facts: Facts, steps: int, excluding: bool = False) -> None:
        self.facts = facts
        self.excluding = excluding
        self.limits = facts.footprints.proofs.conditions.general.known
        self.proves = facts.footprints.proofs.proves
        self.budget = facts.footprints.proofs.conditions.budget
        self.budget.left = steps
        self.needs: dict[Polynomial, Required] = {}
        self.multiples: dict[tuple[Symbol, ...], tuple[int, PtxInstr]] = {}
        self.ends: dict[tuple[str, str], BufferAccesses] = {}
        self.placed: dict[Region, tuple[int, PtxInstr]] = {}  # to what an array must be aligned
        self.loose: dict[ResolvedAccess, Tightened] = {}  # of attempts that ended for want of steps
        self.unknown: list[Unknown] = []
        self.held: list[Inequality] = []  # what ``contract`` required
        self.relied: list[tuple[BufferAccesses, UpperBound]] = []  # bounds that made others void
        self.signs: list[Required] = []  # on which bounds rely

    def collect(self, vital: Collection[PtxInstr] = ()) -> None:
        """Adds all accesses of the kernel; first the ``vital`` ones, and no others behind one of
        these that stays open."""
        for instr in dict.fromkeys(instr for instr, _ in opaque_accesses(self.facts.kernel)):
            assert isinstance(instr, PtxInstr)
            if instr not in self.facts.textures:
                self.unknown.append(Unknown(instr, None, "opaque", MissingFact(ADDRESSES, instr)))
        vital = frozenset(vital)
        places = (place for place in self.facts.places_of(vital) if place.reached)
        open_ = first_open(self.budget, places, self.add)
        if open_ is not None:
            self._leave_open(*open_)
        else:
            self.add_all([p for p in self.facts.places if p.instr not in vital])

    def add_all(self, places: Iterable[ResolvedAccess]) -> None:
        """Adds the accesses, first those to arrays of known size, which take few steps."""
        reached = [place for place in places if place.reached]
        reached.sort(key=lambda place: place.region is None or place.region.size is None)
        self.prepare(reached)
        attempt = partial(self.add, final=False)
        reasons = attempt_each(self.budget, reached, attempt, self.add, moving)
        for place, reason in zip(reached, reasons, strict=True):
            if reason is not None and place in self.loose:
                reason = self._added(place, self.loose.pop(place))
            if reason is not None:
                self._leave_open(place, reason)

    def _leave_open(self, place: ResolvedAccess, reason: str) -> None:
        by_data = self.facts.data_dependent(place) if reason in UNBOUNDED else None
        if by_data is not None:  # no step would decide it
            reason, lacks = by_data.reason, of_data(self.facts, place, by_data)
        else:
            lacks = missing(self.facts, place, reason)
        assert isinstance(place.instr, PtxInstr)
        name = place.region and region_name(place.region)
        self.unknown.append(Unknown(place.instr, name, reason, lacks))

    def prepare(self, places: Iterable[ResolvedAccess]) -> None:
        """Finds the path conditions of the accesses, which they share, before any of them may use
        its part of the steps."""
        with self.budget.share(INFERRED_ACCESS_SHARE):
            for place in (one for several in places for one in several.each):
                self.facts.footprints.premises(place)

    @property
    def mentioned(self) -> frozenset[Symbol]:
        """The symbols in the requirements and in the bounds of buffers."""
        bounds = [end.polynomial for ends in self.ends.values() for end in ends.high]
        return frozenset[Symbol]().union(*(p.symbols for p in (*bounds, *self.needs)))

    @property
    def spoken(self) -> dict[int, ValueRange]:
        """The value ranges of index buffers that it speaks of."""
        return spoken(self.facts, self.mentioned)

    @property
    def contents(self) -> dict[int, ValueRange]:
        """Of these, the ones that the contract may speak of."""
        return bounded(self.facts, self.mentioned, self.unknown)

    def contract(self, steps: int, aliasing: bool = True) -> Inferred:
        """The contract of the accesses added so far, in the fewest requirements that about twice
        so many steps find; with the buffers that must be distinct if ``aliasing``."""
        every = sorted(self.needs.values(), key=dispensable_first)
        required = fewest(every, weaker)
        self.budget.left = steps
        needs = fewest(required, self._dispensable, keep=0)
        for need in every:  # what implied it may be dispensable where that was required
            implied = any(need is one for one in required) or weaker(need, needs)
            if not implied and not self._dispensable(need, needs):
                needs.append(need)
        self.budget.left = steps
        needs = with_common_grid(self.facts.footprints, self.needs, needs, self._dispensable)
        held = [Inequality(need.polynomial) for need in needs]
        some = [one for one in self.ends.values() if one.some]
        touched = tuple(self._bytes(ends, held) for ends in some)
        needs += [need for need in self.signs if all(need is not one for one in needs)]
        kept = fewest([*needs, *self._recalled(every, needs)], between)
        kept = [need for need in self.needs.values() if any(need is one for one in kept)]
        needs = plainer(sorted(kept, key=length), self.facts.symbolic.integers)
        needs += defining_ends(self.ends.values(), needs, self.limits)
        needs.sort(key=lambda need: need.instr.offset)
        held = self.held = [Inequality(need.polynomial) for need in needs]
        kernel, launch, names = self.facts.kernel, self.facts.launch, self.facts.decided
        return Inferred(
            kernel,
            typed_arguments(self.facts),
            launch.block,
            (*(need.stated(names) for need in needs), *self._aligning()),
            touched,
            tuple(self.unknown),
            written_buffers(self.facts),
            tuple(together(self._distinct(held))) if aliasing else (),
            assumed=tuple(assumptions(self.facts, self.placed)),
            optional=frozenset(region.name for region in self.facts.optional),
        )

    def _aligning(self) -> Iterator[InferredRequirement]:
        """The requirements of parameters so that accesses are aligned."""
        for symbols, (of, instr) in self.multiples.items():
            if not self._divided(symbols, of):
                text = multiple(symbols, of, self.facts.decided)
                yield InferredRequirement(text, "so that the access is aligned", instr)

    def implied(self, need: Polynomial, others: list[Polynomial]) -> bool:
        """True if others, what the contract requires, or the largest buffers imply it. To be asked
        after ``contract``."""
        known = [fact for fact in self.limits if not isinstance(fact.origin, Condition)]
        known += [*self.held, *map(Inequality, others), *of_types(self.facts, self.contents)]
        known += [Inequality(end.spare) for e in self.ends.values() for end in e.limiting()]
        return Inequalities(known).entails(need) is not None

    def _distinct(self, held: list[Inequality]) -> Iterator[InferredDistinct]:
        self.budget.left = INFERENCE_STEPS
        unknown = {one.instr for one in self.unknown}
        arguments, pointers = self.facts.kernel.arguments, self.facts.pointers
        ranged = {pointers[arguments[index].word] for index in self.contents}
        return distinct(self.facts, PathCondition(tuple(held)), unknown, ranged)

    # --- one access

    def required_so_far(self) -> Iterable[Polynomial]:
        """What the launch must meet for the accesses added so far: no polynomial is negative."""
        return self.needs

    def add(self, place: ResolvedAccess, final: bool = True) -> str | None:
        """Adds the requirements of the access; the reason code if that is not possible, or if the
        steps did not suffice and there is to be another attempt, be its bounds loose or unknown."""
        if place.choices:
            if place.origin is not None and self.add(replace(place, choices=())) is None:
                return None
            return next((reason for one in place.choices if (reason := self.add(one))), None)
        reason = self._add(place, final)
        if reason in (None, LOOSE) or self.budget.left < 0:
            return reason
        footprints = self.facts.footprints
        other = footprints.by_guards(place)
        if other is not None and self._add(other, final=True) is None:
            return None
        place = other or place
        with footprints.proofs.counting_down():
            typical = by_factors(self.facts, place, reason) and footprints.starts_inside(place)
            return (self._add(place, final=True) if typical else reason) and reason

    def _add(self, place: ResolvedAccess, final: bool) -> str | None:
        region = place.region
        if region is None or place.origin is None:
            return imprecision(self.facts, place.access.base)
        if mismatch(place.origin, place.access.space) is not None:
            return "space"
        inside = region.size is not None
        if not inside and region.space != "shared" and region not in self.facts.pointers.values():
            return "extern"
        if self.facts.footprints.offset(place) is None:
            return imprecision(self.facts, place.access.base)
        if (aligned := self.aligned(place)) is None:
            return "alignment"
        by_data = None if self.excluding else self.facts.data_dependent(place)
        if by_data is not None:
            return by_data.reason
        return self._inside(place, aligned) if inside else self._extent(place, aligned, final)

    def called(self, region: Region) -> str:
        """Dynamic shared memory has a name of its own; a pointer to shared memory has its name."""
        pointed = region in self.facts.pointers.values()
        return SHARED if region.space == "shared" and not pointed else region.name

    def _inside(self, place: ResolvedAccess, aligned: Multiples) -> str | None:
        """Adds the requirements of an access to an array of known size."""
        footprints, region = self.facts.footprints, place.region
        if footprints.in_bounds(place) or place.in_bounds:
            return self._even(place, aligned)
        low, slack = footprints.start(place), footprints.slack(place)
        if not possible(self.facts, low) or not possible(self.facts, slack):
            return self._imprecision(place, low)
        assert region is not None and region.size is not None
        because = f"because {region_name(region)} has {region.size} bytes"
        if not self._require(low + slack, (), because, place):
            return imprecision(self.facts, place.access.base)
        return self._even(place, aligned)

    def _extent(self, place: ResolvedAccess, aligned: Multiples, final: bool) -> str | None:
        """Adds the bytes of a buffer that an access touches."""
        place, span = spelt(self.facts, place)
        if not has_bounds(self.facts, span):
            span = next(guarded_spans(self.facts, place, span), span)
        elif not sized_by_block(place) and guarded_shape(self.facts, place, span.high):
            guarded = guarded_spans(self.facts, place, span)
            span = next((one for one in guarded if shape_of(one.high) < shape_of(span.high)), span)
        if self.excluding:
            never = next(unreached(self.facts, place, span.low), None)
            if never is not None and self._require((never,), (), NO_THREAD, place):
                return None
        if not has_bounds(self.facts, span) or deselected(self.facts.footprints, place, span):
            return self._imprecision(place, span.low)
        high = by_cases(self.facts, place, bounds_without_wrap(self.facts, place, span.high))
        whole = replace(span, high=high)
        whole, shorter = in_fewer_bytes(self.facts.footprints, place, whole)
        return self._added(place, Tightened((whole, span), shorter, aligned), final)

    def _added(self, place: ResolvedAccess, found: Tightened, final: bool = True) -> str | None:
        """Adds the requirements of the first bounds that some launch meets, and the bytes; nothing
        if there is to be another attempt and the steps have ended, so that either may be loose."""
        instr, region = place.instr, place.region
        assert isinstance(instr, PtxInstr) and region is not None
        name, kind = self.called(region), VERBS[place.access.kind]
        before = f"so that no offset in {name} is negative"
        met = (e for e in found.bounds if self._require(e.low, e.high, before, place, final))
        span = next(met, None)
        if self.budget.left < 0 and not final:
            self.loose[place] = found
            return LOOSE
        if span is None:
            return imprecision(self.facts, place.access.base)
        first = span is found.bounds[0]
        span = found.first_tightened if first else tightened(self.facts.footprints, place, span)
        optional = region in self.facts.optional
        ends = self.ends.setdefault((name, kind), BufferAccesses(name, kind, instr, optional))
        ends.low.append(max(0, min(int(under.least.constant or 0) for under in span.low)))
        here = as_required(self.facts.footprints, place, span)
        behind, even = self.facts.footprints.end(place), found.multiples.products
        assert behind is not None
        for under in span.high:
            ends.reach(whole(self.facts, place, UpperBound.of(under), even), here, behind)
        if not self.facts.footprints.tested_alignment(place):
            ends.align = max(ends.align, place.access.align)
        return self._even(place, found.multiples)

    def _imprecision(self, place: ResolvedAccess, low: tuple[ConditionalBound, ...]) -> str:
        """The reason why an access with the lower bounds ``low`` gives no requirement."""
        before = any(-NO_BUFFER < under.least.range()[1] < 0 for under in low)
        return "before" if before else imprecision_of(self.facts, place)

    def _require(
        self,
        sides: tuple[ConditionalBound, ...],
        needy: tuple[ConditionalBound, ...],
        reason: str,
        place: ResolvedAccess,
        final: bool = True,
    ) -> bool:
        """Adds the preconditions of the bounds, and that the ``sides`` are not negative, unless the
        path condition implies it. False if no launch meets that, or the steps end that find out
        what it implies, but for ``final`` ones."""
        instr = place.instr
        assert isinstance(instr, PtxInstr)
        if reason != NO_THREAD and any(excludes(self.facts, place, under) for under in sides):
            return False
        required = [(under.enough, reason) for under in sides]
        for under in (*sides, *needy):
            for need in under.preconditions:
                required.append((need.polynomial, reason_of(need) or reason))
        reasons, footprints = dict(required), self.facts.footprints
        short = sorted(reasons, key=lambda polynomial: len(polynomial.terms))
        new = [
            Required(polynomial.primitive(), reasons[polynomial], instr, [place])
            for polynomial in footprints.proofs.missing(footprints.premises(place), short)
        ]
        if self.budget.left < 0 and not final:
            return False
        known = [Inequality(need.polynomial) for need in (*self.needs.values(), *new)]
        wrapping = [need for need in new if avoids_overflow(need.reason)]
        if not all(holds_in_a_small_launch(need.polynomial) for need in wrapping):
            return False  # it is meant to wrap, or not understood
        if not all(map(holds_for_any_sizes, (need.polynomial for need in new))):
            return False
        if new and impossible([*self.limits, *known]):
            return False
        for one in new:
            self.needs.setdefault(one.polynomial, replace(one, places=[])).places += one.places
        return True

    def _dispensable(self, need: Required, others: list[Required]) -> bool:
        """True if the other requirements, or the largest possible buffer, imply it at every access
        that requires it, or show that the access stays inside."""
        known = [Inequality(other.polynomial) for other in others]
        own = {self.called(place.region) for place in need.places if place.region is not None}
        limiting = [(each, end) for each in self.ends.values() for end in each.limiting(own)]
        known += [Inequality(end.spare) for _, end in limiting]
        broken = PathCondition((*known, Inequality(-need.polynomial - 1)))
        found = PathCondition(tuple(known))
        premises = self.facts.footprints.premises
        with self.budget.share(NEED_SHARE):
            met = all(
                self.proves(premises(place) + broken, need.polynomial)  # never broken there
                or self._inside_by(place, found)
                for place in need.places
            )
        self.relied += limiting if met else []
        return met

    def _recalled(self, required: list[Required], needs: list[Required]) -> list[Required]:
        """Requirements that were left out because of bounds of buffers that ``_bytes`` left out
        since, and that no other bound makes dispensable."""
        if all(end in ends.sole for ends, end in self.relied):
            return []
        found = list[Required]()
        for one in reversed(required):  # the last to be left out
            others = [*needs, *found]
            if all(one is not need for need in needs) and not self._dispensable(one, others):
                found.append(one)
        return found

    def _inside_by(self, place: ResolvedAccess, held: PathCondition) -> bool:
        """True if the access stays inside of the bytes of its kind where ``held`` holds."""
        footprints, region = self.facts.footprints, place.region
        offset, behind = footprints.offset(place), footprints.end(place)
        assert region is not None and offset is not None and behind is not None
        here = footprints.premises(place) + held
        here, size = here + not_above(self.facts, here, offset), footprints.size(region)
        if size is not None:
            return self.proves(here, offset) and self.proves(here, size - behind)
        ends = self.ends.get((self.called(region), VERBS[place.access.kind]))
        if ends is None:  # no thread executes it
            return False
        room = (e for e in ends.sole if any(self.proves(here, r) for r in e.rooms(behind)))
        end = next(room, None) if self.proves(here, offset - min(ends.low)) else None
        self.relied += [(ends, end)] if end is not None else []
        return end is not None

    def aligned(self, place: ResolvedAccess) -> Multiples | None:
        """The products of parameters that must be multiples of a number, so that the offset is a
        multiple of the access's alignment; None if that is not enough."""
        align, region = place.access.align, place.region
        assert region is not None
        if align == 1 or place.aligned or self.facts.footprints.tested_alignment(place):
            return Multiples()
        placed = align <= PLACED and packed(self.facts.kernel.regions, region)
        if region.size is not None and region.align % align and not placed:
            return None
        offset = self.facts.footprints.offset(place)
        assert offset is not None
        found = multiples(offset, align, self.facts.decided.keys())
        sure = found is None and self.facts.footprints.aligned(place, {region: align})
        return Multiples() if sure else found  # by low bits of its words, or by guards

    def _even(self, place: ResolvedAccess, found: Multiples) -> str | None:
        """Adds these requirements of an access, its last ones, and that the array is aligned."""
        if not self._require((), (found.positive,), "", place):
            return "alignment"
        instr, region, align = place.instr, place.region, place.access.align
        assert isinstance(instr, PtxInstr) and region is not None
        if region.size is not None and region.align % align:
            self.placed[region] = max(self.placed.get(region, (1, instr)), (align, instr),
                                      key=lambda item: item[0])  # fmt: skip
        for symbols, of in found.products.items():
            self.multiples[symbols] = max(self.multiples.get(symbols, (1, instr)), (of, instr),
                                          key=lambda item: item[0])  # fmt: skip
        return None

    def _divided(self, symbols: tuple[Symbol, ...], of: int) -> bool:
        """True if a part of the product must be such a multiple anyway."""
        parts = {p: least for p, (least, _) in self.multiples.items() if len(p) < len(symbols)}
        return follows(symbols, of, parts)

    # --- all together

    def _bytes(self, ends: BufferAccesses, held: list[Inequality]) -> Bytes:
        for sign in closest_bounds(self.facts, ends, PathCondition(tuple(held))):
            own = Required(sign, UNSIGNED, ends.instr)
            self.signs.append(self.needs.setdefault(sign, own))
        legal = Inequalities([*self.limits, *held])
        names, even = self.facts.decided, {p: of for p, (of, _) in self.multiples.items()}
        found = tuple(merged(ends.stated(lambda end: evenly(end, even, names))))
        low, when = min(ends.low), None
        if len(found) == 1 and legal.entails(found[0][0].polynomial) is None:
            when = at_least(found[0][0].some.primitive().terms, names)
        texts = tuple(least_text(bounds, names) for bounds in found)
        return Bytes(ends.name, ends.kind, low, found, texts, ends.align, when, ends.instr)


def reason_of(need: Precondition) -> str | None:
    """Why a precondition is required, by what it says; None if only the bound that it is of tells,
    as for a least number that may be less than zero."""
    number = need.polynomial.terms.get((), 0)
    if need.no_wrap is not None:
        return WRAPS.format(need.no_wrap.width)
    if of_grid(need.polynomial):
        return BEGINS
    if len(need.polynomial.symbols) > 1 or number < -1:
        return PART
    return POSITIVE if number < 0 else FACTOR if number == 0 else None
