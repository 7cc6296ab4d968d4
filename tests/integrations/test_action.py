"""The GitHub Action: its last step, run by bash as GitHub does."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.integrations.conftest import BAD, GOOD, LAUNCH

yaml = pytest.importorskip("yaml")

ROOT = Path(__file__).parents[2]
ACTION = yaml.safe_load((ROOT / "action.yml").read_text())
*_, CHECK = ACTION["runs"]["steps"]


needs_bash = pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")


def checked(tmp_path: Path, paths: str) -> subprocess.CompletedProcess[str]:
    """The last step of the action, as GitHub runs it."""
    program = tmp_path / "temp" / "ptxlint" / "bin" / "ptxlint"
    program.parent.mkdir(parents=True)
    program.write_text(f'#!/bin/sh\nPYTHONPATH={ROOT} exec {sys.executable} -m ptxlint "$@"\n')
    program.chmod(0o755)
    inputs = {"paths": paths, "options": LAUNCH}
    assert {name: one["default"] for name, one in ACTION["inputs"].items()}.keys() == inputs.keys()
    environment = {
        **os.environ,
        "RUNNER_TEMP": str(tmp_path / "temp"),
        "GITHUB_OUTPUT": str(tmp_path / "out"),
        "PATHS": inputs["paths"],
        "OPTIONS": inputs["options"],
    }
    script = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", CHECK["run"]]
    return subprocess.run(script, cwd=tmp_path, env=environment, capture_output=True, text=True)


@needs_bash
@pytest.mark.parametrize(("kernel", "code"), [(BAD, 1), (GOOD, 0)])
def test_the_check_annotates_and_writes_sarif(tmp_path: Path, kernel: str, code: int) -> None:
    (tmp_path / "a b.ptx").write_text(kernel)
    ran = checked(tmp_path, "*.ptx")
    assert ran.returncode == code, ran.stderr
    annotation = "::error title=ptxlint misaligned-access,file=a b.ptx,line=14,"
    assert (annotation in ran.stdout) is bool(code)
    sarif = Path((tmp_path / "out").read_text().strip().removeprefix("sarif="))
    assert len(json.loads(sarif.read_text())["runs"][0]["results"]) == code


@needs_bash
def test_where_nothing_is_checked_no_sarif_is_named(tmp_path: Path) -> None:
    """The step that uploads it is left out, and does not fail for want of a file."""
    ran = checked(tmp_path, "missing.ptx")
    assert ran.returncode == 2 and "no such file" in ran.stderr
    assert not (tmp_path / "out").exists() and "::error title=ptxlint::" in ran.stdout
    page = (ROOT / "docs" / "ci.md").read_text()
    assert "if: always() && steps.ptxlint.outputs.sarif\n" in page


def test_inputs_reach_the_shell_as_variables_alone() -> None:
    """GitHub pastes expressions into scripts: a path like ``$(rm -r .)`` would be run."""
    for step in ACTION["runs"]["steps"]:
        assert "${{" not in step["run"]
