"""The hook for pre-commit, run by pre-commit on a git repository."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.integrations.conftest import BAD, CONFIGURATION, GOOD

yaml = pytest.importorskip("yaml")
pytest.importorskip("pre_commit")

ROOT = Path(__file__).parents[2]
(HOOK,) = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())


def git(folder: Path, *words: str) -> None:
    who = ("-c", "user.name=n", "-c", "user.email=e@example.com")
    subprocess.run(["git", *who, *words], cwd=folder, check=True, capture_output=True)


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A git repository with a kernel that has a defect in its declared launch."""
    folder = tmp_path / "project"
    folder.mkdir()
    git(folder, "init", "-q", "-b", "main")
    (folder / "k.ptx").write_text(BAD)
    (folder / "ptxlint.toml").write_text(CONFIGURATION)
    (folder / "notes.txt").write_text("not PTX")
    monkeypatch.chdir(folder)
    monkeypatch.setenv("PRE_COMMIT_HOME", str(tmp_path / "home"))
    for name in ("GIT_DIR", "GIT_INDEX_FILE", "GIT_WORK_TREE", "PRE_COMMIT_ALLOW_NO_CONFIG"):
        monkeypatch.delenv(name, raising=False)
    return folder


def pre_commit(*words: str) -> tuple[int, str]:
    command = [sys.executable, "-m", "pre_commit", "run", "--color", "never", *words]
    ran = subprocess.run(command, capture_output=True, text=True)
    return ran.returncode, ran.stdout + ran.stderr


def red_then_green(repository: Path, config: object) -> None:
    (repository / ".pre-commit-config.yaml").write_text(yaml.safe_dump({"repos": [config]}))
    git(repository, "add", ".")
    code, said = pre_commit()
    assert code == 1, said
    assert "k.ptx:14:5: error[misaligned-access]" in said and "notes.txt" not in said
    assert "- exit code: 1" in said
    (repository / "k.ptx").write_text(GOOD)
    git(repository, "add", ".")
    code, said = pre_commit()
    assert (code, "Passed" in said) == (0, True), said


def test_a_commit_with_a_defect_is_refused(repository: Path) -> None:
    """The hook as it is published, on this interpreter."""
    command = HOOK["entry"].replace("ptxlint", f"{sys.executable} -m ptxlint", 1)
    hook = {**HOOK, "language": "system", "entry": command}
    red_then_green(repository, {"repo": "local", "hooks": [hook]})


def test_a_commit_without_ptx_runs_nothing(repository: Path) -> None:
    hook = {**HOOK, "language": "system", "entry": "false"}
    config = {"repos": [{"repo": "local", "hooks": [hook]}]}
    (repository / ".pre-commit-config.yaml").write_text(yaml.safe_dump(config))
    git(repository, "add", "notes.txt", ".pre-commit-config.yaml")
    code, said = pre_commit()
    assert (code, "Skipped" in said) == (0, True), said


@pytest.mark.slow
def test_pre_commit_installs_ptxlint(repository: Path) -> None:
    """As a stranger has it: from the repository of ptxlint, into an environment of its own."""
    head = subprocess.run(["git", "rev-parse", "HEAD"], cwd=ROOT, capture_output=True, text=True)
    if head.returncode:
        pytest.skip("not a git repository")
    hooks = [{"id": "ptxlint"}]
    red_then_green(repository, {"repo": str(ROOT), "rev": head.stdout.strip(), "hooks": hooks})
