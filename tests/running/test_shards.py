"""The shards of a check, merged, give the report of one check; a wrong set is refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ptxlint import checker
from ptxlint.checker import Running, Shard, checked
from ptxlint.cli import called_with
from ptxlint.reports import FORMATS
from ptxlint.source import Source

HEAD = ".version 8.0\n.target sm_80\n.address_size 64\n"
KERNEL = """.visible .entry {name}(.param .u64 {name}_param_0)
{{ .reg .b32 %r<4>; .reg .b64 %rd<4>; ld.param.u64 %rd1, [{name}_param_0];
mov.u32 %r1, %tid.x; shl.b32 %r2, %r1, 6; mul.wide.u32 %rd2, %r2, 4; add.s64 %rd3, %rd1, %rd2;
{body} st.global.u32 [%rd3], %r1; {comment}
ret; }}
"""
BODIES = {"unknown": "frob.u32 %r1, %r1;", "wrong": "mov.u32 %r9, 1;"}
COMMENTS = {
    "used": "// ptxlint: ignore[uncoalesced-access] rare",
    "vain": "// ptxlint: ignore[address-space-mismatch, uncoalesced-access] rare",
    "misspelt": "// ptxlint: ignore[uncoalesced] rare",
}
CONFIGURATION = """[[override]]
path = "b.ptx"
kernel = "quiet"
ignore = ["traffic"]
[[launch]]
block = 128
"""
PATHS = ("a.ptx", "b.ptx")


def module(*names: str) -> str:
    return HEAD + "".join(
        KERNEL.format(name=name, body=BODIES.get(name, ""), comment=COMMENTS.get(name, ""))
        for name in names
    )


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.ptx").write_text(module("plain", "used", "vain", "unknown"))
    Path("b.ptx").write_text(module("quiet", "other", "misspelt") + "}")
    Path("ptxlint.toml").write_text(CONFIGURATION)
    monkeypatch.setattr(checker, "perf_counter", float)  # no seconds


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    """The exit code and what is written."""
    code = called_with(arguments)
    said = capsys.readouterr()
    return code, said.out, said.err


def shard(index: int, count: int, *more: str, paths: tuple[str, ...] = PATHS) -> str:
    file = f"{index}of{count}.json"
    given = ("check", *paths, "--no-cache", "--shard", f"{index}/{count}", "--output", file)
    assert called_with((*given, *more)) == 0
    return file


@pytest.mark.parametrize("form", FORMATS)
def test_the_merged_report_is_that_of_one_check(
    form: str, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("b.ptx").write_text(module("quiet", "other", "misspelt"))
    paths = PATHS[:2]
    files = [shard(index, 3, paths=paths) for index in (2, 3, 1)]
    asked = ("--output-format", form)
    alone = run(capsys, "check", *paths, "--no-cache", *asked)
    assert run(capsys, "merge", *files, *asked) == alone
    assert alone[0] == 2  # a comment names no rule


def test_errors_of_the_input_are_merged(capsys: pytest.CaptureFixture[str]) -> None:
    files = [shard(index, 2) for index in (1, 2)]
    alone = run(capsys, "check", *PATHS, "--no-cache")
    assert run(capsys, "merge", *files) == alone
    assert "b.ptx:19:1: error" in alone[1]


@pytest.mark.parametrize(
    ("asked", "code"),
    [((), 1), (("--fail-on", "error"), 0), (("--fail-on", "error", "--strict"), 3)],
)
def test_the_exit_code_is_that_of_the_check(
    asked: tuple[str, ...], code: int, capsys: pytest.CaptureFixture[str]
) -> None:
    paths = ("a.ptx",)
    Path("a.ptx").write_text(module("plain", "used", "vain"))
    files = [shard(index, 2, paths=paths) for index in (1, 2)]
    capsys.readouterr()
    assert run(capsys, "merge", *files, *asked)[0] == code
    assert run(capsys, "check", *paths, "--no-cache", *asked)[0] == code


def test_a_comment_that_another_shard_uses_is_not_in_vain(
    capsys: pytest.CaptureFixture[str],
) -> None:
    Path("a.ptx").write_text(module("used"))
    files = [shard(index, 2, paths=("a.ptx",)) for index in (1, 2)]
    assert "unused-ignore" not in run(capsys, "merge", *files)[1]


def test_a_comment_in_a_source_counts_for_all_shards(capsys: pytest.CaptureFixture[str]) -> None:
    Path("k.cu").write_text(f"{COMMENTS['vain']}\nstore();\n")
    located = "\n.loc 1 2 1\nst.global"
    text = module("plain", "other", "third").replace(" st.global", located)
    Path("a.ptx").write_text(text + '.file 1 "k.cu"\n')
    files = [shard(index, 3, paths=("a.ptx",)) for index in (1, 2, 3)]
    alone = run(capsys, "check", "a.ptx", "--no-cache")
    Path("k.cu").unlink()
    assert run(capsys, "merge", *files) == alone
    assert "ignore[address-space-mismatch] silences no finding" in alone[1]


def test_parts_of_two_copies_of_a_project_are_merged(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    root, files = Path.cwd(), []
    for index, copy in ((1, "here"), (2, "there")):
        inside = root / copy / "inside"
        inside.mkdir(parents=True)
        (inside.parent / "ptxlint.toml").write_text(CONFIGURATION.replace("b.ptx", "inside/*"))
        (inside / "b.ptx").write_text(module("quiet", "other"))
        monkeypatch.chdir(inside)
        files.append(str(inside / shard(index, 2, paths=("b.ptx",))))
    alone = run(capsys, "check", "b.ptx", "--no-cache")
    assert run(capsys, "merge", *files) == alone


def test_each_kernel_is_in_one_shard_whatever_stands_beside_it() -> None:
    def names(text: str, index: int) -> set[str]:
        part = checked([Source("x.ptx", text)], running=Running(shard=Shard(index, 3)))
        return {kernel.name for kernel in part.report().kernels}

    every = [names(module("a", "b", "c", "d"), index) for index in (1, 2, 3)]
    assert sorted(name for some in every for name in some) == ["a", "b", "c", "d"]
    assert [names(module("d", "b"), index) for index in (1, 2, 3)] == [
        some & {"b", "d"} for some in every
    ]


# --- wrong sets


def refused(capsys: pytest.CaptureFixture[str], *files: str) -> str:
    code, out, err = run(capsys, "merge", *files)
    assert (code, out, err.count("\n")) == (2, "", 1)
    return err.removeprefix("ptxlint: ").rstrip()


def test_a_wrong_set_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    one, two, third = shard(1, 2), shard(2, 2), shard(3, 3)
    assert refused(capsys, one) == "shard 2/2: missing"
    assert refused(capsys, third) == "shard 1/3 and 1 more: missing"
    assert refused(capsys, one, two, one) == f"{one}: shard 1/2 again, as {one}"
    assert refused(capsys, one, third) == f"{third}: shard 3/3, but {one} is 1/2"
    shard(2, 2, "--block", "64")
    assert refused(capsys, one, two) == f"{two}: made with other options than {one}"
    Path("a.ptx").write_text(module("plain", "used", "vain", "unknown") + "// changed\n")
    shard(2, 2)
    assert refused(capsys, one, two) == f"{two}: made of other sources than {one}"


def test_a_file_that_is_no_shard_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    one = shard(1, 1)
    document = json.loads(Path(one).read_text())
    for change, said in (
        ({"schema": "x"}, "schema 'x': expected ptxlint-shard/1, as --shard I/N writes it"),
        ({"version": "0"}, "written by ptxlint 0, this is "),
        ({"checked": 1}, "changed after it was written"),
    ):
        Path("x.json").write_text(json.dumps({**document, **change}))
        assert refused(capsys, "x.json").startswith(f"x.json: {said}")
    Path("x.json").write_text("{")
    assert refused(capsys, "x.json").startswith("x.json: not a shard: ")
    assert refused(capsys, "none.json") == "none.json: no such file or directory"


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (("--shard", "3/2"), "--shard 3/2: expected I/N, with I from 1 to N"),
        (("--shard", "x"), "--shard x: expected I/N, with I from 1 to N"),
        (("--shard", "1/2", "--strict"), "--strict: not with --shard; give it to 'ptxlint merge'"),
        (("--shard", "1/2", "--output", "sarif=x"),
         "--output sarif=x: not with --shard, which writes json"),
    ],
)  # fmt: skip
def test_a_shard_is_asked_for_by_number(
    given: tuple[str, ...], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, err = run(capsys, "check", *PATHS, *given)
    assert (code, out, err) == (2, "", f"ptxlint: {said}\n")
