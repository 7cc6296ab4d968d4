"""What helps an access that costs too much: only what was counted again.

A pitch that is a parameter (``analyses.traffic.cost_functions``), the two coordinates of a square
block exchanged, for which the whole kernel is analysed anew, or a change of the layout
(``analyses.traffic.fixes``).
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from analyses.program import Block, Effect, Operand, Special
from analyses.traffic.patterns import Pattern
from ptxlint.claim import SourceChange
from ptxlint.facts import AccessFacts, Facts
from ptxlint.ir import Kernel, PtxInstr
from ptxlint.mangling import demangled
from ptxlint.requests import cost_function, layout_fix
from ptxlint.wording import region_name

EXCHANGED = {"tid.x": "tid.y", "tid.y": "tid.x"}
WAITS = Effect.BARRIER | Effect.ARRIVE


def advice(access: AccessFacts, fix: SourceChange | None, otherwise: str) -> str:
    """What helps, in a sentence; ``otherwise`` where nothing was found that does."""
    found = access.pattern
    if not isinstance(found, Pattern):
        return f"{fix.text} it takes {fix.cost}" if fix is not None else otherwise
    if found.stride is None:
        return otherwise
    what = f"{fix.text}, and it takes {fix.cost}" if fix is not None else otherwise
    return f"threads along x are {abs(found.stride)} bytes apart; {what}"


def fix(facts: Facts, access: AccessFacts) -> SourceChange | None:
    """What helps, the simplest first; None where nothing was found that does."""
    found = access.pattern
    if not isinstance(found, Pattern):
        return pitched(facts, access)
    if found.stride is None:
        return None
    after = transposed(facts, access)
    if after is not None:
        x, y = "threadIdx.x", "threadIdx.y"
        everywhere = f"all of {demangled(facts.kernel.name)}"
        return SourceChange(everywhere, f"{x}, {y}", f"{y}, {x}", f"exchange {x} and {y}", after)
    cure, region = layout_fix(facts, access), access.place.region
    if cure is None or region is None:
        return None
    what, old, new, text, row = cure.layout
    return SourceChange(f"{what} of {region_name(region)}", old, new, text, cure.after.worst, row)


def pitched(facts: Facts, access: AccessFacts) -> SourceChange | None:
    """The values of a parameter with which the access costs its ideal, as far as its law says."""
    law = cost_function(facts, access)
    if law is None or law.best.worst > law.best.ideal:
        return None
    wanted = f"{law.good}, {law.subject} >= {law.least}" if law.least else law.good
    return SourceChange(law.subject, "any number", wanted, f"where {law.good}", law.best.worst)


def transposed(facts: Facts, access: AccessFacts) -> int | None:
    """What the access costs with the coordinates of a square block exchanged: None if that is more
    than the ideal, any other access then costs more than it does, or threads would find themselves
    among other lanes and the kernel knows lanes."""
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
    """Whether the cost is known after an exchange, with no more doubts than before."""
    ill, cured = before.pattern, after.pattern
    if not isinstance(ill, Pattern) or not isinstance(cured, Pattern) or after.cost is None:
        return False
    return after.cost.exact and set(cured.assumptions) <= set(ill.assumptions)


def worst(access: AccessFacts) -> int:
    return access.cost.worst if access.cost is not None else 0


def knows_lanes(kernel: Kernel) -> bool:
    """Whether it matters to a kernel which threads are a warp: those that exchange words or votes
    in it, or that read which one they are."""
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
        access = access._replace(base=_operand(access.base), mask=mask)
    guard = None if instr.guard is None else _operand(instr.guard)
    uses = tuple(_operand(use) for use in instr.uses)
    changed: PtxInstr = replace(instr, uses=uses, access=access, guard=guard)
    return changed


def _operand(operand: Operand) -> Operand:
    if isinstance(operand, Special) and operand.name in EXCHANGED:
        return replace(operand, name=EXCHANGED[operand.name])
    return operand
