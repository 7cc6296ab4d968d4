"""An array that has shared memory to itself lies at its beginning, whatever alignment it declares.

PTX leaves the places of arrays to the assembler, so that of several none is known to be aligned to
more than it says. One that is alone is put at the first byte that programs have: 0, or from compute
capability 9.0 on 1024 (``tests/simt/test_shared_arrays.py`` asks ptxas). CuPy's reductions rest on
it: they keep words in an array of bytes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from ptxlint.lowering.lower import RUNTIME
from ptxlint.syntax import ast

BEGINNING = 16
"""Bytes: the widest access, and a divisor of where shared memory begins."""


def alone(body: ast.Scope, outside: int, functions: Mapping[str, ast.Function]) -> bool:
    """True if a kernel declares one array of shared memory, and there is no other: neither one of
    the module, of which there are so many ``outside``, nor one of another function."""
    if outside or sum(arrays(body.statements)) != 1:
        return False
    others = [one for one in functions.values() if not one.entry and one.name not in RUNTIME]
    return all(one.body is not None and not any(arrays(one.body.statements)) for one in others)


def arrays(statements: Iterable[ast.Statement]) -> Iterator[int]:
    """How many arrays of shared memory each declaration makes."""
    for one in statements:
        if isinstance(one, ast.Scope):
            yield from arrays(one.statements)
        elif isinstance(one, ast.Variable) and one.space == "shared":
            yield sum(declarator.count or 1 for declarator in one.declarators)
