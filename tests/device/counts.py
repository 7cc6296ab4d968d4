"""What accesses cost by the interpreter and by the analysis, beside what a device counts.

All are sums over the warps of a launch, for a line of the text and a space. They can be compared
where the line's machine instructions are its access: of the same kind and width, and executed by as
many lanes. ``ptxas`` may leave one out, or write something else for it: it joins neighbours to a
vector, keeps an array in registers, writes a loop for an atomic. Then the line is not compared, and
``Comparison.outcome`` says why.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from math import ceil
from typing import NamedTuple

import numpy as np

from analyses.concrete.bitvectors import Array
from analyses.hardware import BANK, BANKS, LINE, WARP
from analyses.traffic.costs import Lanes, Metric, busiest, of_warps, paired, phases, touched
from analyses.traffic.devices import device
from analyses.traffic.patterns import Pattern
from ptxlint.facts import metrics
from ptxlint.facts.kernel_facts import Facts, metric
from ptxlint.facts.requests import certain
from ptxlint.ir import PtxInstr
from ptxlint.simt import Machine, Observer, run
from ptxlint.simt.memory import WINDOWS

from .launches import Case
from .measure import EXECUTED

ARCH, DEVICE = "sm_90", device((9, 0))
SECTORS, LOCAL = "memory_l2_theoretical_sectors_global", "memory_l2_theoretical_sectors_local"
WAVEFRONTS = "memory_l1_wavefronts_shared"
COUNTER = {"global": SECTORS, "local": LOCAL, "shared": WAVEFRONTS}
"""What the costs of an instruction are held against; ideals are other counters, without local."""

PER_TRY = "wavefronts per try"
SPACES = {"global": "G", "shared": "S", "local": "L"}  # in the names of machine instructions
NAMES = {"load": "LD{0}", "store": "ST{0}", "matrix": "LDSM", "copy": "LDGSTS"}
WIDTHS = {1: ".U8", 2: ".U16", 4: "", 8: ".64", 16: ".128"}

EQUAL, DIFFERENT = "equal", "different"
SEVERAL = "several accesses"
NOTHING = "no instruction left"
ESTIMATED = "loads by pairs"
LOOP = "a loop of compare-and-swaps"
ANOTHER = "another instruction"
OTHERWISE = "other lanes"
ADDED = "no access"
REASONS = (NOTHING, ANOTHER, LOOP, OTHERWISE, ESTIMATED, SEVERAL, ADDED)
"""Why a line is not compared; the last has machine instructions alone."""

Place = tuple[int, str]  # a line and a space
Rows = Sequence[tuple[int, str, Mapping[str, int]]]
"""The machine instructions that touch memory: their lines, their texts, their counters."""


class Kind(NamedTuple):
    """What an access is: ``name`` as ``ptxlint.facts.metrics`` has it."""

    name: str
    space: str
    bytes: int

    def __str__(self) -> str:
        return f"{self.name} of {self.space} memory, {self.bytes} bytes"


@dataclass
class Requests:
    """All requests of a line to a space: what they cost, and what the profiler counts."""

    kinds: set[Kind] = field(default_factory=set)
    warps: int = 0
    lanes: int = 0
    least: int = 0
    most: int = 0
    counter: tuple[int, int] = (0, 0)  # the least and the most
    ideal: int = 0
    estimated: bool = False

    def add(self, lanes: Lanes, kind: Kind, by: Metric) -> None:
        active, size = WARP - lanes.count(None), kind.bytes
        least, most = by.least(lanes, size), by.most(lanes, size)
        self.kinds.add(kind)
        self.warps += 1
        self.lanes += active
        self.least += least
        self.most += most
        if kind.space == "shared" and kind.name == "load":
            halves = (lanes[:16], lanes[16:])  # with lanes that are off it is another formula
            self.estimated |= size == 16 and None in lanes and any(map(paired, halves))
            least = most = estimate(lanes, size)
        self.counter = self.counter[0] + least, self.counter[1] + most
        if kind.space == "global":
            self.ideal += by.ideal(lanes, size)
        else:
            passes = 2 if kind.name == "swap" else 1
            self.ideal += min(least, passes * ceil(active * size / LINE))

    def counters(self, space: str) -> dict[str, int]:
        """As a device would have them that takes the least."""
        own = COUNTER[space]
        return {**dict(zip(EXECUTED, (self.warps, self.lanes), strict=True)), own: self.counter[0],
                f"{own}_ideal": self.ideal}  # fmt: skip


def estimate(lanes: Lanes, size: int) -> int:
    """``memory_l1_wavefronts_shared`` of a load. The profiler computes it, and not quite as the
    hardware counts: it joins two phases whose lanes are paired if no two of their words are in one
    bank; the hardware joins all if the lanes of the warp are paired, whatever the banks."""
    groups = phases(lanes, size)
    total = sum(worst(group, size) for group in groups)
    for one, two in zip(groups[::2], groups[1::2], strict=False):
        both = [*one, *two]
        if paired(both) and worst(both, size) == 1:
            total -= worst(one, size) + worst(two, size) - 1
    return total


def worst(group: Lanes, size: int) -> int:
    return busiest(word % BANKS for word in touched(group, size, BANK))


class Counted(Observer):
    """Counts each request of a run as ``analyses.traffic`` does."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.counts = defaultdict[Place, Requests](Requests)

    def begin(self, machine: Machine) -> None:
        return

    def accessed(self, instr: PtxInstr, space: str, addresses: Array, active: Array) -> None:
        assert instr.access is not None
        line, size, name = line_of(self.text, instr), instr.access.bytes, metrics.kind(instr)
        on, rows = active.reshape(-1, WARP), addresses.reshape(-1, WARP)
        for warp in np.flatnonzero(on.any(axis=1)).tolist():
            there = zip(rows[warp].tolist(), on[warp].tolist(), strict=True)
            own, lanes = located(space, [int(at) if lane else None for at, lane in there])
            by = metrics.metric(DEVICE, instr, instr.access, own)
            if by is not None and own in COUNTER:
                self.counts[line, own].add(lanes, Kind(name, own, size), by)


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


