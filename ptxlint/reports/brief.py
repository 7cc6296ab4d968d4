"""The short form of an explanation: which instructions of a line come first, and a few of the lines
about each.

Accesses that differ by a constant offset alone, as in an unrolled loop, count as one: that with the
least room below the end of its region. Findings come first, then accesses that are not proved, then
costs above the ideal, then control flow; computations last.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Iterator, Mapping

from msgspec import Struct

from analyses.domains.uniformity import Level
from analyses.program import Block
from analyses.traffic.patterns import Pattern
from ptxlint.facts.kernel_facts import AccessFacts
from ptxlint.ir import PtxInstr
from ptxlint.reports.explanation import APART, CONTROLLED, Explanation, Note, labelled
from ptxlint.reports.formulas import WRAPS
from ptxlint.source import plural
from ptxlint.thresholds import TOLERATED

MEANINGS = 2  # lines on the symbols of a formula
CONDITIONS = ("holds if", "in bounds if", "and if", "may access")
CONDITIONS_SHOWN = 2
NAMING = ("address", "lower", "upper", "taken")
REPORTED, UNPROVED, COSTLY, PROVED, DIVERGENT, CONTROL, COMPUTED = range(7)
"""Ranks of instructions: the lowest come first."""


class Entry(Struct, frozen=True):
    """The rank of an instruction. Of those with one ``key``, that with the least ``room`` is
    shown."""

    rank: int
    key: Hashable
    room: int = 0


def entry(explanation: Explanation, instr: PtxInstr, block: Block, reported: bool) -> Entry:
    facts = explanation.facts
    access = explanation.accesses.get(instr)
    if instr.opaque:
        return Entry(REPORTED if reported else UNPROVED, instr.offset)
    if access is None or not facts.values.reached(block.index):
        rank = COMPUTED
        if instr is block.terminator.instr or instr.effects & CONTROLLED:
            apart = facts.divergence.control[block.index] > Level.WARP
            rank = DIVERGENT if apart else CONTROL
        return Entry(REPORTED if reported else rank, instr.offset)
    offset = explanation.footprints.offset(access.place)
    constant = 0 if offset is None else int(offset.terms.get((), 0))
    moves = None if offset is None else offset - constant
    proved = access.status == "proved"
    rank = UNPROVED if not proved else COSTLY if costly(access) else PROVED
    key = (instr.text, access.place.region, moves, proved, str(access.cost), block.index)
    return Entry(REPORTED if reported else rank, (key, instr.offset if reported else 0), -constant)


def costly(access: AccessFacts) -> bool:
    cost, found = access.cost, access.pattern
    if cost is None or not isinstance(found, Pattern):
        return False
    return cost.worst > cost.ideal + TOLERATED.get(cost.unit, 0)


def shortened(notes: Iterable[Note]) -> Iterator[Note]:
    """The lines that decide: what is touched, what a bound that is not proved takes, the cost, and
    where lanes diverge."""
    said: dict[str, list[str]] = {}
    label = ""
    for following, text in notes:
        label = following or label
        said.setdefault(label, []).append(text)
    for label, lines in said.items():
        match label:
            case "access":
                yield label, ": ".join([*lines, *said.get("address", ())[:1]])
            case "where":
                yield from labelled(label, list(meanings(lines, said))[:MEANINGS])
            case "lower" | "upper":
                yield label, bound(lines)
            case "aligned":
                yield from labelled(label, [line for line in lines if "required" in line])
            case "control" if lines[0].endswith(APART):
                yield label, ", ".join(lines)
            case "cost" | "taken" | "uniform" if label != "uniform" or "access" not in said:
                yield label, lines[0]
            case "reported" | "memory" | "":
                yield from labelled(label, lines)
            case _ if label.startswith("%"):
                yield label, lines[0]


def meanings(lines: Iterable[str], said: Mapping[str, list[str]]) -> Iterator[str]:
    """The meanings of symbols in the address, the bounds or the condition."""
    texts = " ".join(text for label in NAMING for text in said.get(label, ()))
    for line in lines:
        if line != WRAPS and re.search(rf"(?<![\w%]){re.escape(line.split()[0])}(?!\w)", texts):
            yield line


def bound(lines: list[str]) -> str:
    """The first conditions under which a bound that is not proved holds."""
    if lines[0].startswith("proved"):
        return "proved"
    needed = [line for line in lines if line.startswith(CONDITIONS)]
    if not needed:
        return lines[-1]
    more = plural(len(needed) - CONDITIONS_SHOWN, "more condition", "more conditions")
    rest = f" and {more}" if len(needed) > CONDITIONS_SHOWN else ""
    return f"not proved: {' '.join(needed[:CONDITIONS_SHOWN])}{rest}"
