"""Def-use and use-def chains of a function in SSA form. An assume is a copy of its source."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from analyses.program import Assume, Instr, Operand, Phi, SsaFunction, Terminator, Value

User = Instr | Phi | Assume | Terminator


def users_of(function: SsaFunction) -> dict[Operand, list[User]]:
    """What uses each operand; of an assume, its source alone."""
    users: dict[Operand, list[User]] = {}
    for block in function.blocks:
        for phi in block.phis:
            for source in phi.sources.values():
                users.setdefault(source, []).append(phi)
        for node in block.assumes:
            users.setdefault(node.source, []).append(node)
        for instr in block.instrs:
            for use in instr.uses:
                users.setdefault(use, []).append(instr)
        if block.terminator.condition is not None:
            users.setdefault(block.terminator.condition, []).append(block.terminator)
    return users


def defined_by(user: User) -> Sequence[Value]:
    """The names that it defines."""
    if isinstance(user, Terminator):
        return ()
    return (user.target,) if isinstance(user, (Phi, Assume)) else user.defs


def operands_of(function: SsaFunction) -> dict[Value, Collection[Operand]]:
    """The operands that each name is computed from."""
    operands: dict[Value, Collection[Operand]] = {}
    for block in function.blocks:
        operands.update((phi.target, phi.sources.values()) for phi in block.phis)
        operands.update((node.target, (node.source,)) for node in block.assumes)
        for instr in block.instrs:
            operands.update((value, instr.uses) for value in instr.defs)
    return operands
