"""Inlining: the body of a device function is lowered at each call.

So the interpreter and all analyses see one function without calls, and know the arguments. Each
copy keeps its ``.loc``, with the call as ``inlined_at``. A call stays unmodelled, with the reason,
if the function is only declared (``vprintf``), is called through a register, is recursive (beyond a
few levels in a run, any level in an analysis), or exceeds the budget.

Parameters in param space are passed by giving the callee the caller's variable: a function cannot
write its inputs, nor read its results. ``mem2reg`` then turns these variables into registers.
"""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct
from msgspec.structs import replace

from analyses.budget import CALL_DEPTH, INLINED_INSTRUCTIONS
from analyses.program import Access, AccessKind, AddressOf, Effect, Operand, Region, Value
from ptxlint.ir import PtxInstr
from ptxlint.isa.row import TYPES, Form, Type
from ptxlint.lowering.blocks import EXIT, form_of, move_of
from ptxlint.lowering.lower import NO_RETURN, CallSite, Lowering
from ptxlint.lowering.names import Meaning, Names, size_in_bytes
from ptxlint.lowering.operands import LoweringError
from ptxlint.syntax import ast

"""Of all copies in one kernel: some seconds of analysis."""


class Frame(Struct, frozen=True):
    """One inlined call: the function, the label after it, and its location."""

    function: ast.Function
    back: str
    loc: ast.Loc | None


