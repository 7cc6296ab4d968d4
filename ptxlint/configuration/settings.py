"""What a project asks for: the nearest configuration under a command line.

A configuration is ``ptxlint.toml``, or ``[tool.ptxlint]`` of ``pyproject.toml``, in the nearest
folder from here upwards that has either:

    fail-on = "error"
    extend-ignore = ["traffic"]
    contract = "kernels/launches.toml"   # or a list of such files; beside this one

    [[override]]                         # in pyproject.toml: [[tool.ptxlint.override]]
    path = "vendored/*"
    ignore = ["all"]
    reason = "not ours"

    [[launch]]
    block = 256

What the command line says replaces the value of a key; of lists that extend another, both count.
The tables of launches count before the files of such, the first one before the next, and all after
the command line.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from ptxlint.configuration.keys import BY_NAME, KEYS, OVERRIDE, TABLES, Key, Kind
from ptxlint.contracts.option_names import COMMAND_LINE
from ptxlint.errors import Error, did_you_mean
from ptxlint.options import Override

if TYPE_CHECKING:
    from ptxlint.contracts.contract import Contract

Value = bool | str | tuple[str, ...] | None

OWN, SHARED = "ptxlint.toml", "pyproject.toml"
UNDER = "tool.ptxlint."
DEFAULT = "default"


class Setting(Struct, frozen=True):
    """The value of a key, and where it comes from."""

    value: Value
    origin: str = DEFAULT


class Settings(Struct, frozen=True):
    """The value of every key, by name; the ``overrides``; and the contracts of the configuration.
    ``path`` is its file, None without one."""

    values: Mapping[str, Setting]
    overrides: tuple[Override, ...] = ()
    contracts: tuple[Contract, ...] = ()
    path: Path | None = None

    def flag(self, name: str) -> bool:
        return self.values[name].value is True

    def text(self, name: str) -> str:
        value = self.values[name].value
        return value if isinstance(value, str) else ""

    def names(self, name: str) -> tuple[str, ...]:
        value = self.values[name].value
        return value if isinstance(value, tuple) else ()

    def origin(self, name: str) -> str:
        """What a message about a key begins with: its place in a file, or two dashes."""
        names = (name, f"extend-{name}")
        places = [self.values[one].origin for one in names if one in self.values]
        files = [one for one in places if one not in (DEFAULT, COMMAND_LINE)]
        return f"{files[0]}: " if files else "--"

    @property
    def select(self) -> tuple[str, ...]:
        return (*self.names("select"), *self.names("extend-select"))

    @property
    def ignore(self) -> tuple[str, ...]:
        return (*self.names("ignore"), *self.names("extend-ignore"))


class Configuration(Struct, frozen=True):
    """One file, as it is written."""

    path: Path | None = None
    values: Mapping[str, Setting] = {}
    overrides: tuple[Override, ...] = ()
    contracts: tuple[Contract, ...] = ()


def settings(given: Mapping[str, Any], path: str | None = None) -> Settings:
    """What the options of a command line ask for, by their names, and for the rest the
    configuration: the file of that path, else the nearest one. Raises Error."""
    here = Path.cwd()
    found = nearest(here) if path is None else Path(path)
    if found is not None and here.is_relative_to(found.parent):
        found = Path(os.path.relpath(found))  # the same in every copy of the project
    file = Configuration() if found is None else configuration(found)
    values: dict[str, Setting] = {}
    for key in KEYS:
        said = option(key, given.get(key.name.replace("-", "_")))
        configured = file.values.get(key.name)
        if said is None:
            values[key.name] = configured or Setting(key.default)
        elif configured is not None and key.name.startswith("extend-"):
            both = (*tuple_of(configured.value), *tuple_of(said))
            values[key.name] = Setting(both, f"{configured.origin} and {COMMAND_LINE}")
        else:
            values[key.name] = Setting(said, COMMAND_LINE)
    return Settings(values, file.overrides, file.contracts, file.path)


def option(key: Key, said: Any) -> Value:
    """The value of an option; None if it is not given. Raises Error."""
    if said is None or said == ():
        return None
    if key.kind is Kind.LIST:
        words = [word.strip() for one in said for word in one.split(",")]
        said = [word for word in words if word]
    try:
        return key.read(said)
    except Error as error:
        raise Error(f"--{error}") from None


def tuple_of(value: Value) -> tuple[str, ...]:
    return value if isinstance(value, tuple) else ()


# --- files


def nearest(folder: Path) -> Path | None:
    """The configuration of a folder. Raises Error for a file that is no TOML."""
    for place in (folder, *folder.parents):
        if (place / OWN).is_file():
            return place / OWN
        if (place / SHARED).is_file() and tables(place / SHARED) is not None:
            return place / SHARED
    return None


def tables(path: Path) -> dict[str, Any] | None:
    """The program's tables in the file, if there are any. Raises ContractError."""
    from ptxlint.contracts import files
    from ptxlint.contracts.declaration import ContractError
    from ptxlint.contracts.toml import parsed

    text = files.text_of(str(path))
    if path.name != SHARED:
        return parsed(text, str(path))
    tools = parsed(text, str(path)).get("tool") if "ptxlint" in text else None
    found = tools.get("ptxlint") if isinstance(tools, dict) else None
    if found is not None and not isinstance(found, dict):
        raise ContractError(f"{path}: tool.ptxlint: expected a table")
    return found


