"""Output of the commands: the report on standard output, in colour on a terminal; a refusal in one
line on standard error, with exit code 2. A closed pipe ends the output and is no error; a full disk
or a closed descriptor is one."""

from __future__ import annotations

import os
import sys
from io import TextIOWrapper
from typing import IO, Any

import click

from ptxlint.reading import reason

MOST_CHARACTERS = 600  # of a refusal, which quotes what was given


class Refusal(click.ClickException):
    """Wrong usage, said in one line."""

    exit_code = 2

    def show(self, file: IO[Any] | None = None) -> None:
        from ptxlint.source import harmless

        text = harmless(self.message)
        if len(text) > MOST_CHARACTERS:
            half = MOST_CHARACTERS // 2
            text = f"{text[:half]} ... {text[-half:]}"
        click.echo(f"ptxlint: {text}", file=file, err=file is None)


def coloured(choice: str) -> bool:
    """True if output is coloured. ``auto``: on a terminal, unless NO_COLOR is set."""
    if choice != "auto" or sys.stdout is None:
        return choice == "always"
    plain = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
    return sys.stdout.isatty() and not plain


def write(text: str) -> None:
    """Writes to standard output. Letters that it cannot show become question marks. Raises Refusal
    if it is full or closed; the end of a pipe may be closed."""
    if sys.stdout is None:
        raise Refusal("standard output is closed")
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except OSError as error:
        discard(sys.stdout)
        if not isinstance(error, BrokenPipeError):
            raise Refusal(f"standard output: {reason(error)}") from None


def discard(stream: IO[Any] | None) -> None:
    """Sends the rest of a stream that cannot be written nowhere: it is flushed again at exit."""
    if stream is not None:
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
