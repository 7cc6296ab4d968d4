"""``ptxlint run``: a kernel on the interpreter, with a check of every access it makes."""

from __future__ import annotations

from collections.abc import Iterable
from time import perf_counter
from typing import TYPE_CHECKING, Any

import click

from ptxlint.cli.check import CLEAN, CONFIG, FINDINGS, INCOMPLETE, declared, settled
from ptxlint.cli.once import once
from ptxlint.cli.output import Refusal, coloured, columns, write
from ptxlint.errors import Error
from ptxlint.reading import reason
from ptxlint.reports import FORMATS

if TYPE_CHECKING:
    from numpy import dtype

    from ptxlint.execution.faults import Prepared
    from ptxlint.ir import Kernel
    from ptxlint.lowering.module import LoweredModule
    from ptxlint.results.report import Report
    from ptxlint.simt.memory import Bytes
    from ptxlint.source import Source


@click.command(
    "run",
    epilog="Exit codes: 0 clean; 1 findings; 2 wrong usage or bad input; 3 the run did not finish:"
    " it took too many steps, or reached an unsupported instruction.",
)
@click.argument("path", metavar="FILE")
@click.option("--kernel", metavar="NAME", help="Which kernel, where the file has several.")
@once("--block", metavar="XxYxZ", help="Threads of a block: 256, 32x8.")
@once("--grid", metavar="XxYxZ", help="Blocks of the grid; one if not given.")
@once("--shared", metavar="BYTES", help="Dynamic shared memory: 4096, 48KiB.")
@click.option("--arg", metavar="NAME=VALUE", multiple=True, help="n=1000, a=2.5, end=x+4*n.")
@click.option(
    "--buffer", metavar="NAME=BYTES", multiple=True, help="A buffer, of zeros: out=4*n, in=4*n@16."
)
@click.option(
    "--input",
    "inputs",
    metavar="NAME=ARRAY",
    multiple=True,
    help="What a buffer holds: x.npy, x.npz:NAME, zeros, ones, arange, random:SEED; the last four"
    " with a type, like arange:i4 (f4 if none is given), and a --buffer.",
)
@click.option(
    "--output", metavar="NAME=FILE", multiple=True, help="Save a buffer afterwards: y=out.npy."
)
@click.option(
    "--save-launch",
    metavar="FILE",
    help="Add this launch to a file for 'check --launches': a table of TOML, or a line of JSON if"
    " FILE ends in .jsonl.",
)
@click.option(
    "--print", "prints", metavar="NAME[A:B]", multiple=True, help="Show elements: y[:8], y[3]:i4."
)
@click.option(
    "--values", metavar="NAME=RANGE", multiple=True, help="Value range of a buffer: at=0..m-1."
)
@click.option("--assume", metavar="CONDITION", multiple=True, help="Refuse to run without: n > 0.")
@click.option("--need", multiple=True, hidden=True)
@once("--params", metavar="NAMES", help="Names for the parameters, in order: in,out,n.")
@click.option("--contract", metavar="FILE", multiple=True, help="All this, in a file of TOML.")
@click.option("--config", metavar="FILE", help=CONFIG)
@click.option(
    "--checks",
    metavar="LIST",
    default="memory,sync",
    show_default=True,
    help="What to look for: memory, sync, race, init, or all.",
)
@click.option("--schedule", metavar="SEED", type=click.IntRange(0), help="Let threads run in an"
              " order of their own: one for each seed.")  # fmt: skip
