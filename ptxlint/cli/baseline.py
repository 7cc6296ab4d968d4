"""``ptxlint baseline``: the findings that a project starts with."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
from msgspec.structs import replace

from ptxlint.cli.check import CLEAN, analysed, baseline_of, check_options, options_of, settled
from ptxlint.cli.grouping import Grouped, setting
from ptxlint.cli.output import Refusal, write, write_file
from ptxlint.cli.running import running, running_options


@click.command(
    "baseline",
    cls=Grouped,
    epilog="Exit codes: 0 written; 2 wrong usage, an unreadable file, an error in a file or a"
    " crash: then nothing is written.",
)
@click.argument("paths", metavar="PATH...", nargs=-1, required=True)
@check_options
@setting("baseline")
@click.option("--shrink", is_flag=True, help="Remove findings that are fixed; add none.")
@running_options
def command(
    paths: tuple[str, ...], stdin_filename: str | None, shrink: bool, **options: Any
) -> int:
    """Write the findings of a check to a baseline, ptxlint-baseline.json if none is named. 'ptxlint
    check --baseline FILE', or the key baseline of a configuration, then reports new ones alone.

    A baseline that exists is not replaced: --shrink removes what is fixed. Findings are known by
    their rule, kernel and source line, not by their PTX: another version of the compiler does not
    move them.
    """
    from ptxlint.baseline import FILE, Baseline

    asked = settled(options)
    path = asked.text("baseline") or FILE
    if not shrink and Path(path).exists():
        raise Refusal(f"{path}: there is a baseline already; --shrink removes what is fixed")
    values = {**asked.values, "baseline": replace(asked.values["baseline"], value=path)}
    known = baseline_of(replace(asked, values=values)) if shrink else None
    chosen = options_of(options, asked)
    with running(options) as how:
        report, files = analysed(paths, stdin_filename, chosen, how=how)
    if report.failed or not report.summary.analysed:
        told = next((str(one) for one in report.diagnostics), "no kernel was analysed")
        raise Refusal(f"{path}: not written: {told}")
    if known is None:
        made = Baseline.made(path, report.findings)
        said = f"{path}: {counted(len(made.known))}"
    else:
        now = known.followed(report, files)
        fixed = now.fixed(now.applied(report), chosen.rule_ids)
        made = now.without(fixed)
        said = f"{path}: {counted(len(fixed))} fixed, {len(made.known)} left"
    if made != known:
        write_file(path, made.text())
    write(said + "\n")
    return CLEAN


def counted(findings: int) -> str:
    return f"{findings} finding{'s' * (findings != 1)}"
