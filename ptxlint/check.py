"""From texts to a report: the seam between reading, analysing and telling.

``check`` reads each source, assembles its kernels, gives each the launch that the contract allows,
computes facts, asks every rule and lets the interpreter confirm what the rules found. Whatever goes
wrong on the way stays with the kernel it happened to: it becomes a diagnostic, the kernel counts as
not analysed, and the rest goes on. Set PTXLINT_TRACEBACK to see where.

What the steps are is an ``Engine``; tests put in their own.
"""

from __future__ import annotations

import gc
import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from functools import cached_property, partial
from itertools import groupby
from time import perf_counter
from typing import TYPE_CHECKING, Any, TypeVar

from analyses.program import Effect
from ptxlint.contracts.contract import Contract, ContractError, Launch
from ptxlint.contracts.resolution import required, resolved
from ptxlint.finding import Certainty, Finding, Severity
from ptxlint.ir import Kernel
from ptxlint.lowering.module import LoweredModule, lower_module
from ptxlint.rule import RuleModule, load_rule, rule_names
from ptxlint.source import Diagnostic, Source
from ptxlint.syntax import ast, parse

if TYPE_CHECKING:
    from ptxlint.inference.inferred import Inferred

T = TypeVar("T")

NEW_OBJECTS = 50_000  # between two collections


@dataclass(frozen=True)
class Selection:
    """What to look for. ``select`` and ``ignore`` hold rule ids, no ``select`` means all;
    ``kernel`` is a pattern like ``reduce_*``."""

    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    kernel: str = "*"
    arch: str = "sm_80"
    pedantic: bool = False
    contracts: bool = False  # infer what each kernel needs, whatever is declared
    z3: bool = False  # ask it for proofs that are not found otherwise

    @property
    def rules(self) -> tuple[str, ...]:
        chosen = self.select or rule_names()
        return tuple(name for name in chosen if name not in self.ignore)


@dataclass(frozen=True)
class Engine:
    """The rules, how the facts of a kernel are had, and what confirms findings."""

    rules: tuple[RuleModule, ...]
    facts: Callable[[Kernel, Launch, str], Any]
    confirm: Callable[[Kernel, Launch, list[Finding]], list[Finding]]

    @classmethod
    def default(cls, selection: Selection) -> Engine:
        from analyses.proofs.smt import Solver
        from ptxlint.facts import Facts

        facts = partial(Facts, solver=Solver if selection.z3 else None)

        def confirm(kernel: Kernel, launch: Launch, found: list[Finding]) -> list[Finding]:
            if not found:  # the interpreter and numpy stay out of a run that finds nothing
                return found
            from ptxlint.replay import witness

            return witness.confirm(kernel, launch, found)

        return cls(tuple(load_rule(name) for name in selection.rules), facts, confirm)

    @classmethod
    def without_rules(cls) -> Engine:
        from ptxlint.facts import Facts

        return cls((), Facts, lambda kernel, launch, found: found)


@dataclass(frozen=True, slots=True)
class Accesses:
    """Memory accesses, counted: an access with an error is flagged, whatever else is known."""

    proved: int = 0
    flagged: int = 0
    unknown: int = 0

    @property
    def total(self) -> int:
        return self.proved + self.flagged + self.unknown

    def __add__(self, other: Accesses) -> Accesses:
        return Accesses(
            self.proved + other.proved, self.flagged + other.flagged, self.unknown + other.unknown
        )


@dataclass(frozen=True)
class CheckedKernel:
    """A kernel, the launch it was checked for, and what came of it. ``complete`` is false where
    something crashed."""

    kernel: Kernel
    launch: Launch
    findings: tuple[Finding, ...]
    accesses: Accesses
    diagnostics: tuple[Diagnostic, ...] = ()
    contract: Inferred | None = None

    @property
    def complete(self) -> bool:
        return not self.diagnostics


@dataclass(frozen=True)
class CheckedFile:
    """A source and its kernels. ``program`` is None when the text is no PTX."""

    source: Source
    program: LoweredModule | None
    kernels: tuple[CheckedKernel, ...]
    diagnostics: tuple[Diagnostic, ...]
    present: int

    @property
    def findings(self) -> tuple[Finding, ...]:
        return tuple(finding for checked in self.kernels for finding in checked.findings)

    def by_kernel(self) -> list[CheckedKernel]:
        """One for each kernel: where several launches of it were checked, the one of which least
        is proved."""
        launches: dict[str, list[CheckedKernel]] = {}
        for checked in self.kernels:
            launches.setdefault(checked.kernel.name, []).append(checked)
        return [min(c, key=lambda c: (c.complete, c.accesses.proved)) for c in launches.values()]


@dataclass(frozen=True, slots=True)
class Summary:
    """The figures of the last line."""

    files: int
    analysed: int
    present: int
    accesses: Accesses
    unmodelled: Mapping[str, int]
    seconds: float

    @property
    def complete(self) -> bool:
        whole = self.analysed == self.present
        return whole and not self.accesses.unknown and not self.unmodelled


