"""The three zones of a program as instructions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from pricing_kernels.payoffs.backends.ptx.assembler import Assembler, PtxOperand, PtxRegister
from pricing_kernels.payoffs.language.expression import Applied, CodeLine, Expression, Literal
from pricing_kernels.payoffs.language.operators import BOOLEAN, INTEGER, REAL
from pricing_kernels.payoffs.language.walk import nodes
from pricing_kernels.payoffs.machine.program import (
    WORD,
    LoopRow,
    MachineStep,
    NormalInput,
    Program,
    Register,
    RowInput,
    RowLoop,
    RunInput,
    StoredPrice,
)
from ptxlint.isa.row import TYPES

PATH = "payoff_path"
"""The array of a thread in local memory that holds the path, as the thesis stores it: neighbouring
threads have neighbouring words, for local memory is interleaved (CUDA C++ Programming Guide)."""

TYPE_NAMES = {REAL: "f32", INTEGER: "s32", BOOLEAN: "pred"}
ZERO = {type: Literal(type=type, value=0) for type in TYPE_NAMES}
Hook = Mapping[str, str]
"""The names of the skeleton's registers at a hook: ``table``, ``rows``, ``row``, ``z0`` ..."""


@dataclass
class Zones:
    """Writes the zones of one program; registers of the payoff live from the first zone on."""

    program: Program
    out: Assembler
    registers: dict[Register, PtxRegister] = field(default_factory=dict)
    run_inputs: dict[int, PtxRegister] = field(default_factory=dict)
    tests: dict[frozenset[int], PtxRegister] = field(default_factory=dict)
    bases: dict[LoopRow | None, PtxRegister] = field(default_factory=dict)
    slots: dict[LoopRow, PtxRegister] = field(default_factory=dict)

    def before(self, hook: Hook) -> list[str]:
        """The zone before the first row: inputs of the run, then the steps of ``pre``."""
        for register in self.program.registers:
            self.registers[register] = self.out.fresh(TYPE_NAMES[register.type])
        self._load_run_inputs(_named(hook["table"], "u64"))
        for register in self.program.partial:
            self.out.at(register.at)
            self._move(self._literal(ZERO[register.type]), self.registers[register])
        for step in self.program.pre:
            self._step(step, hook)
        if self.program.stored:
            self.path = self.out.address_of(PATH)
            self._store(self.path, [first for _, first in self.program.stored], hook)
        return self.out.zone()

    def _load_run_inputs(self, table: PtxRegister) -> None:
        """Those that the program reads; several of four neighbours by a load of all four."""
        found: dict[int, dict[int, CodeLine]] = {}
        for root in self.program.expressions():
            for node in nodes(root):
                if isinstance(node, RunInput):
                    found.setdefault(node.number // 4, {}).setdefault(node.number, node.at)
        for four, places in sorted(found.items()):
            self.out.at(next(iter(places.values())))
            if len(places) == 1:
                (number,) = places
                self.run_inputs[number] = self.out.load("ld.global.nc.f32", table, 4 * number)
            else:
                loaded = self.out.load_vector("ld.global.nc.v4.f32", table, 16 * four)
                self.run_inputs |= {4 * four + k: each for k, each in enumerate(loaded)}

    def row(self, hook: Hook) -> list[str]:
        """The zone of every row."""
        self.tests.clear()
        table, row = _named(hook["table"], "u64"), _named(hook["row"], "u32")
        self.bases[None] = self.out.emit("mad.wide.u32", row, 4, table)
        for step in self.program.inside:
            self._step(step, hook)
        if self.program.stored:
            at = self.out.emit("mad.wide.u32", row, self._slot_bytes, self.path)
            self._store(at, [register for register, _ in self.program.stored], hook, 1)
        return self.out.zone()

    @property
    def _slot_bytes(self) -> int:
        return 4 * len(self.program.stored)

    def _store(self, at: PtxRegister, prices: list[Expression], hook: Hook, slot: int = 0) -> None:
        """Prices to a place of the path, so many after the address."""
        for number, value in enumerate(self._values(prices, hook)):
            self.out.store("st.local.f32", at, slot * self._slot_bytes + 4 * number, value)

    def after(self, hook: Hook) -> list[str]:
        """The zone after the last row: loops over the path, then the result."""
        for part in self.program.after:
            self._part(part, hook)
        value = self._values([self.program.result], hook)[0]
        self.out.emit("mov.f32", value, into=_named(hook["result"], "f32"))
        return self.out.zone()

    def _part(self, part: MachineStep | RowLoop, hook: Hook) -> None:
        """A step, or a loop from the first to the last of its rows that leaves out others."""
        if isinstance(part, MachineStep):
            self._step(part, hook)
            return
        row, again = part.row, self.out.fresh_label()
        counter = self._move(min(row.rows), self.out.fresh("u32"))
        self.out.label(again)
        table = _named(hook["table"], "u64")
        self.bases[row] = self.out.emit("mad.wide.u32", counter, 4, table)
        self.slots[row] = self.out.emit("mad.wide.u32", counter, self._slot_bytes, self.path)
        skip = self.out.skip_unless(self._test(row.rows, hook, row))
        for each in part.body:
            self._part(each, hook)
        self.out.label(skip)
        self.out.emit("add.u32", counter, 1, into=counter)
        self.out.branch(again, self.out.emit("setp.le.u32", counter, max(row.rows)))

    def _step(self, step: MachineStep, hook: Hook) -> None:
        label = ""
        if step.when is not None:
            self.out.at(step.assignments[0][1].at)
            label = self.out.skip_unless(self._test(step.when, hook))
        values = self._values([value for _, value in step.assignments], hook)
        pairs = list(zip(step.assignments, values, strict=True))
        copies: dict[PtxOperand, PtxRegister] = {
            operand: self._move(operand, self.out.fresh(operand.type.name))
            for (_, value), operand in pairs
            if value in step.written and isinstance(operand, PtxRegister)
        }
        for (register, value), operand in pairs:
            self.out.at(value.at)
            self._move(copies.get(operand, operand), self.registers[register])
        if label:
            self.out.label(label)

    def _move(self, operand: PtxOperand, into: PtxRegister) -> PtxRegister:
        return self.out.emit(f"mov.{into.type.name}", operand, into=into)

    def _test(self, rows: frozenset[int], hook: Hook, row: LoopRow | None = None) -> PtxRegister:
        """A predicate that holds at these rows."""
        if row is not None or rows not in self.tests:
            number = self.program.sets.index(rows)
            word = self._column(self.program.columns + number // WORD, hook, "u32", row)
            bit = self.out.emit("and.b32", word, 1 << number % WORD)
            self.tests[rows] = self.out.emit("setp.ne.u32", bit, 0)
        return self.tests[rows]

    def _column(self, column: int, hook: Hook, type_name: str, row: LoopRow | None) -> PtxRegister:
        rows, base = _named(hook["rows"], "u32"), self.bases[row]
        at = self.out.emit("mad.wide.u32", rows, 4 * column, base) if column else base
        return self.out.load(f"ld.global.nc.{type_name}", at, 4 * self.program.run_words)

    def _stored_price(
        self, price: StoredPrice, done: Mapping[Expression, PtxOperand]
    ) -> PtxRegister:
        """A price of the path; a place from the table is cut to the path's places."""
        at, place = self.path, 0
        if isinstance(price.slot, LoopRow):
            at, place = self.slots[price.slot], 1
        elif price.slot is None:
            number = self.out.emit("cvt.rzi.u32.f32", done[price.operands[0]])
            number = self.out.emit("min.u32", number, self.program.rows)
            at = self.out.emit("mad.wide.u32", number, self._slot_bytes, self.path)
        else:
            place = price.slot
        offset = place * self._slot_bytes + 4 * price.number
        return self.out.load("ld.local.f32", at, offset)

    def _values(self, roots: list[Expression], hook: Hook) -> list[PtxOperand]:
        """Operands with the values of expressions, all from the registers as they are."""
        done: dict[Expression, PtxOperand] = {}
        for root in roots:
            for node in nodes(root):
                if node not in done:
                    done[node] = self._value(node, done, hook)
        return [done[root] for root in roots]

    def _value(
        self, node: Expression, done: Mapping[Expression, PtxOperand], hook: Hook
    ) -> PtxOperand:
        match node:
            case Literal():
                return self._literal(node)
            case Register():
                return self.registers[node]
            case RunInput(number=number):
                return self.run_inputs[number]
            case RowInput(column=column, row=row):
                self.out.at(node.at)
                return self._column(column, hook, "f32", row)
            case StoredPrice():
                self.out.at(node.at)
                return self._stored_price(node, done)
            case NormalInput(number=number):
                return _named(hook[f"z{number}"], "f32")
            case Applied(operator=operator):
                self.out.at(node.at)
                opcode = operator.ptx[node.operands[0].type]
                return self.out.emit(opcode, *(done[each] for each in node.operands))
            case _:
                raise TypeError(f"{type(node).__name__} is no part of a program")

    def _literal(self, node: Literal) -> PtxOperand:
        if node.type is REAL:
            return float(node.value)
        if node.type is INTEGER:
            return int(node.value)
        return self.out.emit("setp.eq.u32", 1, int(node.value))


def _named(name: str, type_name: str) -> PtxRegister:
    return PtxRegister(name, TYPES[type_name])
