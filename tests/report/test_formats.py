"""Each format is what its readers take: valid by its schema, with paths from the root of the
repository, and whatever a PTX file is called or contains."""

from __future__ import annotations

import json
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from msgspec.structs import replace

from ptxlint.claim import Claim
from ptxlint.documentation import rule_page
from ptxlint.ir import Kernel, PtxInstr
from ptxlint.reports import FORMATS, notices, render, sarif
from ptxlint.reports.view import View
from ptxlint.results.finding import Certainty, Severity
from ptxlint.results.report import Report
from ptxlint.results.schema import report_schema
from ptxlint.results.verdict import Property
from ptxlint.source import Diagnostic
from tests.corpus.test_corpus import FILES, report_of
from tests.report.conftest import Checked, found
from tests.sampled import sampled

OPTIONS = ["--params", "p,q", "--block", "64", "--buffer", "p=128", "--buffer", "q=256"]
EVIL = "a,b:c%0A\n::error::\x1b[2J\u202e<&\"'>\ud800\ufffe"
SITE = "https://docs.example/ptxlint/"
SARIF = json.loads((Path(__file__).parent / "schemas" / "sarif-2.1.0.json").read_text())
VALIDATORS: dict[str, Any] = {}


def everything(kernel: Kernel, accesses: list[PtxInstr]) -> Iterator[Claim]:
    yield found(accesses[0], help="guard the index")
    yield found(accesses[1])
    yield found(
        accesses[2],
        rule="uncoalesced-access",
        severity=Severity.WARNING,
        certainty=Certainty.POSSIBLE,
        message="32 sectors where 4 would do",
        condition="n <= 31",
        property=None,
    )


@pytest.fixture
def report(checked: Checked) -> Report:
    return checked(everything, options=OPTIONS, pedantic=True)


def many(report: Report, count: int) -> Report:
    """The first finding so many times, on a line each; every fourth is a warning."""
    first = report.findings[0]
    severities = (Severity.WARNING, Severity.ERROR, Severity.ERROR, Severity.ERROR)
    each = (
        replace(
            first,
            location=replace(first.location, line=number, end_line=number),
            severity=severities[number % 4],
            fingerprint=f"{number:032x}",
        )
        for number in range(1, count + 1)
    )
    return replace(report, findings=tuple(each))


def evil(report: Report) -> Report:
    first = report.findings[0]
    path = EVIL.replace("\ud800", "\udcff")  # as the system gives bytes that are not UTF-8
    place = replace(first.location, path=path)
    bad = replace(first, message=EVIL, location=place, kernel=EVIL, demangled=EVIL, help=EVIL)
    problem = Diagnostic(path, 0, 0, EVIL)
    return replace(report, findings=(bad, *report.findings), diagnostics=(problem,))


def invalid(schema: dict[str, Any], document: Any) -> list[str]:
    """The violations of a schema."""
    jsonschema = pytest.importorskip("jsonschema")
    key = schema["title"]
    if key not in VALIDATORS:
        VALIDATORS[key] = jsonschema.validators.validator_for(schema)(schema)
    return [error.message for error in VALIDATORS[key].iter_errors(document)]


def sarif_of(report: Report) -> dict[str, Any]:
    view = View(documentation=SITE)
    document: dict[str, Any] = json.loads(render(report, "sarif", view))
    assert invalid(SARIF, document) == []
    (run,) = document["runs"]
    return run  # type: ignore[no-any-return]


# --- schemas


@pytest.mark.parametrize("ptx", sampled(FILES, 30))
def test_reports_on_the_corpus_are_valid(ptx: Path) -> None:
    report, _ = report_of(ptx)
    run = sarif_of(report)
    assert sum(one["occurrenceCount"] for one in run["results"]) == len(report.findings)
    assert invalid(report_schema(), json.loads(render(report, "json"))) == []
    read_junit(render(report, "junit"))


def test_the_schemas_refuse_what_is_wrong(report: Report) -> None:
    document = json.loads(render(report, "sarif"))
    del document["runs"][0]["results"][0]["message"]
    assert invalid(SARIF, document)
    document = json.loads(render(report, "json"))
    document["findings"][0]["severity"] = "fatal"
    assert invalid(report_schema(), document)


def test_a_run_has_a_valid_report(report: Report) -> None:
    from ptxlint.results.report import Executed

    ran = replace(report, kernels=(), executed=Executed(64, 640, 192, 2))
    assert invalid(report_schema(), json.loads(render(ran, "json"))) == []
    assert len(sarif_of(ran)["results"]) == 2
    assert read_junit(render(ran, "junit"))["failure"] == 2


@pytest.mark.parametrize("form", FORMATS)
def test_a_hostile_file_breaks_no_format(report: Report, form: str) -> None:
    text = render(evil(report), form, View(colour=False))
    assert "\x1b" not in text and "\u202e" not in text
    match form:
        case "json" | "gitlab":
            json.loads(text)
        case "jsonl":
            assert all(json.loads(line) for line in text.splitlines())
        case "sarif":
            sarif_of(evil(report))
        case "junit":
            read_junit(text)
        case "github":
            commands = [line for line in text.splitlines() if line.startswith("::")]
            assert len(commands) == 1 + len(evil(report).groups())
            assert text.count("\n") == len(commands) + 1


