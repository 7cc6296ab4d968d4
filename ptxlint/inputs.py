"""Sources from paths, folders, patterns, texts and bytes: PTX, and what carries it."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from glob import has_magic
from mmap import ACCESS_READ, mmap
from pathlib import Path

from ptxlint.errors import Error
from ptxlint.extraction import fat_binaries
from ptxlint.extraction.errors import ExtractionError
from ptxlint.reading import reason
from ptxlint.source import Diagnostic, Source
from ptxlint.syntax import modules, read_source

Given = str | os.PathLike[str] | bytes | Source
"""A text is a string with a line end or ``.version``, any other string is a path."""

UNCOMPILED = {".py": "Python: give the PTX that it compiles to, or run it under ptxlint.cupy,"
              " ptxlint.numba or ptxlint.triton"}  # fmt: skip
CUDA = ".cu"
SUFFIXES = (".ptx", *fat_binaries.SUFFIXES)
"""The files that are read of a folder."""


def sources_of(
    given: Given | Iterable[Given], problems: list[Diagnostic] | None = None
) -> list[Source]:
    """The modules of the sources in the order given, each source once. Raises Error for what cannot
    be read; what has no PTX, or is left out, is among the ``problems``, if there is such a list."""
    if isinstance(given, str | bytes | os.PathLike | Source) or not isinstance(given, Iterable):
        given = [given]
    reads: dict[str, Callable[[], list[Source]]] = {}
    several = list(given)
    if not several:
        raise Error("no source is given")
    for one in several:
        reads.update(_sources(one, len(reads)))
    found: list[Source] = []
    for name in each_once(reads, [] if problems is None else problems):
        try:
            found += reads[name]()
        except ExtractionError as error:
            if problems is None or not error.inside:
                raise
            problems.append(error.diagnostic)
    return distinct(found)


def one_file(given: Given | Iterable[Given]) -> list[Source]:
    """The modules of one source. Raises Error."""
    if isinstance(given, str | os.PathLike) and not is_text(given):
        path = os.fspath(given)
        if len(list(files(path))) != 1:
            raise Error(f"{path}: expected one file")
    elif not isinstance(given, str | bytes | Source) and len(list(given)) != 1:  # type: ignore[arg-type]
        raise Error("expected one source")
    return sources_of(given)


def distinct(modules: Iterable[Source]) -> list[Source]:
    """Each module of a binary once: a library has those of its objects."""
    seen: set[str] = set()
    found = []
    for module in modules:
        if module.image and module.text in seen:
            continue
        seen.add(module.text)
        found.append(module)
    return found


def each_once(names: Iterable[str], problems: list[Diagnostic]) -> list[str]:
    """The names of files without those that another one stands for: another spelling of the same
    file, and CUDA C whose PTX is named too, which a note among the ``problems`` says."""
    chosen: dict[str, str] = {}
    for name in names:
        written = name.endswith(CUDA)
        place = place_of(name.removesuffix(CUDA) + ".ptx" if written else name)
        known = chosen.setdefault(place, name)
        if known.endswith(CUDA) == written:
            continue
        code, chosen[place] = (name, known) if written else (known, name)
        message = f"not compiled: {chosen[place]} is named too, and is taken for its PTX"
        problems.append(Diagnostic(code, 0, 0, message, "note"))
    return list(chosen.values())


def place_of(path: str) -> str:
    """The file that a path means, however it is spelt. A link is a file of its own."""
    folder, name = os.path.split(path)
    return os.path.join(os.path.realpath(folder), name)


def is_text(given: Given) -> bool:
    return isinstance(given, str) and ("\n" in given or ".version" in given)


def _sources(given: Given, before: int) -> Iterator[tuple[str, Callable[[], list[Source]]]]:
    """The name of each source, and what reads its modules."""
    more = f" {before + 1}" if before else ""
    if isinstance(given, Source):
        yield given.path, partial(modules, given)
    elif isinstance(given, bytes):
        yield f"<bytes{more}>", partial(modules_in, f"<bytes{more}>", given)
    elif isinstance(given, str) and is_text(given):
        yield f"<text{more}>", partial(modules_in_text, f"<text{more}>", given)
    elif isinstance(given, str | os.PathLike):
        names = list(files(os.fspath(given)))
        if not names:
            raise Error(f"{given}: no .ptx file in this folder")
        yield from ((name, partial(modules_of, name)) for name in names)
    else:
        raise Error(f"a source is a path, a text or bytes, not {type(given).__name__}")


# --- one source


def modules_of(path: str) -> list[Source]:
    """The modules of a file: PTX, a binary that holds it, or CUDA C. Raises ExtractionError."""
    if path.endswith(CUDA):
        from ptxlint.extraction import cuda

        return modules(cuda.compiled_file(path))
    try:
        with binary(path) as data:
            if data is not None:
                return fat_binaries.sources(path, data)
        source = read_source(path)
    except OSError as error:
        raise ExtractionError(path, f"cannot be read: {reason(error)}", inside=False) from None
    if os.path.isfile(f"{path.removesuffix('.ptx')}.json"):
        from ptxlint.extraction.triton_cache import with_metadata

        source = with_metadata(source)
    return modules(source)


@contextmanager
def binary(path: str) -> Iterator[mmap | None]:
    """The bytes of a file that may hold fat binaries; None for any other. Raises OSError."""
    if not os.path.isfile(path):
        yield None
        return
    with open(path, "rb") as file:
        if not fat_binaries.is_binary(file.read(8)):
            yield None
            return
        with mmap(file.fileno(), 0, access=ACCESS_READ) as data:
            yield data


def modules_in(name: str, data: bytes) -> list[Source]:
    """The modules in bytes. Raises ExtractionError."""
    if fat_binaries.is_binary(data):
        return fat_binaries.sources(name, data)
    return modules_in_text(name, read_source(name, data).text)


def modules_in_text(name: str, text: str) -> list[Source]:
    """The modules in a text of PTX or CUDA C. Raises ExtractionError."""
    if ".version" not in text and "__global__" in text:
        from ptxlint.extraction import cuda

        return modules(Source(name, cuda.compiled(text, f"{name}.cu").ptx))
    return modules(Source(name, text))


def holds_ptx(path: Path) -> bool:
    """True if a file of a folder is to be read: PTX, or a binary that has some and is not that of
    an installed package."""
    if path.suffix == ".ptx":
        return True
    if "site-packages" in path.parts:
        return False
    try:
        with binary(str(path)) as data:
            return data is not None and fat_binaries.has_ptx(str(path), data)
    except OSError:
        return True  # reading it says why


# --- paths


def files(path: str) -> Iterator[str]:
    """The files that a path stands for, in order. Raises Error where there is none."""
    if not path:
        raise Error("an empty path names no file")
    try:
        place = Path(path)
        if place.is_dir():
            inside = (f for f in place.rglob("*.*") if f.suffix in SUFFIXES)
            shown = (f for f in inside if not hidden(f.relative_to(place)) and f.is_file())
            yield from sorted(str(file) for file in shown if holds_ptx(file))
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
