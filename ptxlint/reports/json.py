"""The report as JSON, schema ``ptxlint-report/1``, for other programs.

Keys without a value are left out. ``location`` is the source line where it is at hand, ``ptx`` is
always the PTX line. ``fix`` is there where it was asked for. ``contracts`` are inferred, whatever
is declared. ``diagnostics`` says what could not be read or analysed.
"""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

from ptxlint.check import Report
from ptxlint.finding import AccessFact, RequestCost, Witness
from ptxlint.reports.contract import entries
from ptxlint.reports.fingerprint import fingerprints
from ptxlint.reports.fixes import Edit
from ptxlint.reports.places import Located, Location, locate
from ptxlint.source import Diagnostic
from ptxlint.version import VERSION

SCHEMA = "ptxlint-report/1"


def render(report: Report, fixes: bool = False) -> str:
    return json.dumps(document(report, fixes), indent=1, allow_nan=False) + "\n"


def document(report: Report, fixes: bool = False) -> dict[str, Any]:
    """The report as plain values, with ``fixes`` also what cures a finding."""
    found = locate(report)
    names = fingerprints(found)
    return filled(
        schema=SCHEMA,
        version=VERSION,
        findings=[finding(f, name, fixes) for f, name in zip(found, names, strict=True)],
        contracts=[entry for file in report.files for entry in entries(file)] or None,
        diagnostics=[diagnostic(d) for d in report.diagnostics] or None,
        summary=summary(report),
    )


def filled(**values: Any) -> dict[str, Any]:
    """Without the keys that have no value."""
    return {key: value for key, value in values.items() if value is not None}


def finding(located: Located, fingerprint: str, fixes: bool) -> dict[str, Any]:
    found = located.finding
    related = [
        {"message": other.message, "location": location(place)} for other, place in located.related
    ]
    related += [
        {"message": f"{call.function} is inlined here", "location": location(call.place)}
        for call in located.calls
    ]
    return filled(
        rule=found.rule,
        severity=found.severity.value,
        certainty=found.certainty.value,
        message=found.message,
        condition=found.condition,
        kernel=found.kernel.name,
        location=location(located.primary),
        ptx=location(located.ptx),
        access=found.access and access(found.access),
        cost=found.cost and cost(found.cost),
        share=found.share,
        witness=found.witness and witness(found.witness),
        related=related or None,
        help=found.help,
        fix=edit(located.edit) if fixes and located.edit is not None else None,
        reason=found.reason,
        fingerprint=fingerprint,
    )


def location(place: Location | Edit) -> dict[str, Any]:
    return {"path": place.path, "line": place.line, "column": place.column}


def access(fact: AccessFact) -> dict[str, Any]:
    return filled(
        space=fact.space,
        region=fact.region,
        bytes=fact.bytes,
        offset=fact.offset,
        range=fact.range and list(fact.range),
    )


def cost(of: RequestCost) -> dict[str, Any]:
    return filled(unit=of.unit, actual=of.actual, best=of.best, ideal=of.ideal)


def edit(of: Edit) -> dict[str, Any]:
    return filled(
        location=location(of) if of.line else None,
        what=of.fix.what or None,
        before=of.fix.before,
        after=of.fix.after,
        cost=of.fix.cost,
    )


def witness(seen: Witness) -> dict[str, Any]:
    arguments = {name: number(value) for name, value in seen.arguments.items()}
    return filled(
        grid=list(seen.grid),
        block=list(seen.block),
        ctaid=list(seen.ctaid),
        tid=list(seen.tid),
        address=seen.address,
        arguments=arguments or None,
    )


def number(value: int | float) -> int | float | str:
    """JSON has no infinity: such a number is text."""
    return str(value) if value != value or abs(value) == float("inf") else value


def diagnostic(problem: Diagnostic) -> dict[str, Any]:
    return filled(
        path=problem.path,
        line=problem.line or None,
        column=problem.column or None,
        severity=problem.severity,
        message=problem.message,
    )


def summary(report: Report) -> dict[str, Any]:
    if report.executed is not None:
        return {"executed": asdict(report.executed), "seconds": round(report.seconds, 3)}
    counts = report.summary
    return {
        "files": counts.files,
        "kernels": {"analysed": counts.analysed, "present": counts.present},
        "accesses": {
            "total": counts.accesses.total,
            "proved": counts.accesses.proved,
            "flagged": counts.accesses.flagged,
            "unknown": counts.accesses.unknown,
        },
        "unmodelled": dict(counts.unmodelled),
        "seconds": round(counts.seconds, 3),
    }
