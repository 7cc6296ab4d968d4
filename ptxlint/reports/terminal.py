"""The report for a terminal: one code frame for each finding.

A frame shows the message, the underlined source line, the PTX line, and then inlined calls, the
witness, the condition and the help. Long lines are cut to a window around the span.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from ptxlint.contracts.declaration import shown
from ptxlint.mangling import demangled
from ptxlint.places import SourceFiles, marked
from ptxlint.reports import verdicts
from ptxlint.reports.colour import Palette
from ptxlint.reports.lines import claim, diagnostic, headline, launches, style_of
from ptxlint.results.finding import VERBS, MemoryAccess, Span, Witness
from ptxlint.results.report import Group, Report
from ptxlint.results.verdict import Property
from ptxlint.source import Diagnostic, harmless, plural

WORD = re.compile(r"[\w.$%:]+|.")
WIDTH = 96  # characters of a source line that are shown
TAB = "    "
LAUNCHES = 8  # lines of them
HINT = "; undecided: --show-undecided"


@dataclass(frozen=True, slots=True)
class Extras:
    """What a report for a person has on demand: proposed ``fixes``, every ``undecided`` subject,
    what is missing of ``required`` properties."""

    fixes: bool = False
    undecided: bool = False
    required: tuple[Property, ...] = ()


def render(report: Report, palette: Palette, files: SourceFiles, extras: Extras) -> str:
    problems = [problem for problem in report.diagnostics if problem.severity != "note"]
    notes = [problem for problem in report.diagnostics if problem.severity == "note"]
    blocks = ["\n".join(problem_frame(problem, files, palette)) for problem in problems]
    blocks += ["\n".join(diagnostic(note, palette) for note in notes)] if notes else []
    blocks += ["\n".join(frame(group, files, palette, extras.fixes)) for group in report.groups()]
    if extras.undecided and (listed := verdicts.undecided(report)):
        blocks.append("\n".join(listed))
    last = [headline(report, palette)]
    told = launches(report)
    last += [f"{palette.paint('launch:', 'label')} {text}" for text in told[:LAUNCHES]]
    last += [f"and {len(told) - LAUNCHES} launches more"] * (len(told) > LAUNCHES)
    if extras.fixes and report.findings:
        count = sum(finding.fix is not None for finding in report.findings)
        of = plural(len(report.findings), "finding", "findings")
        text = f"{count} of {of} with a fix whose cost was computed; no file is edited"
        last.append(f"{palette.paint('fixes:', 'label')} {text}")
    if report.executed is None:
        last += verdicts.lines(report, palette)
        last += verdicts.missing(report, extras.required, palette)
    figures = report.summary.figures if report.executed is None else str(report.executed)
    hint = HINT if report.summary.incomplete() and report.executed is None else ""
    last.append(f"{figures}{hint}; {report.seconds:.1f} s")
    blocks.append("\n".join(last))
    return "\n\n".join(blocks) + "\n"


def problem_frame(problem: Diagnostic, files: SourceFiles, palette: Palette) -> Iterator[str]:
    yield diagnostic(problem, palette)
    line, column = problem.line, problem.column
    text = files.line(Span(problem.path, line, column, line, column)) if line else ""
    if text.strip():
        place = Span(problem.path, line, column, line, column + marked(text, column, WORD))
        yield from excerpt(place, text, len(str(line)), style_of(problem.severity), palette)


def frame(group: Group, files: SourceFiles, palette: Palette, fixes: bool = False) -> Iterator[str]:
    found = group.first
    severity = found.severity.value
    captions = list(
        dict.fromkeys((r.location, r.message) for r in found.related if r.inlined is None)
    )
    if found.in_source:
        captions.append((found.ptx, f"in {demangled(found.kernel)}"))
    width = max(len(str(place.line)) for place in (found.location, *(p for p, _ in captions)))
    bar = palette.paint("|", "gutter")
    yield claim(group, palette)
    yield from excerpt(found.location, files.line(found.location), width, severity, palette)
    for place, caption in captions:
        yield f"{' ' * width} {bar} {palette.paint(harmless(f'{place}: {caption}'), 'faint')}"
        yield from excerpt(place, files.line(place), width, "faint", palette, underline=False)
    said = list(notes(group, fixes))
    longest = max((len(label) for label, _ in said), default=0)
    for label, text in said:
        mark = f"{palette.paint('=', 'gutter')} {palette.paint(f'{label}:', 'label')}"
        yield f"{' ' * width} {mark} {' ' * (longest - len(label))}{harmless(text)}"


def notes(group: Group, fixes: bool = False) -> Iterator[tuple[str, str]]:
    """The lines below the frame, each with its label."""
    finding = group.first
    for call in finding.related:
        if call.inlined is not None:
            yield "inlined", f"{call.inlined}, called at {call.location}"
    if finding.witness is not None:
        yield "witness", witness(finding.witness, finding.access)
    if finding.condition is not None:
        yield "when", finding.condition
    if finding.cost is not None:
        cost = finding.cost
        best = f"{cost.best} to " if cost.best not in (None, cost.actual) else ""
        some = finding.share is not None and finding.share < 100
        space = f"{finding.access.space} " if finding.access is not None else ""
        part = f"; {finding.share} % of the kernel's {space}{cost.unit}" if some else ""
        yield "cost", f"{best}{cost.actual} {cost.unit} a warp, ideal {cost.ideal}{part}"
    if finding.reason is not None:
        yield "unproved", finding.reason
    if group.more:
        yield "also", group.suffix
    if finding.help is not None:
        yield "help", finding.help
    if fixes and finding.fix is not None:
        yield "fix", str(finding.fix)


def witness(seen: Witness, fact: MemoryAccess | None) -> str:
    """``block (3,0,0) thread (17,0,0): reads byte 4096 of s[0..4096)``, and the launch it is in."""
    text = f"block {triple(seen.ctaid)} thread {triple(seen.tid)}"
    if fact is not None and seen.address is not None:
        verb = VERBS.get(fact.kind or "", "touches")
        text += f": {verb} byte {seen.address} of {extent(fact)}"
    launch = [f"grid {shown(seen.grid)}", f"block {shown(seen.block)}"]
    launch += [f"{name}={value}" for name, value in seen.arguments.items()]
    return f"{text} ({', '.join(launch)})"


def triple(of: tuple[int, int, int]) -> str:
    return f"({','.join(map(str, of))})"


def extent(of: MemoryAccess) -> str:
    """The region with its extent: ``s[0..4096)``."""
    name = of.region or of.space
    return name if of.size is None else f"{name}[0..{of.size})"


# --- excerpts


def excerpt(
    place: Span, line: str, width: int, style: str, palette: Palette, underline: bool = True
) -> Iterator[str]:
    """A line with its number, and a line that underlines what is meant."""
    text, start, length = window(line, place)
    bar = palette.paint("|", "gutter")
    number = palette.paint(str(place.line).rjust(width), "gutter")
    yield f"{number} {bar} {text}".rstrip()
    if underline:
        yield f"{' ' * width} {bar} {' ' * start}{palette.paint('^' * length, style)}"


def window(line: str, place: Span) -> tuple[str, int, int]:
    """The line cut to a width, where the mark starts in it, and how long the mark is."""
    line, column = harmless(line), place.column
    end = (
        place.end_column if place.end_line == place.line else len(line.split("//")[0].rstrip()) + 1
    )
    start = len(untabbed(line[: column - 1]))
    text = untabbed(line)
    left = max(0, min(start - WIDTH // 4, len(text) - WIDTH)) if len(text) > WIDTH else 0
    shown_text = text[left : left + WIDTH]
    if left:
        shown_text = "..." + shown_text[3:]
    if left + WIDTH < len(text):
        shown_text = shown_text[:-3] + "..."
    start -= left
    return shown_text, start, max(1, min(end - column, len(shown_text.rstrip()) - start))


def untabbed(line: str) -> str:
    """Tabs that indent become four spaces, tabs that separate one."""
    rest = line.lstrip("\t")
    return TAB * (len(line) - len(rest)) + re.sub(r" *\t", " ", rest)
