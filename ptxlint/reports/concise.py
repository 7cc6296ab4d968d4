"""One line for each finding, for terminals that are read by programs and for long lists."""

from __future__ import annotations

from ptxlint.reports import verdicts
from ptxlint.reports.colour import Palette
from ptxlint.reports.lines import claim, diagnostic
from ptxlint.results.report import Report
from ptxlint.results.verdict import Property


def render(
    report: Report, palette: Palette, undecided: bool = False, required: tuple[Property, ...] = ()
) -> str:
    lines = [diagnostic(problem, palette) for problem in report.diagnostics]
    for group in report.groups():
        suffix = f" ({group.suffix})" if group.more else ""
        lines.append(claim(group, palette) + suffix)
    if undecided:
        lines += verdicts.undecided(report)
    if report.executed is None:
        lines += verdicts.missing(report, required, palette)
    lines.append(report.last_line())
    return "\n".join(lines) + "\n"
