"""The report as lines of JSON, for programs that read one entry at a time.

Each line is an object. Its ``type`` is "report" on the first line, with schema and version, then
"finding", "contract", "diagnostic" or "kernel", with the fields that the JSON document has for such
an entry, and "summary" on the last line.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from ptxlint.reports.view import View
from ptxlint.results.report import Report

LISTS = {
    "findings": "finding",
    "contracts": "contract",
    "diagnostics": "diagnostic",
    "kernels": "kernel",
}


def render(report: Report, view: View) -> str:
    document = (report if view.fixes else report.without_fixes()).document()
    return "".join(f"{json.dumps(entry, allow_nan=False)}\n" for entry in entries(document))


def entries(document: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield {"type": "report", "schema": document["schema"], "version": document["version"]}
    for name, kind in LISTS.items():
        yield from ({"type": kind, **entry} for entry in document.get(name, ()))
    yield {"type": "summary", **document["summary"]}
