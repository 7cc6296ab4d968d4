"""The verdict on a kernel, property by property, as plain data.

Each property is a statement about *subjects*: memory accesses, barriers, warp-wide instructions. A
subject is proved, flagged by a finding, conditional (it holds in launches that meet the inferred
conditions, which the declarations leave open) or undecided. A property that needs declarations
which are missing is not checked.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum

from msgspec import Struct

from ptxlint.errors import Error, did_you_mean
from ptxlint.results.finding import Span
from ptxlint.source import plural


class Property(Enum):
    """What is claimed of every subject, in every allowed launch."""

    BOUNDS = "bounds"  # an access stays inside of its array or buffer
    ALIGNMENT = "alignment"  # its address is a multiple of what it asks for
    SPACES = "spaces"  # its address belongs to the instruction's state space
    RACES = "races"  # no other thread's access conflicts with it, unordered
    BARRIERS = "barriers"  # all threads of the CTA that have not exited reach it
    UNIFORMITY = "uniformity"  # all lanes of the warp that have not exited take part
    INITIALISATION = "initialisation"  # what is read has been written
    COSTS = "costs"  # a request costs what its data needs


CORRECTNESS = tuple(Property)[:-1]
"""All properties but the costs: what ``--strict`` requires unless ``--require`` chooses."""


class Status(Enum):
    """Of a subject, or of the worst one of a property. ``NOT_CHECKED``: it was not looked for."""

    PROVED = "proved"
    CONDITIONAL = "conditional"
    UNDECIDED = "undecided"
    NOT_CHECKED = "not checked"
    FLAGGED = "flagged"


AND = " and "

SEVERE = {status: rank for rank, status in enumerate(Status)}
"""Of two statuses, the one of the higher rank counts."""


def worst(statuses: Iterable[Status]) -> Status:
    return max(statuses, key=lambda status: SEVERE[status], default=Status.PROVED)


class Unproved(Struct, frozen=True, kw_only=True):
    """A subject that is not proved: why, and the option that would decide it, if there is one."""

    property: Property
    status: Status
    location: Span
    ptx: Span
    reason: str
    option: str | None = None


class Verdict(Struct, frozen=True, kw_only=True):
    """The subjects of one property, counted. ``unchecked`` counts the kernels in which it was not
    checked; ``reason`` and ``option`` say why, and what would decide it there. Costs that are
    conditional are ideal under the ``condition``."""

    name: Property
    proved: int = 0
    flagged: int = 0
    conditional: int = 0
    undecided: int = 0
    unchecked: int = 0
    reason: str | None = None
    option: str | None = None
    condition: str | None = None

    @property
    def total(self) -> int:
        return self.proved + self.flagged + self.conditional + self.undecided

    @property
    def status(self) -> Status:
        counts = {
            Status.FLAGGED: self.flagged,
            Status.NOT_CHECKED: self.unchecked,
            Status.UNDECIDED: self.undecided,
            Status.CONDITIONAL: self.conditional,
        }
        return worst(status for status, count in counts.items() if count)

    @property
    def empty(self) -> bool:
        """True if there is nothing to prove."""
        return not self.total and not self.unchecked

    @property
    def asks(self) -> str:
        """Why it is not checked, and the option that decides it."""
        return "; ".join(part for part in (self.reason, self.option) if part is not None)

    def __add__(self, other: Verdict) -> Verdict:
        first = self if self.unchecked or not other.unchecked else other
        return Verdict(
            name=self.name,
            proved=self.proved + other.proved,
            flagged=self.flagged + other.flagged,
            conditional=self.conditional + other.conditional,
            undecided=self.undecided + other.undecided,
            unchecked=self.unchecked + other.unchecked,
            reason=first.reason,
            option=first.option,
            condition=every(one.condition for one in (self, other)),
        )

    def __str__(self) -> str:
        """``bounds: 3 of 4 proved, 1 flagged``"""
        return f"{self.name.value}: {self.text}"

    @property
    def text(self) -> str:
        if self.empty:
            return "nothing to prove"
        costs = self.name is Property.COSTS
        words = {
            "ideal" if costs else "proved": self.proved,
            "above ideal" if costs else "flagged": self.flagged,
            f"ideal if {self.condition}" if costs else "conditional": self.conditional,
            "unknown" if costs else "undecided": self.undecided,
        }
        said = [f"{count} {word}" for word, count in words.items() if count]
        if len(said) > 1:
            first = next(iter(words))
            said = said[bool(self.proved) :]
            said.insert(0, f"{self.proved} of {self.total} {first}")
        if self.unchecked:
            where = f" in {plural(self.unchecked, 'kernel', 'kernels')}" if said else ""
            said.append(f"not checked{where}: {self.asks}")
        return ", ".join(said)


def every(conditions: Iterable[str | None]) -> str | None:
    """The conditions as one, each part once."""
    parts = (part for said in conditions if said is not None for part in said.split(AND))
    return AND.join(dict.fromkeys(parts)) or None


def required(names: Iterable[str]) -> tuple[Property, ...]:
    """The properties of these names, in order; all of correctness if there is none. Raises
    Error."""
    known = {one.value: one for one in Property}
    given = set(names)
    for name in sorted(given - known.keys()):
        hint = did_you_mean(name, known) or f"; expected {', '.join(known)}"
        raise Error(f"require {name}: no such property{hint}")
    return tuple(one for one in Property if one.value in given) or CORRECTNESS