@dataclass(frozen=True, slots=True)
class Executed:
    """What one run of a kernel did: instructions, accesses and faults count once a thread."""

    threads: int
    instructions: int
    accesses: int
    faults: int


@dataclass(frozen=True)
class Report:
    """All that was found. ``problems`` are diagnostics of what never became a source; ``executed``
    is there where a kernel was run instead of analysed."""

    files: tuple[CheckedFile, ...]
    seconds: float = 0.0
    problems: tuple[Diagnostic, ...] = ()
    executed: Executed | None = None

    @property
    def findings(self) -> tuple[Finding, ...]:
        return tuple(finding for file in self.files for finding in file.findings)

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        return self.problems + tuple(d for file in self.files for d in file.diagnostics)

    @cached_property
    def summary(self) -> Summary:
        kernels = [worst for file in self.files for worst in file.by_kernel()]
        unmodelled = Counter(
            instr.text
            for checked in kernels
            for instr in checked.kernel.instructions
            if instr.effects and instr.effects & Effect.UNMODELLED
        )
        return Summary(
            len(self.files),
            sum(checked.complete for checked in kernels),
            sum(file.present for file in self.files),
            sum((checked.accesses for checked in kernels), Accesses()),
            dict(unmodelled.most_common()),
            self.seconds,
        )


@dataclass
class _Attempts:
    """Runs the steps of one kernel; a crash becomes a diagnostic at the kernel's place."""

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
    contract: Contract | Sequence[Contract] = (),
    selection: Selection | None = None,
    engine: Engine | None = None,
    problems: Sequence[Diagnostic] = (),
    record: Sequence[Contract] = (),
) -> Report:
    """Checks the sources. Of several contracts, the first one counts most; each launch of the
    ``record`` counts before them, and its kernel is checked for each. Raises ContractError where
    they fit no kernel."""
    start = perf_counter()
    contracts = (contract,) if isinstance(contract, Contract) else contract
    selection = selection or Selection()
    engine = engine or Engine.default(selection)
    with rare_collection():
        read = [_read(source, selection) for source in sources]
        require((*record, *contracts), selection, read)
        launches = [
            [
                (kernel, launch)
                for kernel in file.chosen
                for launch in each(record, contracts, kernel)
            ]
            for file in read
        ]
        files = [
            _check_file(file, launched, selection, engine)
            for file, launched in zip(read, launches, strict=True)
        ]
        kernels = [kernel for file in read for kernel in file.chosen]
        unused = unfitting((*record, *contracts), kernels)
    return Report(tuple(files), perf_counter() - start, (*problems, *unused))


def each(record: Iterable[Contract], contracts: Sequence[Contract], kernel: Kernel) -> list[Launch]:
    """The launches of a kernel that happened, and differ; else those that are declared."""
    found = [resolved([one, *contracts], kernel) for one in record if one.fits(kernel)]
    found = [launch for at, launch in enumerate(found) if launch not in found[:at]]
    return found or [resolved(contracts, kernel)]


def unfitting(contracts: Iterable[Contract], kernels: Sequence[Kernel]) -> Iterator[Diagnostic]:
    """A note on each file of contracts that is about none of the kernels."""
    for origin, group in groupby(contracts, lambda contract: contract.origin):
        if kernels and not any(c.fits(k) or not c.places for c in group for k in kernels):
            names = ", ".join([k.name for k in kernels][:5]) + ", ..." * (len(kernels) > 5)
            message = f"none of its tables is about a kernel here: {names}"
            yield Diagnostic(origin, 0, 0, message, "note")


