"""A check that is repeated whenever a file changes."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from ptxlint.cli import called_with, watching

PTX = """.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 p)
{ .reg .b32 %r<2>; .reg .b64 %rd<2>; ld.param.u64 %rd1, [p]; mov.u32 %r1, 1;
.loc 1 2 1
st.global.u32 [%rd1], %r1; ret; }
.file 1 "k.cu"
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("in").mkdir()
    Path("in/k.ptx").write_text(PTX)
    Path("in/k.cu").write_text("\nstore();\n")
    Path("ptxlint.toml").write_text("")


def watched(
    monkeypatch: pytest.MonkeyPatch, steps: list[Callable[[], object]], *arguments: str
) -> int:
    """Runs a command line. Each pause takes a step; after the last one comes Ctrl-C."""
    left = iter(steps)

    def pause(seconds: float) -> None:
        step = next(left, None)
        if step is None:
            raise KeyboardInterrupt
        step()

    monkeypatch.setattr(watching, "sleep", pause)
    return called_with(("check", *arguments, "--watch", "--cache-dir", "kept"))


def write(path: str, text: str) -> Callable[[], object]:
    return lambda: Path(path).write_text(text)


def nothing() -> None:
    pass


@pytest.mark.parametrize(
    ("step", "reports"),
    [
        (nothing, 1),
        (lambda: os.utime("in/k.ptx", ns=(1, 1)), 2),
        (write("in/k.ptx", PTX + "// more\n"), 2),
        (write("in/new.ptx", PTX), 2),
        (write("in/k.cu", "\nstore();  // more\n"), 2),
        (write("ptxlint.toml", "pedantic = true"), 2),
        (write("unrelated.txt", "more"), 1),
    ],
)
def test_a_change_is_checked(
    step: Callable[[], object],
    reports: int,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert watched(monkeypatch, [step, nothing], "in") == 0
    said = capsys.readouterr()
    assert said.out.count(" s\n") == reports
    assert "\x1b" not in said.out  # this is no terminal


def test_what_goes_wrong_later_ends_nothing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    steps = [write("ptxlint.toml", "selekt = 1"), write("ptxlint.toml", ""), nothing]
    assert watched(monkeypatch, steps, "in") == 0
    said = capsys.readouterr()
    assert said.err.count("ptxlint.toml:1: unknown key selekt") == 1
    assert said.out.count(" s\n") == 2


def test_a_file_that_is_gone_is_waited_for(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    steps = [lambda: Path("in/k.ptx").unlink(), write("in/k.ptx", PTX), nothing]
    assert watched(monkeypatch, steps, "in/k.ptx") == 0
    said = capsys.readouterr()
    assert said.err.count("in/k.ptx: no such file or folder") == 1
    assert said.out.count(" s\n") == 2


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("gone.ptx",), "gone.ptx: no such file or folder"),
        (("-",), "--watch: not with standard input"),
        (("in", "--shard", "1/2"), "--watch: not with --shard"),
    ],
)
def test_what_cannot_be_watched_is_refused(
    arguments: tuple[str, ...],
    said: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert watched(monkeypatch, [], *arguments) == 2
    assert capsys.readouterr().err == f"ptxlint: {said}\n"
