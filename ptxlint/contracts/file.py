"""Contracts as TOML: a file of ``[[launch]]`` tables, each about the kernels that its pattern fits.

    [[launch]]
    kernel = "reduce*"
    params = ["in: u64", "out: u64", "n: s32"]
    block = "256"                       # or 256, or [32, 8]
    args = { n = "1..4096" }
    buffers = { in = "4*n@16", out = "4*nctaid.x", at = "4*n holds 0..n-1" }
    shared = "4*ntid.x"
    needs = ["n % 4 == 0"]
    writes = ["out"]                    # and no other buffer
    distinct = ["in, out", "at, in or same when ntid.y == 1"]

Values are what the options of the same name take; ``ptxlint contract --output-format toml`` writes
such a file. Errors name the line.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NoReturn

from ptxlint.contracts.contract import Contract, ContractError

KEYS = ("kernel", "params", "block", "grid", "shared", "args", "buffers", "needs", "writes",
        "distinct")  # fmt: skip
OPTIONS = {"args": "arg", "buffers": "buffer", "needs": "need"}


def read(path: str) -> list[Contract]:
    """The contracts in a file, in their order. Raises ContractError."""
    return list(contracts(text_of(path), path))


def text_of(path: str) -> str:
    """Raises ContractError."""
    try:
        return Path(path).read_text("utf-8")
    except OSError as error:
        raise ContractError(f"{path}: {(error.strerror or str(error)).lower()}") from None
    except UnicodeDecodeError:
        raise ContractError(f"{path}: this is no text in UTF-8") from None


def parsed(text: str, path: str) -> dict[str, Any]:
    """A document of TOML. Raises ContractError."""
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        found = re.fullmatch(r"(.*) \(at line (\d+), column (\d+)\)", str(error))
        place, message = (f"{path}:{found[2]}", found[1]) if found else (path, str(error))
        raise ContractError(f"{place}: {message[:1].lower()}{message[1:]}") from None


def contracts(text: str, path: str) -> Iterator[Contract]:
    """The contracts in a text; ``path`` is what errors call it. Raises ContractError."""
    document = parsed(text, path)
    tables = document.pop("launch", None)
    for key in document:
        raise ContractError(f"{path}: unknown table {key}, expected [[launch]]")
    return launches(tables, text, path)


def launches(tables: object, text: str, path: str, under: str = "") -> Iterator[Contract]:
    """The contracts in ``[[launch]]`` tables, which stand ``under`` another one."""
    if not isinstance(tables, list) or not all(isinstance(table, dict) for table in tables):
        raise ContractError(f"{path}: expected [[{under}launch]] tables")
    lines = text.splitlines()
    name = re.escape(f"{under}launch").replace(r"\.", r"\s*\.\s*")
    head = re.compile(rf"\s*\[\[\s*{name}\s*\]\]")
    heads = [number for number, line in enumerate(lines, 1) if head.match(line)]
    if len(heads) != len(tables):  # written in another way: [launch] inside of something
        heads = [1] * len(tables)
    for index, table in enumerate(tables):
        end = heads[index + 1] - 1 if index + 1 < len(heads) else len(lines)
        yield _Table(path, lines, heads[index], end).contract(table)


class _Table:
    """One table, and the lines it stands on."""

    def __init__(self, path: str, lines: Sequence[str], first: int, last: int) -> None:
        self.path, self.lines, self.first, self.last = path, lines, first, last

    def contract(self, table: Mapping[str, Any]) -> Contract:
        for key in table:
            if key not in KEYS:
                self.refuse(key, f"unknown key {key}, expected one of {', '.join(KEYS)}")
        kernel = table.get("kernel", "*")
        if not isinstance(kernel, str):
            self.refuse("kernel", "kernel: expected a pattern in quotes, like 'reduce_*'")
        arguments, buffers = (list(self.named(table, key)) for key in ("args", "buffers"))
        shapes = {key: self.shape(key, table[key]) for key in ("block", "grid") if key in table}
        shared = self.word("shared", "shared", table["shared"]) if "shared" in table else None
        params = ",".join(self.words(table, "params")) if "params" in table else None
        writes = ",".join(self.words(table, "writes")) if "writes" in table else None
        whole = {"arg": arguments, "buffer": buffers, "need": self.words(table, "needs")}
        if "distinct" in table:
            whole["distinct"] = self.words(table, "distinct")
        places = dict(self.places(table))
        try:
            found = Contract.of(**shapes, shared=shared, params=params, writes=writes, **whole)  # type: ignore[arg-type]
        except ContractError as error:
            known = Contract(places=places)
            raise ContractError(f"{known.place(str(error))}: {str(error)[2:]}") from None
        return replace(found, kernel=kernel, origin=self.path, places=places)

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
        word = re.compile(rf"[^#]*(?<![\w$.%]){re.escape(text)}(?![\w$.%])")
        lines = range(first, self.last + 1)
        return next((n for n in lines if word.match(self.lines[n - 1])), first)

    def named(self, table: Mapping[str, Any], key: str) -> Iterator[str]:
        """``n=1..4096``"""
        values = table.get(key, {})
        if not isinstance(values, dict):
            self.refuse(key, f"{key}: expected a table, like {{ n = 1000 }}")
        for name, value in values.items():
            yield f"{name}={self.word(key, name, value)}"

    def word(self, key: str, name: str, value: object) -> str:
        if isinstance(value, bool) or not isinstance(value, str | int | float):
            self.refuse(key, f"{name}: expected a number, or an expression in quotes")
        return str(value)

    def words(self, table: Mapping[str, Any], key: str) -> list[str]:
        values = table.get(key, [])
        if not isinstance(values, list) or not all(isinstance(value, str) for value in values):
            self.refuse(key, f"{key}: expected a list of texts in quotes")
        return list(values)

    def shape(self, key: str, value: object) -> str:
        if isinstance(value, list) and all(type(axis) is int for axis in value):
            return "x".join(map(str, value))
        return self.word(key, key, value)
