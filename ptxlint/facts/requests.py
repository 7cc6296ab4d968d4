"""The cost of an access's requests, for rules and reports."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from analyses.lanes.coordinates import ROWS
from analyses.lanes.lane_value import NO_WRAP
from analyses.lanes.runs import GUARDED
from analyses.traffic.cost_functions import CostFunction, of_first, of_stride
from analyses.traffic.costs import Metric, cost, of_warps
from analyses.traffic.patterns import Pattern
from analyses.traffic.runs import close_to_ideal
from analyses.traffic.share import TrafficShare
from ptxlint.claim import ExcessCost
from ptxlint.facts.kernel_facts import AccessFacts, Facts, metric
from ptxlint.facts.wording import parameter
from ptxlint.results.finding import RequestCost
from ptxlint.thresholds import TOLERATED


def certain(facts: Facts, access: AccessFacts) -> bool:
    """True if every warp makes this access, all lanes together, at an exactly known cost."""
    place = access.place
    return facts.unconditional(place.block, place.access.mask) and assumes_only(access)


def exact(access: AccessFacts) -> bool:
    """True if the lanes that make a request are known, wherever a warp makes one, and its cost."""
    return assumes_only(access) and access.cost is not None and access.cost.exact


def near_ideal(facts: Facts, access: AccessFacts) -> frozenset[str] | None:
    """What must hold so that each request costs its ideal or a tolerated excess, whichever lanes
    make it and whichever warps come to it; None if that is not known."""
    by, found = metric(facts, access), access.pattern
    if by is None or not isinstance(found, Pattern):
        return None
    close = close_to_ideal(found, by, access.place.access.bytes, TOLERATED[by.unit])
    return found.conditions if close else None


def assumes_only(access: AccessFacts, *assumptions: str) -> bool:
    """True if the pattern is known, and rests on none but these assumptions."""
    found = access.pattern
    return isinstance(found, Pattern) and {*found.assumptions} <= {*assumptions}


def request_cost(
    facts: Facts, access: AccessFacts, other: Metric | None = None
) -> RequestCost | None:
    """The cost of a request by the metric of its space, or by another one. It is 0 where pattern
    or lanes are undecided and the launch is declared: then only a replay can tell."""
    by = other or metric(facts, access)
    if by is None:
        return None
    known, found = access.cost, access.pattern
    if other is not None and isinstance(found, Pattern):
        known = cost(found, other, access.place.access.bytes)
    split = isinstance(found, Pattern) and found.split
    if known is not None and (not split or known.best > known.ideal + 1):
        best = known.best if known.best < known.worst else None
        return RequestCost(unit=known.unit, actual=known.worst, best=best, ideal=known.ideal)
    wanted = access.pattern == "symbolic-stride" or facts.launch.decided(facts.kernel)
    return RequestCost(unit=by.unit, actual=0, ideal=0) if wanted else None


def excess_cost(facts: Facts, access: AccessFacts, unit: str, tolerated: int) -> ExcessCost:
    """The harm of a request of this unit. A row of lanes of which some wrap around costs no less:
    these are a multiple of 128 bytes away."""
    found, known, size = access.pattern, access.cost, access.place.access.bytes
    by = metric(facts, access)
    plain = assumes_only(access, GUARDED, ROWS, NO_WRAP)
    if not plain or by is None or known is None or known.unit != unit:
        return ExcessCost(unit, tolerated)
    assert isinstance(found, Pattern)
    full = all(None not in warp for warp in found.warps)
    each = [of_warps([warp], found.base, by, size) for warp in found.warps]
    if not full or any(cost.best <= cost.ideal + tolerated for cost in each):
        return ExcessCost(unit, tolerated)
    return ExcessCost(unit, tolerated, max(cost.worst for cost in each), ROWS in found.assumptions)


def cost_function(facts: Facts, access: AccessFacts) -> CostFunction | None:
    """The cost as a function of what the launch decides: a stride, or the first address of a
    warp."""
    place, found = access.place, access.pattern
    by = metric(facts, access)
    if by is None:
        return None
    if isinstance(found, Pattern):
        return of_first(found, by, place.access.bytes)
    if found != "symbolic-stride":
        return None
    function = of_stride(facts.warps, place, by, place.access.bytes)
    return function and replace(function, subject=parameter(facts, function.subject))


def traffic_share(facts: Facts, access: AccessFacts) -> TrafficShare | None:
    """The share of the access in the kernel's traffic in its space, if its cost is known."""
    there = facts.traffic.get(access.space)
    return None if there is None else there.share((access.place.block, access.cost))


def traffic_shares(facts: Facts) -> Iterator[tuple[AccessFacts, TrafficShare | None]]:
    """All accesses that some thread reaches, with their shares; by space."""
    for space in facts.traffic:
        for access in facts.reached:
            if access.space == space:
                yield access, traffic_share(facts, access)
