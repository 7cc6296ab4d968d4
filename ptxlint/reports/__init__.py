"""Rendering of a report in one of several formats: each is a module of this package with a function
``render``."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from ptxlint.reports.view import View

if TYPE_CHECKING:
    from ptxlint.results.report import Report

FORMATS = {
    "full": "a code frame for each finding, then the verdict on each property",
    "concise": "a line for each finding",
    "json": "all results in one document: launches, verdicts, every access",
    "jsonl": "the same, a line of JSON for each finding, kernel and diagnostic",
    "sarif": "SARIF 2.1.0, for GitHub code scanning and other viewers",
    "github": "annotations of a GitHub Actions run",
    "gitlab": "a Code Quality report of GitLab",
    "junit": "JUnit XML, a test case for each property of each kernel",
}
TEXTS = ("full", "concise")
"""The formats for people."""


def render(report: Report, form: str, view: View | None = None) -> str:
    """The report as text; ``form`` is one of FORMATS."""
    text: str = import_module(f"ptxlint.reports.{form}").render(report, view or View())
    return text


def notices(report: Report, form: str) -> list[str]:
    """What of the report its reader leaves out: a line each."""
    limits = getattr(import_module(f"ptxlint.reports.{form}"), "notices", None)
    return list(limits(report)) if limits is not None else []
