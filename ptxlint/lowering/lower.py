"""Lowering: from the syntax tree to blocks of instructions, with names, guards and edges resolved.

Guards are lowered here and nowhere else. Under ``@p`` an instruction that only computes runs for
all lanes, and a select keeps the old word where p is false; an access gets p as its mask; a
convergent instruction (barriers, shuffles, calls, exits) gets a block of its own, entered by a
branch on p.

``operands`` lowers operands and results, ``transfers`` accesses to memory.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache
from itertools import count
from typing import NamedTuple

from msgspec import Struct

from analyses.domains.uniformity import Uniform, Uniformities
from analyses.program import (
    ANYWHERE,
    Access,
    AddressOf,
    Completion,
    Effect,
    OpaqueAccess,
    Operand,
    Region,
    Value,
)
from ptxlint.ir import PtxInstr
from ptxlint.isa.row import TYPES, Form, Role, Type
from ptxlint.isa.table import decode
from ptxlint.lowering.blocks import EXIT
from ptxlint.lowering.bulk import repeats
from ptxlint.lowering.fragments import FragmentTransfers
from ptxlint.lowering.names import Names, region_of
from ptxlint.lowering.operands import LoweringError, flattened, part_of, unselected
from ptxlint.lowering.transfers import ACCESSING, filled, masked, space_of, used_bytes
from ptxlint.syntax import ast

NEEDS_ALL_LANES = (
    Effect.BARRIER | Effect.ARRIVE | Effect.CONVERGENT | Effect.CALL | Effect.TRAP | Effect.EXIT
)
WIDEST = 16  # bytes: the greatest alignment that is assumed of an unmodelled access
RUNTIME = {
    "vprintf": ANYWHERE[:1],
    "__assertfail": ANYWHERE[:1],
    "malloc": (),
    "free": (),
}
"""What functions of the device runtime do to the program's memory: they read their arguments (CUDA
C++ Programming Guide, "Formatted Output", "Assertion", "Dynamic Global Memory Allocation")."""
NO_RETURN = frozenset({"__assertfail"})
LEVELS = Uniformities({})  # the cheapest algebra, to ask a meaning what it takes


class Handling(NamedTuple):
    """How the instructions of a form are lowered: ``sort`` names the method, ``apart`` gives a
    guarded one its own block, ``traps`` ends the thread."""

    sort: str
    apart: bool
    traps: bool


@cache
def handling_of(form: Form | None) -> Handling:
    effects = form.row.effects if form is not None else Effect.UNMODELLED
    apart, traps = bool(effects & NEEDS_ALL_LANES) or repeats(form), bool(effects & Effect.TRAP)
    if effects & Effect.BRANCH:
        return Handling("branch", False, False)
    if effects & Effect.EXIT:
        return Handling("exit", apart, traps)
    if effects & Effect.CALL:
        return Handling("call", apart, traps)
    if form is None or not form.row.modelled:
        return Handling("unmodelled", apart, traps)
    if repeats(form):
        return Handling("bulk", apart, traps)
    addressed = any(role.address for role in form.row.roles)
    moves = addressed and effects & (Effect.LOAD | Effect.STORE | Effect.ATOMIC)
    if moves and form.row.opcode == "wmma":
        return Handling("fragment", apart, traps)
    return Handling("memory" if moves else "ordinary", apart, traps)


class CallSite(Struct, frozen=True):
    """``call (results), target, (arguments)``; an indirect one calls a register."""

    target: str
    results: tuple[ast.Operand, ...]
    arguments: tuple[ast.Operand, ...]

    @staticmethod
    def of(node: ast.Instruction) -> CallSite:
        lists = [op.elements for op in node.operands if isinstance(op, ast.Arguments)]
        if not isinstance(next(iter(node.operands), None), ast.Arguments):
            lists.insert(0, ())
        target = next((op.text for op in node.operands if isinstance(op, ast.Name)), "")
        results, arguments = (*lists, (), ())[:2]
        return CallSite(target, results, arguments)


class Lowering(FragmentTransfers):
    """Lowers one function body to blocks."""

    def __init__(self, names: Names) -> None:
        super().__init__(names)
        self.tables: dict[str, tuple[str, ...]] = {}
        self.carry = Value("%cc", 1)
        self.known: dict[tuple[object, ...], bool] = {}  # results of ``meaningful``
        self.declared: dict[Region, object] = {}  # where each variable of the function was declared
        self.errors: list[LoweringError] = []  # of statements that were left out
        self.least_align = 1  # bytes, of an array of shared memory

    # --- statements

    def scope_of(self, body: ast.Scope) -> None:
        """An error ends its statement only; the next statements are lowered too."""
        outer, self.scope = self.scope, Names(self.scope)
        self._declare_labels(body)
        for statement in body.statements:
            try:
                self.statement(statement)
            except LoweringError as error:
                self.errors.append(error)
        self.scope = outer

    def _declare_labels(self, body: ast.Scope) -> None:
        """Labels are visible in their whole scope, also before their position."""
        for statement in body.statements:
            if isinstance(statement, ast.Label):
                if statement.name in self.scope.labels:
                    twice = f"label {statement.name} defined twice"
                    self.errors.append(LoweringError(statement.offset, twice))
                self.scope.labels[statement.name] = self.new_label(statement.name)
            elif isinstance(statement, ast.Targets):
                self.tables[statement.label] = statement.names

    def statement(self, statement: ast.Statement) -> None:
        match statement:
            case ast.Instruction():
                self.instruction(statement)
                self.used = None
            case ast.Loc():
                self.loc = self.located(statement)
            case ast.Pragma():
                self.used = used_bytes(statement)
            case ast.Label():
                self.place(self.scope.labels[statement.name])
            case ast.Scope():
                self.scope_of(statement)
            case ast.Variable():
                self.variable(statement)
            case _:  # call tables and prototypes: nothing to run
                pass

    def located(self, loc: ast.Loc) -> ast.Loc:
        return loc

    def variable(self, variable: ast.Variable) -> None:
        for declarator in variable.declarators:
            if wrong := self.scope.mistake(variable, declarator):
                raise LoweringError(variable.offset, wrong)
        if variable.space == "reg":
            self.scope.declare_registers(variable)
            return
        for declarator in variable.declarators:
            region = region_of(variable, declarator)
            if region.space == "shared":
                region = region._replace(align=max(region.align, self.least_align))
            names = [declarator.name]
            if declarator.count is not None:  # .param .b32 p<3>
                names = [f"{declarator.name}{i}" for i in range(declarator.count)]
            for name in names:
                own = self.own(region._replace(name=name), variable.offset)
                self.scope.declare_variable(variable, name, own)

    def own(self, region: Region, declared_at: object) -> Region:
        """The region of one declaration; a variable of another scope is another region."""
        name = region.name
        for copy in count(1):
            if self.declared.setdefault(region, declared_at) == declared_at:
                break
            region = region._replace(name=f"{name}.{copy}")
        return region

    # --- instructions

    def instruction(self, node: ast.Instruction) -> None:
        self.node = node
        form = decode(node.opcode, node.modifiers)
        guard = self.predicate(node.guard) if node.guard is not None else None
        handling = handling_of(form)
        if guard is not None and handling.apart:
            after = self.new_label("after")
            self.end_block([len(self.drafts), after], guard)
            self._unguarded(node, form, handling, None)
            self.place(after)
            return
        self._unguarded(node, form, handling, guard)

    def _unguarded(
        self, node: ast.Instruction, form: Form | None, handling: Handling, guard: Operand | None
    ) -> None:
        match handling.sort:
            case "branch":
                self.branch(node, form, guard)
            case "exit":
                self.leave(node)
            case "call":
                self.call(node, form)
            case "bulk" if form is not None:
                self.bulk(node, form)
            case "fragment" if form is not None:
                self.fragment(node, form)
            case "memory" if form is not None:
                self.memory(node, form, guard)
            case "ordinary" if form is not None:
                self.ordinary(node, form, guard)
            case _:
                self.unmodelled(node, form, guard)
        if handling.traps:
            self.end_block([EXIT])

    def branch(self, node: ast.Instruction, form: Form | None, guard: Operand | None) -> None:
        uniform = "uni" in node.modifiers
        after = len(self.drafts)
        names = [operand.text for operand in node.operands if isinstance(operand, ast.Name)]
        if node.opcode == "brx":
            if len(names) != 2 or names[1] not in self.tables:
                raise LoweringError(node.offset, "brx.idx: expected an index and .branchtargets")
            if guard is not None:
                self.end_block([after, after + 1], guard, uniform)
            index = self.use(node.operands[0], TYPES["u32"])
            targets: list[str | int] = [self.target(t) for t in self.tables[names[1]]]
            self.end_block(targets, index, uniform)
            return
        if len(names) != 1:
            raise LoweringError(node.offset, "bra: expected one label")
        target = self.target(names[0])
        self.end_block([target] if guard is None else [target, after], guard, uniform)

    def target(self, name: str) -> str:
        label = self.scope.label(name)
        if label is None:
            raise LoweringError(self.offset, f"label {name} is not defined in this function")
        return label

    def ordinary(self, node: ast.Instruction, form: Form, guard: Operand | None) -> None:
        """An instruction without memory or control effects: results by the roles of its row."""
        roles = self.matched(node, form)
        operands = node.operands
        if form.selectors:
            operands, form = unselected(form, operands, roles)
        targets: list[ast.Operand] = []
        kinds: list[Type] = []
        uses: list[Operand] = []
        literals: list[int] = []
        for op, role in zip(operands, roles, strict=False):
            if role.result:
                parts, kind = flattened(op), form.role_type(role)
                targets += parts
                own = [kind] if len(parts) == 1 else self.result_types(op, role, kind)
                if role.type != "words":
                    for part, one in zip(parts, own, strict=True):
                        self.agree(part, one, form)
                kinds += own
            elif role.type == "int":
                literals.append(self.literal(op))
            else:
                self.argument(node, form, op, role, uses)
        if form.row.carry_in:
            uses.append(self.carry)
        if len(targets) > 1:
            form = form.vector(len(targets))
        defs, fits = self.results(targets, kinds, guard)
        if form.row.carry_out:
            defs = (*defs, self.carry)
        instr = PtxInstr(
            node.text, form, defs, tuple(uses), form.row.effects, None, tuple(literals),
            node.offset, self.loc, False, guard,
        )  # fmt: skip
        self.put(instr)
        if not self.meaningful(instr):
            raise LoweringError(node.offset, f"{node.text}: expected other operands")
        self.finish(fits, guard)

    def argument(
        self, node: ast.Instruction, form: Form, op: ast.Operand, role: Role, uses: list[Operand]
    ) -> None:
        """The uses of an operand."""
        kind = form.role_type(role) if form.types or role.type else TYPES["b32"]
        parts = flattened(op)
        if len(parts) > 1 and role.type != "words":
            if node.opcode != "mov" and form.row.sem is not None:
                raise LoweringError(node.offset, f"{node.text}: expected no vector here")
            kind = part_of(kind, len(parts))
        for part in parts:
            if (form.types or role.type) and role.type != "words":
                self.agree(part, kind, form)
            uses.append(self.use(part, kind))

    def meaningful(self, instr: PtxInstr) -> bool:
        """True if the row's meaning takes and gives as many words as are written."""
        widths = tuple([use.width for use in instr.uses])
        key = instr.form, widths, len(instr.defs), instr.literals
        known = self.known.get(key)
        if known is None:
            try:
                found = instr.evaluate(LEVELS, [LEVELS.const(width, 0) for width in widths])
                fits = len(found) == len(instr.defs)
                known = fits and all(isinstance(word, Uniform) for word in found)
            except (TypeError, ValueError, LookupError, AttributeError):
                known = False
            self.known[key] = known
        return known

    @staticmethod
    def result_types(op: ast.Operand, role: Role, kind: Type) -> list[Type]:
        """The types of the parts of a result."""
        match op:
            case ast.Pair():
                return [kind, TYPES["pred"]]
            case ast.Vector(elements) if role.type == "words":
                return [kind] * len(elements)
            case ast.Vector(elements):
                return [part_of(kind, len(elements))] * len(elements)
        return [kind]

    def leave(self, node: ast.Instruction) -> None:
        """The thread exits, or the function returns."""
        self.end_block([EXIT])

    def call(self, node: ast.Instruction, form: Form | None) -> None:
        """A call that is not inlined: its result is unknown, and so are its effects unless the
        device runtime has the function."""
        called = CallSite.of(node)
        uses: list[Operand] = [*self.values_in(called.arguments)]
        uses += self.regions_in((*called.results, *called.arguments))
        effects, opaque = Effect.CALL | Effect.UNMODELLED, RUNTIME.get(called.target, ANYWHERE)
        self.emit(form, self.values_in(called.results), tuple(uses), effects, opaque=opaque)

    def unmodelled(self, node: ast.Instruction, form: Form | None, guard: Operand | None) -> None:
        """An instruction without a meaning. Its row says which operands are results and what it
        does to memory: an access each where an operand is the address, an opaque access elsewhere.
        Without a row the first operand becomes unknown, as results come first in PTX, and memory
        everywhere."""
        results = 1 if form is None else sum(role.result for role in form.row.roles)
        if node.operands and isinstance(node.operands[0], ast.Address):
            results = 0
        defs = self.values_in(part for op in node.operands[:results] for part in mentioned(op))
        used = [part for op in node.operands[results:] for part in mentioned(op)]
        uses: tuple[Operand, ...] = (*self.values_in(used), *self.regions_in(used))
        effects = Effect.UNMODELLED if form is None else form.row.effects
        opaque, accesses = self.memory_effects(node, form, guard)
        self.emit(form, defs, uses, effects, opaque=opaque)
        for access in accesses:
            operands = masked([access.base], guard)
            self.emit(form, (), operands, ACCESSING[access.kind], access)

    def memory_effects(
        self, node: ast.Instruction, form: Form | None, guard: Operand | None
    ) -> tuple[tuple[OpaqueAccess, ...], list[Access]]:
        if form is None:
            return ANYWHERE, []
        roles = filled(form.row, len(node.operands)) or ()
        places = {
            role.name: operand
            for operand, role in zip(node.operands, roles, strict=False)
            if isinstance(operand, ast.Address)
        }
        opaque: list[OpaqueAccess] = []
        accesses: list[Access] = []
        for effect in form.row.memory:
            space, place = effect.space or space_of(form), places.get(effect.operand)
            if place is None or not effect.bytes:
                opaque.append(OpaqueAccess(effect.kind, space, inside=place is not None))
                continue
            base, size = self.address(place, space), effect.bytes
            align = min(size, WIDEST)
            access = Access(effect.kind, space, base, place.offset, size, guard, None, align)
            accesses.append(access._replace(completion=Completion.ELSEWHERE))
        return tuple(opaque), accesses

    def values_in(self, operands: Iterable[ast.Operand]) -> tuple[Value, ...]:
        names = [operand.text for operand in operands if isinstance(operand, ast.Name)]
        return tuple(v for name in names if isinstance(v := self.scope.find(name), Value))

    def regions_in(self, operands: Iterable[ast.Operand]) -> tuple[AddressOf, ...]:
        names = [operand.text for operand in operands if isinstance(operand, ast.Name)]
        found = [region for name in names if isinstance(region := self.scope.find(name), Region)]
        return tuple(AddressOf(self.region(region), 64) for region in found)


def mentioned(operand: ast.Operand) -> Iterator[ast.Operand]:
    """The operands inside an operand: elements of a vector, base and coordinates of an address."""
    match operand:
        case ast.Address(base, _, rest):
            for part in (base, *rest):
                yield from mentioned(part)
        case ast.Negated(inner) | ast.Minus(inner):
            yield inner
        case ast.Vector() | ast.Pair():
            yield from flattened(operand)
        case _:
            yield operand
