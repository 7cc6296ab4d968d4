"""Claims about accesses: where they go, and what a warp's worth of them costs.

Sectors and wavefronts are counted here once more from the 32 addresses, in a way that shares
nothing with ``analyses.traffic.costs``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from math import ceil, gcd

import numpy as np

from analyses.concrete.bitvectors import Array
from analyses.hardware import WARP
from analyses.traffic.cost_functions import CostFunction, of_first, of_stride
from analyses.traffic.costs import Cost, cost
from analyses.traffic.patterns import Offsets, Pattern
from analyses.traffic.runs import runs
from ptxlint.facts import metrics
from ptxlint.facts.kernel_facts import AccessFacts, Facts, metric
from ptxlint.facts.requests import cost_function, near_ideal
from ptxlint.ir import PtxInstr
from ptxlint.simt import Fault, Machine
from ptxlint.simt.layout import padded
from ptxlint.thresholds import TOLERATED

from .claims import Claim, Observation
from .words import bases_of, parameter

MAX_WARPS = 64  # of one execution of an access


class Places(Claim):
    """Addresses lie where their place says."""

    name = "address"

    def __init__(self, facts: Facts, seen: Observation) -> None:
        super().__init__(facts, seen)
        self._accesses = {access.instr: access for access in facts.all_accesses}

    def begin(self, machine: Machine) -> None:
        super().begin(machine)
        self._bases = bases_of(self.facts, machine)

    def entered(self, block: int, active: Array) -> None:
        reached = np.array([self.facts.values.reached(block)])
        self.hold(f"block {block}", "never reached", reached, reached, active)

    def accessed(self, instr: PtxInstr, space: str, addresses: Array, active: Array) -> None:
        if not active.any():
            return
        place = self._accesses[instr].place
        if not place.reached:
            self.broken(instr.text, "never reached", "reached", int(np.argmax(active)), instr)
            return
        origin = place.origin
        base = 0 if origin is None else self._bases[origin]
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

Addresses = tuple[int | None, ...]  # of the 32 lanes of a warp, None where a lane is off
Counted = Callable[[Addresses, int], int]
counted = lru_cache(1 << 10)  # a warp's request is counted for several claims, and in two runs


def known(lanes: Sequence[int | None]) -> list[int]:
    return [a for a in lanes if a is not None]


@counted
def sectors(lanes: Addresses, size: int) -> int:
    return len({byte >> 5 for a in known(lanes) for byte in range(a, a + size)})


@counted
def local_sectors(lanes: Addresses, size: int) -> int:
    """Word w of lane l is the word 32*w + l of a warp's local memory; a sector has eight."""
    words = {
        (byte >> 2) * WARP + lane
        for lane, a in enumerate(lanes)
        if a is not None
        for byte in range(a, a + size)
    }
    return len({word >> 3 for word in words})


@counted
def wavefronts(lanes: Addresses, size: int, together: int = 0) -> int:
    """Per phase of 128 bytes: the bank that is asked for most distinct words."""
    return sum(
        max(Counter(word & 31 for word in set(words)).values(), default=0)
        for words in phases(lanes, size, together)
    )


def loaded(lanes: Addresses, size: int) -> int:
    return wavefronts(lanes, size, twice(lanes, size))


