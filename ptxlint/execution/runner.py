"""Runs of a kernel on the interpreter: one launch, with arrays, and what came of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import prod
from time import perf_counter
from typing import Any

from msgspec import Struct
from numpy.typing import NDArray

from ptxlint.analysis import Analysis, ReadFile, module_outcome
from ptxlint.api import Declared, contracts_in, words
from ptxlint.contracts import files
from ptxlint.contracts.launch import Allocation, ConcreteLaunch
from ptxlint.errors import Error, NotClean, did_you_mean
from ptxlint.execution.arrays import GivenArray, viewed
from ptxlint.execution.faults import (
    KINDS,
    Prepared,
    afford,
    claim_of,
    prepare,
    reported,
    unfinished,
)
from ptxlint.inputs import Given, one_file
from ptxlint.ir import Kernel
from ptxlint.lowering.module import LoweredModule, lower_module
from ptxlint.mangling import demangled
from ptxlint.results.outcome import Checked
from ptxlint.results.report import Executed, Report
from ptxlint.simt import Outcome, RunOptions
from ptxlint.simt import run as interpreted
from ptxlint.source import Diagnostic, Source
from ptxlint.source_files import SourceFiles
from ptxlint.syntax import parse

RECURSION = 8
"""How often a function may be inside itself."""
CHECKS = tuple(KINDS)


class Execution(Struct, frozen=True):
    """What a run did. ``report`` has its faults as findings and, as diagnostics, why it did not
    finish; ``arrays`` are the buffers afterwards, by the names of the parameters, as bytes where
    no array went in."""

    report: Report
    arrays: Mapping[str, NDArray[Any]]

    def assert_clean(self) -> None:
        """Raises NotClean, with the concise report, unless it finished without a fault."""
        if self.report.findings or self.report.diagnostics:
            raise NotClean(str(self.report))


def run(
    kernel: Kernel | Given,
    launch: ConcreteLaunch | Declared | Iterable[Declared],
    arrays: Mapping[str, NDArray[Any]] | None = None,
    *,
    name: str | None = None,
    checks: str | Iterable[str] = ("memory", "sync"),
    schedule: int | None = None,
    max_steps: int = 1_000_000,
) -> Execution:
    """Runs a kernel, or the one of that ``name`` in a source. The launch needs a block, and a value
    or an array for every parameter that is read; arrays are copied. ``checks`` are ``memory``,
    ``sync``, ``race``, ``init`` or ``all``; ``schedule`` is the seed of an order in which threads
    run. Raises Error."""
    if isinstance(kernel, Kernel):
        if kernel.source is None:
            raise Error(f"{kernel.name}: nothing says where it is written")
        program, found = chosen([kernel.source], kernel.name)
    else:
        program, found = chosen(one_file(kernel), name)
    how = RunOptions(max_steps=max_steps, schedule=schedule, checks=checks_of(checks))
    filled = dict(arrays or {})
    if isinstance(launch, ConcreteLaunch):
        memory = launch.allocations.items()
        filled = {key: each.data for key, each in memory if each.data is not None} | filled
        launch = files.exact(found.name, launch)
    inputs = [GivenArray(key, array) for key, array in filled.items()]
    ready = prepare(found, contracts_in(launch, files.read), inputs)
    afford(found, ready.concrete, how)
    start = perf_counter()
    outcome = interpreted(found, ready.concrete, how)
    return execution_of(program, ready, how, outcome, perf_counter() - start)


def checks_of(said: str | Iterable[str]) -> frozenset[str]:
    """Raises Error."""
    names = words(said)
    for word in names:
        if word not in (*CHECKS, "all"):
            hint = did_you_mean(word, CHECKS) or f", expected {', '.join(CHECKS)} or all"
            raise Error(f"checks {word}: no such check{hint}")
    return frozenset(CHECKS if "all" in names else names)


def chosen(modules: Sequence[Source], name: str | None) -> tuple[LoweredModule, Kernel]:
    """The one kernel of a file, or the one of that name, and its module. Of modules for several
    architectures, the first one counts. Raises Error."""
    wrong: list[Diagnostic] = []
    programs: list[LoweredModule] = []
    for source in modules:
        parsed = parse(source)
        wrong += parsed.diagnostics
        if parsed.module is not None:
            programs.append(lower_module(parsed.module, source, RECURSION))
            wrong += programs[-1].diagnostics
    path, present = modules[0].path, sum(program.present for program in programs)
    named: dict[str, tuple[LoweredModule, Kernel]] = {}
    for program in programs:
        for kernel in program.kernels:
            named.setdefault(kernel.name, (program, kernel))
    errors = [one for one in wrong if one.severity == "error"]
    if name is None and len(named) == 1 and not errors:
        return next(iter(named.values()))
    listed = ", ".join(list(named)[:8]) + (", ..." if len(named) > 8 else "")
    if name is None and named and present > 1:
        raise Error(f"{path} has {present} kernels, choose one with --kernel: {listed}")
    same = [found for called, found in named.items() if name in (called, demangled(called))]
    if len(same) == 1:
        return same[0]
    if errors:
        raise Error(str(errors[0]))
    if name is None:
        raise Error(f"{path}: no kernel in this file")
    hint = did_you_mean(name, named) or (f", there is {listed}" if named else "")
    raise Error(f"--kernel {name}: {'several kernels' if same else 'no kernel'} of this name{hint}")


def execution_of(
    program: LoweredModule,
    ready: Prepared,
    how: RunOptions,
    outcome: Outcome,
    seconds: float,
    files: SourceFiles | None = None,
) -> Execution:
    """Faults as findings; why the run did not finish as errors. ``files`` are texts to quote."""
    kernel, launch = ready.kernel, ready.concrete
    faults = reported(outcome, how.checks)
    claims = [claim_of(launch, fault) for fault in faults]
    claims.sort(key=lambda claim: (claim.instr.offset, claim.rule))
    problems = tuple(unfinished(program.source, kernel, how, outcome))
    file = ReadFile(program.source, program, present=1, parsed=problems)
    analysis = Analysis(kernel, ready.launch, None, tuple(claims))
    files = files or SourceFiles([program.source])
    module = module_outcome(file, [analysis], files)
    checked = Checked(modules=(module,), after=tuple(files.problems), seconds=seconds)
    executed = Executed(
        prod(launch.grid) * prod(launch.block),
        outcome.lane_instructions,
        outcome.lane_accesses,
        sum(fault.count for fault in faults),
    )
    return Execution(checked.report(executed=executed), dict(arrays_after(ready, outcome)))


def arrays_after(ready: Prepared, outcome: Outcome) -> Sequence[tuple[str, NDArray[Any]]]:
    found = []
    for index, argument in enumerate(ready.concrete.arguments):
        if isinstance(argument, Allocation):
            data, kind = ready.after(index, outcome)
            before = ready.inputs.get(index)
            after = data if before is None else viewed(data, kind).reshape(before.shape)
            found.append((ready.launch.names[index], after))
    return found
