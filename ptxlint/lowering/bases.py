"""Which addend of an address is its base.

PTX does not say which parameter in ``x + n + i`` is the pointer. It is one that is converted
between generic and global addresses, or that is the only parameter in some address; what is added
to such a base is a number.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import cast

from analyses.program import AddressOf, Block, Operand, Region, Value
from ptxlint.ir import PtxInstr

Bases = frozenset[Region]
"""The parameters and the arrays that a word is the sum of, with numbers that are computed."""

Sums = frozenset[Bases] | None
"""What a word may be, by the way to it; None if that is not known."""

NOTHING: frozenset[Bases] = frozenset()
COMPUTED = frozenset([Bases()])
MOST = 16
"""Sums that one word may be. Of more, none are known."""

SCALED = ("mul", "shl", "shr", "div", "rem", "setp", "set", "popc", "clz")
"""Opcodes whose result is no address, whatever the operands are."""


class AddressBases:
    """What the words of a kernel are sums of. ``loaded`` has the parameters of 64 bits, by the
    names that they are loaded into; some of them are declared ``pointers``."""

    def __init__(
        self, blocks: Sequence[Block], loaded: Mapping[Value, Region], pointers: Collection[Region]
    ) -> None:
        self.loaded, self.sums = loaded, dict[Value, Sums]()
        self.bases = {*pointers}
        while sum(map(self._follow, blocks)):
            pass
        for block in blocks:
            for instr in cast(Sequence[PtxInstr], block.instrs):
                self.bases |= {base for one in self._surely(instr) for base in one}
                arrays = (use.region for use in instr.uses if isinstance(use, AddressOf))
                self.bases |= {region for region in arrays if not region.parameter}

    def is_address(self, operand: Operand) -> bool:
        """True if every sum that the operand may be has a base."""
        sums = self._of(operand)
        return bool(sums) and all(not self.bases.isdisjoint(one) for one in sums or ())

    def addends(self, instr: PtxInstr) -> Sequence[Operand]:
        """Of a sum of two that are known, the one that is an address, if only one is; else all."""
        name, uses = opcode(instr), instr.uses
        if name in ("add", "sub") and len(uses) == 2 and None not in map(self._of, uses):
            found = [use for use in uses if self.is_address(use)]
            if len(found) == 1 and (name == "add" or found[0] is uses[0]):
                return found
        return uses

    def _surely(self, instr: PtxInstr) -> list[Bases]:
        """What is the only parameter in an address, or is converted."""
        operands: list[Operand] = []
        if opcode(instr) == "cvta":
            operands += instr.uses
        if instr.access is not None and instr.access.space != "param":
            operands.append(instr.access.base)
        return [one for use in operands for one in self._of(use) or () if len(one) == 1]

    def _follow(self, block: Block) -> bool:
        """Adds what the block makes of known sums; true if that is news."""
        news = False
        for phi in block.phis:
            news |= self._note(phi.target, either(map(self._of, phi.sources.values())))
        for node in block.assumes:
            news |= self._note(node.target, self._of(node.source))
        for instr in cast(Sequence[PtxInstr], block.instrs):
            for value in instr.defs:
                news |= self._note(value, self._made(instr, value))
        return news

    def _note(self, value: Value, sums: Sums) -> bool:
        if value.width != 64:
            return False
        before = self.sums.get(value, NOTHING)
        known = either([before, sums])
        self.sums[value] = None if known is not None and len(known) > MOST else known
        return self.sums[value] != before

    def _made(self, instr: PtxInstr, value: Value) -> Sums:
        if value in self.loaded:
            return frozenset([Bases([self.loaded[value]])])
        name, each = opcode(instr), [self._of(use) for use in instr.uses]
        if instr.access is not None or instr.opaque or name == "call" or len(instr.defs) != 1:
            return None
        if name in SCALED:
            return COMPUTED
        if name in ("mov", "cvta"):
            return each[0] if len(each) == 1 else None
        if name in ("add", "sub") and len(each) == 2:
            one, other = each
            known = one is not None and other is not None
            return frozenset(a | b for a in one or () for b in other or ()) if known else None
        if name == "selp":
            return either(each[:2])
        if name == "mad":
            return each[-1]
        return COMPUTED if all(sums is not None and sums <= COMPUTED for sums in each) else None

    def _of(self, operand: Operand) -> Sums:
        if isinstance(operand, AddressOf):
            return frozenset([Bases([operand.region])])
        if isinstance(operand, Value) and operand.width == 64:
            return self.sums.get(operand, NOTHING)  # of what is followed later, as in a loop
        return COMPUTED


def either(each: Iterable[Sums]) -> Sums:
    """What a word may be that is one of these."""
    found = NOTHING
    for sums in each:
        if sums is None:
            return None
        found |= sums
    return found


def opcode(instr: PtxInstr) -> str:
    return "mov" if instr.synthetic else instr.text.partition(".")[0]