@lru_cache(128)  # more than there are kinds of access
def counted(case: Case) -> Mapping[Place, Requests]:
    counts = Counted(case.text)
    run(case.kernel, case.launch, case.options, counts)
    return counts.counts


@lru_cache(128)
def claimed(case: Case) -> dict[Place, int]:
    """Of accesses that stand alone on their lines and cost all warps the same: what the analysis
    says of a request."""
    facts, found = Facts(case.kernel, case.declared, ARCH), {}
    places = [(line_of(case.text, access.instr), access.space) for access in facts.accesses]
    for place, access in zip(places, facts.accesses, strict=True):
        by, pattern = metric(facts, access), access.pattern
        if by is None or by.unit == PER_TRY or not isinstance(pattern, Pattern):
            continue
        size = access.place.access.bytes
        costs = {of_warps((warp,), pattern.base, by, size) for warp in pattern.warps}
        alone = places.count(place) == 1 and certain(facts, access)
        if alone and len(costs) == 1 and (cost := costs.pop()).exact:
            found[place] = cost.worst
    return found


HARDWARE = {
    ("global", "load"): "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
    ("global", "store"): "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
    ("local", "load"): "l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum",
    ("local", "store"): "l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum",
    ("shared", "load"): "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
    ("shared", "store"): "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum",
}
"""What the hardware counts of a whole launch, where the others are computed from addresses."""


def totals(case: Case) -> dict[str, int]:
    """What the hardware should count."""
    found = dict.fromkeys(HARDWARE.values(), 0)
    for (_, space), own in counted(case).items():
        (kind,) = own.kinds
        loads = kind.name in ("load", "matrix") or (kind.name, space) == ("copy", "global")
        if counter := HARDWARE.get((space, "load" if loads else kind.name)):
            found[counter] += own.least
    return found


# --- machine instructions


def name_of(text: str) -> str:
    """A machine instruction without its operands, and ``@`` for any predicate."""
    first, *others = text.split()
    return f"@ {others[0]}" if first.startswith("@") else first


class Machined(NamedTuple):
    """A machine instruction: what stands before the first dot of its name, and the rest; whether a
    predicate may switch it off."""

    name: str
    words: tuple[str, ...]
    predicated: bool

    @classmethod
    def of(cls, text: str) -> Machined:
        predicate, _, whole = name_of(text).rpartition(" ")
        name, *words = whole.split(".")
        return cls(name, tuple(words), predicate != "")

    @property
    def bytes(self) -> int:
        """That a lane moves."""
        if self.name == "LDSM":
            return 16
        sizes = {"U8": 1, "S8": 1, "U16": 2, "S16": 2, "64": 8, "F64": 8, "128": 16}
        return next((sizes[word] for word in self.words if word in sizes), 4)

    @property
    def swaps(self) -> bool:
        return not {"CAS", "CAST"}.isdisjoint(self.words)

    def made_of(self, kind: Kind) -> bool:
        letter = SPACES[kind.space]
        atomics = ("ATOM", "RED", f"ATOM{letter}", f"RED{letter}")
        plain = NAMES.get(kind.name, "")
        names = (plain.format(letter), plain.format("")) if plain else atomics
        return self.name in names and self.bytes == kind.bytes


