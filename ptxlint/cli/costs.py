"""``ptxlint costs``: the accesses of a file, the costliest first."""

from __future__ import annotations

from typing import Any

import click
from msgspec.structs import replace

from ptxlint.cli.check import CLEAN, FAILED, INCOMPLETE, KERNEL, launch_options, options_of, settled
from ptxlint.cli.grouping import Grouped, setting
from ptxlint.cli.output import Refusal, coloured, write

FORMATS = ("text", "json")


@click.command(
    "costs",
    cls=Grouped,
    epilog="Exit codes: 0; 2 wrong usage, an unreadable file, an error in a file or a crash; 3 no"
    " kernel was analysed.",
)
@click.argument("paths", metavar="PATH...", nargs=-1, required=True)
@launch_options
@setting("arch", "source")
@click.option("--kernel", metavar="PATTERN", default="*", help=KERNEL)
@click.option("--output-format", type=click.Choice(FORMATS), default="text", show_default=True)
@click.option(
    "--color", type=click.Choice(["auto", "always", "never"]), default="auto", show_default=True
)
@click.option("--stdin-filename", metavar="NAME", help="What to call standard input ('-').")
def command(paths: tuple[str, ...], stdin_filename: str | None, **options: Any) -> int:
    """List memory accesses by what one request of a warp costs above the ideal: sectors of global
    and local memory, wavefronts of shared memory. The ideal is the sectors that the bytes of its
    lanes would fill, or the wavefronts of its lanes without a conflict; share is the part of the
    kernel's traffic in that space, over all its loops.

    The last column is the counter of Nsight Compute's page of sources that has this cost, divided
    by inst_executed; with _ideal behind it, the ideal of sectors. Its ideal of wavefronts counts
    bytes alone, and is less where lanes are off. Launch options mean what they mean to 'ptxlint
    check': with --block, costs are those of all its warps.
    """
    from ptxlint.analysis import analyses, read_file
    from ptxlint.cli.inputs import read
    from ptxlint.contracts.declaration import ContractError
    from ptxlint.places import Locations
    from ptxlint.reports.colour import Palette
    from ptxlint.reports.costs import costs, render
    from ptxlint.reports.lines import diagnostic
    from ptxlint.source_files import SourceFiles

    asked = replace(options_of(options, settled(options)), rules=False)
    palette = Palette(coloured(options["color"]))
    sources, problems = read(paths, stdin_filename)
    files = SourceFiles(sources, folders=asked.folders)
    modules = [read_file(source, asked) for source in sources]
    problems += [problem for module in modules for problem in module.diagnostics]
    rows, kernels = [], 0
    try:
        for module, analysed in analyses(modules, asked):
            found = list(analysed)
            kernels += len(found)
            problems += [problem for each in found for problem in each.diagnostics]
            rows += costs(found, Locations(module.source, module.program, files))
    except ContractError as error:
        raise Refusal(str(error)) from None
    for problem in dict.fromkeys((*problems, *files.problems)):
        click.echo(diagnostic(problem, palette), err=True)
    write(render(rows, options["output_format"], palette))
    if any(problem.severity == "error" for problem in problems):
        return FAILED
    return CLEAN if kernels else INCOMPLETE
