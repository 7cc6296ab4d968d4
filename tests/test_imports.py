"""Imports only go down, without a cycle; and what would break that is found."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from shutil import copy, copytree, ignore_patterns

ROOT = Path(__file__).parents[1]
PACKAGES = ("analyses", "ptxlint", "pricing_kernels")
CYCLE = {"analyses/concrete/bitvectors.py": "from analyses.concrete import machine"}
UPWARD = {
    # relative
    "analyses/domains/tnum.py": "from ..proofs import prover",
    # by a name in a string, and by one that is computed
    "analyses/slices.py": 'import importlib\nimportlib.import_module("analyses.proofs.prover")',
    "analyses/program.py": "from importlib import import_module\nimport_module(__name__)",
    # for type checkers, in a function
    "analyses/algebra.py": "if TYPE_CHECKING:\n    import analyses.values",
    "analyses/conditions.py": "def f():\n    import analyses.flow",
    # into the package above
    "analyses/graph.py": "import ptxlint.source",
    "ptxlint/source.py": "import pricing_kernels.gf2",
    "pricing_kernels/gf2.py": "from pricing_kernels import cli",
    # a rule and what it may not know
    "ptxlint/rules/data_race.py": "from ptxlint.simt import run",
    "ptxlint/rules/slow_division.py": "from ptxlint.rules import out_of_bounds",
}
FOUND = [
    "analyses.domains.tnum -> analyses.proofs.prover (l.",
    "imported by name: analyses.slices -> analyses.proofs.prover",
    "imported by name: analyses.program -> anything",
    "analyses.algebra -> analyses.values (l.",
    "analyses.conditions -> analyses.flow (l.",
    "analyses.graph -> ptxlint.source (l.",
    "ptxlint.source -> pricing_kernels.gf2 (l.",
    "pricing_kernels.gf2 -> pricing_kernels.cli (l.",
    "ptxlint.rules.data_race -> ptxlint.simt (l.",
    "ptxlint.rules.slow_division -> ptxlint.rules.out_of_bounds (l.",
]


def checked(folder: Path) -> tuple[int, str]:
    """The exit code of the check of the packages in a folder, and what it prints."""
    command = [sys.executable, str(ROOT / "tests" / "imports.py")]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, encoding="utf-8")
    return done.returncode, done.stdout + done.stderr


def planted(folder: Path, lines: Mapping[str, str]) -> str:
    """What the check prints of the packages with lines added to some files."""
    for package in PACKAGES:
        copytree(ROOT / package, folder / package, ignore=ignore_patterns("__pycache__", "emitted"))
    copy(ROOT / "pyproject.toml", folder)
    for file, added in lines.items():
        path = folder / file
        path.write_text(f"{path.read_text('utf-8')}\n{added}\n", "utf-8")
    code, printed = checked(folder)
    assert code == 1, printed
    return printed


def test_imports_only_go_down() -> None:
    code, printed = checked(ROOT)
    assert code == 0, printed


def test_a_cycle_inside_a_folder_is_found(tmp_path: Path) -> None:
    assert "cycle: analyses.concrete." in planted(tmp_path, CYCLE)


def test_imports_upward_are_found(tmp_path: Path) -> None:
    printed = planted(tmp_path, UPWARD)
    assert [problem for problem in FOUND if problem not in printed] == [], printed
