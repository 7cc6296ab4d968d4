"""Where a finding stands: in the source that somebody wrote, and in the PTX.

``.loc`` names a file, a line and a column, and for inlined code the call. The path in ``.file`` is
never trusted, it is whatever the compiler was told on another machine: only its base name counts,
looked for next to the PTX file. The first place of the inlining chain whose text is there becomes
the primary location; where there is none, the PTX line is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from ptxlint.check import CheckedFile, CheckedKernel, Report
from ptxlint.finding import Finding, Related
from ptxlint.ir import PtxInstr
from ptxlint.mangling import demangled
from ptxlint.reports.fixes import Edit, declared
from ptxlint.source import Source
from ptxlint.syntax import ast, read_source

LARGEST_SOURCE = 16 * 2**20  # bytes


@dataclass(frozen=True, slots=True)
class Location:
    """A line and column of a text; ``text`` is the line, empty if nobody has it."""

    path: str
    line: int
    column: int
    text: str = ""

    def __str__(self) -> str:
        return f"{self.path}:{self.line}:{self.column}"

    @property
    def short(self) -> str:
        """Without the column."""
        return f"{self.path}:{self.line}"


@dataclass(frozen=True, slots=True)
class InlinedCall:
    """A step of an inlining chain: the function that was inlined, and where it was called."""

    function: str
    place: Location


@dataclass(frozen=True, slots=True)
class Located:
    """A finding with its places. ``primary`` is ``ptx`` where the source is not at hand."""

    finding: Finding
    checked: CheckedKernel
    primary: Location
    ptx: Location
    calls: tuple[InlinedCall, ...]
    related: tuple[tuple[Related, Location], ...]
    edit: Edit | None

    @property
    def in_source(self) -> bool:
        return self.primary is not self.ptx


def locate(report: Report) -> list[Located]:
    """All findings by path and line; the order never depends on the order of the rules."""
    found: list[Located] = []
    for file in report.files:
        places = Locations(file)
        for checked in file.kernels:
            found.extend(places.located(checked, finding) for finding in checked.findings)
    found.sort(
        key=lambda f: (
            f.primary.path,
            f.primary.line,
            f.primary.column,
            f.ptx.path,
            f.ptx.line,
            f.finding.rule,
            f.finding.message,
        )
    )
    return found


class Locations:
    """The places of one PTX file; source files are read once."""

    def __init__(self, file: CheckedFile) -> None:
        self.file = file
        self.sources: dict[str, Source | None] = {}

    def located(self, checked: CheckedKernel, finding: Finding) -> Located:
        ptx = self.ptx(finding.instr)
        calls = tuple(self.calls(finding.instr))
        related = tuple((other, self.primary(other.instr)) for other in finding.related)
        primary = self.primary(finding.instr, ptx)
        edit = self.edit(finding, primary if primary is not ptx else None)
        return Located(finding, checked, primary, ptx, calls, related, edit)

    def edit(self, finding: Finding, primary: Location | None) -> Edit | None:
        """What to change: at a declaration that is at hand, else at the line of the access."""
        if finding.fix is None:
            return None
        if primary is None:
            return Edit(finding.fix)
        source = self.source(base_name(primary.path))
        found = declared(source, finding) if source is not None else None
        return found or Edit(finding.fix, primary.path, primary.line, primary.column)

    def ptx(self, instr: PtxInstr) -> Location:
        source = self.file.source
        line, column = source.line_column(instr.offset)
        return Location(source.path, line, column, source.line_text(line))

    def primary(self, instr: PtxInstr, otherwise: Location | None = None) -> Location:
        """The innermost place whose source is at hand, else the PTX line."""
        loc = instr.loc
        if loc is not None:
            steps = [self.place(loc.file, loc.line, loc.column)]
            steps += [call.place for call in self.calls(instr)]
            for place in steps:
                if place.text:
                    return place
        return otherwise or self.ptx(instr)

    def place(self, file: int, line: int, column: int) -> Location:
        name = base_name(self.file.program.files.get(file, "")) if self.file.program else ""
        source = self.source(name)
        path = source.path if source is not None else name or "?"
        text = source.line_text(line) if source is not None else ""
        return Location(path, line, max(column, 1), text)

    def source(self, name: str) -> Source | None:
        """The file of this name next to the PTX, if it can be read."""
        if name not in self.sources:
            self.sources[name] = self._read(name)
        return self.sources[name]

    def _read(self, name: str) -> Source | None:
        ptx = Path(self.file.source.path)
        path = ptx.parent / name
        try:
            if not name or path == ptx or not path.is_file():
                return None
            return read_source(path) if path.stat().st_size <= LARGEST_SOURCE else None
        except (OSError, ValueError):
            return None

    # --- inlining

    def calls(self, instr: PtxInstr) -> Iterator[InlinedCall]:
        """The chain of calls that led to an instruction, innermost first. A call that was itself
        inlined has a ``.loc`` of its own earlier in the text."""
        loc = instr.loc
        while loc is not None and (at := loc.inlined_at) is not None:
            yield InlinedCall(self.function(at.function), self.place(at.file, at.line, at.column))
            callers = self.inlined.get((at.file, at.line, at.column), ())
            loc = next((c for c in reversed(callers) if c.offset < loc.offset), None)

    @cached_property
    def inlined(self) -> dict[tuple[int, int, int], list[ast.Loc]]:
        """Every ``.loc`` of inlined code by its place, in the order of the text."""
        found: dict[tuple[int, int, int], list[ast.Loc]] = {}
        for loc in self._locs():
            found.setdefault((loc.file, loc.line, loc.column), []).append(loc)
        return found

    def _locs(self) -> Iterator[ast.Loc]:
        if self.file.program is None:
            return
        bodies = [f.body for f in self.file.program.module.items if isinstance(f, ast.Function)]
        stack = [body for body in reversed(bodies) if body is not None]
        while stack:
            for statement in stack.pop().statements:
                if isinstance(statement, ast.Loc) and statement.inlined_at is not None:
                    yield statement
                elif isinstance(statement, ast.Scope):
                    stack.append(statement)

    def function(self, name: str) -> str:
        """A function's name; compilers give a label in the debug strings instead."""
        return demangled(self.strings.get(name, name))

    @cached_property
    def strings(self) -> dict[str, str]:
        """The debug strings by label: ``$L__info_string0: .b8 95,90,0``."""
        found: dict[str, str] = {}
        items = self.file.program.module.items if self.file.program is not None else ()
        for item in items:
            if isinstance(item, ast.Section) and item.name.endswith("debug_str"):
                for label, data in re.findall(r"([\w$]+):((?:\s*\.b8[\s\d,]+)+)", item.text):
                    letters = (int(number) for number in re.findall(r"(?<![b\d])\d+", data))
                    found[label] = "".join(chr(c) for c in letters if 32 <= c < 127)
        return found


def base_name(path: str) -> str:
    """The last part of a path written on any system; empty if there is none."""
    name = re.split(r"[/\\]", path)[-1]
    return "" if name in ("", ".", "..") or "\0" in name else name
