"""Rendering of a report in one of several formats."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ptxlint.places import SourceFiles
    from ptxlint.results.report import Report
    from ptxlint.results.verdict import Property

FORMATS = ("full", "concise", "json")


def render(
    report: Report,
    form: str,
    colour: bool = False,
    fixes: bool = False,
    files: SourceFiles | None = None,
    undecided: bool = False,
    required: Iterable[Property] = (),
) -> str:
    """The report as text; ``form`` is one of FORMATS, ``files`` has the texts that it quotes. All
    but the concise one can say what fixes a finding. For people, ``undecided`` lists what is not
    decided, and what is missing of ``required`` properties is named."""
    from ptxlint.reports.colour import Palette

    if form == "json":
        return (report if fixes else report.without_fixes()).to_json()
    if form == "concise":
        from ptxlint.reports import concise

        return concise.render(report, Palette(colour), undecided, tuple(required))
    from ptxlint.places import SourceFiles
    from ptxlint.reports import terminal

    extras = terminal.Extras(fixes, undecided, tuple(required))
    return terminal.render(report, Palette(colour), files or SourceFiles(), extras)
