"""The house stands as it was drawn: imports fall, rows are complete, files stay readable."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from ptxlint.isa.table import CHAPTERS, rows

ROOT = Path(__file__).parents[1]

FLOORS = (
    ("analyses.algebra", "analyses.symbolic.polynomial", "analyses.traffic.occupancy"),
    ("analyses.symbolic.points",),
    ("analyses.symbolic.entailment",),
    ("analyses.lattice", "analyses.graph"),
    ("analyses.program",),
    ("analyses.symbolic.symbols",),
    ("analyses.symbolic.congruence",),
    ("analyses.domains", "analyses.conditions", "analyses.slices"),
    ("analyses.flow",),
    ("analyses.fixpoint", "analyses.traffic.coordinates"),
    ("analyses.values", "analyses.divergence"),
    ("analyses.addresses", "analyses.symbolic.words", "analyses.traffic.setting"),
    ("analyses.symbolic.definitions", "analyses.symbolic.needs"),
    ("analyses.symbolic.premises",),
    ("analyses.symbolic.rounds",),
    ("analyses.symbolic.proofs",),
    ("analyses.symbolic.solver", "analyses.traffic.lanewise"),
    ("analyses.footprints",),
    ("analyses.traffic.patterns",),
    ("analyses.traffic.costs", "analyses.races", "analyses.ownership"),
    (
        "analyses.traffic.laws",
        "analyses.traffic.cures",
        "analyses.traffic.devices",
        "analyses.traffic.shares",
    ),
    ("ptxlint.thresholds",),
    ("ptxlint.source", "ptxlint.version", "ptxlint.mangling"),
    ("ptxlint.contracts.expression", "ptxlint.contracts.written"),
    ("ptxlint.contracts.ends",),
    ("ptxlint.syntax", "ptxlint.isa"),
    ("ptxlint.lowering.names", "ptxlint.ir"),
    (
        "ptxlint.lowering.operands",
        "ptxlint.lowering.ssa",
        "ptxlint.lowering.members",
        "ptxlint.contracts.declaration",
    ),
    ("ptxlint.contracts.launch",),
    ("ptxlint.contracts.agreement",),
    ("ptxlint.lowering.transfers",),
    ("ptxlint.lowering.bulk",),
    ("ptxlint.lowering.lower", "ptxlint.contracts.contract", "ptxlint.lowering.promote"),
    (
        "ptxlint.contracts.file",
        "ptxlint.contracts.guard",
        "ptxlint.contracts.resolution",
    ),
    ("ptxlint.contracts.configuration", "ptxlint.contracts.record"),
    ("ptxlint.lowering.inline",),
    ("ptxlint.lowering.assemble", "ptxlint.finding"),
    ("ptxlint.contracts.terms", "ptxlint.contracts.assumptions"),
    ("ptxlint.simt", "ptxlint.facts", "ptxlint.rule"),
    ("ptxlint.arrays", "ptxlint.reasons", "ptxlint.overflow", "ptxlint.trials"),
    ("ptxlint.advice", "ptxlint.blame", "ptxlint.overlapping", "ptxlint.contracts.aliasing"),
    ("ptxlint.contracts.inferred",),
    ("ptxlint.contracts.inference",),
    ("ptxlint.rules", "ptxlint.witness", "ptxlint.execution"),
    ("ptxlint.check",),
    ("ptxlint.reports",),
    ("ptxlint.cli",),
)
"""Lowest first. A module may import from lower floors and from its own folder."""

LONGEST_FILE = 500
LONGEST_FUNCTION = 45


def floor(module: str) -> tuple[int, str] | None:
    for height, names in enumerate(FLOORS):
        for name in names:
            if module == name or module.startswith(name + "."):
                return height, name
    return None


def modules(*packages: str) -> list[Path]:
    return sorted(path for package in packages for path in (ROOT / package).rglob("*.py"))


def name_of(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


def imports(path: Path) -> set[str]:
    """What a module imports, TYPE_CHECKING and function bodies included."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found.add(node.module)
            found.update(f"{node.module}.{alias.name}" for alias in node.names)
    return found


@pytest.mark.parametrize("path", modules("analyses", "ptxlint"), ids=name_of)
def test_imports_only_go_down(path: Path) -> None:
    here = floor(name_of(path))
    if here is None:
        face = path.name == "__init__.py" and imports(path) <= {
            "__future__",
            "__future__.annotations",
        }
        assert face or name_of(path) in ("ptxlint", "ptxlint.__main__"), "stands on no floor"
        return
    for imported in imports(path):
        if (name_of(path), imported) == ("ptxlint.rule", "ptxlint.rules"):
            continue  # it walks the folder: the one dynamic import of the house
        there = floor(imported)
        if there is not None and there[1] != here[1]:
            assert there[0] < here[0], f"{name_of(path)} imports {imported}, which is not below it"


@pytest.mark.parametrize("path", modules("analyses"), ids=name_of)
def test_the_mathematics_knows_no_ptx(path: Path) -> None:
    assert not any(name.startswith(("ptxlint", "pricing_kernels")) for name in imports(path))


@pytest.mark.parametrize("path", modules("ptxlint"), ids=name_of)
def test_the_linter_knows_no_pricing(path: Path) -> None:
    assert not any(name.startswith("pricing_kernels") for name in imports(path))


@pytest.mark.parametrize("path", modules("analyses", "ptxlint", "pricing_kernels"), ids=name_of)
def test_files_and_functions_stay_readable(path: Path) -> None:
    text = path.read_text()
    assert len(text.splitlines()) <= LONGEST_FILE
    tree = ast.parse(text)
    if text.strip():
        assert ast.get_docstring(tree), "a module says what it is"
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            assert node.end_lineno is not None
            lines = node.end_lineno - node.lineno + 1
            assert lines <= LONGEST_FUNCTION, f"{node.name} has {lines} lines"


def test_every_row_has_an_anchor_and_a_meaning() -> None:
    for listed in rows().values():
        for row in listed:
            assert row.at, row.pattern
            assert row.sem or row.effects or row.opcode.startswith("prefetch"), row.pattern


def test_every_chapter_is_in_the_table() -> None:
    files = {p.stem for p in (ROOT / "ptxlint/isa").glob("*.py") if "\nROWS" in p.read_text()}
    chapters = {chapter.__name__.rpartition(".")[2] for chapter in CHAPTERS}
    assert files == chapters
