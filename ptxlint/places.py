"""Locations of claims, in the source and in the PTX.

``.loc`` gives a file, a line and a column, and for inlined code the call. The location is the first
of the inlining chain whose text is found; else the innermost; without ``.loc``, the PTX line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property

from ptxlint.claim import Claim
from ptxlint.facts.fixes import declaration
from ptxlint.ir import Kernel, PtxInstr
from ptxlint.lowering.module import LoweredModule
from ptxlint.mangling import demangled
from ptxlint.results.finding import Fix, Related, Span
from ptxlint.source import Source
from ptxlint.source_files import SourceFiles, base_name, marked
from ptxlint.syntax import ast

UNNAMED = "?"
STATEMENT = re.compile(r"[^;{]*[^;{\s]")


class Locations:
    """The locations in one PTX file; ``program`` is None if it is not PTX."""

    def __init__(self, source: Source, program: LoweredModule | None, files: SourceFiles) -> None:
        self.source = source
        self.program = program
        self.files = files
        self._sources: dict[int, Span | None] = {}  # by the offset of the .loc
        self._places: dict[tuple[int, int, int], Span] = {}
        self._functions: dict[str, str] = {}

    def ptx(self, instr: PtxInstr) -> Span:
        """The text of an instruction, up to its semicolon."""
        return self.span(*self.source.statement(instr.offset))

    def span(self, start: int, end: int) -> Span:
        """A piece of the PTX."""
        source = self.source
        return Span(source.path, *source.line_column(start), *source.line_column(end))

    def primary(self, instr: PtxInstr) -> Span:
        """The innermost location whose source is found, else the innermost one, else the PTX
        line."""
        loc = instr.loc
        if loc is None:
            return self.ptx(instr)
        if loc.offset not in self._sources:
            self._sources[loc.offset] = self._quoted(loc, instr)
        return self._sources[loc.offset] or self.ptx(instr)

    def _quoted(self, loc: ast.Loc, instr: PtxInstr) -> Span | None:
        """The innermost place of the inlining chain whose text is found, else the innermost; None
        if there is no such file or line."""
        steps = [self.place(loc.file, loc.line, loc.column)]
        steps += [call.location for call in self.calls(instr)]
        named = (span for span in steps if span.path != UNNAMED and span.line)
        return next((s for s in steps if s.end_column > s.column), next(named, None))

    def place(self, file: int, line: int, column: int) -> Span:
        """A statement of a source; empty if its text is not found."""
        at = file, line, column
        if at not in self._places:
            self._places[at] = self._place(*at)
        return self._places[at]

    def _place(self, file: int, line: int, column: int) -> Span:
        name = self.program.files.get(file, "") if self.program else ""
        source = self.files.find(self.source.path, name)
        itself = base_name(name) == base_name(self.source.path)
        path = source.path if source else UNNAMED if itself else base_name(name) or UNNAMED
        text = source.line_text(line) if source is not None else ""
        column = max(column, 1)
        length = marked(text, column, STATEMENT) if text else 0
        return Span(path, line, column, line, column + length)

    # --- claims

    def related(self, claim: Claim) -> Iterator[Related]:
        for other in claim.related:
            yield Related(other.message, self.primary(other.instr))
        yield from self.calls(claim.instr)

    def fix(self, claim: Claim, kernel: Kernel, location: Span, in_source: bool) -> Fix | None:
        """The line to change: a declaration that is found, else the line of the access. None if the
        declaration has other rows than the fix."""
        change = claim.fix
        if change is None:
            return None
        source = self.files.get(location.path) if in_source else None
        array = source and declaration(source, claim.access, kernel)
        if array and change.row is not None:
            return array.longer_rows(change)
        return Fix(
            location=location if in_source else None,
            what=change.what,
            before=change.before,
            after=change.after,
            cost=change.cost,
        )

    # --- inlining

    def calls(self, instr: PtxInstr) -> Iterator[Related]:
        """The chain of calls that led to an instruction, innermost first. A call that was itself
        inlined has a ``.loc`` of its own earlier in the text."""
        loc = instr.loc
        while loc is not None and (at := loc.inlined_at) is not None:
            name = self.function(at.function)
            place = self.place(at.file, at.line, at.column)
            yield Related(f"{name} is inlined here", place, name)
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
        if self.program is None:
            return
        bodies = [f.body for f in self.program.module.items if isinstance(f, ast.Function)]
        stack = [body for body in reversed(bodies) if body is not None]
        while stack:
            for statement in stack.pop().statements:
                if isinstance(statement, ast.Loc) and statement.inlined_at is not None:
                    yield statement
                elif isinstance(statement, ast.Scope):
                    stack.append(statement)

    def function(self, name: str) -> str:
        """A function's name; compilers write a label into the debug strings instead."""
        if name not in self._functions:
            self._functions[name] = demangled(self.strings.get(name, name))
        return self._functions[name]

    @cached_property
    def strings(self) -> dict[str, str]:
        """The debug strings by label: ``$L__info_string0: .b8 95,90,0``."""
        found: dict[str, str] = {}
        items = self.program.module.items if self.program is not None else ()
        for item in items:
            if isinstance(item, ast.Section) and item.name.endswith("debug_str"):
                for label, data in re.findall(r"([\w$]+):((?:\s*\.b8[\s\d,]+)+)", item.text):
                    letters = (int(number) for number in re.findall(r"(?<![b\d])\d+", data))
                    found[label] = "".join(chr(c) for c in letters if 32 <= c < 127)
        return found