# --- SARIF


def test_sarif_has_what_github_asks_for(report: Report) -> None:
    run = sarif_of(report)
    rules = run["tool"]["driver"]["rules"]
    for rule in rules:
        assert (
            rule["shortDescription"]["text"] and rule["help"]["text"] and rule["help"]["markdown"]
        )
        assert 0 < len(rule["fullDescription"]["text"]) <= 1024
        assert len(rule["properties"]["tags"]) <= 10
        assert rule["helpUri"] == rule_page(SITE, rule["id"])
    first, second = run["results"]
    assert rules[first["ruleIndex"]]["id"] == first["ruleId"] == "out-of-bounds"
    assert first["occurrenceCount"] == 2
    place = first["locations"][0]["physicalLocation"]
    assert place["artifactLocation"] == {"uri": "two.cu", "uriBaseId": "%SRCROOT%"}
    assert place["region"] == {"startLine": 3, "startColumn": 5, "endLine": 3, "endColumn": 23}
    ptx = first["relatedLocations"][0]["physicalLocation"]
    assert (ptx["artifactLocation"]["uri"], ptx["region"]["startLine"]) == ("two.ptx", 16)
    assert first["partialFingerprints"]["primaryLocationLineHash"]
    precision = {rule["id"]: rule["properties"]["precision"] for rule in rules}
    assert (precision["out-of-bounds"], precision["uncoalesced-access"]) == ("very-high", "low")
    assert second["properties"]["condition"] == "n <= 31"


def test_sarif_leads_from_the_call_to_inlined_code(report: Report) -> None:
    first, second = sarif_of(report)["results"]
    ((thread,),) = [flow["threadFlows"] for flow in first["codeFlows"]]
    steps = [step["location"] for step in thread["locations"]]
    lines = [step["physicalLocation"]["region"]["startLine"] for step in steps]
    texts = [step["message"]["text"] for step in steps]
    assert list(zip(lines, texts, strict=True)) == [
        (8, "twice is inlined here"),
        (3, "past the end"),
    ]
    assert "codeFlows" not in second


def test_sarif_says_what_was_not_analysed(report: Report) -> None:
    problem = Diagnostic("two.ptx", 4, 1, "internal error")
    (invocation,) = sarif_of(replace(report, diagnostics=(problem,)))["invocations"]
    assert not invocation["executionSuccessful"]
    (notification,) = invocation["toolExecutionNotifications"]
    assert notification["message"]["text"] == "internal error"
    assert notification["level"] == "error"


def test_sarif_keeps_the_most_severe_of_too_many_results(
    report: Report, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sarif, "MOST_RESULTS", 6)
    monkeypatch.setattr(sarif, "SHOWN_RESULTS", 4)
    run = sarif_of(many(report, 8))
    assert Counter(one["level"] for one in run["results"]) == {"error": 6}
    (notice,) = notices(many(report, 8), "sarif")
    assert notice.startswith("8 results: GitHub takes 6 of a run and shows 4")
    (notification,) = run["invocations"][0]["toolExecutionNotifications"]
    assert notification["message"]["text"] == notice
    assert [*notices(many(report, 5), "sarif")] == [
        "5 results: GitHub shows the 4 most severe ones of a run"
    ]
    assert notices(many(report, 4), "sarif") == []


def test_sarif_stays_below_the_size_that_github_takes(
    report: Report, monkeypatch: pytest.MonkeyPatch
) -> None:
    largest = len(zlib.compress(render(many(report, 100), "sarif").encode()))
    monkeypatch.setattr(sarif, "MOST_BYTES", largest)
    run = sarif_of(many(report, 400))
    assert 0 < len(run["results"]) < 400
    left = 400 - len(run["results"])
    (notification,) = run["invocations"][0]["toolExecutionNotifications"]
    assert notification["message"]["text"].startswith(f"{left} results are left out")


# --- the others


def test_github_annotates_the_source_line(report: Report) -> None:
    first, second, last = render(report, "github").splitlines()
    assert first == (
        "::error title=ptxlint out-of-bounds,file=two.cu,line=3,endLine=3,col=5,endColumn=23::"
        "past the end (and 1 more access on this line)%0Ain k, two.ptx:16:2%0Ahelp: guard the index"
    )
    assert second.startswith("::warning title=ptxlint uncoalesced-access,file=two.cu,line=8,")
    assert last == report.last_line()


def test_github_says_that_it_leaves_out_annotations(report: Report) -> None:
    lines = render(many(report, 16), "github").splitlines()
    said = "GitHub shows 10 annotations of a kind, the log of this step has all"
    assert lines[-2] == f"::notice title=ptxlint::12 errors, 4 warnings: {said}"
    assert "::notice" not in render(many(report, 8), "github")


