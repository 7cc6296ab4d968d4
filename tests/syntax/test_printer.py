"""Printing loses nothing: reading what was printed gives the tree again."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import given

from ptxlint.syntax import ast

from .printer import print_module
from .texts import FILES, ROOT, tree_of
from .trees import modules


@given(modules)
def test_a_printed_tree_reads_as_itself(module: ast.Module) -> None:
    assert tree_of(print_module(module)) == module


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_a_printed_file_reads_as_itself(file: Path) -> None:
    module = tree_of(file.read_text())
    assert tree_of(print_module(module)) == module


@pytest.mark.skipif(shutil.which("ptxas") is None, reason="needs ptxas")
@pytest.mark.parametrize("printed", [False, True], ids=["as written", "printed"])
def test_ptxas_takes_every_spelling_that_we_take(printed: bool, tmp_path: Path) -> None:
    text = (ROOT / "tests/syntax/snippets/spellings.ptx").read_text()
    file = tmp_path / "t.ptx"
    file.write_text(print_module(tree_of(text)) if printed else text)
    command = ["ptxas", "-c", "-arch=sm_90a", str(file), "-o", str(tmp_path / "t.o")]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
