"""How commands write: to standard output, in colour where somebody looks, quietly into a closed
pipe. And how they refuse: one line on standard error, exit code 2."""

from __future__ import annotations

import os
import sys
from io import TextIOWrapper
from typing import IO, Any

import click


class Refusal(click.ClickException):
    """Wrong usage, said in one line."""

    exit_code = 2

    def show(self, file: IO[Any] | None = None) -> None:
        from ptxlint.source import harmless

        click.echo(f"ptxlint: {harmless(self.message)}", file=file, err=file is None)


def coloured(choice: str) -> bool:
    """True if output is coloured. ``auto``: on a terminal, unless NO_COLOR is set."""
    if choice != "auto":
        return choice == "always"
    plain = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
    return sys.stdout.isatty() and not plain


def write(text: str) -> None:
    """Writes to standard output. Letters that it cannot show become question marks, and whoever
    closed it has read enough."""
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except BrokenPipeError:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())  # or the flush at exit complains