@click.option(
    "--max-steps", type=click.IntRange(1), default=1_000_000, show_default=True,
    help="Instructions, counted once for all threads that run them together.",
)  # fmt: skip
@click.option(
    "--output-format", type=click.Choice(list(FORMATS)), default="full", show_default=True
)
@click.option(
    "--color", type=click.Choice(["auto", "always", "never"]), default="auto", show_default=True
)
def command(path: str, **options: Any) -> int:
    """Run a kernel of a PTX file for one launch. A parameter goes by its name in the PTX, by its
    position counted from 0, or by a name that --params gives it, and a member of a structure by
    value by that and its offset in bytes: a.8."""
    from ptxlint.execution.runner import chosen
    from ptxlint.reports import TEXTS, render
    from ptxlint.reports.view import View
    from ptxlint.source_files import SourceFiles

    form = options["output_format"]
    if options["prints"] and form not in TEXTS:
        raise Refusal(f"--print: not with --output-format {form}; save the array with --output")
    modules = modules_of(path)
    try:
        report, shown = executed(*chosen(modules, options["kernel"]), options)
    except Error as error:
        raise Refusal(str(error)) from None
    view = View(coloured(options["color"]), SourceFiles(modules), width=columns())
    text = render(report, form, view)
    write("".join(shown) + "\n" * bool(shown) + text)
    if report.findings:
        return FINDINGS
    return INCOMPLETE if report.diagnostics else CLEAN


def executed(
    program: LoweredModule, kernel: Kernel, options: dict[str, Any]
) -> tuple[Report, list[str]]:
    """Runs the kernel and saves what is to be saved; the report, and the lines to print."""
    from ptxlint.execution.arrays import ArrayPiece, Input
    from ptxlint.execution.faults import afford, prepare
    from ptxlint.execution.runner import checks_of, execution_of
    from ptxlint.simt import RunOptions, run

    try:
        checks = checks_of(options["checks"])
    except Error as error:
        raise Refusal(f"--{error}") from None
    pieces = [ArrayPiece.of(text) for text in options["prints"]]
    inputs = [Input.of(text) for text in options["inputs"]]
    ready = prepare(kernel, declared(options, settled({"config": options["config"]})), inputs)
    how = RunOptions(
        max_steps=options["max_steps"],
        schedule=options["schedule"],
        checks=checks,
    )
    afford(kernel, ready.concrete, how)
    files = [saved(ready, text) for text in options["output"]]
    wanted = [(ready.buffer(piece.name, piece.text), piece) for piece in pieces]
    for index, piece in wanted:
        piece.inside(ready.bytes(index), ready.type(index))
    for note in filter(None, map(ready.misread, ready.inputs)):
        click.echo(f"ptxlint: note: {note}", err=True)
    if options["save_launch"] is not None:
        append(options["save_launch"], ready.record(options["save_launch"].endswith(".jsonl")))
    start = perf_counter()
    outcome = run(kernel, ready.concrete, how)
    seconds = perf_counter() - start
    for index, file in files:
        save(file, *ready.after(index, outcome))
    shown = [f"{p.label}: {words(p.read(*ready.after(i, outcome)))}\n" for i, p in wanted]
    return execution_of(program, ready, how, outcome, seconds).report, shown


def modules_of(path: str) -> list[Source]:
    from ptxlint.cli.inputs import standard_input
    from ptxlint.inputs import modules_in, one_file

    try:
        return modules_in("<stdin>", standard_input()) if path == "-" else one_file(path)
    except Error as error:
        raise Refusal(str(error)) from None


def saved(ready: Prepared, text: str) -> tuple[int, str]:
    """The parameter whose buffer goes to a file, and the file. Raises Refusal."""
    from pathlib import Path

    name, equals, file = (part.strip() for part in text.partition("="))
    option = f"--output {text}"
    if not equals or not name or not file.endswith(".npy"):
        raise Refusal(f"{option}: expected NAME=FILE.npy")
    if not Path(file).parent.is_dir():
        raise Refusal(f"{option}: there is no folder {Path(file).parent}")
    return ready.buffer(name, option), file


def save(file: str, data: Bytes, kind: dtype[Any]) -> None:
    from numpy import save as write_array

    from ptxlint.execution.arrays import viewed

    try:
        write_array(file, viewed(data, kind), allow_pickle=False)
    except OSError as error:
        raise Refusal(f"--output {file}: {reason(error)}") from None


def append(file: str, text: str) -> None:
    try:
        with open(file, "a", encoding="utf-8") as record:
            record.write(text)
    except OSError as error:
        raise Refusal(f"--save-launch {file}: {reason(error)}") from None


def words(array: Iterable[Any]) -> str:
    return " ".join(map(str, array)) or "(empty)"
