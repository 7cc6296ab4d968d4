"""Records of launches: JSON Lines, one launch a line, schema ``ptxlint-launch/1``.

    {"schema": "ptxlint-launch/1", "kernel": "saxpy", "grid": [4, 1, 1], "block": [256, 1, 1],
     "shared": 0, "arguments": [{"name": "n", "value": 1000},
     {"name": "x", "address": 140003840, "bytes": 4000, "align": 256}], "site": "t.py:41",
     "count": 3}

``bytes`` is null for memory of unknown size, ``align`` may be left out: it follows from the
address. Memory without an address is apart from all other. ``arguments`` are those of the kernel in
their order: the position decides what each is, the name is what reports call it. ``site`` is where
it was launched, and ``count`` how often; both, and ``arguments``, may be left out. Floats that are
no numbers are texts: "inf", "-inf", "nan".

Two launches are the same if they differ in addresses alone, and share the same bytes of memory.
"""

from __future__ import annotations

import dataclasses
import json
import math
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from ptxlint.contracts import files
from ptxlint.contracts.captured import ArrayBytes, alignment, launch_of
from ptxlint.contracts.contract import Contract
from ptxlint.contracts.declaration import ContractError
from ptxlint.contracts.launch import Allocation, ConcreteLaunch, PointerArgument
from ptxlint.source import Diagnostic

SCHEMA = "ptxlint-launch/1"
SUFFIX = ".jsonl"
TABLE = "[[launch]]"
LARGEST = 2**63
UNREADABLE = frozenset(map(chr, range(0xDC80, 0xDD00)))
"""What stands in a text for bytes that are none of UTF-8."""


class RecordError(ValueError):
    """A line of a record that says no launch."""


class RecordedLaunch(Struct, frozen=True):
    """A launch that happened, ``count`` times, first at ``site``. The arguments of ``launch`` are
    None where they are not known."""

    kernel: str
    launch: ConcreteLaunch
    site: str = ""
    count: int = 1

    @property
    def key(self) -> object:
        """What two launches have in common that are the same."""
        each = self.launch
        shown = tuple(
            (a.size, a.align) if isinstance(a, Allocation) else repr(a) for a in each.arguments
        )
        return self.kernel, each.grid, each.block, each.shared, each.names, shown

    def contract(self, origin: str) -> Contract:
        """The contract that allows this launch alone."""
        where = f"{origin} ({self.site})" if self.site else origin
        exact = files.exact(self.kernel, self.launch)
        return dataclasses.replace(exact, origin=where, places={"--": origin})

    def line(self) -> str:
        """The launch as a line of a record."""
        each = self.launch
        said = {
            "schema": SCHEMA,
            "kernel": self.kernel,
            "grid": each.grid,
            "block": each.block,
            "shared": each.shared,
            "arguments": [_written(each, at) for at in range(len(each.arguments))],
            "site": self.site,
            "count": self.count,
        }
        return json.dumps({key: value for key, value in said.items() if value not in ("", [])})


def merged(launches: Iterable[RecordedLaunch]) -> list[RecordedLaunch]:
    """Each distinct launch once, with its count; the first one's addresses and site are kept."""
    found: dict[object, RecordedLaunch] = {}
    for one in launches:
        known = found.get(one.key)
        found[one.key] = one if known is None else replace(known, count=known.count + one.count)
    return list(found.values())


def text_of(launches: Iterable[RecordedLaunch]) -> str:
    """A record of distinct launches."""
    return "".join(f"{one.line()}\n" for one in merged(launches))


def _written(launch: ConcreteLaunch, at: int) -> Mapping[str, object]:
    value, name = launch.arguments[at], launch.names[at]
    if isinstance(value, PointerArgument):
        base = launch.arguments[value.base]
        assert isinstance(base, Allocation)
        size = None if base.size is None else base.size - value.offset
        address = None if base.address is None else base.address + value.offset
        return {"name": name, "address": address, "bytes": size}
    if isinstance(value, Allocation):
        place = {} if value.address is None else {"address": value.address}
        return {"name": name, **place, "bytes": value.size, "align": value.align}
    finite = isinstance(value, int) or math.isfinite(value)
    return {"name": name, "value": value if finite else str(value)}


# --- reading


def read(text: str) -> Iterator[tuple[int, RecordedLaunch | RecordError]]:
    """The launches of a record by their lines, and instead of each line that is none, what is wrong
    with it."""
    for number, line in enumerate(text.splitlines(), 1):
        if line.strip():
            try:
                yield number, launch_in(line)
            except RecordError as error:
                yield number, error


