"""The analysis of kernels: parsed, lowered, asked by every rule, replayed, judged.

Each source is parsed and its kernels lowered, each kernel gets the launches that the contracts
allow, every rule makes its claims, and the interpreter searches for witnesses. A crash becomes a
diagnostic of its kernel, which counts as not analysed; the rest goes on. PTXLINT_TRACEBACK=1 raises
instead.
"""

from __future__ import annotations

import gc
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from analyses.program import Effect
from ptxlint.claim import Claim
from ptxlint.contracts.contract import Contract
from ptxlint.contracts.declaration import ContractError
from ptxlint.contracts.grids import of_common_grids
from ptxlint.contracts.launch import Launch
from ptxlint.contracts.resolution import beside, required, resolved
from ptxlint.ir import Kernel, PtxInstr
from ptxlint.kernel_text import kernel_heads
from ptxlint.lowering.module import LoweredModule, lower_module, wrong_variables
from ptxlint.mangling import demangled, matches, signature
from ptxlint.options import Options
from ptxlint.places import Locations
from ptxlint.plain import contract_result, finding_of, kernel_result
from ptxlint.results.contract import InferredContract
from ptxlint.results.finding import Certainty, Finding
from ptxlint.results.outcome import KernelHead, KernelOutcome, ModuleOutcome, ParsedModule
from ptxlint.results.report import KernelResult
from ptxlint.rule import load_rule
from ptxlint.source import Diagnostic, Source
from ptxlint.source_files import SourceFiles
from ptxlint.syntax import Parsed, ast, parse

if TYPE_CHECKING:
    from ptxlint.facts.kernel_facts import Facts
    from ptxlint.inference.inferred_contract import Inferred
    from ptxlint.verdicts.judgement import Judgement

T = TypeVar("T")
MANY_OBJECTS = 1_500_000  # new ones, at which a search for unused ones pays


class ReadFile(Struct, frozen=True):
    """A module, the names of its kernels, those that were selected and could be lowered, and the
    number of selected ones. ``program`` is None if the source is not PTX. The diagnostics are those
    of the text, then ``lowered`` and ``unmodelled`` ones of the kernels."""

    source: Source
    program: LoweredModule | None = None
    entries: tuple[str, ...] = ()
    chosen: tuple[Kernel, ...] = ()
    present: int = 0
    parsed: tuple[Diagnostic, ...] = ()
    lowered: tuple[Diagnostic, ...] = ()
    unmodelled: tuple[Diagnostic, ...] = ()

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        return self.parsed + self.lowered + self.unmodelled


class Analysis(Struct, frozen=True):
    """A kernel under one launch: its facts and claims. Without facts, only its contract is asked
    for, or something crashed; ``notes`` are about searches that were cut."""

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


class Attempts(Struct):
    """Runs the steps of one subject; a crash becomes a diagnostic at its location."""

    source: Source
    subject: str
    offset: int = 0
    diagnostics: list[Diagnostic] = []

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


def analyses(
    read: Sequence[ReadFile], options: Options
) -> Iterator[tuple[ReadFile, Iterator[Analysis]]]:
    """The analyses of each file, one at a time. Raises ContractError."""
    require(options, read)
    several = sum(len(file.chosen) for file in read) > 1

    def allowed(file: ReadFile, kernel: Kernel) -> list[Launch]:
        try:
            return each(options, kernel, beside(file.source))
        except ContractError as error:
            raise named(error, kernel.name, file.source) if several else error from None

    launches = [[(k, one) for k in file.chosen for one in allowed(file, k)] for file in read]
    for file, launched in zip(read, launches, strict=True):
        yield file, (analyse(file.source, *one, options) for one in launched)


# --- as plain data


class Task(Struct, frozen=True):
    """One kernel to check, with the texts that its lines come from: nothing else is read."""

    head: KernelHead
    texts: tuple[Source, ...]
    options: Options


def parsed_module(source: Source) -> ParsedModule:
    """A module and its kernels, each as a text of its own."""
    parsed = parse(source)
    if parsed.module is None:
        return ParsedModule(source.path, diagnostics=parsed.diagnostics)
    return ParsedModule(
        source.path,
        entries_of(parsed),
        tuple(kernel_heads(parsed.module, source, parsed.plain)),
        (*parsed.diagnostics, *wrong_variables(parsed.module, source)),
    )


