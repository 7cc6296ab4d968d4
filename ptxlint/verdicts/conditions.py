"""Conditional accesses: those that stay in bounds and aligned in launches that meet the inferred
contract, where the declarations leave open whether they do.

Inference reads the same facts as the check, so what is declared narrows what it asks for. An access
is conditional only if something undeclared decides it: the size of its buffer, or a requirement
that names an undeclared parameter or extent. A requirement on declared ranges alone is one that
some allowed launches may violate: the access is undecided.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property, partial
from itertools import chain

from analyses.addresses import ResolvedAccess
from analyses.budget import CONDITION_INSTRUCTION_STEPS, CONDITION_STEPS
from analyses.polynomials.formatting import at_least, multiple
from analyses.polynomials.inequality import Inequality, not_least
from analyses.polynomials.polynomial import Polynomial
from analyses.program import AddressOf, Region
from ptxlint.contracts.declaration import OR_NULL
from ptxlint.facts.imprecision import (
    FAR,
    NULL,
    imprecision,
    imprecisions,
    reason_code,
    required_inside,
)
from ptxlint.facts.kernel_facts import AccessFacts, Facts
from ptxlint.facts.wording import touched_bytes
from ptxlint.inference.alignment import Multiples
from ptxlint.inference.contract import Inferences, best_inference, undeclared
from ptxlint.inference.infer import Inference
from ptxlint.inference.reasons import TABLES, avoids_overflow
from ptxlint.inference.requirements import fewest, impossible
from ptxlint.ir import PtxInstr
from ptxlint.results.contract import SHARED
from ptxlint.results.reasons import REASONS
from ptxlint.results.verdict import Status, worst
from ptxlint.verdicts.decision import PROVED, Decision, undecided
from ptxlint.verdicts.execution import ProvedByRun

WORD = 4  # bytes: every buffer is assumed to be aligned so


class OpenInference(Inference):
    """What the accesses that are ``asked`` about require, by instruction. One to a region of
    declared size must stay ``inside`` of it."""

    def __init__(
        self, facts: Facts, steps: int, excluding: bool, asked: Mapping[PtxInstr, AccessFacts]
    ) -> None:
        super().__init__(facts, steps, excluding)
        self.asked = asked
        self.inside: dict[PtxInstr, tuple[Polynomial, ...]] = {}

    def sized(self, region: Region | None) -> bool:
        """True if the region is an array, or a declared buffer."""
        return region is not None and self.facts.footprints.size(region) is not None

    def add(self, place: ResolvedAccess, final: bool = True) -> str | None:
        assert isinstance(place.instr, PtxInstr)
        access = self.asked.get(place.instr)
        if access is None:
            return None
        if place.choices or not self.sized(place.region):
            return super().add(place, final)
        if self.facts.footprints.may_be_null(place):
            return NULL
        by_data = self.facts.data_dependent(place)
        if by_data is not None:
            return by_data.reason
        inside = required_inside(self.facts, place)
        if inside is None or (inside and self.excluded(inside)):
            return reason_code(self.facts, access)
        known = self.inside.get(place.instr, ())
        self.inside[place.instr] = tuple(dict.fromkeys((*known, *inside)))
        return None

    def excluded(self, wanted: Iterable[Polynomial]) -> bool:
        """True if no launch that meets what other accesses require meets this."""
        known = dict.fromkeys(chain(self.required_so_far(), wanted))
        return impossible([*self.limits, *map(Inequality, known)])

    def required_so_far(self) -> Iterable[Polynomial]:
        return chain(self.needs, *self.inside.values())

    def required(self, instr: PtxInstr) -> list[Polynomial]:
        """What the launch must meet so that the access stays in bounds; no polynomial is negative
        then."""
        needs = self.needs.values()
        own = [n.polynomial for n in needs if any(place.instr is instr for place in n.places)]
        return [*self.inside.get(instr, ()), *own]


class ConditionalAccesses:
    """The conditions of the accesses of one kernel that are proved neither by the analyses nor by
    a ``run``."""

    def __init__(self, facts: Facts, run: ProvedByRun) -> None:
        self.launch, self.run = facts.launch, run
        self.open = {
            a.instr: a
            for a in facts.accesses
            if a.place.reached
            and a.mismatch is None
            and not (self.in_bounds(a) and self.aligned(a, facts))
        }
        self.reasons: dict[PtxInstr, str] = {}
        if not self.open:
            return
        steps = CONDITION_STEPS + CONDITION_INSTRUCTION_STEPS * len(facts.kernel.instructions)
        asked = {instr: a for instr, a in self.open.items() if not self.in_bounds(a)}
        of = partial(OpenInference, asked=asked)
        attempts = Inferences(facts.kernel, facts.solver, 3 * steps // 2, facts, of, thorough=False)
        best = best_inference(attempts, facts.launch)
        attempts.resume(best.inference)
        assert isinstance(best.inference, OpenInference)
        self.inference = best.inference
        self.facts = best.inference.facts
        self.places = {place.instr: place for place in self.facts.places}
        self.reasons = {one.instr: one.reason for one in reversed(self.inference.unknown)}
        found = best.inference.contract(steps, aliasing=False)
        self.assumed = [need.condition for need in best.assumed]
        self.contract = best.complete(found)
        self.extents = self.contract.extents()

    # --- decisions

    def in_bounds(self, access: AccessFacts) -> bool:
        """True if it is proved to stay in bounds."""
        return access.in_bounds or not access.place.reached or access.instr in self.run.inside

    def aligned(self, access: AccessFacts, facts: Facts) -> bool:
        """True if it is proved to be aligned."""
        sure = access.aligned and not by_assumption(access, facts)
        return sure or not access.place.reached or access.instr in self.run.aligned

    def bounds(self, access: AccessFacts) -> Decision:
        """Of an access that is not proved to stay in bounds."""
        if access.instr not in self.open:
            return undecided(REASONS["space"])
        reason = self.reasons.get(access.instr)
        if reason is not None:
            option = self._deciding(access, reason)
            return undecided(beyond(self.facts, access) or REASONS[reason], option)
        names, place = self.facts.decided, self.places[access.instr]
        required = (*self.inference.required(access.instr), *self.required_of_ranges)
        needs = [at_least(p.terms, names) for p in dict.fromkeys(required)]
        buffers = (self._buffer(region) for region in regions(place))
        return strictest((*chain(*buffers), *self._contents(access), *self._needs(needs)))

    def alignment(self, access: AccessFacts) -> Decision:
        """Of an access that is not proved to be aligned."""
        if access.instr not in self.open:
            return undecided(REASONS["space"])
        each = self.places[access.instr].each
        return strictest([self._alignment(access, place) for place in each])

    def _alignment(self, access: AccessFacts, place: ResolvedAccess) -> Decision:
        region = place.region
        if region is None or self.facts.footprints.offset(place) is None:
            return undecided(REASONS[imprecision(self.facts, place.access.base)])
        needed = Multiples() if access.aligned else self.inference.aligned(place)
        if needed is None:
            return undecided(REASONS["alignment"])
        if not self.inference.sized(region):
            name = self.inference.called(region)
            align = max(WORD, place.access.align)
            buffer = self._size(name, *self.extents.get(name, ("BYTES", align)))
        elif region.align % place.access.align:
            return undecided(f"`{region.name}` is only aligned to {region.align}")
        else:
            buffer = PROVED
        names = self.facts.decided
        needs = [multiple(symbols, of, names) for symbols, of in needed.products.items()]
        needs += [at_least(p.polynomial.terms, names) for p in needed.positive.preconditions]
        return strictest((buffer, *self._needs(needs)))

    def _buffer(self, region: Region) -> Iterator[Decision]:
        """The condition that an undeclared buffer is as large, and aligned, as is required."""
        if not self.inference.sized(region):
            name = self.inference.called(region)
            yield self._size(name, *self.extents.get(name, ("BYTES", WORD)))

    def _size(self, name: str, size: str, align: int) -> Decision:
        """The condition that the declaration of a buffer meets."""
        reason = f"{called(name)} is not declared"
        null = OR_NULL if name in self.contract.optional else ""
        text = f"{name}={size}{f'@{align}' if align > WORD else ''}{null}"
        option = f"--shared {quoted(size)}" if name == SHARED else f"--buffer {quoted(text)}"
        return Decision(Status.CONDITIONAL, reason, option)

    @cached_property
    def required_of_ranges(self) -> list[Polynomial]:
        """What the launch must meet so that words are read from buffers with a declared range."""
        declared, arguments = self.launch.buffers.keys(), self.facts.kernel.arguments
        held = declared & self.inference.contents.keys()
        ranged = {self.facts.pointers[arguments[index].word] for index in held}
        loads = (i for i, place in self.places.items() if not ranged.isdisjoint(regions(place)))
        return [
            polynomial
            for instr in loads
            if isinstance(instr, PtxInstr)
            for polynomial in self.inference.required(instr)
        ]

    def _contents(self, access: AccessFacts) -> Iterator[Decision]:
        """The condition that the integers in an index buffer lie where they are assumed to lie."""
        inferred = self.inference.contents.keys() - self.launch.buffers.keys()
        option = self._values(access) if inferred else None
        if option is not None:
            yield Decision(Status.CONDITIONAL, REASONS[LOADED], option)

    def _needs(self, needs: Iterable[str]) -> Iterator[Decision]:
        """Requirements of the launch, and what is assumed: one condition, unless what is declared
        must meet one of them."""
        texts = [*needs, *self.assumed]
        for text in texts:
            if not undeclared(self.launch, text):
                yield undecided(f"it requires {text}")
        if texts:
            whole = " and ".join(texts)
            reason = f"it requires {whole}"
            yield Decision(Status.CONDITIONAL, reason, f"--assume {quoted(whole)}")

    def _deciding(self, access: AccessFacts, reason: str) -> str | None:
        """The option that decides an access which is open for the reason, if one does."""
        region = self.places[access.instr].region
        if reason == FAR and region is not None:
            return self._size(self.inference.called(region), "BYTES", WORD).option
        return self._values(access) if reason == LOADED else None

    def _values(self, access: AccessFacts) -> str | None:
        """The option that declares the index buffer in the address, if it is one whose range is
        not declared."""
        load = imprecisions(self.facts, access.place.access.base).get(LOADED)
        base = None if load is None or load.access is None else load.access.base
        if base is None or isinstance(base, AddressOf):
            return None
        origin = self.facts.values.number(base).origin
        if origin is None or origin.region not in self.facts.pointers.values():
            return None
        extents = self.launch.buffers.items()
        held = {self.facts.kernel.arguments[i].name for i, of in extents if of.value_range}
        name = origin.region.name
        return None if name in held else f"--values {name}=LOW..HIGH"

    # --- in words

    @property
    def text(self) -> str | None:
        """The conditions of all conditional accesses: ``x, y >= 4*n bytes; assumes n <= 2**29``."""
        if self.open.keys() <= self.reasons.keys():
            return None
        sizes: dict[str, list[str]] = {}
        for name, (size, align) in self.extents.items():
            aligned = f" aligned to {align}" if align > WORD else ""
            null = OR_NULL if name in self.contract.optional else ""
            sizes.setdefault(f"{size} bytes{aligned}{null}", []).append(called(name))
        wanted = [f"{', '.join(names)} >= {size}" for size, names in sizes.items()]
        wanted += [n.condition for n in self.contract.needs if not avoids_overflow(n.reason)]
        inside = dict.fromkeys(chain.from_iterable(self.inference.inside.values()))
        least = fewest(inside, not_least, keep=0)
        wanted += [at_least(p.terms, self.facts.decided) for p in least]
        wanted = list(dict.fromkeys(wanted))
        assumed = [n.condition for n in self.contract.needs if avoids_overflow(n.reason)]
        assumed += [n.condition for n in self.contract.assumed if n.reason == TABLES]
        said = [" and ".join(wanted)] if wanted else []
        said += [f"assumes {' and '.join(assumed)}"] if assumed else []
        return "; ".join(said) or None


LOADED = "loaded-index"


def by_assumption(access: AccessFacts, facts: Facts) -> bool:
    """True if its buffer is not declared: then its elements are assumed to be aligned."""
    assumed = any(one.region in facts.aligns for one in access.place.each)
    return assumed and access.place.access.align > 1


def regions(place: ResolvedAccess) -> dict[Region, None]:
    """Those of the pointers that the address may be by."""
    return dict.fromkeys(one.region for one in place.each if one.region is not None)


def strictest(decisions: Sequence[Decision]) -> Decision:
    """The first of the worst."""
    status = worst(decision.status for decision in decisions)
    return next((one for one in decisions if one.status is status), PROVED)


def beyond(facts: Facts, access: AccessFacts) -> str | None:
    """The bytes of a region of known size that may be touched, if these have bounds."""
    place = access.place
    sized = place.region is not None and facts.footprints.size(place.region) is not None
    bounded = place.low is not None and place.high is not None
    return touched_bytes(facts, access) if sized and bounded and not access.in_bounds else None


def called(name: str) -> str:
    """The name of a buffer in a sentence."""
    return "dynamic shared memory" if name == SHARED else name


def quoted(text: str) -> str:
    """As a shell takes it for one word."""
    plain = all(c.isalnum() or c in "_.=@+-/,:" for c in text)
    return text if plain else f"'{text}'"
