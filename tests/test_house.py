"""Rows are complete, files stay readable."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from ptxlint.isa.table import CHAPTERS, rows

ROOT = Path(__file__).parents[1]

LONGEST_FILE = 500
LONGEST_FUNCTION = 45


def modules(*packages: str) -> list[Path]:
    return sorted(path for package in packages for path in (ROOT / package).rglob("*.py"))


def name_of(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


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
