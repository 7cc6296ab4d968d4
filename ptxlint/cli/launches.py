"""``ptxlint launches``: records of launches."""

from __future__ import annotations

from pathlib import Path

import click

from ptxlint.cli.output import Refusal, write
from ptxlint.errors import Error
from ptxlint.reading import reason


@click.group("launches")
def command() -> None:
    """Records of launches, which 'ptxlint check --launches FILE' reads."""


@command.command("convert")
@click.argument("traces", metavar="TRACE...", nargs=-1, required=True)
@click.option("-o", "--output", metavar="FILE", help="Write the record there.")
def convert(traces: tuple[str, ...], output: str | None) -> int:
    """Convert traces of PyTorch's profiler (JSON) and of Nsight Systems ('nsys export --type
    sqlite') to a record. They have the grid, the block and the dynamic shared memory of each
    launch, not its arguments."""
    from ptxlint.contracts.records import text_of
    from ptxlint.contracts.traces import launches_in

    try:
        text = text_of(launch for trace in traces for launch in launches_in(trace))
    except Error as error:
        raise Refusal(str(error)) from None
    if output is None:
        write(text)
        return 0
    try:
        Path(output).write_text(text, "utf-8")
    except OSError as error:
        raise Refusal(f"{output}: {reason(error)}") from None
    return 0
