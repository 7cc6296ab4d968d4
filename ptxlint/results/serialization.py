"""Plain data as JSON values and back, by the fields of its dataclasses.

A field without a value is left out: one that holds its own default, be it None, 0 or empty. JSON
has no infinity: such a number is text. Reading takes what writing wrote and whatever keys a later
version adds.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, Field, fields, is_dataclass
from enum import Enum
from functools import cache
from math import isfinite
from types import NoneType, UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints


def to_json(value: Any) -> Any:
    """Dictionaries, lists, strings and numbers."""
    if isinstance(value, Enum):
        return value.value
    if is_dataclass(value) and not isinstance(value, type):
        held = ((f, getattr(value, f.name)) for f in fields(value))
        return {f.name: to_json(v) for f, v in held if v or v != default(f)}
    if isinstance(value, Mapping):
        return {name: to_json(v) for name, v in value.items()}
    if isinstance(value, tuple):
        return [to_json(v) for v in value]
    return str(value) if isinstance(value, float) and not isfinite(value) else value


def default(of: Field[Any]) -> Any:
    return of.default_factory() if of.default_factory is not MISSING else of.default


def from_json(kind: Any, value: Any) -> Any:
    """The value of this type that was written so."""
    if get_origin(kind) in (Union, UnionType):
        choices = [k for k in get_args(kind) if k is not NoneType]
        return None if value is None else from_json(choices[-1], value)
    if get_origin(kind) is tuple:
        inner = get_args(kind)
        kinds = [inner[0]] * len(value) if Ellipsis in inner else inner
        return tuple(from_json(k, v) for k, v in zip(kinds, value, strict=True))
    if get_origin(kind) is not None:  # a mapping
        return {name: from_json(get_args(kind)[1], v) for name, v in value.items()}
    if isinstance(kind, type) and is_dataclass(kind):
        known = hints(kind)
        return kind(
            **{name: from_json(known[name], v) for name, v in value.items() if name in known}
        )
    if kind is float:
        return float(value) if isinstance(value, str) else value
    return kind(value) if isinstance(kind, type) and issubclass(kind, Enum) else value


@cache
def hints(kind: Any) -> dict[str, Any]:
    """The types of a class's fields."""
    found = get_type_hints(kind)
    return {field.name: found[field.name] for field in fields(kind)}
