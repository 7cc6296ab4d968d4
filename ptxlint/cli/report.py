"""``ptxlint report``: the report as HTML."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ptxlint.cli.check import FAILED, INCOMPLETE, launch_options, options_of, settled
from ptxlint.cli.grouping import Grouped, setting
from ptxlint.cli.output import Refusal, coloured, write_file
from ptxlint.errors import Error
from ptxlint.reading import reason
from ptxlint.reports.colour import Palette
from ptxlint.source import plural

if TYPE_CHECKING:
    from ptxlint.options import Options
    from ptxlint.results.outcome import ModuleOutcome
    from ptxlint.results.report import Report
    from ptxlint.source import Diagnostic
    from ptxlint.viewer.page import CheckedModule

MISSING = "report: jinja2 is not installed; 'pip install jinja2', or ptxlint with [report]"


@click.command(
    "report",
    cls=Grouped,
    epilog="Exit codes: those of check; 2 also if the page cannot be written.",
)
@click.argument("paths", metavar="PATH...", nargs=-1, required=True)
@click.option("-o", "--output", metavar="FILE.html", required=True, help="The page. Of several"
              " files it is the index; their pages lie in the folder FILE beside it.")  # fmt: skip
@click.option("--against", metavar="OLD.json", help="A report of before, from check"
              " --output-format json: what is new, fixed or moved, and costs.")  # fmt: skip
@launch_options
@click.option("--launches", metavar="FILE", multiple=True, help="Launches that happened.")
@click.option("--kernel", metavar="PATTERN", default="*", help="Only kernels like 'reduce_*'.")
@setting("select", "ignore", "extend-select", "extend-ignore", "pedantic", "arch", "z3")
@setting("fail-on", "source")
def command(paths: tuple[str, ...], output: str, against: str | None, **options: Any) -> int:
    """Write the report as one HTML file that needs no network: the verdict, findings and accesses
    with pictures of their lanes, source and PTX side by side, what is known of each register.

    Launch options mean what they mean to 'ptxlint check'.
    """
    from importlib.util import find_spec

    if find_spec("jinja2") is None:
        raise Refusal(MISSING)
    page = page_of(output)
    old = None if against is None else earlier(against)
    problems: list[Diagnostic] = []
    settings = settled(options)
    asked = options_of(options, settings, problems)
    from ptxlint.viewer.pages import pages

    outcomes: list[ModuleOutcome] = []
    modules = checked(paths, asked, old, outcomes, problems)
    written = [save(path, text) for path, text in pages(modules, page)]
    return summary(outcomes, written, problems, settings.text("fail-on"))


def page_of(output: str) -> Path:
    """The page, whose folder must be there."""
    page = Path(output)
    if not page.parent.is_dir():
        raise Refusal(f"--output {output}: there is no folder {page.parent}")
    return page


def earlier(path: str) -> tuple[str, Report]:
    """The name and the report of a JSON file."""
    from ptxlint.contracts.files import text_of
    from ptxlint.results.report import Report

    try:
        return Path(path).name, Report.from_json(text_of(path))
    except Error as error:
        raise Refusal(f"--against {path}: {error}") from None


def checked(
    paths: tuple[str, ...],
    options: Options,
    old: tuple[str, Report] | None,
    outcomes: list[ModuleOutcome],
    problems: list[Diagnostic],
) -> Iterator[CheckedModule]:
    """The modules, checked one after the other; what was found is added to ``outcomes``, what could
    not be read to the problems."""
    from ptxlint.analysis import analyses, module_outcome, read_file
    from ptxlint.cli.inputs import read
    from ptxlint.contracts.declaration import ContractError
    from ptxlint.places import Locations
    from ptxlint.results.comparison import compare
    from ptxlint.results.outcome import Checked
    from ptxlint.source_files import SourceFiles
    from ptxlint.viewer.page import CheckedModule
    from ptxlint.viewer.views import Views

    sources, unread = read(paths, None)
    problems += unread
    texts = SourceFiles(sources, folders=options.folders)
    files = [read_file(source, options) for source in sources]
    try:
        for file, found in analyses(files, options):
            views = Views(Locations(file.source, file.program, texts))
            outcome = module_outcome(file, views.of(found), texts)
            report = Checked(modules=(outcome,), after=tuple(texts.problems)).report()
            outcomes.append(outcome)
            compared = None if old is None else compare(*old, report)
            yield CheckedModule(file.source, report, tuple(views.kernels), texts, compared)
    except ContractError as error:
        raise Refusal(str(error)) from None
    problems += texts.problems


def save(path: Path, text: str) -> Path:
    try:
        path.parent.mkdir(exist_ok=True)  # of the pages, beside the index
    except OSError as error:
        raise Refusal(f"{path.parent}: cannot be made: {reason(error)}") from None
    write_file(str(path), text)
    return path


def summary(
    outcomes: Sequence[ModuleOutcome],
    written: Sequence[Path],
    problems: Sequence[Diagnostic],
    fail_on: str,
) -> int:
    """Prints what was wrong, and a line on what was written and found, as a check of all modules
    sums it up; the exit code."""
    from ptxlint.reports.lines import diagnostic, headline
    from ptxlint.results.outcome import Checked

    palette = Palette(coloured("auto"))
    report = Checked(modules=tuple(outcomes)).report()
    wrong = [*problems, *report.diagnostics]
    for problem in wrong:
        if problem.severity == "error":
            click.echo(diagnostic(problem, palette), err=True)
    if written:
        more = plural(len(written) - 1, "page", "pages")
        pages = f" and {more}" if len(written) > 1 else ""
        click.echo(f"{written[-1]}{pages}: {headline(report, palette)}")
    if any(problem.severity == "error" for problem in wrong):
        return FAILED
    return report.exit_code(fail_on) if outcomes else INCOMPLETE
