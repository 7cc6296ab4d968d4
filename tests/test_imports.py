"""Imports only go down, without a cycle; and what would break that is found."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from shutil import copy, copytree, ignore_patterns

import pytest

ROOT = Path(__file__).parents[1]
PACKAGES = ("analyses", "ptxlint", "pricing_kernels")


def checked(folder: Path) -> tuple[int, str]:
    """The exit code of the check of the packages in a folder, and what it prints."""
    command = [sys.executable, str(ROOT / "tests" / "imports.py")]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, encoding="utf-8")
    return done.returncode, done.stdout + done.stderr


def test_imports_only_go_down() -> None:
    code, printed = checked(ROOT)
    assert code == 0, printed


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The packages once more."""
    copied = tmp_path_factory.mktemp("packages")
    for package in PACKAGES:
        copytree(ROOT / package, copied / package, ignore=ignore_patterns("__pycache__", "emitted"))
    copy(ROOT / "pyproject.toml", copied)
    return copied


@pytest.fixture
def plant(folder: Path, request: pytest.FixtureRequest) -> Iterator[None]:
    """Adds lines to a file for the time of a test."""
    file, lines = request.param
    path = folder / file
    before = path.read_text("utf-8")
    path.write_text(f"{before}\n{lines}\n", "utf-8")
    yield
    path.write_text(before, "utf-8")


LAYERS = "imports go down: pricing_kernels, ptxlint, analyses BROKEN"
ANALYSES = "imports go down inside analyses BROKEN"
PRICING = "imports go down inside pricing_kernels BROKEN"
RULES = "it runs no interpreter and searches no witness BROKEN"
PLANTED = {
    "relative": ("analyses/domains/tnum.py", "from ..proofs import prover", ANALYSES),
    "by name": (
        "analyses/graph.py",
        'import importlib\nimportlib.import_module("analyses.proofs.prover")',
        "imported by name: analyses.graph -> analyses.proofs.prover",
    ),
    "by a name that is computed": (
        "analyses/graph.py",
        "from importlib import import_module\nimport_module(__name__)",
        "imported by name: analyses.graph -> anything",
    ),
    "cycle inside a folder": (
        "analyses/concrete/bitvectors.py",
        "from analyses.concrete import machine",
        "cycle: analyses.concrete.",
    ),
    "for type checkers": (
        "analyses/graph.py",
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import analyses.values",
        ANALYSES,
    ),
    "in a function": ("analyses/graph.py", "def f():\n    import ptxlint.check", LAYERS),
    "rule and interpreter": ("ptxlint/rules/data_race.py", "from ptxlint.simt import run", RULES),
    "rule and rule": (
        "ptxlint/rules/data_race.py",
        "from ptxlint.rules import out_of_bounds",
        "a rule knows no other rule BROKEN",
    ),
    "ptxlint and its user": ("ptxlint/source.py", "import pricing_kernels.gf2", LAYERS),
    "analyses and their user": ("analyses/graph.py", "import ptxlint.source", LAYERS),
    "inside pricing_kernels": ("pricing_kernels/gf2.py", "from pricing_kernels import cli", PRICING),
}


@pytest.mark.parametrize(
    ("plant", "problem"),
    [pytest.param((file, lines), said, id=name) for name, (file, lines, said) in PLANTED.items()],
    indirect=["plant"],
)
def test_what_breaks_it_is_found(folder: Path, plant: None, problem: str) -> None:
    code, printed = checked(folder)
    assert code == 1 and problem in printed, printed
