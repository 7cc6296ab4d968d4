"""Backward slices: the names that an operand depends on (Weiser, "Program slicing", 1984).

Addresses, masks and branch conditions decide control flow and memory accesses. All else is
arithmetic on data, which is most of most kernels, and no finding depends on its values.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from analyses.program import Instr, Operand, Phi, SsaFunction, Value


@dataclass(frozen=True, slots=True)
class Slice:
    """A set of names closed under operands, and their definitions by block. All assumes belong to
    every slice."""

    names: Collection[Value]
    phis: Sequence[Sequence[Phi]]
    instrs: Sequence[Sequence[Instr]]


def control_and_address_slice(function: SsaFunction) -> Slice:
    """The slice of all branch conditions, addresses, masks and lengths."""
    return _of(function, _dependencies(function))


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
    operands: dict[Value, Collection[Operand]] = {}
    work: list[Operand] = []
    for block in function.blocks:
        for phi in block.phis:
            operands[phi.target] = phi.sources.values()
        for node in block.assumes:
            operands[node.target] = (node.source, node.other)
            work.append(node.target)
        for instr in block.instrs:
            for value in instr.defs:
                operands[value] = instr.uses
            access = instr.access
            if access is not None:
                decisive = access.base, access.mask, access.length
                work += [operand for operand in decisive if operand is not None]
        if block.terminator.condition is not None:
            work.append(block.terminator.condition)
    found: set[Value] = set()
    while work:
        operand = work.pop()
        if isinstance(operand, Value) and operand not in found:
            found.add(operand)
            work.extend(operands.get(operand, ()))
    return found