def outcome_of(task: Task) -> KernelOutcome | ContractError:
    """What a check says of one kernel; the error, if what is declared cannot be."""
    head, options = task.head, task.options.for_one_kernel()
    read = read_file(head.source, options, f"kernel {signature(head.name)}")
    places = Locations(head.source, read.program, SourceFiles(task.texts, disk=False))
    try:
        launched = [
            (kernel, launch)
            for kernel in the_kernel(head, read)
            for launch in each(options, kernel, beside(head.source))
        ]
    except ContractError as error:
        return error
    analysed = (analyse(head.source, *one, options) for one in launched)
    outcome = outcome_in(places, freed(analysed))
    notes = tuple((note.message.split(" ", 1)[0], note) for note in read.unmodelled)
    return replace(outcome, refused=read.lowered, unmodelled=notes)


def freed(analyses: Iterable[Analysis]) -> Iterator[Analysis]:
    """Each in turn; the facts of one are gone when the next one is asked for."""
    from ptxlint.facts.freed import free

    for analysis in analyses:
        yield analysis
        if analysis.facts is not None:
            free(analysis.facts)


def the_kernel(head: KernelHead, read: ReadFile) -> Iterator[Kernel]:
    """The kernel, if it could be lowered: its text may have others that it names."""
    for kernel in read.chosen:
        if head.source.line_column(kernel.offset) == (head.line, head.column):
            yield kernel


def lowered(head: KernelHead) -> list[Kernel]:
    """The kernel alone, if it can be lowered."""
    return list(the_kernel(head, read_file(head.source, Options())))


def module_outcome(
    file: ReadFile, analyses: Iterable[Analysis], files: SourceFiles
) -> ModuleOutcome:
    """The analyses of a module's kernels as plain data."""
    outcome = outcome_in(Locations(file.source, file.program, files), analyses)
    return ModuleOutcome(
        path=file.source.path,
        present=file.present,
        diagnostics=file.diagnostics,
        outcomes=(outcome,),
    )


def outcome_in(places: Locations, analyses: Iterable[Analysis]) -> KernelOutcome:
    """The analyses as plain data. Of launches with the same finding, the first one counts."""
    seen: set[tuple[object, ...]] = set()
    findings: list[tuple[Finding, str]] = []
    results: list[KernelResult] = []
    contracts: list[InferredContract] = []
    problems: list[Diagnostic] = []
    for analysis in analyses:
        problems += [*analysis.diagnostics, *analysis.notes]
        results.append(analysis.result(places))
        for claim in analysis.claims:
            what = (claim.rule, claim.instr, claim.message)
            if what not in seen:
                seen.add(what)
                found = finding_of(claim, analysis.kernel, analysis.launch, places)
                text = places.files.line(found.location) if found.in_source else claim.instr.text
                findings.append((found, text))
        if analysis.contract is not None:
            contracts.append(contract_result(analysis.contract, places))
    return KernelOutcome(
        findings=tuple(findings),
        kernels=tuple(results),
        contracts=tuple(contracts),
        problems=tuple(dict.fromkeys(problems)),
    )


# --- launches


def each(options: Options, kernel: Kernel, metadata: Sequence[Contract] = ()) -> list[Launch]:
    """The recorded launches of a kernel, without duplicates, on whatever device they happened; else
    the declared ones. Their grid is assumed to be a common one."""
    contracts = (*options.contracts, *metadata)
    found = [resolved([one, *contracts], kernel) for one in options.launches if one.fits(kernel)]
    found = [launch for at, launch in enumerate(found) if launch not in found[:at]]
    found = found or [resolved(contracts, kernel, options.arch)]
    if not options.any_grid:
        found = [of_common_grids(launch, kernel.specials) for launch in found]
    return found


def named(error: ContractError, kernel: str, source: Source) -> ContractError:
    """The error with the kernel that what is declared does not fit: it may fit others."""
    return ContractError(f"{error} (kernel {demangled(kernel)} of {source.path})")


def require(options: Options, read: Sequence[ReadFile]) -> None:
    """Raises ContractError for unknown names. If a kernel could not be read, the name may be meant
    for it."""
    there = [name for file in read for name in file.entries]
    if there and not any(file.present for file in read):
        names = ", ".join(map(signature, there[:5])) + (" and others" if len(there) > 5 else "")
        message = f"no kernel of this name, there is {names}"
        raise ContractError(f"--kernel {options.kernel}: {message}")
    if all(len(file.chosen) == file.present for file in read):
        contracts = (*options.launches, *options.contracts)
        required(contracts, [(kernel, file.source) for file in read for kernel in file.chosen])


