"""Workflow commands of GitHub Actions: an annotation at the source line of each finding, with paths
from the root of the repository.

GitHub shows ten errors and ten warnings of a step; the log has them all.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from ptxlint.reports.required import Missing, missing_of
from ptxlint.reports.view import View
from ptxlint.results.finding import Span
from ptxlint.results.fingerprint import from_root
from ptxlint.results.report import Group, Report
from ptxlint.source import Diagnostic, harmless, plural

COMMANDS = {"error": "error", "warning": "warning", "note": "notice"}
MOST = 10  # annotations of one kind that GitHub shows of a step


def render(report: Report, view: View) -> str:
    lines = [diagnostic(problem) for problem in report.diagnostics]
    lines += map(finding, report.groups())
    lines += map(unproved, missing_of(report, view.required))
    lines += [f"::notice title=ptxlint::{data(text)}" for text in notices(report)]
    return "\n".join([*lines, harmless(report.last_line())]) + "\n"


def finding(group: Group) -> str:
    found = group.first
    message = found.message
    if group.more:
        message += f" ({group.suffix})"
    if found.in_source:
        message += f"\nin {found.demangled}, {found.ptx}"
    if found.condition is not None:
        message += f"\nwhen: {found.condition}"
    if found.help is not None:
        message += f"\nhelp: {found.help}"
    return command(COMMANDS[found.severity.value], found.rule, found.location, message)


def diagnostic(problem: Diagnostic) -> str:
    line, column = problem.line, problem.column
    at = Span(problem.path, line, column, line, column)
    return command(COMMANDS[problem.severity], "analysis", at, problem.message)


def unproved(missing: Missing) -> str:
    message = f"{missing.message}\nin {missing.kernel}"
    return command("error", missing.about.value, missing.location, message)


def command(name: str, rule: str, at: Span, message: str) -> str:
    """Columns are given where a span has one line: GitHub takes them only there."""
    properties = {"title": f"ptxlint {rule}", "file": from_root(at.path)}
    if at.line:
        properties |= {"line": str(at.line), "endLine": str(at.end_line)}
        if at.end_line == at.line:
            properties |= {"col": str(at.column), "endColumn": str(max(at.end_column, at.column))}
    said = ",".join(f"{key}={escaped(value)}" for key, value in properties.items())
    return f"::{name} {said}::{data(message)}"


def notices(report: Report) -> Iterator[str]:
    """That GitHub leaves out annotations, if there are so many."""
    kinds = [COMMANDS[group.first.severity.value] for group in report.groups()]
    kinds += [COMMANDS[problem.severity] for problem in report.diagnostics]
    counts = Counter(kinds)
    if any(count > MOST for count in counts.values()):
        every = ", ".join(plural(counts[kind], kind, f"{kind}s") for kind in sorted(counts))
        yield f"{every}: GitHub shows {MOST} annotations of a kind, the log of this step has all"


def data(text: str) -> str:
    """A message: GitHub takes back percent-encoded line ends."""
    lines = "\n".join(map(harmless, text.split("\n")))
    return lines.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def escaped(text: str) -> str:
    """The value of a property."""
    return data(text).replace(":", "%3A").replace(",", "%2C")
