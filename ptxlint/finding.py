"""A finding is an argument: a claim about one place, how sure it is, and what it rests on.

Findings speak of instructions; a report turns them into lines of the source (through ``.loc``) and
of the PTX.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum

from analyses.polynomials.symbols import Interpretation
from analyses.scalar_evolution import SymbolicValues
from ptxlint.contracts.contract import Triple
from ptxlint.contracts.expression import Condition
from ptxlint.ir import Kernel, PtxInstr


class Severity(Enum):
    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


class Certainty(Enum):
    PROVED = "proved"  # in every launch that the contract allows
    WITNESS = "witness"  # in one launch, replayed on the interpreter
    POSSIBLE = "possible"  # neither proved safe nor shown wrong


@dataclass(frozen=True, slots=True)
class Witness:
    """One thread of one launch in which the finding happens."""

    grid: Triple
    block: Triple
    ctaid: Triple
    tid: Triple
    address: int | None = None  # bytes from the start of the region
    arguments: Mapping[str, int | float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class AccessFact:
    """What a finding says about a memory access. ``range`` bounds the offset, in bytes."""

    space: str
    bytes: int
    region: str | None = None
    offset: str | None = None
    range: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class RequestCost:
    """Of one request of a warp. ``best`` is given where the cost depends on something unknown;
    ``actual`` is the worst, 0 where only a replay can tell."""

    unit: str  # "sectors" "wavefronts"
    actual: int
    ideal: int
    best: int | None = None

    def __str__(self) -> str:
        if not self.actual:
            return f"more {self.unit} than its data needs"
        return f"{self.actual} {self.unit} where {self.ideal} would do"


@dataclass(frozen=True, slots=True)
class Fix:
    """A change of the source after which a request costs ``cost``, in the unit of the finding's:
    counted again with the change. ``what`` is ``before`` and becomes ``after``; ``text`` says it in
    a sentence. ``row`` where the rows of an array get longer: their elements, before and after."""

    what: str
    before: str
    after: str
    text: str
    cost: int
    row: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class Wrap:
    """The integer that an index was meant to be, in a type that it may leave; ``symbolic`` knows
    what its symbols are. ``first`` is a parameter, by position, and the least value with which it
    is not shown to fit."""

    reading: Interpretation
    symbolic: SymbolicValues = field(repr=False)
    first: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class Overlap:
    """Two buffers that may overlap, by the positions of their parameters: in any way or, if
    ``same``, only as one and in launches where ``when`` holds."""

    one: int
    other: int
    same: bool
    when: tuple[Condition, ...] = ()


@dataclass(frozen=True, slots=True)
class Related:
    """Another place that matters, with its caption."""

    message: str
    instr: PtxInstr


@dataclass(frozen=True, slots=True)
class Finding:
    """``message`` may name the cost as ``{cost}``."""

    rule: str
    severity: Severity
    certainty: Certainty
    message: str
    kernel: Kernel
    instr: PtxInstr
    condition: str | None = None
    access: AccessFact | None = None
    cost: RequestCost | None = None
    share: int | None = None  # percent of what the kernel moves in this space
    breach: Mapping[str, int] = field(default_factory=dict)  # numbers with which it may happen
    wrap: Wrap | None = None  # a replay shows it where a thread's integer leaves the type
    overlap: Overlap | None = None  # a replay shows it where threads race in such buffers
    witness: Witness | None = None
    related: tuple[Related, ...] = ()
    help: str | None = None
    fix: Fix | None = None
    reason: str | None = None  # why it is only possible: where precision was lost
