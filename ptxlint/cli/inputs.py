"""The files that a command line names: paths, folders, patterns, ``-`` for standard input."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING

from ptxlint.cli.output import Refusal
from ptxlint.errors import Error
from ptxlint.reading import read_at_most, reason

if TYPE_CHECKING:
    from ptxlint.source import Diagnostic, Source


def read(paths: Iterable[str], stdin_filename: str | None) -> tuple[list[Source], list[Diagnostic]]:
    """The modules of the files in the order given, each file once, and what could not be read."""
    from ptxlint.inputs import files
    from ptxlint.source import Diagnostic
    from ptxlint.syntax import modules, read_source

    sources: dict[str, Source] = {}
    problems: list[Diagnostic] = []
    for path in paths:
        if path == "-":
            name = stdin_filename or "<stdin>"
            sources[name] = read_source(name, standard_input())
            continue
        try:
            found = list(files(path))
        except Error as error:
            raise Refusal(str(error)) from None
        if not found:
            problems.append(Diagnostic(path, 0, 0, "no .ptx file in this folder"))
        for name in found:
            try:
                sources[name] = read_source(name)
            except OSError as error:
                problems.append(Diagnostic(name, 0, 0, f"cannot be read: {reason(error)}"))
    return [module for source in sources.values() for module in modules(source)], problems


def standard_input() -> bytes:
    if sys.stdin is None:
        raise Refusal("standard input is closed")
    try:
        return read_at_most(sys.stdin.buffer)
    except OSError as error:
        raise Refusal(f"standard input: {reason(error)}") from None
