"""A payoff's kernels: its program, a skeleton, and a back-end.

``kernel`` is what runs: the PTX of a skeleton, compiled once, with the zones written by this
package. ``cuda_kernel`` is the same in CUDA C, for people who read it and for a compiler.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Final
from typing import Literal as OneOf
from warnings import warn_explicit

import numpy as np
from numpy.typing import NDArray

from pricing_kernels.contract import KernelContract
from pricing_kernels.draws import Draws
from pricing_kernels.kernel import EmittedKernel
from pricing_kernels.link import Fragment
from pricing_kernels.payoffs import simulation
from pricing_kernels.payoffs.backends import cuda
from pricing_kernels.payoffs.backends.ptx.splice import spliced
from pricing_kernels.payoffs.checks.domains import doubts
from pricing_kernels.payoffs.checks.reads import assets_read, times_read
from pricing_kernels.payoffs.checks.scopes import scoped
from pricing_kernels.payoffs.checks.times import WholePathError, timed
from pricing_kernels.payoffs.language.expression import Expression, PayoffError, caller
from pricing_kernels.payoffs.language.operators import BOOLEAN, INTEGER
from pricing_kernels.payoffs.language.walk import nodes
from pricing_kernels.payoffs.machine.compile import compiled
from pricing_kernels.payoffs.machine.dynamics import Model, ModelError
from pricing_kernels.payoffs.machine.program import Program
from pricing_kernels.payoffs.machine.stored import stored
from pricing_kernels.payoffs.machine.table import Inputs, table_words

Shape = OneOf["simulation", "scenarios", "record", "replay"]
MAKERS: Final[Mapping[Shape, Callable[[int, Fragment, str], EmittedKernel]]] = {
    "simulation": simulation.simulation,
    "scenarios": simulation.scenarios,
    "record": simulation.record,
    "replay": simulation.replay,
}


@dataclass(frozen=True)
class PayoffKernel:
    """One kernel of a payoff."""

    program: Program
    skeleton: EmittedKernel
    contract: KernelContract

    @property
    def name(self) -> str:
        return self.contract.kernel

    @cached_property
    def _spliced(self) -> tuple[str, frozenset[str]]:
        return spliced(self.skeleton.ptx(), self.program)

    def ptx(self) -> str:
        """The kernel in PTX. Raises BuildError."""
        return self._spliced[0]

    @property
    def files(self) -> frozenset[str]:
        """The files that the lines of the PTX name, without those that are typed at a prompt."""
        named = self.skeleton.files | self._spliced[1]
        return frozenset(file for file in named if Path(file).is_file())


@dataclass(frozen=True)
class PayoffProgram:
    """A payoff under a model, compiled to the machine; ``times`` are those of its rows, in parts of
    the maturity."""

    program: Program
    model: Model
    times: tuple[float, ...]

    def inputs(self, maturity: float) -> Inputs:
        """The numbers of a run with a maturity in years."""
        years = np.asarray(self.times) * maturity
        own = map(np.asarray, (self.times, *self.program.by_date))
        rows = [*self.model.row_numbers(years), *own]
        return Inputs(np.array(self.model.run_numbers(), np.float32), np.array(rows, np.float32))

    def table(self, maturity: float) -> NDArray[np.uint32]:
        """The table that the kernels read."""
        return self.inputs(maturity).words(self.program)

    def kernel(self, shape: Shape = "simulation") -> PayoffKernel:
        """The kernel of that shape in PTX: a skeleton with the zones spliced in."""
        size = Draws(self.program.normals).size
        normals = self.program.normals if shape == "replay" else size
        skeleton = self._made(shape, normals, simulation.hooks(normals))
        return PayoffKernel(self.program, skeleton, skeleton.contract)

    def cuda_kernel(self, shape: Shape = "simulation") -> EmittedKernel:
        """The kernel of that shape in CUDA C."""
        made = self._made(shape, self.program.normals, cuda.zones(self.program))
        return replace(made, options=cuda.OPTIONS)

    def _made(self, shape: Shape, normals: int, zones: Fragment) -> EmittedKernel:
        before, by_row = table_words(self.program)
        made = MAKERS[shape](normals, zones, f"{before} + {by_row}*rows")
        params, scalars = dict(made.contract.params), made.contract.scalars
        if shape == "scenarios":  # from any row on
            params["rows"] = replace(scalars["rows"], high=self.program.rows)
            params["width"] = replace(scalars["width"], equals=str(self.program.run_words))
        else:
            params["rows"] = replace(scalars["rows"], equals=str(self.program.rows))
        return replace(made, contract=replace(made.contract, params=params))


class PayoffWarning(UserWarning):
    """What a payoff may do that its author may not want."""


MOST_REGISTERS: Final = 200
"""Of the 255 of a thread, those that the simulation leaves to a payoff and its model."""

LOCAL_MEMORY: Final = 512 * 1024  # bytes of a thread (CUDA C++ Programming Guide)


def payoff_program(payoff: Expression, model: Model) -> PayoffProgram:
    """The program of a payoff under a model. Warns, at the payoff's lines, of operations that may
    leave their domain, of more values than fit in registers, and of paths that have to be stored.
    Raises PayoffError, ModelError."""
    if not isinstance(payoff, Expression):
        raise PayoffError(f"{payoff!r:.60} is no payoff: expected an expression", caller())
    if not isinstance(model, Model):
        raise ModelError(f"{model!r:.60} is no model: expected one, as black_scholes(...)")
    if payoff.type is BOOLEAN:
        raise PayoffError(f"the payoff {payoff.shown()} is boolean, expected a number", payoff.at)
    root = payoff * 1.0 if payoff.type is INTEGER else payoff
    order = tuple(nodes(root))
    read, held = assets_read(order), len(model.dynamics.spots)
    if read > held:
        raise ModelError(f"the payoff reads {read} assets, of {held}")
    times, before, between = times_read(order), model.rows_before, model.steps_between
    count = before + len(times) * between
    if count > simulation.MAX_ROWS:
        most = simulation.MAX_ROWS
        raise PayoffError(f"{count} steps to the maturity, expected at most {most}", payoff.at)
    steps = [0.0] * before + [
        start + (end - start) * k / between
        for start, end in pairwise((0.0, *times))
        for k in range(1, between + 1)
    ]
    rows = {time: before + (number + 1) * between - 1 for number, time in enumerate(times)}
    program = _compiled(root, model, rows)
    for doubt in doubts(root):
        warn_explicit(doubt.message, PayoffWarning, doubt.at.file, doubt.at.line)
    if len(program.registers) > MOST_REGISTERS:
        message = (
            f"a path keeps {len(program.registers)} values from date to date; beyond about "
            f"{MOST_REGISTERS} they lie in memory, which is slow on a device"
        )
        warn_explicit(message, PayoffWarning, payoff.at.file, payoff.at.line)
    return PayoffProgram(program, model, tuple(steps))


def _compiled(root: Expression, model: Model, rows: dict[float, int]) -> Program:
    """The program of one pass; where that is not enough, of whole paths, with a warning."""
    try:
        return compiled(timed(root), model.dynamics, rows)
    except WholePathError as why:
        found = stored(scoped(root), model.dynamics, rows)
        assert why.at is not None
        prices = len(found.stored) * (found.rows + 1)
        if 4 * prices > LOCAL_MEMORY:
            raise PayoffError(
                f"{why.message}; {prices} prices of a path take {4 * prices} bytes, and a thread "
                f"has {LOCAL_MEMORY} of local memory",
                why.at,
            ) from None
        message = f"{why.message}. The path is stored, which takes longer and more memory"
        warn_explicit(message, PayoffWarning, why.at.file, why.at.line)
        return found
