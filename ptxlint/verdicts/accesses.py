"""Bounds, alignment, state spaces and costs of the accesses of a kernel."""

from __future__ import annotations

from analyses.lanes.coordinates import ROWS
from analyses.lanes.lane_value import NO_WRAP
from ptxlint.facts.imprecision import imprecision
from ptxlint.facts.kernel_facts import AccessFacts, Facts, metric
from ptxlint.facts.requests import certain, exact, near_ideal
from ptxlint.facts.wording import doubt, stated
from ptxlint.results.reasons import REASONS
from ptxlint.results.verdict import Property, Status
from ptxlint.verdicts.conditions import ConditionalAccesses
from ptxlint.verdicts.decision import PROVED, Decision, Decisions, undecided
from ptxlint.verdicts.ordering import opaque_decisions


def accesses(facts: Facts, conditions: ConditionalAccesses) -> dict[Property, Decisions]:
    """The decisions of every access. An access that no thread makes is proved."""
    unknown = opaque_decisions(facts) | dict.fromkeys(facts.textures, PROVED)
    found = {p: dict(unknown) for p in (Property.BOUNDS, Property.ALIGNMENT, Property.SPACES)}
    for access in facts.accesses:
        reached, instr = access.place.reached, access.instr
        found[Property.BOUNDS][instr] = (
            PROVED if conditions.in_bounds(access) else conditions.bounds(access)
        )
        found[Property.ALIGNMENT][instr] = (
            PROVED if conditions.aligned(access, facts) else conditions.alignment(access)
        )
        found[Property.SPACES][instr] = space(facts, access) if reached else PROVED
    return {**found, Property.COSTS: costs(facts)}


def space(facts: Facts, access: AccessFacts) -> Decision:
    if access.mismatch is not None:
        return undecided(access.mismatch)
    if access.place.origin is None and not access.place.choices:
        return undecided(REASONS[imprecision(facts, access.place.access.base)])
    if mixed := facts.mixed(access):
        return undecided(next(iter(mixed.values())))
    return PROVED


def costs(facts: Facts) -> Decisions:
    """Of each access whose requests are counted; findings say which are above the ideal."""

    def decision(access: AccessFacts) -> Decision:
        needs = near_ideal(facts, access)
        if exact(access) or certain(facts, access) or needs == frozenset():
            return PROVED
        if needs is not None and needs <= {ROWS, NO_WRAP}:
            return Decision(Status.CONDITIONAL, stated(needs))
        return undecided(doubt(access) or "it depends on where the warp's addresses begin")

    counted = (a for a in facts.accesses if a.place.reached and metric(facts, a) is not None)
    return {access.instr: decision(access) for access in counted}