@counted
def twice(lanes: Addresses, size: int) -> int:
    """The lanes of a phase of a load: 256 bytes where each has what its neighbour has, or its next
    but one, if both are on."""
    fours = [lanes[i : i + 4] for i in range(0, WARP, 4)]
    neighbours = all(len({*known([a, b])}) < 2 > len({*known([c, d])}) for a, b, c, d in fours)
    others = all(len({*known([a, c])}) < 2 > len({*known([b, d])}) for a, b, c, d in fours)
    return min(WARP, (256 if neighbours or others else 128) // size)


@counted
def atomic_turns(lanes: Addresses, size: int) -> int:
    """Per phase: the bank that most lanes ask."""
    return sum(
        max(Counter(word & 31 for word in words).values(), default=0)
        for words in phases(lanes, size)
    )


def phases(lanes: Addresses, size: int, together: int = 0) -> list[list[int]]:
    """The words that the lanes of each phase ask for."""
    together = together or min(WARP, 128 // size)
    return [
        [
            word
            for a in known(lanes[phase : phase + together])
            for word in range(a >> 2, (a + size + 3) >> 2)
        ]
        for phase in range(0, WARP, together)
    ]


def addresses_of(lanes: Addresses, size: int) -> int:
    return len(set(known(lanes)))


def swapped(lanes: Addresses, size: int) -> int:
    return 2 * atomic_turns(lanes, size)


def load_and_swap(lanes: Addresses, size: int) -> int:
    """A pass less for each phase that wants a word of one before it."""
    first: dict[int | None, int] = {}
    late = set()
    for lane, a in enumerate(lanes):
        phase = lane * size // 128
        if a is not None and first.setdefault(a, phase) < phase:
            late.add(phase)
    return load_and_swaps(lanes, size) - len(late)


def load_and_swaps(lanes: Addresses, size: int) -> int:
    return loaded(lanes, size) + 2 * sum(map(bool, phases(lanes, size)))


COUNTS = {
    "global": (sectors, sectors),
    "local": (local_sectors, local_sectors),
    "shared": (wavefronts, wavefronts),
    "shared load": (loaded, loaded),
    "shared sum": (wavefronts, atomic_turns),
    "shared atomic": (atomic_turns, atomic_turns),
    "shared copy": (atomic_turns, atomic_turns),
    "shared swap": (swapped, swapped),
    "shared retried": (load_and_swap, load_and_swaps),
    "const": (addresses_of, addresses_of),
}
"""The least and the most that a request takes on the newest devices."""


def ideal(lanes: Addresses, size: int, space: str, kind: str) -> int:
    match space:
        case "global":
            return max(1, min(sectors(lanes, size), ceil(len(known(lanes)) * size / 32)))
        case "local":
            words = len(known(lanes)) * -(-size // 4)
            return max(1, ceil(words * 4 / 32))
        case "const":
            return 1
    plain = max(1, sum(map(bool, phases(lanes, size))))
    paired = max(1, min(plain, loaded(lanes, size)))
    match kind:
        case "load":
            return paired
        case "swap":
            return 2 * plain
        case "retried":
            return paired + 2 * plain
    return plain


class Costs(Claim):
    """The lanes of each warp have the addresses of one of the pattern's, and cost what is said."""

    name = "cost"

    def __init__(self, facts: Facts, seen: Observation) -> None:
        super().__init__(facts, seen)
        self._accesses = {access.instr: access for access in facts.accesses}

    def accessed(self, instr: PtxInstr, space: str, addresses: Array, active: Array) -> None:
        access = self._accesses.get(instr)
        if access is not None and access.pattern == "symbolic-stride":
            self._strided(access, addresses, active)
            return
        if access is None or not isinstance(access.pattern, Pattern) or access.cost is None:
            self.seen.skipped["no pattern"] += 1
            return
        pattern, waste = access.pattern, {}
        for warp, lanes in self._warps(access, addresses, active):
            waste[warp] = self._warp(access, pattern, lanes, warp * WARP)
        if not (self._doubts(pattern.assumptions) or pattern.iterations or pattern.ctas):
            self._costliest(access, access.cost, {w: n for w, n in waste.items() if n is not None})

    def _warps(
        self, access: AccessFacts, addresses: Array, active: Array
    ) -> Iterator[tuple[int, Addresses]]:
        """The first warps that make the access, and the addresses of their lanes."""
        on = active.reshape(-1, WARP)
        unused = 64 - access.place.access.base.width
        rows = (addresses << unused).view(np.int64).reshape(-1, WARP) >> unused
        for warp in np.flatnonzero(on.any(axis=1))[:MAX_WARPS].tolist():
            there = zip(rows[warp].tolist(), on[warp].tolist(), strict=True)
            yield warp, tuple(a if active else None for a, active in there)

    def _counts(self, access: AccessFacts) -> tuple[Counted, Counted]:
        """The least and the most that a request may take."""
        return COUNTS.get(f"{access.space} {metrics.kind(access.instr)}") or COUNTS[access.space]

    def _ideal(self, access: AccessFacts, lanes: Addresses) -> int:
        return ideal(lanes, access.place.access.needed, access.space, metrics.kind(access.instr))

    def _doubts(self, assumptions: Sequence[str]) -> set[str]:
        """Those that this launch does not settle."""
        rows = self.machine.launch.block[0] % WARP == 0
        return set(assumptions) - ({"rows-of-32"} if rows else set())

    def _warp(
        self, access: AccessFacts, pattern: Pattern, lanes: Addresses, lane: int
    ) -> int | None:
        """Judges one warp; gives what it costs beyond the ideal, where the pattern knows. A warp
        that has none of the offsets breaks a pattern, or does not meet the conditions of one."""
        size, instr = access.place.access.bytes, access.instr
        least, most = self._counts(access)
        self.seen.count(self.name, 1)
        whole = 1 << access.place.access.base.width
        matched = [warp for warp in pattern.warps if fits(warp, lanes, pattern, whole)]
        if not matched:
            if self._doubts(pattern.assumptions) <= {"guarded"}:
                self.broken(instr.text, f"one of {pattern}", lanes, lane, instr)
            else:
                self.seen.skipped["conditions of a pattern are not met"] += 1
            return None
        if all(there.count(None) < lanes.count(None) for there in matched):
            self._guarded(access, pattern, matched, lanes, lane)
            return None
        by = metric(self.facts, access)
        assert by is not None
        warp = next(w for w in matched if w.count(None) == lanes.count(None))
        own = cost(pattern._replace(warps=(warp,), iterations=()), by, size)
        if not own.best <= least(lanes, size) <= most(lanes, size) <= own.worst:
            said = f"{own.best} to {own.worst} {own.unit} in this warp"
            self.broken(instr.text, said, most(lanes, size), lane, instr)
        least_possible = self._ideal(access, lanes)
        settled = pattern.base[1] % by.period == 0
        if own.ideal > least_possible or (settled and own.ideal < least_possible):
            self.broken(instr.text, f"ideally {own.ideal}", least_possible, lane, instr)
        self.seen.count("exact cost" if own.exact else "ranged cost", 1)
        if not own.exact:
            self._by_first(access, of_first(pattern._replace(warps=(warp,)), by, size), lanes, lane)
        return most(lanes, size) - own.ideal

    def _guarded(
        self,
        access: AccessFacts,
        pattern: Pattern,
        matched: list[Offsets],
        lanes: Addresses,
        lane: int,
    ) -> None:
        """Lanes that a guard leaves are a run, and cost no more than is tolerated, if that is
        said."""
        instr, on = access.instr, [address is not None for address in lanes]
        by, needs = metric(self.facts, access), near_ideal(self.facts, access)
        if pattern.run is not None and not self._doubts(pattern.conditions):
            self.seen.count("run", 1)
            left = (row for warp in matched for row in runs(warp, pattern.run))
            if all([offset is not None for offset in row] != on for row in left):
                self.broken(instr.text, f"a run by {set(pattern.run)}", lanes, lane, instr)
        if by is None or needs is None or self._doubts(needs):
            self.seen.skipped["guarded lanes are off"] += 1
            return
        self.seen.count("nearly ideal", 1)
        most = self._counts(access)[1](lanes, access.place.access.bytes)
        enough = self._ideal(access, lanes) + TOLERATED[by.unit]
        if most > enough:
            self.broken(instr.text, f"at most {enough} {by.unit}", most, lane, instr)

    def _by_first(
        self, access: AccessFacts, own: CostFunction | None, lanes: Addresses, lane: int
    ) -> None:
        """The first address decides: what the law of this warp's offsets says is what it costs, and
        the law of all warps says no less."""
        whole = cost_function(self.facts, access)
        if own is None or whole is None:
            return
        self.seen.count("law", 1)
        size, first = access.place.access.bytes, known(lanes)[0]
        truth = self._counts(access)[0](lanes, size)
        if not own(first).best == truth == own(first).worst:
            self.broken(access.instr.text, f"{own} at {first}", truth, lane, access.instr)
        waste, said = truth - self._ideal(access, lanes), whole(first)
        if waste > said.worst - said.ideal:
            self.broken(access.instr.text, f"{whole} at {first}", truth, lane, access.instr)

    def _strided(self, access: AccessFacts, addresses: Array, active: Array) -> None:
        """The parameter decides: CTAs that are there as a whole cost what the law says."""
        size = access.place.access.bytes
        by = metric(self.facts, access)
        law = by and of_stride(self.facts.warps, access.place, by, size)
        if law is None or self._doubts(law.assumptions) - {"guarded"} or "+" not in law.subject:
            self.seen.skipped["no law of a stride"] += 1
            return
        stride = parameter(self.machine, law.subject)
        if stride < law.least:
            self.seen.skipped["a stride below the least of its law"] += 1
            return
        most = self._counts(access)[1]
        waste = {
            warp: most(lanes, size) - self._ideal(access, lanes)
            for warp, lanes in self._warps(access, addresses, active)
            if None not in lanes
        }
        self.seen.count("law", 1)
        self._costliest(access, law(stride), waste)

    def _costliest(self, access: AccessFacts, price: Cost, waste: dict[int, int]) -> None:
        """Of the CTAs all of whose warps were judged."""
        warps = padded(self.machine.launch.block) // WARP
        for cta in range(0, MAX_WARPS, warps):
            own = [waste[w] for w in range(cta, cta + warps) if w in waste]
            if len(own) == warps:
                self.seen.count(self.name, 1)
                if not price.best <= price.ideal + max(own) <= price.worst:
                    said = f"{price.best} to {price.worst} of ideally {price.ideal} {price.unit}"
                    extra = f"{max(own)} beyond the ideal"
                    self.broken(access.instr.text, said, extra, cta * WARP, access.instr)


def fits(warp: Offsets, lanes: Addresses, pattern: Pattern, whole: int) -> bool:
    """Whether the lanes have the offsets of this warp from one base; a guard may switch off more
    of them than the pattern knows. Addresses wrap at ``whole``."""
    residue, modulus = pattern.base
    there = [(a, o) for a, o in zip(lanes, warp, strict=True) if a is not None]
    if any(o is None for _, o in there):
        return False
    if not pattern.guarded and len(there) < WARP - warp.count(None):
        return False
    bases = {(a - o) % whole for a, o in there if o is not None}
    return len(bases) == 1 and (bases.pop() - residue) % gcd(modulus, 128) == 0
