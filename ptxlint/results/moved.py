"""What was said of a text, said of the same text at another place: in another file, or on other
lines."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any, TypeVar

from msgspec import Struct
from msgspec.structs import fields, replace

from ptxlint.results.finding import Span
from ptxlint.source import Diagnostic, Source

T = TypeVar("T")


def moved(value: T, before: Source, after: Source) -> T:
    """The value with its places in the text ``before`` become those in ``after``. Places in other
    files stay. The two texts are the same, and so are the columns."""

    def of(one: Any) -> Any:
        if isinstance(one, Span | Diagnostic) and one.path != before.path:
            return one
        if isinstance(one, Span):
            return Span(after.path, at(one.line), one.column, at(one.end_line), one.end_column)
        if isinstance(one, Diagnostic):
            return replace(one, path=after.path, line=at(one.line) if one.line else 0)
        if isinstance(one, Struct):
            parts = ((name, getattr(one, name)) for name in inner(type(one)))
            new = {name: changed for name, part in parts if (changed := of(part)) is not part}
            return replace(one, **new) if new else one
        if isinstance(one, tuple):
            return tuple([of(part) for part in one])
        if isinstance(one, Mapping):
            return {name: of(part) for name, part in one.items()}
        return one

    def at(line: int) -> int:
        return after.line_of_file(before.own_line(line))

    found: T = of(value)
    return found


@cache
def inner(kind: type[Struct]) -> tuple[str, ...]:
    """The fields of a class that may hold places: those that are no plain text or number."""
    return tuple(field.name for field in fields(kind) if field.type not in (str, int, bool, float))
