"""The check: from sources to a report.

Each source is parsed and its kernels lowered, each kernel gets the launches that the contracts
allow, every rule makes its claims, and the interpreter searches for witnesses. A crash becomes a
diagnostic of its kernel, which counts as not analysed; the rest goes on. PTXLINT_TRACEBACK=1 raises
instead.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from time import perf_counter
from typing import TYPE_CHECKING, Any, TypeVar

from analyses.program import Effect
from ptxlint.claim import Claim
from ptxlint.contracts.contract import Contract
from ptxlint.contracts.declaration import ContractError
from ptxlint.contracts.launch import Launch
from ptxlint.contracts.resolution import required, resolved
from ptxlint.ignores import applied
from ptxlint.ir import Kernel, PtxInstr
from ptxlint.lowering.module import LoweredModule, lower_module
from ptxlint.mangling import matches
from ptxlint.options import Options
from ptxlint.places import Locations, SourceFiles
from ptxlint.plain import contract_result, finding_of, kernel_result
from ptxlint.results.finding import Certainty, Finding
from ptxlint.results.fingerprint import fingerprinted
from ptxlint.results.report import KernelResult, Report
from ptxlint.rule import load_rule
from ptxlint.source import Diagnostic, Source, plural
from ptxlint.syntax import ast, parse

if TYPE_CHECKING:
    from ptxlint.facts.kernel_facts import Facts
    from ptxlint.inference.inferred import Inferred
    from ptxlint.results.contract import InferredContract
    from ptxlint.verdicts.judgement import Judgement

T = TypeVar("T")


@dataclass(frozen=True)
class ReadFile:
    """A module, the names of its kernels, those that were selected and could be lowered, and the
    number of selected ones. ``program`` is None if the source is not PTX."""

    source: Source
    program: LoweredModule | None = None
    entries: tuple[str, ...] = ()
    chosen: tuple[Kernel, ...] = ()
    present: int = 0
    diagnostics: tuple[Diagnostic, ...] = ()


@dataclass(frozen=True)
class Analysis:
    """A kernel under one launch: its facts and claims. Without facts, or with diagnostics,
    something crashed; ``notes`` are about searches that were cut."""

    kernel: Kernel
    launch: Launch
    facts: Facts | None
    claims: tuple[Claim, ...] = ()
    contract: Inferred | None = None
    diagnostics: tuple[Diagnostic, ...] = ()
    judgement: Judgement | None = None
    notes: tuple[Diagnostic, ...] = ()

    def result(self, places: Locations) -> KernelResult:
        whole = not self.diagnostics
        return kernel_result(
            self.kernel, self.launch, self.facts, self.claims, self.judgement, whole, places
        )


@dataclass
class Attempts:
    """Runs the steps of one subject; a crash becomes a diagnostic at its location."""

    source: Source
    subject: str
    offset: int = 0
    diagnostics: list[Diagnostic] = field(default_factory=list)

    def attempt(self, step: str, action: Callable[[], T], otherwise: T) -> T:
        try:
            return action()
        except Exception as error:
            if os.environ.get("PTXLINT_TRACEBACK"):
                raise
            line, column = self.source.line_column(self.offset)
            what = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
            message = (
                f"internal error in {step}, {self.subject} is not analysed: {what}; please report"
                " it with this file"
            )
            self.diagnostics.append(Diagnostic(self.source.path, line, column, message))
            return otherwise


def check(
    sources: Iterable[Source],
    options: Options | None = None,
    problems: Sequence[Diagnostic] = (),
    files: SourceFiles | None = None,
) -> Report:
    """Checks the sources. ``problems`` come first in the report, ``files`` are the texts that it
    quotes. Raises ContractError where a declaration fits no kernel."""
    start = perf_counter()
    options = options or Options()
    read = [read_file(source, options) for source in sources]
    files = files or SourceFiles(file.source for file in read)
    results = Results(files)
    for file, found in analyses(read, options):
        results.add(file, found)
    notes = (*unfitting((*options.launches, *options.contracts), read), *without_kernels(read))
    report = results.report((*problems, *notes), perf_counter() - start)
    return applied(report, files, options)


def analyses(
    read: Sequence[ReadFile], options: Options
) -> Iterator[tuple[ReadFile, Iterator[Analysis]]]:
    """The analyses of each file, one at a time. Raises ContractError."""
    require(options, read)
    launches = [
        [(k, launch) for k in file.chosen for launch in each(options, k, beside(file.source))]
        for file in read
    ]
    for file, launched in zip(read, launches, strict=True):
        yield file, (analyse(file.source, *one, options) for one in launched)


class Results:
    """The plain results of a check, in the order of the files."""

    def __init__(self, files: SourceFiles) -> None:
        self.files = files
        self.findings: list[tuple[Finding, str]] = []
        self.kernels: list[KernelResult] = []
        self.contracts: list[InferredContract] = []
        self.diagnostics: list[Diagnostic] = []
        self.paths: set[str] = set()
        self.present = 0

    def add(self, file: ReadFile, analyses: Iterable[Analysis]) -> None:
        """Adds the results of a file. Of launches with the same finding, the first one counts."""
        places = Locations(file.source, file.program, self.files)
        seen: set[tuple[object, ...]] = set()
        crashes: list[Diagnostic] = []
        for analysis in analyses:
            crashes += [*analysis.diagnostics, *analysis.notes]
            self.kernels.append(analysis.result(places))
            for claim in analysis.claims:
                what = (claim.rule, claim.instr, claim.message)
                if what not in seen:
                    seen.add(what)
                    found = finding_of(claim, analysis.kernel, analysis.launch, places)
                    text = self.files.line(found.location) if found.in_source else claim.instr.text
                    self.findings.append((found, text))
            if analysis.contract is not None:
                self.contracts.append(contract_result(analysis.contract, places))
            del analysis  # its facts are freed before the next kernel is analysed
        self.diagnostics += [*file.diagnostics, *dict.fromkeys(crashes)]
        self.paths.add(file.source.path)
        self.present += file.present

    def report(self, problems: Sequence[Diagnostic], seconds: float, **more: Any) -> Report:
        """The report, by path and line; the order does not depend on the order of the rules."""
        found = sorted(self.findings, key=lambda pair: order(pair[0]))
        return Report(
            findings=tuple(fingerprinted(found)),
            contracts=tuple(self.contracts),
            diagnostics=(*problems, *self.diagnostics, *self.files.problems),
            kernels=tuple(self.kernels),
            files=len(self.paths),
            present=self.present,
            seconds=round(seconds, 3),
            **more,
        )


def order(of: Finding) -> tuple[object, ...]:
    at = of.location
    return at.path, at.line, at.column, of.ptx.path, of.ptx.line, of.rule, of.message


# --- launches


def beside(source: Source) -> list[Contract]:
    """What the metadata beside a source declare, if there are any."""
    return [Contract.from_options(source.launch, "metadata")] if source.launch else []


def each(options: Options, kernel: Kernel, metadata: Sequence[Contract] = ()) -> list[Launch]:
    """The recorded launches of a kernel, without duplicates; else the declared ones."""
    contracts = (*options.contracts, *metadata)
    found = [resolved([one, *contracts], kernel) for one in options.launches if one.fits(kernel)]
    found = [launch for at, launch in enumerate(found) if launch not in found[:at]]
    return found or [resolved(contracts, kernel)]


def unfitting(contracts: Iterable[Contract], read: Sequence[ReadFile]) -> Iterator[Diagnostic]:
    """A note on each contract file that fits none of the kernels."""
    kernels = [kernel for file in read for kernel in file.chosen]
    for origin, group in groupby(contracts, lambda contract: contract.origin):
        if kernels and not any(c.fits(k) or not c.places for c in group for k in kernels):
            names = ", ".join([k.name for k in kernels][:5]) + ", ..." * (len(kernels) > 5)
            message = f"none of its tables is about a kernel here: {names}"
            yield Diagnostic(origin, 0, 0, message, "note")


def without_kernels(read: Sequence[ReadFile]) -> Iterator[Diagnostic]:
    """A note on modules that are right and have no kernel, where none has one. Among others that
    have kernels they are passed over: folders of PTX have modules of functions and variables."""
    if read and not any(file.entries or file.diagnostics for file in read):
        message, paths = "no kernel in this file", sorted({file.source.path for file in read})
        others = plural(len(paths) - 1, "other file", "other files")
        if len(paths) > 1:
            message = f"no kernel in this file, nor in {others}"
        yield Diagnostic(paths[0], 0, 0, message, "note")


def require(options: Options, read: Sequence[ReadFile]) -> None:
    """Raises ContractError for unknown names. If a kernel could not be read, the name may be meant
    for it."""
    there = [name for file in read for name in file.entries]
    if there and not any(file.present for file in read):
        names = ", ".join(there[:5]) + (" and others" if len(there) > 5 else "")
        message = f"no kernel of this name, there is {names}"
        raise ContractError(f"--kernel {options.kernel}: {message}")
    if all(len(file.chosen) == file.present for file in read):
        contracts = (*options.launches, *options.contracts)
        required(contracts, [kernel for file in read for kernel in file.chosen])


# --- steps


def read_file(source: Source, options: Options) -> ReadFile:
    parsed = parse(source)
    module = parsed.module
    if module is None:
        return ReadFile(source, diagnostics=parsed.diagnostics)
    steps = Attempts(source, "the file")
    program = steps.attempt("assembling", lambda: lower_module(module, source), None)
    diagnostics = [*parsed.diagnostics, *steps.diagnostics]
    entries = tuple(
        item.name
        for item in module.items
        if isinstance(item, ast.Function)
        and item.entry
        and (item.body is not None or item.name in parsed.broken)
    )
    present = sum(matches(name, options.kernel) for name in entries)
    kernels = program.kernels if program is not None else ()
    chosen = tuple(k for k in kernels if matches(k.name, options.kernel))
    diagnostics += [*(program.diagnostics if program else ()), *unmodelled(source, chosen)]
    return ReadFile(source, program, entries, chosen, present, tuple(diagnostics))


def unmodelled(source: Source, kernels: Iterable[Kernel]) -> list[Diagnostic]:
    """A note on each unmodelled opcode and call, at its first use."""
    first: dict[str, PtxInstr] = {}
    for kernel in kernels:
        for instr in kernel.instructions:
            if instr.effects and instr.effects & Effect.UNMODELLED:
                known = first.setdefault(instr.text, instr)
                first[instr.text] = min(known, instr, key=lambda one: one.offset)
    return [
        Diagnostic(
            source.path,
            *source.line_column(instr.offset),
            f"{instr.text} is not {'; '.join([missing_from(instr), *lost_by(instr)])}",
            "note",
        )
        for instr in sorted(first.values(), key=lambda one: one.offset)
    ]


def missing_from(instr: PtxInstr) -> str:
    if instr.effects & Effect.CALL:
        return "followed"
    return "in the instruction table" if instr.form is None else "modelled"


def lost_by(instr: PtxInstr) -> Iterator[str]:
    """What the analyses do not know because an instruction is not modelled."""
    from ptxlint.facts.wording import opaque_text

    if instr.defs:
        yield "its results may be anything"
    if instr.opaque:
        yield f"it {opaque_text(instr)}"


def analyse(source: Source, kernel: Kernel, launch: Launch, options: Options) -> Analysis:
    """Analyses one kernel for one launch. Possible claims are left out unless pedantic."""
    from analyses.proofs.smt import Solver
    from ptxlint.facts.kernel_facts import Facts

    steps = Attempts(source, f"kernel {kernel.name}", kernel.offset)
    solver = Solver if options.z3 else None
    contract = None
    if options.infer:
        from ptxlint.inference.contract import contract_of

        contract = steps.attempt("contract", lambda: contract_of(kernel, launch, solver), None)
    facts = Facts(kernel, launch, options.arch, solver)
    claims: list[Claim] = []
    notes: tuple[Diagnostic, ...] = ()
    for name in options.rule_ids:
        if (ask := load_rule(name).check) is not None:
            claims += steps.attempt(f"rule {name}", lambda ask=ask: list(ask(facts)), [])  # type: ignore[misc]
    if claims:  # the interpreter and numpy stay out of a run that finds nothing
        from ptxlint.replay.witness import confirm

        confirmed = steps.attempt("witnesses", lambda: confirm(kernel, launch, claims), None)
        if confirmed is not None:
            claims = list(confirmed.claims)
            notes = tuple(cut_search(source, kernel, confirmed.cut))
    shown = [c for c in claims if options.pedantic or c.certainty is not Certainty.POSSIBLE]
    if options.pedantic:
        from ptxlint.facts.imprecision import reasoned

        shown = steps.attempt("reasons", lambda: [reasoned(facts, c) for c in shown], shown)
    shown = [c.priced() for c in shown]
    shown.sort(key=lambda claim: (claim.instr.offset, claim.rule, claim.message))
    accesses = steps.attempt("accesses", lambda: facts.accesses, None)
    found = facts if accesses is not None else None
    judgement = None
    if found is not None and options.rules and options.verdicts:
        from ptxlint.verdicts.judgement import judged

        judgement = steps.attempt("the verdict", lambda: judged(facts, claims), None)
    problems = tuple(steps.diagnostics)
    return Analysis(kernel, launch, found, tuple(shown), contract, problems, judgement, notes)


def cut_search(source: Source, kernel: Kernel, claims: Sequence[Claim]) -> Iterator[Diagnostic]:
    """A note that the search for witnesses took all its steps before these claims had one."""
    if claims:
        from analyses.budget import REPLAYS_STEPS

        many = f"{len(claims)} possible finding{'s' * (len(claims) > 1)}"
        message = f"kernel {kernel.name}: {many} not decided by replays of {REPLAYS_STEPS:,} steps"
        yield Diagnostic(source.path, *source.line_column(kernel.offset), message, "note")
