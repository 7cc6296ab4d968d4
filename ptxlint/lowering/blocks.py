"""Blocks under construction: labels, edges, and the instructions that lowering adds."""

from __future__ import annotations

from msgspec import Struct

from analyses.program import Access, Block, Effect, OpaqueAccess, Operand, Terminator, Value
from ptxlint.ir import PtxInstr
from ptxlint.isa.row import Form, Type
from ptxlint.isa.table import decode
from ptxlint.syntax import ast

EXIT = -1  # the pseudo-label of a thread's end


class Draft(Struct, eq=False):
    """A block under construction: its targets are labels."""

    instrs: list[PtxInstr] = []
    condition: Operand | None = None
    targets: list[str | int] | None = None  # None: falls through to the next block
    uniform: bool = False
    branch: PtxInstr | None = None


class Drafts:
    """The blocks of a function. ``node`` is the instruction that is being lowered."""

    def __init__(self) -> None:
        self.drafts: list[Draft] = [Draft()]
        self.labels: dict[str, int] = {}
        self.node = ast.Instruction("", (), ())
        self.loc: ast.Loc | None = None
        self.fresh = 0

    @property
    def offset(self) -> int:
        return self.node.offset

    # --- blocks

    def new_label(self, name: str) -> str:
        self.fresh += 1
        return f"{name}@{self.fresh}"

    @property
    def current(self) -> Draft:
        return self.drafts[-1]

    def place(self, label: str) -> None:
        if self.current.instrs or self.current.targets is not None or len(self.drafts) == 1:
            self.drafts.append(Draft())
        self.labels[label] = len(self.drafts) - 1

    def end_block(
        self, targets: list[str | int], condition: Operand | None = None, uniform: bool = False
    ) -> None:
        draft = self.current
        draft.targets, draft.condition, draft.uniform = targets, condition, uniform
        form = decode(self.node.opcode, self.node.modifiers)
        draft.branch = PtxInstr(self.node.text, form, (), (), offset=self.offset, loc=self.loc)
        self.drafts.append(Draft())

    def blocks(self) -> list[Block]:
        """The finished blocks; the last one exits, also if the text has no ``ret``."""
        self.drafts.append(Draft(targets=[]))
        end = len(self.drafts) - 1
        result = []
        for index, draft in enumerate(self.drafts):
            labels = [index + 1] if draft.targets is None else draft.targets
            targets = [
                end if label == EXIT else label if isinstance(label, int) else self.labels[label]
                for label in labels
            ]
            condition = draft.condition
            if condition is not None and len(set(targets)) == 1:
                condition, targets = None, targets[:1]
            terminator = Terminator(condition, tuple(targets), draft.uniform, draft.branch)
            result.append(Block(index, instrs=list(draft.instrs), terminator=terminator))
        return result

    # --- instructions

    def put(self, instr: PtxInstr) -> None:
        self.current.instrs.append(instr)

    def emit(
        self,
        form: Form | None,
        defs: tuple[Value, ...],
        uses: tuple[Operand, ...],
        effects: Effect,
        access: Access | None = None,
        synthetic: bool = False,
        opaque: tuple[OpaqueAccess, ...] = (),
    ) -> None:
        """Appends an instruction with the text of the one that is being lowered."""
        self.put(
            PtxInstr(
                self.node.text, form, defs, uses, effects, access, (), self.offset, self.loc,
                synthetic, opaque=opaque,
            )
        )  # fmt: skip

    def temporary(self, width: int) -> Value:
        self.fresh += 1
        return Value(f"%t{self.fresh}", width)

    def synthesize(self, form: Form, target: Value, *uses: Operand) -> None:
        """Appends an instruction that only computes."""
        self.put(
            PtxInstr(
                form.row.opcode, form, (target,), uses, offset=self.offset, loc=self.loc,
                synthetic=True,
            )
        )  # fmt: skip

    def computed(self, form: Form, *uses: Operand) -> Value:
        """A predicate computed by lowering."""
        result = self.temporary(1)
        self.synthesize(form, result, *uses)
        return result


def form_of(opcode: str, *modifiers: str) -> Form:
    """The form of an instruction that the table has."""
    form = decode(opcode, modifiers)
    assert form is not None, opcode
    return form


def move_of(opcode: str, width: int) -> Form:
    """``mov`` or ``selp`` of words of any width."""
    return form_of(opcode, "b32").of(Type("b", "b", width))
