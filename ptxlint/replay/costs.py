"""Costs of requests, observed in replays.

One costly request of a warp shows a cost, if its launch is declared. What a launch leaves open is
chosen by the search, and must not make the cost: it is a finding if it occurs for every block of
whole warps that could be meant, and for other numbers too, or under a condition that names the
parameter. Else it is a note, which says what was assumed.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from analyses.budget import COST_STEPS, COST_WARPS
from analyses.concrete.bitvectors import Array
from analyses.hardware import WARP
from analyses.program import Access
from analyses.traffic.costs import Lanes
from analyses.traffic.devices import BY_UNIT
from ptxlint.claim import Claim, ExcessCost
from ptxlint.contracts.declaration import Triple
from ptxlint.contracts.launch import ConcreteLaunch, Launch
from ptxlint.ir import PtxInstr
from ptxlint.replay.candidates import CandidateLaunch, Numbers, declared, warp_family
from ptxlint.replay.replays import Replays
from ptxlint.simt import Machine, Observer

SECTORS = "sectors"


@dataclass(frozen=True, slots=True)
class ObservedCost:
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
        first: CandidateLaunch | None = None
        held: dict[Claim, ObservedCost] = {}
        for candidate in warp_family(self.replays.kernel, self.launch, chosen):
            concrete = candidate.concrete(self.replays.kernel, self.launch)
            if concrete is None:
                continue
            if first is None:
                first = candidate
                seen = self._requests(candidate, concrete, claims)
                worst = {claim: seen.worst[claim] for claim in claims if claim in seen.worst}
                held = {claim: ObservedCost(concrete, one) for claim, one in worst.items()}
                self.found.update(held)
                continue
            numbers = self._difference(first, candidate)
            asked = [c for c in held if not (numbers and c.condition is not None)]
            if not asked:
                continue
            seen = self._requests(candidate, concrete, asked)
            for claim in asked:
                if claim.instr in seen.reached and claim not in seen.worst:
                    assumed = numbers or f"block {'x'.join(map(str, trimmed(first.shape[1])))}"
                    self.found[claim] = replace(held.pop(claim), assumed=assumed)

    def _difference(self, first: CandidateLaunch, other: CandidateLaunch) -> str:
        """The parameters in which two launches differ, with their values in the first."""
        names = self.launch.names
        return ", ".join(
            f"{names[key]} = {number}"
            for key, number in first.numbers.items()
            if isinstance(key, int) and number != other.numbers[key]
        )

    def _requests(
        self, candidate: CandidateLaunch, concrete: ConcreteLaunch, claims: Sequence[Claim]
    ) -> Requests:
        observer = Requests(claims)
        if claims:
            options = replace(candidate.options, max_steps=COST_STEPS)
            self.replays.run(concrete, options, observer)
        return observer


def unit(claim: Claim) -> str:
    return claim.harm.unit if isinstance(claim.harm, ExcessCost) else ""


def trimmed(block: Triple) -> tuple[int, ...]:
    x, y, z = block
    return (x, y, z) if z > 1 else (x, y) if y > 1 else (x,)


@dataclass(frozen=True, slots=True)
class Request:
    """The costliest execution of an access by one warp."""

    actual: int
    ideal: int
    ctaid: Triple
    tid: Triple


class Requests(Observer):
    """An observer that counts sectors and wavefronts of each warp's addresses, and keeps the worst
    request of each claim that exceeds its tolerance."""

    def __init__(self, claims: Iterable[Claim]) -> None:
        self.claims: dict[PtxInstr, list[Claim]] = {}
        for claim in claims:
            self.claims.setdefault(claim.instr, []).append(claim)
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
            if isinstance(claim.harm, ExcessCost):
                self._count(claim, claim.harm, instr.access, warps(addresses, active))

    def _count(
        self, claim: Claim, harm: ExcessCost, access: Access, rows: Iterable[tuple[int, Lanes]]
    ) -> None:
        by = BY_UNIT[harm.unit]
        for warp, offsets in rows:
            actual, least = by.least(offsets, access.bytes), by.ideal(offsets, access.needed)
            known = self.worst.get(claim)
            if actual > least + harm.tolerated and (known is None or actual > known.actual):
                lane = WARP * warp + next(i for i, o in enumerate(offsets) if o is not None)
                self.worst[claim] = Request(actual, least, *self.machine.layout.thread(lane))


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
