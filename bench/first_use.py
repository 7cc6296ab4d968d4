"""How long does a stranger need from the installation to a commit that is refused?

``python -m bench.first_use [FOLDER]``

Builds the wheel of this checkout, and does in an empty folder what the documentation says: installs
it into a new environment, runs the demonstration, writes a kernel with a defect and the launch of
it, commits with pre-commit, which refuses, takes the finding into a baseline and commits, mends the
kernel, shrinks the baseline and commits. Prints a table of the
steps with their seconds, as they passed and of the processor. Needs the modules ``build`` and
``pre_commit``, and a registry of packages.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from time import perf_counter

from ptxlint.rule import load_rule, load_rules

ROOT = Path(__file__).parents[1]
WHO = ("-c", "user.name=n", "-c", "user.email=e@example.com")
LAUNCH = """[[launch]]
kernel = "vectors"
params = ["x"]
block = 32
grid = 1
buffers = { x = 512 }
"""
BASELINE = 'baseline = "ptxlint-baseline.json"\n'
HOOKS = """repos:
  - repo: {root}
    rev: {revision}
    hooks:
      - id: ptxlint
"""


@dataclass
class Steps:
    """The steps of a table, run in a folder."""

    folder: Path
    rows: list[tuple[str, float, float]] = field(default_factory=list)

    def run(self, name: str, words: Sequence[str | Path], code: int = 0, says: str = "") -> str:
        """Runs a command, whose exit code and output are known."""
        before, start = spent(), perf_counter()
        plain = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
        environment = {**plain, "PRE_COMMIT_HOME": str(self.folder / "hooks")}
        ran = subprocess.run(
            words, cwd=self.folder / "project", env=environment, capture_output=True, text=True
        )
        output = ran.stdout + ran.stderr
        if (ran.returncode != 0) is not (code != 0) or says not in output:
            raise SystemExit(f"{name}: exit code {ran.returncode}\n{output}")
        self.rows.append((name, perf_counter() - start, spent() - before))
        return output

    def table(self) -> Iterable[str]:
        yield "| step | s | CPU s |"
        yield "| --- | --- | --- |"
        for name, seconds, processor in self.rows:
            yield f"| {name} | {seconds:.1f} | {processor:.1f} |"
        total = [sum(row[column] for row in self.rows) for column in (1, 2)]
        yield f"| sum | {total[0]:.1f} | {total[1]:.1f} |"


def spent() -> float:
    """Processor seconds of the commands so far."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def wheel(folder: Path) -> Path:
    """The wheel, built from this checkout."""
    command = [sys.executable, "-m", "build", "--wheel", "--outdir", str(folder), str(ROOT)]
    subprocess.run(command, check=True, capture_output=True)
    (built,) = folder.glob("*.whl")
    return built


def first_use(folder: Path) -> Steps:
    project = folder / "project"
    project.mkdir(parents=True)
    package, python = wheel(folder), folder / "venv" / "bin" / "python"
    revision = subprocess.check_output(["git", "rev-parse", "HEAD"], cwd=ROOT, text=True).strip()
    rule, steps = load_rule("misaligned-access"), Steps(folder)
    install = [python, "-m", "pip", "install", "-q", str(package), "pre-commit"]
    commit = ["git", *WHO, "commit", "-qm", "kernel"]

    steps.run("`python -m venv`", [sys.executable, "-m", "venv", folder / "venv"])
    steps.run("`pip install ptxlint pre-commit`", install)
    steps.run("`ptxlint demo`", [python.parent / "ptxlint", "demo"], says="1 error, 1 warning")
    (project / "k.ptx").write_text(rule.bad)
    (project / "ptxlint.toml").write_text(LAUNCH)
    hooks = HOOKS.format(root=ROOT, revision=revision)
    (project / ".pre-commit-config.yaml").write_text(hooks)
    steps.run("`git init`", ["git", "init", "-q"])
    steps.run("`pre-commit install`", [python.parent / "pre-commit", "install"])
    steps.run("`git add`", ["git", "add", "."])
    red = "error[misaligned-access]"
    steps.run("`git commit`: the hook is installed; refused", commit, 1, red)
    steps.run("`git commit`: refused again", commit, 1, red)
    program = python.parent / "ptxlint"
    steps.run("`ptxlint baseline k.ptx`", [program, "baseline", "k.ptx"])
    (project / "ptxlint.toml").write_text(BASELINE + LAUNCH)
    steps.run("`git add`, with the baseline", ["git", "add", "."])
    steps.run("`git commit`: accepted", commit, says="Passed")
    (project / "k.ptx").write_text(rule.good)
    steps.run("`ptxlint baseline --shrink k.ptx`", [program, "baseline", "--shrink", "k.ptx"])
    steps.run("`git add`, mended", ["git", "add", "."])
    steps.run("`git commit`, mended: accepted", commit, says="Passed")
    for name, module in list(load_rules().items())[:10]:
        (project / f"{name}.ptx").write_text(module.good)
    steps.run("`git add`, ten kernels", ["git", "add", "."])
    steps.run("`git commit`, ten kernels", commit, says="Passed")
    return steps


def main(words: Sequence[str]) -> None:
    with tempfile.TemporaryDirectory(dir=words[0] if words else None) as folder:
        print("\n".join(first_use(Path(folder)).table()))


if __name__ == "__main__":
    main(sys.argv[1:])