def configuration(path: Path) -> Configuration:
    """What a file says. Raises Error, with the line."""
    from ptxlint.contracts import files

    document, text = tables(path) or {}, files.text_of(str(path))
    under = UNDER if path.name == SHARED else ""
    lines = text.splitlines()
    values: dict[str, Setting] = {}
    for name, value in document.items():
        at = f"{path}:{line_of(name, lines, under)}"
        if name in TABLES:
            continue
        key = BY_NAME.get(name)
        if key is None:
            hint = did_you_mean(name, (*BY_NAME, *TABLES)) or "; 'ptxlint config' lists the keys"
            raise Error(f"{at}: unknown key {under}{name}{hint}")
        try:
            values[name] = Setting(beside(key, key.read(value), path), at)
        except Error as error:
            raise Error(f"{at}: {under}{error}") from None
    overrides = document.get("override", [])
    if not isinstance(overrides, list) or not all(isinstance(each, dict) for each in overrides):
        raise Error(f"{path}: expected [[{under}override]] tables")
    heads = heads_of("override", lines, under, len(overrides))
    exceptions = tuple(
        override(table, path, at, lines, under) for table, at in zip(overrides, heads, strict=True)
    )
    contracts = [*files.tables(document.get("launch", []), text, str(path), under)]
    for file in tuple_of(values["contract"].value) if "contract" in values else ():
        contracts += files.read(file)
    return Configuration(path, values, exceptions, tuple(contracts))


def beside(key: Key, value: Value, path: Path) -> Value:
    """Files and folders stand beside the configuration that names them."""
    if key.metavar not in ("FILE", "FOLDER"):
        return value
    if isinstance(value, tuple):
        return tuple(str(path.parent / each) for each in value)
    return str(path.parent / str(value))


def override(
    table: Mapping[str, Any], path: Path, at: int, lines: Sequence[str], under: str
) -> Override:
    """One ``[[override]]``. Raises Error."""
    known = {key.name: key for key in OVERRIDE}
    said: dict[str, Any] = {}
    for name, value in table.items():
        place = f"{path}:{line_of(name, lines, '', at)}"
        if name not in known:
            raise Error(f"{place}: unknown key {name} of an override{did_you_mean(name, known)}")
        try:
            said[name] = known[name].read(value)
        except Error as error:
            raise Error(f"{place}: override: {error}") from None
    if "ignore" not in said:
        raise Error(f"{path}:{at}: override: expected the rules to ignore, ignore = [...]")
    try:
        return Override(
            ignore=said["ignore"],
            paths=said.get("path", ("*",)),
            kernels=said.get("kernel", ("*",)),
            reason=said.get("reason", ""),
            folder=str(path.parent.resolve()),
            origin=f"{path}:{at}",
        )
    except Error as error:
        place = f"{path}:{line_of('ignore', lines, '', at)}"
        raise Error(f"{place}: override: {error}") from None


def line_of(name: str, lines: Sequence[str], under: str, first: int = 1) -> int:
    """The line of a key: below the head of its table, where it has one."""
    dotted = re.escape(under).replace(r"\.", r"\s*\.\s*")
    head = re.compile(rf"\s*\[\[?\s*{dotted}{re.escape(name)}\b") if under else None
    begins = re.compile(rf"\s*[\"']?{re.escape(name)}[\"']?\s*[=.]")
    inside = not under
    for number in range(first, len(lines) + 1):
        line = lines[number - 1]
        if head is not None and head.match(line):
            return number
        if under and line.lstrip().startswith("["):
            inside = re.sub(r"\s", "", line).startswith(f"[{under[:-1]}]")
        if inside and begins.match(line):
            return number
    return first


def heads_of(name: str, lines: Sequence[str], under: str, count: int) -> list[int]:
    """The lines on which the tables of an array begin; the first line if they are written in
    another way."""
    wanted = f"[[{under}{name}]]"
    heads = [n for n, line in enumerate(lines, 1) if re.sub(r"\s", "", line).startswith(wanted)]
    return heads if len(heads) == count else [1] * count


# --- as text


def shown(merged: Settings) -> Iterator[str]:
    """Every key as a line of TOML, with its origin."""
    from ptxlint.contracts import files

    if merged.path is not None:
        yield f"# {merged.path}"
    lines = [
        (f"{name} = {toml(each.value)}" if each.value is not None else f"# {name}", each.origin)
        for name, each in merged.values.items()
    ]
    width = min(max(len(text) for text, _ in lines), 56)
    for text, origin in lines:
        yield f"{text:{width}}  # {origin}"
    for each in merged.overrides:
        yield f"\n[[override]]  # {each.origin}"
        yield f"path = {toml(each.paths)}"
        yield f"kernel = {toml(each.kernels)}"
        yield f"ignore = {toml(each.ignore)}"
        if each.reason:
            yield f"reason = {toml(each.reason)}"
    for contract in merged.contracts:
        yield ""
        head, *rest = files.written(contract)
        yield f"{head}  # {contract.place('--') or contract.origin}"
        yield from rest


def toml(value: bool | str | tuple[str, ...]) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    from ptxlint.contracts import files

    if isinstance(value, str):
        return files.quoted(value)
    return f"[{', '.join(map(files.quoted, value))}]"
