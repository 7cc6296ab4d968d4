"""Two reports compared: findings that are new, fixed or moved, and costs before and after."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator

from msgspec import Struct

from ptxlint.results.finding import Finding
from ptxlint.results.report import AccessResult, KernelResult, Report


class CostChange(Struct, frozen=True):
    """The cost of one request of each access of a kernel in one space, summed."""

    kernel: str
    what: str
    before: int
    after: int
    ideal: int


class ReportComparison(Struct, frozen=True):
    """``name`` is that of the old report; ``moved`` has findings at another line, before and
    after."""

    name: str
    new: tuple[Finding, ...] = ()
    fixed: tuple[Finding, ...] = ()
    moved: tuple[tuple[Finding, Finding], ...] = ()
    unchanged: int = 0
    costs: tuple[CostChange, ...] = ()


def compare(name: str, old: Report, new: Report) -> ReportComparison:
    """The findings by their fingerprints, the costs by kernel."""
    before = {finding.fingerprint: finding for finding in old.findings}
    after = {finding.fingerprint: finding for finding in new.findings}
    both = [(before[print_], found) for print_, found in after.items() if print_ in before]
    moved = tuple(pair for pair in both if pair[0].location.line != pair[1].location.line)
    return ReportComparison(
        name=name,
        new=tuple(found for print_, found in after.items() if print_ not in before),
        fixed=tuple(found for print_, found in before.items() if print_ not in after),
        moved=moved,
        unchanged=len(both) - len(moved),
        costs=tuple(changes(old, new)),
    )


def changes(old: Report, new: Report) -> Iterator[CostChange]:
    """The sums that differ, of the kernels that both have."""
    before, after = totals(old.kernels), totals(new.kernels)
    for key, (cost, ideal) in after.items():
        if key in before and before[key][0] != cost:
            kernel, what = key
            yield CostChange(kernel, what, before[key][0], cost, ideal)


def totals(kernels: Iterable[KernelResult]) -> dict[tuple[str, str], tuple[int, int]]:
    """Cost and ideal by kernel and unit, each access in its worst launch."""
    worst: dict[tuple[str, str], dict[object, tuple[int, int]]] = defaultdict(dict)
    for kernel in kernels:
        for access in kernel.accesses:
            if access.cost is not None:
                key = kernel.demangled, f"{access.cost.unit} of {access.access.space} memory"
                pair = access.cost.actual, access.cost.ideal
                known = worst[key].get(place(access), (0, 0))
                worst[key][place(access)] = max(known, pair)
    return {
        key: (sum(cost for cost, _ in each.values()), sum(ideal for _, ideal in each.values()))
        for key, each in worst.items()
    }


def place(access: AccessResult) -> object:
    return access.ptx
