"""Attribution: is the kernel to blame for a fault, or the launch in which it was observed?

A contract stands for a set of launches. The numbers that it declares are the caller's promise, and
so are the value ranges of buffers: a fault that one of them brings about is a defect. The numbers
that it leaves open (blocks, grid, parameters) are chosen by the search, and the caller may choose
better. So a fault is shown if

    for some declared numbers, it occurs for every choice of the open numbers that could be meant,

and a fault that a choice avoids is a *precondition* of the kernel. Whether there is such a choice
is an existential query. It is answered by launches that are run, so every fault that is not shown
was avoided by a launch that exists. A choice could be meant if the kernel does there what it is
for: the instruction is executed. It *avoids* the fault if the instruction is executed without it,
and

- the guards of the instruction took part. A kernel guards against threads beyond its data; a launch
  without such threads avoids an off-by-one in the guard by never testing it. If some threads did
  not execute the instruction where it failed, then some must not where it does not fail.

A fault that follows another one in its run, which some launch avoids, says nothing: that launch
breaks a precondition already, and only there the instruction may be reached. It counts in launches
where no such fault precedes it.

Where a fault has an extent, bytes beyond a memory, the query is also answered by extrapolation: if
the extent grows with an open number, so that it is 0 before that number is (on the line through
two launches, in one of which the number is twice that in the other), then there is one that fits. A
kernel without a guard leaves its buffers by more in a larger grid; one with a guard that is off by
one leaves them by the same.

A declared launch leaves nothing open, and its faults are all shown, but for those that several
words at the ends of their ranges bring about together: a caller's may have to agree
(``ptxlint.facts.agreement``). Where a loop gathers an address from words of one buffer, what they
hold is a choice like an open number: words that are all the same are no more likely than words that
rise, so a fault is shown if all contents that are tried bring it about. The choices are finitely
many, so a fault is shown wrongly if only a choice that is not among them avoids it.

An access that is in bounds in no thread may wait for words that are far from 0: a threshold, a
value that is no number. No data make it right, so it is run with such words, if the launch is
declared and no other words come to it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from analyses.budget import REACH_STEPS, STRAY_STEPS
from analyses.concrete.bitvectors import Array
from ptxlint.claim import Claim, Faulting, StrayAccess
from ptxlint.contracts.declaration import Range
from ptxlint.contracts.launch import ConcreteLaunch, Launch
from ptxlint.ir import Kernel, PtxInstr
from ptxlint.replay.candidates import (
    CandidateLaunch,
    Numbers,
    changed,
    covers,
    declared,
    family,
    suggested,
    undeclared,
)
from ptxlint.replay.contents import ENDS, FAR, Contents
from ptxlint.replay.replays import Replays
from ptxlint.results.finding import Certainty
from ptxlint.simt import Fault, Machine, Observer
from ptxlint.simt.memory import WINDOWS, Piece, Space
from ptxlint.simt.outcome import Faults

MISALIGNED = "misaligned-access"
NARROW = ("shared", "local")
"""Spaces whose addresses are words of 32 bits."""


class ReplayedInstr(Struct, frozen=True, eq=False):
    """An instruction was executed in a launch: with a ``fault``, or without. ``extent`` is 0
    without one, else the bytes beyond the nearest memory, or 1. ``guarded`` is true if some
    threads did not execute it, ``whole`` if the run came to its end. ``before`` has the faults of
    the run that precede its own."""

    candidate: CandidateLaunch
    launch: ConcreteLaunch
    fault: Fault | None
    extent: int
    guarded: bool
    whole: bool
    before: frozenset[tuple[object, str]]


class Attribution:
    """The search for faults that a kernel is to blame for. ``shown`` maps a claim to an execution
    with its fault, ``avoided`` to a launch that avoids it; ``failed`` are those with a fault in
    any launch, ``executed`` those whose instruction was executed at all. If a contract leaves
    numbers open, an instruction that is not executed in the first ``REACH_STEPS`` steps is not
    waited for: the claims are ``unreached``."""

    def __init__(
        self,
        replays: Replays,
        launch: Launch,
        claims: Sequence[Claim],
        collective: Set[PtxInstr],
    ) -> None:
        self.replays = replays
        self.launch = launch
        self.claims = claims
        self.collective = collective
        self.shown: dict[Claim, ReplayedInstr] = {}
        self.avoided: dict[Claim, ConcreteLaunch] = {}
        self.failed: set[Claim] = set()
        self.executed: set[Claim] = set()
        self.unreached: set[Claim] = set()
        ranges = [v for v in launch.values.values() if isinstance(v, Range)]
        held = any(extent.value_range is not None for extent in launch.buffers.values())
        self.contents = (None, *ENDS) if held else (None,)
        nullable = any(extent.optional for extent in launch.buffers.values())
        self.ranged = held or nullable or any(not each.single for each in ranges)
        self.closed = not undeclared(replays.kernel, launch)

    def search(self) -> None:
        kernel, launch = self.replays.kernel, self.launch
        for inside in (False, True):
            for chosen in declared(kernel, launch, inside):
                for contents in self.contents:
                    among = self._with(contents, chosen)
                    fit = [c for c in self._left() if self._fit(contents, c)]
                    self._among(among, fit)
                self._in_all([c for c in self._left() if self._gathered(c)], chosen)
        for claim in self.claims:
            harm = claim.harm
            if not isinstance(harm, StrayAccess) or not harm.counterexample:
                continue
            if self._gathered(claim):
                continue
            self.unreached.discard(claim)
            if claim in self._left():
                first = suggested(kernel, launch, harm.counterexample)
                chosen = {i: first.numbers[i] for i in launch.values}
                self._among(self._from(first, chosen), self._left())
        if self.closed:
            self._far_from_zero()

    def _far_from_zero(self) -> None:
        """Accesses that are in bounds nowhere, and were not executed."""
        for contents in FAR:
            claims = [
                claim
                for claim in self._left()
                if isinstance(claim.harm, StrayAccess) and claim.harm.nowhere
                if claim not in self.executed
            ]
            for chosen in declared(self.replays.kernel, self.launch, False) if claims else ():
                self._among(self._with(contents, chosen), claims)

    def _with(self, contents: Contents | None, chosen: Numbers) -> Iterator[CandidateLaunch]:
        those = family(self.replays.kernel, self.launch, chosen)
        return (replace(one, contents=contents) for one in those)

    def _in_all(self, claims: list[Claim], chosen: Numbers) -> None:
        """Shows the claims whose fault each of the contents brings about."""
        found = dict[Claim, ReplayedInstr]()
        for contents in self.contents if claims else ():
            self._among(self._with(contents, chosen), claims)
            found = {claim: self.shown.pop(claim) for claim in claims if claim in self.shown}
            claims = list(found)
        self.shown.update(found)

    def _fit(self, contents: Contents | None, claim: Claim) -> bool:
        """False for contents at the ends of ranges if several words must agree."""
        if self._gathered(claim):
            return False
        return contents is None or not (
            isinstance(claim.harm, StrayAccess) and claim.harm.must_agree
        )

    def _gathered(self, claim: Claim) -> bool:
        """True if several contents are tried, and all must bring the fault about."""
        gathered = isinstance(claim.harm, StrayAccess) and claim.harm.gathered
        return gathered and len(self.contents) > 1

    def _from(self, first: CandidateLaunch, chosen: Numbers) -> Iterator[CandidateLaunch]:
        yield first
        if not self.closed:
            yield from family(self.replays.kernel, self.launch, chosen)

    def _left(self) -> list[Claim]:
        """The claims without an answer. An avoided fault may be unavoidable with other declared
        numbers."""
        return [c for c in self.claims if c not in self.shown and self._asked(c)]

    def _give_up(self, claims: list[Claim]) -> None:
        """Removes the claims whose instruction was not executed in many steps."""
        if not self.closed and self.replays.steps > REACH_STEPS:
            self.unreached.update(c for c in claims if c not in self.executed)
            claims[:] = [c for c in claims if c in self.executed]

    def _asked(self, claim: Claim) -> bool:
        return claim not in self.unreached and (self.ranged or claim not in self.avoided)

    def _among(self, candidates: Iterable[CandidateLaunch], claims: Sequence[Claim]) -> None:
        """Answers the query for one choice of declared numbers.

        Once each claim that is left has a fault, the order of the other launches does not matter.
        The smallest come first: no other fault is asked about than that in the smallest launch, so
        a change of that launch may answer before all are run. If no guard took part in that fault
        and one might, it waits for launches without the fault, after which it does not count."""
        seen: dict[Claim, list[ReplayedInstr]] = {claim: [] for claim in claims}
        left, waiting = list(claims), deque(candidates)
        kept: set[ReplayedInstr] = set()  # faults that no change avoids
        ordered = False
        while waiting and left and not self.replays.exhausted:
            if not ordered and all(any(one.extent for one in seen[claim]) for claim in left):
                waiting, ordered = deque(sorted(waiting, key=lambda one: one.size)), True
            candidate = waiting.popleft()
            self._run(candidate, seen, left)
            self._give_up(left)
            if ordered:
                faults = ((c, e) for c, e in self._unavoided(seen, left) if e not in kept)
                small = ((c, e) for c, e in faults if e.candidate.size <= candidate.size)
                least = {c: e for c, e in small if self._tested(c, e)}
                unchanged = dict(self._unchanged(least))
                kept.update(unchanged.values())
                left = [c for c in left if c in unchanged or c not in least]
        if left and self.replays.exhausted and not self.closed:
            return  # a choice that was not run may avoid them
        while new := {c: e for c, e in self._unavoided(seen, left) if e not in kept}:
            unchanged = dict(self._unchanged(new))
            kept.update(unchanged.values())
            left = [c for c in left if c in unchanged or c not in new]
        for claim, execution in self._unavoided(seen, left):
            self.shown[claim] = execution
            self.avoided.pop(claim, None)

    def _run(
        self,
        candidate: CandidateLaunch,
        seen: Mapping[Claim, list[ReplayedInstr]],
        left: list[Claim],
    ) -> None:
        """Runs one launch, and removes the claims that it answers from those that are ``left``."""
        full = covers(self.replays.kernel, candidate)
        for claim, execution in self._executions(candidate, left):
            seen[claim].append(execution)
            self.executed.add(claim)
            if execution.extent:
                self.failed.add(claim)
            if execution.extent and claim.certainty is Certainty.PROVED:
                self.shown[claim] = execution  # no launch avoids it
                left.remove(claim)
            elif not execution.extent:
                self.avoided.setdefault(claim, execution.launch)
                faulty = any(one.extent for one in seen[claim])
                if self._tested(claim, execution) or (full and not faulty):
                    left.remove(claim)

    def _tested(self, claim: Claim, execution: ReplayedInstr) -> bool:
        """True if guards took part, or none can."""
        assert isinstance(claim.harm, Faulting)
        unguarded = claim.instr in self.collective or set(claim.harm.kinds) == {MISALIGNED}
        return execution.guarded or unguarded

    def _unavoided(
        self, seen: Mapping[Claim, list[ReplayedInstr]], left: Iterable[Claim]
    ) -> Iterator[tuple[Claim, ReplayedInstr]]:
        """The faults that no launch avoids in which guards took part as much, and that follow none
        that a launch avoids; of several, that in the smallest launch."""
        found = {claim: faults for claim in left if (faults := unavoided(seen[claim]))}
        avoided = {
            (claim.instr, kind)
            for claim in self.avoided.keys() - found.keys()
            if isinstance(claim.harm, Faulting)
            for kind in claim.harm.kinds
        }
        for claim, faults in found.items():
            first = [one for one in faults if one.before.isdisjoint(avoided)]
            if first:
                yield claim, min(first, key=lambda one: one.candidate.size)

    def _unchanged(
        self, faults: Mapping[Claim, ReplayedInstr]
    ) -> Iterator[tuple[Claim, ReplayedInstr]]:
        """The faults that no change of one open number avoids."""
        for candidate in dict.fromkeys(execution.candidate for execution in faults.values()):
            there = {c: e for c, e in faults.items() if e.candidate is candidate}
            for by, other in changed(self.replays.kernel, self.launch, candidate):
                if self.replays.exhausted:
                    return  # a change that was not run may avoid them
                if not there:
                    break
                for claim, after in self._executions(other, list(there)):
                    before = there[claim]
                    ends = (before.extent, after.extent)[:: by or 1]
                    tested = not before.guarded or self._tested(claim, after)
                    clean = tested and not after.extent
                    if clean or (by and 0 < 2 * ends[0] <= ends[1]):
                        self.avoided.setdefault(claim, after.launch)
                        del there[claim]
                    elif not after.whole:
                        del there[claim]  # what would have followed is not known
            yield from there.items()

    # --- one launch

    def _executions(
        self, candidate: CandidateLaunch, claims: Sequence[Claim]
    ) -> Iterator[tuple[Claim, ReplayedInstr]]:
        """Runs a launch; the claims whose instruction was executed in it."""
        kernel = self.replays.kernel
        concrete = candidate.concrete(kernel, self.launch)
        if concrete is None:
            return
        harms = {c: c.harm for c in claims if isinstance(c.harm, Faulting)}
        checks = frozenset().union(*(harm.checks for harm in harms.values()))
        never = any(claim not in self.executed for claim in claims)
        awaited = () if never else [(claim.instr, harm.kinds) for claim, harm in harms.items()]
        observer = Executions(kernel, (claim.instr for claim in claims), awaited)
        stray = None if self.closed else STRAY_STEPS
        options = replace(candidate.options, checks=checks, stray_steps=stray, data=False)
        outcome = self.replays.run(concrete, options, observer)
        if outcome is None:
            return
        guarded = observer.guarded()
        faults = {(fault.instr, fault.kind): fault for fault in outcome.faults}
        order = list(faults)
        for claim, harm in harms.items():
            own = next((at for kind in harm.kinds if (at := (claim.instr, kind)) in faults), None)
            fault = faults[own] if own is not None else None
            before = frozenset(order[: order.index(own)] if own is not None else ())
            far = observer.far[claim.instr] if isinstance(harm, StrayAccess) else 0
            extent = 0 if fault is None else max(far, 1)
            if fault is not None or claim.instr in observer.executed:
                apart, whole = claim.instr in guarded, not outcome.exhausted
                yield claim, ReplayedInstr(candidate, concrete, fault, extent, apart, whole, before)


def unavoided(seen: Sequence[ReplayedInstr]) -> list[ReplayedInstr]:
    """The faults of an instruction, but if it has a run without one, only those of runs in which
    some threads did not execute it."""
    free = any(not one.extent for one in seen)
    return [one for one in seen if one.extent and (one.guarded or not free)]


class Executions(Observer):
    """An observer of the threads that execute instructions, and of the bytes by which accesses
    exceed the nearest piece of memory. An instruction that it came to is to have one of its
    ``awaited`` faults before a run that strays ends."""

    def __init__(
        self,
        kernel: Kernel,
        instrs: Iterable[PtxInstr],
        awaited: Iterable[tuple[PtxInstr, Iterable[str]]] = (),
    ) -> None:
        self.awaited = {instr: {(instr, kind) for kind in kinds} for instr, kinds in awaited}
        self.far = dict.fromkeys(instrs, 0)
        self.executed: set[PtxInstr] = set()
        self.skipped: set[PtxInstr] = set()
        self.in_block: dict[int, list[PtxInstr]] = {}
        for block in kernel.blocks:
            for instr in (*block.instrs, block.terminator.instr):
                if isinstance(instr, PtxInstr) and instr in self.far and instr.access is None:
                    self.in_block.setdefault(block.index, []).append(instr)
        self.active: dict[PtxInstr, Array] = {}
        self.live: Array | None = None

    def begin(self, machine: Machine) -> None:
        self._end()
        self.spaces = machine.memory.spaces
        self.live, self.active = machine.layout.live, {}

    def _end(self) -> None:
        """Of a batch."""
        if self.live is None:
            return
        for instr in self.far:
            mask = self.active.get(instr)
            if mask is None or bool((self.live & ~mask).any()):
                self.skipped.add(instr)

    def guarded(self) -> set[PtxInstr]:
        """The instructions that some threads did not execute."""
        self._end()
        return self.skipped

    def awaits(self, faults: Faults) -> bool:
        came_to = (found for instr, found in self.awaited.items() if instr in self.executed)
        return any(faults.keys().isdisjoint(found) for found in came_to)

    def entered(self, block: int, active: Array) -> None:
        for instr in self.in_block.get(block, ()):
            self._execute(instr, active)

    def _execute(self, instr: PtxInstr, active: Array) -> None:
        known = self.active.get(instr)
        self.active[instr] = active if known is None else known | active
        self.executed.add(instr)

    def accessed(self, instr: PtxInstr, space: str, addresses: Array, active: Array) -> None:
        if instr not in self.far or instr.access is None or not active.any():
            return
        self._execute(instr, active)
        used, size = addresses[active], instr.access.bytes
        nearest = np.full(used.size, np.iinfo(np.int64).max)
        for name, start in self.windows(space):
            signed = (used - np.uint64(start)).view(np.int64)
            if name in NARROW and space == name:  # addresses of 32 bits: -4 is not 2**32 - 4
                signed = signed.astype(np.int32).astype(np.int64)
            for piece in neighbours(self.spaces[name], signed):
                offsets = signed - piece.base
                beyond = np.maximum(-offsets, offsets + size - piece.size)
                np.minimum(nearest, np.maximum(beyond, 0), out=nearest)
        self.far[instr] = max(self.far[instr], int(nearest.max()))

    @staticmethod
    def windows(space: str) -> list[tuple[str, int]]:
        """The spaces that an address may be in, and their first addresses."""
        if space != "generic":
            return [(space, 0)]
        return [("global", 0), *((name, window.start) for name, window in WINDOWS.items())]


def neighbours(space: Space, addresses: Array) -> list[Piece]:
    """The pieces before and behind each of these signed addresses: no other one is nearer, as
    pieces do not overlap."""
    behind = np.unique(
        np.searchsorted(space.first_bytes.view(np.int64), addresses, side="right")
    ).tolist()
    numbers = sorted({number for at in behind for number in (at - 1, at)})
    return [space.pieces[number] for number in numbers if 0 <= number < len(space.pieces)]
