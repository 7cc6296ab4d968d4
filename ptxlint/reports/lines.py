"""What every report for people says in the same words: findings grouped, and the last lines."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from ptxlint.check import Report
from ptxlint.contracts.contract import MAX_BUFFER, Extent, Launch, Range
from ptxlint.contracts.declaration import shown
from ptxlint.finding import Severity
from ptxlint.ir import Kernel
from ptxlint.mangling import demangled
from ptxlint.reports.colour import Palette, harmless
from ptxlint.reports.places import Located, locate
from ptxlint.source import Diagnostic


@dataclass(frozen=True, slots=True)
class Group:
    """Findings that say the same of one source line: the first, and how many follow it."""

    first: Located
    more: int

    @property
    def message(self) -> str:
        return harmless(self.first.finding.message)

    @property
    def suffix(self) -> str:
        if not self.more:
            return ""
        return f"and {plural(self.more, 'more access', 'more accesses')} on this line"


def grouped(report: Report) -> list[Group]:
    """One group for each claim about a line, in the order of the first."""
    groups: dict[tuple[object, ...], list[Located]] = {}
    for located in locate(report):
        found = located.finding
        place = located.primary
        key = (place.path, place.line, found.rule, found.severity, found.message)
        groups.setdefault((*key, id(found.kernel)), []).append(located)
    return [Group(members[0], len(members) - 1) for members in groups.values()]


def plural(number: int, one: str, many: str) -> str:
    return f"{number} {one if number == 1 else many}"


def diagnostic(problem: Diagnostic, palette: Palette) -> str:
    """``path:line:col: error: message``; without line and column where there are none."""
    place = f"{problem.path}:{problem.line}:{problem.column}" if problem.line else problem.path
    severity = palette.paint(problem.severity, style_of(problem.severity))
    return f"{palette.paint(harmless(place), 'path')}: {severity}: {harmless(problem.message)}"


def style_of(severity: str) -> str:
    return severity if severity in ("error", "warning") else "note"


def claim(group: Group, palette: Palette) -> str:
    """``path:line:col: severity[rule] message``"""
    found = group.first.finding
    severity = palette.paint(f"{found.severity.value}[{found.rule}]", found.severity.value)
    place = palette.paint(harmless(str(group.first.primary)), "path")
    return f"{place}: {severity} {group.message}"


# --- the last lines


def verdict(report: Report, palette: Palette) -> str:
    """How many findings of each severity."""
    counts = Counter(finding.severity for finding in report.findings)
    words = [
        palette.paint(plural(counts[s], s.value, f"{s.value}s"), s.value)
        for s in Severity
        if counts[s]
    ]
    if not report.summary.analysed:
        return palette.paint("nothing was analysed", "error")
    if any(problem.severity == "error" for problem in report.diagnostics):
        what = "not everything could be analysed"
        if report.executed is not None:
            what = "the run did not finish"
        words.append(palette.paint(what, "error"))
    return ", ".join(words) or palette.paint("no findings", "good")


def summary(report: Report) -> str:
    """The last line of every report: what was analysed, what was proved, what was not; or what ran,
    counted once for each thread."""
    if (ran := report.executed) is not None:
        return (
            f"ran {plural(ran.threads, 'thread', 'threads')}:"
            f" {plural(ran.instructions, 'instruction', 'instructions')},"
            f" {plural(ran.accesses, 'access', 'accesses')},"
            f" {plural(ran.faults, 'fault', 'faults')}; {report.seconds:.1f} s"
        )
    counts = report.summary
    accesses = counts.accesses
    missing = sum(counts.unmodelled.values())
    names = ", ".join(f"{name} {number}" for name, number in counts.unmodelled.items())
    kernels = "kernel" if counts.present == 1 else "kernels"
    return (
        f"{counts.analysed} of {counts.present} {kernels}; "
        f"{plural(accesses.total, 'access', 'accesses')}: {accesses.proved} proved,"
        f" {accesses.flagged} flagged, {accesses.unknown} unknown; "
        f"{plural(missing, 'instruction', 'instructions')} unmodelled"
        f"{f' ({harmless(names)})' if names else ''}; {counts.seconds:.1f} s"
    )


def launches(report: Report) -> list[str]:
    """Which launch each kernel was checked for, kernels with the same one together."""
    kernels: dict[str, list[Kernel]] = {}
    for file in report.files:
        for checked in file.kernels:
            kernels.setdefault(launch(checked.launch), []).append(checked.kernel)
    if len(kernels) == 1:
        return list(kernels)
    return [f"{text}: {names(members)}" for text, members in kernels.items()]


def names(kernels: Iterable[Kernel], most: int = 3) -> str:
    every = [harmless(demangled(kernel.name)) for kernel in kernels]
    rest = len(every) - most
    return ", ".join(every[:most]) + (f" and {rest} more" if rest > 0 else "")


def launch(of: Launch) -> str:
    """``block 32x8, n=1..4096, in 16384 bytes (command line)``"""
    facts = []
    if of.block is not None:
        facts.append(f"block {shown(of.block)}")
    elif of.max_threads < 1024:
        facts.append(f"blocks of up to {of.max_threads} threads")
    if of.grid is not None:
        facts.append(f"grid {shown(of.grid)}")
    if of.shared is not None:
        facts.append(f"{sized(of.shared)} bytes of dynamic shared memory")
    facts += [f"{of.names[i]}={value(v)}" for i, v in sorted(of.values.items())]
    facts += [f"{of.names[i]} {sized(extent)} bytes" for i, extent in sorted(of.buffers.items())]
    held = [(of.names[i], extent.holds) for i, extent in sorted(of.buffers.items())]
    facts += [f"{name} holds {words.text}" for name, words in held if words is not None]
    facts += of.needed
    facts += [f"distinct {each.text}" for each in of.distinct or ()]
    return harmless(f"{', '.join(facts)} ({of.origin})" if facts else of.origin)


def sized(extent: Extent) -> str:
    """A number or a range; what the user wrote, where its arguments are open."""
    return value(extent.bytes) if extent.bytes.high < MAX_BUFFER else extent.text


def value(of: Range | float) -> str:
    if isinstance(of, Range):
        return f"{of.low}" if of.single else f"{of.low}..{of.high}"
    return f"{of:g}"
