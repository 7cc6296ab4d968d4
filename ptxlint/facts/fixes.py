"""Fixes of an access that costs too much. Each is confirmed by counting again with the change.

A fix is a condition on a pitch that is a parameter (``analyses.traffic.cost_functions``), the
exchange of the two coordinates of a square block, for which the whole kernel is analysed anew, or
another layout of the array (``analyses.traffic.fixes``).

No file is edited. Longer rows of a shared array change the last bound in its declaration. PTX does
not say where that stands: it is looked for in the file of the access, by name, and taken if it is
the only one and its bounds, numbers or named constants of that file, make up the bytes that the
PTX reserves.
"""

from __future__ import annotations

import re
from math import prod
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from analyses.hardware import DECLARED_SHARED
from analyses.lanes.evaluation import IN_STEP
from analyses.program import Block, Effect, Operand, Region, Special
from analyses.traffic.fixes import LayoutChange, ProposedFix, layout_changes
from analyses.traffic.patterns import Pattern
from ptxlint.facts.kernel_facts import AccessFacts, Facts, metric
from ptxlint.facts.requests import cost_function
from ptxlint.facts.wording import region_name
from ptxlint.ir import Kernel, PtxInstr
from ptxlint.mangling import demangled
from ptxlint.results.finding import Fix, MemoryAccess, Span
from ptxlint.source import Source
from ptxlint.thresholds import TOLERATED

DECLARATION = r"__shared__[^;]*?\b(?P<text>{name}(?:\s*\[[^][]+\])+)"

EXCHANGED = {"tid.x": "tid.y", "tid.y": "tid.x"}
WAITS = Effect.BARRIER | Effect.ARRIVE


def fix_help(access: AccessFacts, fix: ProposedFix | None, otherwise: str) -> str:
    """The fix in a sentence; ``otherwise`` if there is none."""
    found = access.pattern
    if not isinstance(found, Pattern):
        return f"{fix.text} it takes {fix.cost}" if fix is not None else otherwise
    what = f"{fix.text}, and it takes {fix.cost}" if fix is not None else otherwise
    if found.stride is None:
        return what
    return f"threads along x are {abs(found.stride)} bytes apart; {what}"


def proposed_fix(facts: Facts, access: AccessFacts) -> ProposedFix | None:
    """The simplest fix, if there is one."""
    found = access.pattern
    if not isinstance(found, Pattern):
        return pitch_fix(facts, access)
    if found.stride is None:
        return layout_fix(facts, access)
    after = transposed(facts, access)
    if after is not None:
        x, y = "threadIdx.x", "threadIdx.y"
        everywhere = f"all of {demangled(facts.kernel.name)}"
        return ProposedFix(everywhere, f"{x}, {y}", f"{y}, {x}", f"exchange {x} and {y}", after)
    return layout_fix(facts, access)


def pitch_fix(facts: Facts, access: AccessFacts) -> ProposedFix | None:
    """The values of a parameter with which the access costs its ideal."""
    law = cost_function(facts, access)
    if law is None or law.best.worst > law.best.ideal:
        return None
    wanted = f"{law.good}, {law.subject} >= {law.least}" if law.least else law.good
    return ProposedFix(law.subject, "any number", wanted, f"where {law.good}", law.best.worst)


def layout_fix(facts: Facts, access: AccessFacts) -> ProposedFix | None:
    """A layout of the array in which the access costs its ideal and what is tolerated."""
    place, found, size = access.place, access.pattern, access.place.access.bytes
    by = metric(facts, access)
    if by is None or not isinstance(found, Pattern) or place.region is None:
        return None
    declared = facts.structures.get(place.region)
    row = abs(found.stride or 0) if declared is None else declared.bytes
    if IN_STEP in found.assumptions or row < 2 * size or (declared is None and row % size):
        return None
    there = [a for a in facts.accesses if a.place.region == place.region and metric(facts, a)]
    for each in changes(facts, place.region, row, size):
        cost = each.costs[there.index(access)]
        within = cost.worst <= cost.ideal + TOLERATED[by.unit]
        if within and fits(facts, each.change, place.region):
            what = f"{each.change.what} of {region_name(place.region)}"
            return replace(each.change, what=what, cost=cost.worst)
    return None


def changes(facts: Facts, region: Region, row: int, size: int) -> tuple[LayoutChange, ...]:
    """The layouts of a region with rows of so many bytes, counted once for all its accesses."""
    key = region, row, size if region.space == "shared" else 0
    if key not in facts.layout_changes:
        accesses = [
            (access.place, by)
            for access in facts.accesses
            if access.place.region == region and (by := metric(facts, access))
        ]
        declared = facts.structures.get(region)
        found = layout_changes(facts.warps, accesses, row, size, declared)
        facts.layout_changes[key] = tuple(found)
    return facts.layout_changes[key]


def fits(facts: Facts, fix: ProposedFix, region: Region) -> bool:
    """True if longer rows leave the declared arrays within the 48 KiB that compilers allow."""
    if fix.row is None or region.size is None:
        return True
    old, new = fix.row
    return facts.kernel.shared_bytes + (new - old) * region.size // old <= DECLARED_SHARED


# --- the exchange of coordinates


