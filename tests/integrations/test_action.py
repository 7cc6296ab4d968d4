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


@pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")
@pytest.mark.parametrize(("kernel", "code"), [(BAD, 1), (GOOD, 0)])
def test_the_check_annotates_and_writes_sarif(tmp_path: Path, kernel: str, code: int) -> None:
    program = tmp_path / "temp" / "ptxlint" / "bin" / "ptxlint"
    program.parent.mkdir(parents=True)
    program.write_text(f'#!/bin/sh\nPYTHONPATH={ROOT} exec {sys.executable} -m ptxlint "$@"\n')
    program.chmod(0o755)
    (tmp_path / "a b.ptx").write_text(kernel)
    inputs = {"paths": "*.ptx", "options": LAUNCH}
    assert {name: one["default"] for name, one in ACTION["inputs"].items()}.keys() == inputs.keys()
    environment = {
        **os.environ,
        "RUNNER_TEMP": str(tmp_path / "temp"),
        "GITHUB_OUTPUT": str(tmp_path / "out"),
        "PATHS": inputs["paths"],
        "OPTIONS": inputs["options"],
    }
    script = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", CHECK["run"]]
    ran = subprocess.run(script, cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert ran.returncode == code, ran.stderr
    annotation = "::error title=ptxlint misaligned-access,file=a b.ptx,line=14,"
    assert (annotation in ran.stdout) is bool(code)
    sarif = Path((tmp_path / "out").read_text().strip().removeprefix("sarif="))
    assert len(json.loads(sarif.read_text())["runs"][0]["results"]) == code


def test_inputs_reach_the_shell_as_variables_alone() -> None:
    """GitHub pastes expressions into scripts: a path like ``$(rm -r .)`` would be run."""
    for step in ACTION["runs"]["steps"]:
        assert "${{" not in step["run"]
