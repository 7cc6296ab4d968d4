"""A Code Quality report for GitLab: findings, and what could not be analysed, with paths from the
root of the repository."""

from __future__ import annotations

import json
from collections.abc import Iterator
from hashlib import sha256
from typing import Any

from ptxlint.reports.view import View
from ptxlint.results.fingerprint import from_root
from ptxlint.results.report import Report
from ptxlint.source import harmless

SEVERITIES = {"error": "critical", "warning": "major", "note": "info"}


def render(report: Report, view: View) -> str:
    return json.dumps(list(issues(report)), indent=1) + "\n"


def issues(report: Report) -> Iterator[dict[str, Any]]:
    for group in report.groups():
        found = group.first
        more = f" ({group.suffix})" if group.more else ""
        yield {
            "description": harmless(found.message + more),
            "check_name": found.rule,
            "fingerprint": found.fingerprint,
            "severity": SEVERITIES[found.severity.value],
            "location": location(found.location.path, found.location.line, found.location.end_line),
        }
    for problem in dict.fromkeys(report.diagnostics):
        if problem.severity != "note":
            path = from_root(problem.path)
            key = "\0".join((path, str(problem.line), str(problem.column), problem.message))
            yield {
                "description": harmless(problem.message),
                "check_name": "analysis",
                "fingerprint": sha256(key.encode(errors="surrogatepass")).hexdigest()[:32],
                "severity": "blocker" if problem.severity == "error" else "major",
                "location": location(problem.path, problem.line, problem.line),
            }


def location(path: str, line: int, end: int) -> dict[str, Any]:
    """A file without a line is named with its first."""
    first = max(line, 1)
    return {"path": harmless(from_root(path)), "lines": {"begin": first, "end": max(end, first)}}
