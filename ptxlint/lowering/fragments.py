"""``wmma.load`` and ``wmma.store``: each lane accesses the elements of its fragment.

Neighbours are one access, with the alignment that the manual asks of a line in memory, or that of
the elements if they are fewer than 16 bytes.
"""

from __future__ import annotations

from analyses.program import Access, AccessKind, Constant, Effect, Operand, Special, Value
from ptxlint.isa.row import TYPES, Form
from ptxlint.isa.wmma import MatrixFragment
from ptxlint.lowering.blocks import form_of
from ptxlint.lowering.bulk import BulkTransfers
from ptxlint.lowering.operands import LoweringError, flattened
from ptxlint.lowering.transfers import space_of
from ptxlint.syntax import ast

LINE_ALIGN = 16


class FragmentTransfers(BulkTransfers):
    """Lowers loads and stores of fragments."""

    def fragment(self, node: ast.Instruction, form: Form) -> None:
        fragment = MatrixFragment.of(form)
        (place,) = self.places(node, self.matched(node, form))
        base, space = self.address(place, space_of(form)), space_of(form)
        stride: Operand = Constant(32, fragment.line)
        if len(node.operands) > 2:
            stride = self.use(node.operands[2], TYPES["u32"])
        loads = bool(form.row.effects & Effect.LOAD)
        listed = list(flattened(node.operands[0 if loads else 1]))
        if len(listed) != fragment.registers:
            wanted = f"expected {fragment.registers} registers, found {len(listed)}"
            raise LoweringError(node.offset, f"{node.text}: {wanted}")
        width = TYPES[f"b{fragment.word}"]
        starts = self.starts(fragment, base, stride)
        each = 8 * fragment.run // fragment.part
        parts = tuple(self.temporary(fragment.part) for _ in range(each * len(starts)))
        kind: AccessKind = "load" if loads else "store"
        moves = Effect.LOAD if loads else Effect.STORE
        if not loads:
            words = tuple(self.use(one, width) for one in listed)
            self.between(form.vector(len(parts)), parts, words, moves)
        for i, start in enumerate(starts):
            run, align = parts[i * each : (i + 1) * each], min(fragment.run, LINE_ALIGN)
            access = Access(kind, space, start, place.offset, fragment.run, alignment=align)
            defs, uses = (run, (start,)) if loads else ((), (start, *run))
            self.emit(form, defs, uses, moves, access)
        if loads:
            defs, fits = self.results(listed, [width] * len(listed), None)
            self.between(form.vector(len(listed)), defs, parts, moves)
            self.finish(fits, None)

    def starts(self, fragment: MatrixFragment, base: Operand, stride: Operand) -> list[Value]:
        """The addresses of what a lane accesses at once. All numbers are powers of two."""
        lane, elements = Special("laneid", 32), fragment.elements
        lanes = (fragment.line if fragment.in_order else fragment.columns) // elements
        first = self.word("shr", lane, Constant(32, lanes.bit_length() - 1))
        second = self.word("and", lane, Constant(32, lanes - 1))
        second = self.word("shl", second, Constant(32, elements.bit_length() - 1))
        if fragment.in_order:
            return [self.element(fragment, base, stride, first, second)]
        lines = [self.word("add", second, Constant(32, i)) for i in range(elements)]
        return [self.element(fragment, base, stride, line, first) for line in lines]

    def element(
        self, fragment: MatrixFragment, base: Operand, stride: Operand, line: Value, place: Value
    ) -> Value:
        """The address of the element of a line at a place."""
        before, behind, size = (self.temporary(64) for _ in range(3))
        self.synthesize(form_of("mul", "wide", "u32"), before, line, stride)
        self.made("add", behind, before, self.converted(place, False, 64))
        if fragment.bits < 8:
            log = (8 // fragment.bits).bit_length() - 1
            self.synthesize(form_of("shr", "u64"), size, behind, Constant(32, log))
        else:
            log = (fragment.bits // 8).bit_length() - 1
            self.synthesize(form_of("shl", "b64"), size, behind, Constant(32, log))
        return self.moved(base, size)

    def word(self, opcode: str, *uses: Operand) -> Value:
        result = self.temporary(32)
        kind = "u32" if opcode in ("add", "shr") else "b32"
        self.synthesize(form_of(opcode, kind), result, *uses)
        return result
