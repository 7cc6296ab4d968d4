"""A Code Quality report for GitLab: findings, what is required and not proved, and what could not
be analysed, with paths from the root of the repository."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from hashlib import sha256
from typing import Any

from ptxlint.reports.required import Missing, missing_of
from ptxlint.reports.view import View
from ptxlint.results.fingerprint import from_root
from ptxlint.results.report import Report
from ptxlint.source import harmless

SEVERITIES = {"error": "critical", "warning": "major", "note": "info"}


def render(report: Report, view: View) -> str:
    return (
        json.dumps([*issues(report), *unproved(missing_of(report, view.required))], indent=1) + "\n"
    )


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
            key = path, str(problem.line), str(problem.column), problem.message
            yield {
                "description": harmless(problem.message),
                "check_name": "analysis",
                "fingerprint": key_of(*key),
                "severity": "blocker" if problem.severity == "error" else "major",
                "location": location(problem.path, problem.line, problem.line),
            }


def unproved(missing: Iterable[Missing]) -> Iterator[dict[str, Any]]:
    """An issue for each place; its fingerprint has no line, which moves, but its ordinal."""
    seen = Counter[tuple[str, ...]]()
    for one in missing:
        what = from_root(one.location.path), one.kernel, one.about.value, one.why
        seen[what] += 1
        yield {
            "description": harmless(one.message),
            "check_name": one.about.value,
            "fingerprint": key_of(*what, str(seen[what])),
            "severity": "critical",
            "location": location(one.location.path, one.location.line, one.location.end_line),
        }


def key_of(*words: str) -> str:
    return sha256("\0".join(words).encode(errors="surrogatepass")).hexdigest()[:32]


def location(path: str, line: int, end: int) -> dict[str, Any]:
    """A file without a line is named with its first."""
    first = max(line, 1)
    return {"path": harmless(from_root(path)), "lines": {"begin": first, "end": max(end, first)}}
