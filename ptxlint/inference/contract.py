"""The inferred contract of a kernel: of several ways to read its parameters and loops, the one that
leaves fewest accesses open."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from analyses.proofs.path_conditions import PathConditions
from analyses.proofs.smt import Solver
from ptxlint.contracts.contract import Contract
from ptxlint.contracts.declaration import Range
from ptxlint.contracts.launch import Launch
from ptxlint.contracts.resolution import resolved
from ptxlint.facts.kernel_facts import Facts
from ptxlint.inference.contents import bounded, index_buffers
from ptxlint.inference.counters import no_overflow
from ptxlint.inference.infer import inferred
from ptxlint.inference.inferred import Inferred
from ptxlint.ir import Kernel

LOOP = "loop"
LOADED = "loaded-index"


def contract_of(
    kernel: Kernel, launch: Launch, solver: Callable[[PathConditions], Solver] | None = None
) -> Inferred:
    """The inferred contract of a kernel; ``launch`` gives the names of its parameters. What leaves
    fewest accesses open counts: that parameters through which no access goes are numbers, and that
    no counter of a loop overflows."""
    bare = resolved([Contract(params=launch.names)], kernel)
    facts = Facts(kernel, bare, "sm_80", solver)
    found = inferred(facts)
    values = numbers(facts)
    if values:
        bare = replace(bare, values=values)
        other = Facts(kernel, bare, "sm_80", solver)
        again = inferred(other)
        if len(again.unknown) <= len(found.unknown):
            found, facts = again, other
    if any(one.reason in (LOADED, LOOP) for one in found.unknown):
        found, facts = with_contents(found, facts)
    needs = no_overflow(facts) if any(one.reason == LOOP for one in found.unknown) else []
    if needs:
        said = [need.condition for need in needs]
        requires = resolved([Contract(params=launch.names, requires=said)], kernel).requires
        other = Facts(kernel, replace(facts.launch, requires=requires), "sm_80", solver)
        again = inferred(other)
        if len(again.unknown) < len(found.unknown):
            found = replace(again, needs=(*needs, *again.needs))
    return found


def with_contents(found: Inferred, facts: Facts) -> tuple[Inferred, Facts]:
    """The contract that speaks of the integers in index buffers, if that leaves fewer accesses
    open; and the facts under which it was found. Inferred again without the ranges of buffers that
    it does not need, or whose loads it does not bound."""
    contents, best = index_buffers(facts), (found, facts)
    while contents:
        other = Facts(
            facts.kernel, replace(facts.launch, contents=contents), facts.arch, facts.solver
        )
        again = inferred(other)
        kept = bounded(other, again)
        if kept == contents:
            called = facts.launch.names
            texts = {called[index]: held.text for index, held in contents.items()}
            fewer = len(again.unknown) < len(best[0].unknown)
            return (replace(again, contents=texts), other) if fewer else best
        contents = kept
    return best


def numbers(facts: Facts) -> dict[int, Range]:
    """Parameters of 64 bits through which no access goes: they are numbers. PTX only says which
    parameters are pointers if ``.ptr`` declares it."""
    followed = {access.place.region for access in facts.accesses}
    found = {}
    for parameter in facts.kernel.words:
        region = facts.pointers.get(parameter.word)
        if region is not None and region not in followed and not parameter.declared_pointer:
            found[parameter.index] = Range(-(2**63), 2**63 - 1)
    return found
