"""Claims about accesses: where they go, and what a warp's worth of them costs.

Sectors and wavefronts are counted here once more from the 32 addresses, in a way that shares
nothing with ``analyses.costs``.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from math import ceil, gcd

import numpy as np

from analyses.addresses import Place
from analyses.costs import Cost, cost
from analyses.domains.lanes import WARP
from analyses.domains.words import Array
from analyses.patterns import Pattern
from ptxlint.facts import AccessFacts, Facts
from ptxlint.ir import Instr
from ptxlint.simt import Fault
from ptxlint.simt.launch import padded

from .claims import Claim, Observation
from .words import Polynomials

MAX_WARPS = 64  # of one execution of an access


class Places(Claim):
    """Addresses lie where their place says."""

    name = "address"

    def __init__(self, facts: Facts, seen: Observation, polynomials: Polynomials) -> None:
        super().__init__(facts, seen)
        self._accesses = {access.instr: access for access in facts.all_accesses}
        self._polynomials = polynomials

    def entered(self, block: int, active: Array) -> None:
        reached = np.array([self.facts.values.reached(block)])
        self.hold(f"block {block}", "never reached", reached, reached, active)

    def accessed(self, instr: Instr, space: str, addresses: Array, active: Array) -> None:
        if not active.any():
            return
        place = self._accesses[instr].place
        if not place.reached:
            self.broken(instr.text, "never reached", "reached", int(np.argmax(active)), instr)
            return
        origin = place.origin
        base = self._polynomials.base(origin)
        mask = np.uint64((1 << place.access.base.width) - 1)
        offsets = (addresses - np.uint64(base % 2**64)) & mask
        name = f"{instr.text} at {origin or 'nowhere'}"
        if place.low is not None and place.high is not None:
            held = (offsets - np.uint64(place.low % 2**64)) & mask <= np.uint64(
                min(place.high - place.low, int(mask))
            )
            bounds = f"in [{place.low}, {place.high}]"
            self.hold(name, bounds, held, offsets, active, instr)
        residue, modulus = place.residue
        held = addresses % np.uint64(modulus) == np.uint64(residue)
        self.hold(name, f"{residue} modulo {modulus}", held, addresses, active, instr)
        if place.never_in_bounds and place.size is not None:
            inside = offsets <= np.uint64(max(place.size - place.access.bytes, 0))
            inside &= place.size >= place.access.bytes
            self.hold(name, "never in bounds", ~inside, offsets, active, instr)
        self._follows(place, name, addresses & mask, active, instr)

    def _follows(
        self, place: Place, name: str, addresses: Array, active: Array, instr: Instr
    ) -> None:
        polynomial = place.polynomial
        if polynomial.terms is None or polynomial.assumed:
            return
        origin = self.facts.values.polynomial(place.access.base).origin
        expected = self._polynomials.evaluate(polynomial, self._polynomials.base(origin))
        self.hold(name, f"{polynomial}", addresses == expected, addresses, active, instr)

    def judge(self, faults: tuple[Fault, ...]) -> None:
        """No fault contradicts what is proved."""
        for instr, access in self._accesses.items():
            kinds = {fault.kind: fault for fault in faults if fault.instr is instr}
            for kind, safe in safety(access).items():
                self.seen.count("safety", safe)
                if safe and kind in kinds:
                    self.broken(instr.text, f"proved free of {kind}", kinds[kind], 0, instr)


def safety(access: AccessFacts) -> dict[str, bool]:
    """Which faults are said not to happen."""
    place = access.place
    return {
        "out-of-bounds": place.in_bounds,
        "misaligned-access": place.aligned,
        "address-space-mismatch": place.in_bounds and access.mismatch is None,
    }


# --- costs


def sectors(addresses: list[int], size: int) -> int:
    return len({byte >> 5 for a in addresses for byte in range(a, a + size)})


def wavefronts(lanes: list[int | None], size: int) -> int:
    """Per phase of 128 bytes: the bank that is asked for most distinct words."""
    together = min(WARP, 128 // size)
    total = 0
    for phase in range(0, WARP, together):
        group = [a for a in lanes[phase : phase + together] if a is not None]
        words = {byte >> 2 for a in group for byte in range(a, a + size)}
        total += max(Counter(word & 31 for word in words).values(), default=0)
    return total


def ideal(lanes: list[int | None], size: int, unit: str) -> int:
    known = {a for a in lanes if a is not None}
    if unit == "sectors":
        return max(1, ceil(len(known) * size / 32))
    together = min(WARP, 128 // size)
    phases = [lanes[i : i + together] for i in range(0, WARP, together)]
    return max(1, sum(any(a is not None for a in phase) for phase in phases))


Shape = tuple[int | None, ...]


def shape(lanes: list[int | None]) -> Shape:
    """The addresses relative to the first one."""
    first = next(a for a in lanes if a is not None)
    return tuple(None if a is None else a - first for a in lanes)


class Costs(Claim):
    """The addresses of whole warps have the pattern, and cost what is said."""

    name = "cost"

    def __init__(self, facts: Facts, seen: Observation) -> None:
        super().__init__(facts, seen)
        self._accesses = {access.instr: access for access in facts.accesses}

    def accessed(self, instr: Instr, space: str, addresses: Array, active: Array) -> None:
        access = self._accesses.get(instr)
        if access is None or not isinstance(access.pattern, Pattern) or access.cost is None:
            self.seen.skipped["no pattern"] += 1
            return
        if access.pattern.assumed:
            self.seen.skipped["assumed pattern"] += 1
            return
        live = self.machine.layout.live.reshape(-1, WARP)
        whole = (active.reshape(-1, WARP) == live).all(axis=1)
        warps = np.flatnonzero(whole)[:MAX_WARPS]
        unused = 64 - access.place.access.base.width
        rows = (addresses << unused).view(np.int64).reshape(-1, WARP) >> unused
        waste = {}
        for warp in warps.tolist():
            lanes = [
                a if on else None
                for a, on in zip(rows[warp].tolist(), live[warp].tolist(), strict=True)
            ]
            waste[warp] = self._warp(access, access.pattern, lanes, warp * WARP)
        self._costliest(access, access.cost, waste)

    def _warp(
        self, access: AccessFacts, pattern: Pattern, lanes: list[int | None], lane: int
    ) -> int:
        """Judges one warp; gives what it costs beyond the ideal."""
        size, instr = access.place.access.bytes, access.instr
        assert access.cost is not None
        unit = access.cost.unit
        known = [a for a in lanes if a is not None]
        count = sectors(known, size) if unit == "sectors" else wavefronts(lanes, size)
        self.seen.count(self.name, 1)
        fitting = [w for w in pattern.warps if shape(list(w)) == shape(lanes)]
        residue, modulus = pattern.base
        modulus = gcd(modulus, 128)
        first = next(i for i, a in enumerate(lanes) if a is not None)
        matched = [w for w in fitting if (known[0] - (w[first] or 0) - residue) % modulus == 0]
        if not matched:
            wanted = f"one of {[shape(list(w)) for w in pattern.warps]} from {pattern.base}"
            self.broken(instr.text, wanted, (known[0], shape(lanes)), lane, instr)
            return count - ideal(lanes, size, unit)
        space = "shared" if unit == "wavefronts" else "global"
        own = cost(replace(pattern, warps=(matched[0],)), space, size)
        if not own.best <= count <= own.worst:
            said = f"{own.best} to {own.worst} {unit} in this warp"
            self.broken(instr.text, said, count, lane, instr)
        if own.ideal != ideal(lanes, size, unit):
            self.broken(instr.text, f"ideally {own.ideal}", ideal(lanes, size, unit), lane, instr)
        return count - own.ideal

    def _costliest(self, access: AccessFacts, price: Cost, waste: dict[int, int]) -> None:
        """Of the CTAs all of whose warps were judged."""
        warps = padded(self.machine.setup.block) // WARP
        for cta in range(0, MAX_WARPS, warps):
            own = [waste[w] for w in range(cta, cta + warps) if w in waste]
            if len(own) == warps:
                self.seen.count(self.name, 1)
                if not price.best <= price.ideal + max(own) <= price.worst:
                    said = f"{price.best} to {price.worst} of ideally {price.ideal} {price.unit}"
                    extra = f"{max(own)} beyond the ideal"
                    self.broken(access.instr.text, said, extra, cta * WARP, access.instr)


