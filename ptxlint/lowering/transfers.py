"""Instructions that access memory.

An instruction has one access. One with two, or one that computes between memory and registers, is
split into several, all with the text of the original:

- ``cp.async`` loads a word and stores it; its row's ``sem`` computes the stored word.
- ``ldmatrix`` loads a row of 16 bytes in each lane with an address, then distributes the rows.
- ``stmatrix`` collects such rows, then stores them.
- An ``mbarrier`` is initialised and stored, or loaded and tested; updates are atomics.

A ``cp.async`` loads as many bytes as its source size says: none if that is 0 or the source is
ignored.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from math import gcd

from analyses.program import (
    Access,
    AccessKind,
    Completion,
    Constant,
    Effect,
    Operand,
    Special,
    Value,
)
from ptxlint.isa.matrix import ROW_BYTES, TIMES
from ptxlint.isa.row import TYPES, Form, Role, Row
from ptxlint.lowering.blocks import form_of
from ptxlint.lowering.operands import LoweringError, Operands, flattened
from ptxlint.syntax import ast

SPACES = ("global", "shared", "local", "const", "param")
ACCESSING = {"load": Effect.LOAD, "store": Effect.STORE, "atomic": Effect.ATOMIC}
MOVING = frozenset({"ld", "ldu", "st", "atom", "red"})
"""Instructions whose data are of their type, all of them; a count of ``mbarrier`` is not."""
MATRIX_ROWS = 8
GROUP = Completion.GROUP


class Transfers(Operands):
    """Lowers accesses to memory."""

    def memory(self, node: ast.Instruction, form: Form, guard: Operand | None) -> None:
        moves = form.row.effects & (Effect.LOAD | Effect.STORE)
        if form.row.sem is None or not moves:
            self.single(node, form, guard)
        elif moves == Effect.LOAD | Effect.STORE:
            self.copy_across(node, form, guard)
        elif form.row.opcode == "mbarrier":
            (self.ask if moves == Effect.LOAD else self.begin)(node, form, guard)
        else:
            (self.spread if moves == Effect.LOAD else self.collect)(node, form)

    def matched(self, node: ast.Instruction, form: Form) -> Sequence[Role]:
        """The roles of the operands."""
        roles = filled(form.row, len(node.operands))
        if roles is None:
            least, most = sum(not role.optional for role in form.row.roles), len(form.row.roles)
            wanted = str(least) if least == most else f"{least} to {most}"
            raise LoweringError(
                node.offset, f"{node.text}: expected {wanted} operands, found {len(node.operands)}"
            )
        return roles

    def places(self, node: ast.Instruction, roles: Sequence[Role]) -> list[ast.Address]:
        """The addresses, in the order of the pattern."""
        found = []
        for operand, role in zip(node.operands, roles, strict=True):
            if role.address and isinstance(operand, ast.Element):  # ld.const.u32 %r1, t[2];
                operand = ast.Address(ast.Name(operand.name), self.offset_of(operand))
            if role.address and not isinstance(operand, ast.Address):
                raise LoweringError(node.offset, f"{node.text}: expected an address in brackets")
            if role.address and isinstance(operand, ast.Address):
                found.append(operand)
        return found

    def single(self, node: ast.Instruction, form: Form, guard: Operand | None) -> None:
        """One load, store or atomic of the instruction's type, or of a vector of it. Then an
        asynchronous one completes on its barrier object."""
        roles = self.matched(node, form)
        address, *objects = self.places(node, roles)
        targets: list[ast.Operand] = []
        data: list[ast.Operand] = []
        kind, space, vector = moving(form)
        for operand, role in zip(node.operands, roles, strict=True):
            if role.name == "policy" and not form.has("L2::cache_hint"):
                message = f"{node.text}: a cache policy needs .L2::cache_hint"
                raise LoweringError(node.offset, message)
            if not role.address and role.name != "policy":
                parts = flattened(operand)
                if len(parts) != vector:
                    raise LoweringError(node.offset, f"{node.text}: expected {vector} elements")
                for part in parts if form.row.opcode in MOVING else ():
                    self.agree(part, form.type, form)
                (targets if role.result else data).extend(parts)
        base = self.address(address, space)
        uses = [base, *[self.use(part, form.type) for part in data]]
        size = form.type.bits // 8 * vector
        used = self.used_of(size) if kind == "load" else None
        access = Access(kind, space, base, address.offset, size, guard, used, cta=form.has("cta"))
        if form.has("async") and form.row.opcode != "cp":
            access = access._replace(completion=Completion.ELSEWHERE)
        defs, fits = self.results(targets, [form.type] * len(targets), guard)
        self.emit(form, defs, masked(uses, guard), form.row.effects, access)
        for place in objects:
            self.complete(place, Constant(64, size), space, guard)
        self.finish(fits, guard)

    def complete(
        self, place: ast.Address, size: Operand, space: str, guard: Operand | None = None
    ) -> None:
        """Completes a transaction of so many bytes on a barrier object."""
        form = form_of("mbarrier", "complete_tx", "shared", "b64")
        base = self.address(place, space)
        access = Access("atomic", space, base, place.offset, TYPES["b64"].bits // 8, guard)
        self.emit(form, (), masked([base, size], guard), Effect.ATOMIC, access)

    def used_of(self, size: int) -> int | None:
        """The number of used bytes according to the pragma before this instruction."""
        return None if self.used is None else (self.used & ((1 << size) - 1)).bit_count()

    # --- two instructions of one

    def spread(self, node: ast.Instruction, form: Form) -> None:
        """Loads rows of a matrix, then distributes them over the lanes."""
        (address,) = self.places(node, self.matched(node, form))
        targets = list(flattened(node.operands[0]))
        base, mask = self.address(address, "shared"), self.row_lanes(form)
        line = self.temporary(8 * ROW_BYTES)
        access = Access("load", space_of(form), base, address.offset, ROW_BYTES, mask)
        self.emit(form, (line,), masked([base], mask), form.row.effects, access)
        defs, fits = self.results(targets, [TYPES["b32"]] * len(targets), None)
        self.between(form.vector(len(targets)), defs, (line,), Effect.LOAD)
        self.finish(fits, None)

    def collect(self, node: ast.Instruction, form: Form) -> None:
        """Collects rows from all lanes, then stores them."""
        (address,) = self.places(node, self.matched(node, form))
        words = [self.use(part, TYPES["b32"]) for part in flattened(node.operands[1])]
        base, mask = self.address(address, "shared"), self.row_lanes(form)
        line = self.temporary(8 * ROW_BYTES)
        self.between(form, (line,), tuple(words), Effect.STORE)
        access = Access("store", space_of(form), base, address.offset, ROW_BYTES, mask)
        self.emit(form, (), masked([base, line], mask), form.row.effects, access)

    def copy_across(self, node: ast.Instruction, form: Form, guard: Operand | None) -> None:
        """A load from global memory and a store to shared memory."""
        operands = node.operands[:-1] if form.has("L2::cache_hint") else node.operands
        target, source = self.places(node, self.matched(node, form))
        size = self.literal(operands[2]) if len(operands) > 2 else 0
        if size not in (4, 8, 16):
            raise LoweringError(node.offset, f"{node.text}: expected a size of 4, 8 or 16 bytes")
        word = self.temporary(8 * size)
        taken, length = guard, None
        given: list[Operand] = []
        if len(operands) > 3 and isinstance(operands[3], ast.Integer):
            if operands[3].value < size:
                self.copy_filled(node, form, guard, operands[3].value, size)
                return
        elif len(operands) > 3:
            given, taken = self.limit(operands[3])
            length = next((word for word in given if word.width > 1), None)
            if guard is not None:
                taken = self.computed(form_of("and", "pred"), taken, guard)
        base = self.address(source, "global")
        access = Access(
            "load", "global", base, source.offset, size, taken, length=length, completion=GROUP
        )
        used = [base] if length is None else [base, length]
        self.emit(form, (word,), masked(used, taken), Effect.LOAD, access)
        if given:
            arriving = self.temporary(8 * size)
            self.between(form, (arriving,), (word, *given), form.row.effects)
            word = arriving
        base = self.address(target, "shared")
        access = Access("store", "shared", base, target.offset, size, guard, completion=GROUP)
        self.emit(form, (), masked([base, word], guard), Effect.STORE, access)

    def copy_filled(
        self, node: ast.Instruction, form: Form, guard: Operand | None, read: int, size: int
    ) -> None:
        """A load of so many bytes, and a store of these and zeros: vectors of the widest word."""
        if read < 0:
            raise LoweringError(node.offset, f"{node.text}: expected 0 to {size} bytes to read")
        target, source = self.places(node, self.matched(node, form))
        width = gcd(read, size, 8)
        words = tuple(self.temporary(8 * width) for _ in range(read // width))
        if words:
            base = self.address(source, "global")
            access = Access(
                "load",
                "global",
                base,
                source.offset,
                read,
                guard,
                alignment=size,
                completion=GROUP,
            )
            self.emit(form, words, masked([base], guard), Effect.LOAD, access)
        zeros = [Constant(8 * width, 0)] * (size // width - len(words))
        base = self.address(target, "shared")
        access = Access("store", "shared", base, target.offset, size, guard, completion=GROUP)
        self.emit(form, (), masked([base, *words, *zeros], guard), Effect.STORE, access)

    def limit(self, operand: ast.Operand) -> tuple[list[Operand], Operand]:
        """The size of the source, and a predicate that is true if it is not ignored."""
        inner = operand.operand if isinstance(operand, ast.Negated) else operand
        found = self.scope.find(inner.text) if isinstance(inner, ast.Name) else None
        if isinstance(found, Value) and found.width == 1:
            ignored = self.use(operand, TYPES["pred"])
            return [ignored], self.computed(form_of("not", "pred"), ignored)
        size = self.use(operand, TYPES["u32"])
        return [size], self.computed(form_of("setp", "ne", "u32"), size, Constant(32, 0))

    def ask(self, node: ast.Instruction, form: Form, guard: Operand | None) -> None:
        """Loads a barrier object, then tests whether a phase is complete."""
        roles = self.matched(node, form)
        (address,) = self.places(node, roles)
        space = space_of(form)
        base, word = self.address(address, space), self.temporary(form.type.bits)
        access = Access("load", space, base, address.offset, form.type.bits // 8, guard)
        self.emit(form, (word,), masked([base], guard), Effect.LOAD, access)
        operands = [(op, form.role_type(role)) for op, role in
                    zip(node.operands, roles, strict=True) if not role.address]  # fmt: skip
        uses = [self.use(op, kind) for op, kind in operands[1:]]
        defs, fits = self.results([operands[0][0]], [TYPES["pred"]], guard)
        self.between(form, defs, (word, *uses), Effect.LOAD)
        self.finish(fits, guard)

    def begin(self, node: ast.Instruction, form: Form, guard: Operand | None) -> None:
        """Initialises a barrier object, then stores it."""
        (address,) = self.places(node, self.matched(node, form))
        space = space_of(form)
        base, word = self.address(address, space), self.temporary(form.type.bits)
        counts = tuple(self.use(op, TYPES["u32"]) for op in node.operands[1:])
        self.between(form, (word,), counts, Effect.STORE)
        access = Access("store", space, base, address.offset, form.type.bits // 8, guard)
        self.emit(form, (), masked([base, word], guard), Effect.STORE, access)

    def row_lanes(self, form: Form) -> Operand | None:
        """The predicate of the lanes that give the address of a row; None for all."""
        rows = MATRIX_ROWS * next(TIMES[word] for word in TIMES if form.has(word))
        if rows == 32:
            return None
        lane = Special("laneid", 32)
        return self.computed(form_of("setp", "lt", "u32"), lane, Constant(32, rows))

    def between(
        self,
        form: Form,
        defs: tuple[Value, ...],
        uses: tuple[Operand, ...],
        accessing: Effect,
    ) -> None:
        """The computation of an instruction, without its accesses."""
        self.emit(form, defs, uses, form.row.effects & ~accessing, synthetic=True)


def used_bytes(pragma: ast.Pragma) -> int | None:
    """The mask of ``used_bytes_mask``: a bit for each used byte of the next load."""
    for string in pragma.strings:
        name, _, mask = string.strip().partition(" ")
        if name == "used_bytes_mask":
            try:
                return int(mask, 0) % (1 << 32)
            except ValueError:
                expected = f"expected a number after used_bytes_mask, found {mask!r}"
                raise LoweringError(pragma.offset, expected) from None
    return None


@cache
def filled(row: Row, count: int) -> tuple[Role, ...] | None:
    """The roles of so many operands, optional ones from the left; None if they do not fit."""
    given = count - sum(not role.optional for role in row.roles)
    if not 0 <= given <= sum(role.optional for role in row.roles):
        return None
    chosen = []
    for role in row.roles:
        if role.optional:
            if not given:
                continue
            given -= 1
        chosen.append(role)
    return tuple(chosen)


@cache
def space_of(form: Form) -> str:
    """The space that an access names: ``shared::cta`` is ``shared``. So is ``shared::cluster``, as
    nothing that is modelled gives the address of another CTA's."""
    named = {word.removesuffix("::cta").removesuffix("::cluster") for word in form.words}
    return next((space for space in SPACES if space in named), "generic")


@cache
def moving(form: Form) -> tuple[AccessKind, str, int]:
    """The kind of a single access, its space, and the elements that it moves."""
    kind: AccessKind = "atomic"
    if form.row.effects & (Effect.LOAD | Effect.STORE):
        kind = "load" if form.row.effects & Effect.LOAD else "store"
    vector = next((int(w[1:]) for w in form.words if w in ("v2", "v4", "v8")), 1)
    return kind, space_of(form), vector


def masked(uses: list[Operand], mask: Operand | None) -> tuple[Operand, ...]:
    return tuple(uses) if mask is None else (*uses, mask)