def launch_in(line: str) -> RecordedLaunch:
    """The launch of one line. Raises RecordError."""
    if not line.isascii() and any(letter in UNREADABLE for letter in line):
        raise RecordError("this is no text in UTF-8")
    try:
        said = json.loads(line)
    except (ValueError, RecursionError):
        raise RecordError("this is no JSON") from None
    if not isinstance(said, dict) or said.get("schema") != SCHEMA:
        raise RecordError(f"expected an object with schema {SCHEMA}")
    unknown = said.keys() - {
        "schema",
        "kernel",
        "grid",
        "block",
        "shared",
        "arguments",
        "site",
        "count",
    }
    if unknown:
        raise RecordError(f"unknown key {min(unknown)}")
    kernel, listed = said.get("kernel"), said.get("arguments", [])
    if not isinstance(kernel, str) or not kernel:
        raise RecordError("kernel: expected a name")
    if not isinstance(listed, list):
        raise RecordError("arguments: expected a list")
    launch = launch_of(
        _shape(said, "grid"), _shape(said, "block"), _number(said, "shared", 0),
        dict(_argument(one, at) for at, one in enumerate(listed)),
    )  # fmt: skip
    launch = replace(launch, arguments=tuple(_aligned(launch.arguments, listed)))
    if len(launch.names) != len(listed):
        raise RecordError("arguments: a name stands twice")
    return RecordedLaunch(kernel, launch, str(said.get("site", "")), _number(said, "count", 1))


def _shape(said: Mapping[str, Any], key: str) -> tuple[int, int, int]:
    value = said.get(key)
    if isinstance(value, list) and len(value) == 3:
        numbers = [_number({key: each}, key, 0) for each in value]
        if min(numbers) > 0:
            return numbers[0], numbers[1], numbers[2]
    raise RecordError(f"{key}: expected three sizes, like [256, 1, 1]")


def _number(said: Mapping[str, Any], key: str, otherwise: int) -> int:
    value = said.get(key, otherwise)
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < LARGEST:
        raise RecordError(f"{key}: expected a natural number")
    return value


def _argument(said: object, at: int) -> tuple[str, int | float | ArrayBytes]:
    if not isinstance(said, dict):
        raise RecordError(f"argument {at}: expected an object")
    name = said.get("name", str(at))
    if not isinstance(name, str):
        raise RecordError(f"argument {at}: expected a name")
    if "value" in said:
        value = said["value"]
        if isinstance(value, str) and value in ("inf", "-inf", "nan"):
            return name, float(value)
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise RecordError(f"argument {name}: expected a number")
        return name, value
    if "bytes" not in said:
        raise RecordError(f"argument {name}: expected a value, or bytes")
    size = None if said["bytes"] is None else _number(said, "bytes", 0)
    apart = -(at + 1) << 70  # no address: it shares no bytes with others
    address = _number(said, "address", 0) if said.get("address") is not None else apart
    return name, ArrayBytes(address, size, (), (), 1)


def _aligned(arguments: Iterable[Any], listed: Iterable[Mapping[str, Any]]) -> Iterator[Any]:
    """The arguments with the alignment that the record says, and no address that it does not."""
    for value, said in zip(arguments, listed, strict=False):
        if isinstance(value, Allocation):
            align = said.get("align", alignment(value.address or 0))
            if not isinstance(align, int) or align < 1 or align & (align - 1):
                raise RecordError(f"argument {said.get('name')}: align is no power of two")
            known = value.address is not None and value.address >= 0
            value = replace(value, align=align, address=value.address if known else None)
        yield value


# --- as contracts


def launches(path: str, problems: list[Diagnostic]) -> list[Contract]:
    """The launches in a record, JSON Lines or tables, in their order; each line that says none is
    named among the ``problems``. Raises ContractError."""
    text = files.data_of(path).decode("utf-8", "surrogateescape")
    if not text.strip():
        expected = "expected one a line, in JSON, or [[launch]] tables"
        raise ContractError(f"{path}: no launch in this file; {expected}")
    named = path.endswith(SUFFIX) and TABLE not in text
    if not named and not text.lstrip().startswith("{"):
        return files.launches(path)
    found, wrong = contracts(text, path)
    problems += [Diagnostic(path, line, 0, f"skipped: {why}", "warning") for line, why in wrong]
    return found


def contracts(text: str, path: str) -> tuple[list[Contract], list[tuple[int, str]]]:
    """The launches of a record, each as a contract, and the lines that are skipped. Raises
    ContractError where nothing is left."""
    found, wrong = [], []
    for number, each in read(text):
        if isinstance(each, RecordError):
            wrong.append((number, str(each)))
            continue
        try:
            found.append((f"{path}:{number}", each, each.contract(f"{path}:{number}")))
        except ContractError as error:
            wrong.append((number, str(error)))
    if not found:
        place = (
            f"{path}:{wrong[0][0]}: {wrong[0][1]}" if wrong else f"{path}: no launch in this file"
        )
        raise ContractError(place)
    distinct = {each.key: contract for _, each, contract in reversed(found)}
    kept = {id(contract) for contract in distinct.values()}
    return [contract for _, _, contract in found if id(contract) in kept], wrong
