"""Every key of a configuration, once: the reader, the options of the command line, ``ptxlint
config`` and the JSON schema for editors are made of this table."""

from __future__ import annotations

from enum import Enum
from typing import Any

from msgspec import Struct

from ptxlint.errors import Error
from ptxlint.results.finding import Severity
from ptxlint.results.verdict import Property

SEVERITIES = tuple(severity.value for severity in Severity)


class Kind(Enum):
    """What stands behind a key."""

    FLAG = "true or false"
    TEXT = "text in quotes"
    LIST = "a list of texts in quotes"


class Key(Struct, frozen=True):
    """A key with its meaning. ``choices`` are the only values, or members of a list; ``adds`` is
    the key whose list it lengthens."""

    name: str
    kind: Kind
    help: str
    default: bool | str | tuple[str, ...] | None = None
    choices: tuple[str, ...] = ()
    metavar: str = ""

    @property
    def schema(self) -> dict[str, Any]:
        """JSON schema of a value."""
        one: dict[str, Any] = {"type": "string"}
        if self.choices:
            one["enum"] = list(self.choices)
        if self.kind is Kind.LIST:
            one = {"anyOf": [one, {"type": "array", "items": one}]}
        elif self.kind is Kind.FLAG:
            one = {"type": "boolean"}
        shown = list(self.default) if isinstance(self.default, tuple) else self.default
        return {"description": self.help, **one, **({} if shown is None else {"default": shown})}

    def read(self, value: object) -> bool | str | tuple[str, ...]:
        """A value as it stands in a file. Raises Error."""
        right: bool | str | tuple[str, ...] | None = None
        if self.kind is Kind.FLAG:
            right = value if isinstance(value, bool) else None
        elif self.kind is Kind.TEXT:
            right = value if isinstance(value, str) and value else None
        else:
            listed = [value] if isinstance(value, str) else value
            if isinstance(listed, list) and all(isinstance(each, str) and each for each in listed):
                right = tuple(listed)
        if right is None:
            raise Error(f"{self.name}: expected {self.kind.value}")
        for each in right if isinstance(right, tuple) else (right,):
            if self.choices and each not in self.choices:
                raise Error(f"{self.name} {each}: expected {', '.join(self.choices)}")
        return right


RULES = "RULES"
KEYS = (
    Key("select", Kind.LIST, "Only these rules, by id or tag: out-of-bounds, traffic.",
        ("all",), metavar=RULES),
    Key("ignore", Kind.LIST, "Not these rules. An id overrules a tag, a tag overrules 'all'.",
        (), metavar=RULES),
    Key("extend-select", Kind.LIST, "These rules too, beside what is selected.", (), metavar=RULES),
    Key("extend-ignore", Kind.LIST, "Nor these, beside what is ignored.", (), metavar=RULES),
    Key("fail-on", Kind.TEXT, "Exit with 1 on findings from this severity up.",
        "warning", SEVERITIES),
    Key("strict", Kind.FLAG, "Exit with 3 unless all is analysed and what is required proved.",
        False),
    Key("require", Kind.LIST,
        "Strict about these properties: bounds,races. All but costs with 'strict' alone.",
        (), tuple(one.value for one in Property), "PROPERTIES"),
    Key("pedantic", Kind.FLAG, "Show also what is only possible.", False),
    Key("z3", Kind.FLAG, "Ask the solver z3 for proofs and witnesses not found otherwise.", False),
    Key("arch", Kind.TEXT, "Target GPU.", "sm_80", metavar="SM"),
    Key("contract", Kind.LIST, "Files of [[launch]] tables.", (), metavar="FILE"),
    Key("any-grid", Kind.FLAG,
        "Do not assume that a launch whose grid is not declared has at most 2**31 threads.", False),
    Key("source", Kind.LIST, "Folders in which the texts of sources are looked for.",
        (), metavar="FOLDER"),
    Key("baseline", Kind.TEXT, "Known findings, which are not reported: see 'ptxlint baseline'.",
        metavar="FILE"),
    Key("documentation", Kind.TEXT,
        "Address at which the built documentation is served: reports link its rule pages.",
        metavar="URL"),
)  # fmt: skip
"""The keys of a configuration, in the order of ``ptxlint config``."""

OVERRIDE = (
    Key("path", Kind.LIST, "Patterns of paths, from the configuration's folder: 'generated/*'."
        " '*' fits folders too.", ("*",)),
    Key("kernel", Kind.LIST, "Patterns of kernel names, mangled or demangled.", ("*",)),
    Key("ignore", Kind.LIST, "Rules, by id or tag, that are not reported there."),
    Key("reason", Kind.TEXT, "Why."),
)  # fmt: skip
"""The keys of an ``[[override]]`` table."""

TABLES = ("override", "launch")
BY_NAME = {key.name: key for key in KEYS}


def schema() -> dict[str, Any]:
    """The JSON schema of ``ptxlint.toml``, and of ``[tool.ptxlint]`` of ``pyproject.toml``."""
    from ptxlint.contracts.contract import LAUNCH_KEYS

    override = {
        "type": "object",
        "properties": {key.name: key.schema for key in OVERRIDE},
        "required": ["ignore"],
        "additionalProperties": False,
    }
    launch = {
        "type": "object",
        "properties": {name: {"description": text} for name, text in LAUNCH_KEYS.items()},
        "additionalProperties": False,
    }
    tables = {
        "override": listed(override, "Rules that are not reported in some places."),
        "launch": listed(launch, "What launches of a kernel are like."),
    }
    return {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": "ptxlint",
        "description": "Configuration of ptxlint",
        "type": "object",
        "properties": {key.name: key.schema for key in KEYS} | tables,
        "additionalProperties": False,
    }


def listed(items: dict[str, Any], text: str) -> dict[str, Any]:
    return {"description": text, "type": "array", "items": items}
