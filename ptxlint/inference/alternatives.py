"""Accesses whose address is one of several pointers: an access by each of them.

``x ? &a[i] : &b[j]`` and a phi of two pointers have no region. The access is one by each operand,
in the threads that selected it: where the predicate of the select says so, or where the path
condition of the block holds that the phi's edge comes from. A phi's block must not dominate that
block. Then no name that the condition speaks of was defined again between the edge and the access:
a path from such a definition to the access, which the phi dominates, passes the phi again.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from analyses.addresses import ResolvedAccess, resolve
from analyses.budget import ALTERNATIVES
from analyses.conditions import Selected
from analyses.program import Operand, Value
from ptxlint.facts.kernel_facts import Facts
from ptxlint.ir import PtxInstr


def alternatives(facts: Facts, place: ResolvedAccess) -> list[ResolvedAccess]:
    """The accesses by each of the pointers; empty if an address is none, or if they are many."""
    if place.origin is not None or not place.reached:
        return []
    found: list[ResolvedAccess] = []
    open_: list[tuple[Operand, int, Selected]] = [(place.access.base, place.block, ())]
    while open_:
        base, block, selected = open_.pop()
        if facts.values.number(base).origin is not None:
            access = place.access._replace(base=base)
            one = resolve(facts.guarded, facts.aligns, place.instr, access, block)
            found.append(replace(one, selected=selected))
            continue
        more = list(operands(facts, base, block, selected))
        open_ += more
        if not more or len(found) + len(open_) > ALTERNATIVES:
            return []
    return found


def operands(
    facts: Facts, base: Operand, block: int, selected: Selected
) -> Iterator[tuple[Operand, int, Selected]]:
    """The operands that a word is selected or joined from, each with the block and the predicates
    under which it is that one."""
    symbolic = facts.symbolic
    while isinstance(base, Value) and base in symbolic.alias:
        base = symbolic.alias[base]
    if not isinstance(base, Value):
        return
    if base in symbolic.joined:
        phi, home = symbolic.joined[base]
        sources = phi.sources.items()
        if not any(facts.values.tree.dominates(home.index, source) for source, _ in sources):
            yield from ((operand, source, selected) for source, operand in sources)
        return
    instr = facts.values.definition.get(base)
    assert instr is None or isinstance(instr, PtxInstr)
    if instr is not None and instr.form is not None and instr.form.row.opcode == "selp":
        x, y, by = instr.uses
        for operand, truth in ((x, True), (y, False)):
            for way in facts.values.flow.formulas.ways(by, truth):
                yield operand, block, (*selected, *way)
