"""The report as one JSON document, of the schema ``ptxlint-report/1``."""

from __future__ import annotations

from ptxlint.reports.view import View
from ptxlint.results.report import Report


def render(report: Report, view: View) -> str:
    """Fixes are left out unless the view has them."""
    return (report if view.fixes else report.without_fixes()).to_json()
