"""``ptxlint check``: analyse PTX files and report."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource
from msgspec import Struct
from msgspec.structs import replace

from ptxlint.cli.grouping import Grouped, setting
from ptxlint.cli.once import once
from ptxlint.cli.output import Refusal, coloured, columns, write, write_file
from ptxlint.cli.running import running, running_options
from ptxlint.errors import Error
from ptxlint.reports import FORMATS, TEXTS

if TYPE_CHECKING:
    from ptxlint.baseline import Baseline
    from ptxlint.checker import Running, Shard
    from ptxlint.configuration.settings import Settings
    from ptxlint.contracts.contract import Contract
    from ptxlint.options import Options
    from ptxlint.reports.view import View
    from ptxlint.results.report import Report
    from ptxlint.source import Diagnostic
    from ptxlint.source_files import SourceFiles

FIXES = ("full", "json", "jsonl")
CLEAN, FINDINGS, FAILED, INCOMPLETE = range(4)
CONFIG = "The configuration; else the nearest ptxlint.toml or [tool.ptxlint] of pyproject.toml."
KERNEL = "Only kernels whose whole name is like this: hist, reduce_*, 'softmax<float*'."
OF_REPORT = (
    "fail_on", "strict", "require", "baseline", "show_undecided", "output_format", "statistics",
    "fix", "color", "documentation",
)  # fmt: skip
"""The options of REPORT that a shard has no use for: all but ``--output``."""
EXIT_CODES = (
    "Exit codes: 0 clean; 1 findings, or a warning about a file; 2 wrong usage, an unreadable file,"
    " an error in a file or a crash; 3 nothing was analysed or, with --strict or --require, not"
    " everything was, or a required property is not proved, or with --strict a finding of"
    " the baseline is fixed."
)
EXAMPLES = """\b
Examples:
  ptxlint build/                                  all .ptx files of a folder
  nvcc -ptx -lineinfo -o - k.cu | ptxlint -       standard input
  ptxlint k.ptx --block 256 --grid '(n+255)/256' --params in,out,n \\
      --buffer in=4*n --buffer out=4*n            for every n
  ptxlint k.ptx --select memory,sync --strict     correctness alone, proved
  ptxlint build/ --baseline ptxlint-baseline.json new findings alone