class Inlining(Lowering):
    """Lowers a kernel and the functions that it calls. ``module`` has the module's names;
    ``recursion`` is the number of levels to which recursive calls are inlined."""

    def __init__(
        self,
        names: Names,
        module: Names,
        functions: Mapping[str, ast.Function],
        recursion: int = 0,
    ) -> None:
        super().__init__(names)
        self.recursion = recursion
        self.module = module
        self.functions = functions
        self.frames: list[Frame] = []
        self.calls: dict[tuple[str | None, str], None] = {}  # the entry has no name here
        self.copied = 0

    def located(self, loc: ast.Loc) -> ast.Loc:
        if self.frames and loc.inlined_at is None:
            frame = self.frames[-1]
            if (at := frame.loc) is not None:
                call = ast.InlinedAt(at.file, at.line, at.column, frame.function.name)
                return replace(loc, inlined_at=call)
        return loc

    def leave(self, node: ast.Instruction) -> None:
        returns = self.frames and node.opcode == "ret"
        self.end_block([self.frames[-1].back if returns else EXIT])

    def call(self, node: ast.Instruction, form: Form | None) -> None:
        called = CallSite.of(node)
        caller = self.frames[-1].function.name if self.frames else None
        self.calls.setdefault((caller, called.target))
        function = self.functions.get(called.target)
        reason = self.refusal(called, function)
        if function is None or reason is not None:
            super().call(node, form)
            self.current.instrs[-1].text += f" {called.target}{reason}"
            if called.target in NO_RETURN:
                self.end_block([EXIT])
            return
        formals = (len(function.parameters), len(function.returns))
        if (len(called.arguments), len(called.results)) != formals:
            raise LoweringError(
                node.offset, f"call of {function.name}: expected {formals[0]} arguments and"
                f" {formals[1]} results, found {len(called.arguments)} and {len(called.results)}"
            )  # fmt: skip
        self.follow(called, function)

    def refusal(self, called: CallSite, function: ast.Function | None) -> str | None:
        """The reason why a call is not inlined, or None; also None for a function without a
        body."""
        if isinstance(self.scope.find(called.target), Value):
            return " (indirect)"
        if function is None or function.body is None:
            return ""
        if self.level(function) > self.recursion:
            return f" (recursive, {self.recursion} deep)" if self.recursion else " (recursive)"
        if any(self.variable_of(op) for op in called.results if op in called.arguments):
            return " (returns into its argument)"
        size = instructions(function.body)
        if len(self.frames) == CALL_DEPTH or self.copied + size > INLINED_INSTRUCTIONS:
            return " (too much to inline)"
        self.copied += size
        return None

    def level(self, function: ast.Function) -> int:
        return sum(frame.function is function for frame in self.frames)

    def own(self, region: Region, declared_at: object) -> Region:
        """A recursive function has its own variables at each level."""
        level = self.level(self.frames[-1].function) if self.frames else 0
        return super().own(region, (declared_at, max(level, 1)))

    def follow(self, called: CallSite, function: ast.Function) -> None:
        assert function.body is not None
        scope = Names(self.module)
        for formal, actual in zip(function.parameters, called.arguments, strict=True):
            scope.declare(formal.name, self.passed(formal, actual))
        returned: list[tuple[ast.Parameter, ast.Operand, Meaning]] = []
        for formal, actual in zip(function.returns, called.results, strict=True):
            place = self.place_for(formal, actual)
            scope.declare(formal.name, place)
            returned.append((formal, actual, place))
        frame = Frame(function, self.new_label(function.name), self.loc)
        caller = self.scope, self.tables
        self.scope, self.tables = scope, {}
        self.frames.append(frame)
        self.scope_of(function.body)
        self.place(frame.back)
        self.frames.pop()
        self.scope, self.tables = caller
        self.loc = frame.loc
        for formal, actual, place in returned:
            self.fetch(formal, actual, place)

    # --- parameters

    def variable_of(self, operand: ast.Operand) -> Region | None:
        found = self.scope.find(operand.text) if isinstance(operand, ast.Name) else None
        return found if isinstance(found, Region) else None

    def passed(self, formal: ast.Parameter, actual: ast.Operand) -> Meaning:
        """The caller's operand for a formal parameter."""
        region = self.variable_of(actual)
        if formal.space != "reg" and region is not None and region.space == "param":
            self.regions.setdefault(region)
            return region
        place = self.place_for(formal, actual)
        kind = self.type_of(formal)
        if isinstance(place, Value):
            word = self.use(actual, kind) if region is None else self.load(region, kind)
            self.copy(place, word)
        else:
            self.access("store", place, kind, (), (self.use(actual, kind),))
        return place

    def place_for(self, formal: ast.Parameter, actual: ast.Operand) -> Meaning:
        """A register, or a variable in param space: the caller's own if there is one."""
        if formal.space == "reg":
            return Value(formal.name, self.type_of(formal).bits)
        region = self.variable_of(actual)
        if region is None:
            size = size_in_bytes(formal.type, formal.vector, formal.shape)
            made = Region("param", formal.name, size, formal.align or min(size or 8, 8))
            region = self.own(made, formal.offset)
        self.regions.setdefault(region)
        return region

    def fetch(self, formal: ast.Parameter, actual: ast.Operand, place: Meaning) -> None:
        """Copies a result to the caller's destination, unless it is there already."""
        kind, target = self.type_of(formal), self.variable_of(actual)
        if place == target:
            return
        word: Operand = place if isinstance(place, Value) else self.load(place, kind)
        if target is not None:
            self.access("store", target, kind, (), (word,))
            return
        defs, fits = self.results([actual], [kind], None)
        self.copy(defs[0], word)
        self.finish(fits, None)

    def type_of(self, formal: ast.Parameter) -> Type:
        if formal.type not in TYPES:
            raise LoweringError(formal.offset, f"{formal.name}: .{formal.type} is no type")
        return TYPES[formal.type]

    def load(self, region: Region, kind: Type) -> Value:
        word = self.temporary(kind.bits)
        self.access("load", region, kind, (word,), ())
        return word

    def copy(self, target: Value, word: Operand) -> None:
        self.synthesize(move_of("mov", target.width), target, word)

    def access(
        self,
        kind: AccessKind,
        region: Region,
        type_: Type,
        defs: tuple[Value, ...],
        data: tuple[Operand, ...],
    ) -> None:
        opcode, effect = ("ld", Effect.LOAD) if kind == "load" else ("st", Effect.STORE)
        base = AddressOf(region, 64)
        access = Access(kind, "param", base, 0, type_.bits // 8)
        form = form_of(opcode, "param", f"b{type_.bits}")
        self.put(
            PtxInstr(f"{opcode}.param", form, defs, (base, *data), effect, access, (),
                  self.offset, self.loc)
        )  # fmt: skip


def instructions(body: ast.Scope) -> int:
    """The number of instructions in a body, including inner scopes."""
    return sum(
        instructions(statement) if isinstance(statement, ast.Scope) else 1
        for statement in body.statements
        if isinstance(statement, ast.Scope | ast.Instruction)
    )
