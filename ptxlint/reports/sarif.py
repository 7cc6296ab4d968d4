"""SARIF 2.1.0, with what GitHub code scanning asks for.

A result is a claim about one source line; its PTX is a related location, since PTX is seldom in the
repository. Paths are relative to the root of the repository. What was not analysed is a
notification of the invocation. Findings that are ignored are left out: GitHub opens alerts for
results with suppressions, too.

GitHub takes 25,000 results of a run and shows the 5,000 most severe, a file of 10 MB when it is
compressed, 1,000 locations of a result, and texts of 1,024 characters in a rule's description.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterator, Sequence
from typing import Any
from urllib.parse import quote

from ptxlint.documentation import rule_page
from ptxlint.reports.required import Missing, missing_of
from ptxlint.reports.view import View
from ptxlint.results.finding import Certainty, Finding, Severity, Span
from ptxlint.results.fingerprint import from_root
from ptxlint.results.report import Group, Report
from ptxlint.results.serialization import to_json
from ptxlint.rule import RuleModule, load_rules
from ptxlint.source import Diagnostic, harmless
from ptxlint.version import VERSION

Json = dict[str, Any]

SCHEMA = (
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)
LEVELS = {"error": "error", "warning": "warning", "note": "note"}
SEVERITIES = {"error": "error", "warning": "warning", "note": "recommendation"}
PRECISIONS = {
    Certainty.PROVED: "very-high",
    Certainty.WITNESS: "very-high",
    Certainty.POSSIBLE: "low",
}
MOST_RESULTS, SHOWN_RESULTS, MOST_LOCATIONS = 25_000, 5_000, 1_000
MOST_BYTES = 10_000_000  # compressed
LONGEST = 1024  # characters of a description
RANK = {severity: rank for rank, severity in enumerate(Severity)}


def render(report: Report, view: View) -> str:
    groups = kept(report)
    while True:
        text = json.dumps(document(report, groups, view), indent=1) + "\n"
        if not too_large(text) or not groups:
            return text
        groups = groups[: len(groups) // 2]


def kept(report: Report) -> list[Group]:
    """The results that GitHub takes: all of them, or the most severe ones, in their order."""
    groups = report.groups()
    if len(groups) <= MOST_RESULTS:
        return groups
    return sorted(groups, key=lambda group: RANK[group.first.severity])[:MOST_RESULTS]


def too_large(text: str) -> bool:
    data = text.encode()
    return len(data) > MOST_BYTES and len(zlib.compress(data)) > MOST_BYTES


def notices(report: Report) -> Iterator[str]:
    """That results are left out, or are not shown by GitHub."""
    count = len(report.groups())
    if count > MOST_RESULTS:
        yield (
            f"{count:,} results: GitHub takes {MOST_RESULTS:,} of a run and shows"
            f" {SHOWN_RESULTS:,}; the most severe {MOST_RESULTS:,} are written"
        )
    elif count > SHOWN_RESULTS:
        yield f"{count:,} results: GitHub shows the {SHOWN_RESULTS:,} most severe ones of a run"


def document(report: Report, groups: Sequence[Group], view: View) -> Json:
    site = view.documentation
    modules = list(load_rules().values())
    index = {module.id: number for number, module in enumerate(modules)}
    certainties: dict[str, set[Certainty]] = {}
    for group in groups:
        certainties.setdefault(group.first.rule, set()).add(group.first.certainty)
    rules = [rule(module, certainties.get(module.id, ()), site) for module in modules]
    driver = {"name": "ptxlint", "version": VERSION, "semanticVersion": VERSION}
    address = {"informationUri": site} if site else {}
    run = {
        "tool": {"driver": {**driver, **address, "rules": rules}},
        "columnKind": "unicodeCodePoints",
        "originalUriBaseIds": {"%SRCROOT%": {"description": {"text": "root of the repository"}}},
        "invocations": [
            {
                "executionSuccessful": not report.failed,
                "toolExecutionNotifications": [
                    *notifications(report, len(groups)),
                    *map(unproved, missing_of(report, view.required)),
                ],
            }
        ],
        "results": [result(group, index) for group in groups],
        "properties": {"summary": report.document()["summary"]},
    }
    return {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}


# --- rules


def rule(module: RuleModule, certainties: set[Certainty] | tuple[()], site: str) -> Json:
    """GitHub reads one precision for all results of a rule: that of the least certain one."""
    least = Certainty.POSSIBLE if Certainty.POSSIBLE in certainties else Certainty.PROVED
    known = module.rule
    first, _, rest = module.page.partition("\n\n")
    what = rest.partition("\n\n")[0].partition("\n")[2]
    described = " ".join(what.split())[:LONGEST]
    return {
        "id": known.id,
        "shortDescription": {"text": known.summary},
        "fullDescription": {"text": described or first},
        "help": {"text": module.page, "markdown": markdown(module)},
        **({"helpUri": rule_page(site, known.id)} if site else {}),
        "defaultConfiguration": {"level": LEVELS[known.severity.value]},
        "properties": {
            "tags": list(known.tags),
            "precision": PRECISIONS[least],
            "problem.severity": SEVERITIES[known.severity.value],
        },
    }


def markdown(module: RuleModule) -> str:
    """The rule's page, its headings in bold."""
    from textwrap import dedent

    blocks = []
    for block in module.page.split("\n\n"):
        heading, _, rest = block.partition("\n")
        blocks.append(f"**{heading}**\n\n{dedent(rest)}" if rest.startswith(" ") else dedent(block))
    return "\n\n".join(blocks)


