"""Source text and positions in it.

A position is an offset; lines and columns are computed on demand, by bisection in one array of line
starts. Lines and columns count from 1; a column counts characters, a tab as one.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from functools import cached_property

from msgspec import Struct

_CONTROL = re.compile("[\x00-\x08\x0a-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff]")
_INSTRUCTION = re.compile(r"(?:[^;/]+|//[^\n]*|/\*.*?\*/|/)*", re.S)

SHOWN = 20
"""Errors of a text, or of a kernel in it, that are spelt out; the rest is counted."""


def harmless(text: str) -> str:
    """The text with a question mark for each control character but the tab: a PTX file must not
    move the terminal's cursor."""
    return _CONTROL.sub("?", text)


def plural(number: int, one: str, many: str) -> str:
    return f"{number} {one if number == 1 else many}"


class Source(Struct, frozen=True, dict=True):
    """A text and its file name. ``first`` is the number of its first line in that file, ``launch``
    are options that declare launches of its kernels, from what lies beside it. An ``image`` comes
    out of a binary. Where lines of the file are left out of the text, ``gaps`` has the next line of
    the text, counted from 1, and how many are left out up to there."""

    path: str
    text: str
    first: int = 1
    launch: tuple[str, ...] = ()
    image: bool = False
    gaps: tuple[tuple[int, int], ...] = ()

    @cached_property
    def line_starts(self) -> list[int]:
        starts = [0]
        find = self.text.find
        at = find("\n")
        while at >= 0:
            starts.append(at + 1)
            at = find("\n", at + 1)
        return starts

    def line_column(self, offset: int) -> tuple[int, int]:
        line = bisect_right(self.line_starts, offset)
        return self.line_of_file(line), offset - self.line_starts[line - 1] + 1

    def line_of_file(self, own: int) -> int:
        """The number in the file of a line of the text."""
        left_out = bisect_right(self.gaps, own, key=lambda gap: gap[0])
        return own + (self.gaps[left_out - 1][1] if left_out else 0) + self.first - 1

    def own_line(self, line: int) -> int:
        """The number in the text of a line of the file. One that is left out has the number of a
        line behind those before the gap."""
        line -= self.first - 1
        found = bisect_right(self.gaps, line, key=sum) if self.gaps else 0
        return line - self.gaps[found - 1][1] if found else line

    def statement(self, offset: int) -> tuple[int, int]:
        """Where the instruction there begins and ends: before its semicolon."""
        found = _INSTRUCTION.match(self.text, offset)
        length = len(found[0].rstrip()) if found else 0
        return offset, offset + max(length, 1)

    def line_text(self, line: int) -> str:
        """The text of a line of the file without its line end; empty for a line outside."""
        own = self.own_line(line)
        if not 1 <= own <= len(self.line_starts) or self.line_of_file(own) != line:
            return ""
        start = self.line_starts[own - 1]
        end = self.text.find("\n", start)
        return self.text[start : end if end >= 0 else len(self.text)].rstrip("\r")


class Diagnostic(Struct, frozen=True):
    """An error in an input, with its position: what was found and what was expected. Line and
    column are 0 for the whole input."""

    path: str
    line: int = 0
    column: int = 0
    message: str = ""
    severity: str = "error"

    @property
    def place(self) -> str:
        return f"{self.path}:{self.line}:{self.column}" if self.line else self.path

    def __str__(self) -> str:
        return f"{self.place}: {self.severity}: {self.message}"
