"""What a project declares for all its checks: in ``ptxlint.toml``, or under ``[tool.ptxlint]`` in
``pyproject.toml``, of the nearest folder from here upwards that has either.

    contract = "kernels/launches.toml"   # or a list of such files; beside this one
    [[launch]]                           # in pyproject.toml: [[tool.ptxlint.launch]]
    kernel = "reduce*"
    block = 256

The tables are those of a contract file. They count before the files, the first one before the next;
and both after what a command line says.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ptxlint.contracts.contract import Contract, ContractError
from ptxlint.contracts.file import launches, parsed, read, text_of

OWN, SHARED = "ptxlint.toml", "pyproject.toml"
KEYS = ("contract", "launch")
TABLE = "tool.ptxlint."


def nearest(folder: Path) -> Path | None:
    """The file that counts in a folder. Raises ContractError for one that is no TOML."""
    for place in (folder, *folder.parents):
        if (place / OWN).is_file():
            return place / OWN
        if (place / SHARED).is_file() and _table(place / SHARED) is not None:
            return place / SHARED
    return None


def _table(path: Path) -> dict[str, Any] | None:
    """What is said there to this program, if anything is."""
    text = text_of(str(path))
    if path.name != SHARED:
        return parsed(text, str(path))
    tools = parsed(text, str(path)).get("tool") if "ptxlint" in text else None
    table = tools.get("ptxlint") if isinstance(tools, dict) else None
    if table is not None and not isinstance(table, dict):
        raise ContractError(f"{path}: tool.ptxlint: expected a table")
    return table


def declared(path: Path) -> Iterator[Contract]:
    """The contracts of a configuration, in their order. Raises ContractError."""
    table, under = _table(path) or {}, TABLE if path.name == SHARED else ""
    for key in table:
        if key not in KEYS:
            raise ContractError(f"{path}: unknown key {under}{key}, expected {' or '.join(KEYS)}")
    yield from launches(table.get("launch", []), text_of(str(path)), str(path), under)
    for file in _files(table.get("contract", []), f"{path}: {under}contract"):
        yield from read(str(path.parent / file))


def _files(value: Any, what: str) -> list[str]:
    files = [value] if isinstance(value, str) else value
    if not isinstance(files, list) or not all(isinstance(file, str) and file for file in files):
        raise ContractError(f"{what}: expected a file in quotes, or a list of files")
    return files
