"""From a payoff of whole paths and a model to a program that stores the path.

The thesis leaves such payoffs out (its chapter VI, section 2.5): a fold that reads a later price,
or two folds in each other that read prices at both dates, need the path more than once. Here the
rows store each price that the payoff reads; after the last row, a fold is a loop over the rows of
its dates, and folds stand in each other as the payoff has them.

A value is computed in the innermost loop on whose date it depends. One that a deeper loop reads is
assigned to a register before that loop, so it is computed once.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import count

from pricing_kernels.payoffs.checks.scopes import ScopedPayoff
from pricing_kernels.payoffs.language.expression import (
    Applied,
    DateIndex,
    Expression,
    Fold,
    Folded,
    NumberAt,
    Spot,
    TimeNow,
)
from pricing_kernels.payoffs.language.operators import REAL
from pricing_kernels.payoffs.language.walk import outside_of_folds
from pricing_kernels.payoffs.machine.dynamics import Dynamics
from pricing_kernels.payoffs.machine.program import (
    LoopRow,
    MachineStep,
    Program,
    Register,
    RowInput,
    RowLoop,
    StoredPrice,
)


def stored(payoff: ScopedPayoff, dynamics: Dynamics, rows: dict[float, int]) -> Program:
    """The program of a payoff of whole paths under a model; ``rows`` has the row of each time, and
    the last row is the greatest."""
    return _PathWriter(payoff, dynamics, rows).program()


@dataclass(eq=False)
class _Scope:
    """The body of a loop over the rows of a fold's dates, or what no loop holds."""

    index: DateIndex | None = None
    row: LoopRow | None = None
    outer: _Scope | None = None
    body: list[MachineStep | RowLoop] = field(default_factory=list)
    values: dict[Expression, Expression] = field(default_factory=dict)
    kept: dict[Expression, Register] = field(default_factory=dict)
    folds: dict[Fold, tuple[Register, ...]] = field(default_factory=dict)


@dataclass
class _PathWriter:
    payoff: ScopedPayoff
    dynamics: Dynamics
    row_of: dict[float, int]
    columns: dict[tuple[float, ...], int] = field(default_factory=dict)
    numbers: Iterator[int] = field(default_factory=count)

    def program(self) -> Program:
        read = {node.asset for node in self.payoff.free if isinstance(node, Spot)}
        self.place = {asset: number for number, asset in enumerate(sorted(read))}
        prices = [Register(type=REAL, name=f"S{asset}") for asset in self.place]
        spots = (self.dynamics.spots[asset] for asset in self.place)
        whole = _Scope()
        result = self._read(self.payoff.root, whole)
        return Program(
            (MachineStep(self.dynamics.start),),
            (
                MachineStep(self.dynamics.step),
                MachineStep(tuple(zip(prices, spots, strict=True))),
            ),
            result,
            max(self.row_of.values()) + 1,
            self.dynamics.columns + 1 + len(self.columns),
            self.dynamics.run_inputs,
            self.dynamics.normals,
            tuple(self.columns),
            tuple(zip(prices, (self.dynamics.first[a] for a in self.place), strict=True)),
            tuple(whole.body),
        )

    def _read(self, root: Expression, scope: _Scope) -> Expression:
        """A value, for a reader in this scope."""
        for node in outside_of_folds(root):
            own = self._own(node, scope)
            if node not in own.values:
                own.values[node] = self._value(node, own)
        return self._known(root, scope)

    def _known(self, node: Expression, scope: _Scope) -> Expression:
        """A value that its own scope has, for a reader in this scope."""
        own = self._own(node, scope)
        value = own.values[node]
        if own is scope or not isinstance(value, Applied):
            return value
        if node not in own.kept:
            own.kept[node] = Register(type=node.type, name=f"v{len(own.kept)}", at=node.at)
            own.body.append(MachineStep(((own.kept[node], value),)))
        return own.kept[node]

    def _own(self, node: Expression, scope: _Scope) -> _Scope:
        """The innermost scope, from this one outwards, on whose date the value depends."""
        while scope.outer is not None and scope.index not in self.payoff.free[node]:
            scope = scope.outer
        return scope

    def _value(self, node: Expression, own: _Scope) -> Expression:
        match node:
            case Spot():
                return self._price(node, own)
            case TimeNow():
                return RowInput(column=self.dynamics.columns, row=own.row, at=node.at)
            case NumberAt():
                return self._column(dict(zip(node.index.times, node.numbers, strict=True)), own)
            case Folded():
                return self._folded(node.fold, own)[node.position]
            case Applied():
                operands = tuple(self._known(each, own) for each in node.operands)
                return Applied(
                    type=node.type, operands=operands, operator=node.operator, at=node.at
                )
            case _:
                return node

    def _price(self, spot: Spot, own: _Scope) -> Expression:
        """The price of an asset from where it is stored: time 0 is the first place."""
        if spot.time == 0.0:
            return self.dynamics.first[spot.asset]
        number = self.place[spot.asset]
        if isinstance(spot.time, float):
            slot = self.row_of[spot.time] + 1
            return StoredPrice(number=number, slot=slot, at=spot.at)
        if not spot.lag:
            return StoredPrice(number=number, slot=own.row, at=spot.at)
        slots = [self.row_of[time] + 1.0 if time else 0.0 for time in spot.times]
        column = self._column(dict(zip(spot.time.times, slots, strict=True)), own)
        return StoredPrice(number=number, slot=None, operands=(column,), at=spot.at)

    def _column(self, by_time: dict[float, float], own: _Scope) -> RowInput:
        """The number of the date: a column of the table, with 0 at other rows."""
        numbers = [0.0] * (max(self.row_of.values()) + 1)
        for time, number in by_time.items():
            numbers[self.row_of[time]] = number
        place = self.columns.setdefault(tuple(numbers), len(self.columns))
        return RowInput(column=self.dynamics.columns + 1 + place, row=own.row)

    def _folded(self, fold: Fold, own: _Scope) -> tuple[Register, ...]:
        """The registers of a fold, whose loop is written where it is first read."""
        if fold not in own.folds:
            registers = tuple(
                Register(type=a.type, name=a.name, at=a.at) for a in fold.accumulators
            )
            for register, initial in zip(registers, fold.initials, strict=True):
                own.body.append(MachineStep(((register, self._read(initial, own)),)))
            rows = frozenset(self.row_of[time] for time in fold.index.times)
            row = LoopRow(next(self.numbers), rows)
            inner = _Scope(fold.index, row, own)
            inner.values |= dict(zip(fold.accumulators, registers, strict=True))
            updates = tuple(self._read(update, inner) for update in fold.updates)
            inner.body.append(MachineStep(tuple(zip(registers, updates, strict=True))))
            own.body.append(RowLoop(row, tuple(inner.body)))
            own.folds[fold] = registers
        return own.folds[fold]
