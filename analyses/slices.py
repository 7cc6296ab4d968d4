"""Slices: the names that an operand depends on, backward, and those that depend on it, forward
(Weiser, "Program slicing", 1984; Horwitz, Reps and Binkley, 1990).

Addresses, masks and branch conditions decide control flow and memory accesses. All else is
arithmetic on data, which is most of most kernels, and no finding depends on its values.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

from msgspec import Struct

from analyses.def_use import User, defined_by, operands_of
from analyses.graph import postdominators
from analyses.program import Effect, Instr, Operand, Phi, SsaFunction, Value

GENERIC = "generic"


class Slice(Struct, frozen=True):
    """A set of names closed under operands, and their definitions by block. All assumes belong to
    every slice."""

    names: Collection[Value]
    phis: Sequence[Sequence[Phi]]
    instrs: Sequence[Sequence[Instr]]


def control_and_address_slice(function: SsaFunction) -> Slice:
    """The slice of all branch conditions, addresses, masks and lengths."""
    return _of(function, _dependencies(function))


def effects_slice(function: SsaFunction) -> frozenset[Value]:
    """The names that decide which accesses, barriers and exits happen, and where. A branch around
    mere arithmetic does not: one with no effect and no loop before its post-dominator, and no phi
    of the slice there or before."""
    blocks, operands = function.blocks, operands_of(function)
    roots: list[Operand] = []
    for block in blocks:
        for instr in block.instrs:
            roots += deciding(instr)
            if instr.effects & (Effect.BARRIER | Effect.ARRIVE | Effect.CALL):
                roots += instr.uses
    after = postdominators([block.terminator.targets for block in blocks])
    joins = [_joins_around_arithmetic(function, n, end) for n, end in enumerate(after)]
    found: set[Value] = set()
    while roots:
        close(found, roots, operands)
        roots = [
            condition
            for block in blocks
            if isinstance(condition := block.terminator.condition, Value) and condition not in found
            if (phis := joins[block.index]) is None or not phis.isdisjoint(found)
        ]
    return frozenset(found)


def closed_under_memory(function: SsaFunction, roots: Iterable[Operand]) -> frozenset[Value]:
    """The names that the roots depend on, by registers or by memory: a name that is loaded depends
    on all words that any instruction may store to its state space."""
    operands = operands_of(function)
    loads: dict[Value, str] = {}
    stored: dict[str, list[Operand]] = {}
    for block in function.blocks:
        for instr in block.instrs:
            access = instr.access
            if access is not None and access.space != "param":
                if access.kind != "load" or instr.effects & (Effect.STORE | Effect.ATOMIC):
                    stored.setdefault(access.space, []).extend(instr.uses)
                loads.update((value, access.space) for value in instr.defs)
    found, work = set[Value](), [*roots]
    while work:
        close(found, work, operands)
        loaded = {loads[value] for value in found & loads.keys()}
        for space in [space for space in stored if _may_alias(space, loaded)]:
            work += stored.pop(space)
    return frozenset(found)


def _may_alias(space: str, others: Collection[str]) -> bool:
    """True if an address in the space may be one in one of the others."""
    return bool(others) and (space in (GENERIC, *others) or GENERIC in others)


def _joins_around_arithmetic(function: SsaFunction, branch: int, end: int) -> set[Value] | None:
    """The phis that join the ways from a branch to its post-dominator; None if there is an effect
    or a loop on a way."""
    blocks = function.blocks
    if end == len(blocks):
        return None
    inside: set[int] = set()
    work = list(blocks[branch].terminator.targets)
    while work:
        index = work.pop()
        if index == end or index in inside:
            continue
        inside.add(index)
        work += (targets := blocks[index].terminator.targets)
        looped = any(target <= index for target in targets if target != end)
        if looped or any(i.effects or i.access is not None for i in blocks[index].instrs):
            return None
    return {phi.target for index in (*inside, end) for phi in blocks[index].phis}


def forward_slice(
    users: Mapping[Operand, Iterable[User]], roots: Iterable[Operand]
) -> set[Operand]:
    """The roots, and the names whose words depend on theirs; not through memory, nor because a
    branch depends on them."""
    found, work = set[Operand](), [*roots]
    while work:
        operand = work.pop()
        if operand not in found:
            found.add(operand)
            for user in users.get(operand, ()):
                work += defined_by(user)
    return found


def address_words(function: SsaFunction, more: Iterable[Operand] = ()) -> set[Value]:
    """The words that addresses, and ``more`` words, are made of: not what decides a choice."""
    operands = {
        value: [one for one in several if one.width > 1]
        for value, several in operands_of(function).items()
    }
    bases = [i.access.base for block in function.blocks for i in block.instrs if i.access]
    found: set[Value] = set()
    close(found, [*bases, *more], operands)
    return found


def extended(function: SsaFunction, part: Slice, roots: Iterable[Operand]) -> Slice:
    """The slice with these operands."""
    found = set(part.names)
    close(found, [*roots], operands_of(function))
    return _of(function, found)


def full_slice(function: SsaFunction) -> Slice:
    """The slice of all names."""
    return _of(function, {value for block in function.blocks for value in block.defined()})


def _of(function: SsaFunction, names: set[Value]) -> Slice:
    return Slice(
        names,
        [[phi for phi in block.phis if phi.target in names] for block in function.blocks],
        [
            [instr for instr in block.instrs if not names.isdisjoint(instr.defs)]
            for block in function.blocks
        ],
    )


def _dependencies(function: SsaFunction) -> set[Value]:
    operands = operands_of(function)
    work: list[Operand] = []
    for block in function.blocks:
        for node in block.assumes:
            operands[node.target] = (node.source, node.other)
            work.append(node.target)
        for instr in block.instrs:
            work += deciding(instr)
        if block.terminator.condition is not None:
            work.append(block.terminator.condition)
    found: set[Value] = set()
    close(found, work, operands)
    return found


def deciding(instr: Instr) -> list[Operand]:
    """The operands that decide if an instruction accesses memory, where, and how many bytes."""
    access = instr.access
    decisive = () if access is None else (access.base, access.mask, access.length)
    return [operand for operand in decisive if operand is not None]


def close(
    found: set[Value], work: list[Operand], operands: Mapping[Value, Collection[Operand]]
) -> None:
    """Adds the names on which these operands depend, and empties ``work``."""
    while work:
        operand = work.pop()
        if isinstance(operand, Value) and operand not in found:
            found.add(operand)
            work.extend(operands.get(operand, ()))
