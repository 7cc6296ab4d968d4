"""The inferred contract of a kernel: of several ways to read its parameters and loops, the one that
leaves fewest accesses open."""

from __future__ import annotations

from collections.abc import Callable, Collection
from itertools import islice

from msgspec import Struct
from msgspec.structs import replace

from analyses.budget import CONTRACT_STEPS, INFERENCE_STEPS, RESERVED_SHARE, TRIED_SHAPES
from analyses.polynomials.polynomial import Polynomial
from analyses.proofs.path_conditions import PathConditions
from analyses.proofs.smt import Solver
from ptxlint.contracts.contract import Contract
from ptxlint.contracts.declaration import Range
from ptxlint.contracts.launch import Launch
from ptxlint.contracts.resolution import resolved
from ptxlint.facts.kernel_facts import Facts
from ptxlint.inference.alternatives import alternatives
from ptxlint.inference.contents import index_buffers
from ptxlint.inference.counters import NoOverflow, no_overflow, searched
from ptxlint.inference.fast_division import fast_divisions
from ptxlint.inference.fewest import fewest
from ptxlint.inference.infer import Inference
from ptxlint.inference.inferred import Inferred, InferredRequirement, Unknown
from ptxlint.inference.reached import unreached
from ptxlint.inference.shapes import block_limits, in_arrays, limits, settled
from ptxlint.ir import Kernel, PtxInstr

LOOP, POINTER_END, LOADED, BUDGET = "loop", "pointer-end", "loaded-index", "budget"
ARCH = "sm_80"  # no row of the device table decides a contract


