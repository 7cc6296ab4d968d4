"""A typed builder of PTX instructions: what the instruction table does not know is not emitted.

``emit`` decodes an opcode in ptxlint's table, checks the number and the types of its operands by
the row's roles, gives the result a register of the type that the row says, and prints the
instruction. Registers are never reused: the assembler of the driver allocates them.
"""

from __future__ import annotations

import struct
from collections import Counter
from dataclasses import dataclass, field

from pricing_kernels.payoffs.language.expression import CodeLine
from ptxlint.isa.row import TYPES, Form, Role, Type
from ptxlint.isa.table import decode
from ptxlint.syntax.ast import (
    Address,
    Float,
    GuardPredicate,
    Instruction,
    Integer,
    Name,
    Operand,
    Vector,
)

PREFIXES = {"f32": "f", "b32": "r", "b64": "d", "pred": "p"}
"""The class of registers that holds values of a type, by the type that declares it."""


class AssemblerError(Exception):
    """An instruction that PTX does not have."""


@dataclass(frozen=True)
class PtxRegister:
    """A register and the type of what it holds."""

    name: str
    type: Type


PtxOperand = PtxRegister | int | float


def register_class(type: Type) -> str:
    """The type that a register of this type is declared with."""
    if type.kind in ("f", "p"):
        return type.name
    return f"b{type.bits}"


@dataclass
class Assembler:
    """Lines of PTX, the registers that they use, and the files that their ``.loc`` name."""

    first_file: int = 1
    lines: list[str] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)
    files: dict[str, int] = field(default_factory=dict)
    labels: int = 0
    _at: CodeLine | None = None

    def fresh(self, type_name: str) -> PtxRegister:
        """A new register."""
        kind = register_class(TYPES[type_name])
        name = f"%payoff_{PREFIXES[kind]}{self.counts[kind]}"
        self.counts[kind] += 1
        return PtxRegister(name, TYPES[type_name])

    def emit(
        self, text: str, *operands: PtxOperand, into: PtxRegister | None = None
    ) -> PtxRegister:
        """An instruction with one result, in a new register or in a given one. Raises
        AssemblerError."""
        opcode, *modifiers = text.split(".")
        form = decode(opcode, tuple(modifiers))
        if form is None:
            raise AssemblerError(f"PTX has no instruction {text}")
        roles = [role for role in form.row.roles if not role.optional]
        if not roles or not roles[0].result or len(operands) != len(roles) - 1:
            raise AssemblerError(f"{text} takes {len(roles) - 1} operands, not {len(operands)}")
        for role, operand in zip(roles[1:], operands, strict=True):
            _check(text, role, form, operand)
        wanted = _type(roles[0], form)
        result = into or self.fresh(wanted.name)
        _check(text, roles[0], form, result)
        written = (Name(result.name), *map(_operand, operands))
        self._write(Instruction(opcode, tuple(modifiers), written))
        return result

    def load(self, text: str, base: PtxRegister, offset: int = 0) -> PtxRegister:
        """A load from an address in a register and an offset. Raises AssemblerError."""
        return self._loaded(text, base, offset, 1)[0]

    def load_vector(self, text: str, base: PtxRegister, offset: int = 0) -> list[PtxRegister]:
        """A load of four neighbours, as ``ld.global.nc.v4.f32``. Raises AssemblerError."""
        return self._loaded(text, base, offset, 4)

    def _loaded(self, text: str, base: PtxRegister, offset: int, parts: int) -> list[PtxRegister]:
        opcode, *modifiers = text.split(".")
        form = decode(opcode, tuple(modifiers))
        if form is None or not form.row.roles[1].address or form.has("v4") != (parts == 4):
            raise AssemblerError(f"PTX has no load {text} of {parts}")
        results = [self.fresh(form.type.name) for _ in range(parts)]
        names = tuple(Name(each.name) for each in results)
        address = Address(Name(base.name), offset)
        into = names[0] if parts == 1 else Vector(names)
        self._write(Instruction(opcode, tuple(modifiers), (into, address)))
        return results

    def store(self, text: str, base: PtxRegister, offset: int, value: PtxOperand) -> None:
        """A store at an address in a register and an offset. Raises AssemblerError."""
        opcode, *modifiers = text.split(".")
        form = decode(opcode, tuple(modifiers))
        if form is None or not form.row.roles[0].address:
            raise AssemblerError(f"PTX has no store {text}")
        _check(text, form.row.roles[1], form, value)
        operands = (Address(Name(base.name), offset), _operand(value))
        self._write(Instruction(opcode, tuple(modifiers), operands))

    def address_of(self, array: str) -> PtxRegister:
        """The address of an array of the kernel, in a register."""
        result = self.fresh("u64")
        self._write(Instruction("mov", ("u64",), (Name(result.name), Name(array))))
        return result

    def skip_unless(self, condition: PtxRegister) -> str:
        """A branch past what follows where the condition does not hold; gives the label."""
        label = self.fresh_label()
        self.branch(label, condition, negated=True)
        return label

    def branch(self, label: str, condition: PtxRegister, negated: bool = False) -> None:
        """A branch to a label where the condition holds."""
        guard = GuardPredicate(condition.name, negated)
        self._write(Instruction("bra", (), (Name(label),), guard))

    def fresh_label(self) -> str:
        self.labels += 1
        return f"$payoff_{self.labels - 1}"

    def label(self, name: str) -> None:
        self.lines.append(f"{name}:")

    def at(self, line: CodeLine) -> None:
        """What follows is at this line of the payoff's file."""
        if line != self._at:
            number = self.files.setdefault(line.file, self.first_file + len(self.files))
            self.lines.append(f"\t.loc\t{number} {line.line} 1")
            self._at = line

    def zone(self) -> list[str]:
        """The lines since the last zone."""
        lines, self.lines, self._at = self.lines, [], None
        return lines

    def _write(self, instruction: Instruction) -> None:
        self.lines.append(printed(instruction))


