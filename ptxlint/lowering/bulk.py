"""Bulk copies and fills: instructions whose size is a register.

Each becomes a loop of accesses as wide as the alignment that PTX requires (16 bytes for a copy, 8
for a fill), with the text of the original instruction. So bounds, races and costs of a copy are
analysed like those of any other loop. The accesses happen at issue, the earliest moment that the
manual allows; completion on a barrier object follows the loop.

Not checked: that the size is a multiple of these bytes. It is rounded up.
"""

from __future__ import annotations

from collections.abc import Callable

from analyses.program import (
    Access,
    AccessKind,
    AddressOf,
    Completion,
    Constant,
    Effect,
    Operand,
    Value,
)
from ptxlint.isa.row import TYPES, Form
from ptxlint.lowering.blocks import form_of
from ptxlint.lowering.operands import LoweringError
from ptxlint.lowering.transfers import ACCESSING, Transfers, space_of
from ptxlint.syntax import ast

COPIED, FILLED = 16, 8
ELSEWHERE = Completion.ELSEWHERE


def repeats(form: Form | None) -> bool:
    """True if lowering makes a loop of the instruction."""
    moves = Effect.LOAD | Effect.STORE
    return form is not None and "bulk" in form.row.required and bool(form.row.effects & moves)


class BulkTransfers(Transfers):
    """Lowers bulk copies and fills."""

    def bulk(self, node: ast.Instruction, form: Form) -> None:
        if form.row.opcode == "st":
            self.bulk_fill(node, form)
        else:
            self.bulk_copy(node, form)

    def bulk_copy(self, node: ast.Instruction, form: Form) -> None:
        """A copy, or a reduction: an update of the target. Its data are words of the type."""
        target, source, *objects = self.places(node, self.matched(node, form))
        if form.has("bulk_group"):
            spaces = ("global", "shared")
        else:
            spaces = ("shared", "global" if form.has("global") else "shared")
        reduces = bool(form.row.effects & Effect.ATOMIC)
        width = form.type.bits if reduces else 8 * COPIED
        kind: AccessKind = "atomic" if reduces else "store"
        bases = [self.address(place, space) for place, space in
                 zip((target, source), spaces, strict=True)]  # fmt: skip

        def chunk(counter: Value) -> None:
            into, out_of = (self.moved(base, counter) for base in bases)
            words = tuple(self.temporary(width) for _ in range(8 * COPIED // width))
            access = Access("load", spaces[1], out_of, source.offset, COPIED, completion=ELSEWHERE)
            self.emit(form, words, (out_of,), Effect.LOAD, access)
            access = Access(kind, spaces[0], into, target.offset, COPIED, completion=ELSEWHERE)
            self.emit(form, (), (into, *words), ACCESSING[kind], access)

        self.repeat(self.use(node.operands[2], TYPES["u32"]), COPIED, chunk)
        if objects:
            self.complete(objects[0], self.use(node.operands[2], TYPES["u64"]), "shared")

    def bulk_fill(self, node: ast.Instruction, form: Form) -> None:
        (target,) = self.places(node, self.matched(node, form))
        space = space_of(form)
        base, word = self.address(target, space), self.use(node.operands[2], TYPES["u64"])

        def chunk(counter: Value) -> None:
            into = self.moved(base, counter)
            access = Access("store", space, into, target.offset, FILLED)
            self.emit(form, (), (into, word), Effect.STORE, access)

        self.repeat(self.use(node.operands[1], TYPES["u64"]), FILLED, chunk)

    def repeat(self, size: Operand, step: int, chunk: Callable[[Value], None]) -> None:
        """The chunk for each multiple of ``step`` below ``size``."""
        bits = size.width
        counter = self.temporary(bits)
        self.made("mov", counter, Constant(bits, 0))
        again, after = self.new_label("bulk"), self.new_label("copied")
        self.place(again)
        more = self.computed(form_of("setp", "lt", f"u{bits}"), counter, size)
        self.end_block([len(self.drafts), after], more)
        chunk(counter)
        self.made("add", counter, counter, Constant(bits, step))
        self.end_block([again])
        self.place(after)

    def moved(self, base: Operand, counter: Value) -> Value:
        """The address plus a number of bytes."""
        if not isinstance(base, AddressOf) and base.width not in (32, 64):
            raise LoweringError(self.offset, "expected an address of 32 or 64 bits")
        result = self.temporary(64 if isinstance(base, AddressOf) else base.width)
        same = counter.width == result.width
        self.made("add", result, base,
                  counter if same else self.converted(counter, False, result.width))  # fmt: skip
        return result

    def made(self, opcode: str, result: Value, *uses: Operand) -> None:
        self.synthesize(form_of(opcode, f"u{result.width}"), result, *uses)
