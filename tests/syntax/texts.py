"""How tests write PTX: a whole module around a statement, and the PTX files of the repository."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from ptxlint.source import Source
from ptxlint.syntax import Parsed, ast, parse

ROOT = Path(__file__).parents[2]
FOLDERS = ("corpus", "pricing_kernels/emitted", "tests/syntax/snippets")
FILES = sorted(path for folder in FOLDERS for path in (ROOT / folder).rglob("*.ptx"))
HEAD = ".version 9.0\n.target sm_90\n.address_size 64\n"


def read(text: str) -> Parsed:
    return parse(Source("t.ptx", text))


def tree_of(text: str) -> ast.Module:
    """The module of a text without errors."""
    parsed = read(text)
    assert parsed.ok and parsed.module is not None, "\n".join(map(str, parsed.diagnostics))
    return parsed.module


def statements_of(text: str) -> tuple[ast.Statement, ...]:
    """What stands in a body."""
    function = tree_of(f"{HEAD}.entry k() {{\n{text}\n}}").items[0]
    assert isinstance(function, ast.Function) and function.body is not None
    return function.body.statements


def all_statements(module: ast.Module) -> Iterator[ast.Statement]:
    """Every statement but the blocks themselves."""
    scopes = [item.body for item in module.items if isinstance(item, ast.Function) and item.body]
    while scopes:
        for statement in scopes.pop().statements:
            if isinstance(statement, ast.Scope):
                scopes.append(statement)
            else:
                yield statement
