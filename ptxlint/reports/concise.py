"""One line for each finding, for terminals that are read by programs and for long lists."""

from __future__ import annotations

from ptxlint.check import Report
from ptxlint.reports.colour import Palette
from ptxlint.reports.lines import claim, diagnostic, grouped, summary


def render(report: Report, palette: Palette) -> str:
    lines = [diagnostic(problem, palette) for problem in report.diagnostics]
    for group in grouped(report):
        suffix = f" ({group.suffix})" if group.more else ""
        lines.append(claim(group, palette) + suffix)
    lines.append(summary(report))
    return "\n".join(lines) + "\n"
