"""Imprecision: why an access is not proved, and the conditions under which it is in bounds."""

from __future__ import annotations

from itertools import chain

from msgspec.structs import replace

from analyses.addresses import ResolvedAccess
from analyses.polynomials.formatting import at_least
from analyses.polynomials.inequality import Inequality
from analyses.polynomials.polynomial import Polynomial
from analyses.program import AddressOf, Effect, Operand, Region, Value
from analyses.proofs.path_conditions import PathCondition
from analyses.proofs.preconditions import weakest
from ptxlint.claim import Claim
from ptxlint.contracts.declaration import shown
from ptxlint.contracts.launch import ConcreteLaunch
from ptxlint.facts.kernel_facts import AccessFacts, Facts
from ptxlint.ir import PtxInstr
from ptxlint.results.finding import Certainty
from ptxlint.results.reasons import REASONS

ORDER = (
    "loaded-index",
    "atomic-result",
    "call",
    "unmodelled",
    "lanes",
    "extern",
    "loop",
    "join",
)
"""Of several reasons, the first one counts."""


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
    if goals is None:
        return None
    here, wanted = footprints.premises(place), list[Polynomial]()
    for goal in goals:
        if proofs.proves(here, goal):
            continue
        bounds = proofs.bounds(here, goal, weakest)
        if not bounds:
            return None
        conditions = [
            (*(need.polynomial for need in under.preconditions), under.least) for under in bounds
        ]
        missing = proofs.missing(here, chain.from_iterable(conditions))
        here += PathCondition(tuple(map(Inequality, missing)))
        wanted += missing
    if not all(p.symbols <= facts.decided.keys() and p.range()[1] >= 0 for p in wanted):
        return None
    return tuple(p.primitive() for p in wanted)


def reason_code(facts: Facts, access: AccessFacts) -> str:
    """The reason code of an access that is not proved."""
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
    return imprecision(facts, access.place.access.base)


def imprecision(facts: Facts, base: Operand) -> str:
    """The reason code of an address that is not a function of the launch."""
    found = imprecisions(facts, base)
    reason = next((reason for reason in ORDER if reason in found), "nonlinear")
    return "pointer-end" if reason == "loop" and ends_at_pointer(facts, base) else reason


def ends_at_pointer(facts: Facts, base: Operand) -> bool:
    """True if a branch compares an address in the same region with a pointer parameter that is not
    declared to point into it."""
    origin = facts.values.number(base).origin
    if origin is None:
        return False
    for block in facts.kernel.blocks:
        condition = block.terminator.condition
        if condition is None or condition.width != 1:
            continue
        for a, _, b in facts.values.flow.formulas.implied(condition, True):
            for one, other in ((a, b), (b, a)):
                if facts.values.number(one).origin == origin and is_parameter(facts, other):
                    return True
    return False


def is_parameter(facts: Facts, operand: Operand) -> bool:
    """True if the operand is the address or the number that a parameter holds."""
    word = facts.symbolic.word(operand)
    polynomial = word.offset.polynomial
    if word.origin is not None:
        return polynomial is not None and polynomial.constant == 0
    symbol = polynomial.alone if polynomial is not None else None
    return symbol is not None and "+" in facts.symbolic.names.get(symbol, "")


def imprecisions(facts: Facts, base: Operand) -> dict[str, PtxInstr | None]:
    """The reason codes of an address, each with an instruction that it comes from, if there is
    one."""
    joined, renamed = facts.symbolic.joined, facts.symbolic.alias
    seen: set[Operand] = set()
    open_, reasons = [base], dict[str, PtxInstr | None]()
    while open_:
        operand = open_.pop()
        if operand in seen or not isinstance(operand, Value):
            if isinstance(operand, AddressOf) and unsized(operand.region):
                reasons["extern"] = None
            continue
        seen.add(operand)
        if operand in renamed:
            open_.append(renamed[operand])
        elif operand in joined:
            phi, home = joined[operand]
            reasons["loop" if home.index in facts.values.loops else "join"] = None
            open_ += phi.sources.values()
        else:
            instr = facts.values.definition.get(operand)
            if instr is None:
                continue
            assert isinstance(instr, PtxInstr)
            if instr.access is not None and instr.access.space != "param":
                loads = instr.access.kind == "load"
                reasons["loaded-index" if loads else "atomic-result"] = instr
            elif instr.effects & (Effect.CALL | Effect.UNMODELLED):
                reasons["call" if instr.effects & Effect.CALL else "unmodelled"] = instr
            elif instr.effects & Effect.CONVERGENT:
                reasons["lanes"] = instr
            else:
                open_ += instr.uses
    return reasons


def unsized(region: Region) -> bool:
    """True if the size is unknown; the launch decides that of dynamic shared memory."""
    return region.size is None and region.space != "shared"
