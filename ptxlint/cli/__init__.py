"""The command line. A command is a module of this package, imported on demand.

``ptxlint file.ptx`` means ``ptxlint check file.ptx``: arguments that do not start with the name of
a command are for ``check``. Exit codes: 0 clean; 1 findings, or a warning about a file; 2 wrong
usage, an unreadable file, an error in a file or a crash; 3 nothing was analysed or, with --strict,
not everything.
"""

from __future__ import annotations

import gc
import importlib
import os
import sys
from collections.abc import Sequence
from itertools import takewhile

import click

from ptxlint.cli.output import discard
from ptxlint.reading import reason
from ptxlint.version import VERSION

COMMANDS = {
    "check": "Check PTX files. The default: its name may be left out.",
    "baseline": "Write the known findings to a file, or remove from it what is fixed.",
    "config": "Print the configuration that counts here, with the origin of each value.",
    "contract": "Infer what kernels need of their callers, and what they read and write.",
    "costs": "List memory accesses by what a request of a warp costs.",
    "demo": "Check a kernel that comes with ptxlint.",
    "explain": "Explain an instruction, or list all of them.",
    "graph": "Write the control flow of a kernel as DOT or SVG.",
    "report": "Write the report as an HTML page: pictures, source and PTX side by side.",
    "launches": "Convert traces of launches to a record for 'check --launches'.",
    "rule": "Explain a rule, or list all of them.",
    "merge": "Report on all shards of a check: see 'check --shard'.",
    "run": "Run a kernel on the interpreter, with checks, on arrays of yours.",
    "server": "Serve an editor: findings, facts under the pointer, PTX and source linked.",
    "why": "Explain a line: its addresses, the guards there, proofs and costs.",
}
FAILED, INTERRUPTED = 2, 130
NEW_OBJECTS = 3_000_000  # between two collections inside of a kernel


class Commands(click.Group):
    """Knows its commands by name and imports the one it runs."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        if name not in COMMANDS:
            return None
        command = importlib.import_module(f"ptxlint.cli.{name}").command
        return command if isinstance(command, click.Command) else None

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if args and args[0] not in (*COMMANDS, "--help", "-h", "--version"):
            args = self.named_behind_flags(ctx, args) or ["check", *args]
        return super().parse_args(ctx, args)

    def named_behind_flags(self, ctx: click.Context, args: list[str]) -> list[str] | None:
        """``--no-cache contract k.ptx`` with the command first; None if there is none behind flags
        of its own, or a file is called so."""
        before = list(takewhile(lambda arg: arg.startswith("-"), args))
        name = args[len(before)] if len(before) < len(args) else ""
        command = None if os.path.exists(name) else self.get_command(ctx, name)
        options = [p for p in command.params if isinstance(p, click.Option)] if command else []
        flags = {flag for p in options if p.is_flag for flag in (*p.opts, *p.secondary_opts)}
        ours = command is not None and flags.issuperset(before)
        return [name, *before, *args[len(before) + 1 :]] if ours else None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


@click.group(
    cls=Commands,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="'ptxlint check --help' lists the options; 'ptxlint demo' shows what it looks like. For"
    ' completion in bash: eval "$(_PTXLINT_COMPLETE=bash_source ptxlint)"; zsh_source and'
    " fish_source are for zsh and fish.",
)
@click.version_option(VERSION, prog_name="ptxlint", message="%(prog)s %(version)s")
def commands() -> None:
    """Static analysis of NVIDIA PTX: memory accesses, their cost, divergence, synchronisation.

    ptxlint [check] [OPTIONS] PATH...
    """


def called_with(arguments: Sequence[str]) -> int:
    """Runs a command line and returns its exit code."""
    try:
        code = commands.main(list(arguments), prog_name="ptxlint", standalone_mode=False)
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except click.Abort:
        click.echo("interrupted", err=True)
        return INTERRUPTED
    except MemoryError:
        click.echo("ptxlint: out of memory", err=True)
        return FAILED
    except OSError as error:  # of help and version, which click writes
        discard(sys.stdout)
        click.echo(f"ptxlint: {error.filename or 'standard output'}: {reason(error)}", err=True)
        return FAILED
    except Exception as error:
        if os.environ.get("PTXLINT_TRACEBACK"):
            raise
        click.echo(f"ptxlint: internal error: {error!r}; please report it, with what", err=True)
        click.echo("PTXLINT_TRACEBACK=1 ptxlint ... prints", err=True)
        return FAILED
    return code if isinstance(code, int) else 0


def collect_rarely() -> None:
    """Objects of a kernel are freed by their last reference, or by a collection between kernels:
    see ``ptxlint.analysis.analyse``. The process belongs to the command."""
    gc.set_threshold(NEW_OBJECTS, *gc.get_threshold()[1:])


def main() -> None:
    collect_rarely()
    try:
        code = called_with(sys.argv[1:])
    except OSError:  # standard error is full, or the reader of its pipe is gone
        discard(sys.stderr)
        code = FAILED
    gc.freeze()  # the process ends: what is left is not searched for cycles
    sys.exit(code)
