"""Repetition factoring: what a payoff writes out date by date becomes a step of the loop again.

The thesis (chapter V, section 3.4, algorithms 12 to 14) reuses registers, looks for runs of
instructions that repeat, and makes loops of them. Here the loop over the rows is there already, so
what is to be found is rows with equal code:

1. Registers are reused. One that is assigned once, by a step for one row, takes the place of one
   that is read for the last time in that step, else of any that is free (a linear scan in the order
   in which the machine does the steps). ``x3 = x2 + S; x4 = x3 + S`` becomes ``x = x + S`` twice.
2. Steps for one row with equal code become one step for the set of their rows. They need not be
   neighbours in time. Steps for several rows (folds) are not moved past.
3. Neighbours for the same rows are joined where they may be done at once.

Every value is computed by the same operations as before, so the bits are the same. The time is
linear in the number of steps.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field
from itertools import groupby

from pricing_kernels.payoffs.language.expression import Applied, Expression
from pricing_kernels.payoffs.language.operators import ValueType
from pricing_kernels.payoffs.language.walk import nodes
from pricing_kernels.payoffs.machine.program import Assignment, MachineStep, Register

Moment = tuple[float, int]
"""A row and the place of a step in the program: the order in which the machine does steps."""


def factored(
    steps: Sequence[MachineStep], result: Expression, temporary: Set[Register]
) -> tuple[list[MachineStep], Expression]:
    """The steps with their repetitions factored, and the result that goes with them; `temporary`
    registers are assigned once, by a step for one row."""
    renaming = _Renamed(_reused(steps, result, temporary))
    renamed = [
        MachineStep(
            tuple((renaming.register(r), renaming.expression(e)) for r, e in step.assignments),
            step.when,
        )
        for step in steps
    ]
    found: list[MachineStep] = []
    for single, run in groupby(renamed, key=_for_one_row):
        same = list(run)
        found += _merged(same) if single else same
    return joined(found), renaming.expression(result)


def joined(steps: Iterable[MachineStep]) -> list[MachineStep]:
    """Neighbours joined that are for the same rows, where the second reads and writes nothing that
    the first writes."""
    found: list[MachineStep] = []
    for when, same in groupby(steps, key=lambda step: step.when):
        assignments: list[Assignment] = []
        written: set[Register] = set()
        for step in same:
            if written & (step.read | step.written):
                found.append(MachineStep(tuple(assignments), when))
                assignments, written = [], set()
            assignments += step.assignments
            written |= step.written
        found.append(MachineStep(tuple(assignments), when))
    return found


def live_registers(steps: Sequence[MachineStep], result: Expression) -> set[Register]:
    """The registers on which the result depends."""
    reads: dict[Register, set[Register]] = {}
    for step in steps:
        for register, value in step.assignments:
            reads.setdefault(register, set()).update(_registers(value))
    live: set[Register] = set()
    new = _registers(result)
    while new:
        live |= new
        new = {other for register in new for other in reads.get(register, ())} - live
    return live


def needed(steps: Iterable[MachineStep], live: Set[Register]) -> tuple[MachineStep, ...]:
    """The steps with assignments to live registers alone."""
    kept = ((step, tuple(a for a in step.assignments if a[0] in live)) for step in steps)
    return tuple(MachineStep(those, step.when) for step, those in kept if those)


def _registers(root: Expression) -> set[Register]:
    return {node for node in nodes(root) if isinstance(node, Register)}


def _for_one_row(step: MachineStep) -> bool:
    return step.when is not None and len(step.when) == 1


def _merged(steps: Sequence[MachineStep]) -> list[MachineStep]:
    """Steps for one row each, those with equal code at several rows merged."""
    by_row: dict[int, list[MachineStep]] = {}
    for step in steps:
        assert step.when is not None
        by_row.setdefault(min(step.when), []).append(step)
    rows_of: dict[tuple[tuple[Assignment, ...], ...], set[int]] = {}
    for row, code in by_row.items():
        rows_of.setdefault(tuple(step.assignments for step in code), set()).add(row)
    return [
        MachineStep(assignments, frozenset(rows))
        for code, rows in rows_of.items()
        for assignments in code
    ]


def _reused(
    steps: Sequence[MachineStep], result: Expression, temporary: Set[Register]
) -> dict[Register, Register]:
    """For each temporary register the one that takes its place."""
    born, last = _lives(steps, result, temporary)
    places: dict[Register, Register] = {}
    free: dict[ValueType, list[Register]] = {}
    ends = sorted(last, key=last.__getitem__, reverse=True)
    for register in sorted(born, key=born.__getitem__):
        while ends and last[ends[-1]] <= born[register]:
            ended = ends.pop()
            free.setdefault(ended.type, []).append(places[ended])
        available = free.get(register.type)
        places[register] = available.pop() if available else register
    return places


def _lives(
    steps: Sequence[MachineStep], result: Expression, temporary: Set[Register]
) -> tuple[dict[Register, Moment], dict[Register, Moment]]:
    """When temporary registers are assigned, and when each is read last."""
    born: dict[Register, Moment] = {}
    last: dict[Register, Moment] = {}
    for place, step in enumerate(steps):
        end = (math.inf if step.when is None else max(step.when), place)
        born |= dict.fromkeys(step.written & temporary, end)
        for register in step.read & temporary:
            last[register] = max(last.get(register, end), end)
    end = (math.inf, len(steps))
    last |= {r: end for r in nodes(result) if isinstance(r, Register) and r in temporary}
    return born, last


@dataclass
class _Renamed:
    """Expressions with registers in the place of others, one node for each structure."""

    places: Mapping[Register, Register]
    made: dict[Expression, Expression] = field(default_factory=dict)
    known: dict[tuple[object, ...], Expression] = field(default_factory=dict)

    def register(self, register: Register) -> Register:
        return self.places.get(register, register)

    def expression(self, root: Expression) -> Expression:
        for node in nodes(root):
            if node in self.made:
                continue
            match node:
                case Register():
                    self.made[node] = self.register(node)
                case Applied(operator=operator):
                    operands = tuple(self.made[each] for each in node.operands)
                    key = (operator.name, node.type, *map(id, operands))
                    fresh = Applied(
                        type=node.type, operands=operands, operator=operator, at=node.at
                    )
                    self.made[node] = self.known.setdefault(key, fresh)
                case _:
                    self.made[node] = node
        return self.made[root]
