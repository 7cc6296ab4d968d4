"""Comments and overrides that silence findings: where they stand, what they name, and what happens
to those that silence nothing."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ptxlint.checker import check
from ptxlint.options import Options, Override
from ptxlint.results.finding import IgnoredBy
from ptxlint.results.report import Report
from ptxlint.source import Source

from .conftest import Ptxlint

CUDA = """\
__device__ void put(int* p, int at)
{
    p[at] = at;
}
extern "C" __global__ void k(int* p)
{
    put(p, threadIdx.x * 64);
}
"""
PTX = """\
.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 k_param_0)
{
.reg .b32 %r<4>;
.reg .b64 %rd<4>;
.loc 1 7 5
ld.param.u64 %rd1, [k_param_0];
mov.u32 %r1, %tid.x;
shl.b32 %r2, %r1, 6;
mul.wide.u32 %rd2, %r2, 4;
add.s64 %rd3, %rd1, %rd2;
.loc 1 3 5, function_name $L__info_string0, inlined_at 1 7 5
st.global.u32 [%rd3], %r2;
ret;
}
.file 1 "k.cu"
"""
STORE, CALL = "p[at] = at;", "put(p, threadIdx.x * 64);"
IGNORE = "// ptxlint: ignore[uncoalesced-access] rare"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def checked(cuda: str = CUDA, ptx: str = PTX, name: str = "k.cu", **options: object) -> Report:
    Path(name).write_text(cuda)
    given = {"select": ("uncoalesced-access", "unused-ignore"), **options}
    return check([Source("k.ptx", ptx.replace("k.cu", name))], Options(**given))  # type: ignore[arg-type]


def test_without_a_comment_the_finding_is_reported() -> None:
    (found,) = checked().findings
    assert (found.rule, found.location.short) == ("uncoalesced-access", "k.cu:3")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (STORE, f"{STORE}  {IGNORE}"),
        (STORE, f"{IGNORE}\n    {STORE}"),
        (CALL, f"{CALL}  {IGNORE}"),
        (STORE, f"{STORE}  // ptxlint: ignore[data-race, traffic] rare"),
        (STORE, f"{STORE}  /* ptxlint: ignore[all] rare */"),
    ],
    ids=["on its line", "alone above it", "where it is inlined", "by a tag", "in a block"],
)
def test_a_comment_in_the_source_silences_a_finding(before: str, after: str) -> None:
    moved = int(after.count("\n"))
    ptx = PTX.replace(".loc 1 3", f".loc 1 {3 + moved}").replace("1 7 5", f"1 {7 + moved} 5")
    report = checked(CUDA.replace(before, after), ptx)
    (one,) = report.ignored
    assert (one.by, one.reason, one.finding.rule) == (
        IgnoredBy.COMMENT, "rare", "uncoalesced-access",
    )  # fmt: skip
    assert not [found for found in report.findings if found.rule != "unused-ignore"]


def test_a_comment_in_python_begins_with_a_number_sign() -> None:
    report = checked("\n\nstore()  # ptxlint: ignore[traffic] rare\n", name="k.py")
    assert (len(report.findings), report.ignored[0].origin) == (0, "k.py:3")


@pytest.mark.parametrize("text", [f"st.global.u32 [%rd3], %r2; {IGNORE}", f"{IGNORE}\nst.global"])
def test_a_comment_in_the_ptx_silences_a_finding(text: str) -> None:
    report = checked(
        ptx=PTX.replace("st.global.u32 [%rd3], %r2;" if ";" in text else "st.global", text)
    )
    assert (len(report.findings), report.ignored[0].origin.partition(":")[0]) == (0, "k.ptx")


def test_a_comment_that_silences_nothing_is_reported() -> None:
    comment = "// ptxlint: ignore[address-space-mismatch, traffic] rare"
    report = checked(CUDA.replace(STORE, f"{STORE} {comment}"), select=("all",))
    (found,) = [each for each in report.findings if each.rule == "unused-ignore"]
    told = "note[unused-ignore] ignore[address-space-mismatch] silences no finding"
    assert str(found) == f"k.cu:3:17: {told}"


@pytest.mark.parametrize(
    "comment",
    [
        "// ptxlint ignore[uncoalesced-access]",
        "// PTXLINT: IGNORE[uncoalesced-access]",
        "/* ptxlint : ignore [uncoalesced-access] */",
        "//ptxlint-ignore[uncoalesced-access]",
    ],
)
def test_a_comment_that_only_looks_like_one_is_noted_at_its_place(comment: str) -> None:
    report = checked(CUDA.replace(STORE, f"{STORE}  {comment}"))
    (note,) = report.diagnostics
    assert (note.path, note.line, note.severity) == ("k.cu", 3, "note")
    assert f"ignores nothing; did you mean '{comment[:2]} ptxlint: ignore['?" in note.message
    assert [one.rule for one in report.findings] == ["uncoalesced-access"] and not report.failed


@pytest.mark.parametrize("rule", ["data-race", "out-of-bounds"])
def test_where_nothing_is_decided_a_comment_may_silence_another_launch(rule: str) -> None:
    text = CUDA.replace(STORE, f"{STORE} // ptxlint: ignore[{rule}] checked by the caller")
    assert "unused-ignore" not in {one.rule for one in checked(text, select=("all",)).findings}


@pytest.mark.parametrize(
    "options",
    [{"kernel": "k"}, {"select": ("uncoalesced-access",)}, {"ignore": ("address-space-mismatch",)}],
)
def test_it_is_not_reported_where_not_everything_was_asked(options: dict[str, object]) -> None:
    text = CUDA.replace(STORE, f"{STORE} // ptxlint: ignore[address-space-mismatch] rare")
    rules = [found.rule for found in checked(text, **{"select": ("all",), **options}).findings]
    assert "unused-ignore" not in rules


def test_a_line_that_is_not_compiled_says_nothing_of_its_comment() -> None:
    report = checked(CUDA.replace("{\n    put", f"{{ {IGNORE}\n    put"))
    assert [found.rule for found in report.findings] == ["uncoalesced-access"]


@pytest.mark.parametrize(
    ("comment", "told"),
    [
        ("ignore[trafic]", "ignore trafic: no such rule or tag; did you mean traffic?"),
        ("ignore", "ignore: expected rules, like ignore[data-race] reason"),
        ("ignroe[traffic]", "ptxlint: ignroe: no such comment; did you mean ignore?"),
    ],
)
def test_a_comment_that_means_nothing_is_an_error_at_its_place(comment: str, told: str) -> None:
    report = checked(CUDA.replace(STORE, f"{STORE} // ptxlint: {comment}"))
    (problem,) = report.diagnostics
    assert (problem.place, report.exit_code()) == ("k.cu:3:17", 2)
    assert told in problem.message


@pytest.mark.parametrize(
    ("override", "silent"),
    [
        (Override(("traffic",)), True),
        (Override(("memory",)), False),
        (Override(("traffic",), paths=("*.cu",)), True),
        (Override(("traffic",), paths=("other/*", "k.ptx")), True),
        (Override(("traffic",), paths=("other/*",)), False),
        (Override(("traffic",), kernels=("k*",)), True),
        (Override(("traffic",), kernels=("hist",)), False),
    ],
)
def test_an_override_silences_rules_by_path_and_kernel(override: Override, silent: bool) -> None:
    report = checked(overrides=(override,))
    assert bool(report.ignored) == silent == (not report.findings)


def test_what_is_ignored_stays_in_the_verdict_and_is_counted(
    ptxlint: Ptxlint, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Options, "rule_ids", ("uncoalesced-access",))
    Path("k.cu").write_text(CUDA)
    Path("k.ptx").write_text(PTX)
    Path("ptxlint.toml").write_text(
        '[[override]]\nkernel = "k"\nignore = ["traffic"]\nreason = "written once"\n'
    )
    result = ptxlint("k.ptx")
    assert result.code == 0 and "(1 ignored)" in result.out and "costs: 1 above ideal" in result.out
    (one,) = json.loads(ptxlint("k.ptx", "--output-format", "json").out)["ignored"]
    assert (one["origin"], one["reason"]) == ("ptxlint.toml:1", "written once")
