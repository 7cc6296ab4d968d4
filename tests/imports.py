"""What is wrong with the imports of the packages below the current folder, one problem a line.

The layers stand in pyproject.toml, under tool.importlinter. Two things import-linter does not look
at: cycles between files of one layer, and modules that are imported by a name in a string. Imports
in functions and those for type checkers count as any other."""

from __future__ import annotations

import ast
import sys
import tomllib
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import grimp
from importlinter.cli import lint_imports

PROJECT = tomllib.loads(Path("pyproject.toml").read_text("utf-8"))["tool"]["importlinter"]
CALLS = {"import_module", "__import__"}


def cycles() -> Iterator[str]:
    """A cycle between files, if there is one."""
    graph = grimp.build_graph(*PROJECT["root_packages"], cache_dir=None)
    imports = {name: graph.find_modules_directly_imported_by(name) for name in graph.modules}
    try:
        TopologicalSorter(imports).prepare()
    except CycleError as error:
        yield f"cycle: {' <- '.join(error.args[1])}"


def imported_by_name(tree: ast.Module) -> Iterator[str]:
    """The beginnings of the names that ``import_module`` is called with, as far as they are
    written down."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and ast.unparse(node.func).rpartition(".")[2] in CALLS:
            name = node.args[0]
            first = name.values[0] if isinstance(name, ast.JoinedStr) else name
            yield str(first.value) if isinstance(first, ast.Constant) else ""
        elif isinstance(node, ast.ImportFrom):
            yield from ("" for alias in node.names if alias.name in CALLS and alias.asname)


def strangers() -> Iterator[str]:
    """Modules that are imported by name; a folder's own may be by its ``__init__``, others where
    pyproject.toml says so."""
    contracts = PROJECT["contracts"]
    allowed = {pair for contract in contracts for pair in contract.get("ignore_imports", ())}
    for package in PROJECT["root_packages"]:
        for path in sorted(Path(package).rglob("*.py")):
            module = ".".join(path.with_suffix("").parts)
            for name in imported_by_name(ast.parse(path.read_text("utf-8"))):
                folder = name.rpartition(".")[0]
                if module != f"{folder}.__init__" and f"{module} -> {folder}" not in allowed:
                    yield f"imported by name: {module} -> {name or 'anything'}"


if __name__ == "__main__":
    sys.path.insert(0, str(Path.cwd()))  # before what is installed
    problems = [*cycles(), *strangers()]
    print(*problems, sep="\n")
    sys.exit(lint_imports(no_cache=True) or bool(problems))
