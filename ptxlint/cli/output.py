"""Output of the commands: the report on standard output, in colour on a terminal; a refusal in one
line on standard error, with exit code 2. A closed pipe ends the output and is no error; a full disk
or a closed descriptor is one. A file is written whole or left as it was."""

from __future__ import annotations

import os
import sys
from io import TextIOWrapper
from pathlib import Path
from typing import IO, Any

import click

from ptxlint.reading import reason

MOST_CHARACTERS = 600  # of a refusal, which quotes what was given
SOURCES = frozenset({".ptx", ".cu", ".py"})


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
    """True if output is coloured. ``auto``: on a terminal unless NO_COLOR is set, and anywhere if
    FORCE_COLOR is; of the two, NO_COLOR counts."""
    if choice != "auto" or sys.stdout is None:
        return choice == "always"
    if os.environ.get("NO_COLOR"):
        return False
    forced = os.environ.get("FORCE_COLOR", "") not in ("", "0")
    return forced or (sys.stdout.isatty() and os.environ.get("TERM") != "dumb")


def columns() -> int:
    """Characters of a line: COLUMNS, else those of the terminal, else 100."""
    from ptxlint.reports.view import WIDTH

    if not os.environ.get("COLUMNS", "").isdecimal() and not (sys.stdout and sys.stdout.isatty()):
        return WIDTH
    from shutil import get_terminal_size

    return get_terminal_size((WIDTH, 0)).columns


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


def write_file(path: str, text: str) -> None:
    """Writes a file by way of a temporary one beside it, so that readers find the old text or the
    new one and never a part. A device or a pipe is written as it is. Raises Refusal, also for a
    source: what is checked is not written over by what is said of it."""
    data, target = text.encode(errors="replace"), Path(path)
    if target.suffix in SOURCES:
        raise Refusal(f"{path}: cannot be written: {target.suffix} is the name of a source")
    try:
        if target.exists() and not target.is_file():
            target.write_bytes(data)
            return
        target = target.resolve()  # the file behind a link is replaced, not the link
        part = target.with_name(f".{target.name}.{os.getpid()}.part")
        try:
            with part.open("xb") as file:
                file.write(data)
            if target.exists():
                part.chmod(target.stat().st_mode & 0o7777)
            part.replace(target)
        finally:
            part.unlink(missing_ok=True)
    except (OSError, ValueError) as error:
        what = reason(error) if isinstance(error, OSError) else str(error)
        raise Refusal(f"{path}: cannot be written: {what}") from None


def discard(stream: IO[Any] | None) -> None:
    """Sends the rest of a stream that cannot be written nowhere: it is flushed again at exit."""
    if stream is not None:
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
