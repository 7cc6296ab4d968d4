"""How complete inferred contracts are: ``python -m bench.contracts [--seconds N] PATH...``

For each file of PTX (of folders, all): the kernels, those whose contract is complete; the kernels
without an address from data, and those of them; the processor time of the inference beside that of
a check; how many accesses the others leave open by reason. A file whose contracts take longer than
``--seconds`` (60) counts with all of its kernels as incomplete, for the reason ``time``; its check
has as long again. ``--kernels`` lists the kernels that are incomplete.

A kernel has an *address from data* if the address of some access, not counting those of its
parameters, depends on loaded data: by a slice through registers, the branches and selections that
decide which word it is, exchanges between lanes, and what the kernel itself stored in shared and
local memory (``analyses.loaded_data``). Whether anything bounds such an address, and whether its
contract is complete, makes no difference: an index that is clamped counts.
"""

from __future__ import annotations

import argparse
import multiprocessing
import resource
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from multiprocessing.connection import Connection
from pathlib import Path
from time import process_time

from ptxlint.checker import check
from ptxlint.contracts.contract import Contract
from ptxlint.contracts.resolution import resolved
from ptxlint.facts.kernel_facts import Facts
from ptxlint.inference.contract import ARCH
from ptxlint.lowering.module import lower_module
from ptxlint.options import Options
from ptxlint.source import Source
from ptxlint.syntax import parse, read_source

SECONDS = 60


@dataclass(frozen=True)
class Census:
    """The ``kernels`` of a file by name, each true if it has an address from data. ``reasons``
    counts, for each incomplete one, the accesses that its contract leaves open; ``inference`` and
    ``check`` are seconds of processor time."""

    kernels: dict[str, bool] = field(default_factory=dict)
    reasons: dict[str, Counter[str]] = field(default_factory=dict)
    inference: float = 0.0
    check: float = 0.0

    def counts(self, data: bool) -> tuple[int, int]:
        """The kernels, and the complete ones: only those without an address from data unless those
        with ``data`` count."""
        names = [name for name, has in self.kernels.items() if data or not has]
        return len(names), len([name for name in names if name not in self.reasons])


def kernels(source: Source) -> dict[str, bool]:
    """The kernels of a file: true of those with an address from data."""
    module = parse(source).module
    found = lower_module(module, source).kernels if module is not None else []
    facts = {one.name: Facts(one, resolved([Contract()], one), ARCH) for one in found}
    return {name: any(known.loaded_data.accesses()) for name, known in facts.items()}


def census(source: Source) -> Census:
    """The census of one file, without a check."""
    start = process_time()
    report = check([source], Options(infer=True, rules=False))
    reasons = {
        one.kernel: Counter(access.reason for access in one.unknown)
        for one in report.contracts
        if one.unknown
    }
    return Census({}, reasons, process_time() - start)


def sent(path: Path, answer: Connection, seconds: int) -> None:
    _, most = resource.getrlimit(resource.RLIMIT_CPU)
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, most))
    source = read_source(str(path))
    answer.send(found := kernels(source))
    answer.send(counted := replace(census(source), kernels=found))
    start = process_time()
    resource.setrlimit(resource.RLIMIT_CPU, (int(start) + seconds, most))
    check([source], Options())
    answer.send(replace(counted, check=process_time() - start))


def limited(path: Path, seconds: int) -> Census:
    """The census of a file, in a process of its own that ends after so many seconds of processor
    time."""
    here, there = multiprocessing.Pipe(duplex=False)
    process = multiprocessing.Process(target=sent, args=(path, there, seconds))
    process.start()
    there.close()
    found: list[Census | dict[str, bool]] = [dict.fromkeys(entries(path), False)]
    try:
        while len(found) < 4:
            found.append(here.recv())
    except EOFError:  # the process was ended, or failed and said why
        pass
    finally:
        process.join()
    last = found[-1]
    if isinstance(last, Census):
        return last if len(found) == 4 else replace(last, check=seconds)
    return Census(last, {name: Counter(time=1) for name in last}, seconds)


def entries(path: Path) -> list[str]:
    """The names of the kernels of a file."""
    lines = path.read_text("utf-8", "replace").splitlines()
    return [line.partition(".entry ")[2].partition("(")[0] for line in lines if ".entry " in line]


def files(paths: Iterable[Path]) -> Iterator[Path]:
    for path in paths:
        yield from sorted(path.rglob("*.ptx")) if path.is_dir() else [path]


HEAD = ("kernels", "complete", "no data", "complete", "contract", "check")


def table(censuses: Iterable[tuple[str, Census]], listed: bool) -> Iterator[str]:
    """The lines: one for each file, as soon as it is done."""
    yield f"{'file':32} {' '.join(f'{title:>8}' for title in HEAD)}  open for"
    reasons: Counter[str] = Counter()
    found = []
    for name, one in censuses:
        found.append(one)
        yield row(name, [one])
        for kernel, why in one.reasons.items():
            reasons.update(dict.fromkeys(why, 1))
            if listed:
                said = " (address from data)" if one.kernels.get(kernel) else ""
                yield f"    {kernel[:60]}{said}: {counted(why)}"
    yield row("all", found)
    yield f"incomplete kernels by reason: {counted(reasons)}"
    for data, which in ((True, "all kernels"), (False, "those without an address from data")):
        total, complete = totals(found, data)
        yield f"complete of {which}: {complete} of {total} ({100 * complete / max(total, 1):.1f} %)"


def totals(several: Iterable[Census], data: bool) -> tuple[int, int]:
    each = [one.counts(data) for one in several]
    return sum(total for total, _ in each), sum(complete for _, complete in each)


def row(name: str, several: Sequence[Census]) -> str:
    numbers = [*totals(several, data=True), *totals(several, data=False)]
    seconds = [sum(one.inference for one in several), sum(one.check for one in several)]
    open_: Counter[str] = Counter()
    for one in several:
        for why in one.reasons.values():
            open_.update(why)
    columns = [f"{number:8}" for number in numbers] + [f"{each:8.1f}" for each in seconds]
    return f"{name[-32:]:32} {' '.join(columns)}  {counted(open_)}"


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
