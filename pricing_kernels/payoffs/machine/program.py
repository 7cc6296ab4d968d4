"""Programs of the machine: registers, and steps in three zones (thesis, algorithms 15 and 16).

A run goes through the rows of a table, one for each date, in the order of time::

    the steps of ``pre``
    for each row: the steps of ``inside`` that are for this row
    the result, from the registers as they are after the last row

A step assigns registers, all at once; steps follow each other. A step is for every row or for some
of them (``when``), which the table says by one bit a row: the rows themselves are data, so another
maturity or volatility needs no other program. Expressions read registers, the inputs of the run, of
the row, and the row's normal numbers. The model is a part of the program, written in the same
expressions as the payoff.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from pricing_kernels.payoffs.language.expression import Expression
from pricing_kernels.payoffs.language.operators import REAL, ValueType
from pricing_kernels.payoffs.language.walk import nodes

WORD = 32  # bits of a word of the table, each for one set of rows


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Register(Expression):
    """A value that a path keeps from row to row."""

    name: str

    def shown(self, depth: int = 4) -> str:
        return self.name


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class RunInput(Expression):
    """A number that is the same for all paths and rows."""

    type: ValueType = REAL
    number: int

    def shown(self, depth: int = 4) -> str:
        return f"run[{self.number}]"


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class RowInput(Expression):
    """A number of the row, the same for all paths; of ``row`` if a loop is over stored rows."""

    type: ValueType = REAL
    column: int
    row: LoopRow | None = None

    def shown(self, depth: int = 4) -> str:
        return f"row[{self.column}]"


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class NormalInput(Expression):
    """A standard normal number of the row and the path."""

    type: ValueType = REAL
    number: int

    def shown(self, depth: int = 4) -> str:
        return f"z[{self.number}]"


@dataclass(frozen=True, eq=False)
class LoopRow:
    """The row at which a loop over stored prices stands, one of ``rows``."""

    number: int
    rows: frozenset[int]


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class StoredPrice(Expression):
    """A price of the path, the stored one of this number. Place 0 is time 0, place r + 1 is row r:
    ``slot`` is a place, or a loop's row; None if the only operand, a number of a row, is the
    place."""

    type: ValueType = REAL
    number: int
    slot: int | LoopRow | None

    def shown(self, depth: int = 4) -> str:
        return f"path[{self.number}]"


Assignment = tuple[Register, Expression]


@dataclass(frozen=True)
class MachineStep:
    """Registers and what they become, all at once, at the rows ``when``; None is every row."""

    assignments: tuple[Assignment, ...]
    when: frozenset[int] | None = None

    @property
    def written(self) -> frozenset[Register]:
        return frozenset(register for register, _ in self.assignments)

    @property
    def read(self) -> frozenset[Register]:
        found = (node for _, value in self.assignments for node in nodes(value))
        return frozenset(node for node in found if isinstance(node, Register))


@dataclass(frozen=True)
class RowLoop:
    """What is done after the last row for each of some rows, in their order."""

    row: LoopRow
    body: tuple[MachineStep | RowLoop, ...]


@dataclass(frozen=True)
class Program:
    """A payoff under a model. ``rows`` is the number of rows, ``columns`` of their numbers, and
    ``normals`` of normal numbers that a row takes. The last columns are the payoff's own:
    ``by_date`` has their numbers, by row.

    A program of whole paths stores the registers ``stored`` after each row, at first the values
    that stand with them, and has steps and loops ``after`` the last row."""

    pre: tuple[MachineStep, ...]
    inside: tuple[MachineStep, ...]
    result: Expression
    rows: int
    columns: int
    run_inputs: int
    normals: int
    by_date: tuple[tuple[float, ...], ...] = ()
    stored: tuple[Assignment, ...] = ()
    after: tuple[MachineStep | RowLoop, ...] = ()

    @property
    def steps(self) -> tuple[MachineStep, ...]:
        """All steps, also those in loops."""
        return (*self.pre, *self.inside, *_steps(self.after))

    @property
    def registers(self) -> tuple[Register, ...]:
        """All registers, in the order of their first assignment."""
        return tuple(dict.fromkeys(r for step in self.steps for r, _ in step.assignments))

    @property
    def sets(self) -> tuple[frozenset[int], ...]:
        """The sets of rows that steps and loops are for, each once; the number of one is its
        bit."""
        found = [step.when for step in self.inside if step.when is not None]
        return tuple(dict.fromkeys((*found, *_loop_rows(self.after))))

    @property
    def partial(self) -> tuple[Register, ...]:
        """The registers whose first assignment is not for every row."""
        found: dict[Register, bool] = {}
        for step in (*self.pre, *self.inside):
            for register, _ in step.assignments:
                found.setdefault(register, step.when is not None)
        return tuple(register for register, some in found.items() if some)

    @property
    def run_words(self) -> int:
        """The words of the run's inputs: more than one fill vectors of four."""
        return self.run_inputs if self.run_inputs < 2 else -(-self.run_inputs // 4) * 4

    @property
    def set_words(self) -> int:
        """The words of a row that hold its bits."""
        return -(-len(self.sets) // WORD)

    def expressions(self) -> Iterator[Expression]:
        """The expressions of all steps, what is stored at first, and the result."""
        for step in self.steps:
            for _, value in step.assignments:
                yield value
        yield from (first for _, first in self.stored)
        yield self.result


def _steps(parts: tuple[MachineStep | RowLoop, ...]) -> Iterator[MachineStep]:
    for part in parts:
        if isinstance(part, RowLoop):
            yield from _steps(part.body)
        else:
            yield part


def _loop_rows(parts: tuple[MachineStep | RowLoop, ...]) -> Iterator[frozenset[int]]:
    for part in parts:
        if isinstance(part, RowLoop):
            yield part.row.rows
            yield from _loop_rows(part.body)
