"""How complete inferred contracts are: ``python -m bench.contracts [--seconds N] PATH...``

For each file of PTX (of folders, all): the kernels, those whose contract is complete, how many
accesses the others leave open by reason, and the processor time of the inference beside that of a
check. A file that takes longer than ``--seconds`` (60) counts with all of its kernels as
incomplete, for the reason ``time``. ``--kernels`` lists the kernels that are incomplete.
"""

from __future__ import annotations

import argparse
import multiprocessing
import resource
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from pathlib import Path
from time import process_time

from ptxlint.checker import check
from ptxlint.options import Options
from ptxlint.source import Source
from ptxlint.syntax import read_source

SECONDS = 60


@dataclass(frozen=True)
class Census:
    """The kernels of a file. ``reasons`` counts, for each incomplete kernel by name, the accesses
    that its contract leaves open; ``inference`` and ``check`` are seconds of processor time."""

    kernels: int = 0
    reasons: dict[str, Counter[str]] = field(default_factory=dict)
    inference: float = 0.0
    check: float = 0.0

    @property
    def complete(self) -> int:
        return self.kernels - len(self.reasons)


def census(source: Source) -> Census:
    """The census of one file."""
    start = process_time()
    report = check([source], Options(infer=True, rules=False))
    inference = process_time() - start
    start = process_time()
    check([source], Options())
    reasons = {
        one.kernel: Counter(access.reason for access in one.unknown)
        for one in report.contracts
        if one.unknown
    }
    return Census(len(report.contracts), reasons, inference, process_time() - start)


def sent(path: Path, answer: Connection, seconds: int) -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
    answer.send(census(read_source(str(path))))


def limited(path: Path, seconds: int) -> Census:
    """The census of a file, in a process of its own that ends after so many seconds of processor
    time."""
    here, there = multiprocessing.Pipe(duplex=False)
    process = multiprocessing.Process(target=sent, args=(path, there, seconds))
    process.start()
    there.close()
    try:
        return here.recv()  # type: ignore[no-any-return]
    except EOFError:  # the process was ended, or failed and said why
        pass
    finally:
        process.join()
    late = {name: Counter(time=1) for name in entries(path)}
    return Census(len(late), late, seconds)


def entries(path: Path) -> list[str]:
    """The names of the kernels of a file."""
    lines = path.read_text("utf-8", "replace").splitlines()
    return [line.partition(".entry ")[2].partition("(")[0] for line in lines if ".entry " in line]


def files(paths: Iterable[Path]) -> Iterator[Path]:
    for path in paths:
        yield from sorted(path.rglob("*.ptx")) if path.is_dir() else [path]


def table(censuses: Iterable[tuple[str, Census]], listed: bool) -> Iterator[str]:
    """The lines: one for each file, as soon as it is done."""
    yield f"{'file':32} {'kernels':>7} {'complete':>8} {'contract':>8} {'check':>7}  open for"
    reasons: Counter[str] = Counter()
    found = []
    for name, one in censuses:
        found.append(one)
        yield row(name, [one])
        for kernel, why in one.reasons.items():
            reasons.update(dict.fromkeys(why, 1))
            if listed:
                yield f"    {kernel[:60]}: {counted(why)}"
    yield row("all", found)
    yield f"incomplete kernels by reason: {counted(reasons)}"


def row(name: str, several: Sequence[Census]) -> str:
    kernels = sum(one.kernels for one in several)
    complete = sum(one.complete for one in several)
    inference, checked = (
        sum(each) for each in zip(*[(one.inference, one.check) for one in several], strict=True)
    )
    open_: Counter[str] = Counter()
    for one in several:
        for why in one.reasons.values():
            open_.update(why)
    times = f"{inference:8.1f} {checked:7.1f}"
    return f"{name[-32:]:32} {kernels:7} {complete:8} {times}  {counted(open_)}"


def counted(reasons: Counter[str]) -> str:
    return ", ".join(f"{reason} {count}" for reason, count in reasons.most_common()) or "-"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("paths", nargs="+", type=Path)
    parser.add_argument("--seconds", type=int, default=SECONDS)
    parser.add_argument("--kernels", action="store_true")
    options = parser.parse_args()
    found = ((str(path), limited(path, options.seconds)) for path in files(options.paths))
    for line in table(found, options.kernels):
        print(line, flush=True)


if __name__ == "__main__":
    main()