def test_gitlab_has_an_issue_for_each_claim(report: Report) -> None:
    first, second, problem = json.loads(
        render(replace(report, diagnostics=(Diagnostic("two.ptx", 0, 0, "not PTX"),)), "gitlab")
    )
    assert first["check_name"] == "out-of-bounds"
    assert first["location"] == {"path": "two.cu", "lines": {"begin": 3, "end": 3}}
    assert [first["severity"], second["severity"], problem["severity"]] == [
        "critical",
        "major",
        "blocker",
    ]
    assert problem["location"]["lines"]["begin"] == 1
    assert len({one["fingerprint"] for one in (first, second, problem)}) == 3


@pytest.mark.parametrize("form", ["github", "gitlab", "junit", "sarif", "full", "concise"])
def test_each_format_says_what_is_required_and_not_proved(report: Report, form: str) -> None:
    """A program that reads only the report learns why the check failed."""
    clean = replace(report, findings=())
    assert "required, not proved" not in render(clean, form)
    text = render(clean, form, View(required=(Property.RACES,)))
    assert "required, not proved: " in text and "grid is not declared" in text
    if form == "github":
        assert text.count("::error title=ptxlint races,file=") == 1
    if form == "junit":
        assert read_junit(text)["failure"] == 1 == clean.exit_code(require="races") - 2
    if form == "gitlab":
        assert [one["check_name"] for one in json.loads(text)] == ["races"]


def test_jsonl_has_the_entries_of_the_document(report: Report) -> None:
    lines = [json.loads(line) for line in render(report, "jsonl").splitlines()]
    assert Counter(line["type"] for line in lines) == {
        "report": 1,
        "finding": 3,
        "kernel": 1,
        "summary": 1,
    }
    document = report.document()
    assert [one for one in lines if one.pop("type") == "finding"] == document["findings"]
    assert lines[-1] == document["summary"]


def read_junit(text: str) -> Counter[str]:
    """The number of test cases of each kind; the counts of the document are those."""
    root = ElementTree.fromstring(text.encode())
    kinds = Counter[str]()
    for suite in root:
        here = Counter(case[0].tag if len(case) else "passed" for case in suite)
        assert int(suite.get("tests", "")) == len(suite)
        for key, kind in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
            assert int(suite.get(key, "")) == here[kind]
        kinds += here
    assert int(root.get("tests", "")) == kinds.total()
    return kinds


def test_junit_has_a_case_for_each_property(report: Report) -> None:
    text = render(report, "junit")
    assert read_junit(text) == {"failure": 2, "skipped": 1, "passed": 2}
    cases = {case.get("name"): case for case in ElementTree.fromstring(text)[0]}
    assert list(cases) == ["bounds", "alignment", "spaces", "races", "costs"]
    assert "two.cu:3:5: error[out-of-bounds] past the end" in (cases["bounds"][0].text or "")
    assert cases["races"][0].get("message", "").startswith("not checked: grid is not declared")


def test_a_junit_failure_is_what_makes_the_check_fail(report: Report) -> None:
    for severity, failures in (("error", 1), ("warning", 2)):
        text = render(report, "junit", View(fail_on=severity))
        assert read_junit(text)["failure"] == failures
        assert (report.exit_code(severity) == 1) is bool(failures)
    warning = replace(report, findings=report.findings[2:])
    text = render(warning, "junit", View(fail_on="error"))
    assert read_junit(text)["failure"] == 0 == warning.exit_code("error")
    assert "<system-out>two.cu:8:5: warning[uncoalesced-access]" in text


@pytest.mark.parametrize("form", ["full", "concise"])
def test_statistics_count_the_findings_of_each_rule(report: Report, form: str) -> None:
    text = render(report, form, View(statistics=True))
    assert "2  error    out-of-bounds       1 line of 1 kernel\n" in text
    assert "1  warning  uncoalesced-access  1 line of 1 kernel\n" in text
    assert "two.cu:3:5" not in text


def test_an_excerpt_fits_into_the_terminal(checked: Checked, folder: Path) -> None:
    text = "    return p[i] + " + " + ".join(f"p[{i}]" for i in range(90)) + ";"
    (folder / "two.cu").write_text(f"\n\n{text}\n")
    for width in (60, 100, 200):
        lines: Iterable[str] = render(checked(everything), "full", View(width=width)).splitlines()
        excerpts = [line for line in lines if " | " in line]
        assert width - 3 <= max(map(len, excerpts)) <= width


def test_json_has_the_declared_launch(report: Report) -> None:
    (kernel,) = json.loads(render(report, "json"))["kernels"]
    assert kernel["declared"] == {
        "block": [64, 1, 1],
        "buffers": {"p": "128", "q": "256"},
        "origin": "command line",
    }
    assert {one["name"]: one["status"] for one in kernel["verdicts"]}["races"] == "not checked"
    assert len(kernel["accesses"]) == 3
