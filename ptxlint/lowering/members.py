"""Struct members: words of a struct parameter, recovered from its loads.

PTX has no structs: one that is passed by value is an array of bytes, loaded from at constant
offsets. Each such word is a parameter with an offset.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import cast

from msgspec.structs import replace

from analyses.program import AddressOf, Block, Operand, Region, Value
from ptxlint.ir import KernelParameter, PtxInstr
from ptxlint.isa.row import Type
from ptxlint.lowering.bases import SCALED, AddressBases, opcode

FOLLOWED = ("mov", "cvta", "add", "sub", "selp")
"""Opcodes whose result is an address computed from an operand."""

COMPARED = ("setp", "set", "min", "max")


def members(
    parameters: Sequence[KernelParameter], blocks: Sequence[Block]
) -> tuple[KernelParameter, ...]:
    """The disjoint words that are loaded from structs; their positions follow those of the
    parameters. A word of 64 bits that is never used as an address is a number. Loads through a
    register that holds the address of a struct are rewritten to use the struct."""
    structures = {p.region: p for p in parameters if p.structure}
    if not structures:
        return ()
    sources = _Sources(blocks)
    addressing = sources.addressing()
    found: dict[tuple[str, int, int], KernelParameter] = {}
    for instr, region, first in sources.loads():
        if region not in structures or instr.form is None:
            continue
        size = structures[region].size
        each = sources.bytes(instr)
        for offset, value in zip(range(first, size, each), instr.defs, strict=False):
            key = region.name, offset, each
            kind = f"{kind_of(instr.form.type)}{8 * each}"
            one = KernelParameter(f"{region.name}+{offset}", 0, kind, each, region, offset=offset)
            number = found[key].number if key in found else True
            if 0 <= offset <= size - each and each < size:
                known = found.get(key, one)
                found[key] = replace(known, number=number and value not in addressing)
    words = list(found.values())
    apart = [one for one in words if not any(overlap(one, other) for other in words)]
    apart.sort(key=lambda one: (structures[one.region].index, one.offset))
    return tuple(replace(one, index=i) for i, one in enumerate(apart, len(parameters)))


def numbers(parameters: Sequence[KernelParameter], blocks: Sequence[Block]) -> set[Region]:
    """The parameters of 64 bits that are loaded, and are no addresses: none is computed from them,
    compared with them, or leaves the kernel with them. Products and shifts of them are none, nor is
    what is added to an address."""
    open_ = (p for p in parameters if p.size == 8 and not p.declared_pointer)
    wide = {p.region for p in open_ if p.type[0] in "usb"}
    if not wide:
        return set()
    sources = _Sources(blocks)
    loads = [(instr, region) for instr, region, _ in sources.loads()]
    declared = {p.region for p in parameters if p.declared_pointer}
    loaded = {value: region for instr, region in loads for value in instr.defs
              if region in wide | declared and value.width == 64}  # fmt: skip
    addressing = sources.pointing(AddressBases(blocks, loaded, declared))
    found: dict[Region, bool] = {}
    for instr, region in loads:
        if region in wide:
            unused = not addressing.intersection(instr.defs)
            found[region] = unused and found.get(region, True)
    return {region for region, number in found.items() if number}


def kind_of(kind: Type) -> str:
    """The type: integers and floats as loaded, all else as bits."""
    return kind.name[0] if kind.name[0] in "us" or kind.name in ("f32", "f64") else "b"


def overlap(one: KernelParameter, other: KernelParameter) -> bool:
    if one == other or one.region != other.region:
        return False
    return one.offset < other.offset + other.size and other.offset < one.offset + one.size


class _Sources:
    """The definitions of values."""

    def __init__(self, blocks: Sequence[Block]) -> None:
        self.instrs = [cast(PtxInstr, instr) for block in blocks for instr in block.instrs]
        self.definition = {value: instr for instr in self.instrs for value in instr.defs}
        self.phis = {phi.target: phi for block in blocks for phi in block.phis}
        self.alias = {node.target: node.source for block in blocks for node in block.assumes}

    def loads(self) -> Iterator[tuple[PtxInstr, Region, int]]:
        """Each load of a region, with its offset."""
        for instr in self.instrs:
            access = instr.access
            if access is not None and access.kind == "load" and instr.defs:
                base = self.copied(access.base)
                if isinstance(base, AddressOf) and access.space == base.region.space:
                    instr.access = access._replace(base=base)
                    instr.uses = (base, *instr.uses[1:])
                    yield instr, base.region, access.offset

    def copied(self, operand: Operand) -> Operand:
        """The operand that this one is a copy of."""
        while isinstance(operand, Value):
            made = self.definition.get(operand)
            if operand in self.alias:
                operand = self.alias[operand]
            elif made is not None and opcode(made) == "mov" and len(made.uses) == 1:
                operand = made.uses[0]
            else:
                break
        return operand

    @staticmethod
    def bytes(instr: PtxInstr) -> int:
        """The bytes of each loaded word."""
        assert instr.access is not None
        return instr.access.bytes // len(instr.defs)

    def addressing(self) -> set[Value]:
        """The values that addresses are computed from."""
        found: set[Value] = set()
        open_ = [instr.access.base for instr in self.instrs if instr.access is not None]
        while open_:
            value = open_.pop()
            if isinstance(value, Value) and value not in found:
                found.add(value)
                open_ += self._before(value)
        return found

    def pointing(self, bases: AddressBases) -> set[Value]:
        """The values that may be addresses: accesses go through them, or they are stored, handed to
        other code, or compared with such. What is added to one of the bases is none."""
        open_: list[Operand] = []
        for instr in self.instrs:
            access = instr.access
            if access is None:
                open_ += instr.uses if not instr.defs or opcode(instr) == "call" else ()
            elif access.space != "param" or access.kind != "load":
                open_ += instr.uses
        compared = [instr for instr in self.instrs if opcode(instr) in COMPARED]
        found: set[Value] = set()
        while open_:
            while open_:
                value = open_.pop()
                if isinstance(value, Value) and value not in found:
                    found.add(value)
                    open_ += self._made_of(value, bases)
            near = [instr for instr in compared if not found.isdisjoint(instr.uses)]
            open_ = [use for instr in near for use in instr.uses if use not in found]
            open_ = [use for use in open_ if isinstance(use, Value)]
        return found

    def _made_of(self, value: Value, bases: AddressBases) -> Iterator[Operand]:
        """The operands whose bits a value may have."""
        made = self.definition.get(value)
        if value in self.alias:
            yield self.alias[value]
        elif value in self.phis:
            yield from self.phis[value].sources.values()
        elif made is not None and made.access is None and opcode(made) not in SCALED:
            yield from made.uses[-1:] if opcode(made) == "mad" else bases.addends(made)

    def _before(self, value: Value) -> Iterator[Operand]:
        made = self.definition.get(value)
        if value in self.alias:
            yield self.alias[value]
        elif value in self.phis:
            yield from self.phis[value].sources.values()
        elif made is not None and opcode(made) in FOLLOWED:
            yield from made.uses
        elif made is not None and opcode(made) == "mad":
            yield made.uses[-1]
        elif made is not None and made.access is not None and made.access.space == "local":
            yield from self._kept_in_memory()

    def _kept_in_memory(self) -> Iterator[Operand]:
        """The words that are stored in local arrays: any of these may be loaded from there."""
        for instr in self.instrs:
            if instr.access is not None and instr.access.space == "local" and not instr.defs:
                yield from instr.uses
