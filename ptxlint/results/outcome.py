"""What a check says of each kernel, as plain data, and how it becomes one report.

The outcomes of the kernels do not depend on each other. They may come from another process, from
another machine or from an earlier check: the report is the same.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from msgspec import Struct

from ptxlint.results.contract import InferredContract
from ptxlint.results.finding import Finding
from ptxlint.results.fingerprint import fingerprinted
from ptxlint.results.report import KernelResult, Report
from ptxlint.source import Diagnostic, Source


class KernelHead(Struct, frozen=True):
    """A kernel before it is analysed. ``source`` has the kernel, and what it needs of its module,
    as a module of its own; ``files`` are the names of the sources that its lines come from,
    ``parameters`` those of its parameters."""

    name: str
    source: Source
    line: int
    column: int
    files: tuple[str, ...] = ()
    parameters: tuple[str, ...] = ()


class ParsedModule(Struct, frozen=True):
    """A module before its kernels are analysed. ``entries`` are the names of all of them, ``heads``
    are those without a syntax error; the ``diagnostics`` are about the module's text."""

    path: str
    entries: tuple[str, ...] = ()
    heads: tuple[KernelHead, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()


class KernelOutcome(Struct, frozen=True, kw_only=True):
    """All that a check says of one kernel. Each finding comes with the text of its line;
    ``kernels`` has a result for each launch. ``refused`` says why the kernel has no SSA form;
    ``unmodelled`` has a note on each unmodelled opcode, at its first use; ``problems`` are about
    what was not analysed, or not to the end."""

    findings: tuple[tuple[Finding, str], ...] = ()
    kernels: tuple[KernelResult, ...] = ()
    contracts: tuple[InferredContract, ...] = ()
    refused: tuple[Diagnostic, ...] = ()
    unmodelled: tuple[tuple[str, Diagnostic], ...] = ()
    problems: tuple[Diagnostic, ...] = ()

    @property
    def whole(self) -> bool:
        """True if nothing crashed."""
        return not any(problem.severity == "error" for problem in self.problems)


class ModuleOutcome(Struct, frozen=True, kw_only=True):
    """A module with the outcomes of its kernels that were asked for, in the order of the text; None
    stands for one of another shard. ``present`` counts them, with those that could not be parsed;
    the ``diagnostics`` are about the module's text."""

    path: str
    present: int = 0
    diagnostics: tuple[Diagnostic, ...] = ()
    outcomes: tuple[KernelOutcome | None, ...] = ()

    @property
    def known(self) -> list[KernelOutcome]:
        return [outcome for outcome in self.outcomes if outcome is not None]

    def all_diagnostics(self) -> Iterator[Diagnostic]:
        """Of the text, then of each kernel. An opcode that is not modelled is told once."""
        yield from self.diagnostics
        yield from (one for outcome in self.known for one in outcome.refused)
        first: dict[str, Diagnostic] = {}
        for opcode, note in (pair for outcome in self.known for pair in outcome.unmodelled):
            known = first.setdefault(opcode, note)
            first[opcode] = min(known, note, key=place)
        yield from sorted(first.values(), key=place)
        yield from (one for outcome in self.known for one in outcome.problems)


def place(of: Diagnostic) -> tuple[int, int]:
    return of.line, of.column


class Checked(Struct, frozen=True, kw_only=True):
    """A check: its modules in order, and diagnostics before and after theirs."""

    modules: tuple[ModuleOutcome, ...] = ()
    before: tuple[Diagnostic, ...] = ()
    after: tuple[Diagnostic, ...] = ()
    seconds: float = 0.0

    def report(self, **more: Any) -> Report:
        """The report: its findings by path and line."""
        outcomes = [outcome for module in self.modules for outcome in module.known]
        found = sorted((pair for one in outcomes for pair in one.findings), key=order)
        told = (one for module in self.modules for one in dict.fromkeys(module.all_diagnostics()))
        return Report(
            findings=tuple(fingerprinted(found)),
            contracts=tuple(each for one in outcomes for each in one.contracts),
            diagnostics=(*self.before, *told, *self.after),
            kernels=tuple(kernel for one in outcomes for kernel in one.kernels),
            files=len({module.path for module in self.modules}),
            present=sum(module.present - module.outcomes.count(None) for module in self.modules),
            seconds=round(self.seconds, 3),
            **more,
        )


def order(pair: tuple[Finding, str]) -> tuple[object, ...]:
    """Does not depend on the order of the rules."""
    of, _ = pair
    at = of.location
    return at.path, at.line, at.column, of.ptx.path, of.ptx.line, of.rule, of.message
