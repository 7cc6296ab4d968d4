"""The files that a command line names: paths, folders, patterns, ``-`` for standard input."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from glob import glob, has_magic
from pathlib import Path
from typing import TYPE_CHECKING

from ptxlint.cli.output import Refusal

if TYPE_CHECKING:
    from ptxlint.source import Diagnostic, Source

UNCOMPILED = {
    ".cu": "CUDA C: compile it first, with 'nvcc -ptx -lineinfo FILE'",
    ".cubin": "a binary: get its PTX with 'cuobjdump -ptx FILE'",
    ".py": "Python: give the PTX that it compiles to",
}


def read(paths: Iterable[str], stdin_filename: str | None) -> tuple[list[Source], list[Diagnostic]]:
    """The sources in the order given, each once, and what could not be read."""
    from ptxlint.source import Diagnostic
    from ptxlint.syntax import read_source

    sources: dict[str, Source] = {}
    problems: list[Diagnostic] = []
    for path in paths:
        if path == "-":
            name = stdin_filename or "<stdin>"
            sources[name] = read_source(name, sys.stdin.buffer.read())
            continue
        found = list(files(path))
        if not found:
            problems.append(Diagnostic(path, 0, 0, "no .ptx file in this folder"))
        for name in found:
            try:
                sources[name] = read_source(name)
            except OSError as error:
                reason = (error.strerror or str(error)).lower()
                problems.append(Diagnostic(name, 0, 0, f"cannot be read: {reason}"))
    return list(sources.values()), problems


def files(path: str) -> Iterator[str]:
    """The files that a path stands for, in order. Raises Refusal where there is none."""
    if not path:
        raise Refusal("an empty path names no file")
    try:
        place = Path(path)
        if place.is_dir():
            inside = (f for f in place.rglob("*.ptx") if not hidden(f.relative_to(place)))
            yield from sorted(str(file) for file in inside if file.is_file())
        elif place.exists():
            if place.suffix in UNCOMPILED:
                raise Refusal(f"{path}: this is {UNCOMPILED[place.suffix]}")
            yield path
        elif has_magic(path) and (matches := sorted(glob(path, recursive=True))):
            for match in matches:
                yield from files(match)
        else:
            raise Refusal(f"{path}: no such file or folder")
    except (OSError, ValueError) as error:
        raise Refusal(f"{path}: {error}") from None


def hidden(path: Path) -> bool:
    return any(part.startswith(".") for part in path.parts)
