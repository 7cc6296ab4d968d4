"""``ptxlint graph``: the control flow of a kernel."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from msgspec.structs import replace

from ptxlint.cli.check import CLEAN, launch_options, options_of, settled
from ptxlint.cli.grouping import Grouped, setting
from ptxlint.cli.output import Refusal, write, write_file
from ptxlint.errors import Error

if TYPE_CHECKING:
    from ptxlint.options import Options

SECONDS = 60  # that Graphviz may take
SUFFIXES = ("", ".dot", ".gv", ".svg")


@click.command(
    "graph",
    cls=Grouped,
    epilog="Exit codes: 0; 2 wrong usage, an unreadable file, or a kernel that is not analysed.",
)
@click.argument("path", metavar="FILE")
@launch_options
@setting("arch")
@click.option(
    "--kernel", metavar="PATTERN", default="*", help="Which kernel, if there are several."
)
@click.option("-o", "--output", metavar="FILE", help="FILE.dot, or FILE.svg if Graphviz is there.")
def command(path: str, output: str | None, **options: Any) -> int:
    """Write the control flow of a kernel as DOT: a node for each basic block with its instructions
    and the costs of its accesses, divergent branches dashed. As SVG if Graphviz is installed.

    Launch options mean what they mean to 'ptxlint check'.
    """
    suffix = Path(output or "").suffix
    if suffix not in SUFFIXES:
        raise Refusal(
            f"{output}: a graph is written to FILE.dot or FILE.svg; of FILE.dot, Graphviz"
            f" makes this with 'dot -T{suffix[1:]}'"
        )
    text = drawn(path, replace(options_of(options, settled(options)), rules=False))
    if output is None:
        write(text)
    elif suffix == ".svg":
        write_svg(output, text)
    else:
        write_file(output, text)
    return CLEAN


def write_svg(output: str, text: str) -> None:
    """Writes the drawing, else the graph beside it: what was found out is not lost. Raises
    Refusal without a drawing."""
    try:
        picture = svg(text)
    except Refusal as refused:
        instead = str(Path(output).with_suffix(".dot"))
        write_file(instead, text)
        raise Refusal(f"{refused.message}; {instead} has the graph as DOT") from None
    write_file(output, picture)


def drawn(path: str, options: Options) -> str:
    """The graph of the one kernel that is asked for."""
    from ptxlint.analysis import analyses, read_file
    from ptxlint.cli.inputs import read
    from ptxlint.contracts.declaration import ContractError
    from ptxlint.places import Locations
    from ptxlint.reports.graph import dot
    from ptxlint.source_files import SourceFiles

    sources, problems = read([path], None)
    if problems:
        raise Refusal(str(problems[0]))
    files = [read_file(source, options) for source in sources]
    names = dict.fromkeys(kernel.name for file in files for kernel in file.chosen)
    if len(names) > 1:
        raise Refusal(f"{path}: several kernels; choose with --kernel: {', '.join(names)}")
    try:
        for file, found in analyses(files, options):
            for analysis in found:
                return dot(analysis, Locations(file.source, file.program, SourceFiles(sources)))
    except (ContractError, Error) as error:
        raise Refusal(str(error)) from None
    wrong = [one for file in files for one in file.diagnostics if one.severity == "error"]
    raise Refusal(str(wrong[0]) if wrong else f"{path}: no kernel in this file")


def svg(text: str) -> str:
    """The drawing of Graphviz."""
    program = shutil.which("dot")
    if program is None:
        raise Refusal("Graphviz is not installed, which draws SVG")
    try:
        done = subprocess.run(
            [program, "-Tsvg"], input=text, capture_output=True, text=True, timeout=SECONDS
        )
    except subprocess.TimeoutExpired:
        raise Refusal(f"Graphviz did not finish in {SECONDS} s") from None
    if done.returncode:
        raise Refusal(f"Graphviz: {done.stderr.strip().splitlines()[0]}")
    return done.stdout
