"""Imprecision: why an access is not proved, and the conditions under which it is in bounds."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain

from msgspec.structs import replace

from analyses.addresses import ResolvedAccess
from analyses.polynomials.formatting import at_least
from analyses.polynomials.inequality import Inequality
from analyses.polynomials.polynomial import Polynomial
from analyses.polynomials.symbols import LaunchQuotient
from analyses.program import AddressOf, Effect, Operand, Region, Value
from analyses.proofs.path_condition import PathCondition
from analyses.proofs.preconditions import (
    ConditionalBound,
    at_least_one,
    cost,
    slack,
    weakest,
    weakest_for_sizes,
)
from analyses.typical_launch import NO_BUFFER
from ptxlint.claim import Claim
from ptxlint.contracts.declaration import shown
from ptxlint.contracts.launch import ConcreteLaunch
from ptxlint.facts.kernel_facts import AccessFacts, Facts
from ptxlint.ir import PtxInstr
from ptxlint.results.finding import Certainty
from ptxlint.results.reasons import REASONS

Reasons = Mapping[str, PtxInstr | None]
"""Reason codes, each with an instruction that it comes from, if there is one."""

ORDER = (
    "loaded-index",
    "atomic-result",
    "call",
    "unmodelled",
    "lanes",
    "extern",
    "limit",
    "loop",
    "join",
)
"""Of several reasons, the first one counts."""


FAR = "far"
NULL = "null"


def reasoned(facts: Facts, claim: Claim) -> Claim:
    """With the reason why the access is not proved."""
    if claim.certainty is not Certainty.POSSIBLE or claim.reason is not None:
        return claim
    place = next((a.place for a in facts.accesses if a.instr is claim.instr), None)
    inside = inside_where(facts, place) if place is not None else None
    if inside:
        return replace(claim, reason=f"in bounds if {inside}")
    if claim.avoided is not None:
        found = f"a precondition, which {concrete_text(claim.avoided)} meets"
        return replace(claim, reason=found)
    if place is None:
        return claim
    if facts.footprints.may_be_null(place):
        return replace(claim, reason=REASONS[NULL])
    return replace(claim, reason=REASONS[imprecision(facts, place.access.base)])


def concrete_text(launch: ConcreteLaunch) -> str:
    """``block 256, grid 2, n = 1024``"""
    shape = [f"block {shown(launch.block)}", f"grid {shown(launch.grid)}"]
    return ", ".join([*shape, *(f"{name} = {n:g}" for name, n in launch.numbers.items())])


def inside_where(facts: Facts, place: ResolvedAccess) -> str | None:
    """The condition on the launch under which the access is in bounds, as a contract states it;
    None if unknown."""
    wanted = required_inside(facts, place) or ()
    return " and ".join(at_least(p.terms, facts.decided) for p in wanted) or None


def required_inside(facts: Facts, place: ResolvedAccess) -> tuple[Polynomial, ...] | None:
    """Polynomials over launch symbols: where none is negative, the access is in bounds of its
    region. None if unknown."""
    footprints, proofs = facts.footprints, facts.footprints.proofs
    goals = footprints.goals(place)
    if goals is None or footprints.may_be_null(place):
        return None
    here, wanted = footprints.premises(place), list[Polynomial]()
    for goal in goals:
        if proofs.proves(here, goal):
            continue
        bounds = sufficient(facts, place, here, goal, goal is goals[1])
        if not bounds:
            return None
        conditions = [
            (*(need.polynomial for need in under.preconditions), under.enough) for under in bounds
        ]
        missing = proofs.missing(here, chain.from_iterable(conditions))
        here += PathCondition(tuple(map(Inequality, missing)))
        wanted += missing
    size = place.region and footprints.size(place.region)
    extents = size.parts if size else ()
    if not all(p.symbols <= facts.decided.keys() and slack(p, extents) >= 0 for p in wanted):
        return None  # or no launch meets it whose sizes are not negative, nor its buffer empty
    if any(p.terms.get((), 0) <= -NO_BUFFER for p in wanted):
        return None  # it asks for all that an index of its type may reach
    return tuple(p.primitive() for p in wanted)


def sufficient(
    facts: Facts, place: ResolvedAccess, here: PathCondition, goal: Polynomial, at_end: bool
) -> list[ConditionalBound]:
    """Bounds under which a goal of the access, the one ``at_end`` or at its start, is not negative:
    if there are such, those that ask for nothing of parameters that are 1 at least, of the goal
    itself or of an end that a contract may have; else the weakest ones, or such an end if that is
    plainer. A size that is a number bounds parameters in any case."""
    proofs, ends = facts.footprints.proofs, list[list[ConditionalBound]]()
    size = place.region and facts.footprints.size(place.region)
    if size is not None and (size.symbols or not at_end):
        found = proofs.bounds(here, goal, weakest_for_sizes)
        if found and all(not_negative(under.enough) for under in found):
            return found
    for end in by_end(facts, place, here) if at_end else ():
        if all(not_negative(under.least) for under in end):
            return end
        ends.append(end)
    return plainest(proofs.bounds(here, goal, weakest), ends)


def by_end(
    facts: Facts, place: ResolvedAccess, here: PathCondition
) -> Iterator[list[ConditionalBound]]:
    """That the access ends within its region, by the ends that a contract may have."""
    footprints, proofs = facts.footprints, facts.footprints.proofs
    behind, size = footprints.end(place), place.region and footprints.size(place.region)
    if behind is None or size is None or not size.symbols:
        return
    for ways in (proofs.bounds, proofs.unwrapped):
        found = ways(here, -behind, cost)
        left = [under.least + size.scaled(under.scale) for under in found]
        if left:
            yield [replace(u, least=one, bound=None) for u, one in zip(found, left, strict=True)]


def not_negative(polynomial: Polynomial) -> bool:
    """True if it is not negative, whatever the parameters are, if each is 1 at least."""
    return polynomial.range(at_least_one(polynomial))[0] >= 0


def plainest(
    bounds: list[ConditionalBound], others: Iterable[list[ConditionalBound]]
) -> list[ConditionalBound]:
    """The first of the others that has no more terms, but fewer quotients of the launch, in which
    a declared number of threads may be; else the bounds, if there are such."""
    terms, quotients = lengths(bounds)
    for end in others:
        fewer = lengths(end)
        if not bounds or (fewer[0] <= terms and fewer[1] < quotients):
            return end
    return bounds


def lengths(bounds: list[ConditionalBound]) -> tuple[int, int]:
    """The numbers of terms, and of quotients of the launch."""
    parts = [symbol for under in bounds for symbol in under.least.symbols]
    terms = sum(len(under.least.terms) for under in bounds)
    return terms, sum(isinstance(symbol, LaunchQuotient) for symbol in parts)


def reason_code(facts: Facts, access: AccessFacts) -> str:
    """The reason code of an access that is not proved."""
    if access.mismatch is not None:
        return "space"
    if access.in_bounds:
        return "alignment"
    if facts.footprints.may_be_null(access.place):
        return NULL
    region = access.place.region
    if (
        region is not None
        and facts.values.size(region) is None
        and not facts.footprints.size(region)
    ):
        return "extent"
    cut = access.instr in facts.footprints.cut
    return "budget" if cut else imprecision(facts, access.place.access.base)


def imprecision(facts: Facts, base: Operand) -> str:
    """The reason code of an address that is not a function of the launch."""
    found = imprecisions(facts, base)
    reason = next((reason for reason in ORDER if reason in found), "nonlinear")
    return "pointer-end" if reason == "loop" and ends_at_pointer(facts, base) else reason


def imprecision_of(facts: Facts, place: ResolvedAccess) -> str:
    """The reason code of an access whose offset has no bound that a contract would state: one that
    is known, and lies beyond every buffer, is no bound that was not found."""
    reason, offset = imprecision(facts, place.access.base), facts.footprints.offset(place)
    far = offset is not None and abs(offset.terms.get((), 0)) >= NO_BUFFER
    return FAR if far and reason == "nonlinear" else reason


def ends_at_pointer(facts: Facts, base: Operand) -> bool:
    """True if a branch compares an address in the same region with a pointer parameter that is not
    declared to point into it."""
    origin = facts.values.number(base).origin
    return origin is not None and origin in facts.ends


def imprecisions(facts: Facts, base: Operand) -> Reasons:
    """The reason codes of an address: those that arise at it or at an operand that it is computed
    from. Cached for all of these, so the time is linear in the kernel for all its accesses."""
    known = facts.imprecisions
    if base not in known:
        sources = _sources(facts, base)
        rising = True
        while rising:  # again for the phis of loops
            rising = False
            for operand, (found, others) in sources.items():
                for other in others:
                    more = known.get(other, {})
                    if not more.keys() <= found.keys():
                        found = {**found, **more} if found else more
                rising |= len(found) > len(known.get(operand, ()))
                known[operand] = found
    return known[base]


def _sources(facts: Facts, base: Operand) -> dict[Operand, tuple[Reasons, Sequence[Operand]]]:
    """What arises at the base and at each operand that it is computed from, as far as their codes
    are unknown. Operands come after their sources, except in loops."""
    seen: dict[Operand, tuple[Reasons, Sequence[Operand]]] = {}
    found: dict[Operand, tuple[Reasons, Sequence[Operand]]] = {}
    open_ = [base]
    while open_:
        operand = open_[-1]
        if operand in seen or operand in facts.imprecisions:
            open_.pop()
            if operand in seen:
                found[operand] = seen[operand]
        else:
            codes, others = _arising(facts, operand)
            if operand in facts.symbolic.cut or operand in facts.guarded.cut:
                codes = {**codes, "limit": None}
            seen[operand] = codes, others
            open_ += seen[operand][1]
    return found


def _arising(facts: Facts, operand: Operand) -> tuple[Reasons, Sequence[Operand]]:
    """The reason codes that arise at an operand, and the operands that it is computed from."""
    joined, renamed = facts.symbolic.joined, facts.symbolic.alias
    if isinstance(operand, AddressOf) and unsized(operand.region):
        return {"extern": None}, ()
    if not isinstance(operand, Value):
        return {}, ()
    if operand in renamed:
        return {}, (renamed[operand],)
    if operand in joined:
        phi, home = joined[operand]
        code = "loop" if home.index in facts.values.loops else "join"
        return {code: None}, tuple(phi.sources.values())
    instr = facts.values.definition.get(operand)
    if instr is None:
        return {}, ()
    assert isinstance(instr, PtxInstr)
    if instr.access is not None and instr.access.space != "param":
        return {"loaded-index" if instr.access.kind == "load" else "atomic-result": instr}, ()
    if instr.effects & (Effect.CALL | Effect.UNMODELLED):
        return {"call" if instr.effects & Effect.CALL else "unmodelled": instr}, ()
    if instr.effects & Effect.CONVERGENT:
        return {"lanes": instr}, ()
    return {}, [use for use in instr.uses if use.width > 1]  # a predicate chooses among the others


def unsized(region: Region) -> bool:
    """True if the size is unknown; the launch decides that of dynamic shared memory."""
    return region.size is None and region.space != "shared"
