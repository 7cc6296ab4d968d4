"""Witnesses: one launch, block and thread in which a finding happens, replayed on the interpreter.

A rule that cannot prove its claim yields a candidate. Here the kernel is run, with what the
contract declares and, for the rest, a few plain choices; a candidate that happens becomes a
``witness``, any other stays ``possible`` and is not shown by default. So no finding that somebody
sees by default rests on an approximation alone.

What the choices are, ``trials`` says. Buffers hold zeros; for races, where all threads would get
the same index, the words 0, 1, 2, ...
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice

import numpy as np

from analyses.concrete.bitvectors import Array
from analyses.hardware import WARP
from analyses.traffic.devices import BY_UNIT
from ptxlint.contracts.declaration import Triple
from ptxlint.contracts.launch import ConcreteLaunch, Launch, Range
from ptxlint.finding import Certainty, Finding, Related, RequestCost, Witness
from ptxlint.ir import Kernel, PtxInstr
from ptxlint.replay.attribution import blameless
from ptxlint.replay.candidates import MAX_STEPS, CandidateLaunch, Trial, ample, launches, suggested
from ptxlint.replay.overflow import Overflows
from ptxlint.replay.overlap import first_race
from ptxlint.simt import Allocation, Argument, Fault, Machine, Observer, RunOptions, run
from ptxlint.thresholds import TOLERATED

MAX_STEPS_OF_COSTS = 8_000  # an access that is costly at all is so in its first executions
MAX_SECONDS = 3.0  # of the processor, for all replays of a kernel with the same choices
MAX_WORDS = 1 << 18  # that are told apart in a buffer
MAX_WARPS = 256  # looked at for the cost of one execution of an access
MAX_OVERLAPS = 2  # launches in which two buffers overlap
SECTORS = "sectors"
BOUNDS = frozenset({"out-of-bounds", "param-out-of-bounds"})
RACES = frozenset({"data-race"})
CHECKS = {"uninitialized-read": frozenset({"init"}), "data-race": frozenset({"race"})}
"""What the interpreter must look for to meet the harm of a rule."""

HARM_IS_GETTING_THERE = frozenset({"contract-violated", "escaping-local-pointer"})
"""Of rules that know what an instruction does, wherever a thread executes it."""

SHOWN_BY = {
    "address-space-mismatch": ("address-space-mismatch", "out-of-bounds"),
    "out-of-bounds": ("out-of-bounds", "address-space-mismatch"),
    "data-race": ("shared-race", "global-race"),
}
"""The faults that show a finding, where they are not called as its rule: an address of another
space is somewhere or nowhere in this one, and one that left its array may be in no space at all."""


def confirm(kernel: Kernel, launch: Launch, findings: list[Finding]) -> list[Finding]:
    """The findings, those that a replay shows with their witness. Raises nothing: an instruction
    that the interpreter does not know ends a replay, not the check."""
    open_ = [f for f in findings if f.witness is None and f.overlap is None]
    found = {id(f): seen for f in findings if (seen := overlapped(kernel, launch, f)) is not None}
    others = {f.rule for f in open_} - BOUNDS - RACES
    for rules in (others, BOUNDS, RACES):
        asked = [f for f in open_ if f.rule in rules]
        if not asked:
            continue
        search = Search(kernel, launch, asked)
        search.plainly(careful=rules is BOUNDS)
        if rules is BOUNDS and search.asked:
            search.amply(ample(kernel, launch))
            search.amply(suggested(kernel, launch, f.breach) for f in search.asked if f.breach)
        found |= search.found
    return [
        replace(f, message=f.message.replace("{cost}", str(f.cost)))
        for f in (found.get(id(f), f) for f in findings)
        if f.cost is None or f.cost.actual
    ]


class Search:
    """For witnesses of some findings of one kernel. ``found`` holds those that were shown, by the
    identity of what they were."""

    def __init__(self, kernel: Kernel, launch: Launch, asked: Sequence[Finding]) -> None:
        self.kernel = kernel
        self.launch = launch
        self.asked = asked
        self.found: dict[int, Finding] = {}
        self.end = time.process_time() + MAX_SECONDS

    def plainly(self, careful: bool) -> None:
        """In launches that need no excuse. Rows of some length inside of a range always split
        sectors: for these the ends have to do."""
        for inside in (False, True):
            asked = [f for f in self.asked if not (inside and f.cost and f.cost.unit == SECTORS)]
            trials = launches(self.kernel, self.launch, careful, inside) if asked else ()
            for concrete, options in trials:
                if any(f.rule in RACES for f in asked):
                    words = tuple(map(told_apart, concrete.arguments))
                    concrete = replace(concrete, arguments=words)
                asked = self._run(concrete, options, asked)
                if not asked:
                    break

    def amply(self, trials: Iterable[CandidateLaunch]) -> None:
        """In launches that count where they are not to blame."""
        for trial in trials:
            concrete = trial.concrete(self.kernel, self.launch)
            if concrete is None:
                continue
            instrs = {f.instr for f in self.asked}
            first = concrete, self.limited(trial.options)
            try:
                shown = blameless(self.kernel, self.launch, trial, first, instrs)
            except MemoryError:  # a launch too large to be replayed shows nothing
                continue
            self._run(*first, [f for f in self.asked if f.instr in shown])
            if not self.asked or time.process_time() > self.end:
                break

    def limited(self, options: RunOptions) -> RunOptions:
        steps = MAX_STEPS if any(f.cost is None for f in self.asked) else MAX_STEPS_OF_COSTS
        checks = frozenset().union(*(CHECKS.get(f.rule, frozenset()) for f in self.asked))
        left = self.end - time.process_time()
        return replace(options, max_steps=steps, max_seconds=left, checks=checks)

    def _run(
        self, concrete: ConcreteLaunch, options: RunOptions, asked: Sequence[Finding]
    ) -> list[Finding]:
        """Looks for findings in one launch; those that are left, if time is."""
        trial = concrete, self.limited(options)
        try:
            for finding, shown in replayed(self.kernel, self.launch, trial, asked):
                self.found[id(finding)] = shown
        except MemoryError:  # a launch too large to be replayed shows nothing
            pass
        self.asked = [f for f in self.asked if id(f) not in self.found]
        late = time.process_time() > self.end
        return [] if late else [f for f in asked if id(f) not in self.found]


def overlapped(kernel: Kernel, launch: Launch, finding: Finding) -> Finding | None:
    """The finding at a race that is there where two buffers overlap, if one is seen."""
    if finding.overlap is None:
        return None
    for concrete, options in islice(launches(kernel, launch, careful=False), MAX_OVERLAPS):
        filled = replace(concrete, arguments=tuple(map(told_apart, concrete.arguments)))
        limited = replace(options, max_seconds=MAX_SECONDS)
        try:
            fault = first_race(kernel, filled, limited, finding.overlap)
        except MemoryError:  # a launch too large to be replayed shows nothing
            continue
        if fault is not None:
            seen = witness(concrete, fault.ctaid, fault.tid, fault)
            return replace(shown(finding, seen), instr=fault.instr, related=rival(fault))
    return None


def replayed(
    kernel: Kernel, launch: Launch, trial: Trial, asked: Sequence[Finding]
) -> Iterator[tuple[Finding, Finding]]:
    """Runs one launch; each finding that happened in it, as it was and with its witness."""
    watched = {f.instr: f for f in asked if f.cost is not None or f.rule in HARM_IS_GETTING_THERE}
    observer = Requests(watched)
    yield from overflowing(kernel, launch, trial, [f for f in asked if f.wrap is not None])
    concrete, _ = trial
    outcome = run(kernel, *trial, observer if watched else None)
    faults = {(id(f.instr), f.kind): f for f in outcome.faults}
    for finding in asked:
        kinds = SHOWN_BY.get(finding.rule, (finding.rule,))
        known = [faults.get((id(finding.instr), kind)) for kind in kinds]
        fault = next((fault for fault in known if fault is not None), None)
        if fault is not None:
            seen = witness(concrete, fault.ctaid, fault.tid, fault)
            yield finding, replace(shown(finding, seen), related=finding.related + rival(fault))
        elif finding.rule in HARM_IS_GETTING_THERE and finding.instr in observer.reached:
            yield (
                finding,
                shown(finding, witness(concrete, *observer.reached[finding.instr], None)),
            )
        elif finding.cost is not None and finding.instr in observer.worst:
            request = observer.worst[finding.instr]
            price = RequestCost(finding.cost.unit, request.actual, request.ideal)
            seen = witness(concrete, request.ctaid, request.tid, None)
            yield finding, replace(shown(finding, seen), cost=price)


def overflowing(
    kernel: Kernel, launch: Launch, trial: Trial, asked: Sequence[Finding]
) -> Iterator[tuple[Finding, Finding]]:
    """Those whose index leaves its type, seen in a run of their own; where one parameter decides,
    with its least value that does it."""
    found = dict(left(kernel, trial, asked)) if asked else {}
    seen = [f for f in asked if id(f) in found]
    for first in sorted({f.wrap.first for f in seen if f.wrap and f.wrap.first}):
        index, value = first
        only = replace(launch, values={**launch.values, index: Range(value, value)})
        same = [f for f in seen if f.wrap and f.wrap.first == first]
        for least, options in islice(launches(kernel, only, careful=False), 1):
            limited = replace(options, max_seconds=trial[1].max_seconds)
            for key, finding in left(kernel, (least, limited), same):
                message = f"{finding.message} from {launch.names[index]} = {value} on"
                found[key] = replace(finding, message=message)
    yield from ((f, found[id(f)]) for f in seen)


def left(kernel: Kernel, trial: Trial, asked: Sequence[Finding]) -> Iterator[tuple[int, Finding]]:
    """The findings whose index leaves its type in this launch, by identity, with their witness."""
    concrete, options = trial
    observer = Overflows(asked, kernel, concrete)
    run(kernel, concrete, options, observer)
    for finding in asked:
        if id(finding) in observer.found:
            seen = witness(concrete, *observer.found[id(finding)], None)
            yield id(finding), shown(finding, seen)


def shown(finding: Finding, seen: Witness) -> Finding:
    proved = finding.certainty is Certainty.PROVED
    return replace(
        finding,
        certainty=Certainty.PROVED if proved else Certainty.WITNESS,
        witness=seen,
        reason=None,
    )


def rival(fault: Fault) -> tuple[Related, ...]:
    """The other thread of a race, at its instruction."""
    if fault.other_instr is None or fault.other is None or fault.other_ctaid is None:
        return ()
    block, thread = (",".join(map(str, of)) for of in (fault.other_ctaid, fault.other))
    return (Related(f"against block ({block}) thread ({thread}) here", fault.other_instr),)


def witness(launch: ConcreteLaunch, ctaid: Triple, tid: Triple, fault: Fault | None) -> Witness:
    address = fault.distance if fault is not None else None
    return Witness(launch.grid, launch.block, ctaid, tid, address, launch.numbers)


def told_apart(argument: Argument) -> Argument:
    """A buffer of zeros as one of the words 0, 1, 2, ...; anything else as it is."""
    if not isinstance(argument, Allocation) or argument.data is not None:
        return argument
    size = MAX_WORDS if argument.size is None else argument.size // 4
    words = np.arange(min(size, MAX_WORDS), dtype=np.uint32)
    return replace(argument, data=words.view(np.uint8))


# --- costs


@dataclass(frozen=True, slots=True)
class Request:
    """The costliest execution of an access by one warp."""

    actual: int
    ideal: int
    ctaid: Triple
    tid: Triple


class Requests(Observer):
    """An observer that counts sectors and wavefronts from the addresses of each warp, and keeps the
    worst request of each access that is worse than its rule tolerates."""

    def __init__(self, asked: Mapping[PtxInstr, Finding]) -> None:
        self.asked = asked
        self.worst: dict[PtxInstr, Request] = {}
        self.reached: dict[PtxInstr, tuple[Triple, Triple]] = {}
        self.machine: Machine

    def begin(self, machine: Machine) -> None:
        self.machine = machine

    def accessed(self, instr: PtxInstr, space: str, addresses: Array, active: Array) -> None:
        finding = self.asked.get(instr)
        if finding is None or instr.access is None:
            return
        if instr not in self.reached and active.any():
            self.reached[instr] = self.machine.layout.thread(int(np.argmax(active)))
        if finding.cost is None:
            return
        by, tolerated = BY_UNIT[finding.cost.unit], TOLERATED[finding.cost.unit]
        size = instr.access.bytes
        for warp, offsets in warps(addresses, active):
            actual, least = by.least(offsets, size), by.ideal(offsets, instr.access.needed)
            known = self.worst.get(instr)
            if actual > least + tolerated and (known is None or actual > known.actual):
                lane = WARP * warp + next(i for i, o in enumerate(offsets) if o is not None)
                self.worst[instr] = Request(actual, least, *self.machine.layout.thread(lane))


def warps(addresses: Array, active: Array) -> Iterable[tuple[int, list[int | None]]]:
    """The addresses of the active lanes of each warp that has any."""
    rows, masks = addresses.reshape(-1, WARP), active.reshape(-1, WARP)
    for warp in np.flatnonzero(masks.any(axis=1))[:MAX_WARPS].tolist():
        yield (
            warp,
            [
                address if on else None
                for address, on in zip(rows[warp].tolist(), masks[warp].tolist(), strict=True)
            ],
        )
