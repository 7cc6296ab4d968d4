"""ptxlint on a kernel of this package, with the kernel's own contract.

The report names the files of the fragments: ptxlint is given their texts.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Protocol

from msgspec.structs import replace

from pricing_kernels.contract import KernelContract, KernelLaunch
from ptxlint.checker import Running, check
from ptxlint.options import Options
from ptxlint.reports import render
from ptxlint.reports.view import View
from ptxlint.results.report import Report
from ptxlint.results.verdict import Property, Status, Verdict, required
from ptxlint.source import Source
from ptxlint.source_files import SourceFiles

RACES = ("data-race",)
LARGE = 1000  # the numbers of a large launch, where a contract allows as much
MANY = "the contract allows many grids; looked for in the launches below"
FOLDER = "emitted"  # the folder in the paths of the PTX and its sources


class Lintable(Protocol):
    """A kernel with its contract, and the files that the line table of its PTX names."""

    @property
    def name(self) -> str: ...
    @property
    def contract(self) -> KernelContract: ...
    @property
    def files(self) -> frozenset[str]: ...
    def ptx(self) -> str: ...


def lint(
    kernel: Lintable,
    largest: int | None = None,
    strict: bool = False,
    launch: KernelLaunch | None = None,
    require: Iterable[str] = (),
    running: Running | None = None,
) -> tuple[int, str]:
    """The exit code and the report of ptxlint: for every launch that the contract allows, for one
    `launch`, or for the one with `largest` as the greatest number where it may be. Races that are
    not proved for every launch are looked for in the least and a large one of the contract. Raises
    BuildError, and Error for an unknown name among the properties to `require`."""
    if largest is not None:
        *_, values = kernel.contract.edges(largest)
        launch = kernel.contract.launch(**values)
    contract = (launch or kernel.contract).declared()
    ptx, files = sources(kernel)
    report = check([ptx], Options(contracts=(contract,)), files=files, running=running)
    lines = []
    if launch is None and not proved(report):
        ends = list(kernel.contract.edges(LARGE))
        both = [kernel.contract.launch(**ends[at]) for at in (0, -1)]
        tried = {str(one): one for one in both}
        options = Options(launches=tuple(t.declared() for t in tried.values()), select=RACES)
        races = check([ptx], options, files=files, running=running)
        lines = [
            f"races in {text}: {of(one.verdicts).text}\n"
            for text, one in zip(tried, races.kernels, strict=False)
            if one.verdicts
        ]
        report = with_races(report, races)
    named = tuple(require)
    wanted = required(named) if strict or named else ()
    said = render(report, "full", View(files=files, required=wanted))
    said += "".join(lines)
    for file in kernel.files:
        said = said.replace(f"{FOLDER}/{Path(file).name}", os.path.relpath(file))
    return report.exit_code("warning", strict, named), said.replace(f"{FOLDER}/", "")


def of(verdicts: Iterable[Verdict]) -> Verdict:
    """The verdict on races."""
    return next(one for one in verdicts if one.name is Property.RACES)


def proved(report: Report) -> bool:
    """True if the kernel has no race in any launch; False too where it could not be checked."""
    verdicts = report.summary.verdicts
    return bool(verdicts) and of(verdicts).status is Status.PROVED


def with_races(report: Report, races: Report) -> Report:
    """The report with what was found of races in some launches. What is proved of some is not
    proved of all: where the contract alone was not checked for races, its verdict says so."""
    kernels = []
    for kernel in report.kernels:
        verdicts = [
            replace(one, flagged=len(races.findings), reason=MANY, option=None)
            if one.name is Property.RACES and one.unchecked
            else one
            for one in kernel.verdicts
        ]
        kernels.append(replace(kernel, verdicts=tuple(verdicts)))
    return replace(
        report,
        findings=(*report.findings, *races.findings),
        diagnostics=tuple(dict.fromkeys((*report.diagnostics, *races.diagnostics))),
        kernels=tuple(kernels),
    )


def sources(kernel: Lintable) -> tuple[Source, SourceFiles]:
    """The PTX of a kernel, and the files that its findings are in. Raises BuildError."""
    ptx = Source(f"{FOLDER}/{kernel.name}.ptx", kernel.ptx())
    paths = map(Path, kernel.files)
    texts = (Source(f"{FOLDER}/{path.name}", path.read_text("utf-8")) for path in paths)
    return ptx, SourceFiles([ptx, *texts])