"""
LAUNCH = (
    once("--block", metavar="XxYxZ", help="Threads of a block: 256, 32x8."),
    once(
        "--grid",
        metavar="XxYxZ",
        help="Blocks of the grid: 64, 8x8, or sizes over arguments: (n+255)/256,4.",
    ),
    once("--shared", metavar="BYTES", help="Dynamic shared memory: 4096, 48KiB."),
    click.option(
        "--arg",
        metavar="NAME=VALUE",
        multiple=True,
        help="n=1000, n=1..4096, a=2.5, or a pointer into a buffer: end=x+4*n.",
    ),
    click.option(
        "--buffer",
        metavar="NAME=BYTES",
        multiple=True,
        help="Size of what a pointer points to, over arguments: in=4*n. in=4*n@16: the alignment."
        " in='4*n or null': the pointer may be null.",
    ),
    click.option(
        "--values",
        metavar="NAME=RANGE",
        multiple=True,
        help="Value range of an index buffer: at=0..m-1, at=0..m-1:u64 (s32 if no type is given).",
    ),
    click.option(
        "--layout",
        metavar="NAME=LAYOUT",
        multiple=True,
        help="Layout of a buffer: p=aos:4,4,8, structures with fields of so many bytes.",
    ),
    click.option(
        "--assume",
        metavar="CONDITION",
        multiple=True,
        help="What every launch meets: ntid.x <= 256, n % 4 == 0, blocks*256 >= n.",
    ),
    click.option("--need", multiple=True, hidden=True),
    once("--writes", metavar="NAMES", help="Only these buffers may be written: out,sums."),
    click.option(
        "--distinct",
        metavar="NAMES",
        multiple=True,
        help="Buffers that must not overlap: in,out; 'in, out or same': no partial overlap (in"
        " place is allowed). Without it none are taken to overlap; with it, all that it does not"
        " name may.",
    ),
    once("--params", metavar="NAMES", help="Names for the parameters, in order: in,out,n."),
    setting("contract", "any-grid"),
    click.option("--config", metavar="FILE", help=CONFIG),
)
"""The options that declare launches."""


def launch_options(command: Any) -> Any:
    for option in reversed(LAUNCH):
        command = option(command)
    return command


def check_options(command: Any) -> Any:
    """The options that say what is checked."""
    for option in (
        click.option("--stdin-filename", metavar="NAME", help="What to call standard input ('-')."),
        setting("source"),
        setting("select", "ignore", "extend-select", "extend-ignore", "pedantic", "arch", "z3"),
        click.option("--kernel", metavar="PATTERN", default="*", help=KERNEL),
        click.option(
            "--launches",
            metavar="FILE",
            multiple=True,
            help="Launches that happened: each is checked by itself, before all that is declared.",
        ),
        launch_options,
    ):
        command = option(command)
    return command


REPORT = (
    setting("fail-on", "strict", "require", "baseline", "documentation"),
    click.option(
        "--show-undecided",
        is_flag=True,
        help="List each line that is not proved, with the option that decides it.",
    ),
    click.option(
        "--output-format", type=click.Choice(list(FORMATS)), default="full", show_default=True
    ),
    click.option(
        "--output",
        metavar="[FORMAT=]FILE",
        multiple=True,
        help="Write the report to a file, whole or not at all; with a format, beside the usual"
        " output: sarif=lint.sarif.",
    ),
    click.option("--statistics", is_flag=True, help="Count the findings of each rule."),
    click.option(
        "--fix",
        is_flag=True,
        help="Propose fixes in the source whose cost was computed. Edits nothing.",
    ),
    click.option(
        "--color", type=click.Choice(["auto", "always", "never"]), default="auto", show_default=True
    ),
)
"""The options that say what is shown of a report, and what fails."""


def report_options(command: Any) -> Any:
    for option in reversed(REPORT):
        command = option(command)
    return command


@click.command(
    "check",
    cls=Grouped,
    epilog=EXAMPLES + EXIT_CODES,
)
@click.argument("paths", metavar="PATH...", nargs=-1, required=True)
@check_options
@report_options
@click.option(
    "--shard",
    metavar="I/N",
    help="Check part I of N of the kernels, and write it as JSON for 'ptxlint merge'.",
)
@click.option("--watch", is_flag=True, help="Check again when a file changes; Ctrl-C ends.")
@click.option("--contracts", is_flag=True, help="Infer contracts too, for --output-format json.")
@running_options
def command(paths: tuple[str, ...], stdin_filename: str | None, **options: Any) -> int:
    """Check PTX: files, folders, patterns, or - for standard input.

    A parameter goes by its name in the PTX, by its position counted from 0, or by a name that
    --params gives it, and a member of a structure by value by that and its offset in bytes: a.8.
    Sizes and conditions may use integers and the launch's shape: ntid.x are the threads of a block
    along x, nctaid.x the blocks of the grid. Undeclared values are unconstrained; an undeclared
    integer in a size is not negative.
    """
    asked = settled(options)
    if options["shard"] is not None:
        if options["watch"]:
            raise Refusal("--watch: not with --shard")
        problems: list[Diagnostic] = []
        shard, outputs = shard_of(options["shard"]), documents(options["output"])
        chosen = options_of(options, asked, problems)
        with running(options) as how:
            mine = replace(how, shard=shard)
            text = part_of(paths, stdin_filename, chosen, problems, mine)
        for file in outputs:
            write_file(file, text)
        if not outputs:
            write(text)
        return CLEAN
    if options["watch"]:
        return watched(paths, options)
    return told(paths, stdin_filename, options, asked)[0]


def told(
    paths: tuple[str, ...], stdin_filename: str | None, options: dict[str, Any], asked: Settings
) -> tuple[int, SourceFiles]:
    """Checks and reports. The exit code, and the texts that were read."""
    problems: list[Diagnostic] = []
    reporting = Reporting.of(options, asked)
    chosen = options_of(options, asked, problems)
    with running(options) as how:
        report, files = analysed(paths, stdin_filename, chosen, problems, how)
    return reporting.publish(report, files, chosen), files


def watched(paths: tuple[str, ...], options: dict[str, Any]) -> int:
    """Checks and reports again and again. What is wrong from the start is refused."""
    from ptxlint.cli.watching import watch

    if "-" in paths:
        raise Refusal("--watch: not with standard input")
    names, first = set[str](), True

    def check() -> set[str]:
        nonlocal first
        click.clear()
        try:
            asked = settled(options)
            named = (str(asked.path or ""), asked.text("baseline"), *asked.names("contract"))
            names.update(filter(None, (*named, *options["launches"])))
            names.update(told(paths, None, options, asked)[1].sources)
        except Refusal as refusal:
            if first:
                raise
            refusal.show()
        first = False
        return names

    try:
        watch(paths, check)
    except KeyboardInterrupt:
        click.echo(err=True)
    return CLEAN


class Reporting(Struct, frozen=True):
    """What a command does with a report: the ``form`` of standard output, the ``outputs`` to files,
    the findings that are ``known``, and what else ``options`` and the configuration ask for."""

    form: str
    outputs: Sequence[tuple[str, str]]
    known: Baseline | None
    options: Mapping[str, Any]
    asked: Settings

    @classmethod
    def of(cls, options: Mapping[str, Any], asked: Settings) -> Reporting:
        """Raises Refusal for options that do not go together."""
        form = options["output_format"]
        if options["fix"] and form not in FIXES:
            raise Refusal(f"--fix: not with --output-format {form}; use {', '.join(FIXES)}")
        if options["statistics"] and form not in TEXTS:
            raise Refusal(f"--statistics: not with --output-format {form}; use {', '.join(TEXTS)}")
        outputs = [output(text, form) for text in options["output"]]
        return cls(form, outputs, baseline_of(asked), options, asked)

    def publish(self, report: Report, files: SourceFiles, chosen: Options) -> int:
        """Writes the report, and returns the exit code."""
        from ptxlint.reports.view import View
        from ptxlint.results.verdict import required

        options, asked, fixed = self.options, self.asked, 0
        if self.known is not None:
            known = self.known.followed(report, files)
            report = known.applied(report)
            fixed = len(known.fixed(report, chosen.rule_ids))
        names, strict, fail_on = asked.names("require"), asked.flag("strict"), asked.text("fail-on")
        view = View(
            files=files,
            fixes=options["fix"],
            undecided=options["show_undecided"],
            required=required(names) if strict or names else (),
            statistics=options["statistics"],
            fail_on=fail_on,
            width=columns(),
            documentation=asked.text("documentation"),
        )
        publish(report, self.form, self.outputs, view, options["color"])
        if fixed:
            path, are = asked.text("baseline"), "s are" if fixed > 1 else " is"
            text = f"{path}: {fixed} finding{are} fixed: see 'ptxlint baseline --shrink'"
            click.echo(f"ptxlint: {text}", err=True)
        code = report.exit_code(fail_on, strict, names)
        return INCOMPLETE if fixed and strict and code == CLEAN else code


def shard_of(text: str) -> Shard:
    """What ``--shard`` asks for. Options of the report belong to the merge."""
    from ptxlint.checker import Shard

    found = re.fullmatch(r"([1-9]\d{0,5})/([1-9]\d{0,5})", text)
    if found is None or int(found[1]) > int(found[2]):
        raise Refusal(f"--shard {text}: expected I/N, with I from 1 to N")
    context = click.get_current_context()
    for parameter in command.params:
        name = parameter.name or ""
        given = context.get_parameter_source(name) is ParameterSource.COMMANDLINE
        if given and name in OF_REPORT:
            raise Refusal(f"{parameter.opts[0]}: not with --shard; give it to 'ptxlint merge'")
    return Shard(int(found[1]), int(found[2]))


def documents(given: Iterable[str]) -> list[str]:
    """The files that a shard is written to."""
    outputs = [output(text, "json") for text in given]
    for form, file in outputs:
        if form != "json":
            raise Refusal(f"--output {form}={file}: not with --shard, which writes json")
    return [file for _, file in outputs]


def part_of(
    paths: tuple[str, ...],
    stdin_filename: str | None,
    options: Options,
    problems: Sequence[Diagnostic],
    how: Running,
) -> str:
    """Checks a shard, whose findings are reported by ``ptxlint merge``."""
    from ptxlint.cli.inputs import read
    from ptxlint.shards import shard_result

    sources, unread = read(paths, stdin_filename)
    with refusals():
        return shard_result(sources, options, (*problems, *unread), how).to_json()


def baseline_of(asked: Settings) -> Baseline | None:
    """The findings that are known, if a baseline is named."""
    if not asked.text("baseline"):
        return None
    from ptxlint.baseline import Baseline

    try:
        return Baseline.read(asked.text("baseline"))
    except Error as error:
        raise Refusal(str(error)) from None


def output(text: str, form: str) -> tuple[str, str]:
    """The format and the file of ``--output``."""
    name, equals, file = text.partition("=")
    found = (name, file) if equals and name in FORMATS else (form, text)
    folder = Path(found[1]).parent
    if not found[1] or not folder.is_dir():
        what = f"there is no folder {folder}" if found[1] else "expected a file"
        raise Refusal(f"--output {text}: {what}")
    return found


def publish(
    report: Report, form: str, outputs: Sequence[tuple[str, str]], view: View, colour: str
) -> None:
    """Writes the files, then the report to standard output unless a file has it already."""
    from ptxlint.reports import notices, render

    for kind, file in outputs:
        write_file(file, render(report, kind, replace(view, colour=colour == "always")))
    shown = [] if form in dict(outputs) else [form]
    if shown:
        write(render(report, form, replace(view, colour=coloured(colour))))
    for kind in dict.fromkeys([*(kind for kind, _ in outputs), *shown]):
        for text in notices(report, kind):
            click.echo(f"ptxlint: {kind}: {text}", err=True)


def settled(options: Mapping[str, Any]) -> Settings:
    """What the command line and the configuration ask for."""
    from ptxlint.configuration.settings import settings

    try:
        return settings(options, options.get("config"))
    except Error as error:
        raise Refusal(str(error)) from None


def declared(options: Mapping[str, Any], asked: Settings) -> list[Contract]:
    """The contracts that options and files declare, the first counting most."""
    from ptxlint.contracts.option_names import OLD, SEVERAL, SINGLE

    names = (*SINGLE, *SEVERAL, *OLD)
    said = {name: options[name] for name in names if options.get(name) not in (None, ())}
    if not said and not options["contract"]:
        return list(asked.contracts)
    from ptxlint.contracts import files
    from ptxlint.contracts.contract import Contract
    from ptxlint.contracts.declaration import ContractError

    try:
        found = [Contract.of(**said)]
        for path in options["contract"]:
            found += files.read(path)
    except ContractError as error:
        raise Refusal(str(error)) from None
    return [*found, *asked.contracts]


def recorded(paths: Iterable[str], problems: list[Diagnostic]) -> list[Contract]:
    """The launches in files of them; lines that say none are among the problems."""
    if not paths:
        return []
    from ptxlint.contracts.declaration import ContractError
    from ptxlint.contracts.records import launches

    try:
        return [launch for path in paths for launch in launches(path, problems)]
    except ContractError as error:
        raise Refusal(str(error)) from None


def options_of(
    given: Mapping[str, Any], asked: Settings, problems: list[Diagnostic] | None = None
) -> Options:
    """What a command line, the configuration, and the files that they name ask for; what is wrong
    inside of a record of launches is among the problems."""
    from ptxlint.options import Options

    contracts = tuple(declared(given, asked))
    launches = tuple(recorded(given.get("launches", ()), [] if problems is None else problems))
    try:
        return Options(
            contracts=contracts,
            launches=launches,
            select=asked.select,
            ignore=asked.ignore,
            kernel=given["kernel"],
            arch=asked.text("arch"),
            any_grid=asked.flag("any-grid"),
            pedantic=asked.flag("pedantic"),
            z3=asked.flag("z3"),
            infer=given.get("contracts", False),
            overrides=asked.overrides,
            folders=asked.names("source"),
        )
    except Error as error:
        raise Refusal(f"{asked.origin(str(error).partition(' ')[0])}{error}") from None


def analysed(
    paths: tuple[str, ...],
    stdin_filename: str | None,
    options: Options,
    problems: Sequence[Diagnostic] = (),
    how: Running | None = None,
) -> tuple[Report, SourceFiles]:
    """The report, and the texts that it quotes."""
    from ptxlint.checker import check
    from ptxlint.cli.inputs import read
    from ptxlint.source_files import SourceFiles

    sources, unread = read(paths, stdin_filename)
    files = SourceFiles(sources, folders=options.folders)
    with refusals():
        return check(sources, options, (*problems, *unread), files, how), files


@contextmanager
def refusals() -> Iterator[None]:
    """What a check raises, as a refusal."""
    try:
        yield
    except Error as error:
        from ptxlint.contracts.declaration import ContractError

        declared = isinstance(error, ContractError)  # else it is one of a cluster
        raise Refusal(str(error) if declared else f"--executor {error}") from None