# --- results


def result(group: Group, index: dict[str, int]) -> Json:
    found = group.first
    related = [(one.location, one.message) for one in found.related]
    if found.in_source:
        related.insert(0, (found.ptx, f"PTX of {found.demangled}"))
    said = [found.message, found.condition and f"When: {found.condition}.", found.help]
    facts = {
        "certainty": found.certainty,
        "precision": PRECISIONS[found.certainty],
        "kernel": found.demangled,
        "condition": found.condition,
        "reason": found.reason,
        "access": found.access,
        "cost": found.cost,
        "witness": found.witness,
    }
    return {
        "ruleId": found.rule,
        **({"ruleIndex": index[found.rule]} if found.rule in index else {}),
        "level": LEVELS[found.severity.value],
        "message": {"text": harmless(". ".join(filter(None, said)))},
        "locations": [location(found.location)],
        "relatedLocations": [
            {"id": number, **location(span), "message": {"text": harmless(text)}}
            for number, (span, text) in enumerate(related[: MOST_LOCATIONS - 1], 1)
        ],
        **code_flow(found),
        "occurrenceCount": group.more + 1,
        "partialFingerprints": {
            "ptxlint/v1": found.fingerprint,
            "primaryLocationLineHash": found.fingerprint,
        },
        "properties": {name: to_json(value) for name, value in facts.items() if value is not None},
    }


def code_flow(found: Finding) -> Json:
    """The calls that lead to inlined code, the outermost first, and the finding."""
    calls = [(one.location, one.message) for one in found.related if one.inlined is not None]
    if not calls:
        return {}
    steps = [*reversed(calls[: MOST_LOCATIONS - 1]), (found.location, found.message)]
    flow = [
        {"location": {**location(span), "message": {"text": harmless(text)}}}
        for span, text in steps
    ]
    return {"codeFlows": [{"threadFlows": [{"locations": flow}]}]}


def location(span: Span) -> Json:
    place: Json = {"artifactLocation": {"uri": uri(span.path), "uriBaseId": "%SRCROOT%"}}
    if span.line > 0:
        place["region"] = {
            "startLine": span.line,
            "startColumn": max(span.column, 1),
            "endLine": max(span.end_line, span.line),
            "endColumn": max(span.end_column, 1),
        }
    return {"physicalLocation": place}


def uri(path: str) -> str:
    return quote(from_root(path), errors="replace")


# --- what was not analysed


def notifications(report: Report, written: int) -> Iterator[Json]:
    for problem in report.diagnostics:
        yield {
            "level": LEVELS[problem.severity],
            "message": {"text": harmless(problem.message)},
            "locations": [location(of(problem))],
        }
    said = list(notices(report))
    left = len(report.groups()) - written
    if left and not said:
        said = [f"{left:,} results are left out: GitHub takes files of {MOST_BYTES:,} bytes"]
    for text in said:
        yield {"level": "warning", "message": {"text": text}}


def unproved(missing: Missing) -> Json:
    """What is required and not proved is no result, which an ignore could close: it is said of the
    check."""
    return {
        "level": "error",
        "message": {"text": harmless(f"{missing.message} in {missing.kernel}")},
        "locations": [location(missing.location)],
    }


def of(problem: Diagnostic) -> Span:
    line, column = problem.line, problem.column
    return Span(problem.path, line, column, line, column)
