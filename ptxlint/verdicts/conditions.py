"""Conditional accesses: those that stay in bounds and aligned in launches that meet the inferred
contract, where the declarations leave open whether they do.

Inference reads the same facts as the check, so what is declared narrows what it asks for. An access
is conditional only if something undeclared decides it: the size of its buffer, or a requirement
that names an undeclared parameter or extent. A requirement on declared ranges alone is one that
some allowed launches violate, as far as is known: the access is undecided.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from analyses.addresses import ResolvedAccess
from analyses.budget import CONDITION_INSTRUCTION_STEPS, CONDITION_STEPS
from analyses.polynomials.formatting import at_least, multiple
from analyses.polynomials.polynomial import Symbol
from analyses.program import AddressOf, Region
from ptxlint.facts.imprecision import REASONS, imprecisions
from ptxlint.facts.kernel_facts import AccessFacts, Facts
from ptxlint.facts.wording import touched_bytes
from ptxlint.inference.contract import numbers
from ptxlint.inference.counters import WRAPS
from ptxlint.inference.infer import Inference
from ptxlint.inference.inferred import Inferred
from ptxlint.ir import PtxInstr
from ptxlint.results.contract import SHARED
from ptxlint.results.verdict import Status
from ptxlint.verdicts.decision import PROVED, Decision, undecided

WORD = 4  # bytes: every buffer is assumed to be aligned so


class ConditionalAccesses:
    """The conditions of the accesses of one kernel that are not proved."""

    def __init__(self, facts: Facts) -> None:
        self.launch = facts.launch
        self.open = [
            a
            for a in facts.accesses
            if a.place.reached and a.mismatch is None and not (settled(a, facts))
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
        self.inference = Inference(self.facts)
        steps = CONDITION_STEPS + CONDITION_INSTRUCTION_STEPS * len(facts.kernel.instructions)
        self.inference.budget.left = steps
        self.places = {a.instr: a.place for a in self.facts.accesses}
        for access in self.open:
            self.reasons[access.instr] = self.inference.add(self.places[access.instr])
        self.contract: Inferred = self.inference.contract(steps, aliasing=False)
        self.extents = self.contract.extents()

    # --- decisions

    def bounds(self, access: AccessFacts) -> Decision:
        """Of an access that is not proved to stay in bounds."""
        return self._decision(access, self._bounds)

    def alignment(self, access: AccessFacts) -> Decision:
        """Of an access that is not proved to be aligned."""
        if access.aligned and access.place.region is not None:
            name = self.inference.called(access.place.region)
            size, align = self.extents.get(name, ("BYTES", WORD))
            return self._size(name, size, align)
        return self._decision(access, self._alignment)

    def _decision(
        self, access: AccessFacts, conditions: Callable[[ResolvedAccess], Iterable[Decision]]
    ) -> Decision:
        if access.instr not in self.reasons:
            return undecided(REASONS["space"])
        reason = self.reasons[access.instr]
        if reason == LOADED:
            return undecided(REASONS[reason], self._values(access))
        if reason is not None:
            return undecided(beyond(self.facts, access) or REASONS[reason])
        found = list(conditions(self.places[access.instr]))
        open_ = [one for one in found if one.status is Status.UNDECIDED]
        return next(iter(open_ or found), PROVED)

    def _bounds(self, place: ResolvedAccess) -> Iterator[Decision]:
        yield from self._buffer(place.region)
        for need in self.inference.needs.values():
            if place in need.places:
                text = at_least(need.polynomial.terms, self.inference.names)
                yield self._need(need.polynomial.symbols, text)

    def _alignment(self, place: ResolvedAccess) -> Iterator[Decision]:
        yield from self._buffer(place.region)
        for symbols, of in (self.inference.aligned(place) or {}).items():
            yield self._need(symbols, multiple(symbols, of, self.inference.names))

    def _buffer(self, region: Region | None) -> Iterator[Decision]:
        """The condition that an undeclared buffer is as large, and aligned, as is required."""
        if region is None or self.facts.footprints.size(region) is not None:
            return
        name = self.inference.called(region)
        if name not in self.extents:
            return
        size, align = self.extents[name]
        yield self._size(name, size, align)

    def _size(self, name: str, size: str, align: int) -> Decision:
        """The condition that the declaration of a buffer meets."""
        reason = f"{called(name)} is not declared"
        text = f"{name}={size}{f'@{align}' if align > WORD else ''}"
        option = f"--shared {quoted(size)}" if name == SHARED else f"--buffer {quoted(text)}"
        return Decision(Status.CONDITIONAL, reason, option)

    def _need(self, symbols: Iterable[Symbol], text: str) -> Decision:
        if not any(self._undeclared(symbol) for symbol in symbols):
            return undecided(f"it requires {text}")
        return Decision(Status.CONDITIONAL, f"it requires {text}", f"--assume {quoted(text)}")

    def _undeclared(self, symbol: Symbol) -> bool:
        """True if it is an extent or a parameter without a declared value."""
        name, called = self.inference.names[symbol], self.launch.names
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
            sizes.setdefault(f"{size} bytes{aligned}", []).append(called(name))
        wanted = [f"{', '.join(names)} >= {size}" for size, names in sizes.items()]
        wanted += [need.condition for need in self.contract.needs if need.reason != WRAPS]
        assumed = [need.condition for need in self.contract.needs if need.reason == WRAPS]
        said = [" and ".join(wanted)] if wanted else []
        said += [f"assumes {' and '.join(assumed)}"] if assumed else []
        return "; ".join(said) or None


LOADED = "loaded-index"


def settled(access: AccessFacts, facts: Facts) -> bool:
    return access.in_bounds and access.aligned and not by_assumption(access, facts)


def by_assumption(access: AccessFacts, facts: Facts) -> bool:
    """True if its buffer is not declared: then its elements are assumed to be aligned."""
    return access.place.region in facts.aligns and access.place.access.align > 1


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
