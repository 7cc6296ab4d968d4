"""Syntax errors and their positions.

A ParseError, which has an offset, becomes a Diagnostic after parsing.
"""

from __future__ import annotations

from ptxlint.source import Diagnostic, Source


class ParseError(Exception):
    """Something refused at a place. ``earlier`` is a second place with a caption, if one helps."""

    def __init__(self, offset: int, message: str, earlier: tuple[str, int] | None = None) -> None:
        super().__init__(message)
        self.offset = offset
        self.message = message
        self.earlier = earlier

    def diagnostic(self, source: Source, severity: str = "error") -> Diagnostic:
        line, column = source.line_column(self.offset)
        message = self.message
        if self.earlier is not None:
            caption, offset = self.earlier
            message += f" ({caption} at line {source.line_column(offset)[0]})"
        return Diagnostic(source.path, line, column, message, severity)
