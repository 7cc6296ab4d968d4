"""What a check gives back, as plain data: a report, what it says of kernels and of accesses.

A report survives a JSON round trip: ``ptxlint-report/1``, keys without a value left out.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, TypeVar

from msgspec import Struct
from msgspec.structs import asdict, replace

from ptxlint.errors import Error, NotClean
from ptxlint.results.contract import InferredContract
from ptxlint.results.finding import (
    Finding,
    Ignored,
    IgnoredBy,
    MemoryAccess,
    RequestCost,
    Severity,
    Span,
)
from ptxlint.results.launch import DeclaredLaunches
from ptxlint.results.serialization import from_json, to_json
from ptxlint.results.verdict import (
    CORRECTNESS,
    Property,
    Status,
    Unproved,
    Verdict,
    every,
    required,
    worst,
)
from ptxlint.source import Diagnostic, harmless, plural
from ptxlint.version import VERSION

SCHEMA = "ptxlint-report/1"
CLEAN, FINDINGS, FAILED, INCOMPLETE = range(4)
T = TypeVar("T")


class AccessResult(Struct, frozen=True, kw_only=True):
    """An access to memory, whether anything was found there or not. The status is the worst of its
    bounds, alignment and state space, or flagged if there is an error; ``reason`` is a code for why
    it is not proved. The cost is that of one request of a warp, from ``cost.best`` to
    ``cost.actual``, and ``exact`` if each request of every launch costs so much."""

    location: Span
    ptx: Span
    access: MemoryAccess
    status: Status
    reason: str | None = None
    cost: RequestCost | None = None
    exact: bool = False


class AccessCounts(Struct, frozen=True):
    """Memory accesses, counted by status."""

    proved: int = 0
    flagged: int = 0
    conditional: int = 0
    undecided: int = 0

    @property
    def total(self) -> int:
        return self.proved + self.flagged + self.conditional + self.undecided

    def __add__(self, other: AccessCounts) -> AccessCounts:
        return AccessCounts(
            self.proved + other.proved,
            self.flagged + other.flagged,
            self.conditional + other.conditional,
            self.undecided + other.undecided,
        )


class KernelResult(Struct, frozen=True, kw_only=True):
    """A kernel as it was checked for one launch, which ``declared`` has part by part. ``complete``
    is false where something crashed; ``unmodelled`` counts instructions whose results may be
    anything, by opcode. ``verdicts`` has each property, ``unproved`` the subjects that are not
    proved; the conditional accesses are safe under the ``condition``."""

    name: str
    demangled: str
    location: Span
    launch: str
    declared: DeclaredLaunches | None = None
    complete: bool = False
    accesses: tuple[AccessResult, ...] = ()
    verdicts: tuple[Verdict, ...] = ()
    unproved: tuple[Unproved, ...] = ()
    condition: str | None = None
    unmodelled: Mapping[str, int] = {}


class KernelVerdict(Struct, frozen=True):
    """A kernel in all launches that it was checked for: a subject counts as what it is in the worst
    of them."""

    kernel: KernelResult
    complete: bool
    accesses: AccessCounts
    verdicts: tuple[Verdict, ...]
    unproved: tuple[Unproved, ...]

    @classmethod
    def of(cls, launches: Sequence[KernelResult]) -> KernelVerdict:
        accesses: dict[object, Status] = {}
        subjects: dict[object, Unproved] = {}
        for one in launches:
            for key, access in numbered((access.ptx, access) for access in one.accesses):
                accesses[key] = worst((accesses.get(key, Status.PROVED), access.status))
            for key, subject in numbered(((s.property, s.ptx), s) for s in one.unproved):
                known = subjects.setdefault(key, subject)
                if worst((known.status, subject.status)) is not known.status:
                    subjects[key] = subject
        unproved = tuple(subjects.values())
        counts = Counter((subject.property, subject.status) for subject in unproved)
        each = zip(*(one.verdicts for one in launches), strict=False)  # none of one that crashed
        return cls(
            launches[0],
            all(one.complete for one in launches),
            AccessCounts(**Counter(status.value for status in accesses.values())),
            tuple(together(found, counts) for found in each),
            unproved,
        )


def numbered(pairs: Iterable[tuple[object, T]]) -> Iterator[tuple[object, T]]:
    """With equal keys told apart: code that was inlined twice has two accesses on one line."""
    seen = Counter[object]()
    for key, value in pairs:
        seen[key] += 1
        yield (key, seen[key]), value


class Summary(Struct, frozen=True):
    """The figures of the last lines: of several launches of a kernel, the worst counts."""

    files: int
    analysed: int
    present: int
    accesses: AccessCounts
    verdicts: tuple[Verdict, ...]
    unmodelled: Mapping[str, int]
    seconds: float

    def incomplete(self, required: Iterable[Property] = CORRECTNESS) -> list[Verdict]:
        """The verdicts of required properties that are not proved."""
        known = {one.name: one for one in self.verdicts}
        each = [known.get(p) or Verdict(name=p, unchecked=self.analysed) for p in required]
        return [one for one in each if one.status is not Status.PROVED]

    @property
    def figures(self) -> str:
        missing = sum(self.unmodelled.values())
        names = ", ".join(f"{name} {number}" for name, number in self.unmodelled.items())
        kernels = "kernel" if self.present == 1 else "kernels"
        unmodelled = f", {plural(missing, 'instruction', 'instructions')} unmodelled ({names})"
        return (
            f"{self.analysed} of {self.present} {kernels},"
            f" {plural(self.accesses.total, 'access', 'accesses')}"
            f"{harmless(unmodelled) if missing else ''}"
        )

    def __str__(self) -> str:
        """One line: the figures, and each property."""
        proved = [v.name.value for v in self.verdicts if plainly_proved(v)]
        said = [str(one) for one in self.verdicts if not plainly_proved(one) and not one.empty]
        said += [f"{', '.join(proved)}: proved"] if proved else []
        return "; ".join([self.figures, *said])


def plainly_proved(verdict: Verdict) -> bool:
    return verdict.status is Status.PROVED and not verdict.empty


def together(found: Sequence[Verdict], counts: Mapping[tuple[Property, Status], int]) -> Verdict:
    """The verdict on one property in several launches, with the subjects that are not proved in
    some of them."""
    first = found[0]
    if any(one.unchecked for one in found):
        return next(one for one in found if one.unchecked)
    about = first.name
    number = {status: counts[about, status] for status in Status}
    return Verdict(
        name=about,
        proved=max(one.total for one in found) - sum(number.values()),
        flagged=number[Status.FLAGGED],
        conditional=number[Status.CONDITIONAL],
        undecided=number[Status.UNDECIDED],
        condition=every(one.condition for one in found),
    )


def verdict_entry(of: Verdict) -> dict[str, Any]:
    """A verdict as JSON values, with its status."""
    return {"status": of.status.value, **to_json(of)}


class Executed(Struct, frozen=True):
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


class Group(Struct, frozen=True):
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


class Report(Struct, frozen=True, kw_only=True, dict=True):
    """All that was found, by path and line; what was ``ignored`` is apart. ``kernels`` has one
    entry for each launch that a kernel was checked for; ``present`` counts those that were asked
    for, analysed or not. ``executed`` is there where a kernel was run instead of analysed."""

    findings: tuple[Finding, ...] = ()
    ignored: tuple[Ignored, ...] = ()
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

    @cached_property
    def judged(self) -> tuple[KernelVerdict, ...]:
        """One verdict for each kernel, whatever the number of its launches."""
        launches: dict[tuple[Span, str], list[KernelResult]] = {}
        for kernel in self.kernels:
            launches.setdefault((kernel.location, kernel.name), []).append(kernel)
        return tuple(map(KernelVerdict.of, launches.values()))

    @cached_property
    def summary(self) -> Summary:
        unmodelled = Counter[str]()
        total: dict[Property, Verdict] = {}
        for judged in self.judged:
            unmodelled.update(judged.kernel.unmodelled)
            for one in judged.verdicts:
                known = total.get(one.name)
                total[one.name] = one if known is None else known + one
        return Summary(
            self.files,
            sum(one.complete for one in self.judged),
            self.present,
            sum((one.accesses for one in self.judged), AccessCounts()),
            tuple(total.values()),
            dict(unmodelled.most_common()),
            self.seconds,
        )

    @property
    def silenced(self) -> str:
        """``12 known in the baseline, 3 ignored``, or nothing."""
        known = sum(one.by is IgnoredBy.BASELINE for one in self.ignored)
        counts = {"known in the baseline": known, "ignored": len(self.ignored) - known}
        return ", ".join(f"{count} {what}" for what, count in counts.items() if count)

    # --- judged

    @property
    def failed(self) -> bool:
        """True if something could not be read or analysed."""
        return any(problem.severity == "error" for problem in self.diagnostics)

    @property
    def warned(self) -> bool:
        """True if a file has what ptxas refuses, or a record of launches what is no launch: it was
        read without, so what is found out is of another text."""
        return any(problem.severity == "warning" for problem in self.diagnostics)

    def exit_code(
        self, fail_on: str = "warning", strict: bool = False, require: Iterable[str] = ()
    ) -> int:
        """0 clean; 1 findings, or warnings about a file, from the severity ``fail_on`` up; 2 an
        error in a file or a crash; 3 nothing was analysed or, if ``strict`` or some properties are
        required, not everything was, or something required (if none is named, all but costs) is
        not proved. An error counts before findings, and these before what is missing. Raises
        Error."""
        order = [severity.value for severity in Severity]
        if fail_on not in order:
            raise Error(f"fail_on={fail_on!r}: expected {', '.join(order)}")
        names = tuple(require.split(",") if isinstance(require, str) else require)
        wanted = required(names)
        if self.failed:
            return FAILED
        failing = order[: order.index(fail_on) + 1]
        if any(finding.severity.value in failing for finding in self.findings):
            return FINDINGS
        if self.warned and "warning" in failing:
            return FINDINGS
        summary = self.summary
        if not summary.analysed:
            return INCOMPLETE
        if not strict and not names:
            return CLEAN
        whole = summary.analysed == summary.present and not summary.incomplete(wanted)
        return CLEAN if whole else INCOMPLETE

    def assert_clean(
        self, fail_on: str = "warning", strict: bool = False, require: Iterable[str] = ()
    ) -> None:
        """Raises NotClean, with the concise report, unless the exit code is 0."""
        if self.exit_code(fail_on, strict, require) != CLEAN:
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
        for kernel, entry in zip(self.kernels, held.get("kernels", ()), strict=True):
            entry.get("verdicts", [])[:] = [verdict_entry(one) for one in kernel.verdicts]
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
            "properties": {one.name.value: verdict_entry(one) for one in counts.verdicts},
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
            held = from_json(cls, document)
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
