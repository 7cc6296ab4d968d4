"""The JSON schema of a report, read off the structures that it consists of."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from types import NoneType, UnionType
from typing import Any, Union, get_args, get_origin

from msgspec import Struct

from ptxlint.results.report import SCHEMA, AccessCounts, Executed, Report
from ptxlint.results.serialization import known_fields
from ptxlint.results.verdict import Status, Verdict
from ptxlint.source import Diagnostic

Json = dict[str, Any]
WORDS = {str: "string", bool: "boolean", int: "integer"}
ELSEWHERE = ("files", "present", "seconds", "executed")  # fields of a report in its summary


def report_schema() -> Json:
    """A schema of draft 2020-12. Keys that a later version adds are allowed."""
    found: Json = {}
    for kind in (Report, Executed, Verdict, AccessCounts, Diagnostic):
        schema_of(kind, found)
    report = found.pop(Report.__name__)
    count = {"type": "integer", "minimum": 0}
    found[Verdict.__name__]["properties"]["status"] = schema_of(Status, found)
    found[Verdict.__name__]["required"].append("status")
    verdicts = {"type": "object", "additionalProperties": ref(Verdict)}
    summary = {
        "seconds": {"type": "number"},
        "executed": ref(Executed),
        "files": count,
        "kernels": {
            "type": "object",
            "properties": {"analysed": count, "present": count},
            "required": ["analysed", "present"],
        },
        "accesses": {"allOf": [ref(AccessCounts), {"required": ["total"]}]},
        "properties": verdicts,
        "unmodelled": {"type": "object", "additionalProperties": count},
    }
    properties = {n: s for n, s in report["properties"].items() if n not in ELSEWHERE}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": SCHEMA,
        "type": "object",
        "properties": {
            "schema": {"const": SCHEMA},
            "version": {"type": "string"},
            **properties,
            "summary": {"type": "object", "properties": summary, "required": ["seconds"]},
        },
        "required": ["schema", "version", "findings", "summary"],
        "$defs": dict(sorted(found.items())),
    }


def schema_of(kind: Any, found: Json) -> Json:
    """The schema of a type; those of classes are added to ``found`` by name."""
    if get_origin(kind) in (Union, UnionType):
        some = [schema_of(each, found) for each in get_args(kind) if each is not NoneType]
        return some[0] if len(some) == 1 else {"anyOf": some}
    if get_origin(kind) is tuple:
        inner = get_args(kind)
        if Ellipsis in inner:
            return {"type": "array", "items": schema_of(inner[0], found)}
        items = [schema_of(each, found) for each in inner]
        size = len(items)
        return {"type": "array", "prefixItems": items, "minItems": size, "maxItems": size}
    if isinstance(origin := get_origin(kind), type) and issubclass(origin, Mapping):
        return {"type": "object", "additionalProperties": schema_of(get_args(kind)[1], found)}
    if kind is float:  # an infinite one is text
        return {"type": ["number", "string"]}
    if isinstance(kind, type) and issubclass(kind, Enum):
        return {"enum": [one.value for one in kind]}
    if isinstance(kind, type) and issubclass(kind, Struct):
        if kind.__name__ not in found:
            found[kind.__name__] = {}
            found[kind.__name__] = class_schema(kind, found)
        return ref(kind)
    return {"type": WORDS[kind]}


def class_schema(kind: type[Struct], found: Json) -> Json:
    """An object; a field with a default may be left out."""
    every = known_fields(kind)
    needed = [field.name for field in every if field.required]
    properties = {field.name: schema_of(field.type, found) for field in every}
    return {"type": "object", "properties": properties, "required": needed}


def ref(kind: type) -> Json:
    return {"$ref": f"#/$defs/{kind.__name__}"}
