"""``ptxlint demo``: what a report looks like, with nothing to prepare."""

from __future__ import annotations

import os
import shlex
from importlib.resources import as_file, files

import click

from ptxlint.cli.check import FAILED, analysed
from ptxlint.cli.output import Refusal, coloured, columns, write

LAUNCH = (
    "--params out,in,width,height --block 32x32 --grid 4x4 --arg width=100 --arg height=120"
    " --buffer in=4*width*height --buffer out=4*width*height"
)


@click.command("demo")
def command() -> int:
    """Check a matrix transposition that comes with ptxlint, for one launch. It has two flaws: see
    whether you find them first. Exits with 0 although the report has findings."""
    from ptxlint.contracts.contract import Contract
    from ptxlint.options import Options
    from ptxlint.reports import render
    from ptxlint.reports.view import View

    with as_file(files("ptxlint") / "demo") as folder:
        path = os.path.relpath(folder / "transpose.ptx")
        if not os.path.exists(path):
            raise Refusal("the kernel of the demonstration is not installed")
        write(f"$ ptxlint {LAUNCH} {path}\n\n")
        options = Options(contracts=(Contract.from_options(shlex.split(LAUNCH)),))
        report, texts = analysed((path,), None, options)
        write(render(report, "full", View(coloured("auto"), texts, width=columns())))
    return FAILED if report.failed else 0
