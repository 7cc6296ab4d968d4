"""Each command of the table of conventions exits as the table says."""

from __future__ import annotations

import io
import re
import shlex
import shutil
import sys
from pathlib import Path

import pytest

from ptxlint.cli import called_with

ROOT = Path(__file__).parents[2]
ROW = re.compile(r"^\| ([^|`]+) \| `ptxlint ([^`]+)` \| (\d) \|$", re.M)
ROWS = ROW.findall((ROOT / "docs" / "conventions.md").read_text("utf-8"))


def test_the_table_has_rows() -> None:
    assert len(ROWS) > 20


@pytest.mark.parametrize(("name", "words", "code"), ROWS, ids=[name for name, _, _ in ROWS])
def test_a_command_shows_it(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    name: str,
    words: str,
    code: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    for suffix in (".cu", ".ptx"):
        shutil.copy(ROOT / "ptxlint" / "demo" / f"transpose{suffix}", tmp_path)
    data = Path("transpose.ptx").read_bytes()
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
    assert called_with(shlex.split(words)) == int(code), capsys.readouterr().err
    said = capsys.readouterr()
    assert said.out or said.err
