"""Every kernel of the corpus says on its own lines what must be found in it.

``// expect: rule`` guards soundness (the finding must be there, at that line), everything else in a
file guards precision (nothing more may be there). ``// launch:`` and ``// params:`` declare the
launch that the labels are about. A failure shows what was unexpected and what is missing.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest

from ptxlint.checker import check
from ptxlint.contracts.contract import Contract
from ptxlint.options import Options
from ptxlint.results.finding import Certainty, Severity
from ptxlint.results.report import Report
from ptxlint.results.verdict import Property
from ptxlint.rule import load_rule
from ptxlint.source import Source
from tests.sampled import sampled

ROOT = Path(__file__).parents[2] / "corpus"
FOLDERS = ("clean", "flawed", "compilers", "regressions")
FILES = sorted(path for folder in FOLDERS for path in (ROOT / folder).glob("*.ptx"))
EXPECT = re.compile(r"// expect: ([a-z-]+(?:, *[a-z-]+)*)")

Place = tuple[str, int]


def origin(ptx: Path) -> Path:
    """The file that a person wrote: CUDA C beside its PTX, or the PTX itself."""
    source = ptx.with_suffix(".cu")
    return source if source.exists() else ptx


def expected(text: str) -> set[Place]:
    return {
        (rule.strip(), number)
        for number, line in enumerate(text.splitlines(), 1)
        if (match := EXPECT.search(line))
        for rule in match[1].split(",")
    }


@cache
def report_of(ptx: Path) -> tuple[Report, set[Place]]:
    written = origin(ptx)
    source = Source(str(ptx), ptx.read_text())
    report = check([source], Options(contracts=(Contract.from_comments(written.read_text()),)))
    return report, {(f.rule, f.location.line) for f in report.findings}


def test_corpus_is_there() -> None:
    assert len(FILES) >= 60


@pytest.mark.parametrize("ptx", FILES, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_findings_are_those_expected(ptx: Path) -> None:
    report, found = report_of(ptx)
    wanted = expected(origin(ptx).read_text())
    problems = [str(d) for d in report.diagnostics if d.severity != "note"]
    assert not problems, "\n".join(problems)
    assert found == wanted, (
        f"{ptx.name}: unexpected {sorted(found - wanted)}, missing {sorted(wanted - found)}"
    )
    summary = report.summary
    assert summary.analysed == summary.present == len(report.kernels)


def silent(report: Report, ptx: Path) -> set[Place]:
    """The defects of a file of which the report has no word: the property of the rule is proved
    there."""
    verdicts = {one.name: one for one in report.summary.verdicts}
    open_ = {(s.property, s.location.line) for one in report.judged for s in one.unproved}
    return {
        (rule, line)
        for rule, line in expected(origin(ptx).read_text())
        if (about := load_rule(rule).rule.property) not in (None, Property.COSTS)
        and not verdicts[about].unchecked
        and (about, line) not in open_
    }


@pytest.mark.parametrize("ptx", FILES, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_no_property_is_proved_where_a_defect_is(ptx: Path) -> None:
    assert silent(report_of(ptx)[0], ptx) == set()


@pytest.mark.parametrize("ptx", sampled([p for p in FILES if expected(origin(p).read_text())], 4))
def test_no_property_is_proved_for_all_launches_where_one_has_a_defect(ptx: Path) -> None:
    assert silent(check([Source(str(ptx), ptx.read_text())]), ptx) == set()


@pytest.mark.parametrize("ptx", FILES, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_every_error_has_a_witness(ptx: Path) -> None:
    """An error that is shown by default happened on the interpreter, in a launch it names."""
    report, _ = report_of(ptx)
    for finding in report.findings:
        if finding.severity is Severity.ERROR:
            assert finding.witness is not None, f"{finding.rule}: {finding.message}"
        assert finding.certainty is not Certainty.POSSIBLE


@pytest.mark.parametrize("ptx", FILES, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_undeclared_launch_raises_no_alarm_in_clean_kernels(ptx: Path) -> None:
    """What nobody declared is no reason for an alarm: without its launch a clean kernel is
    clean. The properties are not judged, which takes most of a check and only removes claims."""
    if expected(origin(ptx).read_text()):
        pytest.skip("has a defect: some are visible in any launch, some only in their own")
    report = check([Source(ptx.name, ptx.read_text())], Options(verdicts=False))
    assert [f"{f.rule}: {f.message}" for f in report.findings] == []
