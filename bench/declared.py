"""How much a declared launch proves: ``python -m bench.declared [--open] [--own] [PATH...]``

Of the kernels of ``corpus/clean``, or of these files, and of the kernels of front ends that
``tests/frontends/suites`` launches, where their compilers are installed. *Concrete*: the launch
that a file or a call declares, with its block, grid, arguments and sizes of buffers. *Sizes*:
block, grid and buffers alone, where these have a size by parameters (``x=4*n``); a call has them
as numbers, which say nothing if ``n`` is open. An access is conditional if the check says which
arguments it takes. ``--open`` lists the kernels with accesses that are neither, ``--own`` the
conditions that a check prints with sizes alone and that the declared launch fails.
"""

from __future__ import annotations

import argparse
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from importlib import import_module
from pathlib import Path

from ptxlint.checker import check
from ptxlint.contracts.contract import Contract
from ptxlint.contracts.declaration import PointerInto
from ptxlint.contracts.resolution import resolved
from ptxlint.lowering.module import lower_module
from ptxlint.options import Options
from ptxlint.results.report import AccessResult
from ptxlint.syntax import parse, read_source

CLEAN = Path(__file__).parents[1] / "corpus" / "clean"
SUITES = ("cupy", "numba", "triton")
SETTLED = ("proved", "flagged")


@dataclass(frozen=True)
class Decided:
    """The accesses of a kernel or a file by status, and the reason codes of undecided ones."""

    name: str
    statuses: Counter[str]
    reasons: Counter[str]

    @classmethod
    def of(cls, name: str, accesses: Iterable[AccessResult]) -> Decided:
        found = list(accesses)
        open_ = [one.reason for one in found if one.status.value == "undecided"]
        return cls(name, Counter(one.status.value for one in found), Counter(map(str, open_)))


def declared(path: Path) -> Contract:
    """The launch in the comments of a file."""
    written = path.with_suffix(".cu")
    return Contract.from_comments((written if written.exists() else path).read_text("utf-8"))


def sizes(contract: Contract) -> Contract:
    """Without the numbers among the arguments."""
    kept = {name: to for name, to in contract.args.items() if isinstance(to, PointerInto)}
    return replace(contract, args=kept)


def of_files(paths: Iterable[Path], by_sizes: bool) -> Iterator[Decided]:
    for path in paths:
        contract = declared(path)
        options = Options((sizes(contract) if by_sizes else contract,))
        yield Decided.of(path.stem, check([read_source(str(path))], options).accesses)


def of_suite(name: str) -> Iterator[Decided]:
    """The launches of a front end; none if its compiler is not installed."""
    try:
        suite = import_module(f"tests.frontends.suites.{name}_kernels")
    except ImportError:
        return
    for case in suite.CASES:
        yield Decided.of(case.name, case.check(case.arguments()).accesses)


def failed_by_own_launch(path: Path) -> Iterator[tuple[str, list[str]]]:
    """For each kernel with a printed condition, its parts that no declared launch meets, apart from
    sizes of buffers that are not declared."""
    contract, source = declared(path), read_source(str(path))
    report = check([source], Options((sizes(contract),)))
    module = parse(source).module
    kernels = {one.name: one for one in lower_module(module, source).kernels} if module else {}
    for kernel in report.kernels:
        if kernel.condition:
            said = kernel.condition.replace("; assumes ", " and ").removeprefix("assumes ")
            parts = [one for one in said.split(" and ") if not one.endswith(" bytes")]
            asked = Contract(requires=parts)
            launch = resolved([contract, asked], kernels[kernel.name])
            yield kernel.name, [each.text for each in launch.violated]


def own(paths: Iterable[Path]) -> Iterator[str]:
    """The lines of ``--own``."""
    found = [one for path in paths for one in failed_by_own_launch(path)]
    yield from (f"    {name}: {', '.join(parts)}" for name, parts in found if parts)
    failed = sum(bool(parts) for _, parts in found)
    yield f"conditions: {len(found)} kernels with one, {failed} fail it in their own launch"


def rows(label: str, kernels: Iterable[Decided], listed: bool) -> Iterator[str]:
    """A line of figures; before it those of kernels with open accesses."""
    statuses, number = Counter[str](), 0
    for one in kernels:
        number += 1
        statuses += one.statuses
        if listed and one.reasons:
            reasons = ", ".join(f"{why} {count}" for why, count in one.reasons.most_common())
            yield f"    {one.name}: {reasons}"
    whole = max(statuses.total(), 1)
    proved = sum(statuses[status] for status in SETTLED)
    with_conditions = proved + statuses["conditional"]
    yield (
        f"{label}: {number} kernels, {statuses.total()} accesses, {proved} decided"
        f" ({100 * proved / whole:.1f} %), with conditional ones {with_conditions}"
        f" ({100 * with_conditions / whole:.1f} %)"
    )


def main() -> None:
    warnings.simplefilter("ignore")
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("paths", nargs="*", type=Path)
    parser.add_argument("--open", action="store_true")
    parser.add_argument("--own", action="store_true")
    asked = parser.parse_args()
    paths = asked.paths or sorted(CLEAN.glob("*.ptx"))
    for line in own(paths) if asked.own else ():
        print(line, flush=True)
    groups = [
        ("corpus, concrete", of_files(paths, by_sizes=False)),
        ("corpus, sizes", of_files(paths, by_sizes=True)),
        *((f"{name}, concrete", of_suite(name)) for name in (() if asked.paths else SUITES)),
    ]
    for label, kernels in groups:
        for line in rows(label, kernels, asked.open):
            print(line, flush=True)


if __name__ == "__main__":
    main()
