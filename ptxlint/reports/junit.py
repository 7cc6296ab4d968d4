"""JUnit XML: a test suite for each kernel, with a test case for each property.

A property fails with its findings from ``fail_on`` up, and where it is required and not
proved; it is skipped where that is not required.
Findings about no property are test cases of their rules. What could not be analysed is an error.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Iterator
from xml.etree import ElementTree
from xml.etree.ElementTree import Element, SubElement

from msgspec import Struct
from msgspec.structs import replace

from ptxlint.reports.view import View
from ptxlint.results.finding import Finding, Severity
from ptxlint.results.report import Report
from ptxlint.results.verdict import Property, Status, Verdict
from ptxlint.rule import load_rule
from ptxlint.source import harmless

NOT_XML = re.compile("[\ud800-\udfff\ufffe\uffff]")  # beside what is not harmless


class TestCase(Struct, frozen=True):
    """A test case: it passed unless it has a ``kind`` ("failure", "error", "skipped")."""

    name: str
    kind: str = ""
    message: str = ""
    text: str = ""
    output: str = ""


def render(report: Report, view: View) -> str:
    suites = Element("testsuites", name="ptxlint", time=f"{report.seconds:.3f}")
    order = [severity.value for severity in Severity]
    failing = order[: order.index(view.fail_on) + 1]
    kinds = {"error": "error"} | ({"warning": "failure"} if "warning" in failing else {})
    problems = [TestCase(clean(problem.place), kinds[problem.severity], clean(problem.message))
                for problem in report.diagnostics if problem.severity in kinds]  # fmt: skip
    if problems:
        add(suites, "analysis", "ptxlint", problems)
    found: dict[tuple[str, str], list[Finding]] = {}
    for one in report.findings:
        found.setdefault((one.ptx.path, one.kernel), []).append(one)
    verdicts = {(j.kernel.location.path, j.kernel.name): j.verdicts for j in report.judged}
    for path, kernel in dict.fromkeys((*verdicts, *found)):
        about = found.get((path, kernel), ())
        add(
            suites,
            kernel,
            path,
            cases(about, verdicts.get((path, kernel), ()), failing, view.required),
        )
    for key in ("tests", "failures", "errors", "skipped"):
        suites.set(key, str(sum(int(suite.get(key, "0")) for suite in suites)))
    ElementTree.indent(suites, " ")
    return f'<?xml version="1.0" encoding="utf-8"?>\n{ElementTree.tostring(suites, "unicode")}\n'


def cases(
    findings: Iterable[Finding],
    verdicts: Iterable[Verdict],
    failing: Iterable[str],
    required: Container[Property] = (),
) -> Iterator[TestCase]:
    rest = {one: subject(one) for one in findings}
    for verdict in verdicts:
        about = [one for one, property in rest.items() if property == verdict.name]
        if not verdict.empty or about:
            open_ = verdict.text if verdict.status is not Status.PROVED else ""
            found = case(verdict.name.value, about, failing, open_)
            fails = found.kind == "skipped" and verdict.name in required
            message = f"required, not proved: {found.message}"
            yield replace(found, kind="failure", message=message) if fails else found
        rest = {one: property for one, property in rest.items() if one not in about}
    for name in dict.fromkeys(one.rule for one in rest):
        yield case(name, [one for one in rest if one.rule == name], failing)


def clean(text: str) -> str:
    return NOT_XML.sub("?", harmless(text))


def subject(finding: Finding) -> Property | None:
    """The property that a finding is about."""
    return load_rule(finding.rule).rule.property


def case(name: str, about: list[Finding], failing: Iterable[str], unproved: str = "") -> TestCase:
    bad = [one for one in about if one.severity.value in failing]
    said = [clean(str(one)) for one in about if one not in bad]
    if bad:
        text = "\n".join(clean(str(one)) for one in bad)
        return TestCase(name, "failure", clean(bad[0].message), text, "\n".join(said))
    if unproved:
        return TestCase(name, "skipped", clean(unproved), output="\n".join(said))
    return TestCase(name, output="\n".join(said))


def add(suites: Element, name: str, path: str, given: Iterable[TestCase]) -> None:
    """A suite of test cases with its counts."""
    every = list(given)
    suite = SubElement(suites, "testsuite", name=clean(name), file=clean(path))
    counts = {"failures": "failure", "errors": "error", "skipped": "skipped"}
    suite.set("tests", str(len(every)))
    for key, kind in counts.items():
        suite.set(key, str(sum(one.kind == kind for one in every)))
    for one in every:
        test = SubElement(suite, "testcase", name=one.name, classname=clean(f"{path}.{name}"))
        if one.kind:
            SubElement(test, one.kind, message=one.message).text = one.text or None
        if one.output:
            SubElement(test, "system-out").text = one.output
