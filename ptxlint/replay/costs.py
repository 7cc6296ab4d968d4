"""Costs of requests, observed in replays.

One costly request of a warp shows a cost, if its launch is declared. What a launch leaves open is
chosen by the search, and must not make the cost: it is a finding if it occurs for every block of
whole warps that could be meant, and whichever parameter is as small as an element, or under a
condition that names the parameter. Else it is a note, which says what was assumed. A request by
fewer lanes costs less in any kernel, so it does not count against the cost.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import TypeVar

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from analyses.budget import COST_CALLS, COST_STEPS, COST_WARPS
from analyses.concrete.bitvectors import Array
from analyses.hardware import WARP
from analyses.program import Access
from analyses.traffic.costs import Lanes
from analyses.traffic.devices import of_unit
from ptxlint.claim import Claim, ExcessCost, Reached
from ptxlint.contracts.declaration import Triple, shown
from ptxlint.contracts.launch import ConcreteLaunch, Launch
from ptxlint.facts.metrics import kind
from ptxlint.ir import PtxInstr
from ptxlint.replay.candidates import CandidateLaunch, Numbers, declared, others, round_launch
from ptxlint.replay.replays import Replays
from ptxlint.simt import Machine, Observer

SECTORS = "sectors"
T = TypeVar("T", bound="Requests")


class ObservedCost(Struct, frozen=True):
    """The costliest request of an access in one launch. ``assumed`` are undeclared numbers without
    which it may cost less."""

    launch: ConcreteLaunch
    request: Request
    assumed: str = ""


class CostSearch:
    """The search for costly requests. ``found`` maps claims to their costs."""

    def __init__(self, replays: Replays, launch: Launch, claims: Sequence[Claim]) -> None:
        self.replays = replays
        self.launch = launch
        self.claims = claims
        self.found: dict[Claim, ObservedCost] = {}

    def search(self) -> None:
        """For sectors, the bounds of ranges suffice: rows of some length inside of a range always
        split them."""
        for inside in (False, True):
            for chosen in declared(self.replays.kernel, self.launch, inside):
                left = [c for c in self.claims if c not in self.found]
                self._among(chosen, [c for c in left if not (inside and unit(c) == SECTORS)])

    def _among(self, chosen: Numbers, claims: Sequence[Claim]) -> None:
        kernel = self.replays.kernel
        first = round_launch(kernel, self.launch, chosen)
        concrete = first.concrete(kernel, self.launch)
        if concrete is None or not claims:
            return
        seen = self._requests(first, concrete, Requests(claims))
        held = {c: ObservedCost(concrete, seen.worst[c]) for c in claims if c in seen.worst}
        self.found.update(held)
        sizes = {claim.instr.access.bytes for claim in held if claim.instr.access is not None}
        for other in others(kernel, self.launch, first, sorted({1, *sizes})):
            numbers = self._difference(first, other)
            asked = [
                c
                for c, cost in held.items()
                if not (numbers and c.condition is not None) and not fixed(c, cost, other)
            ]
            concrete = other.concrete(kernel, self.launch) if asked else None
            if concrete is None:
                continue
            compared = self._requests(other, concrete, Comparison(asked, held))
            for claim in asked:
                if claim in compared.full and claim not in compared.worst:
                    assumed = numbers or f"block {shown(first.shape[1])}"
                    self.found[claim] = replace(held.pop(claim), assumed=assumed)

    def _difference(self, first: CandidateLaunch, other: CandidateLaunch) -> str:
        """The parameters in which two launches differ, with their values in the first."""
        names = self.launch.names
        return ", ".join(
            f"{names[key]} = {number}"
            for key, number in first.numbers.items()
            if isinstance(key, int) and number != other.numbers[key]
        )

    def _requests(self, candidate: CandidateLaunch, concrete: ConcreteLaunch, observer: T) -> T:
        options = replace(candidate.options, max_steps=COST_STEPS, data=False)
        self.replays.run(concrete, options, observer)
        return observer


def fixed(claim: Claim, known: ObservedCost, other: CandidateLaunch) -> bool:
    """True if a request of as many lanes costs too much in the other launch too."""
    harm = claim.harm
    if not isinstance(harm, ExcessCost) or harm.bound is None or known.request.lanes < WARP:
        return False
    x, _, _ = other.shape[1]
    return not harm.rows or x % WARP == 0


def unit(claim: Claim) -> str:
    return claim.harm.unit if isinstance(claim.harm, ExcessCost) else ""


class Request(Struct, frozen=True):
    """The costliest execution of an access by one warp."""

    actual: int
    ideal: int
    ctaid: Triple
    tid: Triple
    lanes: int


class Requests(Observer):
    """An observer that counts sectors and wavefronts of each warp's addresses, and keeps the worst
    request of each claim that exceeds its tolerance. Claims are ``open`` until nothing worse can be
    observed."""

    def __init__(self, claims: Iterable[Claim]) -> None:
        self.claims: dict[PtxInstr, list[Claim]] = {}
        for claim in claims:
            self.claims.setdefault(claim.instr, []).append(claim)
        self.open = {claim for each in self.claims.values() for claim in each}
        self.worst: dict[Claim, Request] = {}
        self.reached: dict[PtxInstr, tuple[Triple, Triple]] = {}
        self.machine: Machine

    def begin(self, machine: Machine) -> None:
        self.machine = machine

    def accessed(self, instr: PtxInstr, space: str, addresses: Array, active: Array) -> None:
        claims = self.claims.get(instr)
        if claims is None or instr.access is None or not active.any():
            return
        if instr not in self.reached:
            self.reached[instr] = self.machine.layout.thread(int(np.argmax(active)))
        for claim in claims:
            if isinstance(claim.harm, Reached):
                self.open.discard(claim)
            elif isinstance(claim.harm, ExcessCost):
                self._count(claim, claim.harm, instr.access, warps(addresses, active))

    def _count(
        self, claim: Claim, harm: ExcessCost, access: Access, rows: Iterable[tuple[int, Lanes]]
    ) -> None:
        by = of_unit(harm.unit, kind(claim.instr))
        for warp, offsets in rows:
            actual, least = by.least(offsets, access.bytes), by.ideal(offsets, access.needed)
            known = self.worst.get(claim)
            if actual > least + harm.tolerated and (known is None or actual > known.actual):
                lane = WARP * warp + next(i for i, o in enumerate(offsets) if o is not None)
                thread = self.machine.layout.thread(lane)
                self.worst[claim] = Request(actual, least, *thread, lanes_of(offsets))
                if harm.bound is not None and actual >= harm.bound:
                    self.open.discard(claim)
                    return

    def satisfied(self) -> bool:
        return not self.open


class Comparison(Requests):
    """The requests of a launch that may cost less. ``full`` counts the executions of each claim's
    access by as many lanes of a warp as in its ``known`` request; a few of them are enough."""

    def __init__(self, claims: Sequence[Claim], known: Mapping[Claim, ObservedCost]) -> None:
        super().__init__(claims)
        self.known = known
        self.full: Counter[Claim] = Counter()

    def _count(
        self, claim: Claim, harm: ExcessCost, access: Access, rows: Iterable[tuple[int, Lanes]]
    ) -> None:
        there = list(rows)
        if any(lanes_of(offsets) >= self.known[claim].request.lanes for _, offsets in there):
            self.full[claim] += 1
            super()._count(claim, harm, access, there)
        if claim in self.worst or self.full[claim] >= COST_CALLS:
            self.open.discard(claim)


def lanes_of(offsets: Lanes) -> int:
    return sum(offset is not None for offset in offsets)


def warps(addresses: Array, active: Array) -> Iterable[tuple[int, list[int | None]]]:
    """The addresses of the active lanes, by warp."""
    rows, masks = addresses.reshape(-1, WARP), active.reshape(-1, WARP)
    for warp in np.flatnonzero(masks.any(axis=1))[:COST_WARPS].tolist():
        yield (
            warp,
            [
                address if on else None
                for address, on in zip(rows[warp].tolist(), masks[warp].tolist(), strict=True)
            ],
        )
