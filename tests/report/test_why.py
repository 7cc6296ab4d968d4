"""What ``ptxlint why`` says of a line, letter by letter: the files of ``why`` begin with a folder
and a command line and go on with what it prints."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from ptxlint.cli import called_with

ROOT = Path(__file__).parents[2]
CASES = sorted((Path(__file__).parent / "why").glob("*.txt"))
REDUCE = ROOT / "corpus" / "flawed" / "reduce_off_by_one"

Said = Callable[..., tuple[int, str]]


@pytest.fixture
def said(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Said:
    """Exit code and what is printed, in a folder."""

    def call(folder: Path, *words: str) -> tuple[int, str]:
        monkeypatch.chdir(folder)
        code = called_with(words)
        captured = capsys.readouterr()
        return code, captured.out + captured.err

    return call


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.stem)
def test_the_account_of_a_line(case: Path, said: Said) -> None:
    command, _, report = case.read_text().partition("\n")
    folder, _, words = command.partition("$ ptxlint ")
    assert said(ROOT / folder, *words.split()) == (0, report)


def test_a_bank_conflict_is_drawn(said: Said) -> None:
    options = ["--block", "32x32", "--params", "out,in,width,height"]
    code, report = said(ROOT / "ptxlint" / "demo", "why", "--full", "transpose.cu:16", *options)
    assert code == 0
    assert (
        "= cost:     32 wavefronts a warp, ideal 1: threads along x are 128 bytes apart" in report
    )
    assert "words  w....... ........ ........ ........   32 wavefronts" in report


def test_the_source_may_lie_elsewhere(said: Said, tmp_path: Path) -> None:
    shutil.copy(REDUCE.with_suffix(".ptx"), tmp_path / "code.ptx")
    code, report = said(tmp_path, "why", "src/reduce_off_by_one.cu:12", "code.ptx")
    assert code == 0
    assert report.startswith("reduce_off_by_one.cu:12: in reduce_off_by_one\n67 |")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("reduce.ptx", "reduce.ptx: expected FILE:LINE, like reduce.ptx:65"),
        (".:3", ".:3: . is a folder, expected FILE:LINE, like reduce.ptx:65"),
        ("reduce.ptx:0", "reduce.ptx:0: expected FILE:LINE, like reduce.ptx:65"),
        ("other.ptx:3", "other.ptx: no such file or folder"),
        ("other.cu:3", "other.cu: no other.ptx beside it; name its PTX: "
                       "ptxlint why other.cu:3 other.ptx"),
        ("reduce.ptx:3 reduce.ptx", "reduce.ptx: reduce.ptx is PTX already; the second file is "
                                    "for lines of a source"),
        ("reduce.ptx:2", "reduce.ptx:2: no instruction on this line; the nearest lines with "
                         "one: 30, 31, 32"),
        ("reduce.cu:2", "reduce.cu:2: no .loc of reduce.ptx names reduce.cu; compile with "
                        "-lineinfo"),
        ("reduce_off_by_one.cu:2 reduce.ptx", "reduce_off_by_one.cu:2: no instruction on this "
                                              "line; the nearest lines with one: 4, 7, 8"),
        ("reduce.ptx:73 --kernel other", "--kernel other: no kernel of this name, there is "
                                         "reduce_off_by_one"),
        ("reduce.ptx:73 --arg m=3", "--arg m: no kernel has a parameter m, this kernel's are "
                                    "param_0, param_1, param_2"),
    ],
)  # fmt: skip
def test_what_cannot_be_answered(words: str, message: str, said: Said, tmp_path: Path) -> None:
    shutil.copy(REDUCE.with_suffix(".ptx"), tmp_path / "reduce.ptx")
    assert said(tmp_path, "why", *words.split()) == (2, f"ptxlint: {message}\n")


def test_a_file_that_is_no_ptx(said: Said, tmp_path: Path) -> None:
    (tmp_path / "notes.ptx").write_text("nothing\n")
    code, report = said(tmp_path, "why", "notes.ptx:1")
    assert code == 2
    assert "notes.ptx:1:1: error: not PTX" in report


def test_a_line_of_a_hundred_instructions_is_told_in_ten_lines(said: Said) -> None:
    line = "matmul_ragged_guarded.cu:17"
    brief, full = (said(ROOT / "corpus" / "clean", "why", line, *more) for more in ([], ["--full"]))
    assert len(brief[1].splitlines()) <= 14 < 500 < len(full[1].splitlines())
    assert "more instructions of this line" in brief[1]
