"""What could not be read as PTX, or turned into it."""

from __future__ import annotations

from ptxlint.errors import Error
from ptxlint.source import Diagnostic


class ExtractionError(Error):
    """No PTX could be had of a file: why, in one line, and where in the file if that is known.
    ``inside`` is true if the file could be read."""

    def __init__(self, path: str, message: str, line: int = 0, *, inside: bool = True) -> None:
        self.inside = inside
        self.diagnostic = Diagnostic(path, line, 0, message)
        super().__init__(f"{path}:{line}: {message}" if line else f"{path}: {message}")
