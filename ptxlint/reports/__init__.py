"""A report in the form that somebody asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ptxlint.check import Report

FORMATS = ("full", "concise", "json")


def render(report: Report, form: str, colour: bool = False, fixes: bool = False) -> str:
    """The report as text; ``form`` is one of FORMATS. All but the concise one can say what cures a
    finding."""
    from ptxlint.reports.colour import Palette

    if form == "json":
        from ptxlint.reports import json

        return json.render(report, fixes)
    if form == "concise":
        from ptxlint.reports import concise

        return concise.render(report, Palette(colour))
    from ptxlint.reports import terminal

    return terminal.render(report, Palette(colour), fixes)
