"""The kinds of fault that the interpreter's source names."""

from __future__ import annotations

import ast
from pathlib import Path

SIMT = Path(__file__).parents[2] / "ptxlint" / "simt"
REPORTS = ("_fault", "_stop", "_branch_fault", "report", "Refused", "Fault")
WORD = "-"


def emitted() -> set[str]:
    """Every string that is handed to what records a fault, or is a key of a table of kinds."""
    found: set[str] = set()
    for path in SIMT.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Call):
                name = getattr(node.func, "attr", getattr(node.func, "id", ""))
                if name in REPORTS and node.args:
                    found |= strings(node.args[0])
            elif isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "kinds":
                assert isinstance(node.value, ast.Dict)
                found |= {word for key in node.value.keys if key for word in strings(key)}
    return found


def strings(node: ast.AST) -> set[str]:
    return {
        n.value for n in ast.walk(node) if isinstance(n, ast.Constant) and isinstance(n.value, str)
    }
