"""Slices: the names of a function on which something depends (Weiser, "Program slicing", 1984).

What an address, a mask or a branch depends on decides where threads go and what they touch. All the
rest is arithmetic on data: no finding asks for its numbers, and most instructions of most kernels
are that.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from analyses.program import Instr, Operand, Phi, SsaFunction, Value


@dataclass(frozen=True, slots=True)
class Slice:
    """Names with all that they are computed from, and what defines them, by block. All assumes
    belong to every slice."""

    names: Collection[Value]
    phis: Sequence[Sequence[Phi]]
    instrs: Sequence[Sequence[Instr]]


def deciding(function: SsaFunction) -> Slice:
    """What decides where threads go and which memory they touch."""
    return _of(function, _depended(function))


def whole(function: SsaFunction) -> Slice:
    """Every name."""
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


def _depended(function: SsaFunction) -> set[Value]:
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
                work.append(access.base)
                if access.mask is not None:
                    work.append(access.mask)
        if block.terminator.condition is not None:
            work.append(block.terminator.condition)
    found: set[Value] = set()
    while work:
        operand = work.pop()
        if isinstance(operand, Value) and operand not in found:
            found.add(operand)
            work.extend(operands.get(operand, ()))
    return found
