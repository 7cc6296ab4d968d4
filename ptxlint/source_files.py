"""The texts that a report quotes: sources that PTX was compiled from.

The path in ``.file`` is not trusted, since it may be another machine's or anybody's: only its last
parts count, looked up beside the PTX, in folders that were named, in the current one and at the
root of its repository. No link is followed out of these. Where no file is found, the lines count
that nvcc embeds in PTX with ``--source-in-ptx``.
"""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Iterable, Iterator
from functools import cached_property
from pathlib import Path

from ptxlint.reading import LARGEST_TEXT, read_bytes, reason
from ptxlint.results.finding import Span
from ptxlint.source import Diagnostic, Source, harmless
from ptxlint.syntax import read_source

MOST_PARTS = 8  # of a path in ``.file``
EMBEDDED = re.compile(r"^//([^\n:]+):(\d+) ([^\n]*)", re.M)


class SourceFiles:
    """The texts quoted in a report, each read once: those that were ``given``, and others from the
    disk, unless ``disk`` is false: from the ``folders`` and from where PTX stands. ``problems`` are
    notes on files that exist and are not quoted."""

    def __init__(
        self, given: Iterable[Source] = (), disk: bool = True, folders: Iterable[str] = ()
    ) -> None:
        self.disk = disk
        self.folders = [Path(folder) for folder in folders]
        self.found: dict[tuple[Path, str], Source | None] = {}
        self.inside = {Path(), *self.folders}
        self.sources: dict[str, list[Source]] = {}
        for source in given:
            self.sources.setdefault(source.path, []).append(source)
            self.inside.add(Path(source.path).parent)
        self.embedded: dict[str, dict[str, dict[int, str]]] = {}  # by PTX and file
        self.problems: list[Diagnostic] = []

    def get(self, path: Path | str) -> Source | None:
        """The file, or its first module, if it can be read."""
        return next(iter(self._modules(str(path))), None)

    def find(self, ptx: str, path: str) -> Source | None:
        """The text of a path that ``.file`` of a PTX file names, if there is one."""
        folder = Path(ptx).parent
        self.inside.add(folder)
        if (folder, path) not in self.found:
            self.found[folder, path] = self._find(ptx, path)
        return self.found[folder, path]

    def _find(self, ptx: str, path: str) -> Source | None:
        tails = tails_of(path)
        if not self.disk:
            texts = [text for texts in self.sources.values() for text in texts]
            pairs = ((tail, text) for tail in tails for text in texts if text.path != ptx)
            ends = (text for tail, text in pairs if Path(text.path).parts[-len(tail) :] == tail)
            return next(ends, None)
        for tail in tails:
            for folder in self._places(ptx):
                file = folder.joinpath(*tail)
                file = from_here(file) if folder in self._root else file
                source = self.get(file) if file != Path(ptx) else None
                if source is not None:
                    return source
        return self._embedded(ptx, path)

    def _places(self, ptx: str) -> list[Path]:
        return list(dict.fromkeys((Path(ptx).parent, *self.folders, Path(), *self._root)))

    @cached_property
    def _root(self) -> tuple[Path, ...]:
        """The root of the repository that the current folder is in."""
        here = Path.cwd()
        return tuple(each for each in (here, *here.parents) if (each / ".git").exists())[:1]

    def _embedded(self, ptx: str, path: str) -> Source | None:
        """The lines of a file that stand in comments of the PTX."""
        name = base_name(path)
        if ptx not in self.embedded:
            self.embedded[ptx] = embedded(self.sources.get(ptx, []))
        lines = self.embedded[ptx].get(name)
        if not name or not lines:
            return None
        found = Source(name, "\n".join(lines.get(n, "") for n in range(1, max(lines) + 1)))
        self.sources.setdefault(name, [found])
        return found

    def _modules(self, name: str) -> list[Source]:
        if name not in self.sources:
            found = self._read(Path(name)) if self.disk else None
            self.sources[name] = [] if found is None else [found]
        return self.sources[name]

    def _read(self, path: Path) -> Source | None:
        try:
            if not path.is_file():
                return None
            if self._leads_out(path):
                raise OSError(errno.EPERM, f"a link that leaves this folder, to {path.resolve()}")
            return read_source(path, read_bytes(path, LARGEST_TEXT))
        except OSError as error:
            message = f"not quoted: {reason(error)}"
            self.problems.append(Diagnostic(str(path), 0, 0, message, "note"))
        except ValueError:  # no name of a file
            pass
        return None

    def marked(self) -> Iterator[Source]:
        """The texts that may have a comment for this program, well written or not."""
        for sources in list(self.sources.values()):
            yield from (source for source in sources if "ptxlint" in source.text.lower())

    def line(self, span: Span) -> str:
        """The line that a span begins in; empty if it is not found."""
        texts = (module.line_text(span.line) for module in self._modules(span.path))
        return next(filter(None, texts), "")

    def _leads_out(self, path: Path) -> bool:
        """True if links lead from the path to a file outside of the folders that are looked in. PTX
        is not trusted: a report on it must not quote any file of the machine."""
        real, inside = path.resolve(), (*self.inside, *self._root)
        return not any(real.is_relative_to(folder.resolve()) for folder in inside)


def embedded(sources: Iterable[Source]) -> dict[str, dict[int, str]]:
    """The lines that stand in comments of PTX, by the name of their file and their number."""
    found: dict[str, dict[int, str]] = {}
    for source in sources:
        for file, number, text in EMBEDDED.findall(source.text):
            if len(number) < 7:
                found.setdefault(base_name(file), {})[int(number)] = text
    return found


def tails_of(path: str) -> list[tuple[str, ...]]:
    """The last parts of a path that was written on any system, the most of them first."""
    parts = tuple(base_name(part) for part in re.split(r"[/\\]", path))
    while "" in parts:
        parts = parts[parts.index("") + 1 :]
    parts = parts[-MOST_PARTS:]
    return [parts[at:] for at in range(len(parts))]


def from_here(path: Path) -> Path:
    """The path from the current folder, as a reader names it."""
    return Path(os.path.relpath(path))


def base_name(path: str) -> str:
    """The last part of a path written on any system; empty if there is none."""
    name = re.split(r"[/\\]", path)[-1]
    return "" if name in ("", ".", "..") or "\0" in name else name


def marked(line: str, column: int, pattern: re.Pattern[str]) -> int:
    """The length of the marked text: a statement up to its semicolon, or one word."""
    rest = harmless(line)[column - 1 :]
    found = pattern.match(rest.split("//")[0]) if rest else None
    return len(found[0]) if found else 1
