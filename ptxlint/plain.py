"""Analyses as plain data: what a finding, an access, a kernel and a contract look like outside."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping

from msgspec.structs import replace

from analyses.program import Effect
from ptxlint.claim import Claim
from ptxlint.contracts.declaration import OR_NULL
from ptxlint.contracts.launch import Extent, Launch
from ptxlint.facts.imprecision import reason_code
from ptxlint.facts.kernel_facts import AccessFacts, Facts
from ptxlint.facts.missing import MissingFact
from ptxlint.facts.requests import certain, request_cost
from ptxlint.facts.wording import described, launch_text, opaque_text, value_text
from ptxlint.inference.inferred_contract import Bytes, Inferred, Unknown, greatest
from ptxlint.ir import Kernel, PtxInstr
from ptxlint.mangling import demangled, signature
from ptxlint.places import Locations
from ptxlint.results.contract import (
    SHARED,
    InferredContract,
    NeedReason,
    TouchedBytes,
    UnknownAccess,
)
from ptxlint.results.finding import Finding, MemoryAccess, Severity
from ptxlint.results.launch import DeclaredLaunches
from ptxlint.results.reasons import REASONS
from ptxlint.results.report import AccessResult, KernelResult
from ptxlint.results.verdict import Status, Unproved
from ptxlint.verdicts.judgement import Judgement

HEAD = re.compile(r"[^({;]*[^({;\s]")


def finding_of(claim: Claim, kernel: Kernel, launch: Launch, places: Locations) -> Finding:
    ptx, location = places.ptx(claim.instr), places.primary(claim.instr)
    access = claim.access
    fix = places.fix(claim, kernel, location, location != ptx)
    return Finding(
        rule=claim.rule,
        severity=claim.severity,
        certainty=claim.certainty,
        message=claim.message,
        condition=claim.condition,
        kernel=kernel.name,
        demangled=signature(kernel.name),
        location=location,
        ptx=ptx,
        access=None if access is None else sized(access, sizes(kernel, launch)),
        cost=claim.cost,
        share=claim.share,
        witness=claim.witness,
        related=tuple(places.related(claim)),
        help=claim.help if fix is not None or claim.fix is None else claim.advice,
        fix=fix,
        reason=claim.reason,
    )


def sizes(kernel: Kernel, launch: Launch) -> dict[str, int]:
    """The bytes of the regions whose size is one number, by name."""
    arrays = [r for r in kernel.regions if r.size is not None and r.space != "param"]
    found = {demangled(array.name): array.size or 0 for array in arrays}
    for index, buffer in launch.buffers.items():
        if buffer.bytes.single:
            found[launch.names[index]] = buffer.bytes.high
    return found


def sized(access: MemoryAccess, known: Mapping[str, int]) -> MemoryAccess:
    return replace(access, size=known.get(access.region)) if access.region else access


def kernel_result(
    kernel: Kernel,
    launch: Launch,
    facts: Facts | None,
    claims: Iterable[Claim],
    judgement: Judgement | None,
    complete: bool,
    places: Locations,
) -> KernelResult:
    """``facts`` are None if they were not, or could not be, computed; and so is the judgement."""
    flagged = {claim.instr for claim in claims if claim.severity is Severity.ERROR}
    head = HEAD.match(places.source.text, kernel.offset)
    unmodelled = Counter(
        instr.text
        for instr in kernel.instructions
        if instr.effects and instr.effects & Effect.UNMODELLED
    )
    known = sizes(kernel, launch)
    result = KernelResult(
        name=kernel.name,
        demangled=signature(kernel.name),
        location=places.span(kernel.offset, head.end() if head else kernel.offset),
        launch=launch_text(launch),
        declared=declared_launches(launch),
        complete=complete,
        unmodelled=dict(unmodelled),
    )
    if facts is not None:
        statuses = {a.instr: status_of(a, flagged, judgement) for a in facts.accesses}
        result = replace(
            result,
            accesses=tuple(
                access_result(facts, access, statuses[access.instr], known, places)
                for access in facts.accesses
            ),
        )
    if judgement is not None:
        result = replace(
            result,
            verdicts=tuple(judgement.verdicts()),
            unproved=tuple(unproved(judgement, places)),
            condition=judgement.condition,
        )
    return result


def declared_launches(launch: Launch) -> DeclaredLaunches:
    names = launch.names
    return DeclaredLaunches(
        block=launch.block,
        grid=launch.grid,
        shared=None if launch.shared is None else written(launch.shared),
        arguments={names[i]: value_text(value) for i, value in sorted(launch.values.items())},
        buffers={names[i]: written(each) for i, each in sorted(launch.buffers.items())},
        pointers={
            names[i]: f"{names[into.base]}+{written(into.offset)}"
            for i, into in sorted(launch.interior.items())
        },
        conditions=tuple(each.text for each in launch.requires),
        assumed=tuple(each.text for each in launch.assumed),
        origin=launch.origin,
    )


def written(extent: Extent) -> str:
    return (extent.text or value_text(extent.bytes)) + OR_NULL * extent.optional


def status_of(
    access: AccessFacts, flagged: Collection[PtxInstr], judgement: Judgement | None
) -> Status:
    if access.instr in flagged:
        return Status.FLAGGED
    if judgement is not None:
        return judgement.access(access.instr)
    return Status.PROVED if access.status == "proved" else Status.UNDECIDED


def unproved(judgement: Judgement, places: Locations) -> Iterator[Unproved]:
    for about, instr, decision in judgement.unproved():
        yield Unproved(
            property=about,
            status=decision.status,
            location=places.primary(instr),
            ptx=places.ptx(instr),
            reason=decision.reason,
            option=decision.option,
        )


def access_result(
    facts: Facts, access: AccessFacts, status: Status, known: Mapping[str, int], places: Locations
) -> AccessResult:
    cost = request_cost(facts, access)
    open_ = status in (Status.CONDITIONAL, Status.UNDECIDED)
    return AccessResult(
        location=places.primary(access.instr),
        ptx=places.ptx(access.instr),
        access=sized(described(access), known),
        status=status,
        reason=reason_code(facts, access) if open_ else None,
        cost=cost if cost is not None and cost.actual else None,
        exact=certain(facts, access),
    )


# --- contracts


def contract_result(contract: Inferred, places: Locations) -> InferredContract:
    extents, aligned = contract.extents(), contract.extents()
    shared = extents.pop(SHARED, None)
    return InferredContract(
        kernel=contract.kernel.name,
        demangled=signature(contract.kernel.name),
        path=places.source.path,
        params=tuple(f"{name}: {kind}" for name, kind in contract.params),
        block=contract.block,
        needs=tuple(need.condition for need in contract.needs),
        reasons=tuple(reasons(contract, places)),
        reads=ends(contract, ("reads", "updates")),
        writes=ends(contract, ("writes", "updates")),
        buffers={
            name: f"{high}@{align}" + OR_NULL * (name in contract.optional)
            for name, (high, align) in extents.items()
        },
        values=dict(contract.contents),
        shared=shared[0] if shared else None,
        distinct=tuple(each.text for each in contract.distinct),
        assumed=tuple(each.condition for each in contract.assumed),
        unknown=tuple(unknown(contract, places)),
        touched=tuple(
            TouchedBytes(part.kind, part.name, part.low, part.high, part.when)
            for part in contract.bytes
        ),
        written=contract.writes,
        aligned={name: align for name, (_, align) in aligned.items()},
        optional=tuple(name for name in extents if name in contract.optional),
    )


def reasons(contract: Inferred, places: Locations) -> Iterator[NeedReason]:
    for need in contract.needs:
        at = line(need.instr, places)
        yield NeedReason(need=need.condition, reason=need.reason, location=at)
    for each in contract.distinct:
        at = line(each.instr, places)
        yield NeedReason(distinct=each.text, reason=each.reason, location=at)
    for one in contract.assumed:
        at = line(one.instr, places)
        yield NeedReason(assumed=one.condition, reason=one.reason, location=at)


def unknown(contract: Inferred, places: Locations) -> Iterator[UnknownAccess]:
    for one in contract.unknown:
        yield UnknownAccess(
            access=one.name,
            reason=one.reason,
            message=message_of(one),
            location=line(one.instr, places),
            decides=decides(one.missing, places),
        )


def decides(lacks: MissingFact, places: Locations) -> str:
    """The fact that would decide an access, with its line."""
    return lacks.text if lacks.instr is None else f"{lacks.text} ({line(lacks.instr, places)})"


def message_of(one: Unknown) -> str:
    if one.instr.opaque:
        return f"{one.instr.text} {opaque_text(one.instr)}"
    return REASONS[one.reason]


def line(instr: PtxInstr, places: Locations) -> str:
    return places.primary(instr).short


def ends(contract: Inferred, kinds: tuple[str, ...]) -> dict[str, str]:
    """The end of what is touched of each buffer, in bytes."""
    found: dict[str, list[Bytes]] = {}
    for part in contract.bytes:
        if part.kind in kinds and part.name != SHARED:
            found.setdefault(part.name, []).append(part)
    return {name: greatest(parts) for name, parts in found.items()}
