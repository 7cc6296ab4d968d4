"""What accesses cost by the interpreter and by the analysis, beside what a device counts.

All are sums over the warps of a launch, for a line of the text and a space.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from analyses.concrete.bitvectors import Array
from analyses.hardware import WARP
from analyses.traffic.costs import (
    ideal_sectors,
    ideal_wavefronts,
    local_sectors,
    of_warps,
    sectors,
    wavefronts,
)
from analyses.traffic.patterns import Pattern
from ptxlint.facts.kernel_facts import Facts, metric
from ptxlint.facts.requests import certain
from ptxlint.ir import PtxInstr
from ptxlint.simt import Machine, Observer, run
from ptxlint.simt.memory import WINDOWS

from .launches import Case

COUNTERS = {
    "global": {"memory_l2_theoretical_sectors_global": sectors,
               "memory_l2_theoretical_sectors_global_ideal": ideal_sectors},
    "local": {"memory_l2_theoretical_sectors_local": local_sectors},
    "shared": {"memory_l1_wavefronts_shared": wavefronts,
               "memory_l1_wavefronts_shared_ideal": ideal_wavefronts},
}  # fmt: skip
"""The counter of an instruction that each function is held against."""

UNITS = ("sectors", "local sectors", "wavefronts")
"""Those of a request; an atomic that is tried again has others."""

Place = tuple[int, str]  # a line and a space
Counts = dict[Place, Counter[str]]
Rows = Sequence[tuple[int, str, Mapping[str, int]]]
"""The machine instructions that touch memory: their lines, their names, their counters."""


class Counted(Observer):
    """Counts each request of a run as ``analyses.traffic.costs`` does."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.counts: Counts = defaultdict(Counter)

    def begin(self, machine: Machine) -> None:
        return

    def accessed(self, instr: PtxInstr, space: str, addresses: Array, active: Array) -> None:
        assert instr.access is not None
        line, size = line_of(self.text, instr), instr.access.bytes
        on, rows = active.reshape(-1, WARP), addresses.reshape(-1, WARP)
        for warp in np.flatnonzero(on.any(axis=1)).tolist():
            there = zip(rows[warp].tolist(), on[warp].tolist(), strict=True)
            lanes = [int(address) if lane else None for address, lane in there]
            own, lanes = located(space, lanes)
            counts = self.counts[line, own]
            counts["inst_executed"] += 1
            counts.update({name: of(lanes, size) for name, of in COUNTERS.get(own, {}).items()})


def located(space: str, lanes: list[int | None]) -> tuple[str, list[int | None]]:
    """The space of a generic access by its first lane, and the addresses in it."""
    if space != "generic":
        return space, lanes
    first = next(lane for lane in lanes if lane is not None)
    for name, window in WINDOWS.items():
        if first in window:
            return name, [None if lane is None else lane - window.start for lane in lanes]
    return "global", lanes


def line_of(text: str, instr: PtxInstr) -> int:
    return text.count("\n", 0, instr.offset) + 1


def counted(case: Case) -> Counts:
    counts = Counted(case.text)
    run(case.kernel, case.launch, case.options, counts)
    return counts.counts


def claimed(case: Case) -> dict[Place, int]:
    """Of accesses that stand alone on their lines and cost all warps the same: what the analysis
    says of a request."""
    facts, found = Facts(case.kernel, case.declared, "sm_90"), {}
    places = [(line_of(case.text, access.instr), access.space) for access in facts.accesses]
    for place, access in zip(places, facts.accesses, strict=True):
        by, pattern = metric(facts, access), access.pattern
        if by is None or by.unit not in UNITS or not isinstance(pattern, Pattern):
            continue
        size = access.place.access.bytes
        costs = {of_warps((warp,), pattern.base, by, size) for warp in pattern.warps}
        alone = places.count(place) == 1 and certain(facts, access)
        if alone and len(costs) == 1 and (cost := costs.pop()).exact:
            found[place] = cost.worst
    return found


def of_device(rows: Rows) -> Counts:
    counts: Counts = defaultdict(Counter)
    for line, _, counters in rows:
        for space, names in COUNTERS.items():
            if any(counters.get(name) for name in names):
                names_ = ("inst_executed", *names)
                counts[line, space].update({name: counters.get(name, 0) for name in names_})
    return counts


def differences(case: Case, rows: Rows) -> Iterator[str]:
    """Where the device counts otherwise: not as in a run, or not as the analysis says."""
    ours, theirs, claims = counted(case), of_device(rows), claimed(case)
    for line, space in sorted(ours.keys() | theirs.keys()):
        if space not in COUNTERS:
            continue
        own, other = (side.get((line, space), Counter()) for side in (ours, theirs))
        made = ", ".join(sass for number, sass, _ in rows if number == line) or "nothing"
        where = f"{case.name}:{line} {space}, {made}"
        for name in ("inst_executed", *COUNTERS[space]):
            if own[name] != other[name]:
                yield f"{where}: {name} {own[name]}, on the device {other[name]}"
        claim, name = claims.get((line, space)), next(iter(COUNTERS[space]))
        if claim is not None and claim * other["inst_executed"] != other[name]:
            yield f"{where}: {claim} a request, on the device {other[name]} in all"
