"""Operands and results of instructions: names are looked up, words converted to the type required.

A wider register is truncated on use; a narrower result is extended to its register as the manual
says ("Operand Size Exceeding Instruction-Type Size"). The conversions are synthetic instructions
around the original one.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from analyses.program import AddressOf, Constant, Effect, Operand, Region, Special, Value
from ptxlint.isa.row import TYPES, Form, Role, Type
from ptxlint.lowering.blocks import Drafts, form_of, move_of
from ptxlint.lowering.classes import clash
from ptxlint.lowering.names import Names, special
from ptxlint.syntax import ast
from ptxlint.syntax.initial_bytes import float_bits

SELECTED = re.compile(r"(.+)\.([bh][0-7]{1,4})$")


class LoweringError(Exception):
    """An error in a function: ``offset``, and what was expected there."""

    def __init__(self, offset: int, message: str) -> None:
        super().__init__(message)
        self.offset = offset


class Operands(Drafts):
    """Lowers operands in a scope. ``regions`` collects the memory that they mention."""

    def __init__(self, names: Names) -> None:
        super().__init__()
        self.scope = names
        self.regions: dict[Region, None] = {}
        self.used: int | None = None  # mask of the bytes that the next load's result is used in

    # --- results

    def results(
        self, targets: list[ast.Operand], kinds: list[Type], guard: Operand | None
    ) -> tuple[tuple[Value, ...], list[tuple[Value, Value, Type]]]:
        """The values that the instruction defines, and the registers that they are to be copied
        to."""
        defs: list[Value] = []
        fits: list[tuple[Value, Value, Type]] = []
        registers = [None if t == ast.Name("_") else self.register(t) for t in targets]
        for register, kind in zip(registers, kinds, strict=False):
            if register is None:
                defs.append(self.temporary(kind.bits))
                continue
            once = len(registers) == 1 or registers.count(register) == 1
            if register.width == kind.bits and guard is None and once:
                defs.append(register)
                continue
            result = self.temporary(kind.bits)
            defs.append(result)
            fits.append((register, result, kind))
        return tuple(defs), fits

    def finish(self, fits: list[tuple[Value, Value, Type]], guard: Operand | None) -> None:
        """Extends results to their registers and, under a guard, selects the old word elsewhere.

        A register that the instruction writes twice gets an arbitrary word: PTX does not say which
        result stays (ptxas 13.0 keeps the first of ``setp``, the last of ``mov`` and ``ld``)."""
        written = [register for register, _, _ in fits]
        twice = dict.fromkeys(each for each in written if written.count(each) > 1)
        for register in twice:
            self.emit(None, (register,), (), Effect.UNMODELLED, synthetic=True)
        for register, result, kind in fits:
            if register in twice:
                continue
            if register.width < kind.bits:
                raise LoweringError(
                    self.offset,
                    f"{register.name} has {register.width} bits, expected {kind.bits} or more",
                )
            if register.width > kind.bits:
                result = self.converted(result, kind.signed, register.width)
            selected = (result,) if guard is None else (result, register, guard)
            opcode = "mov" if guard is None else "selp"
            self.synthesize(move_of(opcode, register.width), register, *selected)

    def converted(self, word: Value, signed: bool, bits: int) -> Value:
        """The word, extended or truncated to ``bits``."""
        result = self.temporary(bits)
        source = Type("source", "s" if signed else "u", word.width)
        target = Type("target", source.kind, bits)
        self.synthesize(form_of("cvt", "u32", "u32").of(target, source), result, word)
        return result

    def address(self, address: ast.Address, space: str) -> Operand:
        match address.base:
            case ast.Name(text):
                found = self.scope.find(text)
                if isinstance(found, Value):
                    declared = TYPES.get(self.scope.types.get(found, ""))
                    if declared is not None and (declared.floating or declared.kind == "p"):
                        message = f"{text} has type .{declared.name}, and holds no address"
                        raise LoweringError(self.offset, message)
                    return found
                if isinstance(found, Region):
                    return AddressOf(self.region(found), 64, generic=space == "generic")
                raise self.undefined(text)
            case ast.Integer(value):
                return Constant(64, value % (1 << 64))
            case ast.Element(name, ast.Integer(index)):
                return self.address(ast.Address(ast.Name(name), index), space)
        raise LoweringError(self.offset, "address: expected a register, a variable or a constant")

    def region(self, found: Region) -> Region:
        """The region that a name stands for. Every array of open extent in shared memory begins at
        the first byte of dynamic shared memory: they are one region, named as the first of them."""
        if found.space == "shared" and found.size is None:
            dynamic = (r for r in self.regions if r.space == "shared" and r.size is None)
            found = next(dynamic, found)
        self.regions.setdefault(found)
        return found

    # --- operands

    def register(self, operand: ast.Operand) -> Value:
        if isinstance(operand, ast.Name):
            found = self.scope.find(operand.text)
            if isinstance(found, Value):
                return found
            raise self.undefined(operand.text)
        raise LoweringError(self.offset, "expected a register as the result")

    def agree(self, operand: ast.Operand, kind: Type, form: Form) -> None:
        """Raises LoweringError for a register that is declared with a type which the instruction
        does not take there."""
        if isinstance(operand, ast.Negated | ast.Minus):
            operand = operand.operand
        if type(operand) is not ast.Name:
            return
        found = self.scope.find(operand.text)
        declared = self.scope.types.get(found) if type(found) is Value else None
        if declared is not None and (wrong := clash(declared, kind, form)) is not None:
            raise LoweringError(self.offset, f"{form.row.opcode}: {operand.text} {wrong}")

    def undefined(self, name: str) -> LoweringError:
        what = "register" if name.startswith("%") else "name"
        return LoweringError(self.offset, f"{what} {name} is not declared")

    def predicate(self, guard: ast.GuardPredicate) -> Operand:
        found = self.scope.find(guard.name)
        if isinstance(found, Value) and found.width != 1:
            declared = self.scope.types.get(found, f"b{found.width}")
            message = f"the predicate {guard.name} has type .{declared}, expected .pred"
            raise LoweringError(self.offset, message)
        operand: ast.Operand = ast.Name(guard.name)
        return self.use(ast.Negated(ast.Name(guard.name)) if guard.negated else operand,
                        TYPES["pred"])  # fmt: skip

    def literal(self, operand: ast.Operand) -> int:
        if isinstance(operand, ast.Integer):
            return operand.value
        raise LoweringError(self.offset, "expected an integer constant")

    def use(self, operand: ast.Operand, kind: Type) -> Operand:
        """The operand as a word of the required type."""
        if type(operand) is ast.Name:
            found = self.scope.find(operand.text)
            if type(found) is Value and found.width == kind.bits:
                return found
        match operand:
            case ast.Name(text):
                return self.fitted(self.named(text, kind), kind)
            case ast.Integer(value):
                return Constant(kind.bits, value % (1 << kind.bits))
            case ast.Float():
                if kind.bits not in (32, 64):
                    wanted = f"a register or an integer constant of {kind.bits} bits"
                    raise LoweringError(self.offset, f"found a float constant, expected {wanted}")
                return Constant(kind.bits, float_bits(operand, kind.bits))
            case ast.Negated(inner):
                return self.computed(form_of("not", "pred"), self.use(inner, kind))
            case ast.Minus():
                raise LoweringError(self.offset, "this instruction does not negate its operands")
            case ast.SymbolOffset(name, offset, generic):
                return self.symbol(name, offset, generic, kind)
            case ast.Element():
                return self.symbol(operand.name, self.offset_of(operand), False, kind)
            case ast.Address(ast.Name(name), offset):  # prefetch and its like
                return self.named(name, kind)
        raise LoweringError(self.offset, "expected a register or a constant here")

    def named(self, text: str, kind: Type) -> Operand:
        found = self.scope.find(text)
        if isinstance(found, Value):
            return found
        if isinstance(found, Region):
            return AddressOf(self.region(found), kind.bits)
        machine = special(text)
        if machine is not None:
            return machine
        if text in self.scope.functions:
            return Special(f"code {text}", kind.bits)
        if self.scope.label(text):
            raise LoweringError(self.offset, f"label {text}: expected a register or a constant")
        raise self.undefined(text)

    def symbol(self, name: str, offset: int, generic: bool, kind: Type) -> Operand:
        base = self.named(name, kind)
        if isinstance(base, AddressOf):
            base = base._replace(generic=generic)
        if not offset:
            return base
        result = self.temporary(kind.bits)
        moved = Constant(kind.bits, offset % (1 << kind.bits))
        self.synthesize(form_of("add", "u64"), result, base, moved)
        return result

    def offset_of(self, element: ast.Element) -> int:
        """The bytes before an element of a variable, as ptxas counts them: the index times the size
        of the type, in an array of several dimensions too."""
        found = self.scope.find(element.name)
        size = self.scope.element_of(found) if isinstance(found, Region) else None
        if size is None:
            raise LoweringError(self.offset, f"{element.name}[...]: expected a variable")
        return size * self.literal(element.index)

    def fitted(self, word: Operand, kind: Type) -> Operand:
        if word.width == kind.bits or isinstance(word, AddressOf):
            return word
        if isinstance(word, Value):
            return self.converted(word, kind.signed, kind.bits)
        copied = self.temporary(word.width)
        self.synthesize(form_of("mov", "b32"), copied, word)
        return self.converted(copied, kind.signed, kind.bits)


def flattened(operand: ast.Operand) -> tuple[ast.Operand, ...]:
    if type(operand) is ast.Name:
        return (operand,)
    match operand:
        case ast.Vector(elements):
            return elements
        case ast.Pair(ast.Vector(elements), second):
            return (*elements, second)
        case ast.Pair(first, second):
            return (first, second)
    return (operand,)


def unselected(
    form: Form, operands: tuple[ast.Operand, ...], roles: Sequence[Role]
) -> tuple[tuple[ast.Operand, ...], Form]:
    """The operands without byte and half selectors (``%r1.b0``) and without a minus where one is
    allowed, and the form that has these."""
    bare: list[ast.Operand] = []
    selectors: list[str] = []
    negated: set[str] = set()
    for operand, role in zip(operands, roles, strict=True):
        if role.sign and isinstance(operand, ast.Minus):
            negated.add(role.name)
            operand = operand.operand
        found = SELECTED.match(operand.text) if isinstance(operand, ast.Name) else None
        if role.selector:
            selectors.append(found[2] if found else "")
        bare.append(ast.Name(found[1]) if found and role.selector else operand)
    return tuple(bare), form.selecting(tuple(selectors), frozenset(negated))


def part_of(kind: Type, parts: int) -> Type:
    """The type of one element of a packed word."""
    return Type(f"b{kind.bits // parts}", "b", kind.bits // parts)
