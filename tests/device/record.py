"""What a device did, and where interpreter and analysis say otherwise.

The record, ``corpus/vectors/device.json``, has a digest of each buffer that a launch left (or what
the driver said), the counters of each access, and what the sanitizers said. ``explained.toml`` is
written by hand: which differences are none of ours, and why.
"""

from __future__ import annotations

import json
import re
import tomllib
import zlib
from base64 import b64decode, b64encode
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np

from tests.isa.table import CASES
from tests.observation.launches import CORPUS

from .accesses import accesses
from .counts import Comparison, Rows, comparisons, name_of
from .instructions import approximated, folded, folded_instructions, instruction, instructions
from .launches import FOLDERS, Case, corpus, of_file, ours
from .measure import OF_INSTRUCTIONS, OF_KERNELS, pickles
from .randomly import drawn, random
from .sanitizers import other_faults

RECORD = CORPUS / "vectors" / "device.json"
EXPLAINED = Path(__file__).with_name("explained.toml")
ENDED = "Target application returned an error"  # before the tool had anything to say
MOST = 2000  # characters of a buffer that is recorded as it is
SETS: dict[str, Callable[[], Iterable[Case]]] = {
    "corpus": corpus, "ours": ours, "access": accesses, "isa": instructions,
    "folded": folded_instructions, "random": random,
}  # fmt: skip


@cache
def named(kind: str) -> dict[str, Case]:
    return {case.name: case for case in SETS[kind]()}


def case_of(name: str) -> Case:
    kind, _, rest = name.partition("/")
    if kind == "random":
        return drawn(int(rest))
    if kind in ("isa", "folded"):
        number = int(rest.partition(" ")[0])
        case = (instruction if kind == "isa" else folded)(number, CASES[number])
        assert case is not None
        return case
    if kind in FOLDERS:
        case = of_file(CORPUS / f"{name}.ptx")
        assert case is not None
        return case
    return named("ours" if kind == "kernels" else kind)[name]


def digest(data: bytes) -> str:
    return sha256(data).hexdigest()[:10]


def kept(left: bytes, expected: bytes) -> str:
    """A digest; where the interpreter leaves other words, the words, if they are few."""
    packed = b64encode(zlib.compress(left, 9)).decode()
    other = left != expected and len(packed) < MOST
    return f"={packed}" if other else digest(left)


def apart(kept_: str, expected: bytes) -> str:
    """How words of 32 bits that a device left differ from those expected; empty if they do not. Two
    floats are as far apart as there are steps from one to the other, -0 and 0 by one."""
    if not kept_.startswith("="):
        return "" if kept_ == digest(expected) else "other words"
    pair = []
    for data in (words_of(kept_), expected):
        words = np.frombuffer(data + bytes(-len(data) % 4), np.int32).astype(np.int64)
        pair.append(np.where(words < 0, ~(words & 0x7FFFFFFF), words))
    far = np.abs(pair[0] - pair[1])
    number = np.count_nonzero(far)
    return f"{number} of {far.size} words, up to {far.max()} apart" if number else ""


def admitted(name: str, kept_: str) -> bool:
    """True if an approximate instruction left results that the manual admits."""
    kind, _, rest = name.partition("/")
    if kind != "isa" or not kept_.startswith("="):
        return False
    return approximated(CASES[int(rest.partition(" ")[0])], words_of(kept_))


def words_of(kept_: str) -> bytes:
    """What is recorded as it is."""
    return zlib.decompress(b64decode(kept_[1:]))


def recorded(folder: Path) -> str:
    """What ``measure`` left in the folder, as the record has it."""
    record: dict[str, Any] = json.loads((folder / "device.json").read_text())
    record |= {"left": {}, "counters": {}, "hardware": {}, "sanitizers": {}}
    for path in sorted(folder.glob("*.results")):
        for name, left in pickles(path):
            case = case_of(name)
            expected = case.left(case.interpreted())
            same = left == expected
            record["left"][name] = (
                left if isinstance(left, str) else
                [digest(b"".join(left))] if same else [*map(kept, left, expected)]
            )  # fmt: skip
    for name, whole, rows in measured(folder, "counters"):
        record["counters"][name] = grouped(rows)
        if name.startswith("access/"):
            record["hardware"][name] = {n: whole[n] for n in OF_KERNELS if whole.get(n)}
    for name, tool, code, said in measured(folder, "sanitizer"):
        told = [line for line in said if "COMPUTE-SANITIZER" not in line]
        if code in (0, 9) and not (code and told[0] == ENDED):
            record["sanitizers"].setdefault(name, {})[tool] = told[0] if code else ""
    return json.dumps(record, separators=(",", ":")).replace(',"', ',\n"') + "\n"


def grouped(rows: Rows) -> list[Any]:
    """Each machine instruction with its counters, and the lines that have the same."""
    lines: dict[tuple[str, tuple[int, ...]], list[int]] = {}
    for line, sass, row in rows:
        counters = tuple(row.get(name, 0) for name in OF_INSTRUCTIONS)
        lines.setdefault((name_of(sass), counters), []).append(line)
    return [[sass, counters, there] for (sass, counters), there in lines.items()]


def rows_of(groups: list[Any]) -> Rows:
    return [
        (line, sass, dict(zip(OF_INSTRUCTIONS, counters, strict=True)))
        for sass, counters, lines in groups
        for line in lines
    ]


def measured(folder: Path, kind: str) -> Iterator[Any]:
    for path in sorted(folder.glob(f"*.{kind}")):
        yield from map(json.loads, path.read_text().splitlines())


# --- the comparison


def other_words(record: dict[str, Any], names: Iterable[str]) -> Iterator[str]:
    """Launches that left other words than the interpreter leaves, where it finds no fault."""
    for name in names:
        case, left = case_of(name), record["left"][name]
        outcome = case.interpreted()
        if outcome.faults or outcome.exhausted:
            continue
        if isinstance(left, str):
            yield f"{name}: {left}"
            continue
        expected = case.left(outcome)
        if len(left) < len(expected):
            expected = [b"".join(expected)]
        for number, said in enumerate(map(apart, left, expected)):
            if said and not admitted(name, left[number]):
                yield f"{name}: {said} in buffer {number}"


def costs(record: dict[str, Any], names: Iterable[str]) -> Iterator[Comparison]:
    """What came of each access, where the device counted them."""
    for name in names:
        if name in record["counters"]:
            yield from comparisons(case_of(name), rows_of(record["counters"][name]))


def every_other(names: Iterable[str], every: int) -> list[str]:
    """Of every so many launches of a kind one."""
    by_kind: dict[str, list[str]] = {}
    for name in names:
        by_kind.setdefault(name.partition("/")[0], []).append(name)
    return [name for group in by_kind.values() for name in group[::every]]


def differences_from(record: dict[str, Any], every: int = 1) -> Iterator[str]:
    """What is not the same, of one in so many launches of a kind."""
    names = every_other(record["left"], every)
    yield from other_words(record, names)
    for cost in costs(record, names):
        yield from cost.said
    for name in every_other(record["sanitizers"], every):
        yield from other_faults(case_of(name), record["sanitizers"][name])


def explanations() -> dict[re.Pattern[str], str]:
    """Which differences are none of ours, and why."""
    rows = tomllib.loads(EXPLAINED.read_text("utf-8"))["explained"]
    return {re.compile(row["difference"]): row["why"] for row in rows}


def unexplained(record: dict[str, Any], every: int = 1) -> list[str]:
    """The differences that ``explained.toml`` does not explain."""
    known = explanations()
    return [
        line for line in differences_from(record, every) if not any(p.match(line) for p in known)
    ]
