"""The numpy back-end: a program on arrays, one element a path; the reference of the others."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pricing_kernels.payoffs.language.expression import Applied, Expression, Literal, Spot
from pricing_kernels.payoffs.language.operators import BOOLEAN, INTEGER, REAL
from pricing_kernels.payoffs.language.walk import nodes
from pricing_kernels.payoffs.machine.dynamics import Model
from pricing_kernels.payoffs.machine.program import (
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
from pricing_kernels.payoffs.machine.table import Inputs, Reals

Column = NDArray[Any]

DTYPES = {INTEGER: np.int32, REAL: np.float32, BOOLEAN: np.bool_}


def run(program: Program, inputs: Inputs, normals: Reals) -> Reals:
    """What each path pays, from normal numbers by row, number and path."""
    machine = _Paths(inputs, normals)
    with np.errstate(all="ignore"):
        for step in program.pre:
            machine.do(step)
        machine.path.append(machine.values(first for _, first in program.stored))
        for machine.row in range(program.rows):
            for step in program.inside:
                if step.when is None or machine.row in step.when:
                    machine.do(step)
            machine.path.append([machine.state[register] for register, _ in program.stored])
        for part in program.after:
            machine.do_after(part)
        (result,) = machine.values([program.result])
    return np.asarray(result, np.float32)


def prices(model: Model, years: NDArray[np.float64], normals: Reals) -> list[list[Reals]]:
    """The prices of each asset on each path, by the model's rows, which end at these times."""
    numbers = (model.run_numbers(), model.row_numbers(years))
    run, rows = (np.asarray(each, np.float32) for each in numbers)
    machine = _Paths(Inputs(run, rows), normals)
    machine.do(MachineStep(model.dynamics.start))
    found = []
    for machine.row in range(len(years)):
        machine.do(MachineStep(model.dynamics.step))
        found.append(machine.values(model.dynamics.spots))
    return found


def at_date(expression: Expression, prices: Sequence[Reals]) -> Reals:
    """What an expression of prices at one date is, from the prices of each asset then."""
    done: dict[Expression, Column] = {}
    for node in nodes(expression):
        match node:
            case Literal(value=value):
                done[node] = np.full(prices[0].shape, value, DTYPES[node.type])
            case Spot(asset=asset):
                done[node] = prices[asset]
            case Applied(operator=operator):
                done[node] = operator.numpy(*(done[each] for each in node.operands))
            case _:
                raise TypeError(f"{node.shown()} is no expression of prices at one date")
    return np.asarray(done[expression], np.float32)


@dataclass
class _Paths:
    """The registers of all paths at a row, the stored prices, and the rows of loops."""

    inputs: Inputs
    normals: Reals
    row: int = 0
    state: dict[Register, Column] = field(default_factory=dict)
    path: list[list[Column]] = field(default_factory=list)
    loops: dict[LoopRow | None, int] = field(default_factory=dict)

    def do(self, step: MachineStep) -> None:
        values = self.values(value for _, value in step.assignments)
        registers = (register for register, _ in step.assignments)
        self.state |= dict(zip(registers, values, strict=True))

    def do_after(self, part: MachineStep | RowLoop) -> None:
        if isinstance(part, MachineStep):
            self.do(part)
            return
        for row in sorted(part.row.rows):
            self.loops[part.row] = row
            for each in part.body:
                self.do_after(each)

    def values(self, roots: Iterable[Expression]) -> list[Column]:
        """The values of expressions, all from the registers as they are."""
        done: dict[Expression, Column] = {}
        results = []
        for root in roots:
            for node in nodes(root):
                if node not in done:
                    done[node] = self._value(node, done)
            results.append(done[root])
        return results

    def _value(self, node: Expression, done: dict[Expression, Column]) -> Column:
        match node:
            case Literal(value=value):
                return self._all(DTYPES[node.type](value))
            case Register():
                return self.state[node]
            case RunInput(number=number):
                return self._all(self.inputs.run[number])
            case RowInput(column=column, row=row):
                return self._all(self.inputs.rows[column, self.loops.get(row, self.row)])
            case StoredPrice(number=number, slot=slot):
                return self.path[self._slot(slot, node, done)][number]
            case NormalInput(number=number):
                z: Column = self.normals[self.row, number]
                return z
            case Applied(operator=operator):
                result: Column = operator.numpy(*(done[each] for each in node.operands))
                return result
            case _:
                raise TypeError(f"{type(node).__name__} is no part of a program")

    def _slot(
        self, slot: int | LoopRow | None, node: Expression, done: dict[Expression, Column]
    ) -> int:
        """The place of a stored price, the same for all paths."""
        if isinstance(slot, LoopRow):
            return self.loops[slot] + 1
        return int(done[node.operands[0]][0]) if slot is None else slot

    def _all(self, value: Any) -> Column:
        return np.full(self.normals.shape[-1], value)
