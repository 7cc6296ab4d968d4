"""Command lines run in this process, with no rules: what is tested here is how
ptxlint behaves, not what it finds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from ptxlint.cli import called_with
from ptxlint.options import Options


@dataclass(frozen=True)
class Result:
    code: int
    out: str
    err: str


Ptxlint = Callable[..., Result]


@pytest.fixture
def ptxlint(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Ptxlint:
    """Runs a command line in an empty folder."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("PTXLINT_TRACEBACK", raising=False)
    monkeypatch.setattr(Options, "rule_ids", ())

    def call(*arguments: str) -> Result:
        code = called_with(arguments)
        captured = capsys.readouterr()
        return Result(code, captured.out, captured.err)

    return call
