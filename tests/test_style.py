"""ruff and mypy have nothing to say."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


@pytest.mark.parametrize("command", ["ruff check .", "mypy"])
def test_silent(command: str) -> None:
    tool, *options = command.split()
    pytest.importorskip(tool)
    done = subprocess.run(
        [sys.executable, "-m", tool, *options], cwd=ROOT, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr
