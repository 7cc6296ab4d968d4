"""Why an access is not proved: what a launch would have to keep to, or where its address stopped
being a function of the launch."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import chain

from analyses.addresses import ResolvedAccess
from analyses.polynomials.formatting import at_least
from analyses.polynomials.inequality import Inequality
from analyses.polynomials.polynomial import Polynomial
from analyses.program import AddressOf, Effect, Operand, Phi, Region, Value
from analyses.proofs.path_conditions import PathCondition
from analyses.proofs.preconditions import weakest
from ptxlint.claim import Claim
from ptxlint.facts import AccessFacts, Facts
from ptxlint.finding import Certainty

REASONS: Mapping[str, str] = {
    "loaded-index": "the address depends on what was loaded from memory",
    "atomic-result": "the address depends on what an atomic operation returned",
    "call": "the address comes from a function whose body is not here",
    "unmodelled": "the address comes from an instruction that is not modelled",
    "lanes": "the address depends on what lanes exchange",
    "extern": "the array is declared elsewhere, without an extent",
    "loop": "no bound was found for an address that changes in a loop",
    "join": "no bound was found for an address that differs from path to path",
    "extent": "the size of the buffer is not declared",
    "space": "the address may belong to another state space",
    "alignment": "nothing says that the address is a multiple of what the access needs",
    "budget": "no bound was found in the steps that a search may take in a kernel of this size",
    "before": "as far as is known, it may begin before the array in every launch",
    "nonlinear": "no bound was found for the address",
}
"""Why nothing is known of an access, by reason code."""


def reasoned(facts: Facts, claim: Claim) -> Claim:
    """With the reason why an access may leave its region after all."""
    if claim.certainty is not Certainty.POSSIBLE or claim.reason is not None:
        return claim
    place = next((a.place for a in facts.accesses if a.instr is claim.instr), None)
    if place is None:
        return claim
    inside = inside_where(facts, place)
    found = f"it is in bounds where {inside}" if inside else REASONS[lost(facts, place.access.base)]
    return replace(claim, reason=found)


def inside_where(facts: Facts, place: ResolvedAccess) -> str | None:
    """What keeps the access inside of its region, in the words of a contract; None where nothing
    that a launch decides is known to."""
    footprints, proofs = facts.footprints, facts.footprints.proofs
    offset, region = footprints.offset(place), place.region
    size = footprints.size(region) if region is not None else None
    if offset is None or size is None:
        return None
    here, wanted = footprints.premises(place), list[Polynomial]()
    for goal in (offset, size - offset - place.access.bytes):
        if proofs.proves(here, goal):
            continue
        bounds = proofs.bounds(here, goal, weakest)
        if not bounds:
            return None
        asked = [
            (*(need.polynomial for need in under.preconditions), under.least) for under in bounds
        ]
        missing = proofs.missing(here, chain.from_iterable(asked))
        here += PathCondition(tuple(map(Inequality, missing)))
        wanted += missing
    if not all(p.symbols <= facts.decided.keys() and p.range()[1] >= 0 for p in wanted):
        return None
    return " and ".join(at_least(p.primitive().terms, facts.decided) for p in wanted) or None


def undecided(facts: Facts, access: AccessFacts) -> str:
    """Why an access is not proved: a reason code."""
    if access.mismatch is not None:
        return "space"
    if access.in_bounds:
        return "alignment"
    region = access.place.region
    if (
        region is not None
        and facts.values.size(region) is None
        and not facts.footprints.size(region)
    ):
        return "extent"
    return lost(facts, access.place.access.base)


def lost(facts: Facts, base: Operand) -> str:
    """Where the address stopped being a function of the launch: a reason code."""
    sources: dict[Value, Phi] = {p.target: p for b in facts.kernel.blocks for p in b.phis}
    renamed = {a.target: a.source for b in facts.kernel.blocks for a in b.assumes}
    seen: set[Operand] = set()
    open_, reasons = [base], set()
    while open_:
        operand = open_.pop()
        if operand in seen or not isinstance(operand, Value):
            if isinstance(operand, AddressOf) and unsized(operand.region):
                reasons.add("extern")
            continue
        seen.add(operand)
        if operand in renamed:
            open_.append(renamed[operand])
        elif operand in sources:
            reasons.add("loop" if looping(facts, operand) else "join")
            open_ += sources[operand].sources.values()
        else:
            instr = facts.values.definition.get(operand)
            if instr is None:
                continue
            if instr.access is not None and instr.access.space != "param":
                reasons.add("loaded-index" if instr.access.kind == "load" else "atomic-result")
            elif instr.effects & (Effect.CALL | Effect.UNMODELLED):
                reasons.add("call" if instr.effects & Effect.CALL else "unmodelled")
            elif instr.effects & Effect.CONVERGENT:
                reasons.add("lanes")
            else:
                open_ += instr.uses
    order = (
        "loaded-index",
        "atomic-result",
        "call",
        "unmodelled",
        "lanes",
        "extern",
        "loop",
        "join",
    )
    return next((reason for reason in order if reason in reasons), "nonlinear")


def unsized(region: Region) -> bool:
    """Whether nobody knows its size; the launch decides that of dynamic shared memory."""
    return region.size is None and region.space != "shared"


def looping(facts: Facts, value: Value) -> bool:
    return any(
        phi.target == value for head in facts.values.loops for phi in facts.kernel.blocks[head].phis
    )