# --- steps


def read_file(source: Source, options: Options, subject: str = "the file") -> ReadFile:
    parsed = parse(source)
    module = parsed.module
    if module is None:
        return ReadFile(source, parsed=parsed.diagnostics)
    steps = Attempts(source, subject)
    program = steps.attempt("assembling", lambda: lower_module(module, source), None)
    entries = entries_of(parsed)
    kernels = program.kernels if program is not None else ()
    chosen = tuple(k for k in kernels if matches(k.name, options.kernel))
    return ReadFile(
        source,
        program,
        entries,
        chosen,
        sum(matches(name, options.kernel) for name in entries),
        parsed.diagnostics,
        (*steps.diagnostics, *(program.diagnostics if program else ())),
        tuple(unmodelled(source, chosen)),
    )


def entries_of(parsed: Parsed) -> tuple[str, ...]:
    """The names of the kernels of a module, with those that have a syntax error."""
    items = parsed.module.items if parsed.module is not None else ()
    return tuple(
        item.name
        for item in items
        if isinstance(item, ast.Function)
        and item.entry
        and (item.body is not None or item.name in parsed.broken)
    )


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
    if instr.synthetic:
        return f"specified: it writes {instr.defs[0].name} twice"
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
    free_garbage()
    from analyses.proofs.smt import Solver
    from ptxlint.facts.kernel_facts import Facts

    steps = Attempts(source, f"kernel {kernel.demangled}", kernel.offset)
    solver = Solver if options.z3 else None
    contract = None
    if options.infer:
        from ptxlint.inference.contract import contract_of

        contract = steps.attempt("contract", lambda: contract_of(kernel, launch, solver), None)
    facts = Facts(kernel, launch, options.arch, solver)
    claims: list[Claim] = []
    cut: Sequence[Claim] = ()
    for name in options.rule_ids:
        if (ask := load_rule(name).check) is not None:
            claims += steps.attempt(f"rule {name}", lambda ask=ask: list(ask(facts)), [])  # type: ignore[misc]
    if claims:  # the interpreter and numpy stay out of a run that finds nothing
        from ptxlint.replay.witness import confirm

        confirmed = steps.attempt("witnesses", lambda: confirm(facts, claims), None)
        if confirmed is not None:
            claims = list(confirmed.claims)
            cut = confirmed.cut
    accesses = steps.attempt("accesses", lambda: facts.accesses, None) if options.checks else None
    found = facts if accesses is not None else None
    judgement = None
    if found is not None and options.rules and options.verdicts:
        from ptxlint.verdicts.judgement import judged

        judgement = steps.attempt("the verdict", lambda: judged(facts, claims), None)
        if judgement is not None:
            claims = [claim for claim in claims if not judgement.refutes(claim)]
            cut = [claim for claim in cut if not judgement.refutes(claim)]
    shown = [c for c in claims if options.pedantic or c.certainty is not Certainty.POSSIBLE]
    if options.pedantic:
        from ptxlint.facts.imprecision import reasoned

        shown = steps.attempt("reasons", lambda: [reasoned(facts, c) for c in shown], shown)
    shown = [c.priced() for c in shown]
    shown.sort(key=lambda claim: (claim.instr.offset, claim.rule, claim.message))
    problems, notes = tuple(steps.diagnostics), tuple(cut_search(source, kernel, cut))
    return Analysis(kernel, launch, found, tuple(shown), contract, problems, judgement, notes)


def free_garbage() -> None:
    """Frees what else of earlier kernels refers to itself, if there are many objects."""
    if gc.get_count()[0] > MANY_OBJECTS:
        gc.collect()


def cut_search(source: Source, kernel: Kernel, claims: Sequence[Claim]) -> Iterator[Diagnostic]:
    """A note that the search for witnesses took all its steps before these claims had one."""
    if claims:
        from analyses.budget import REPLAYS_STEPS

        many = f"{len(claims)} possible finding{'s' * (len(claims) > 1)}"
        steps = f"replays of up to {REPLAYS_STEPS:,} steps"
        message = f"kernel {kernel.demangled}: {many} not decided by {steps}"
        yield Diagnostic(source.path, *source.line_column(kernel.offset), message, "note")
