"""The report for a terminal: one code frame for each finding.

A frame shows the message, the underlined source line, the PTX line, and then inlined calls, the
witness, the condition and the help. Long lines are cut to a window around the span.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from ptxlint.contracts.declaration import shown
from ptxlint.reports import statistics, verdicts
from ptxlint.reports.colour import Palette
from ptxlint.reports.lines import assumptions, claim, diagnostic, headline, launches, style_of
from ptxlint.reports.view import WIDTH, View
from ptxlint.results.finding import VERBS, MemoryAccess, Span, Witness
from ptxlint.results.report import Group, Report
from ptxlint.source import Diagnostic, harmless, plural
from ptxlint.source_files import SourceFiles, marked

WORD = re.compile(r"[\w.$%:]+|.")
NARROWEST = 40  # characters of a source line that are shown
TAB = "    "
LAUNCHES = 8  # lines of them
CLAIMS = 2  # of one rule about one line, beside the first
HINT = "; undecided: --show-undecided"


def render(report: Report, view: View) -> str:
    palette, files = Palette(view.colour, view.documentation), view.files or SourceFiles()
    problems = [problem for problem in report.diagnostics if problem.severity != "note"]
    notes = [problem for problem in report.diagnostics if problem.severity == "note"]
    blocks = ["\n".join(problem_frame(problem, files, palette, view)) for problem in problems]
    blocks += ["\n".join(diagnostic(note, palette) for note in notes)] if notes else []
    if view.statistics:
        blocks += ["\n".join(statistics.lines(report, palette))] if report.findings else []
    else:
        blocks += ["\n".join(block(each, files, palette, view)) for each in lines_of(report)]
    if view.undecided and (listed := verdicts.undecided(report)):
        blocks.append("\n".join(listed))
    return "\n\n".join([*blocks, "\n".join(last_lines(report, palette, view))]) + "\n"


def last_lines(report: Report, palette: Palette, view: View) -> Iterator[str]:
    yield headline(report, palette)
    told = launches(report)
    for text in told[:LAUNCHES]:
        yield f"{palette.paint('launch:', 'label')} {text}"
    if len(told) > LAUNCHES:
        yield f"and {len(told) - LAUNCHES} launches more"
    for text in assumptions(report):
        yield f"{palette.paint('assumed:', 'label')} {text}"
    if view.fixes and report.findings:
        count = sum(finding.fix is not None for finding in report.findings)
        of = plural(len(report.findings), "finding", "findings")
        text = f"{count} of {of} with a fix whose cost was computed; no file is edited"
        yield f"{palette.paint('fixes:', 'label')} {text}"
    if report.executed is None:
        yield from verdicts.lines(report, palette)
        yield from verdicts.missing(report, view.required, palette)
    figures = report.summary.figures if report.executed is None else str(report.executed)
    hint = HINT if report.summary.incomplete() and report.executed is None else ""
    yield f"{figures}{hint}; {report.seconds:.1f} s"


def problem_frame(
    problem: Diagnostic, files: SourceFiles, palette: Palette, view: View
) -> Iterator[str]:
    yield diagnostic(problem, palette)
    line, column = problem.line, problem.column
    text = files.line(Span(problem.path, line, column, line, column)) if line else ""
    if text.strip():
        place = Span(problem.path, line, column, line, column + marked(text, column, WORD))
        style = style_of(problem.severity)
        yield from excerpt(place, text, len(str(line)), style, palette, columns=view.width)


def lines_of(report: Report) -> list[list[Group]]:
    """The groups by the line of the source that they are about, in the order of the first. A
    group without a source line stands alone."""
    found: dict[tuple[object, ...], list[Group]] = {}
    for group in report.groups():
        first = group.first
        place: tuple[object, ...] = (first.location.path, first.location.line)
        found.setdefault(place if first.in_source else (*place, len(found)), []).append(group)
    return list(found.values())


def block(
    groups: Sequence[Group], files: SourceFiles, palette: Palette, view: View
) -> Iterator[str]:
    """The frame of the first group, and the claims of other rules about the same line. The
    first claim of each rule is printed whole."""
    rules: dict[str, list[Group]] = {}
    for group in groups:
        rules.setdefault(group.first.rule, []).append(group)
    for number, same in enumerate(rules.values()):
        yield from frame(same, files, palette, view, quoted=not number)


def frame(
    groups: Sequence[Group], files: SourceFiles, palette: Palette, view: View, quoted: bool
) -> Iterator[str]:
    """What one rule says of a line."""
    group = groups[0]
    found = group.first
    severity = found.severity.value
    captions = list(
        dict.fromkeys((r.location, r.message) for r in found.related if r.inlined is None)
    )
    if found.in_source:
        captions.append((found.ptx, f"in {found.demangled}"))
    width = max(len(str(place.line)) for place in (found.location, *(p for p, _ in captions)))
    bar = palette.paint("|", "gutter")
    yield claim(group, palette)
    line = files.line(found.location)
    if quoted and line:
        yield from excerpt(found.location, line, width, severity, palette, columns=view.width)
    for place, caption in captions:
        yield f"{' ' * width} {bar} {palette.paint(harmless(f'{place}: {caption}'), 'faint')}"
        if text := files.line(place):
            shown_first = place == found.ptx and not line
            style = severity if shown_first else "faint"
            yield from excerpt(place, text, width, style, palette, shown_first, view.width)
    said = list(notes(groups, view.fixes))
    longest = max((len(label) for label, _ in said), default=0)
    for label, text in said:
        mark = f"{palette.paint('=', 'gutter')} {palette.paint(f'{label}:', 'label')}"
        yield f"{' ' * width} {mark} {' ' * (longest - len(label))}{harmless(text)}"


def notes(groups: Sequence[Group], fixes: bool = False) -> Iterator[tuple[str, str]]:
    """The lines below the frame, each with its label."""
    finding = groups[0].first
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
    yield from others(groups)
    if finding.help is not None:
        yield "help", finding.help
    if fixes and finding.fix is not None:
        yield "fix", str(finding.fix)


def others(groups: Sequence[Group]) -> Iterator[tuple[str, str]]:
    """What else the rule says of the line: a few claims, and how many more there are."""
    first = groups[0]
    messages = list(dict.fromkeys(group.first.message for group in groups[1:]))
    texts = [message for message in messages if message != first.first.message]
    for text in texts[:CLAIMS]:
        yield "also", text
    more = sum(group.more + 1 for group in groups) - 1 - len(texts[:CLAIMS])
    kernels = len({(group.first.ptx.path, group.first.kernel) for group in groups})
    if more:
        where = f", in {kernels} kernels" if kernels > 1 else ""
        yield "also", f"{Group(first.first, more).suffix}{where}"


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
    place: Span,
    line: str,
    width: int,
    style: str,
    palette: Palette,
    underline: bool = True,
    columns: int = WIDTH,
) -> Iterator[str]:
    """A line with its number, which is ``width`` characters wide, and a line that underlines what
    is meant; both have at most so many ``columns``."""
    text, start, length = window(line, place, max(columns - width - 3, NARROWEST))
    bar = palette.paint("|", "gutter")
    number = palette.paint(str(place.line).rjust(width), "gutter")
    yield f"{number} {bar} {text}".rstrip()
    if underline:
        yield f"{' ' * width} {bar} {' ' * start}{palette.paint('^' * length, style)}"


def window(line: str, place: Span, width: int) -> tuple[str, int, int]:
    """The line cut to a width, where the mark starts in it, and how long the mark is."""
    line, column = harmless(line), place.column
    end = (
        place.end_column if place.end_line == place.line else len(line.split("//")[0].rstrip()) + 1
    )
    start = len(untabbed(line[: column - 1]))
    text = untabbed(line)
    left = max(0, min(start - width // 4, len(text) - width)) if len(text) > width else 0
    shown_text = text[left : left + width]
    if left:
        shown_text = "..." + shown_text[3:]
    if left + width < len(text):
        shown_text = shown_text[:-3] + "..."
    start -= left
    return shown_text, start, max(1, min(end - column, len(shown_text.rstrip()) - start))


def untabbed(line: str) -> str:
    """Tabs that indent become four spaces, tabs that separate one."""
    rest = line.lstrip("\t")
    return TAB * (len(line) - len(rest)) + re.sub(r" *\t", " ", rest)
