"""``ptxlint contract``: what each kernel requires of its caller, reads and writes."""

from __future__ import annotations

from typing import Any

import click

from ptxlint.cli.check import CLEAN, CONFIG, FAILED, FINDINGS, INCOMPLETE, KERNEL, refusals, settled
from ptxlint.cli.once import once
from ptxlint.cli.output import coloured, write
from ptxlint.cli.running import running, running_options

FORMATS = ("text", "json", "toml")


@click.command(
    "contract",
    epilog="Exit codes: 0 every access is accounted for; 1 a warning about a file; 2 wrong usage,"
    " an unreadable file, an error in a file or a crash; 3 no kernel, or accesses that are not"
    " accounted for.",
)
@click.argument("paths", metavar="PATH...", nargs=-1, required=True)
@once("--params", metavar="NAMES", help="Names for the parameters, in order: in,out,n.")
@click.option("--config", metavar="FILE", help=CONFIG)
@click.option("--kernel", metavar="PATTERN", default="*", help=KERNEL)
@click.option("--output-format", type=click.Choice(FORMATS), default="text", show_default=True)
@click.option(
    "--color", type=click.Choice(["auto", "always", "never"]), default="auto", show_default=True
)
@click.option("--stdin-filename", metavar="NAME", help="What to call standard input ('-').")
@running_options
def command(paths: tuple[str, ...], stdin_filename: str | None, **options: Any) -> int:
    """Infer the contract of each kernel from its PTX alone: what it requires so that no access
    leaves its array, and the bytes of each buffer that it reads and writes, as functions of the
    launch (ntid.x: threads of a block along x, nctaid.x: blocks of the grid) and the parameters.

    With --output-format toml it can be declared again: ptxlint check --contract FILE.
    """
    from ptxlint.checker import check
    from ptxlint.cli.inputs import read
    from ptxlint.contracts.contract import Contract
    from ptxlint.options import Options
    from ptxlint.reports.colour import Palette
    from ptxlint.reports.contract import render
    from ptxlint.reports.lines import diagnostic

    sources, problems = read(paths, stdin_filename)
    configured = settled({"config": options["config"]}).contracts
    palette = Palette(coloured(options["color"]))
    with refusals():
        names = tuple(
            Contract(c.kernel, params=c.params, origin=c.origin, places=c.places)
            for c in (
                Contract.of(params=options["params"]),
                *configured,
            )
        )
        asked = Options(contracts=names, kernel=options["kernel"], infer=True, rules=False)
        with running(options) as how:
            report = check(sources, asked, problems, running=how)
    for problem in report.diagnostics:
        click.echo(diagnostic(problem, palette), err=True)
    write(render(report, options["output_format"], palette))
    if report.failed:
        return FAILED
    if report.warned:
        return FINDINGS
    found = report.contracts
    return CLEAN if found and all(contract.complete for contract in found) else INCOMPLETE
