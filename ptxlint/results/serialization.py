"""Plain data as JSON values and back, by the fields of its structures.

A field without a value is left out: one that holds its own default, be it None, 0 or empty. JSON
has no infinity: such a number is text. Reading takes what writing wrote and whatever keys a later
version adds.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from functools import cache
from math import isfinite
from typing import Any, TypeVar

from msgspec import NODEFAULT, Struct, convert
from msgspec.structs import FieldInfo, fields

T = TypeVar("T")


def to_json(value: Any) -> Any:
    """Dictionaries, lists, strings and numbers."""
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, Struct):
        held = ((f, getattr(value, f.name)) for f in known_fields(type(value)))
        return {f.name: to_json(v) for f, v in held if v or v != default(f)}
    if isinstance(value, Mapping):
        return {name: to_json(v) for name, v in value.items()}
    if isinstance(value, tuple):
        return [to_json(v) for v in value]
    return str(value) if isinstance(value, float) and not isfinite(value) else value


def default(of: FieldInfo) -> Any:
    return of.default_factory() if of.default_factory is not NODEFAULT else of.default


def from_json(kind: type[T], value: object) -> T:
    """The value of this type that was written so. Raises ValidationError for another."""
    return convert(value, kind, strict=False)


@cache
def known_fields(kind: type[Struct]) -> tuple[FieldInfo, ...]:
    """The fields of a class, with their types and defaults."""
    return fields(kind)
