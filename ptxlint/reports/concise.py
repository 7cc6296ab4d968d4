"""One line for each finding, for terminals that are read by programs and for long lists."""

from __future__ import annotations

from ptxlint.reports import statistics, verdicts
from ptxlint.reports.colour import Palette
from ptxlint.reports.lines import claim, diagnostic
from ptxlint.reports.view import View
from ptxlint.results.report import Report


def render(report: Report, view: View) -> str:
    palette = Palette(view.colour, view.documentation)
    lines = [diagnostic(problem, palette) for problem in report.diagnostics]
    if view.statistics:
        lines += statistics.lines(report, palette)
    else:
        for group in report.groups():
            suffix = f" ({group.suffix})" if group.more else ""
            lines.append(claim(group, palette) + suffix)
    if view.undecided:
        lines += verdicts.undecided(report)
    if report.executed is None:
        lines += verdicts.missing(report, view.required, palette)
    lines.append(report.last_line())
    return "\n".join(lines) + "\n"
