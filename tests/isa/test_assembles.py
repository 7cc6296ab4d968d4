"""ptxas takes what the rows take: each case's opcode stands in a kernel of its own.

A target takes what it has; what none of them takes must be newer than the ptxas at hand.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterable
from pathlib import Path

import pytest

from ptxlint.isa.row import TYPES, Role
from tests.isa.case import Case
from tests.isa.table import CASES, NEWER, UNMODELLED

TARGETS = ("sm_90a", "sm_100a", "sm_120a", "sm_103a")
PREFIX = {1: "p", 8: "c", 16: "h", 32: "r", 64: "l", 128: "q"}
REGISTERS = (
    "  .reg .pred %p<9>; .reg .b8 %c<9>; .reg .b16 %h<9>; .reg .b32 %r<9>; .reg .b64 %l<9>;"
    " .reg .b128 %q<9>;"
)


def statement(case: Case) -> str:
    """The instruction with a register of the right size for each operand."""
    operands, literals, selectors = [], iter(case.literals), iter(case.form.selectors)
    for number, role in enumerate(case.roles):
        bits = case.form.role_type(role).bits if role.type != "int" else 0
        text = f"%{PREFIX[bits]}{number}" if bits else str(next(literals))
        if role.type == "words":
            text = "{%r1, %r2, %r3, %r4}"
        elif role.result and case.parts > 1:
            text = divided(case, bits, text)
        selector = next(selectors) if role.selector else ""
        sign = "-" * (role.name in case.negated)
        operands.append(f"{sign}{text}.{selector}" if selector else sign + text)
    return f"{case.opcode} {', '.join(operands)};"


def divided(case: Case, bits: int, text: str) -> str:
    if case.form.row.opcode == "mov":
        prefix = PREFIX[bits // case.parts]
        return "{" + ", ".join(f"%{prefix}{i}" for i in range(case.parts)) + "}"
    return f"{text}|%p8"


def refused(cases: Iterable[Case], target: str, folder: Path) -> dict[Case, str]:
    """The cases that ptxas does not take for the target, with what it says; it takes the rest, all
    together."""
    left, found = set(cases), {}
    while more := complaints(left, target, folder):
        found |= more
        left -= more.keys()
    return found


def complaints(cases: Iterable[Case], target: str, folder: Path) -> dict[Case, str]:
    """What ptxas says before it gives up."""
    lines, where = [f".version 9.0\n.target {target}\n.address_size 64"], {}
    for i, case in enumerate(cases):
        lines += [f".entry k{i}() {{", REGISTERS, f"  {statement(case)}", "  ret; }"]
        where[len(lines) + 1] = case
    path = folder / "rows.ptx"
    path.write_text("\n".join(lines) + "\n")
    command = ["ptxas", "-arch", target, "-O0", "-o", "/dev/null", str(path)]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    found: dict[Case, str] = {}
    for line, message in re.findall(r"line (\d+); (?:error|fatal)\s*: (.*)", result.stderr):
        found[where[int(line)]] = message
    assert found or result.returncode == 0, result.stderr
    return found


def shapes() -> list[Case]:
    """One case for each way to write each row, and the unmodelled ones."""
    distinct: dict[tuple[object, ...], Case] = {}
    for case in CASES:
        shape = case.opcode, case.given, case.negated, tuple(map(bool, case.selectors))
        distinct.setdefault(shape, case)
    return [*distinct.values(), *(Case(opcode, lambda: 0) for opcode in UNMODELLED)]


@pytest.mark.skipif(shutil.which("ptxas") is None, reason="ptxas is not installed")
def test_ptxas_takes_every_row(tmp_path: Path) -> None:
    left = dict.fromkeys(shapes(), "")
    for target in TARGETS:
        left = refused(left, target, tmp_path)
    unknown = [f"{statement(case)} {why}" for case, why in left.items()
               if not NEWER.search(case.opcode)]  # fmt: skip
    assert not unknown, "\n".join(unknown)


def test_operands_are_written_by_their_roles() -> None:
    case = next(case for case in CASES if case.opcode == "mad.wide.u16")
    assert [role for role in case.roles if isinstance(role, Role)] == list(case.form.row.roles)
    assert statement(case) == "mad.wide.u16 %r0, %h1, %h2, %r3;"
    assert TYPES["f16x2"].parts == 2
