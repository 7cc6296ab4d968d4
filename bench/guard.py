"""What it costs to hold a launch against a contract: ``python -m bench.guard [FILE...]``

With ``--compiled`` by the function that ``ptxlint.guard`` makes of the contract.

For every kernel of the corpus: its contract is inferred, written as TOML and read back, and a
launch with buffers as large as it asks for is looked at. Prints microseconds of processor time, the
best of five rounds of a hundred: the median, the slowest, and how many times longer it took to
infer the contract.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import median
from time import process_time

from pricing_kernels.kernel import SHIPPED
from ptxlint.checker import check
from ptxlint.contracts.compiled_check import Given, LaunchGuard
from ptxlint.contracts.contract import Contract
from ptxlint.contracts.expression import ExpressionError, value
from ptxlint.contracts.files import contracts
from ptxlint.contracts.launch import Allocation, Argument, ConcreteLaunch, shape_names
from ptxlint.contracts.launch_check import check_launch
from ptxlint.options import Options
from ptxlint.reports.colour import Palette
from ptxlint.reports.contract import render
from ptxlint.source import Source

Look = Callable[[Contract, ConcreteLaunch], list[str]]

CORPUS = Path(__file__).parents[1] / "corpus"
FOLDERS = (CORPUS / "clean", CORPUS / "compilers", SHIPPED)
ROUNDS, TIMES = 5, 100
BLOCK, GRID, NUMBER = (64, 1, 1), (2, 1, 1), 128
SLOWEST = 5


def inferred(path: Path) -> tuple[list[Contract], float]:
    """The contracts of a file, and the seconds that it took to infer each."""
    start = process_time()
    options = Options(infer=True, rules=False)
    source = Source(str(path), path.read_text("utf-8"))
    report = check([source], options)
    spent = process_time() - start
    text = render(report, "toml", Palette(False))
    found = list(contracts(text, str(path))) if text else []
    return found, spent / max(1, len(found))


def launch(contract: Contract) -> ConcreteLaunch:
    """Every number is 128, and buffers are as large as they have to be, one behind the other."""
    numbers = {
        name: NUMBER
        for name, kind in contract.params.items()
        if kind[0] in "su" and name not in contract.buffers
    }
    known = numbers | shape_names(BLOCK, GRID)

    def size(name: str) -> int:
        buffer = contract.buffers.get(name)
        return 0 if buffer is None else max(0, value(buffer.extent, known.__getitem__))

    given: dict[str, Argument] = {
        name: numbers.get(name, Allocation(size(name), address=place << 40))
        for place, name in enumerate(contract.params)
    }
    shared = contract.shared
    shared_bytes = 0 if shared is None else max(0, value(shared.extent, known.__getitem__))
    return ConcreteLaunch.of(contract.block or BLOCK, GRID, shared_bytes, given)


def timed(look: Look, contract: Contract, actual: ConcreteLaunch) -> float:
    """Seconds for one look."""
    best = float("inf")
    for _ in range(ROUNDS):
        start = process_time()
        for _ in range(TIMES):
            look(contract, actual)
        best = min(best, (process_time() - start) / TIMES)
    return best


def measured(
    paths: list[Path], how: Callable[[Contract, ConcreteLaunch], Look]
) -> Iterator[tuple[str, float, float]]:
    for path in paths:
        found, spent = inferred(path)
        for contract in found:
            try:
                actual = launch(contract)
                yield contract.kernel, timed(how(contract, actual), contract, actual), spent
            except (ExpressionError, KeyError) as error:
                print(f"{contract.kernel}: {error}", file=sys.stderr)


def plainly(contract: Contract, actual: ConcreteLaunch) -> Look:
    return check_launch


def by_function(contract: Contract, actual: ConcreteLaunch) -> Look:
    """The look that ``ptxlint.guard`` takes."""
    pointers = list(actual.allocations)
    given: list[Given] = []
    for each in actual.arguments:
        if isinstance(each, Allocation):
            given.append((each.address or 0, each.size or 0))
        elif isinstance(each, int | float):
            given.append(each)
    guard = LaunchGuard.of(contract, actual.names, pointers)
    shape = actual.grid, actual.block, actual.shared
    return lambda contract, actual: guard.refusals(*shape, given)


def main() -> None:
    words = [word for word in sys.argv[1:] if word != "--compiled"]
    how = by_function if "--compiled" in sys.argv else plainly
    asked = [Path(name) for name in words]
    paths = asked or [p for folder in FOLDERS for p in sorted(folder.glob("*.ptx"))]
    rows = sorted(measured(paths, how), key=lambda row: -row[1])
    seconds = [took for _, took, _ in rows]
    ratio = median(spent / took for _, took, spent in rows)
    print(f"{len(rows)} contracts: median {1e6 * median(seconds):.1f} us a launch")
    for name, took, _ in rows[:SLOWEST]:
        print(f"{1e6 * took:8.1f} us  {name}")
    print(f"to infer the contract takes {ratio:,.0f} times as long (median)")


if __name__ == "__main__":
    main()
