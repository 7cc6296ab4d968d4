"""Launches out of traces that other tools write: PyTorch's profiler (Kineto) and Nsight Systems.

They have the grid, the block and the dynamic shared memory of each launch, not its arguments.

- Kineto: JSON, as ``torch.profiler`` exports it, plain or compressed with gzip. Its events of the
  category ``kernel`` have ``grid``, ``block`` and ``shared memory``.
- Nsight Systems: SQLite, as ``nsys export --type sqlite`` writes it: the table
  ``CUPTI_ACTIVITY_KIND_KERNEL``, with names in ``StringIds``.
"""

from __future__ import annotations

import gzip
import json
import re
import sqlite3
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from ptxlint.contracts.declaration import ContractError
from ptxlint.contracts.launch import ConcreteLaunch
from ptxlint.contracts.records import RecordedLaunch, merged
from ptxlint.reading import LARGEST, read_bytes, reason

SQLITE, GZIP = b"SQLite format 3\0", b"\x1f\x8b"
KERNELS = "CUPTI_ACTIVITY_KIND_KERNEL"
NAMES = ("mangledName", "demangledName", "shortName")
SHAPE = ("gridX", "gridY", "gridZ", "blockX", "blockY", "blockZ")
SHARED = "dynamicSharedMemory"


def launches_in(path: str) -> list[RecordedLaunch]:
    """The distinct launches of a trace, in its order. Raises ContractError."""
    try:
        with open(path, "rb") as file:
            head = file.read(len(SQLITE))
        found = of_nsys(path) if head == SQLITE else of_kineto(path)
    except OSError as error:
        raise ContractError(f"{path}: {reason(error)}") from None
    except sqlite3.Error as error:
        raise ContractError(f"{path}: {error}") from None
    if not found:
        raise ContractError(f"{path}: no launch of a kernel in this trace")
    return merged(found)


def launch(name: str, numbers: Iterable[Any], shared: Any, where: str) -> RecordedLaunch:
    """Raises ContractError for numbers that are no launch."""
    sizes = list(numbers)
    if (
        len(sizes) != 6
        or not all(isinstance(n, int) and 0 < n < 2**31 for n in sizes)
        or not isinstance(shared, int)
        or shared < 0
        or not isinstance(name, str)
    ):
        raise ContractError(f"{where}: no grid, block and shared memory of a launch")
    x, y, z, a, b, c = sizes
    return RecordedLaunch(plain(name), ConcreteLaunch((x, y, z), (a, b, c), shared))


def plain(name: str) -> str:
    """The name of a kernel without its result and its parameters: ``void f<int>(float*)`` is
    ``f<int>``."""
    depth, end = 0, len(name)
    for at in range(len(name) - 1, -1, -1):
        depth += {")": 1, "(": -1}.get(name[at], 0)
        if name[at] == "(" and depth == 0 and name.endswith(")"):
            end = at
            break
    return re.sub(r"^(?:void|[\w:]+(?=\s)) +", "", name[:end]).strip()


# --- Kineto


def of_kineto(path: str) -> list[RecordedLaunch]:
    try:
        data = read_bytes(path)
        if data.startswith(GZIP):
            with gzip.open(path) as file:
                data = file.read(LARGEST + 1)
            if len(data) > LARGEST:
                raise ContractError(f"{path}: larger than {LARGEST >> 20} MiB")
        trace = json.loads(data)
    except (ValueError, RecursionError, EOFError, zlib.error):
        raise ContractError(f"{path}: this is no trace: expected JSON, or SQLite") from None
    events = trace.get("traceEvents") if isinstance(trace, dict) else trace
    if not isinstance(events, list):
        raise ContractError(f"{path}: expected traceEvents")
    return list(_kernels(path, events))


def _kernels(path: str, events: Iterable[Any]) -> Iterator[RecordedLaunch]:
    for number, event in enumerate(events):
        if not isinstance(event, dict) or event.get("cat") != "kernel":
            continue
        said = event.get("args")
        said = said if isinstance(said, dict) else {}
        sizes = [*_three(said.get("grid")), *_three(said.get("block"))]
        shared = said.get("shared memory", 0)
        yield launch(event.get("name", ""), sizes, shared, f"{path}: event {number}")


def _three(said: Any) -> list[Any]:
    return said if isinstance(said, list) and len(said) == 3 else []


# --- Nsight Systems


def of_nsys(path: str) -> list[RecordedLaunch]:
    uri = f"{Path(path).resolve().as_uri()}?mode=ro"
    connection = sqlite3.connect(uri, uri=True)
    try:
        columns = {row[1] for row in connection.execute(f"PRAGMA table_info({KERNELS})")}
        names = [name for name in NAMES if name in columns]
        if not names or not {*SHAPE, SHARED} <= columns:
            raise ContractError(f"{path}: no table {KERNELS} of launches, as nsys export writes it")
        strings = dict(connection.execute("SELECT id, value FROM StringIds"))
        wanted = ", ".join((*SHAPE, SHARED, *names))
        return [
            launch(_name(strings, row[7:]), row[:6], row[6], f"{path}: row {number}")
            for number, row in enumerate(connection.execute(f"SELECT {wanted} FROM {KERNELS}"), 1)
        ]
    finally:
        connection.close()


def _name(strings: dict[Any, Any], ids: Iterable[Any]) -> str:
    """The first of the names that is known."""
    return next((strings[each] for each in ids if strings.get(each)), "")
