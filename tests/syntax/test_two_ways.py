"""The regular expression that reads most statements and the recursive descent that can read all of
them give the same tree, at the same place, for every statement."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ptxlint.source import Source
from ptxlint.syntax import ast
from ptxlint.syntax.cleaning import cleaned
from ptxlint.syntax.reader import Reader
from ptxlint.syntax.statements import statement
from tests.syntax.printer import print_statement

from .texts import FILES, HEAD, all_statements, statements_of, tree_of
from .trees import flat_statements, respelt


def agree(text: str) -> None:
    plain, _, _ = cleaned(Source("t.ptx", text))
    for fast in all_statements(tree_of(text)):
        slow = statement(Reader(plain, fast.offset))
        assert slow == fast
        assert slow.offset == fast.offset


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_real_statements_read_alike_both_ways(file: Path) -> None:
    agree(file.read_text())


@given(st.data(), flat_statements)
def test_a_statement_means_the_same_in_every_spelling(
    data: st.DataObject, tree: ast.Statement
) -> None:
    text = data.draw(respelt("\n".join(print_statement(tree))))
    assert statements_of(text) == (tree,)
    agree(f"{HEAD}.entry k() {{{text}}}")


def test_most_statements_take_the_fast_way() -> None:
    from ptxlint.syntax.body import _statement

    found = total = 0
    for file in FILES:
        plain, _, _ = cleaned(Source("t.ptx", file.read_text()))
        for node in all_statements(tree_of(file.read_text())):
            if isinstance(node, ast.Instruction | ast.Loc | ast.Label):
                total += 1
                found += _statement.match(plain, node.offset) is not None
    assert found > 0.9 * total
