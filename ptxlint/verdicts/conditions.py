"""Conditional accesses: those that stay in bounds and aligned in launches that meet the inferred
contract, where the declarations leave open whether they do.

Inference reads the same facts as the check, so what is declared narrows what it asks for. An access
is conditional only if something undeclared decides it: the size of its buffer, or a requirement
that names an undeclared parameter or extent. A requirement on declared ranges alone is one that
some allowed launches may violate: the access is undecided.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from msgspec.structs import replace

from analyses.budget import CONDITION_INSTRUCTION_STEPS, CONDITION_STEPS
from analyses.polynomials.formatting import at_least, multiple
from analyses.polynomials.inequality import not_least
from analyses.polynomials.polynomial import Polynomial, Symbol
from analyses.program import AddressOf, Region
from ptxlint.contracts.declaration import OR_NULL
from ptxlint.facts.imprecision import (
    NULL,
    imprecision,
    imprecisions,
    reason_code,
    required_inside,
)
from ptxlint.facts.kernel_facts import AccessFacts, Facts
from ptxlint.facts.wording import touched_bytes
from ptxlint.inference.contract import numbers
from ptxlint.inference.counters import avoids_overflow
from ptxlint.inference.fewest import fewest
from ptxlint.inference.infer import Inference
from ptxlint.inference.inferred import Inferred
from ptxlint.inference.turns import in_turns
from ptxlint.ir import PtxInstr
from ptxlint.results.contract import SHARED
from ptxlint.results.reasons import REASONS
from ptxlint.results.verdict import Status, worst
from ptxlint.verdicts.decision import PROVED, Decision, undecided
from ptxlint.verdicts.execution import ProvedByRun

WORD = 4  # bytes: every buffer is assumed to be aligned so


class ConditionalAccesses:
    """The conditions of the accesses of one kernel that are proved neither by the analyses nor by
    a ``run``."""

    def __init__(self, facts: Facts, run: ProvedByRun) -> None:
        self.launch, self.run = facts.launch, run
        self.open = [
            a
            for a in facts.accesses
            if a.place.reached
            and a.mismatch is None
            and not (self.in_bounds(a) and self.aligned(a, facts))
        ]
        self.reasons: dict[PtxInstr, str | None] = {}
        self.facts = facts
        if not self.open:
            return
        declared = {**facts.launch.buffers, **facts.launch.values}
        values = {i: whole for i, whole in numbers(facts).items() if i not in declared}
        if values:
            launch = replace(facts.launch, values={**values, **facts.launch.values})
            self.facts = Facts(facts.kernel, launch, facts.arch)
        steps = CONDITION_STEPS + CONDITION_INSTRUCTION_STEPS * len(facts.kernel.instructions)
        self.inference = Inference(self.facts, steps)
        self.places = {place.instr: place for place in self.facts.places}
        self.required: dict[PtxInstr, tuple[Polynomial, ...]] = {}
        self.inference.prepare(self.places[access.instr] for access in self.open)
        reasons = in_turns(self.inference.budget, self.open, self._require)
        self.reasons.update(zip((access.instr for access in self.open), reasons, strict=True))
        self.contract: Inferred = self.inference.contract(steps, aliasing=False)
        self.extents = self.contract.extents()

    def _require(self, access: AccessFacts) -> str | None:
        """Adds what the access requires to stay in bounds; the reason code if that is unknown."""
        place = self.places[access.instr]
        if not self._sized(place.region):
            reason = self.inference.add(place)
            needs = [need for need in self.inference.needs.values() if place in need.places]
            self.required[access.instr] = tuple(need.polynomial for need in needs)
            return reason
        if self.facts.footprints.may_be_null(place):
            return NULL
        wanted = () if self.in_bounds(access) else required_inside(self.facts, place)
        self.required[access.instr] = wanted or ()
        if wanted is not None:
            return None
        return reason_code(self.facts, access)

    def _sized(self, region: Region | None) -> bool:
        """True if the region is an array, or a declared buffer."""
        return region is not None and self.facts.footprints.size(region) is not None

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
        if access.instr not in self.reasons:
            return undecided(REASONS["space"])
        reason = self.reasons[access.instr]
        if reason is not None:
            option = self._values(access) if reason == LOADED else None
            return undecided(beyond(self.facts, access) or REASONS[reason], option)
        names, place = self.inference.facts.decided, self.places[access.instr]
        needs = [(p.symbols, at_least(p.terms, names)) for p in self.required[access.instr]]
        return strictest((*self._buffer(place.region), *self._needs(needs)))

    def alignment(self, access: AccessFacts) -> Decision:
        """Of an access that is not proved to be aligned."""
        if access.instr not in self.reasons:
            return undecided(REASONS["space"])
        place, region = self.places[access.instr], access.place.region
        if region is None or self.facts.footprints.offset(place) is None:
            return undecided(REASONS[imprecision(self.facts, place.access.base)])
        multiples = {} if access.aligned else self.inference.aligned(place)
        if multiples is None:
            return undecided(REASONS["alignment"])
        if not self._sized(region):
            name = self.inference.called(region)
            align = max(WORD, place.access.align)
            buffer = self._size(name, *self.extents.get(name, ("BYTES", align)))
        elif region.align % place.access.align:
            return undecided(f"`{region.name}` is only aligned to {region.align}")
        else:
            buffer = PROVED
        names = self.inference.facts.decided
        needs = [(symbols, multiple(symbols, of, names)) for symbols, of in multiples.items()]
        return strictest((buffer, *self._needs(needs)))

    def _buffer(self, region: Region | None) -> Iterator[Decision]:
        """The condition that an undeclared buffer is as large, and aligned, as is required."""
        if region is not None and not self._sized(region):
            name = self.inference.called(region)
            yield self._size(name, *self.extents.get(name, ("BYTES", WORD)))

    def _size(self, name: str, size: str, align: int) -> Decision:
        """The condition that the declaration of a buffer meets."""
        reason = f"{called(name)} is not declared"
        null = OR_NULL if name in self.contract.optional else ""
        text = f"{name}={size}{f'@{align}' if align > WORD else ''}{null}"
        option = f"--shared {quoted(size)}" if name == SHARED else f"--buffer {quoted(text)}"
        return Decision(Status.CONDITIONAL, reason, option)

    def _needs(self, needs: Iterable[tuple[Iterable[Symbol], str]]) -> Iterator[Decision]:
        """Requirements of the launch, each of its symbols and as text: one condition, unless what
        is declared must meet one of them."""
        texts = list[str]()
        for symbols, text in needs:
            texts.append(text)
            if not any(self._undeclared(symbol) for symbol in symbols):
                yield undecided(f"it requires {text}")
        if texts:
            whole = " and ".join(texts)
            reason = f"it requires {whole}"
            yield Decision(Status.CONDITIONAL, reason, f"--assume {quoted(whole)}")

    def _undeclared(self, symbol: Symbol) -> bool:
        """True if it is an extent or a parameter without a declared value."""
        name, called = self.inference.facts.decided[symbol], self.launch.names
        declared = name in called and called.index(name) in self.launch.values
        return not declared

    def _values(self, access: AccessFacts) -> str | None:
        """The option that declares the index buffer in the address, if it is one."""
        load = imprecisions(self.facts, access.place.access.base).get(LOADED)
        base = None if load is None or load.access is None else load.access.base
        if base is None or isinstance(base, AddressOf):
            return None
        origin = self.facts.values.number(base).origin
        if origin is None or origin.region not in self.facts.pointers.values():
            return None
        return f"--values {origin.region.name}=LOW..HIGH"

    # --- in words

    @property
    def text(self) -> str | None:
        """The conditions of all conditional accesses: ``x, y >= 4*n bytes; assumes n <= 2**29``."""
        if not self.reasons or not any(reason is None for reason in self.reasons.values()):
            return None
        sizes: dict[str, list[str]] = {}
        for name, (size, align) in self.extents.items():
            aligned = f" aligned to {align}" if align > WORD else ""
            null = OR_NULL if name in self.contract.optional else ""
            sizes.setdefault(f"{size} bytes{aligned}{null}", []).append(called(name))
        wanted = [f"{', '.join(names)} >= {size}" for size, names in sizes.items()]
        wanted += [n.condition for n in self.contract.needs if not avoids_overflow(n.reason)]
        inside = dict.fromkeys(
            polynomial
            for access in self.open
            if self._sized(access.place.region)
            for polynomial in self.required[access.instr]
        )
        least = fewest(inside, not_least, keep=0)
        wanted += [at_least(p.terms, self.inference.facts.decided) for p in least]
        wanted = list(dict.fromkeys(wanted))
        assumed = [n.condition for n in self.contract.needs if avoids_overflow(n.reason)]
        said = [" and ".join(wanted)] if wanted else []
        said += [f"assumes {' and '.join(assumed)}"] if assumed else []
        return "; ".join(said) or None


LOADED = "loaded-index"


def by_assumption(access: AccessFacts, facts: Facts) -> bool:
    """True if its buffer is not declared: then its elements are assumed to be aligned."""
    return access.place.region in facts.aligns and access.place.access.align > 1


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
