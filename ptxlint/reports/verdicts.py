"""The verdict in the last lines: each property, a table of kernels, the conditions of what is
conditional, and on demand every subject that is not decided."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from ptxlint.mangling import demangled
from ptxlint.reports.colour import Palette
from ptxlint.reports.required import missing_of
from ptxlint.results.reasons import REASONS
from ptxlint.results.report import KernelResult, KernelVerdict, Report, plainly_proved
from ptxlint.results.verdict import Property, Status, Verdict
from ptxlint.source import harmless, plural

KERNELS = 10  # rows of the table, and conditions
ASKED = 8  # lines that name what is missing
NAME, CELL, CONDITION, OPTION = 32, 26, 160, 48  # characters
FINE = ("-", "proved", "ideal")  # cells that ask for nothing
COLUMNS = (Property.BOUNDS, Property.RACES, Property.BARRIERS, Property.COSTS)
OPEN = (Status.CONDITIONAL, Status.UNDECIDED)


def lines(report: Report, palette: Palette) -> Iterator[str]:
    """The table, the conditions and a line for each property that is not proved."""
    judged = [one for one in report.judged if one.verdicts]
    if len(judged) > 1:
        yield from table(judged, palette)
    yield from conditions(judged, palette)
    verdicts = report.summary.verdicts
    for one in verdicts:
        if not plainly_proved(one) and not one.empty:
            yield f"{palette.paint(f'{one.name.value}:', 'label')} {harmless(one.text)}"
    for title, about in (
        ("proved:", [one for one in verdicts if plainly_proved(one)]),
        ("nothing to prove:", [one for one in verdicts if one.empty]),
    ):
        if about:
            names = ", ".join(one.name.value for one in about)
            yield f"{palette.paint(title, 'label')} {names}"


# --- kernels


def table(judged: Sequence[KernelVerdict], palette: Palette) -> Iterator[str]:
    """A row for each kernel, those that look alike together; of many, the worst ones. Columns
    without a subject are left out."""
    columns = [p for p in COLUMNS if any(not of(one, p).empty for one in judged)]
    alike = Counter((short(one.kernel), *(cell(of(one, p)) for p in columns)) for one in judged)
    rows = [(counted(name, alike[name, *cells]), *cells) for name, *cells in shown(alike)]
    heads = ("", *(p.value for p in columns))
    widths = [max(map(len, column)) for column in zip(heads, *rows, strict=True)]
    for number, row in enumerate((heads, *rows)):
        text = "  ".join(t.ljust(width) for t, width in zip(row, widths, strict=True)).rstrip()
        yield palette.paint(text, "label") if not number else harmless(text)
    if rest := len(alike) - len(rows):
        yield f"and {rest} more"


def shown(rows: Iterable[tuple[str, ...]]) -> list[tuple[str, ...]]:
    """The rows that are printed: of many, those with the fewest proofs, in their order."""
    every = list(rows)
    least = sorted(every, key=lambda row: sum(cell in FINE for cell in row))[:KERNELS]
    return [row for row in every if row in least]


def counted(name: str, count: int) -> str:
    return name if count == 1 else f"{name} ({count} kernels)"


def of(judged: KernelVerdict, about: Property) -> Verdict:
    return next(one for one in judged.verdicts if one.name is about)


def cell(verdict: Verdict) -> str:
    """``9 of 10 proved``, ``2 flagged``: what counts most, in few characters."""
    if verdict.empty:
        return "-"
    if verdict.unchecked:
        option = verdict.option or ""
        return cut(f"not checked: {option.split(' ')[0]}" if option else "not checked", CELL)
    costs = verdict.name is Property.COSTS
    if verdict.status is Status.PROVED:
        return "ideal" if costs else "proved"
    words = {
        "above ideal" if costs else "flagged": verdict.flagged,
        "unknown" if costs else "undecided": verdict.undecided,
        "conditional": verdict.conditional,
    }
    word, count = next((word, count) for word, count in words.items() if count)
    return f"{count} of {verdict.total} {word}"


def conditions(judged: Sequence[KernelVerdict], palette: Palette) -> Iterator[str]:
    """A line for each kernel with conditional accesses, and for one whose inference was cut."""
    said = Counter((short(one.kernel), text) for one in judged if (text := condition(one)))
    for (name, text), count in list(said.items())[:KERNELS]:
        yield f"{palette.paint(f'{counted(name, count)}:', 'label')} {harmless(text)}"
    if len(said) > KERNELS:
        yield f"and {len(said) - KERNELS} more with conditions: ptxlint contract prints them"


def condition(judged: KernelVerdict) -> str:
    """``safe if x, y >= 4*n bytes``; what it is said of, if not of all accesses."""
    counts, found = judged.accesses, judged.kernel.condition
    cut_at = {
        one.ptx
        for one in judged.unproved
        if one.property is Property.BOUNDS and one.reason == REASONS["budget"]
    }
    more = f"inference was cut at {plural(len(cut_at), 'access', 'accesses')}" if cut_at else ""
    if found is None:
        return more
    every = plural(counts.total, "access", "accesses")
    some = counts.undecided or counts.flagged
    which = f"{counts.proved + counts.conditional} of {every} " if some else ""
    text = f"{which}safe if {cut(found, CONDITION)}"
    return "; ".join(filter(None, (text, more)))


def short(kernel: KernelResult) -> str:
    """Its name without template arguments: instances of one template share it."""
    return cut(harmless(demangled(kernel.name)), NAME, end=True)


def cut(text: str, width: int, end: bool = False) -> str:
    """The text in so many characters: the first ones, or the last ones if its ``end`` matters."""
    if len(text) <= width:
        return text
    return f"...{text[3 - width :]}" if end else f"{text[: width - 3]}..."


# --- what is missing


def missing(report: Report, required: Iterable[Property], palette: Palette) -> Iterator[str]:
    """The required properties that are not proved, and a line for each thing that is missing: the
    option that decides it, and why; the most frequent first."""
    names = [one.name for one in report.summary.incomplete(required)]
    if not names:
        return
    asked = Counter[tuple[str, str]]()
    for judged in report.judged:
        asked.update(
            (one.option or "", one.reason or "")
            for one in judged.verdicts
            if one.unchecked and one.name in names
        )
        asked.update(
            (one.option or "", one.reason)
            for one in judged.unproved
            if one.property in names and one.status in OPEN
        )
    listed = ", ".join(name.value for name in names)
    yield f"{palette.paint('required, not proved:', 'error')} {listed}"
    lines = [one for one, _ in asked.most_common() if any(one)]
    width = max((len(option) for option, _ in lines[:ASKED] if len(option) <= OPTION), default=0)
    for option, reason in lines[:ASKED]:
        yield harmless(f"  {option or '(no option)':{width}}  {reason}")
    if len(lines) > ASKED:
        yield f"  and {len(lines) - ASKED} more: --show-undecided"
    silent = [one for one in missing_of(report, required) if one.silenced]
    for one in silent[:ASKED]:
        yield harmless(f"  {one.location.short}: {one.about.value}: {one.why}")
    if len(silent) > ASKED:
        yield f"  and {len(silent) - ASKED} more that are known or ignored"


def undecided(report: Report) -> list[str]:
    """A line for each source line and reason: where, which properties, what is missing, the option
    that decides it. Kernels of one template share lines."""
    return list(dict.fromkeys(line for one in report.judged for line in open_subjects(one)))


def open_subjects(judged: KernelVerdict) -> Iterator[str]:
    name = harmless(judged.kernel.demangled)
    for verdict in judged.verdicts:
        if verdict.unchecked and verdict.name is not Property.COSTS:
            where = f"{judged.kernel.location.short}: {verdict.name.value}"
            yield harmless(f"{where} of {name}: not checked: {verdict.asks}")
    groups: dict[tuple[object, ...], Counter[str]] = {}
    for one in judged.unproved:
        if one.status in OPEN and one.property is not Property.COSTS:
            key = (one.location.short, one.status.value, one.reason, one.option)
            groups.setdefault(key, Counter())[one.property.value] += 1
    for (place, status, reason, option), about in groups.items():
        more = f" ({max(about.values())} times)" if max(about.values()) > 1 else ""
        decides = f"; {option}" if option else ""
        yield harmless(f"{place}: {', '.join(about)}: {status}{more}: {reason}{decides}")
