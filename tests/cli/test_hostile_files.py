"""Files and streams that are full, closed, endless or made to exhaust a reader: each gives one
line, with an exit code that is not 0, in bounded time and memory."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from ptxlint.errors import Error
from ptxlint.results.report import Report

from .test_commands import GOOD, PLAIN, ROOT

Ptxlint = Callable[..., Any]
FULL, ZERO = Path("/dev/full"), Path("/dev/zero")


def told(shell: str, folder: Path) -> tuple[int, str]:
    """The exit code of a command line, and its standard error; $ptxlint runs ptxlint."""
    done = subprocess.run(
        ["bash", "-c", shell.replace("$ptxlint", '"$PYTHON" -c "$PLAIN"')],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHON": sys.executable, "PLAIN": PLAIN},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    return done.returncode, done.stderr


@pytest.mark.skipif(not FULL.exists(), reason="no /dev/full")
@pytest.mark.parametrize(
    ("shell", "expected"),
    [
        ("$ptxlint k.ptx > /dev/full", (2, "ptxlint: standard output: no space left on device\n")),
        ("$ptxlint --help > /dev/full", (2, "ptxlint: standard output: no space left on device\n")),
        ("$ptxlint k.ptx >&-", (2, "ptxlint: standard output is closed\n")),
        ("$ptxlint - <&-", (2, "ptxlint: standard input is closed\n")),
        ("$ptxlint lost.ptx 2> /dev/full", (2, "")),
        ("$ptxlint - < /dev/zero", (2, "ptxlint: standard input: larger than 256 MiB\n")),
        ("$ptxlint run --block 1 /dev/zero",
         (2, "ptxlint: /dev/zero: cannot be read: larger than 256 MiB\n")),
        ("$ptxlint <(cat k.ptx) > /dev/null", (0, "")),
    ],
)  # fmt: skip
def test_streams(shell: str, expected: tuple[int, str], tmp_path: Path) -> None:
    (tmp_path / "k.ptx").write_text(GOOD)
    assert told(shell, tmp_path) == expected


def test_a_pipe_without_a_writer_is_empty(ptxlint: Ptxlint, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    result = ptxlint("pipe")
    assert (result.code, result.out.splitlines()[0]) == (
        2,
        "pipe:1:1: error: empty: expected .version",
    )


DEEP = 100_000
DOCUMENTS: Mapping[str, tuple[str, str]] = {
    "brackets": ("args = " + "[" * DEEP, "2: brackets are nested more than 50 deep"),
    "tables": ("args = " + "{a = " * DEEP, "2: brackets are nested more than 50 deep"),
    "keys": (".".join(["a"] * DEEP) + " = 1", "2: a key has more than 50 parts"),
    "digits": ("block = " + "9" * DEEP, "2: a number has 400 digits or more"),
    "sums": (f"requires = ['{'n+' * DEEP}n > 0']", "longer than 4000 characters"),
    "parentheses": (f"requires = ['{'(' * DEEP}']", "longer than 4000 characters"),
}


@pytest.mark.parametrize("name", DOCUMENTS)
def test_contracts(name: str, ptxlint: Ptxlint, tmp_path: Path) -> None:
    text, message = DOCUMENTS[name]
    (tmp_path / "k.ptx").write_text(GOOD)
    (tmp_path / "c.toml").write_text(f"[[launch]]\n{text}\n")
    result = ptxlint("--contract", "c.toml", "k.ptx")
    assert (result.code, result.out) == (2, "")
    assert result.err.startswith("ptxlint: c.toml:2: ") and len(result.err) < 1000
    assert message in result.err


def test_text_with_brackets_is_not_deep(ptxlint: Ptxlint, tmp_path: Path) -> None:
    (tmp_path / "k.ptx").write_text(GOOD)
    brackets = "[" * 99
    (tmp_path / "c.toml").write_text(f"[[launch]]\nkernel = '{brackets}*' # {brackets}\n")
    assert ptxlint("--contract", "c.toml", "k.ptx").code == 0


@pytest.mark.skipif(not ZERO.exists(), reason="no /dev/zero")
def test_an_endless_contract(ptxlint: Ptxlint) -> None:
    result = ptxlint("--contract", "/dev/zero", "k.ptx")
    assert (result.code, result.err) == (2, "ptxlint: /dev/zero: larger than 16 MiB\n")


def test_a_report_nested_deep() -> None:
    with pytest.raises(Error, match="not a report"):
        Report.from_json("[" * DEEP)


def test_links_that_lead_back(ptxlint: Ptxlint, tmp_path: Path) -> None:
    (tmp_path / "k.ptx").write_text(GOOD)
    for name in "abc":
        (tmp_path / name).symlink_to(".")
    for pattern in (".", "**/*.ptx", str(tmp_path / "**/*.ptx")):
        assert "1 of 1 kernel" in ptxlint(pattern).out, pattern


def test_a_source_that_leads_out_of_its_folder_is_not_quoted(
    ptxlint: Ptxlint, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "project"
    folder.mkdir()
    (tmp_path / "secret").write_text("secret\n" * 9)
    (folder / "k.cu").symlink_to(tmp_path / "secret")
    located = GOOD.replace("mov.u32", ".loc 1 3 1\nmov.u32") + '.file 1 "k.cu"\n'
    (folder / "k.ptx").write_text(located)
    monkeypatch.chdir(folder)
    result = ptxlint("why", "k.ptx:8")
    assert "secret" not in result.out
    assert f"k.cu: note: not quoted: a link that leaves this folder, to {tmp_path}" in result.err


def test_a_grid_of_two_thousand_million_blocks(ptxlint: Ptxlint, tmp_path: Path) -> None:
    (tmp_path / "k.ptx").write_text(GOOD)
    launch = ("--block", "32", "--grid", str(2**31 - 1), "--arg", "0=0", "--arg", "1=0")
    result = ptxlint("run", *launch, "--max-steps", "100", "k.ptx")
    assert result.code == 3
    assert "not finished within 100 steps" in result.out
