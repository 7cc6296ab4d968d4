"""What helps an access that costs too much: only what was counted again.

A pitch that is a parameter (``analyses.traffic.laws``), the two coordinates of a square block
exchanged, for which the whole kernel is analysed anew, or a cure of the layout
(``analyses.traffic.cures``).
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from analyses.program import Block, Operand, Special
from analyses.traffic.patterns import Pattern
from ptxlint.facts import AccessFacts, Facts
from ptxlint.ir import Instr, Kernel

EXCHANGED = {"tid.x": "tid.y", "tid.y": "tid.x"}


def advice(facts: Facts, access: AccessFacts, otherwise: str) -> str:
    """What helps, the simplest first; ``otherwise`` where nothing was found that does."""
    found = access.pattern
    if not isinstance(found, Pattern):
        law = facts.law(access)
        cheap = law is not None and law.best.worst <= law.best.ideal
        return f"where {law.good} it takes {law.best.worst}" if law and cheap else otherwise
    if found.stride is None:
        return otherwise
    apart = f"threads along x are {abs(found.stride)} bytes apart"
    after = transposed(facts, access)
    if after is not None:
        return f"{apart}; exchange threadIdx.x and threadIdx.y, and it takes {after}"
    cure = facts.cure(access)
    if cure is not None:
        return f"{apart}; {cure.text}, and it takes {cure.after.worst}"
    return f"{apart}; {otherwise}"


def transposed(facts: Facts, access: AccessFacts) -> int | None:
    """What the access costs with the coordinates of a square block exchanged: None if that is more
    than the ideal, or any other access then costs more than it does."""
    block, index = facts.launch.block, facts.accesses.index(access)
    if block is None or block[0] != block[1] or block[0] == 1:
        return None
    other = Facts(exchanged(facts.kernel), facts.launch, facts.arch)
    for before, after in zip(facts.accesses, other.accesses, strict=True):
        if not known(before, after) or worst(after) > worst(before):
            return None
    cost = other.accesses[index].cost
    return cost.worst if cost is not None and cost.worst <= cost.ideal else None


def known(before: AccessFacts, after: AccessFacts) -> bool:
    """Whether the cost is known after an exchange, with no more doubts than before."""
    ill, cured = before.pattern, after.pattern
    if not isinstance(ill, Pattern) or not isinstance(cured, Pattern) or after.cost is None:
        return False
    return after.cost.exact and set(cured.doubts) <= set(ill.doubts)


def worst(access: AccessFacts) -> int:
    return access.cost.worst if access.cost is not None else 0


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
        end = replace(end, condition=_operand(end.condition))
    instrs: list[Any] = [_instr(instr) for instr in block.instrs]
    return replace(block, phis=phis, assumes=assumes, instrs=instrs, terminator=end)


def _instr(instr: Any) -> Instr:
    access = instr.access
    if access is not None:
        mask = None if access.mask is None else _operand(access.mask)
        access = replace(access, base=_operand(access.base), mask=mask)
    guard = None if instr.guard is None else _operand(instr.guard)
    uses = tuple(_operand(use) for use in instr.uses)
    changed: Instr = replace(instr, uses=uses, access=access, guard=guard)
    return changed


def _operand(operand: Operand) -> Operand:
    if isinstance(operand, Special) and operand.name in EXCHANGED:
        return replace(operand, name=EXCHANGED[operand.name])
    return operand
