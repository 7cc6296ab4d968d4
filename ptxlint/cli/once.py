"""Options that are given once: a second one would silently take the place of the first."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from ptxlint.cli.output import Refusal


def once(*names: str, **said: Any) -> Callable[[Any], Any]:
    """As ``click.option``, for a text. Refused where it is given twice, as repeated names are."""
    return click.option(*names, multiple=True, callback=only, **said)


def only(context: click.Context, option: click.Parameter, given: tuple[str, ...]) -> str | None:
    """The text of an option, None if it is not given."""
    if len(given) > 1:
        raise Refusal(f"{option.opts[0]} {given[1]}: given twice, {given[0]!r} came first")
    return given[0] if given else None
