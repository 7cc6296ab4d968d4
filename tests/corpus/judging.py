"""A mutant before its judge: what the interpreter meets must be reported, and nothing else."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from ptxlint.assemble import Program, assemble
from ptxlint.check import Engine, Report, Selection, check
from ptxlint.contract import Contract, Launch, Range
from ptxlint.finding import Finding, Severity
from ptxlint.ir import Kernel
from ptxlint.simt import Setup, run
from ptxlint.source import Source
from ptxlint.syntax import parse

JUDGED = frozenset({
    "out-of-bounds", "misaligned-access", "address-space-mismatch", "divergent-barrier",
    "divergent-uniform-branch", "undefined-register",
})  # fmt: skip
MAX_STEPS, MAX_SECONDS = 20_000, 5.0

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

    def add(self, verdict: Verdict) -> None:
        harmful = bool(verdict.happened) and verdict.whole
        self.mutants += 1
        self.harmful += harmful
        self.shown += harmful and not verdict.missed


def contract_of(path: Path) -> Contract:
    """The contract in the comments of the file that a person wrote."""
    written = path.with_suffix(".cu")
    return Contract.from_comments((written if written.exists() else path).read_text("utf-8"))


def judged(text: str, contract: Contract) -> Verdict:
    """Runs the interpreter on a text, then the check. A run that comes to no end says nothing of
    what did not happen: findings of such a text need no replay."""
    program = assembled(text)
    if program is None:
        return Verdict(refused=True)
    happened, whole = ran(program, contract)
    engine = Engine.default(Selection())
    if not whole:
        engine = replace(engine, confirm=unasked)
    source = program.source
    report = check([source], contract, engine=engine)
    errors = errors_of(report)
    shown = {place(f, source) for f in errors if f.witness is not None}
    claimed = {place(f, source) for f in errors if f.rule in JUDGED}
    missed, alarms = compared(happened, shown, claimed)
    problems = tuple(d.message for d in report.diagnostics if d.severity == "error")
    return Verdict(frozenset(happened), missed, alarms, problems, whole)


def assembled(text: str) -> Program | None:
    """The program of a text, None where it has an error."""
    source = Source("mutant.ptx", text)
    parsed = parse(source)
    if parsed.module is None or not parsed.ok:
        return None
    program = assemble(parsed.module, source)
    return None if program.diagnostics else program


def ran(program: Program, contract: Contract) -> tuple[set[Place], bool]:
    """What happens in the launches that are declared, and whether all of them come to an end."""
    happened: set[Place] = set()
    whole = True
    for kernel in program.kernels:
        for setup in setups(kernel, contract.for_kernel(kernel)):
            outcome = run(kernel, setup)
            whole &= not outcome.exhausted
            happened |= {
                (fault.kind, program.source.line_column(fault.offset)[0])
                for fault in outcome.faults
                if fault.kind in JUDGED
            }
    return happened, whole


def unasked(kernel: Kernel, launch: Launch, findings: list[Finding]) -> list[Finding]:
    return findings


def compared(
    happened: set[Place], shown: set[Place], claimed: set[Place]
) -> tuple[frozenset[Place], frozenset[Place]]:
    """What happened and is not shown, and what is claimed and did not happen. The interpreter has
    one fault for an access: an address of another space is nowhere in this one, and one that is
    misaligned is not held against the bounds. Threads that wait at a torn barrier are missing at
    the next one, and an address that is read back where a write went astray is anything."""
    torn = any(rule == "divergent-barrier" for rule, _ in shown)
    astray = any(rule in ("out-of-bounds", "misaligned-access") for rule, _ in shown)
    missed = {
        (rule, line)
        for rule, line in happened - shown
        if not (rule == "out-of-bounds" and ("address-space-mismatch", line) in shown)
        and not (rule == "divergent-barrier" and torn)
        and not (rule == "address-space-mismatch" and astray)
    }
    harm = {"address-space-mismatch": "out-of-bounds", "out-of-bounds": "misaligned-access"}
    alarms = {
        (rule, line) for rule, line in claimed - happened if (harm.get(rule), line) not in happened
    }
    return frozenset(missed), frozenset(alarms)


def errors_of(report: Report) -> list[Finding]:
    return [f for f in report.findings if f.severity is Severity.ERROR]


def place(finding: Finding, source: Source) -> Place:
    return finding.rule, source.line_column(finding.instr.offset)[0]


def setups(kernel: Kernel, launch: Launch) -> Iterator[Setup]:
    """The greatest and the least of the launches that are declared, with buffers of zeros."""
    least = {
        index: Range(value.low, value.low) if isinstance(value, Range) else value
        for index, value in launch.values.items()
    }
    for chosen in (launch, replace(launch, values=least)):
        setup = Setup.of(kernel, chosen)
        yield replace(setup, max_steps=MAX_STEPS, max_seconds=MAX_SECONDS)
        if least == launch.values:
            return
