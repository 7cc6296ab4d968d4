"""The same report on every machine: no order of a hash, and no clock, decides what is found."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SEEDS = ("0", "1", "4711")
CASES = (
    ("corpus/flawed/barrier_in_divergent_if.ptx", "check --pedantic --output-format json"),
    ("corpus/flawed/*sum*.ptx", "check --pedantic --output-format json"),
    ("corpus/clean/*transpose*.ptx", "check --pedantic --output-format json"),
    ("corpus/clean/*reduce*.ptx", "contract --output-format json"),
)
CLOCKS = {"time", "datetime", "timeit", "resource", "signal", "sched"}
SECONDS_OF_THE_REPORT = {
    "checker.py",
    "cli/run.py",
    "execution/runner.py",
    "frontends/double.py",
}
NOT_OF_THE_REPORT = {
    "cache.py",  # the time of the last use
    "executors.py",  # what Ctrl-C does
    "cli/running.py",  # the time of the progress
    "cli/watching.py",  # the pause between two looks
}


def output(path: str, command: str, seed: str) -> str:
    name, *options = command.split()
    ran = subprocess.run(
        [sys.executable, "-m", "ptxlint", name, path, *options],
        cwd=ROOT,
        env={**os.environ, "PYTHONHASHSEED": seed},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.stdout
    assert not ran.stderr
    return re.sub(r'"seconds": [0-9.]+', "", ran.stdout)


@pytest.mark.parametrize(("path", "command"), CASES, ids=lambda case: case)
def test_hash_seeds_change_no_byte(path: str, command: str) -> None:
    first, *others = (output(path, command, seed) for seed in SEEDS)
    assert all(other == first for other in others)


def clocks_in(path: Path) -> set[str]:
    """The modules with clocks that a file imports."""
    nodes = list(ast.walk(ast.parse(path.read_text("utf-8"))))
    names = [alias.name for n in nodes if isinstance(n, ast.Import) for alias in n.names]
    names += [n.module or "" for n in nodes if isinstance(n, ast.ImportFrom)]
    return {name.partition(".")[0] for name in names} & CLOCKS


def test_a_clock_is_read_for_the_seconds_of_the_report_alone() -> None:
    with_clock = {
        str(path.relative_to(ROOT / "ptxlint" if folder == "ptxlint" else ROOT))
        for folder in ("analyses", "ptxlint")
        for path in (ROOT / folder).rglob("*.py")
        if clocks_in(path)
    }
    assert with_clock == SECONDS_OF_THE_REPORT | NOT_OF_THE_REPORT


def test_the_solver_counts_steps() -> None:
    text = (ROOT / "analyses" / "proofs" / "smt.py").read_text("utf-8")
    assert "rlimit" in text
    assert "timeout" not in text
