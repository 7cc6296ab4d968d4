"""The lines shared by the text reports: claims and the last lines."""

from __future__ import annotations

from collections import Counter

from ptxlint.reports.colour import Palette
from ptxlint.reports.verdicts import counted, short
from ptxlint.results.finding import Severity
from ptxlint.results.report import Group, Report
from ptxlint.results.verdict import CORRECTNESS
from ptxlint.source import Diagnostic, harmless, plural


def diagnostic(problem: Diagnostic, palette: Palette) -> str:
    """``path:line:col: error: message``; without line and column where there are none."""
    severity = palette.paint(problem.severity, style_of(problem.severity))
    return (
        f"{palette.paint(harmless(problem.place), 'path')}: {severity}: {harmless(problem.message)}"
    )


def style_of(severity: str) -> str:
    return severity if severity in ("error", "warning") else "note"


def claim(group: Group, palette: Palette) -> str:
    """``path:line:col: severity[rule] message``"""
    found = group.first
    named = f"{found.severity.value}[{palette.link(found.rule)}]"
    severity = palette.paint(named, found.severity.value)
    place = palette.paint(harmless(str(found.location)), "path")
    return f"{place}: {severity} {harmless(found.message)}"


# --- the last lines


def headline(report: Report, palette: Palette) -> str:
    """How many findings of each severity; without any, what is not proved; how many are not
    reported."""
    return verdict(report, palette) + (f" ({report.silenced})" if report.silenced else "")


def verdict(report: Report, palette: Palette) -> str:
    counts = Counter(finding.severity for finding in report.findings)
    counts[Severity.WARNING] += sum(one.severity == "warning" for one in report.diagnostics)
    words = [
        palette.paint(plural(counts[s], s.value, f"{s.value}s"), s.value)
        for s in Severity
        if counts[s]
    ]
    summary = report.summary
    if not summary.analysed:
        return palette.paint("nothing was analysed", "error")
    if report.failed:
        what = "not everything could be analysed"
        if report.executed is not None:
            what = "the run did not finish"
        words.append(palette.paint(what, "error"))
    if words or report.executed is not None:
        return ", ".join(words) or palette.paint("no findings", "good")
    missing = [one.name.value for one in summary.incomplete()]
    if not missing:
        return palette.paint("no findings", "good")
    correctness = [one for one in summary.verdicts if one.name in CORRECTNESS]
    if not any(one.proved for one in correctness):
        return "no findings, but nothing is proved"
    return f"no findings; not proved: {', '.join(missing)}"


def launches(report: Report) -> list[str]:
    """Which launch each kernel was checked for, kernels with the same one together."""
    kernels: dict[str, Counter[str]] = {}
    for kernel in report.kernels:
        kernels.setdefault(harmless(kernel.launch), Counter())[short(kernel)] += 1
    if len(kernels) == 1:
        return list(kernels)
    return [f"{text}: {names(members)}" for text, members in kernels.items()]


def assumptions(report: Report) -> list[str]:
    """What is assumed of launches, each once."""
    declared = (kernel.declared for kernel in report.kernels if kernel.declared is not None)
    found = dict.fromkeys(text for each in declared for text in each.assumed)
    return [f"{text} where no grid is declared; not with --any-grid" for text in found]


def names(kernels: Counter[str], most: int = 3) -> str:
    told = dict(list(kernels.items())[:most])
    rest = kernels.total() - sum(told.values())
    return ", ".join(counted(*one) for one in told.items()) + (f" and {rest} more" if rest else "")
