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
    from ptxlint.extraction.errors import ExtractionError
    from ptxlint.inputs import distinct, files, modules_in, modules_of
    from ptxlint.source import Diagnostic

    sources: dict[str, list[Source]] = {}
    problems: list[Diagnostic] = []
    for path in paths:
        if path == "-":
            name = stdin_filename or "<stdin>"
            try:
                sources[name] = modules_in(name, standard_input())
            except ExtractionError as error:
                problems.append(error.diagnostic)
            continue
        try:
            found = list(files(path))
        except Error as error:
            raise Refusal(str(error)) from None
        if not found:
            problems.append(Diagnostic(path, 0, 0, "no .ptx file in this folder"))
        for name in found:
            try:
                sources[name] = modules_of(name)
            except ExtractionError as error:
                problems.append(error.diagnostic)
    return distinct(module for each in sources.values() for module in each), problems


def standard_input() -> bytes:
    if sys.stdin is None:
        raise Refusal("standard input is closed")
    try:
        return read_at_most(sys.stdin.buffer)
    except OSError as error:
        raise Refusal(f"standard input: {reason(error)}") from None
