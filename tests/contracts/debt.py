"""The kernels of the corpus whose inferred contract is incomplete: which accesses it leaves open,
why, and the fact that would decide them.

    python -m tests.contracts.debt             # print them
    python -m tests.contracts.debt --record    # write them down, in corpus/CONTRACTS.toml
"""

from __future__ import annotations

import argparse
import json
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from .kernels import ROOT, files, subjects

PLACE = ROOT / "CONTRACTS.toml"
HEADER = """\
# Kernels of the corpus whose inferred contract is incomplete, with nothing declared: the accesses
# that it leaves open, by reason, and the fact that would decide them. Written by
#     python -m tests.contracts.debt --record
"""


class Debt(NamedTuple):
    """So many accesses of a kernel that are open for one reason; ``line`` is that of the first."""

    kernel: str
    accesses: int
    reason: str
    line: str
    decided_by: str


def owed(path: Path) -> list[Debt]:
    """The debts of the kernels in a file."""
    found: Counter[tuple[str, str, str]] = Counter()
    lines: dict[tuple[str, str, str], str] = {}
    for subject in subjects(path):
        for one in subject.result.unknown:
            key = f"{subject.name}: {subject.kernel.name}", one.reason, one.decides
            found[key] += 1
            lines.setdefault(key, one.location)
    return [Debt(key[0], count, key[1], lines[key], key[2]) for key, count in found.items()]


def recorded() -> list[Debt]:
    tables = tomllib.loads(PLACE.read_text("utf-8"))["incomplete"]
    return [Debt(**table) for table in tables]


def written(debts: Iterable[Debt]) -> Iterator[str]:
    """The text of the file: first how many kernels there are of each reason."""
    found = list(debts)
    kernels: dict[str, set[str]] = {}
    for debt in found:
        kernels.setdefault(debt.reason, set()).add(debt.kernel)
    counts = sorted(((len(names), reason) for reason, names in kernels.items()), reverse=True)
    yield HEADER
    yield "[kernels]"
    yield from (f"{reason} = {count}" for count, reason in counts)
    for debt in found:
        yield "\n[[incomplete]]"
        yield from (f"{key} = {json.dumps(value)}" for key, value in debt._asdict().items())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--record", action="store_true")
    asked = parser.parse_args()
    text = "\n".join(written(debt for path in files() for debt in owed(path))) + "\n"
    if asked.record:
        PLACE.write_text(text, encoding="utf-8")
    else:
        print(text, end="")


if __name__ == "__main__":
    main()
