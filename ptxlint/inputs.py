"""Sources from paths, folders, patterns, texts and bytes."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from glob import has_magic
from pathlib import Path

from ptxlint.errors import Error
from ptxlint.reading import reason
from ptxlint.source import Source
from ptxlint.syntax import modules, read_source

Given = str | os.PathLike[str] | bytes | Source
"""A text is a string with a line end or ``.version``, any other string is a path."""

UNCOMPILED = {
    ".cu": "CUDA C: compile it first, with 'nvcc -ptx -lineinfo FILE'",
    ".cubin": "a binary: get its PTX with 'cuobjdump -ptx FILE'",
    ".py": "Python: give the PTX that it compiles to",
}


def sources_of(given: Given | Iterable[Given]) -> list[Source]:
    """The modules of the sources in the order given, each source once. Raises Error for what cannot
    be read."""
    if isinstance(given, str | bytes | os.PathLike | Source) or not isinstance(given, Iterable):
        given = [given]
    found: dict[str, list[Source]] = {}
    for one in given:
        for source in _sources(one, len(found)):
            found[source.path] = modules(source)
    if not found:
        raise Error("no source is given")
    return [module for each in found.values() for module in each]


def _sources(given: Given, before: int) -> Iterator[Source]:
    more = f" {before + 1}" if before else ""
    if isinstance(given, Source):
        yield given
    elif isinstance(given, bytes):
        yield read_source(f"<bytes{more}>", given)
    elif isinstance(given, str) and ("\n" in given or ".version" in given):
        yield Source(f"<text{more}>", given)
    elif isinstance(given, str | os.PathLike):
        names = list(files(os.fspath(given)))
        if not names:
            raise Error(f"{given}: no .ptx file in this folder")
        yield from map(read_file, names)
    else:
        raise Error(f"a source is a path, a text or bytes, not {type(given).__name__}")


def read_file(name: str) -> Source:
    try:
        return read_source(name)
    except OSError as error:
        raise Error(f"{name}: cannot be read: {reason(error)}") from None


def files(path: str) -> Iterator[str]:
    """The files that a path stands for, in order. Raises Error where there is none."""
    if not path:
        raise Error("an empty path names no file")
    try:
        place = Path(path)
        if place.is_dir():
            inside = (f for f in place.rglob("*.ptx") if not hidden(f.relative_to(place)))
            yield from sorted(str(file) for file in inside if file.is_file())
        elif place.exists():
            if place.suffix in UNCOMPILED:
                raise Error(f"{path}: this is {UNCOMPILED[place.suffix]}")
            yield path
        elif has_magic(path) and (matches := matching(place)):
            for match in matches:
                yield from files(match)
        else:
            raise Error(f"{path}: no such file or folder")
    except (OSError, ValueError) as error:
        raise Error(f"{path}: {error}") from None


def matching(pattern: Path) -> list[str]:
    """What a pattern stands for. ``**`` follows no link, which might lead back."""
    found = Path(pattern.anchor).glob(str(pattern.relative_to(pattern.anchor)))
    named = set(pattern.parts)
    return sorted(str(f) for f in found if not any(hidden(Path(p)) for p in {*f.parts} - named))


def hidden(path: Path) -> bool:
    return any(part.startswith(".") for part in path.parts)