def machine_text(kind: Kind) -> str:
    """The name of the machine instruction that does the same."""
    name = NAMES.get(kind.name, "ATOM{0}").format(SPACES[kind.space])
    name += "" if name == "LDSM" else WIDTHS[kind.bytes]
    return f"{name}.CAS" if kind.name == "swap" else name


# --- the comparison


class Comparison(NamedTuple):
    """What came of a line: ``outcome`` is that it is equal or different, or why it was not
    compared; ``said`` are the differences."""

    place: Place
    kind: Kind | None
    outcome: str
    said: tuple[str, ...] = ()


def reason(own: Requests, rows: Rows) -> str:
    """Why the requests of a line are not compared with its machine instructions; empty if they
    are. A predicate may switch off all lanes of a warp, which still counts as executed, as does a
    lane that copies no byte."""
    if len(own.kinds) > 1:
        return SEVERAL
    if not rows:
        return NOTHING
    (kind,) = own.kinds
    made = [Machined.of(text) for _, text, _ in rows]
    loop = kind.name == "retried" and kind.space == "shared"
    if loop or (kind.name != "swap" and any(each.swaps for each in made)):
        return LOOP
    if not all(each.made_of(kind) for each in made):
        return ANOTHER
    if own.estimated:
        return ESTIMATED
    warps, lanes = (sum(row.get(name, 0) for _, _, row in rows) for name in EXECUTED)
    free = any(each.predicated for each in made) and warps > own.warps
    empty = (kind.name, kind.space) == ("copy", "global") and lanes > own.lanes
    same = (warps == own.warps or free) and (lanes in (own.lanes, 0) or empty)
    return "" if same else OTHERWISE


def comparisons(case: Case, rows: Rows) -> Iterator[Comparison]:
    """Of each line and space with requests: by the run, or on the device."""
    ours, claims = counted(case), claimed(case)
    theirs = defaultdict[Place, list[tuple[int, str, Mapping[str, int]]]](list)
    for row in rows:
        for space, counter in COUNTER.items():
            if row[2].get(counter):
                theirs[row[0], space].append(row)
    for place in sorted(ours.keys() | theirs.keys()):
        own, there = ours.get(place), theirs.get(place, [])
        if own is None:
            yield Comparison(place, None, ADDED)
            continue
        kind = min(own.kinds)
        if why := reason(own, there):
            yield Comparison(place, kind, why)
            continue
        texts = ", ".join(name_of(text) for _, text, _ in there)
        where = f"{case.name}:{place[0]} {place[1]}, {texts}"
        said = tuple(f"{where}: {each}" for each in other(own, place[1], there, claims.get(place)))
        yield Comparison(place, kind, DIFFERENT if said else EQUAL, said)


def other(own: Requests, space: str, rows: Rows, claim: int | None) -> Iterator[str]:
    """Where the device counts otherwise than a run, or the run than the analysis."""
    counter, (least, most) = COUNTER[space], own.counter
    seen = sum(row.get(counter, 0) for _, _, row in rows)
    if not least <= seen <= most:
        range_ = f"{least} to " if least < most else ""
        yield f"{counter} {range_}{most}, on the device {seen}"
    ideal = sum(row.get(f"{counter}_ideal", 0) for _, _, row in rows)
    if space != "local" and ideal != own.ideal:
        yield f"{counter}_ideal {own.ideal}, on the device {ideal}"
    if claim is not None and not own.least <= claim * own.warps <= own.most:
        yield f"{claim} a request, in all {own.least}"


# --- the table

GROUPS = {"load": "loads", "store": "stores", "matrix": "matrices", "copy": "copies"}
"""Others are atomics."""


def table(found: Iterable[Comparison]) -> Iterator[str]:
    """How many lines there are of each kind of access, and what came of them, in Markdown."""
    counts = defaultdict[str, Counter[str]](Counter)
    for each in found:
        kind = each.kind
        name = ADDED if kind is None else f"{kind.space} {GROUPS.get(kind.name, 'atomics')}"
        counts[name][each.outcome] += 1
    outcomes = (EQUAL, DIFFERENT, *REASONS)
    yield f"| accesses | lines | {' | '.join(outcomes)} |"
    yield f"| --- |{' ---: |' * (1 + len(outcomes))}"
    for name, own in [*sorted(counts.items()), ("all", sum(counts.values(), Counter[str]()))]:
        numbers = (own.total(), *(own[outcome] for outcome in outcomes))
        yield f"| {name} | {' | '.join(map(str, numbers))} |"
