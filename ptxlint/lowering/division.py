"""64-bit divisions that a compiler wrote as two: one of 64 bits and, where both operands are below
2**32, a faster one of 32 bits.

    or.b64 t, a, b;  and.b64 t, t, -2**32;  setp.eq.s64 p, t, 0;  @p bra FAST;
    div.s64 q, a, b;  bra JOIN;
    FAST: cvt.u32.u64 x, a;  cvt.u32.u64 y, b;  div.u32 z, x, y;  cvt.u64.u32 q, z;
    JOIN:

Where no bit of ``a | b`` above the low 32 is set, both are their low halves, and non-negative: so
the signed and the unsigned quotient, or remainder, are that of the halves. Both divisions stay: by
zero a device leaves 64 ones on the one path, 32 on the other.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import cast

from analyses.program import Block, Constant, Operand, Phi, Value
from ptxlint.ir import PtxInstr

HIGH = 0xFFFFFFFF_00000000


def fast_divisions(blocks: list[Block]) -> frozenset[Value]:
    """The results of such divisions: the phis that join the two, and those of 64 bits."""
    pairs = _FastDivisions(blocks)
    found: set[Value] = set()
    for block in blocks:
        for phi, division in pairs.found(block):
            found |= {phi.target, *division.defs}
    return frozenset(found)


class _FastDivisions:
    def __init__(self, blocks: list[Block]) -> None:
        self.blocks = blocks
        self.renamed = {node.target: node.source for block in blocks for node in block.assumes}
        self.definition = {
            value: cast(PtxInstr, instr)
            for block in blocks
            for instr in block.instrs
            for value in instr.defs
        }

    def found(self, block: Block) -> Iterator[tuple[Phi, PtxInstr]]:
        """The phis of the block that join two such divisions: each with the 64-bit one."""
        if len(block.predecessors) != 2:
            return
        for slow, fast in (block.predecessors, block.predecessors[::-1]):
            for phi in block.phis:
                division = self.defined(phi.sources[slow], "div", "rem")
                if division is None or division not in self.blocks[slow].instrs:
                    continue
                if phi.target.width == 64 and self.joins(phi, division, slow, fast):
                    yield phi, division

    def joins(self, phi: Phi, division: PtxInstr, slow: int, fast: int) -> bool:
        """True if the other source of the phi is the division of the low halves, where that is the
        same."""
        widened = self.defined(phi.sources[fast], "cvt")
        narrow = widened and self.defined(widened.uses[0], opcode(division))
        if widened is None or narrow is None or widened.text != "cvt.u64.u32":
            return False
        if narrow.text != f"{opcode(division)}.u32" or division.text[4:] not in ("u64", "s64"):
            return False
        halves = [self.defined(use, "cvt") for use in narrow.uses]
        if any(half is None or half.text != "cvt.u32.u64" for half in halves):
            return False
        wide = [self.plain(use) for use in division.uses]
        return [self.plain(half.uses[0]) for half in halves if half] == wide and (
            self.below(wide, slow, fast)
        )

    def below(self, operands: list[Operand], slow: int, fast: int) -> bool:
        """True if one branch leads to both blocks, and to the fast one if the high halves of both
        operands are zero."""
        sources = self.blocks[slow].predecessors
        if len(sources) != 1 or self.blocks[fast].predecessors != sources:
            return False
        end = self.blocks[sources[0]].terminator
        equal = None if end.condition is None else self.defined(end.condition, "setp")
        if equal is None or not equal.text.startswith("setp.eq.") or end.targets != (fast, slow):
            return False
        masked = self.defined(equal.uses[0], "and")
        if masked is None or not zero(equal.uses[1]):
            return False
        both, mask = masked.uses
        joined = self.defined(both, "or")
        if joined is None or not isinstance(mask, Constant) or mask.bits != HIGH:
            return False
        return {self.plain(use) for use in joined.uses} == set(operands)

    def defined(self, operand: Operand, *opcodes: str) -> PtxInstr | None:
        """The instruction that defines the operand, if it has one of the opcodes."""
        operand = self.plain(operand)
        found = self.definition.get(operand) if isinstance(operand, Value) else None
        plain = found is not None and found.guard is None and found.access is None
        return found if found is not None and plain and opcode(found) in opcodes else None

    def plain(self, operand: Operand) -> Operand:
        """The operand without the refinements of branches."""
        while isinstance(operand, Value) and operand in self.renamed:
            operand = self.renamed[operand]
        return operand


def opcode(instr: PtxInstr) -> str:
    return instr.form.row.opcode if instr.form is not None else ""


def zero(operand: Operand) -> bool:
    return isinstance(operand, Constant) and operand.bits == 0
