"""What a check finds, as plain data: strings, numbers, tuples and enums that anybody can hold.

A finding is an argument: a claim about one place, how sure it is, and what it rests on. Places are
spans of a text; lines and columns count from 1, and an end is the column behind the last character.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum

from msgspec import Struct

Triple = tuple[int, int, int]

VERBS = {"load": "reads", "store": "writes", "atomic": "updates"}
"""Verbs for the kinds of accesses."""


class Severity(Enum):
    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


class Certainty(Enum):
    PROVED = "proved"  # in every launch that the contract allows
    WITNESS = "witness"  # in one launch, replayed on the interpreter
    POSSIBLE = "possible"  # neither proved safe nor shown wrong


class Span(Struct, frozen=True):
    """A piece of a text."""

    path: str
    line: int
    column: int
    end_line: int
    end_column: int

    def __str__(self) -> str:
        return f"{self.path}:{self.line}:{self.column}"

    @property
    def short(self) -> str:
        """Without the column."""
        return f"{self.path}:{self.line}"


class Witness(Struct, frozen=True):
    """One thread of one launch in which a finding happens."""

    grid: Triple
    block: Triple
    ctaid: Triple
    tid: Triple
    address: int | None = None  # bytes from the start of the region
    arguments: Mapping[str, int | float] = {}

    def __hash__(self) -> int:
        return hash((self.grid, self.block, self.ctaid, self.tid, self.address))


class MemoryAccess(Struct, frozen=True):
    """An access to memory in words: ``range`` bounds its ``offset``, in bytes, and ``size`` is that
    of the region, where it is one number."""

    space: str
    bytes: int
    region: str | None = None
    offset: str | None = None
    range: tuple[int, int] | None = None
    kind: str | None = None  # "load" "store" "atomic"
    size: int | None = None


class RequestCost(Struct, frozen=True, kw_only=True):
    """Of one request of a warp. ``best`` is given where the cost depends on something unknown;
    ``actual`` is the worst, 0 where only a replay can tell."""

    unit: str  # "sectors" "wavefronts"
    actual: int
    best: int | None = None
    ideal: int

    def __str__(self) -> str:
        if not self.actual:
            return f"more {self.unit} than its data needs"
        return f"{self.actual} {self.unit} where {self.ideal} would do"


class Fix(Struct, frozen=True, kw_only=True):
    """A change of the source after which a request costs ``cost``, in the unit of the finding's:
    counted again with the change. ``what`` is ``before`` and becomes ``after``; no ``what`` where
    both are text of the ``location``."""

    location: Span | None = None
    what: str = ""
    before: str
    after: str
    cost: int

    def __str__(self) -> str:
        """``tile.cu:6: tile[32][32] -> tile[32][33]``"""
        at = f"{self.location.short}: " if self.location is not None else ""
        what = f"{self.what}: " if self.what else ""
        return f"{at}{what}{self.before} -> {self.after}"


class Related(Struct, frozen=True):
    """Another place that matters, with its caption; where it is the call of ``inlined`` code, the
    name of that function."""

    message: str
    location: Span
    inlined: str | None = None


class Finding(Struct, frozen=True, kw_only=True):
    """One finding of a rule. ``location`` is in the source where that is at hand, else it is
    ``ptx``. ``related`` ends with the calls of inlined code, the innermost first."""

    rule: str
    severity: Severity
    certainty: Certainty
    message: str
    condition: str | None = None
    kernel: str
    demangled: str
    location: Span
    ptx: Span
    access: MemoryAccess | None = None
    cost: RequestCost | None = None
    share: int | None = None  # percent of what the kernel moves in this space
    witness: Witness | None = None
    related: tuple[Related, ...] = ()
    help: str | None = None
    fix: Fix | None = None
    reason: str | None = None  # why it is only possible: where precision was lost
    fingerprint: str = ""

    def __str__(self) -> str:
        """``path:line:column: error[rule] message``"""
        return f"{self.location}: {self.severity.value}[{self.rule}] {self.message}"

    @property
    def in_source(self) -> bool:
        """True if the location is in the source, not in the PTX."""
        return self.location != self.ptx


class IgnoredBy(Enum):
    """What keeps a finding out of the report."""

    COMMENT = "comment"
    OVERRIDE = "override"  # of the configuration
    BASELINE = "baseline"


class Ignored(Struct, frozen=True, kw_only=True):
    """A finding that is not reported; ``origin`` is the place that says so."""

    finding: Finding
    by: IgnoredBy
    origin: str
    reason: str | None = None
