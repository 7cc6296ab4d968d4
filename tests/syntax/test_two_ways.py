"""The regular expression that reads most statements and the recursive descent that can read all of
them give the same tree, at the same place, for every statement; and so do the recursive descent
that reads most modules and the grammar that can read all of them."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ptxlint.source import Source
from ptxlint.syntax import ast
from ptxlint.syntax.cleaning import cleaned
from ptxlint.syntax.grammar import module
from ptxlint.syntax.items import items
from ptxlint.syntax.reader import Reader
from ptxlint.syntax.statements import statement
from ptxlint.syntax.text import ModuleText
from tests.syntax.printer import print_statement

from .texts import FILES, HEAD, all_statements, statements_of, tree_of
from .trees import flat_statements, respelt

LEFT_TO_THE_GRAMMAR = ("spellings",)
"""Files with rare items."""


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


def read_both_ways(text: str) -> tuple[str, str]:
    """The items with their places, by the descent and by the grammar."""
    plain, _, _ = cleaned(Source("t.ptx", text))
    return repr(items(ModuleText(plain))), repr(module.parse_string(ModuleText(plain)).as_list())


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_real_modules_read_alike_both_ways(file: Path) -> None:
    fast, slow = read_both_ways(file.read_text())
    assert fast == slow or (fast == "None" and file.stem in LEFT_TO_THE_GRAMMAR)


@pytest.mark.parametrize(
    "item",
    [
        ".visible .entry k(.param .u64 p, .param .align 8 .b8 s[16]) .maxntid 32, 1, 1 { ret; }",
        '.entry k .pragma "nounroll"; { ret; }',
        ".extern .func (.param .b32 r) f (.param .b64 x) .noreturn ;",
        ".func .attribute(.unified(1,2)) f() { } .visible .entry k() { { ret; } }",
        ".visible .attribute(.managed) .global .align 4 .u32 x = 3;",
        ".extern .shared .align 16 .b8 s[];",
        ".func f .entry k() { }",
        '.file 1 "a.cu", 12, 34 .pragma "x", "y"; .section .debug_str { a }',
        ".target sm_80, texmode_unified .address_size 32",
    ],
)
def test_an_item_reads_alike_both_ways(item: str) -> None:
    fast, slow = read_both_ways(f"{HEAD}{item}")
    assert fast == slow


@pytest.mark.parametrize(
    "item",
    [".alias f, g;", "@@DWARF .byte 1", ".entry k() { add }", ".entry k(", ".version", ".entry 5"],
)
def test_other_modules_are_left_to_the_grammar(item: str) -> None:
    assert items(ModuleText(f"{HEAD}{item}")) is None


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
