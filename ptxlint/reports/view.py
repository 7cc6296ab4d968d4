"""What a reader of a report asks for beside the report itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

if TYPE_CHECKING:
    from ptxlint.results.verdict import Property
    from ptxlint.source_files import SourceFiles

WIDTH = 100


class View(Struct, frozen=True):
    """How a report is shown. A format reads what it has a use for.

    ``files`` has the texts that are quoted. ``fixes`` shows proposed fixes; ``undecided`` lists
    every subject that is not decided; what is missing of ``required`` properties is named;
    ``statistics`` counts the findings of each rule instead of showing them. Findings from the
    severity ``fail_on`` up are failures. ``width`` is that of the terminal, in characters.
    ``documentation`` is the address of the site with the rule pages, if it is served."""

    colour: bool = False
    files: SourceFiles | None = None
    fixes: bool = False
    undecided: bool = False
    required: tuple[Property, ...] = ()
    statistics: bool = False
    fail_on: str = "warning"
    width: int = WIDTH
    documentation: str = ""
