"""The documentation builds without a warning, and has the pages that reports link to."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import ptxlint
from ptxlint.documentation import rule_page
from ptxlint.rule import rule_names

ROOT = Path(__file__).parents[1]


@pytest.mark.slow
def test_the_site_builds_without_a_warning(tmp_path: Path) -> None:
    for module in ("sphinx", "myst_parser", "furo"):
        pytest.importorskip(module)
    command = [sys.executable, str(ROOT / "docs" / "build.py"), str(tmp_path)]
    built = subprocess.run(command, capture_output=True, text=True)
    assert built.returncode == 0, built.stderr
    for rule in rule_names():
        assert (tmp_path / rule_page("", rule).lstrip("/")).is_file()


def test_the_reference_has_every_public_name() -> None:
    page = (ROOT / "docs" / "reference.md").read_text("utf-8")
    missing = [name for name in ptxlint.__all__ if f":: ptxlint.{name}\n" not in page]
    assert missing == ["__version__"]
