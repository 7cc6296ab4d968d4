"""The texts that a report quotes: sources that PTX was compiled from, looked up next to it."""

from __future__ import annotations

import errno
import re
from collections.abc import Iterable
from pathlib import Path

from ptxlint.reading import LARGEST_TEXT, read_bytes, reason
from ptxlint.results.finding import Span
from ptxlint.source import Diagnostic, Source, harmless
from ptxlint.syntax import read_source


class SourceFiles:
    """The texts quoted in a report, each read once: those that were ``given``, and others from the
    disk, unless ``disk`` is false. ``problems`` are notes on files that exist and are not
    quoted."""

    def __init__(self, given: Iterable[Source] = (), disk: bool = True) -> None:
        self.disk = disk
        self.sources: dict[str, list[Source]] = {}
        for source in given:
            self.sources.setdefault(source.path, []).append(source)
        self.problems: list[Diagnostic] = []

    def get(self, path: Path | str) -> Source | None:
        """The file, or its first module, if it can be read."""
        return next(iter(self._modules(str(path))), None)

    def beside(self, ptx: str, name: str) -> Source | None:
        """The file of this base name next to the PTX file, if it can be read."""
        path = Path(ptx).parent / name
        return self.get(path) if name and path != Path(ptx) else None

    def _modules(self, name: str) -> list[Source]:
        if name not in self.sources:
            found = self._read(Path(name)) if self.disk else None
            self.sources[name] = [] if found is None else [found]
        return self.sources[name]

    def _read(self, path: Path) -> Source | None:
        try:
            if not path.is_file():
                return None
            if leads_out(path):
                raise OSError(errno.EPERM, f"a link that leaves this folder, to {path.resolve()}")
            return read_source(path, read_bytes(path, LARGEST_TEXT))
        except OSError as error:
            message = f"not quoted: {reason(error)}"
            self.problems.append(Diagnostic(str(path), 0, 0, message, "note"))
        except ValueError:  # no name of a file
            pass
        return None

    def line(self, span: Span) -> str:
        """The line that a span begins in; empty if it is not found."""
        texts = (module.line_text(span.line) for module in self._modules(span.path))
        return next(filter(None, texts), "")


def leads_out(path: Path) -> bool:
    """True if links lead from the path to a file outside of its folder and of the current one. PTX
    is not trusted: a report on it must not quote any file of the machine."""
    real = path.resolve()
    return not any(real.is_relative_to(folder) for folder in (path.parent.resolve(), Path.cwd()))


def base_name(path: str) -> str:
    """The last part of a path written on any system; empty if there is none."""
    name = re.split(r"[/\\]", path)[-1]
    return "" if name in ("", ".", "..") or "\0" in name else name


def marked(line: str, column: int, pattern: re.Pattern[str]) -> int:
    """The length of the marked text: a statement up to its semicolon, or one word."""
    rest = harmless(line)[column - 1 :]
    found = pattern.match(rest.split("//")[0]) if rest else None
    return len(found[0]) if found else 1