def printed(instruction: Instruction) -> str:
    """An instruction as PTX writes it."""
    guard = instruction.guard
    before = f"@{'!' * guard.negated}{guard.name} " if guard else ""
    operands = ", ".join(map(_printed, instruction.operands))
    return f"\t{before}{instruction.text} \t{operands};"


def _printed(operand: Operand) -> str:
    match operand:
        case Name(text):
            return text
        case Integer(value):
            return str(value)
        case Float(bits, 32):
            return f"0f{bits:08X}"
        case Vector(elements):
            return "{" + ", ".join(map(_printed, elements)) + "}"
        case Address(Name(base), offset):
            return f"[{base}+{offset}]" if offset else f"[{base}]"
        case _:
            raise AssemblerError(f"{operand} is not printed")


def _operand(operand: PtxOperand) -> Operand:
    if isinstance(operand, PtxRegister):
        return Name(operand.name)
    if isinstance(operand, float):
        return Float(struct.unpack("<I", struct.pack("<f", operand))[0], 32)
    return Integer(operand)


def _type(role: Role, form: Form) -> Type:
    """The type of an operand, by its role."""
    if role.type == "wide":
        return TYPES[f"{form.type.kind}{2 * form.type.bits}"]
    if role.type == "atype":
        return form.types[1]
    return TYPES[role.type] if role.type else form.type


def _check(text: str, role: Role, form: Form, operand: PtxOperand) -> None:
    """Raises AssemblerError for an operand of another type than the role's."""
    wanted = _type(role, form)
    if isinstance(operand, PtxRegister):
        fits = register_class(operand.type) == register_class(wanted)
    else:
        fits = isinstance(operand, float) == wanted.floating and wanted.kind != "p"
    if not fits:
        raise AssemblerError(f"{text}: operand {role.name} is {operand}, expected {wanted.name}")
