"""A mutant before its judge: what the interpreter meets must be reported, and nothing else."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from random import Random

import numpy as np
from msgspec.structs import replace

from analyses.concrete.bitvectors import Array
from analyses.proofs.smt import Solver
from ptxlint.checker import check
from ptxlint.contracts.contract import Contract
from ptxlint.contracts.declaration import Range
from ptxlint.contracts.launch import Launch, numbers
from ptxlint.contracts.resolution import resolved
from ptxlint.facts.kernel_facts import Facts
from ptxlint.ir import Kernel, PtxInstr
from ptxlint.lowering.module import LoweredModule, lower_module
from ptxlint.options import Options
from ptxlint.results.finding import Finding, Severity
from ptxlint.results.report import Report
from ptxlint.simt import ConcreteLaunch, Machine, Observer, RunOptions, run
from ptxlint.source import Source
from ptxlint.syntax import parse

JUDGED = frozenset({
    "out-of-bounds", "param-out-of-bounds", "misaligned-access", "address-space-mismatch",
    "divergent-barrier", "divergent-uniform-branch", "undefined-register",
})  # fmt: skip
OF_ACCESSES = frozenset({"out-of-bounds", "misaligned-access", "address-space-mismatch"})
MAX_STEPS = 20_000
OPTIONS = RunOptions(max_steps=MAX_STEPS)
SIZES = 3  # tried between the greatest and the least
DRAWN = 60  # of which these are the first that meet the needs

Place = tuple[str, int]


@dataclass(frozen=True, slots=True)
class Verdict:
    """Rules with the lines of the PTX: what happened, what happened and was not reported with a
    witness, what was reported as an error and did not happen. ``whole`` says that every run came
    to its end; ``refused`` that the text could not be analysed."""

    happened: frozenset[Place] = frozenset()
    missed: frozenset[Place] = frozenset()
    alarms: frozenset[Place] = frozenset()
    problems: tuple[str, ...] = ()
    whole: bool = True
    refused: bool = False


@dataclass(slots=True)
class Tally:
    """What was judged over a whole run of the tests."""

    mutants: int = 0
    harmful: int = 0
    shown: int = 0
    accesses: int = 0
    proved: int = 0

    def __str__(self) -> str:
        return (
            f"corpus: {self.mutants:,} mutants judged, {self.harmful:,} do harm, {self.shown:,} of"
            f" them are shown with a witness; {self.accesses:,} accesses of clean kernels,"
            f" {self.proved:,} proved"
        )

    def judge(self, verdict: Verdict) -> None:
        harmful = bool(verdict.happened)
        self.mutants += 1
        self.harmful += harmful
        self.shown += harmful and not verdict.missed

    def add(self, other: Tally) -> None:
        for name in self.__slots__:
            setattr(self, name, getattr(self, name) + getattr(other, name))


def contract_of(path: Path) -> Contract:
    """The contract in the comments of the file that a person wrote."""
    written = path.with_suffix(".cu")
    return Contract.from_comments((written if written.exists() else path).read_text("utf-8"))


def has_ranges(contract: Contract) -> bool:
    """Whether a parameter is declared by a range of values."""
    return any(isinstance(v, Range) and not v.single for v in contract.args.values())


def judged(text: str, contract: Contract) -> Verdict:
    """Runs the interpreter on a text, then the check. A run that comes to no end says nothing of
    what did not happen."""
    program = assembled(text)
    if program is None:
        return Verdict(refused=True)
    happened, whole = ran(program, contract)
    source = program.source
    report = check([source], Options(contracts=(contract,)))
    errors = errors_of(report)
    claimed = {place(f) for f in errors if f.rule in JUDGED}
    shown = {place(f) for f in errors if f.witness is not None}
    told, met = shown | elsewhere(shown), happened | elsewhere(happened)
    missed = {harm for harm in happened - told if not follows(harm, shown, program)}
    alarms = claimed - met if whole else set()
    if alarms:
        bounds = Bounds(source)
        ran(program, contract, bounds)
        alarms -= bounds.left
    if alarms:
        alarms -= {at for f in errors for at in seen_as_told(f, contract, program)}
    problems = tuple(d.message for d in report.diagnostics if d.severity == "error")
    return Verdict(frozenset(happened), frozenset(missed), frozenset(alarms), problems, whole)


def assembled(text: str) -> LoweredModule | None:
    """The program of a text, None where it has an error."""
    source = Source("mutant.ptx", text)
    parsed = parse(source)
    if parsed.module is None or not parsed.ok:
        return None
    program = lower_module(parsed.module, source)
    return None if program.diagnostics else program


def ran(
    program: LoweredModule, contract: Contract, observer: Observer | None = None
) -> tuple[set[Place], bool]:
    """What happens in the launches that are declared, and whether all of them come to an end."""
    happened: set[Place] = set()
    whole = True
    for kernel in program.kernels:
        for one in concrete_launches(kernel, resolved([contract], kernel)):
            outcome = run(kernel, one, OPTIONS, observer)
            whole &= not outcome.exhausted
            happened |= {
                (fault.kind, program.source.line_column(fault.offset)[0])
                for fault in outcome.faults
                if fault.kind in JUDGED
            }
    return happened, whole


def seen_as_told(finding: Finding, contract: Contract, program: LoweredModule) -> set[Place]:
    """What happens in the launch of its witness, which may be another one than the greatest and
    the least."""
    if finding.witness is None:
        return set()
    (kernel,) = (kernel for kernel in program.kernels if kernel.name == finding.kernel)
    launch = resolved([contract], kernel)
    told = finding.witness.arguments
    values = {
        index: Range(int(told[launch.names[index]]), int(told[launch.names[index]]))
        for index, value in launch.values.items()
        if isinstance(value, Range)
    }
    one = replace(launch, values={**launch.values, **values}).concrete(kernel)
    outcome = run(kernel, one, OPTIONS)
    return {(f.kind, program.source.line_column(f.offset)[0]) for f in outcome.faults}


def wrongly_proved(
    program: LoweredModule, contract: Contract, solver: type[Solver] | None = None
) -> set[int]:
    """The lines of accesses that are said to be proved and fault in some of the sizes between the
    greatest and the least."""
    found: set[int] = set()
    for kernel in program.kernels:
        launch = resolved([contract], kernel)
        faults = [f for one in between(kernel, launch) for f in run(kernel, one, OPTIONS).faults]
        faulting = {f.instr for f in faults if f.kind in OF_ACCESSES}
        if faulting:
            accesses = Facts(kernel, launch, "sm_80", solver).all_accesses
            proved = [a.instr for a in accesses if a.status == "proved" and a.instr in faulting]
            found |= {program.source.line_column(instr.offset)[0] for instr in proved}
    return found


class Bounds(Observer):
    """Sees which accesses leave their memory, whatever else is wrong with them: the machine has one
    fault for an access of a lane, and a crooked address is refused before its bounds are asked."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.left: set[Place] = set()

    def begin(self, machine: Machine) -> None:
        self.memory = machine.memory

    def accessed(self, instr: PtxInstr, space: str, addresses: Array, active: Array) -> None:
        assert instr.access is not None
        lanes = np.flatnonzero(active)
        if not lanes.size:
            return
        size = instr.access.bytes
        _, refused = self.memory.find(space, addresses[lanes], size, 1, lanes)
        line = self.source.line_column(instr.offset)[0]
        self.left |= {(group.kind, line) for group in refused}


