"""A run of a kernel: all blocks of its grid, a batch of them at a time."""

from __future__ import annotations

from functools import cached_property

from analyses.program import Operand, Value
from analyses.races.load_uses import accesses_that_use_loads
from ptxlint.contracts.launch import ConcreteLaunch
from ptxlint.ir import Kernel, PtxInstr
from ptxlint.simt.checks import Checks
from ptxlint.simt.code import Code
from ptxlint.simt.decisive import decisive_names
from ptxlint.simt.expected import expected_loads
from ptxlint.simt.layout import RunOptions
from ptxlint.simt.load_users import Users, Uses
from ptxlint.simt.machine import Machine, Observer
from ptxlint.simt.memory import Memory
from ptxlint.simt.outcome import Outcome, Progress
from ptxlint.simt.rounding import float_fractions
from ptxlint.undefined_values import UndefinedValues, undefined_values


class Interpreter:
    """Runs one kernel in any number of launches; what depends on the kernel alone is kept."""

    def __init__(self, kernel: Kernel) -> None:
        self.kernel = kernel
        self._codes: dict[tuple[bool, bool, bool], Code] = {}

    @cached_property
    def _undefined(self) -> UndefinedValues:
        return undefined_values(self.kernel)

    @cached_property
    def _decisive(self) -> frozenset[Value]:
        return decisive_names(self.kernel, self._undefined)

    @cached_property
    def _uses(self) -> Uses:
        return accesses_that_use_loads(self.kernel)

    @cached_property
    def _fractions(self) -> dict[Operand, int]:
        return float_fractions(self.kernel)

    @cached_property
    def _expected(self) -> frozenset[PtxInstr]:
        return expected_loads(self.kernel)

    def _code(self, options: RunOptions) -> Code:
        cuts = options.gathers, options.schedule is not None
        key = *cuts, options.data
        if key not in self._codes:
            needed = None if options.data else self._decisive
            self._codes[key] = Code.of(self.kernel, self._undefined, *cuts, needed)
        return self._codes[key]

    def run(
        self,
        launch: ConcreteLaunch,
        options: RunOptions | None = None,
        observer: Observer | None = None,
    ) -> Outcome:
        """Runs the kernel. Raises ValueError unless there is one argument for each parameter. Those
        of struct members follow; if left out, they are taken from the structs.

        A run whose races rest on loads that some threads do not use is done again, where these
        threads race by none of them."""
        kernel = self.kernel
        if len(launch.arguments) not in (len(kernel.parameters), len(kernel.arguments)):
            wanted, given = len(kernel.parameters), len(launch.arguments)
            raise ValueError(f"{kernel.name}: expected {wanted} arguments, got {given}")
        options = options or RunOptions()
        outcome, checks = self._run(launch, options, observer)
        if checks is not None and checks.doubtful:
            outcome, _ = self._run(launch, options, None, checks.users)
        return outcome

    def _run(
        self,
        launch: ConcreteLaunch,
        options: RunOptions,
        observer: Observer | None,
        before: Users | None = None,
    ) -> tuple[Outcome, Checks | None]:
        memory = Memory(self.kernel, launch)
        checks = None
        if options.checks & {"race", "init"}:
            races = "race" in options.checks
            words = (
                (self._uses, self._fractions, self._expected) if races else ({}, {}, frozenset())
            )
            checks = Checks(self.kernel, launch, options, memory, *words, before)
        code = self._code(options)
        limits = options.max_steps, options.max_lane_instructions, options.stray_steps
        progress = Progress(*limits, observer.awaits if observer is not None else None)
        for layout in options.batches(launch):
            memory.begin_batch(layout.cta)
            machine = Machine(code, launch, options, layout, memory, progress, observer, checks)
            if observer is not None:
                observer.begin(machine)
            machine.run()
            if progress.exhausted or (observer is not None and observer.satisfied()):
                break
        outcome = Outcome(
            tuple(progress.faults.values()),
            progress.steps,
            progress.lane_instructions,
            progress.exhausted,
            memory.contents(),
            progress.lane_accesses,
            progress.endless,
        )
        return outcome, checks


def run(
    kernel: Kernel,
    launch: ConcreteLaunch,
    options: RunOptions | None = None,
    observer: Observer | None = None,
) -> Outcome:
    """One run of a kernel. Raises ValueError as ``Interpreter.run`` does."""
    return Interpreter(kernel).run(launch, options, observer)
