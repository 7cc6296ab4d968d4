"""Linking: fragments of CUDA C that import each other become one text with one kernel.

After algorithm 11 of the thesis (its chapter V, section 2): the closure of the imports, each
fragment after those that it imports, no two names alike. There, the preprocessor renames symbols;
here a fragment is a C++ namespace, and what it imports is an alias of another. A fragment is text
in a Python file: ``#line`` directives name that file and line, so that the compiler's errors and
ptxlint's findings name the lines of source files. Text that a program wrote is in no file: its
lines are those of the linked text.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

from pricing_kernels.contract import KernelContract

Value = int | tuple[int, ...]


class LinkError(Exception):
    """Fragments that cannot be put in an order, or a text that is not in its file."""


@dataclass(frozen=True, eq=False)
class Fragment:
    """CUDA C text, and the names that it uses and does not define. ``file`` is the Python file that
    holds the text, or None for generated text.

    ``imports`` maps a namespace, as the text calls it, to a fragment. ``parameters`` are constants:
    an integer becomes an enumerator, a tuple an array in constant memory."""

    name: str
    file: str | None
    text: str
    imports: Mapping[str, Fragment] = field(default_factory=dict)
    parameters: Mapping[str, Value] = field(default_factory=dict)

    @property
    def origin(self) -> str:
        """The ``#line`` directive of the text; empty for generated text. Raises LinkError."""
        if self.file is None:
            return ""
        before, found, _ = Path(self.file).read_text("utf-8").partition(self.text)
        if not found:
            raise LinkError(f"{self.name}: its text is not in {Path(self.file).name} as it stands")
        return f'#line {before.count(chr(10)) + 1} "{Path(self.file).name}"'


def ordered(main: Fragment) -> list[Fragment]:
    """All that `main` needs, itself last, each after what it imports. Raises LinkError."""
    sorter: TopologicalSorter[Fragment] = TopologicalSorter()
    new, seen = [main], {main}
    while new:
        fragment = new.pop()
        imported = list(fragment.imports.values())
        sorter.add(fragment, *imported)
        new += [f for f in imported if f not in seen]
        seen.update(imported)
    try:
        return list(sorter.static_order())
    except CycleError as error:
        cycle = " -> ".join(fragment.name for fragment in reversed(error.args[1]))
        raise LinkError(f"fragments import each other in a circle: {cycle}") from None


def link(main: Fragment, contract: KernelContract, lines: bool = True, title: str = "") -> str:
    """One text of CUDA C: the kernel of `contract`, whose body is the text of `main`, after a
    `title`. Without ``lines`` the text stands for itself: findings are at its own lines."""
    names: dict[Fragment, str] = {}
    rows = [f"// {title}"] if title else []
    for fragment in ordered(main):
        names[fragment] = _unique(fragment.name, names.values())
        rows += _opening(fragment, names, contract.head if fragment is main else "")
        if lines:
            rows.append(fragment.origin or f'#line {len(rows) + 2} "{contract.kernel}.cu"')
        rows += [*fragment.text.rstrip("\n").split("\n"), "}", ""]
    return "\n".join(rows)


def _opening(fragment: Fragment, names: Mapping[Fragment, str], head: str) -> list[str]:
    """What stands before a fragment's text; `head` makes it the body of a kernel."""
    aliases = (f"namespace {a} = {names[f]};" for a, f in fragment.imports.items())
    constants = (_constant(name, value) for name, value in fragment.parameters.items())
    rows = (f"namespace {names[fragment]} {{", *aliases, *constants, head)
    return [row for row in rows if row]


def _constant(name: str, value: Value) -> str:
    if isinstance(value, int):
        return f"enum : {_c_type(value)} {{ {name} = {_literal(value)} }};"
    elements = ", ".join(map(_literal, value))
    return f"__constant__ const {_c_type(*value)} {name}[{len(value)}] = {{{elements}}};"


def _c_type(*values: int) -> str:
    if min(values) < 0:
        return "int"
    return "unsigned" if max(values) < 2**32 else "unsigned long long"


def _literal(value: int) -> str:
    return str(value) + ("" if value < 0 else "u" if value < 2**32 else "ull")


def _unique(name: str, taken: object) -> str:
    number, unique = 2, name
    while unique in taken:  # type: ignore[operator]
        unique, number = f"{name}_{number}", number + 1
    return unique