def contract_of(
    kernel: Kernel, launch: Launch, solver: Callable[[PathConditions], Solver] | None = None
) -> Inferred:
    """The inferred contract of a kernel; ``launch`` gives the names of its parameters. What leaves
    fewest accesses open counts: that parameters through which no access goes are numbers, that
    no counter of a loop overflows, and that the block is no larger than typical ones."""
    attempts = Inferences(kernel, solver)
    bare = resolved([Contract(params=launch.names)], kernel)
    facts = attempts.facts(bare)
    values, divisions = numbers(facts), fast_divisions(facts)
    bare = requiring(bare, kernel, list(divisions))
    best = attempts.with_contents(replace(bare, values=values))
    if values and open_for(best, LOOP):
        best = fewer(best, attempts.with_contents(bare))
    facts, needs = best.facts, list[NoOverflow]()
    looped = open_for(best, LOOP) or open_for(best, POINTER_END)
    if looped or (open_for(best, LOADED) and any(searched(facts))):
        kept = settled_launch(best)
        facts = facts if kept == facts.launch else attempts.facts(kept)
        needs = no_overflow(facts)
    if needs:
        more = requiring(facts.launch, kernel, [need.stated(facts).condition for need in needs])
        again = fewer(best, attempts.under(more))
        again = again if grounded(again) else best
        best, needs = again, needs if again is not best else []
        best, needs = attempts.without_each(best, needs, facts)
    if any(open_.reason != BUDGET and may_exclude(best, open_) for open_ in best.unknown):
        again = fewer(best, attempts.under(settled_launch(best), excluding=True))
        best = again if grounded(again) else best
    best, of_block = attempts.with_shapes(best)
    attempts.resume(best)
    found = best.contract(max(INFERENCE_STEPS, attempts.left // 2))
    stated = [*divisions.values(), *of_block]
    stated += (need.stated(facts) for need in necessary(needs, facts, best))
    texts = {launch.names[i]: held.text for i, held in best.contents.items()}
    return replace(found, needs=(*stated, *found.needs), contents=texts)


def requiring(launch: Launch, kernel: Kernel, said: list[str]) -> Launch:
    """The launch with more requirements."""
    added = resolved([Contract(params=launch.names, requires=said)], kernel).requires
    return replace(launch, requires=(*launch.requires, *added))


class Inferences(Struct):
    """Inferences under several assumptions about one kernel. They share the steps, so that the time
    has a limit: each may use a part of what is left."""

    kernel: Kernel
    solver: Callable[[PathConditions], Solver] | None
    left: int = CONTRACT_STEPS
    latest: Facts | None = None

    def facts(self, launch: Launch) -> Facts:
        """The facts of the kernel under the launch; the latest ones are kept."""
        if self.latest is None or self.latest.launch != launch:
            self.latest = Facts(self.kernel, launch, ARCH, self.solver)
        return self.latest

    def under(
        self, launch: Launch, vital: Collection[PtxInstr] = (), excluding: bool = False
    ) -> Inference:
        """The inference under the launch; what is ``vital`` decides if it is finished."""
        steps = self.left - self.left // RESERVED_SHARE
        inference = Inference(self.facts(launch), steps, excluding)
        inference.collect(vital)
        self.left -= steps - max(inference.budget.left, 0)
        return inference

    def with_contents(self, launch: Launch) -> Inference:
        """With the value ranges of the index buffers that it needs, and all loads of which it
        bounds; without any if that leaves no more accesses open."""
        contents = index_buffers(self.facts(launch))
        while True:
            found = self.under(replace(launch, contents=contents))
            if grounded(found):
                return found
            contents = found.contents

    def without_each(
        self, best: Inference, needs: list[NoOverflow], facts: Facts
    ) -> tuple[Inference, list[NoOverflow]]:
        """Without the limits of counters, one by one, that leave no access open."""
        for need in needs if len(needs) > 1 else []:
            rest = [one for one in needs if one is not need]
            said = [one.stated(facts).condition for one in rest]
            found = self.under(requiring(facts.launch, self.kernel, said))
            if len(found.unknown) <= len(best.unknown) and grounded(found):
                best, needs = found, rest
        return best, needs

    def resume(self, best: Inference) -> None:
        """Adds again the accesses for which the steps of its attempt did not suffice, in half of
        those that no attempt used."""
        short = [one for one in best.unknown if one.reason == BUDGET]
        if short:
            best.unknown = [one for one in best.unknown if one.reason != BUDGET]
            best.budget.left = steps = self.left // 2
            instrs = {one.instr for one in short}
            best.add_all([place for place in best.facts.places if place.instr in instrs])
            self.left -= steps - max(best.budget.left, 0)

    def with_shapes(self, best: Inference) -> tuple[Inference, list[InferredRequirement]]:
        """With limits of the block under which no access to an array of known size stays open, and
        these limits; without any if no typical ones are found in the steps that are left. Where a
        requirement allows no whole number of warps, the next larger block is tried."""
        vital = {one.instr for one in in_arrays(best)}
        for shape, instr in islice(limits(best), TRIED_SHAPES):
            found = self.under(replace(settled_launch(best), largest=shape), vital)
            if (
                settled(found, shape)
                and len(found.unknown) <= len(best.unknown)
                and grounded(found)
            ):
                return found, block_limits(shape, instr, best.facts)
        return best, []


def grounded(inference: Inference) -> bool:
    """True if it speaks of no value range of a buffer some load of which is not bounded."""
    return inference.spoken == inference.contents


def may_exclude(inference: Inference, one: Unknown) -> bool:
    """True if a requirement might say that no thread executes the open access."""
    facts = inference.facts
    own = [place for place in facts.places if place.instr is one.instr and place.reached]
    several = [each for place in own for each in alternatives(facts, place) or [place]]
    low = facts.footprints.span
    return any(next(unreached(facts, p, low(p).low), None) is not None for p in several)


def settled_launch(inference: Inference) -> Launch:
    """Its launch, with the value ranges that it speaks of."""
    return replace(inference.facts.launch, contents=inference.contents)


def necessary(needs: list[NoOverflow], facts: Facts, best: Inference) -> list[NoOverflow]:
    """Those that neither the others imply nor what the contract says otherwise: a launch that meets
    it meets them. ``facts`` are those in whose symbols they are written."""
    named = {name: Polynomial.of(symbol) for symbol, name in best.facts.decided.items()}
    here = {symbol: named[name] for symbol, name in facts.decided.items() if name in named}
    said = [need.polynomial.replaced(here) for need in needs]
    polynomials = fewest(said, best.implied, keep=0)
    return [need for need, own in zip(needs, said, strict=True) if own in polynomials]


def open_for(inference: Inference, reason: str) -> bool:
    """True if an access is open for the reason."""
    return any(one.reason == reason for one in inference.unknown)


def fewer(one: Inference, other: Inference) -> Inference:
    """The one that leaves fewer accesses open; the first if both leave as many."""
    return other if len(other.unknown) < len(one.unknown) else one


def numbers(facts: Facts) -> dict[int, Range]:
    """Parameters of 64 bits through which no access goes, but that decide an address or a branch:
    they are numbers. PTX only says which parameters are pointers if ``.ptr`` declares it."""
    each = (alternatives(facts, place) or [place] for place in facts.places)
    followed = {place.region for several in each for place in several}
    found = {}
    for parameter in facts.kernel.words:
        region = facts.pointers.get(parameter.word)
        if region in facts.addressed - followed and not parameter.declared_pointer:
            found[parameter.index] = Range(-(2**63), 2**63 - 1)
    return found
