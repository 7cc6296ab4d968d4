"""Baselines: what is known is not reported, what is fixed is told, and nothing is added."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ptxlint.baseline import FILE, SCHEMA, Baseline
from ptxlint.options import Options
from ptxlint.results.report import Report

from .conftest import Ptxlint
from .test_ignores import CUDA, PTX

RULES = ("uncoalesced-access", "data-race")
FIXED = PTX.replace("shl.b32 %r2, %r1, 6", "shl.b32 %r2, %r1, 0")


@pytest.fixture
def project(ptxlint: Ptxlint, monkeypatch: pytest.MonkeyPatch) -> Ptxlint:
    """A folder with a kernel that has a finding."""
    monkeypatch.setattr(Options, "rule_ids", RULES)
    Path("k.cu").write_text(CUDA)
    Path("k.ptx").write_text(PTX)
    return ptxlint


def test_known_findings_are_not_reported_and_new_ones_are(project: Ptxlint) -> None:
    assert project("k.ptx").code == 1
    assert project("baseline", "k.ptx", "--cache-dir", "kept").out == f"{FILE}: 1 finding\n"
    checked = project("k.ptx", "--baseline", FILE)
    assert checked.code == 0 and "(1 known in the baseline)" in checked.out
    Path("k.cu").write_text(CUDA.replace("p[at] = at;", "p[at] = at + 1;"))
    assert project("k.ptx", "--baseline", FILE).code == 1


def test_it_holds_what_another_compiler_writes_of_the_same_source(project: Ptxlint) -> None:
    project("baseline", "k.ptx")
    moved = PTX.replace("%rd", "%x").replace("%r", "%y").replace("{\n", "{\n\n// another\n", 1)
    Path("k.ptx").write_text(moved)
    above = "// a line more\n" + CUDA.replace("p[at] = at", "p[at]  =  at")
    Path("k.cu").write_text(above)
    Path("k.ptx").write_text(moved.replace(".loc 1 3", ".loc 1 4").replace("1 7 5", "1 8 5"))
    assert project("k.ptx", "--baseline", FILE).code == 0


def test_the_configuration_names_it(project: Ptxlint) -> None:
    Path("ptxlint.toml").write_text('baseline = "known.json"\n')
    assert project("k.ptx").err == (
        "ptxlint: known.json: no such file or directory; 'ptxlint baseline' writes one\n"
    )
    assert project("baseline", "k.ptx").out == "known.json: 1 finding\n"
    assert project("k.ptx").code == 0


def test_it_only_shrinks(project: Ptxlint) -> None:
    project("baseline", "k.ptx")
    before = Path(FILE).read_text()
    again = project("baseline", "k.ptx")
    assert (again.code, Path(FILE).read_text()) == (2, before)
    assert "there is a baseline already; --shrink removes what is fixed" in again.err
    Path("l.ptx").write_text(PTX.replace("entry k(", "entry l(").replace("k_param", "l_param"))
    assert (
        project("baseline", "--shrink", "k.ptx", "l.ptx").out
        == f"{FILE}: 0 findings fixed, 1 left\n"
    )
    assert Path(FILE).read_text() == before
    Path("k.ptx").write_text(FIXED)
    assert project("baseline", "--shrink", "l.ptx").out.endswith("0 findings fixed, 1 left\n")
    assert project("baseline", "--shrink", "k.ptx").out.endswith("1 finding fixed, 0 left\n")
    assert Baseline.read(FILE).known == ()


def test_a_fixed_finding_is_told_and_fails_a_strict_check(project: Ptxlint) -> None:
    project("baseline", "k.ptx")
    Path("k.ptx").write_text(FIXED)
    checked = project("k.ptx", "--baseline", FILE)
    assert (checked.code, checked.err) == (
        0, f"ptxlint: {FILE}: 1 finding is fixed: see 'ptxlint baseline --shrink'\n",
    )  # fmt: skip
    strict = ("--strict", "--require", "alignment", "--buffer", "0=4*ntid.x*nctaid.x@4")
    assert project("k.ptx", *strict).code == 0
    assert project("k.ptx", "--baseline", FILE, *strict).code == 3


@pytest.mark.parametrize("source", ["k.cu", "k.ptx"])
def test_it_follows_a_file_that_is_renamed(project: Ptxlint, source: str) -> None:
    """A new finding on the same line of a copy stays new, and one that follows is not fixed."""
    if source == "k.ptx":
        Path("k.cu").unlink()
    project("baseline", "k.ptx")
    Path(source).rename(Path(source).with_stem("renamed"))
    ptx = Path("renamed.ptx" if source == "k.ptx" else "k.ptx")
    ptx.write_text(PTX.replace('"k.cu"', '"renamed.cu"').replace("/k.cu", "/renamed.cu"))
    checked = project(str(ptx), "--baseline", FILE)
    assert checked.code == 0 and "(1 known in the baseline)" in checked.out and not checked.err
    assert project("baseline", "--shrink", str(ptx)).out.endswith("0 findings fixed, 1 left\n")
    assert "renamed" in Baseline.read(FILE).known[0].path
    Path(source).write_text(CUDA if source == "k.cu" else PTX)
    text = PTX if source == "k.cu" else PTX.replace("entry k(", "entry l(")
    Path("k.ptx").write_text(text)
    assert project("k.ptx", "--baseline", FILE).code == 1


def test_a_known_finding_that_is_required_to_be_none_is_named_with_its_line(
    project: Ptxlint,
) -> None:
    project("baseline", "k.ptx")
    for form, begin in (("concise", ""), ("full", ""), ("github", "::error title=ptxlint ")):
        strict = project("k.ptx", "--baseline", FILE, "--require", "costs", "--output-format", form)
        assert strict.code == 3
        assert any(
            line.startswith(begin) and "k.cu" in line and "known in the baseline" in line
            for line in strict.out.splitlines()
        )


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "no baseline: Expecting value"),
        ("[]", f"no baseline: expected an object with schema {SCHEMA}"),
        ('{"schema": "ptxlint-baseline/2"}', f"'ptxlint-baseline/2': expected {SCHEMA}"),
        (f'{{"schema": "{SCHEMA}"}}', "no baseline: 'findings' is missing"),
        (f'{{"schema": "{SCHEMA}", "findings": [{{}}]}}', "no baseline: 'path' is missing"),
        (f'{{"schema": "{SCHEMA}", "findings": [3]}}', "findings: expected a list of objects"),
        (f'{{"schema": "{SCHEMA}", "findings": "no"}}', "findings: expected a list of objects"),
        ("[" * 100_000, "no baseline: "),
        ("\xff", "no baseline: "),
    ],
)
def test_what_is_no_baseline_is_refused_and_left_as_it_is(
    project: Ptxlint, text: str, told: str
) -> None:
    Path(FILE).write_bytes(text.encode("latin-1"))
    for words in (["--baseline", FILE, "k.ptx"], ["baseline", "--shrink", "k.ptx"]):
        result = project(*words)
        assert (result.code, result.out, result.err.count("\n")) == (2, "", 1)
        assert told in result.err and result.err.startswith(f"ptxlint: {FILE}: ")
    assert Path(FILE).read_bytes() == text.encode("latin-1")


def test_nothing_is_written_where_something_failed(project: Ptxlint) -> None:
    Path("broken.ptx").write_text(PTX[:-40])
    result = project("baseline", "k.ptx", "broken.ptx")
    assert (result.code, Path(FILE).exists()) == (2, False)
    assert "not written: broken.ptx:" in result.err


def test_a_file_that_cannot_be_written_is_one_line(project: Ptxlint) -> None:
    result = project("baseline", "k.ptx", "--baseline", "/proc/known.json")
    assert (result.code, result.err.count("\n")) == (2, 1)
    assert "/proc/known.json: cannot be written: " in result.err


def test_a_finding_of_a_kernel_that_was_not_checked_is_not_fixed(ptxlint: Ptxlint) -> None:
    entry = {"path": "k.cu", "kernel": "k", "ptx": "k.ptx", "rule": "data-race", "fingerprint": "f",
             "message": "m"}  # fmt: skip
    Path(FILE).write_text(json.dumps({"schema": SCHEMA, "findings": [entry]}))
    assert Baseline.read(FILE).fixed(Report(), RULES) == ()