@contextmanager
def rare_collection() -> Iterator[None]:
    """Most of what a check makes is freed by its last reference or kept: a collector that looks
    for cycles after every 700 objects takes a seventh of the time."""
    before = gc.get_threshold()
    gc.set_threshold(NEW_OBJECTS, *before[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)


def require(contracts: Sequence[Contract], selection: Selection, read: Sequence[_Read]) -> None:
    """Raises ContractError for names that stand for nothing. Where a kernel could not be read the
    name may be meant for that one."""
    there = [name for file in read for name in file.entries]
    if there and not any(file.present for file in read):
        names = ", ".join(there[:5]) + (" and others" if len(there) > 5 else "")
        message = f"no kernel of this name, there is {names}"
        raise ContractError(f"--kernel {selection.kernel}: {message}")
    if all(len(file.chosen) == file.present for file in read):
        required(contracts, [kernel for file in read for kernel in file.chosen])


@dataclass(frozen=True)
class _Read:
    """A source, the names of its kernels, those that were asked for and could be read, and how
    many were asked for."""

    source: Source
    program: LoweredModule | None = None
    entries: tuple[str, ...] = ()
    chosen: tuple[Kernel, ...] = ()
    present: int = 0
    diagnostics: tuple[Diagnostic, ...] = ()


def _read(source: Source, selection: Selection) -> _Read:
    parsed = parse(source)
    module = parsed.module
    if module is None:
        return _Read(source, diagnostics=parsed.diagnostics)
    steps = _Attempts(source, "the file")
    program = steps.attempt("assembling", lambda: lower_module(module, source), None)
    diagnostics = [*parsed.diagnostics, *steps.diagnostics]
    entries = tuple(
        item.name
        for item in module.items
        if isinstance(item, ast.Function)
        and item.entry
        and (item.body is not None or item.name in parsed.broken)
    )
    present = sum(fnmatchcase(name, selection.kernel) for name in entries)
    kernels = program.kernels if program is not None else ()
    chosen = tuple(k for k in kernels if fnmatchcase(k.name, selection.kernel))
    diagnostics += [*(program.diagnostics if program else ()), *unknown_opcodes(source, chosen)]
    return _Read(source, program, entries, chosen, present, tuple(diagnostics))


def unknown_opcodes(source: Source, kernels: Iterable[Kernel]) -> list[Diagnostic]:
    """A note on each opcode that the instruction table does not have, where it stands first."""
    first: dict[str, int] = {}
    for kernel in kernels:
        for instr in kernel.instructions:
            if instr.form is None and instr.effects & Effect.UNMODELLED:
                first.setdefault(instr.text, instr.offset)
    return [
        Diagnostic(
            source.path,
            *source.line_column(offset),
            f"{text} is not in the instruction table: its results may be anything",
            "note",
        )
        for text, offset in first.items()
        if not text.startswith("call")
    ]


def _check_file(
    file: _Read, launches: Sequence[tuple[Kernel, Launch]], selection: Selection, engine: Engine
) -> CheckedFile:
    checked: list[CheckedKernel] = []
    told: set[tuple[object, ...]] = set()
    for kernel, launch in launches:
        found = check_kernel(file.source, kernel, launch, selection, engine)
        new = [f for f in found.findings if (f.rule, id(f.instr), f.message) not in told]
        told |= {(f.rule, id(f.instr), f.message) for f in new}
        checked.append(replace(found, findings=tuple(new)))
    crashes = tuple(d for kernel in checked for d in kernel.diagnostics)
    problems = file.diagnostics + tuple(dict.fromkeys(crashes))
    return CheckedFile(file.source, file.program, tuple(checked), problems, file.present)


def check_kernel(
    source: Source, kernel: Kernel, launch: Launch, selection: Selection, engine: Engine
) -> CheckedKernel:
    """The findings of one kernel for one launch."""
    steps = _Attempts(source, f"kernel {kernel.name}", kernel.offset)
    contract = None
    if selection.contracts:
        contract = steps.attempt("contract", lambda: contract_of(kernel, launch, engine), None)
    facts = steps.attempt("facts", lambda: engine.facts(kernel, launch, selection.arch), None)
    found: list[Finding] = []
    accesses: list[Any] = []
    if facts is not None:
        for rule in engine.rules:
            found += steps.attempt(f"rule {rule.id}", lambda r=rule: list(r.check(facts)), [])  # type: ignore[misc]
        found = steps.attempt("witnesses", lambda: engine.confirm(kernel, launch, found), found)
        accesses = steps.attempt("accesses", lambda: list(facts.accesses), [])
    shown = [f for f in found if selection.pedantic or f.certainty is not Certainty.POSSIBLE]
    if selection.pedantic and facts is not None:
        from ptxlint.imprecision import reasoned

        shown = steps.attempt("reasons", lambda: [reasoned(facts, f) for f in shown], shown)
    shown.sort(key=lambda f: (f.instr.offset, f.rule, f.message))
    return CheckedKernel(
        kernel, launch, tuple(shown), counted(accesses, shown), tuple(steps.diagnostics), contract
    )


def contract_of(kernel: Kernel, launch: Launch, engine: Engine) -> Inferred:
    """What the kernel needs when nothing is declared but the names of its parameters."""
    from ptxlint.inference.infer import inferred, numbers

    bare = resolved([Contract(params=launch.names)], kernel)
    facts = engine.facts(kernel, bare, "sm_80")
    found = inferred(facts)
    values = numbers(facts)
    if values:
        again = inferred(engine.facts(kernel, replace(bare, values=values), "sm_80"))
        found = again if len(again.unknown) <= len(found.unknown) else found
    return found


def counted(accesses: Sequence[Any], findings: Iterable[Finding]) -> Accesses:
    flagged = {id(f.instr) for f in findings if f.severity is Severity.ERROR}
    tally = Counter("flagged" if id(a.instr) in flagged else a.status for a in accesses)
    return Accesses(tally["proved"], tally["flagged"], tally["unknown"])
