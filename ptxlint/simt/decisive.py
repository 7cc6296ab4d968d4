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

from collections.abc import Collection, Iterator

from analyses.program import Effect, Operand, Value
from analyses.slices import close, deciding, operands_of
from ptxlint.ir import Kernel
from ptxlint.simt.code import members_of
from ptxlint.undefined_values import UndefinedValues

WAITS_OR_ENDS = (
    Effect.BARRIER | Effect.ARRIVE | Effect.CALL | Effect.TRAP | Effect.UNMODELLED | Effect.AWAIT
)
GENERIC = "generic"


def decisive_names(kernel: Kernel, undefined: UndefinedValues) -> frozenset[Value]:
    """The names of the slice."""
    operands = operands_of(kernel)
    loads: dict[Value, str] = {}
    stored: dict[str, list[Operand]] = {}
    for instr in kernel.instructions:
        access = instr.access
        if access is not None and access.space != "param":
            if access.kind != "load" or instr.effects & (Effect.STORE | Effect.ATOMIC):
                stored.setdefault(access.space, []).extend(instr.uses)
            loads.update((value, access.space) for value in instr.defs)
    found = set[Value]()
    work = [*_roots(kernel), *(effect.operand for _, effect in undefined.all_effects(kernel))]
    while work:
        close(found, work, operands)
        loaded = {loads[value] for value in found & loads.keys()}
        for space in [space for space in stored if _may_alias(space, loaded)]:
            work += stored.pop(space)
    return frozenset(found)


def _roots(kernel: Kernel) -> Iterator[Operand]:
    for instr in kernel.instructions:
        yield from deciding(instr)
        if instr.effects & WAITS_OR_ENDS:
            yield from instr.uses
        mask = members_of(instr)
        if mask is not None:
            yield mask
    for block in kernel.blocks:
        if block.terminator.condition is not None:
            yield block.terminator.condition


def _may_alias(space: str, others: Collection[str]) -> bool:
    """True if an address in the space may be one in one of the others."""
    return bool(others) and (space in (GENERIC, *others) or GENERIC in others)