def transposed(facts: Facts, access: AccessFacts) -> int | None:
    """The cost of the access with the coordinates of a square block exchanged: None if it is above
    the ideal, if another access costs more then, or if the kernel depends on which threads are a
    warp."""
    block, index = facts.launch.block, facts.accesses.index(access)
    if block is None or block[0] != block[1] or block[0] == 1 or knows_lanes(facts.kernel):
        return None
    other = Facts(exchanged(facts.kernel), facts.launch, facts.arch)
    for before, after in zip(facts.accesses, other.accesses, strict=True):
        if not known(before, after) or worst(after) > worst(before):
            return None
    cost = other.accesses[index].cost
    return cost.worst if cost is not None and cost.worst <= cost.ideal else None


def known(before: AccessFacts, after: AccessFacts) -> bool:
    """True if the cost after an exchange is exact, with no more assumptions than before."""
    old, new = before.pattern, after.pattern
    if not isinstance(old, Pattern) or not isinstance(new, Pattern) or after.cost is None:
        return False
    return after.cost.exact and set(new.assumptions) <= set(old.assumptions)


def worst(access: AccessFacts) -> int:
    return access.cost.worst if access.cost is not None else 0


def knows_lanes(kernel: Kernel) -> bool:
    """True if the kernel depends on which threads are a warp: it exchanges words or votes in warps,
    or reads lane or warp numbers."""
    return any(
        (instr.effects & Effect.CONVERGENT and not instr.effects & WAITS)
        or any(isinstance(u, Special) and u.name.startswith(("lane", "warp")) for u in instr.uses)
        for instr in kernel.instructions
    )


def exchanged(kernel: Kernel) -> Kernel:
    """The kernel that reads tid.y where this one reads tid.x, and the other way round."""
    return replace(kernel, blocks=[_block(block) for block in kernel.blocks])


def _block(block: Block) -> Block:
    phis = [
        replace(phi, sources={p: _operand(s) for p, s in phi.sources.items()}) for phi in block.phis
    ]
    assumes = [replace(node, other=_operand(node.other)) for node in block.assumes]
    end = block.terminator
    if end.condition is not None:
        end = end._replace(condition=_operand(end.condition))
    instrs: list[Any] = [_instr(instr) for instr in block.instrs]
    return replace(block, phis=phis, assumes=assumes, instrs=instrs, terminator=end)


def _instr(instr: Any) -> PtxInstr:
    access = instr.access
    if access is not None:
        mask = None if access.mask is None else _operand(access.mask)
        length = None if access.length is None else _operand(access.length)
        access = access._replace(base=_operand(access.base), mask=mask, length=length)
    guard = None if instr.guard is None else _operand(instr.guard)
    uses = tuple(_operand(use) for use in instr.uses)
    changed: PtxInstr = replace(instr, uses=uses, access=access, guard=guard)
    return changed


def _operand(operand: Operand) -> Operand:
    if isinstance(operand, Special) and operand.name in EXCHANGED:
        return replace(operand, name=EXCHANGED[operand.name])
    return operand


# --- the declaration in the source


class Declaration(Struct, frozen=True):
    """An array of at least two dimensions in the source: its ``text`` at ``place``, and its bounds
    as written, with the number of elements of a row."""

    place: Span
    text: str
    bounds: tuple[str, ...]
    row: int

    def longer_rows(self, fix: ProposedFix) -> Fix | None:
        """The declaration with longer rows; None if its rows are not those of the fix."""
        if fix.row is None or self.row != fix.row[0]:
            return None
        last = self.bounds[-1]
        longer = str(fix.row[1]) if last.isdecimal() else f"{last} + {fix.row[1] - fix.row[0]}"
        after = f"{self.text[: self.text.rindex('[')]}[{longer}]"
        return Fix(location=self.place, before=self.text, after=after, cost=fix.cost)


def declaration(source: Source, access: MemoryAccess | None, kernel: Kernel) -> Declaration | None:
    """The declaration of the array of an access, if it is certain which one it is."""
    if access is None or not access.region:
        return None
    text = uncommented(source.text)
    hits = list(re.finditer(DECLARATION.format(name=re.escape(access.region)), text))
    sizes = {demangled(r.name): r.size for r in kernel.regions if r.space == "shared"}
    if len(hits) != 1:
        return None
    before = hits[0]["text"]
    bounds = tuple(bound.strip() for bound in re.findall(r"\[([^][]+)\]", before))
    values = [value(bound, text) for bound in bounds]
    known = [v for v in values if v is not None]
    size = prod(known) * access.bytes
    if len(known) < max(len(values), 2) or size != sizes.get(access.region):
        return None
    start, end = (source.line_column(at) for at in hits[0].span("text"))
    return Declaration(Span(source.path, *start, *end), before, bounds, known[-1])


def uncommented(text: str) -> str:
    """The text with blanks for its comments: offsets stay what they are."""
    return re.sub(r"//[^\n]*|/\*.*?\*/", lambda c: re.sub(r"[^\n]", " ", c[0]), text, flags=re.S)


def value(bound: str, text: str) -> int | None:
    """A number, or a constant that the text gives one number."""
    if bound.isdecimal():
        return int(bound)
    if not bound.isidentifier():
        return None
    given = set(re.findall(rf"(?:#define\s+{bound}|\bconst\w*\s+(?:\w+\s+)*{bound}\s*=)(.*)", text))
    numbers = {re.match(r"\s*(\d+)\s*(?:[;,]|$)", words) for words in given}
    found = next(iter(numbers)) if len(numbers) == 1 else None
    return int(found[1]) if found is not None else None
