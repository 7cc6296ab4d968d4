"""Witnesses: one launch, block and thread in which a claim holds, replayed on the interpreter.

A rule that cannot prove a claim makes a possible one. The kernel is run with what the contract
declares and, for the rest, a few simple choices (``candidates``). A claim that is observed gets a
witness; a fault only if those choices are not to blame (``attribution``). Any other claim stays
``possible`` and is not shown by default. So no finding shown by default depends on an approximation
alone.

Buffers hold the words nearest to 0 in their range; ``races`` and ``overlap`` choose others.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import Enum, auto
from itertools import islice

from msgspec import Struct
from msgspec.structs import replace

from analyses.budget import (
    OVERLAPS,
)
from ptxlint.claim import (
    AliasingRace,
    Claim,
    DataRace,
    ExcessCost,
    Faulting,
    IntegerOverflow,
    Reached,
    RelatedInstr,
)
from ptxlint.contracts.declaration import Range, Triple
from ptxlint.contracts.launch import ConcreteLaunch, Launch
from ptxlint.facts.collective import collective
from ptxlint.facts.kernel_facts import Facts
from ptxlint.replay.attribution import Attribution
from ptxlint.replay.candidates import Candidate, launches
from ptxlint.replay.contents import FAR, Contents, filled
from ptxlint.replay.costs import CostSearch, ObservedCost, Requests
from ptxlint.replay.overflow import Overflows
from ptxlint.replay.overlap import first_race
from ptxlint.replay.races import Race, RaceSearch
from ptxlint.replay.replays import Replays
from ptxlint.results.finding import Certainty, RequestCost, Severity, Witness
from ptxlint.simt import Fault, Interpreter, RunOptions


class Confirmed(Struct, frozen=True):
    """The claims; those that a replay shows have a witness. ``cut`` are those without an answer of
    searches that took all their steps."""

    claims: tuple[Claim, ...]
    cut: tuple[Claim, ...] = ()


def confirm(facts: Facts, claims: list[Claim]) -> Confirmed:
    """Searches for witnesses. An instruction that the interpreter does not support ends a replay,
    not the check. It has no memory for addresses of 32 bits."""
    kernel, launch = facts.kernel, facts.launch
    if kernel.address_size < 8:
        return Confirmed(tuple(c for c in claims if c.cost is None or c.cost.actual))
    interpreter = Interpreter(kernel)
    replays = {part: Replays(interpreter) for part in SearchKind}
    found = {c: seen for c in claims if (seen := overlapped(interpreter, launch, c)) is not None}
    races = [c for c in claims if isinstance(c.harm, DataRace)]
    faults = [c for c in claims if isinstance(c.harm, Faulting) and c not in set(races)]
    costs = [c for c in claims if isinstance(c.harm, ExcessCost)]
    rest = [c for c in claims if isinstance(c.harm, Reached | IntegerOverflow)]
    unguarded = collective(facts) if faults else frozenset()
    attribution = Attribution(replays[SearchKind.FAULTS], launch, faults, unguarded)
    if faults:
        attribution.search()
        found |= attributed(attribution)
    if costs:
        search = CostSearch(replays[SearchKind.COSTS], launch, costs)
        search.search()
        found |= {claim: priced(claim, cost) for claim, cost in search.found.items()}
    if races:
        raced = RaceSearch(replays[SearchKind.RACES], launch, races).search()
        found |= {claim: of_race(claim, race) for claim, race in raced.items()}
    if rest:
        others = Search(replays[SearchKind.REST], launch, rest)
        others.run()
        found |= others.found
    answered = found.keys() | attribution.avoided.keys()
    parts = {
        SearchKind.FAULTS: faults,
        SearchKind.COSTS: costs,
        SearchKind.RACES: races,
        SearchKind.REST: rest,
    }
    cut = [
        c
        for part, own in parts.items()
        for c in own
        if c in attribution.unreached or (replays[part].cut and c not in answered)
    ]
    shown = (found.get(claim, claim) for claim in claims)
    return Confirmed(tuple(c for c in shown if c.cost is None or c.cost.actual), tuple(cut))


def attributed(attribution: Attribution) -> dict[Claim, Claim]:
    """The faults that are shown, and those that a launch avoids."""
    found = {
        claim: replace(claim, avoided=without)
        for claim, without in attribution.avoided.items()
        if claim in attribution.failed
    }
    for claim, execution in attribution.shown.items():
        assert execution.fault is not None
        contents = execution.candidate.contents
        told = holding(claim, contents) if contents in FAR else claim
        found[claim] = faulted(told, execution.launch, execution.fault)
    return found


class SearchKind(Enum):
    """The searches for one kernel. Each has steps of its own, so none depends on another."""

    FAULTS = auto()
    COSTS = auto()
    RACES = auto()
    REST = auto()


class Search:
    """The search for witnesses of claims about one kernel. ``found`` maps claims to shown ones."""

    def __init__(self, replays: Replays, launch: Launch, claims: Sequence[Claim]) -> None:
        self.kernel = replays.kernel
        self.launch = launch
        self.claims = claims
        self.found: dict[Claim, Claim] = {}
        self.replays = replays

    def run(self) -> None:
        """In declared and simple launches."""
        for inside in (False, True):
            claims = list(self.claims)
            candidates = launches(self.kernel, self.launch, inside) if claims else ()
            for concrete, options in candidates:
                claims = self._run(concrete, options, claims)
                if not claims:
                    break

    def limited(self, options: RunOptions) -> RunOptions:
        harms = [claim.harm for claim in self.claims]
        checks = frozenset().union(*(h.checks for h in harms if isinstance(h, Faulting)))
        return replace(options, checks=checks)

    def _run(
        self, concrete: ConcreteLaunch, options: RunOptions, claims: Sequence[Claim]
    ) -> list[Claim]:
        """Searches one launch; returns the remaining claims, if steps are left."""
        candidate = concrete, self.limited(options)
        self.found.update(replayed(self.replays, self.launch, candidate, claims))
        self.claims = [claim for claim in self.claims if claim not in self.found]
        left = [c for c in claims if c not in self.found]
        return [] if left and self.replays.exhausted else left


def overlapped(interpreter: Interpreter, launch: Launch, claim: Claim) -> Claim | None:
    """The claim, shown, if two overlapping buffers cause a race."""
    if not isinstance(claim.harm, AliasingRace):
        return None
    replays = Replays(interpreter)
    for concrete, options in islice(launches(interpreter.kernel, launch), OVERLAPS):
        permuted = filled(concrete, Contents.PERMUTED)
        fault = first_race(replays, permuted, options, claim.harm)
        if fault is not None:
            seen = witness(concrete, fault.ctaid, fault.tid, fault)
            return replace(shown(claim, seen), instr=fault.instr, related=rival(fault))
    return None


def replayed(
    replays: Replays, launch: Launch, candidate: Candidate, claims: Sequence[Claim]
) -> Iterator[tuple[Claim, Claim]]:
    """Runs one launch; each claim observed in it, and the same with its witness."""
    observer = Requests(c for c in claims if isinstance(c.harm, Reached))
    yield from overflowing(replays, launch, candidate, claims)
    concrete, _ = candidate
    outcome = replays.run(*candidate, observer if observer.claims else None)
    if outcome is None:
        return
    faults = {(fault.instr, fault.kind): fault for fault in outcome.faults}
    for claim in claims:
        match claim.harm:
            case Faulting(kinds=kinds):
                known = [faults.get((claim.instr, kind)) for kind in kinds]
                fault = next((fault for fault in known if fault is not None), None)
                if fault is not None:
                    yield claim, faulted(claim, concrete, fault)
            case Reached() if claim.instr in observer.reached:
                yield claim, shown(claim, witness(concrete, *observer.reached[claim.instr]))


def overflowing(
    replays: Replays, launch: Launch, candidate: Candidate, claims: Sequence[Claim]
) -> Iterator[tuple[Claim, Claim]]:
    """The claims whose index overflows, each shown in a separate run; if one parameter decides,
    with its least value that overflows."""
    firsts = {c: c.harm.first for c in claims if isinstance(c.harm, IntegerOverflow)}
    found = dict(left(replays, candidate, list(firsts))) if firsts else {}
    for first in sorted({first for claim in found if (first := firsts[claim]) is not None}):
        index, value = first
        only = replace(launch, values={**launch.values, index: Range(value, value)})
        same = [claim for claim in found if firsts[claim] == first]
        for least in islice(launches(replays.kernel, only), 1):
            for claim, seen in left(replays, least, same):
                message = f"{claim.message} from {launch.names[index]} = {value} on"
                found[claim] = replace(seen, message=message)
    yield from found.items()


def left(
    replays: Replays, candidate: Candidate, claims: Sequence[Claim]
) -> Iterator[tuple[Claim, Claim]]:
    """The claims whose index overflows in this launch, and the same with a witness."""
    concrete, options = candidate
    observer = Overflows(claims, replays.kernel, concrete)
    replays.run(concrete, options, observer)
    for claim, (ctaid, tid) in observer.found.items():
        yield claim, shown(claim, witness(concrete, ctaid, tid))


def shown(claim: Claim, seen: Witness) -> Claim:
    proved = claim.certainty is Certainty.PROVED
    certainty = Certainty.PROVED if proved else Certainty.WITNESS
    return replace(claim.witnessed(seen), certainty=certainty, reason=None)


def faulted(claim: Claim, launch: ConcreteLaunch, fault: Fault) -> Claim:
    seen = witness(launch, fault.ctaid, fault.tid, fault)
    return replace(shown(claim, seen), related=claim.related + rival(fault))


def priced(claim: Claim, observed: ObservedCost) -> Claim:
    worst = observed.request
    seen = shown(claim, witness(observed.launch, worst.ctaid, worst.tid))
    assert isinstance(claim.harm, ExcessCost)
    price = RequestCost(unit=claim.harm.unit, actual=worst.actual, ideal=worst.ideal)
    if not observed.assumed or claim.certainty is Certainty.PROVED:
        return replace(seen, cost=price)
    message = f"{claim.message}; assumed: {observed.assumed}"
    return replace(seen, cost=price, severity=Severity.NOTE, message=message)


def of_race(claim: Claim, race: Race) -> Claim:
    """The claim of a race, as far as replays show it."""
    claim = holding(claim, race.contents)
    if not race.avoided:
        return faulted(claim, race.launch, race.fault)
    condition = "words that two threads load are equal"
    if {Contents.PERMUTED, Contents.ASCENDING}.isdisjoint(race.avoided):
        condition = "lists that threads load share words"
    claim = replace(claim, condition=condition)
    if isinstance(claim.harm, DataRace) and claim.harm.update:
        return replace(faulted(claim, race.launch, race.fault), severity=Severity.WARNING)
    return replace(claim, related=claim.related + rival(race.fault))


def holding(claim: Claim, contents: Contents | None) -> Claim:
    """The claim, with what the buffers hold in the run that shows it, if that matters."""
    if contents is None:
        return claim
    seen = f"it happens in a run whose buffers hold {contents.value}"
    return replace(claim, help=f"{claim.help}; {seen}")


def rival(fault: Fault) -> tuple[RelatedInstr, ...]:
    """The other thread of a race, and its instruction."""
    if fault.other_instr is None or fault.other is None or fault.other_ctaid is None:
        return ()
    block, thread = (",".join(map(str, of)) for of in (fault.other_ctaid, fault.other))
    return (RelatedInstr(f"against block ({block}) thread ({thread}) here", fault.other_instr),)


def witness(
    launch: ConcreteLaunch, ctaid: Triple, tid: Triple, fault: Fault | None = None
) -> Witness:
    address = fault.distance if fault is not None else None
    return Witness(launch.grid, launch.block, ctaid, tid, address, launch.numbers)
