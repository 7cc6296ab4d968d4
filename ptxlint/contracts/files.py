"""Contracts in files of TOML: contract files, records of launches.

A contract file has ``[[launch]]`` tables, each about the kernels that its pattern fits:

    [[launch]]
    kernel = "reduce*"
    params = ["in: u64", "out: u64", "n: s32"]
    block = "256"                       # or 256, or [32, 8]
    args = { n = "1..4096" }
    buffers = { in = "4*n@16", out = "4*nctaid.x", at = "4*n" }
    values = { at = "0..n-1" }
    shared = "4*ntid.x"
    requires = ["n % 4 == 0"]
    writes = ["out"]                    # and no other buffer
    distinct = ["in, out", "at, in or same when ntid.y == 1"]

The keys are the arguments of ``Contract``, and the values what the options take, too;
``ptxlint contract --output-format toml`` writes such a file. Errors name the line.

A record holds launches that happened, each in a table with a block and a grid: ``ptxlint run
--save-launch FILE`` adds one. Tables about the same kernel are launches side by side: none
overrules another.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NoReturn

from ptxlint.contracts.contract import KEYS as NAMED
from ptxlint.contracts.contract import LAUNCH_KEYS, Contract
from ptxlint.contracts.declaration import Buffer, ContractError
from ptxlint.contracts.launch import Allocation, ConcreteLaunch
from ptxlint.contracts.toml import parsed
from ptxlint.reading import LARGEST_TEXT, read_bytes, reason

KEYS = tuple(LAUNCH_KEYS)
OLD_KEYS = {"needs": "requires"}
OPTIONS = {key: option for option, key in NAMED.items()} | {"needs": "assume"}

# --- reading files


def read(path: str) -> list[Contract]:
    """The contracts in a file, in their order. Raises ContractError."""
    return list(contracts(text_of(path), path))


def launches(path: str) -> list[Contract]:
    """The launches in a record of tables, in their order. Raises ContractError."""
    found = read(path)
    for contract in found:
        if contract.block is None or contract.grid is None:
            place = contract.place("--")
            raise ContractError(f"{place}: a launch that happened has a block and a grid")
    return found


def data_of(path: str) -> bytes:
    """Raises ContractError."""
    try:
        return read_bytes(path, LARGEST_TEXT)
    except OSError as error:
        raise ContractError(f"{path}: {reason(error)}") from None


def text_of(path: str) -> str:
    """Raises ContractError."""
    try:
        return data_of(path).decode("utf-8")
    except UnicodeDecodeError:
        raise ContractError(f"{path}: this is no text in UTF-8") from None


# --- reading tables


def contracts(text: str, path: str) -> Iterator[Contract]:
    """The contracts in a text; ``path`` is what errors call it. Raises ContractError."""
    document = parsed(text, path)
    found = document.pop("launch", None)
    for key in document:
        raise ContractError(f"{path}: unknown table {key}, expected [[launch]]")
    return tables(found, text, path)


def tables(found: object, text: str, path: str, under: str = "") -> Iterator[Contract]:
    if not isinstance(found, list) or not all(isinstance(table, dict) for table in found):
        raise ContractError(f"{path}: expected [[{under}launch]] tables")
    lines = text.splitlines()
    name = re.escape(f"{under}launch").replace(r"\.", r"\s*\.\s*")
    head = re.compile(rf"\s*\[\[\s*{name}\s*\]\]")
    heads = [number for number, line in enumerate(lines, 1) if head.match(line)]
    if len(heads) != len(found):  # written in another way: [launch] inside of something
        heads = [1] * len(found)
    for index, table in enumerate(found):
        end = heads[index + 1] - 1 if index + 1 < len(heads) else len(lines)
        yield _Table(path, lines, heads[index], end).contract(table)


class _Table:
    """One table, and the lines it stands on."""

    def __init__(self, path: str, lines: Sequence[str], first: int, last: int) -> None:
        self.path, self.lines, self.first, self.last = path, lines, first, last

    def contract(self, table: Mapping[str, Any]) -> Contract:
        said: dict[str, Any] = {}
        for key, value in table.items():
            name = OLD_KEYS.get(key, key)
            if name not in KEYS:
                self.refuse(key, f"unknown key {key}, expected one of {', '.join(KEYS)}")
            if name in said:
                self.refuse(key, f"{key}: declared twice, {key} is the former name of {name}")
            said[name] = value
        return Contract(**said, origin=self.path, places=dict(self.places(table)))

    def refuse(self, key: str, message: str) -> NoReturn:
        raise ContractError(f"{self.path}:{self.line(key)}: {message}")

    def places(self, table: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
        """The line of each option; and of each name that is declared, and of each text."""
        yield "--", f"{self.path}:{self.first}"
        for key, value in table.items():
            option, at = f"--{OPTIONS.get(key, key)}", self.line(key)
            yield option, f"{self.path}:{at}"
            for word in value if isinstance(value, dict | list) and key != "block" else ():
                yield f"{option} {word}", f"{self.path}:{self.line_of(str(word), at)}"

    def line(self, key: str) -> int:
        """Where a key of the table stands, else where the table begins."""
        begins = re.compile(rf"\s*(?:\[.*\.\s*)?[\"']?{re.escape(key)}[\"']?\s*[]=]")
        lines = range(self.first, self.last + 1)
        return next((n for n in lines if begins.match(self.lines[n - 1])), self.first)

    def line_of(self, text: str, first: int) -> int:
        """The first line from there on that has the text as a word."""
        lines = range(first, self.last + 1)
        return next((n for n in lines if has_word(self.lines[n - 1], text)), first)


def has_word(line: str, text: str) -> bool:
    """True if the line has the text as a word, before a comment."""
    uncommented, at = line.partition("#")[0], -1
    while (at := uncommented.find(text, at + 1)) >= 0:
        end = at + len(text)
        around = uncommented[max(at - 1, 0) : at] + uncommented[end : end + 1]
        if not re.search(r"[\w$.%]", around):
            return True
    return False


# --- writing


def record(kernel: str, launch: ConcreteLaunch) -> str:
    """A launch that happened, as the table of a record."""
    return "\n".join([*written(exact(kernel, launch)), "", ""])


def exact(kernel: str, launch: ConcreteLaunch) -> Contract:
    """The contract that allows this launch alone. Memory whose addresses are known is apart."""
    memory = launch.allocations.items()
    apart = [n for n, each in memory if each.address is not None and each.size]
    return Contract(
        kernel,
        block=launch.block,
        grid=launch.grid,
        shared=launch.shared,
        args={**launch.numbers, **launch.pointers},
        buffers={n: exact_buffer(each) for n, each in memory if each.size is not None},
        params=dict.fromkeys((name for name in launch.names if "." not in name), ""),
        distinct=[apart] if len(apart) > 1 else None,
    )


def exact_buffer(memory: Allocation) -> Buffer:
    """Memory of known size as declared, with the range of the integers in it."""
    assert memory.size is not None
    held = memory.range
    if held is None:
        return Buffer(memory.size, memory.align)
    sign = "u" if held.high >= 1 << (held.bits - 1) else "s"
    return Buffer(memory.size, memory.align, f"{held.low}..{held.high}:{sign}{held.bits}")


def written(contract: Contract, notes: Mapping[str, str] | None = None) -> Iterator[str]:
    """The lines of a table; ``notes`` are comments on conditions, by their text."""
    notes = notes or {}
    yield "[[launch]]"
    if contract.kernel != "*":
        yield f"kernel = {quoted(contract.kernel)}"
    if contract.params:
        yield f"params = [{', '.join(map(quoted, contract.typed_params))}]"
    for key, shape in (("block", contract.block), ("grid", contract.grid)):
        if shape is not None:
            yield f"{key} = {list(shape)}"
    if contract.shared is not None:
        yield f"shared = {quoted(contract.shared.text)}"
    lists = {"requires": contract.requires, "distinct": contract.distinct}
    for key, said in lists.items():
        if said:
            yield f"{key} = ["
            for each in said:
                note = f"  # {notes[each.text]}" if each.text in notes else ""
                yield f"    {quoted(each.text)},{note}"
            yield "]"
        elif key == "distinct" and said is not None:
            yield "distinct = []"
        if key == "requires" and contract.writes is not None:
            yield f"writes = [{', '.join(map(quoted, contract.writes))}]"
    for key, pairs in (
        ("args", {name: str(value) for name, value in contract.args.items()}),
        ("buffers", {name: each.text for name, each in contract.buffers.items()}),
        (
            "values",
            {n: each.value_range.text for n, each in contract.buffers.items() if each.value_range},
        ),
        (
            "layouts",
            {n: f"{each.structures}" for n, each in contract.buffers.items() if each.structures},
        ),
    ):
        if pairs:
            yield f"[launch.{key}]"
            yield from (f"{bare(name)} = {quoted(text)}" for name, text in pairs.items())


def quoted(word: str) -> str:
    return json.dumps(word)


def bare(name: str) -> str:
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else quoted(name)
