"""The report for a person at a terminal: one code frame for each finding.

A frame shows the claim, the source line with what it speaks of underlined, the PTX line under it,
and then what the claim rests on: how the code came there, the thread it happens to, under which
condition, and what helps. Long lines are cut to a window around the place.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ptxlint.check import CheckedKernel, Report
from ptxlint.contracts.declaration import shown
from ptxlint.finding import AccessFact, Finding, Witness
from ptxlint.mangling import demangled
from ptxlint.reports.colour import Palette, harmless
from ptxlint.reports.lines import (
    Group,
    claim,
    diagnostic,
    grouped,
    launches,
    plural,
    style_of,
    summary,
    verdict,
)
from ptxlint.reports.places import Location
from ptxlint.source import Diagnostic, Source

WIDTH = 96  # characters of a source line that are shown
TAB = "    "
UNKNOWN = (
    "'--pedantic' shows accesses that may leave arrays of known size, and what would keep them"
    " in; 'ptxlint contract' says what size each buffer needs"
)


def render(report: Report, palette: Palette, fixes: bool = False) -> str:
    sources = {file.source.path: file.source for file in report.files}
    blocks = ["\n".join(problem_frame(problem, sources, palette)) for problem in report.diagnostics]
    blocks += ["\n".join(frame(group, palette, fixes)) for group in grouped(report)]
    last = [verdict(report, palette)]
    last += [f"{palette.paint('launch:', 'label')} {text}" for text in launches(report)]
    if fixes and report.findings:
        count = sum(finding.fix is not None for finding in report.findings)
        of = plural(len(report.findings), "finding", "findings")
        text = f"{count} of {of} with a change that was counted again; no file is edited"
        last.append(f"{palette.paint('fixes:', 'label')} {text}")
    if report.summary.accesses.unknown:
        last.append(f"{palette.paint('unknown:', 'label')} {UNKNOWN}")
    blocks.append("\n".join([*last, summary(report)]))
    return "\n\n".join(blocks) + "\n"


def problem_frame(
    problem: Diagnostic, sources: dict[str, Source], palette: Palette
) -> Iterator[str]:
    yield diagnostic(problem, palette)
    source = sources.get(problem.path)
    if source is not None and problem.line:
        text = source.line_text(problem.line)
        place = Location(problem.path, problem.line, problem.column, text)
        if text.strip():
            width = len(str(problem.line))
            yield from excerpt(place, width, style_of(problem.severity), palette, word=True)


def frame(group: Group, palette: Palette, fixes: bool = False) -> Iterator[str]:
    located = group.first
    severity = located.finding.severity.value
    captions = list(dict.fromkeys((place, other.message) for other, place in located.related))
    if located.in_source:
        captions.append((located.ptx, f"in {demangled(located.finding.kernel.name)}"))
    width = max(len(str(place.line)) for place in (located.primary, *(p for p, _ in captions)))
    bar = palette.paint("|", "gutter")
    yield claim(group, palette)
    yield from excerpt(located.primary, width, severity, palette)
    for place, caption in captions:
        yield f"{' ' * width} {bar} {palette.paint(harmless(f'{place}: {caption}'), 'faint')}"
        yield from excerpt(place, width, "faint", palette, underline=False)
    said = list(notes(group, fixes))
    longest = max((len(label) for label, _ in said), default=0)
    for label, text in said:
        mark = f"{palette.paint('=', 'gutter')} {palette.paint(f'{label}:', 'label')}"
        yield f"{' ' * width} {mark} {' ' * (longest - len(label))}{harmless(text)}"


def notes(group: Group, fixes: bool = False) -> Iterator[tuple[str, str]]:
    """What the claim rests on, each line with its label."""
    located = group.first
    finding = located.finding
    for call in located.calls:
        yield "inlined", f"{call.function}, called at {call.place}"
    if finding.witness is not None:
        yield "witness", witness(finding.witness, finding, located.checked)
    if finding.condition is not None:
        yield "when", finding.condition
    if finding.cost is not None:
        cost = finding.cost
        best = f"{cost.best} to " if cost.best not in (None, cost.actual) else ""
        some = finding.share is not None and finding.share < 100
        part = f"; {finding.share} % of the kernel's" if some else ""
        yield "cost", f"{best}{cost.actual} {cost.unit} a warp, ideal {cost.ideal}{part}"
    if finding.reason is not None:
        yield "unsure", finding.reason
    if group.more:
        yield "also", group.suffix
    if finding.help is not None:
        yield "help", finding.help
    if fixes and located.edit is not None:
        yield "fix", str(located.edit)


def witness(seen: Witness, finding: Finding, checked: CheckedKernel) -> str:
    """``block (3,0,0) thread (17,0,0): reads byte 4096 of s[0..4096)``, and the launch it is in."""
    text = f"block {triple(seen.ctaid)} thread {triple(seen.tid)}"
    fact = finding.access
    if fact is not None and seen.address is not None:
        access = finding.instr.access
        verbs = {"load": "reads", "store": "writes", "atomic": "updates"}
        verb = verbs.get(access.kind, "touches") if access is not None else "touches"
        text += f": {verb} byte {seen.address} of {extent(fact, checked)}"
    launch = [f"grid {shown(seen.grid)}", f"block {shown(seen.block)}"]
    launch += [f"{name}={value}" for name, value in seen.arguments.items()]
    return f"{text} ({', '.join(launch)})"


def triple(of: tuple[int, int, int]) -> str:
    return f"({','.join(map(str, of))})"


def extent(fact: AccessFact, checked: CheckedKernel) -> str:
    """The region with its extent: ``s[0..4096)``."""
    name = demangled(fact.region or fact.space)
    arrays = [r for r in checked.kernel.regions if r.size is not None and r.space != "param"]
    sizes = {demangled(array.name): array.size for array in arrays}
    for index, buffer in checked.launch.buffers.items():
        if buffer.bytes.single:
            sizes[checked.launch.names[index]] = buffer.bytes.high
    return f"{name}[0..{sizes[name]})" if name in sizes else name


# --- excerpts


def excerpt(
    place: Location,
    width: int,
    style: str,
    palette: Palette,
    underline: bool = True,
    word: bool = False,
) -> Iterator[str]:
    """A line with its number, and a line that underlines what is meant."""
    text, start, length = window(place.text, place.column, word)
    bar = palette.paint("|", "gutter")
    number = palette.paint(str(place.line).rjust(width), "gutter")
    yield f"{number} {bar} {text}".rstrip()
    if underline:
        yield f"{' ' * width} {bar} {' ' * start}{palette.paint('^' * length, style)}"


def window(line: str, column: int, word: bool = False) -> tuple[str, int, int]:
    """The line cut to a width, where the mark starts in it, and how long the mark is: a statement
    up to its semicolon, or one word."""
    line = harmless(line)
    rest = line[column - 1 :]
    pattern = r"[\w.$%:]+|." if word else r"[^;{]*[^;{\s]"
    found = re.match(pattern, rest.split("//")[0]) if rest else None
    length = len(found[0]) if found else 1
    start = len(untabbed(line[: column - 1]))
    text = untabbed(line)
    left = max(0, min(start - WIDTH // 4, len(text) - WIDTH)) if len(text) > WIDTH else 0
    shown_text = text[left : left + WIDTH]
    if left:
        shown_text = "..." + shown_text[3:]
    if left + WIDTH < len(text):
        shown_text = shown_text[:-3] + "..."
    start -= left
    return shown_text, start, max(1, min(length, len(shown_text.rstrip()) - start))


def untabbed(line: str) -> str:
    """Tabs that indent become four spaces, tabs that separate one."""
    rest = line.lstrip("\t")
    return TAB * (len(line) - len(rest)) + re.sub(r" *\t", " ", rest)
