"""Zones spliced into a skeleton.

A skeleton is a kernel that the CUDA compiler made once; at each hook it has an empty assembler
statement whose comment names the registers there::

    // begin inline asm
    //!row table=%rd3 rows=%r5 row=%r17 z0=%f8
    // end inline asm

The instructions of the zone take the place of the three comments, with lines of their own. They are
volatile and write no register of the skeleton but the one that it names as a result, so what the
compiler assumed holds.
"""

from __future__ import annotations

import re

from pricing_kernels.payoffs.backends.ptx.assembler import PREFIXES, Assembler
from pricing_kernels.payoffs.backends.ptx.zones import PATH, Zones
from pricing_kernels.payoffs.machine.program import Program
from ptxlint.syntax.cleaning import BEGIN, END

_HOOK = re.compile(r"^\s*//!(\w+) (.*)$")
_UNMARKED = re.compile(rf"^\s*{BEGIN}\n(\s*//!.*\n)\s*{END}\n", re.MULTILINE)
_FILE = re.compile(r"^\s*\.file\s+(\d+)\s")
_LOC = re.compile(r"^\s*\.loc\s")
HOOKS = ("before", "row", "after")


class SpliceError(Exception):
    """A skeleton without the hooks, or with more than one of a kind."""


def spliced(skeleton: str, program: Program) -> tuple[str, frozenset[str]]:
    """The skeleton's PTX with the zones of a program at its hooks, and the files that its lines
    name. Raises SpliceError."""
    text = _UNMARKED.sub(r"\1", skeleton).rstrip("\n").split("\n")
    numbers = [int(found[1]) for line in text if (found := _FILE.match(line))]
    out = Assembler(first_file=max(numbers, default=0) + 1)
    zones = Zones(program, out)
    rows: list[str] = []
    seen: list[str] = []
    place = ""
    for line in text:
        if _LOC.match(line):
            place = line
        found = _HOOK.match(line)
        if found is None:
            rows.append(line)
            continue
        seen.append(found[1])
        if seen != list(HOOKS[: len(seen)]):
            break
        hook = dict(pair.split("=") for pair in found[2].split())
        rows += [*getattr(zones, found[1])(hook), *([place] if place else [])]
    if seen != list(HOOKS):
        raise SpliceError(f"the skeleton has the hooks {', '.join(seen)}; expected {HOOKS}")
    body = rows.index("{")
    declared = [
        f"\t.reg .{kind} \t%payoff_{PREFIXES[kind]}<{count}>;" for kind, count in out.counts.items()
    ]
    if program.stored:
        words = len(program.stored) * (program.rows + 1)
        declared.append(f"\t.local .align 4 .b8 \t{PATH}[{4 * words}];")
    files = [f'\t.file\t{number} "{_base_name(file)}"' for file, number in out.files.items()]
    return "\n".join([*rows[: body + 1], *declared, *rows[body + 1 :], *files, ""]), frozenset(
        out.files
    )


def _base_name(file: str) -> str:
    return re.split(r"[/\\]", file)[-1]
