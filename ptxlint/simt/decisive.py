"""What decides where and when a kernel accesses memory: the names without which a run has the same
branches, accesses, barriers and faults.

It is the backward slice (Weiser, "Program slicing", 1984) of addresses, predicates, branch
conditions, operands of barriers, member masks, and words that must be defined. A name that is
loaded depends on all words that any instruction may store to its state space, so the slice is
closed under memory, too: what it leaves out reaches none of these operands, by registers or by
memory. Most of a kernel's arithmetic is left out; what of it the interpreter does not support ends
no run, then.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import cast

from analyses.program import Effect, Operand, Value
from analyses.slices import deciding
from ptxlint.ir import Kernel, PtxInstr
from ptxlint.simt.code import members_of
from ptxlint.undefined_values import UndefinedValues

WAITS_OR_ENDS = (
    Effect.BARRIER | Effect.ARRIVE | Effect.CALL | Effect.TRAP | Effect.UNMODELLED | Effect.AWAIT
)
GENERIC = "generic"


def decisive_names(kernel: Kernel, undefined: UndefinedValues) -> frozenset[Value]:
    """The names of the slice."""
    operands: dict[Value, tuple[Operand, ...]] = {}
    loads: dict[Value, str] = {}
    stored: dict[str, list[Operand]] = {}
    for block in kernel.blocks:
        operands.update((phi.target, tuple(phi.sources.values())) for phi in block.phis)
        operands.update((node.target, (node.source,)) for node in block.assumes)
        for instr in cast(list[PtxInstr], block.instrs):
            operands.update((value, instr.uses) for value in instr.defs)
            access = instr.access
            if access is not None and access.space != "param":
                if access.kind != "load" or instr.effects & (Effect.STORE | Effect.ATOMIC):
                    stored.setdefault(access.space, []).extend(instr.uses)
                loads.update((value, access.space) for value in instr.defs)
    found, spaces = set[Value](), set[str]()
    work = [*_roots(kernel), *(effect.operand for _, effect in undefined.all_effects(kernel))]
    while work:
        operand = work.pop()
        if not isinstance(operand, Value) or operand in found:
            continue
        found.add(operand)
        work += operands.get(operand, ())
        for space in _aliased(loads.get(operand), stored.keys() - spaces):
            spaces.add(space)
            work += stored[space]
    return frozenset(found)


def _roots(kernel: Kernel) -> Iterator[Operand]:
    for block in kernel.blocks:
        for instr in cast(list[PtxInstr], block.instrs):
            yield from deciding(instr)
            if instr.effects & WAITS_OR_ENDS:
                yield from instr.uses
            mask = members_of(instr)
            if mask is not None:
                yield mask
        if block.terminator.condition is not None:
            yield block.terminator.condition


def _aliased(space: str | None, stored: Iterable[str]) -> list[str]:
    """Of the spaces that are stored to, those that a load from the space may read."""
    if space is None:
        return []
    return [other for other in stored if GENERIC in (space, other) or space == other]
