"""``ptxlint why``: what is known at a line, also where nothing was reported."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from msgspec.structs import replace

from ptxlint.cli.check import CLEAN, FAILED, KERNEL, launch_options, options_of, settled
from ptxlint.cli.grouping import Grouped, setting
from ptxlint.cli.output import Refusal, coloured, write

if TYPE_CHECKING:
    from ptxlint.reports.why import Explained, SourceLine
    from ptxlint.results.report import Report

NEAR = 3  # lines that are named where the one asked for has no instruction


@click.command(
    "why",
    cls=Grouped,
    epilog="Exit codes: 0; 2 wrong usage, an unreadable file, an error in a file or a crash.",
)
@click.argument("place", metavar="FILE:LINE")
@click.argument("ptx", metavar="[PTX]", required=False)
@launch_options
@setting("arch", "source", "pedantic")
@click.option("--kernel", metavar="PATTERN", default="*", help=KERNEL)
@click.option("--full", is_flag=True, help="All instructions of the line, and all that is known.")
@click.option(
    "--color", type=click.Choice(["auto", "always", "never"]), default="auto", show_default=True
)
def command(place: str, ptx: str | None, **options: Any) -> int:
    """Explain the instructions of a line: formulas and ranges of their addresses, the guards that
    hold there, the proof that they stay in bounds or the step that failed, which threads get there,
    and what a request costs.

    The line is one of a PTX file, reduce.ptx:65, or of the source that it was compiled from with
    -lineinfo, reduce.cu:8. PTX is then reduce.ptx beside it, unless it is given. Launch options
    mean what they mean to 'ptxlint check'.
    """
    from ptxlint.reports.colour import Palette
    from ptxlint.reports.lines import assumptions, diagnostic, launches
    from ptxlint.reports.why import found, render

    line, path = target(place, ptx)
    palette = Palette(coloured(options["color"]))
    report, explained = analysed(path, options)
    hits = found(explained, line)
    text = render(hits, palette, options["full"]) if hits else ""
    unquoted = (problem for each in explained for problem in each.places.files.problems)
    # notes are on what is not modelled, at other lines too
    problems = [problem for problem in report.diagnostics if problem.severity != "note"]
    for problem in dict.fromkeys((*problems, *unquoted)):
        click.echo(diagnostic(problem, palette), err=True)
    if report.failed and not any(each.analyses for each in explained):
        return FAILED
    if not hits:
        raise Refusal(nothing(explained, line, place))
    said = [f"{palette.paint('launch:', 'label')} {text}" for text in launches(report)]
    said += [f"{palette.paint('assumed:', 'label')} {text}" for text in assumptions(report)]
    write("\n".join([text, *said, ""]))
    return FAILED if report.failed else CLEAN


def target(place: str, ptx: str | None) -> tuple[SourceLine, str]:
    """The line, and the PTX file that has its instructions."""
    from ptxlint.reports.why import SourceLine

    path, _, number = place.rpartition(":")
    if not path or not number.isdecimal() or int(number) == 0:
        raise Refusal(f"{place}: expected FILE:LINE, like reduce.ptx:65")
    if path == "-" or path.endswith(".ptx"):
        if ptx is not None:
            raise Refusal(f"{ptx}: {path} is PTX already; the second file is for lines of a source")
        return SourceLine(path, int(number), in_source=False), path
    if not Path(path).name:
        raise Refusal(f"{place}: {path} is a folder, expected FILE:LINE, like reduce.ptx:65")
    beside = Path(path).with_suffix(".ptx")
    if ptx is None and not beside.is_file():
        name = beside.name
        raise Refusal(f"{path}: no {name} beside it; name its PTX: ptxlint why {place} {name}")
    return SourceLine(Path(path).name, int(number), in_source=True), ptx or str(beside)


def analysed(path: str, options: dict[str, Any]) -> tuple[Report, list[Explained]]:
    """The report of the file, and its modules with the analyses of their kernels."""
    from ptxlint.analysis import analyses, module_outcome, read_file
    from ptxlint.checker import unfitting
    from ptxlint.cli.inputs import read
    from ptxlint.contracts.declaration import ContractError
    from ptxlint.places import Locations
    from ptxlint.reports.why import Explained
    from ptxlint.results.outcome import Checked, ModuleOutcome
    from ptxlint.source_files import SourceFiles

    asked = replace(options_of(options, settled(options)), verdicts=False)
    sources, problems = read([path], None)
    if len({source.path for source in sources}) != 1:
        what = problems[0].message if problems else "expected one file"
        raise Refusal(f"{path}: {what}")
    files = SourceFiles(sources, folders=asked.folders)
    modules = [read_file(source, asked) for source in sources]
    checked, explained = list[ModuleOutcome](), list[Explained]()
    try:
        for file, found in analyses(modules, asked):
            places = Locations(file.source, file.program, files)
            explained.append(Explained(places, tuple(found)))
            checked.append(module_outcome(file, explained[-1].analyses, files))
    except ContractError as error:
        raise Refusal(str(error)) from None
    kernels = [kernel for module in modules for kernel in module.chosen]
    notes = tuple(unfitting(asked.contracts, kernels))
    found_of = Checked(modules=tuple(checked), before=notes, after=tuple(files.problems))
    return found_of.report(), explained


def nothing(explained: list[Explained], line: SourceLine, place: str) -> str:
    """Why there is nothing to say of a line."""
    from ptxlint.reports.why import near

    numbers = near(explained, line)
    if not numbers and line.in_source:
        name = Path(explained[0].places.source.path).name
        return f"{place}: no .loc of {name} names {line.name}; compile with -lineinfo"
    if not numbers:
        return f"{place}: the file has no kernel that was analysed"
    nearest = ", ".join(str(number) for number in sorted(numbers[:NEAR]))
    return f"{place}: no instruction on this line; the nearest lines with one: {nearest}"
