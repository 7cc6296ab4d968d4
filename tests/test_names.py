"""One name, one meaning: no class name is defined twice."""

from __future__ import annotations

import ast
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).parents[1]
PACKAGES = ("analyses", "ptxlint", "pricing_kernels")


def classes(sources: dict[str, str]) -> dict[str, list[str]]:
    """The modules that define each class, by its name."""
    found = defaultdict[str, list[str]](list)
    for path, source in sources.items():
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, ast.ClassDef):
                found[node.name].append(path)
    return found


def defined_twice(sources: dict[str, str]) -> dict[str, list[str]]:
    return {name: paths for name, paths in classes(sources).items() if len(paths) > 1}


def test_no_class_name_is_defined_twice() -> None:
    files = [path for package in PACKAGES for path in (ROOT / package).rglob("*.py")]
    sources = {str(path.relative_to(ROOT)): path.read_text("utf-8") for path in files}
    assert defined_twice(sources) == {}


def test_a_second_definition_is_seen() -> None:
    sources = {"a.py": "class Launch: pass", "b.py": "def f():\n    class Launch: pass"}
    assert defined_twice(sources) == {"Launch": ["a.py", "b.py"]}