OUTSIDE = {"address-space-mismatch": "out-of-bounds", "out-of-bounds": "address-space-mismatch"}
"""An address of another space is, to a machine that sees its number alone, one that is nowhere in
this space. That it comes from elsewhere is claimed only where it holds for all lanes of the access,
so it says all that is wrong with their bounds. A generic address that leaves its array by gigabytes
is, to the machine, one of no space."""


def elsewhere(places: Iterable[Place]) -> set[Place]:
    """The same harms under the other name."""
    return {(OUTSIDE[rule], line) for rule, line in places if rule in OUTSIDE}


ASTRAY = {
    "divergent-barrier": ("divergent-barrier",),
    "address-space-mismatch": ("out-of-bounds", "misaligned-access"),
}
"""What a run may meet only because it went on after a harm that was shown, with words that the
program never computed. Threads let go at a torn barrier are one barrier ahead of the others at all
that come later. A refused access stores nothing and loads zeros, so an address that is read back,
or is such a zero, is none of any space."""


def follows(harm: Place, shown: set[Place], program: LoweredModule) -> bool:
    """Whether a harm that was shown can be why this one happened: a thread comes from there."""
    rule, line = harm
    causes = {at for cause, at in shown if cause in ASTRAY.get(rule, ())}
    return any(line in lines_after(kernel, program.source, causes) for kernel in program.kernels)


def lines_after(kernel: Kernel, source: Source, lines: set[int]) -> set[int]:
    """The lines that a thread may come to after one of these."""
    found: set[int] = set()
    work: list[tuple[int, int]] = [
        (block.index, place + 1)
        for block in kernel.blocks
        for place, instr in enumerate(block.instrs)
        if isinstance(instr, PtxInstr) and source.line_column(instr.offset)[0] in lines
    ]
    entered: set[int] = set()
    while work:
        index, first = work.pop()
        block = kernel.blocks[index]
        rest = [instr for instr in block.instrs[first:] if isinstance(instr, PtxInstr)]
        found |= {source.line_column(instr.offset)[0] for instr in rest}
        fresh = set(block.terminator.targets) - entered
        entered |= fresh
        work += [(target, 0) for target in fresh]
    return found


def errors_of(report: Report) -> list[Finding]:
    return [f for f in report.findings if f.severity is Severity.ERROR]


def place(finding: Finding) -> Place:
    return finding.rule, finding.ptx.line


def concrete_launches(kernel: Kernel, launch: Launch) -> Iterator[ConcreteLaunch]:
    """The greatest and the least of the launches that are declared, with buffers of zeros."""
    least = {
        index: Range(value.low, value.low) if isinstance(value, Range) else value
        for index, value in launch.values.items()
    }
    for chosen in (launch, replace(launch, values=least)):
        yield chosen.concrete(kernel)
        if least == launch.values:
            return


def between(kernel: Kernel, launch: Launch) -> Iterator[ConcreteLaunch]:
    """Launches of which every range is one of its values, at random; none if there is no range, or
    none that is met with meets the needs."""
    random = Random(kernel.name)
    ranges = {i: r for i, r in launch.values.items() if isinstance(r, Range) and not r.single}
    drawn = (
        {i: Range(v, v) for i, r in ranges.items() for v in [random.randint(r.low, r.high)]}
        for _ in range(DRAWN if ranges else 0)
    )
    launches = (replace(launch, values={**launch.values, **single}) for single in drawn)
    for chosen in islice((one for one in launches if meets_needs(kernel, one)), SIZES):
        yield chosen.concrete(kernel)


def meets_needs(kernel: Kernel, launch: Launch) -> bool:
    """Of a launch whose ranges are single values."""
    shape = launch.grid or (1, 1, 1), launch.block or (1, 1, 1)
    named = numbers(kernel, launch.greatest, *shape)
    return all(need.holds(named) for need in launch.conditions)
