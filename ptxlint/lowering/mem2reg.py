"""mem2reg: variables in param space become registers; a store and a load of one become moves.

So values, and facts about them, pass through calls at no cost. A variable stays in memory if its
address is taken, if two accesses overlap in part, or if an unmodelled call may write it. The
address of a variable in param space is one in local memory (PTX ISA 9.4, ``mov``: "the parameter
will be copied onto the stack"), so such a variable is local.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import cast

from msgspec import Struct

from analyses.program import AddressOf, Block, Effect, Operand, Region, Value
from ptxlint.ir import PtxInstr
from ptxlint.lowering.blocks import move_of

Cell = tuple[int, int]  # offset and size in bytes


class PromotedVariable(Struct):
    """The uses of one variable in param space."""

    cells: dict[Cell, Value] = {}
    addressed: bool = False
    called: bool = False

    @property
    def separate(self) -> bool:
        """True if no two accesses overlap in part."""
        cells = pairwise(sorted(self.cells))
        return all(low + size <= high for (low, size), (high, _) in cells)

    @property
    def promoted(self) -> bool:
        return not self.addressed and not self.called and self.separate


def mem2reg(blocks: list[Block], regions: Iterable[Region]) -> tuple[Region, ...]:
    """Rewrites the instructions; returns the remaining regions."""
    regions = tuple(regions)
    variables = {r: PromotedVariable() for r in regions if r.space == "param" and not r.parameter}
    if not variables:
        return regions
    for block in blocks:
        for instr in cast(list[PtxInstr], block.instrs):
            _note(instr, variables)
    local = {
        region: region._replace(space="local")
        for region, variable in variables.items()
        if variable.addressed or not (variable.called or variable.separate)
    }
    for block in blocks:
        instrs = cast(list[PtxInstr], block.instrs)
        block.instrs = [new for instr in instrs for new in _rewritten(instr, variables, local)]
    kept = (r for r in regions if r not in variables or not variables[r].promoted)
    return tuple(local.get(region, region) for region in kept)


def _note(instr: PtxInstr, variables: dict[Region, PromotedVariable]) -> None:
    access = instr.access
    for place, use in enumerate(instr.uses):
        variable = variables.get(use.region) if isinstance(use, AddressOf) else None
        if variable is None or not isinstance(use, AddressOf):
            continue
        if place == 0 and access is not None and access.space == "param":
            for cell, width in _cells(instr):
                variable.cells.setdefault(cell, Value(f"{use.region.name}+{cell[0]}", width))
        elif instr.effects & Effect.CALL:
            variable.called = True
        else:
            variable.addressed = True


def _cells(instr: PtxInstr) -> Iterator[tuple[Cell, int]]:
    """The bytes of each element of an access."""
    access = instr.access
    assert access is not None
    size = access.bytes // max(len(_data(instr)), 1)
    for place in range(access.bytes // size):
        yield (access.offset + place * size, size), 8 * size


def _data(instr: PtxInstr) -> tuple[Operand, ...]:
    assert instr.access is not None
    if instr.access.kind == "load":
        return instr.defs
    return instr.uses[1:] if instr.access.mask is None else instr.uses[1:-1]


def _rewritten(
    instr: PtxInstr, variables: dict[Region, PromotedVariable], local: dict[Region, Region]
) -> Iterator[PtxInstr]:
    base = instr.uses[0] if instr.uses else None
    variable = variables.get(base.region) if isinstance(base, AddressOf) else None
    if variable is not None and variable.promoted:
        yield from _moves(instr, variable)
        return
    if local:
        instr.uses = tuple(
            use._replace(region=local.get(use.region, use.region))
            if isinstance(use, AddressOf)
            else use
            for use in instr.uses
        )
        if instr.access is not None and isinstance(base, AddressOf) and base.region in local:
            instr.access = instr.access._replace(space="local", base=instr.uses[0])
    yield instr


def _moves(instr: PtxInstr, variable: PromotedVariable) -> Iterator[PtxInstr]:
    assert instr.access is not None
    mask = instr.access.mask
    for (cell, width), word in zip(_cells(instr), _data(instr), strict=True):
        register = variable.cells[cell]
        if instr.access.kind == "load":
            yield _move(instr, "mov", word, (register,))
        elif mask is None:
            yield _move(instr, "mov", register, (word,))
        else:
            yield _move(instr, "selp", register, (word, register, mask))
        assert register.width == width


def _move(instr: PtxInstr, opcode: str, target: Operand, uses: tuple[Operand, ...]) -> PtxInstr:
    assert isinstance(target, Value)
    form = move_of(opcode, target.width)
    return PtxInstr(
        instr.text, form, (target,), uses, offset=instr.offset, loc=instr.loc, synthetic=True
    )
