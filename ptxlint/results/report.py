"""What a check gives back, as plain data: a report, what it says of kernels and of accesses.

A report survives a JSON round trip: ``ptxlint-report/1``, keys without a value left out.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from enum import Enum
from typing import Any

from ptxlint.errors import Error, NotClean
from ptxlint.results.contract import InferredContract
from ptxlint.results.finding import Finding, MemoryAccess, RequestCost, Severity, Span
from ptxlint.results.serialization import from_json, to_json
from ptxlint.source import Diagnostic, harmless, plural
from ptxlint.version import VERSION

SCHEMA = "ptxlint-report/1"
CLEAN, FINDINGS, FAILED, INCOMPLETE = range(4)


class Status(Enum):
    """Of an access: an error was found, or it is shown to stay in bounds, aligned and in its space
    in every launch, or neither."""

    PROVED = "proved"
    FLAGGED = "flagged"
    UNDECIDED = "undecided"


@dataclass(frozen=True, slots=True, kw_only=True)
class AccessResult:
    """An access to memory, whether anything was found there or not. ``reason`` is a code for why it
    is undecided. The cost is that of one request of a warp, from ``cost.best`` to ``cost.actual``,
    and ``exact`` if each request of every launch costs so much."""

    location: Span
    ptx: Span
    access: MemoryAccess
    status: Status
    reason: str | None = None
    cost: RequestCost | None = None
    exact: bool = False


@dataclass(frozen=True, slots=True)
class AccessCounts:
    """Memory accesses, counted: one with an error is flagged, whatever else is known."""

    proved: int = 0
    flagged: int = 0
    unknown: int = 0

    @property
    def total(self) -> int:
        return self.proved + self.flagged + self.unknown

    def __add__(self, other: AccessCounts) -> AccessCounts:
        return AccessCounts(
            self.proved + other.proved, self.flagged + other.flagged, self.unknown + other.unknown
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class KernelResult:
    """A kernel as it was checked for one launch. ``complete`` is false where something crashed;
    ``unmodelled`` counts instructions whose results may be anything, by opcode."""

    name: str
    demangled: str
    location: Span
    launch: str
    complete: bool = False
    accesses: tuple[AccessResult, ...] = ()
    unmodelled: Mapping[str, int] = field(default_factory=dict, hash=False)

    @property
    def counts(self) -> AccessCounts:
        tally = Counter(access.status for access in self.accesses)
        return AccessCounts(tally[Status.PROVED], tally[Status.FLAGGED], tally[Status.UNDECIDED])


@dataclass(frozen=True, slots=True)
class Summary:
    """The figures of the last line."""

    files: int
    analysed: int
    present: int
    accesses: AccessCounts
    unmodelled: Mapping[str, int]
    seconds: float

    @property
    def complete(self) -> bool:
        whole = self.analysed == self.present
        return whole and not self.accesses.unknown and not self.unmodelled

    def __str__(self) -> str:
        counts, missing = self.accesses, sum(self.unmodelled.values())
        names = ", ".join(f"{name} {number}" for name, number in self.unmodelled.items())
        kernels = "kernel" if self.present == 1 else "kernels"
        return (
            f"{self.analysed} of {self.present} {kernels};"
            f" {plural(counts.total, 'access', 'accesses')}: {counts.proved} proved,"
            f" {counts.flagged} flagged, {counts.unknown} unknown;"
            f" {plural(missing, 'instruction', 'instructions')} unmodelled"
            f"{f' ({harmless(names)})' if names else ''}"
        )


@dataclass(frozen=True, slots=True)
class Executed:
    """The figures of one run: instructions, accesses and faults count once a thread."""

    threads: int
    instructions: int
    accesses: int
    faults: int

    def __str__(self) -> str:
        return (
            f"ran {plural(self.threads, 'thread', 'threads')}:"
            f" {plural(self.instructions, 'instruction', 'instructions')},"
            f" {plural(self.accesses, 'access', 'accesses')},"
            f" {plural(self.faults, 'fault', 'faults')}"
        )


@dataclass(frozen=True, slots=True)
class Group:
    """Findings that say the same of one source line: the first, and how many follow it."""

    first: Finding
    more: int

    @property
    def suffix(self) -> str:
        if not self.more:
            return ""
        return f"and {plural(self.more, 'more access', 'more accesses')} on this line"

    def __str__(self) -> str:
        return f"{self.first} ({self.suffix})" if self.more else str(self.first)


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """All that was found, by path and line. ``kernels`` has one entry for each launch that a kernel
    was checked for; ``present`` counts those that were asked for, analysed or not. ``executed`` is
    there where a kernel was run instead of analysed."""

    findings: tuple[Finding, ...] = ()
    contracts: tuple[InferredContract, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()
    kernels: tuple[KernelResult, ...] = ()
    files: int = 0
    present: int = 0
    seconds: float = 0.0
    executed: Executed | None = None

    @property
    def accesses(self) -> tuple[AccessResult, ...]:
        return tuple(access for kernel in self.kernels for access in kernel.accesses)

    @property
    def summary(self) -> Summary:
        """Of several launches of a kernel, that of which least is proved counts."""
        launches: dict[tuple[Span, str], list[KernelResult]] = {}
        for kernel in self.kernels:
            launches.setdefault((kernel.location, kernel.name), []).append(kernel)
        worst = [min(k, key=lambda k: (k.complete, k.counts.proved)) for k in launches.values()]
        unmodelled = Counter[str]()
        for kernel in worst:
            unmodelled.update(kernel.unmodelled)
        return Summary(
            self.files,
            sum(kernel.complete for kernel in worst),
            self.present,
            sum((kernel.counts for kernel in worst), AccessCounts()),
            dict(unmodelled.most_common()),
            self.seconds,
        )

    # --- judged

    @property
    def failed(self) -> bool:
        """True if something could not be read or analysed."""
        return any(problem.severity == "error" for problem in self.diagnostics)

    def exit_code(self, fail_on: str = "warning", strict: bool = False) -> int:
        """0 clean; 1 findings from the severity ``fail_on`` up; 2 an error in a file or a crash; 3
        nothing was analysed or, if ``strict``, not everything. An error counts before findings,
        and these before what is missing."""
        order = [severity.value for severity in Severity]
        if fail_on not in order:
            raise Error(f"fail_on={fail_on!r}: expected {', '.join(order)}")
        if self.failed:
            return FAILED
        failing = order[: order.index(fail_on) + 1]
        if any(finding.severity.value in failing for finding in self.findings):
            return FINDINGS
        summary = self.summary
        if not summary.analysed or (strict and not summary.complete):
            return INCOMPLETE
        return CLEAN

    def assert_clean(self, fail_on: str = "warning", strict: bool = False) -> None:
        """Raises NotClean, with the concise report, unless the exit code is 0."""
        if self.exit_code(fail_on, strict) != CLEAN:
            raise NotClean(str(self))

    def groups(self) -> list[Group]:
        """One group for each claim about a line, in the order of the first."""
        groups: dict[tuple[object, ...], list[Finding]] = {}
        for one in self.findings:
            place = (one.location.path, one.location.line, one.ptx.path, one.kernel)
            groups.setdefault((place, one.rule, one.severity, one.message), []).append(one)
        return [Group(members[0], len(members) - 1) for members in groups.values()]

    def last_line(self) -> str:
        """The figures of the analysis, or of the run."""
        figures = self.summary if self.executed is None else self.executed
        return f"{figures}; {self.seconds:.1f} s"

    def __str__(self) -> str:
        """The concise report: a line for each problem and each group of findings."""
        lines = [*map(str, self.diagnostics), *map(str, self.groups())]
        return "\n".join([*map(harmless, lines), self.last_line()])

    def without_fixes(self) -> Report:
        return replace(self, findings=tuple(replace(f, fix=None) for f in self.findings))

    # --- as JSON

    def document(self) -> dict[str, Any]:
        """The report as JSON values."""
        held = to_json(replace(self, files=0, present=0, seconds=0.0, executed=None))
        return {
            "schema": SCHEMA,
            "version": VERSION,
            "findings": [],
            **held,
            "summary": self._summary(),
        }

    def _summary(self) -> dict[str, Any]:
        seconds = round(self.seconds, 3)
        if self.executed is not None:
            return {"executed": asdict(self.executed), "seconds": seconds}
        counts = self.summary
        return {
            "files": counts.files,
            "kernels": {"analysed": counts.analysed, "present": counts.present},
            "accesses": {"total": counts.accesses.total, **asdict(counts.accesses)},
            "unmodelled": dict(counts.unmodelled),
            "seconds": seconds,
        }

    def to_json(self) -> str:
        return json.dumps(self.document(), indent=1, allow_nan=False) + "\n"

    @classmethod
    def from_json(cls, text: str) -> Report:
        """The report that was written so. Raises Error."""
        try:
            document = json.loads(text)
            if document.get("schema") != SCHEMA:
                raise Error(f"schema {document.get('schema')!r}: expected {SCHEMA}")
            summary = document.pop("summary")
            held: Report = from_json(cls, document)
            ran = summary.get("executed")
            return replace(
                held,
                files=summary.get("files", 1),
                present=summary["kernels"]["present"] if "kernels" in summary else 1,
                seconds=summary["seconds"],
                executed=None if ran is None else from_json(Executed, ran),
            )
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
            raise Error(f"not a report: {error}") from None
