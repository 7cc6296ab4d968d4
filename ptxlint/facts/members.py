"""Instructions that wait for the lanes of a mask, and what decides who comes to an instruction."""

from __future__ import annotations

from collections.abc import Iterable

from analyses.program import Effect, Operand, Special, Value, constant_in_thread
from analyses.slices import closed_under_memory
from ptxlint.facts.kernel_facts import Facts
from ptxlint.ir import PtxInstr, members_of

ALL_LANES = 0xFFFFFFFF
READ_ONLY = ("param", "const")
UNKNOWN = Effect.CALL | Effect.UNMODELLED


def all_come(facts: Facts, instr: PtxInstr, block: int) -> bool:
    """True if the mask names all lanes, and all of a warp that have not exited come together."""
    mask = members_of(instr)
    return mask is not None and facts.whole_warps(block) and constant(facts, mask) == ALL_LANES


def constant(facts: Facts, operand: Operand) -> int | None:
    """The number that the operand is in every thread, if it is one."""
    found = facts.values.number(operand)
    interval = facts.values.interval(found)
    return interval.value if found.origin is None and interval.is_constant else None


def decided_by_launch(facts: Facts, block: int, operands: Iterable[Operand] = ()) -> bool:
    """True if the numbers of the launch decide which threads come to a block, how often, and the
    operands there: no word does that threads or the caller may have stored, nor what depends on
    time or is not known. Then the same threads come whatever the data are.

    The branches that decide are those on which the block depends, and those at whose join a word
    differs on which these depend."""
    blocks, names = facts.kernel.blocks, frozenset[Value]()
    branches, chosen = deciding_branches(facts, block), [*operands]
    while True:
        conditions = (blocks[branch].terminator.condition for branch in branches)
        roots = [*chosen, *(one for one in conditions if one is not None)]
        names = closed_under_memory(facts.kernel, roots)
        joins = enumerate(facts.flow.joins)
        more = {branch for branch, phis in joins if not phis.isdisjoint(names)} - branches
        if not more:
            made = (i for i in facts.kernel.instructions if not names.isdisjoint(i.defs))
            return all(map(fixed, roots)) and all(map(computed, made))
        branches |= more


def deciding_branches(facts: Facts, block: int) -> set[int]:
    """The branches on which a block depends, and those on which these do."""
    found, work = set[int](), [block]
    while work:
        new = facts.flow.dependences[work.pop()] - found
        found |= new
        work += new
    return found


def fixed(operand: Operand) -> bool:
    """False for a special register that changes with time."""
    return not isinstance(operand, Special) or constant_in_thread(operand.name)


def computed(instr: PtxInstr) -> bool:
    """True if the results follow from the operands, and from who comes to it by its mask."""
    if instr.access is not None and instr.access.space not in READ_ONLY:
        return False
    together = instr.effects & Effect.CONVERGENT and members_of(instr) is None
    return not instr.effects & UNKNOWN and not together and all(map(fixed, instr.uses))
