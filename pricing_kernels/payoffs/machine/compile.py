"""From a payoff and a model to a program.

Each node of the payoff has a home: the row at which it is first known, the pre zone for what needs
no price. A node that is read at its home only is written out in the step that reads it. One that is
read later is assigned to a register by a step at its home. A fold is a step at its dates: its
accumulators are registers, their initial values assigned before (prelude), their updates its body;
after its last date they hold its result, so an epilogue is not needed.

Steps stand in the order in which they are made. That is right because a node is visited after its
operands, and a register is assigned by a step that is made before the first step that reads it.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from pricing_kernels.payoffs.checks.times import TimedPayoff
from pricing_kernels.payoffs.language.expression import (
    Accumulator,
    Applied,
    DateIndex,
    Expression,
    Fold,
    Folded,
    Literal,
    NumberAt,
    Spot,
    TimeNow,
)
from pricing_kernels.payoffs.language.operators import REAL
from pricing_kernels.payoffs.machine.dynamics import Dynamics
from pricing_kernels.payoffs.machine.factoring import factored, live_registers, needed
from pricing_kernels.payoffs.machine.program import (
    Assignment,
    MachineStep,
    Program,
    Register,
    RowInput,
    RunInput,
)

PRE = -1
"""The home of what is known before the first row."""


def compiled(payoff: TimedPayoff, dynamics: Dynamics, rows: dict[float, int]) -> Program:
    """The program of a payoff under a model; ``rows`` has the row of each time, and the last row is
    the greatest."""
    return _Compiler(payoff, dynamics, rows, max(rows.values()) + 1).program()


@dataclass
class _Compiler:
    payoff: TimedPayoff
    dynamics: Dynamics
    row_of: dict[float, int]
    rows: int
    pre: list[MachineStep] = field(default_factory=list)
    inside: list[MachineStep] = field(default_factory=list)
    at_home: dict[Expression, Expression] = field(default_factory=dict)
    kept: dict[tuple[Expression, int], Register] = field(default_factory=dict)
    interned: dict[tuple[object, ...], Expression] = field(default_factory=dict)
    accumulators: dict[Expression, Register] = field(default_factory=dict)
    folds: dict[Fold, tuple[Register, ...]] = field(default_factory=dict)
    by_date: dict[tuple[float, ...], int] = field(default_factory=dict)

    def program(self) -> Program:
        root = self.payoff.root
        order = list(self.payoff.ready)
        prices = self._prices(order)
        for node in order:
            self.at_home[node] = self._at_home(node)
        last = self._home(root) in (self.rows - 1, PRE)
        result = self.at_home[root] if last else self._register(root)
        start, model = MachineStep(self.dynamics.start), MachineStep(self.dynamics.step)
        temporary = {register for (_, home), register in self.kept.items() if home != PRE}
        inside, result = factored(self.inside, result, temporary)
        live = live_registers([start, *self.pre, model, *prices, *inside], result)
        return Program(
            needed([start, *self.pre], live),
            needed([model, *prices, *inside], live),
            result,
            self.rows,
            self.dynamics.columns + 1 + len(self.by_date),  # the first one after them is the time
            self.dynamics.run_inputs,
            self.dynamics.normals,
            tuple(self.by_date),
        )

    def _home(self, node: Expression) -> int:
        time = self.payoff.ready[node].time
        return self.row_of[time] if time else PRE

    def _prices(self, order: list[Expression]) -> list[MachineStep]:
        """The step that computes the prices which the payoff reads, at the rows where it does."""
        rows: set[int] = set()
        self.spots: dict[int, Register] = {}
        for node in order:
            if isinstance(node, Spot) and node.time != 0.0:
                times = node.time.times if isinstance(node.time, DateIndex) else (node.time,)
                rows |= {self.row_of[time] for time in times}
                name = f"S{node.asset}"
                self.spots.setdefault(node.asset, Register(type=REAL, name=name, at=node.at))
        prices = tuple((r, self.dynamics.spots[a]) for a, r in sorted(self.spots.items()))
        return [MachineStep(prices, self._when(rows))] if prices else []

    def _when(self, rows: set[int]) -> frozenset[int] | None:
        return None if len(rows) == self.rows else frozenset(rows)

    def _at_home(self, node: Expression) -> Expression:
        """A node as a step at its home writes it, or the step of the fold whose date it reads."""
        match node:
            case Spot(time=0.0):
                return self.dynamics.first[node.asset]
            case Spot():
                return self.spots[node.asset]
            case TimeNow():
                return self._interned(RowInput(column=self.dynamics.columns, at=node.at))
            case NumberAt():
                return self._interned(RowInput(column=self._column(node), at=node.at))
            case Accumulator():
                register = Register(type=node.type, name=node.name, at=node.at)
                return self.accumulators.setdefault(node, register)
            case Folded():
                return self._folded(node.fold)[node.position]
            case Applied():
                return self._applied(node, tuple(self._operand(node, e) for e in node.operands))
            case _:
                return self._interned(node)

    def _column(self, node: NumberAt) -> int:
        """The column of a payoff's numbers; rows at which it reads none have 0."""
        numbers = [0.0] * self.rows
        for time, number in zip(node.index.times, node.numbers, strict=True):
            numbers[self.row_of[time]] = number
        place = self.by_date.setdefault(tuple(numbers), len(self.by_date))
        return self.dynamics.columns + 1 + place

    def _interned(self, leaf: Expression) -> Expression:
        """One node for each constant and each input."""
        what = repr(leaf.value) if isinstance(leaf, Literal) else leaf.shown()
        return self.interned.setdefault((type(leaf), leaf.type, what), leaf)

    def _operand(self, reader: Expression, operand: Expression) -> Expression:
        """An operand as its reader takes it: written out if both are known at the same rows."""
        mine, its = self.payoff.ready[reader], self.payoff.ready[operand]
        if its.index is not None:
            return self.at_home[operand]
        if mine.index is not None:
            return self._register(operand)
        together = self._home(reader) == self._home(operand)
        return self.at_home[operand] if together else self._later(operand)

    def _later(self, node: Expression) -> Expression:
        """A node for a reader at a later row. What is computed from one value that varies is
        computed there, from that value, which other readers may need as well."""
        chain: list[Expression] = []
        while isinstance(node, Applied):
            varying = {each for each in node.operands if not isinstance(each, Literal)}
            if len(varying) != 1:
                break
            chain.append(node)
            (node,) = varying
        value = self._register(node)
        for above in reversed(chain):
            operands = (
                self._interned(e) if isinstance(e, Literal) else value for e in above.operands
            )
            value = self._applied(above, tuple(operands))
        return value

    def _applied(self, node: Expression, operands: tuple[Expression, ...]) -> Expression:
        """A node on other operands; one for each structure."""
        assert isinstance(node, Applied)
        key = (node.operator.name, node.type, *map(id, operands))
        fresh = Applied(type=node.type, operands=operands, operator=node.operator, at=node.at)
        return self.interned.setdefault(key, fresh)

    def _register(self, node: Expression) -> Expression:
        """A node for readers at later rows: its register, which a step at its home assigns."""
        value = self.at_home[node]
        if isinstance(value, Literal | RunInput) or isinstance(node, Folded):
            return value
        home = self._home(node)
        if (value, home) not in self.kept:
            register = Register(type=value.type, name=f"v{len(self.kept)}", at=node.at)
            self.kept[value, home] = register
            self._assign(home, ((register, value),))
        return self.kept[value, home]

    def _assign(self, row: int, assignments: tuple[Assignment, ...]) -> None:
        if row == PRE:
            self.pre.append(MachineStep(assignments))
        else:
            self.inside.append(MachineStep(assignments, self._when({row})))

    def _folded(self, fold: Fold) -> tuple[Register, ...]:
        """The registers of a fold; its steps are made when it is first met."""
        if fold not in self.folds:
            registers = tuple(
                self.accumulators.setdefault(a, Register(type=a.type, name=a.name, at=a.at))
                for a in fold.accumulators
            )
            if any(set(registers) & set(others) for others in self.folds.values()):
                raise ValueError(f"{fold.at}: two folds have an accumulator in common")
            self.folds[fold] = registers
            updates = []
            for register, initial, update in zip(
                registers, fold.initials, fold.updates, strict=True
            ):
                self._assign(self._home(initial), ((register, self.at_home[initial]),))
                indexed = self.payoff.ready[update].index is not None
                value = self.at_home[update] if indexed else self._register(update)
                updates.append((register, value))
            when = self._when({self.row_of[time] for time in fold.index.times})
            self.inside.append(MachineStep(tuple(updates), when))
        return self.folds[fold]
