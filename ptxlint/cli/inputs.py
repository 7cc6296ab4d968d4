"""The files that a command line names: paths, folders, patterns, ``-`` for standard input."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from ptxlint.cli.output import Refusal
from ptxlint.errors import Error
from ptxlint.reading import read_at_most, reason

if TYPE_CHECKING:
    from ptxlint.source import Diagnostic, Source

STDIN = "-"


def read(paths: Iterable[str], stdin_filename: str | None) -> tuple[list[Source], list[Diagnostic]]:
    """The modules of the files in the order given, each file once, and what could not be read."""
    from ptxlint.extraction.errors import ExtractionError
    from ptxlint.inputs import distinct, each_once, modules_in, modules_of

    problems: list[Diagnostic] = []
    sources: list[Source] = []
    for name in each_once(named(paths, problems), problems):
        try:
            if name == STDIN:
                sources += modules_in(stdin_filename or "<stdin>", standard_input())
            else:
                sources += modules_of(name)
        except ExtractionError as error:
            problems.append(error.diagnostic)
    return distinct(sources), problems


def named(paths: Iterable[str], problems: list[Diagnostic]) -> Iterator[str]:
    """The files that the paths stand for, and ``-``. Raises Refusal for what is not there, and
    where standard input is named twice: it can be read once."""
    from ptxlint.inputs import files
    from ptxlint.source import Diagnostic

    piped = False
    for path in paths:
        if path == STDIN:
            if piped:
                raise Refusal("standard input (-) is named twice, and can be read once")
            piped = True
            yield path
            continue
        try:
            found = list(files(path))
        except Error as error:
            raise Refusal(str(error)) from None
        if not found:
            problems.append(Diagnostic(path, 0, 0, "no .ptx file in this folder"))
        yield from found


def standard_input() -> bytes:
    if sys.stdin is None:
        raise Refusal("standard input is closed")
    try:
        return read_at_most(sys.stdin.buffer)
    except OSError as error:
        raise Refusal(f"standard input: {reason(error)}") from None
