"""The inferred contract of a kernel: of several ways to read its parameters and loops, the one that
leaves fewest accesses open."""

from __future__ import annotations

from collections.abc import Callable, Collection
from itertools import islice

from msgspec import Struct
from msgspec.structs import replace

from analyses.budget import (
    CONTRACT_STEPS,
    COUNTS_SHARE,
    FEWER_STEPS,
    INFERENCE_STEPS,
    RESERVED_SHARE,
    TRIAL_SHARE,
    TRIED_SHAPES,
)
from analyses.polynomials.formatting import at_least
from analyses.polynomials.polynomial import Polynomial
from analyses.proofs.path_conditions import PathConditions
from analyses.proofs.smt import Solver
from ptxlint.contracts.contract import Contract
from ptxlint.contracts.declaration import Range
from ptxlint.contracts.expression import Number, conditions
from ptxlint.contracts.grids import grid_limits
from ptxlint.contracts.launch import Launch
from ptxlint.contracts.resolution import resolved
from ptxlint.facts.freed import free
from ptxlint.facts.kernel_facts import Facts
from ptxlint.inference.block_shapes import (
    block_limits,
    in_arrays,
    limits,
    settled,
)
from ptxlint.inference.fast_division import fast_divisions
from ptxlint.inference.grids import limits_of_grid
from ptxlint.inference.index_buffers import index_buffers, open_tables
from ptxlint.inference.infer import Inference
from ptxlint.inference.inferred_contract import Inferred, InferredRequirement, Unknown
from ptxlint.inference.local_arrays import in_local_arrays, limits_of_counts
from ptxlint.inference.loop_counters import indispensable, no_overflow
from ptxlint.inference.powers_of_two import asked, capacity, helps, powers_in, size, stated
from ptxlint.inference.reasons import NEGATIVE
from ptxlint.inference.requirements import Required, fewest
from ptxlint.inference.unreachable import unreached
from ptxlint.ir import Kernel, PtxInstr

LOOP, POINTER_END, BUDGET = "loop", "pointer-end", "budget"
DATA = {"loaded-index", "atomic-result"}
LOOPS = {LOOP, POINTER_END, BUDGET}
"""Reasons that may be due to a counter that overflows: the steps are spent in vain then."""
ARCH = "sm_80"  # no row of the device table decides a contract


def contract_of(
    kernel: Kernel, launch: Launch, solver: Callable[[PathConditions], Solver] | None = None
) -> Inferred:
    """The inferred contract of a kernel; ``launch`` gives the names of its parameters."""
    attempts = Inferences(kernel, solver)
    best = best_inference(attempts, resolved([Contract(params=launch.names)], kernel))
    attempts.resume(best.inference)
    found = best.inference.contract(max(INFERENCE_STEPS, attempts.left // 4))
    found = best.complete(found)
    attempts.free()
    return found


class Best(Struct, frozen=True):
    """The ``inference`` that leaves fewest accesses open, in launches in which what is ``stated``
    holds and no counter overflows, as ``needs`` say in the symbols of ``facts``."""

    inference: Inference
    facts: Facts
    needs: list[Required] = []
    stated: list[InferredRequirement] = []

    @property
    def open(self) -> int:
        """How many accesses stay open."""
        return len(self.inference.unknown)

    @property
    def assumed(self) -> list[InferredRequirement]:
        """Of these requirements, the ones that no others imply. To be asked after ``contract``."""
        needs = necessary(self.needs, self.facts, self.inference)
        return [*self.stated, *(need.stated(self.facts.decided) for need in needs)]

    def better(self, other: Best) -> bool:
        """True if it leaves fewer accesses open, or admits more threads or larger parameters; or
        else asks for fewer bytes in a typical launch, and for more of no buffer: one with powers of
        two, if either requires some."""
        if self.open != other.open:
            return self.open < other.open
        own, others = self.requirements, other.requirements
        admitted = capacity(self.inference.facts, own - others)
        by_other = capacity(other.inference.facts, others - own)
        if admitted != by_other:
            return admitted > by_other
        powers = powers_in(own ^ others)
        mine, theirs = (
            {key: size(ends, one.facts, powers) for key, ends in one.ends.items()}
            for one in (self.inference, other.inference)
        )
        sizes = [(mine[key], theirs[key]) for key in mine.keys() & theirs]
        return any(own < their for own, their in sizes) and all(
            own <= their for own, their in sizes
        )

    @property
    def requirements(self) -> set[str]:
        """Those that are found so far."""
        facts = self.inference.facts
        needs = {at_least(need.terms, facts.decided) for need in self.inference.required_so_far()}
        stated = [*self.stated, *(need.stated(self.facts.decided) for need in self.needs)]
        return needs | {one.condition for one in stated}

    def complete(self, found: Inferred) -> Inferred:
        """The contract that the inference found, with these requirements."""
        names = self.inference.facts.launch.names
        texts = {names[i]: held.text for i, held in self.inference.contents.items()}
        needs = [*self.assumed, *found.needs]
        strict = [need for need in needs if not any(limits_more(one, need) for one in needs)]
        return replace(found, needs=tuple(strict), contents=texts)


def limits_more(one: InferredRequirement, other: InferredRequirement) -> bool:
    """True if it limits the same expression by a smaller number."""
    ends = [conditions(need.condition) for need in (one, other)]
    if any(len(end) != 1 or end[0].relation != "<=" for end in ends):
        return False
    ((mine,), (theirs,)) = ends
    limits = mine.right, theirs.right
    if mine.left != theirs.left or not all(isinstance(limit, Number) for limit in limits):
        return False
    return limits[0].value < limits[1].value  # type: ignore[union-attr]


def best_inference(attempts: Inferences, launch: Launch) -> Best:
    """The best one, with those powers of two required without which it would be worse. Only what
    is not declared is assumed."""
    facts, needed = attempts.facts(launch), dict[str, InferredRequirement]()
    sought = asked(facts)
    best = without_powers(attempts, launch)
    open_ = {one.instr for one in best.inference.unknown}
    tried = [stated(facts, sought, in_arrays) for in_arrays in (False, True)]
    cut = not attempts.thorough and open_for(best.inference, BUDGET)  # the steps are for these
    useful = not cut and helps(facts, sought, open_)
    for said in tried[: 1 + (tried[0] != tried[1])] if useful else ():
        again = attempts.with_powers(launch, said) if said else best
        if again.better(best):
            best, needed = again, said
    for text in needed if len(needed) > 1 else ():
        rest = {one: need for one, need in needed.items() if one != text}
        again = attempts.with_powers(launch, rest)
        if not best.better(again):
            best, needed = again, rest
    return best


def without_powers(attempts: Inferences, launch: Launch) -> Best:
    """What leaves fewest accesses open counts: that parameters through which no access goes are
    numbers, that no counter of a loop overflows, and that the block is no larger than typical
    ones."""
    facts, divisions = attempts.facts(launch), divided(attempts, launch)
    known, of_counts = attempts.with_counts(requiring(launch, attempts.kernel, list(divisions)))
    declared = launch.values.keys() | launch.buffers.keys()
    values = {i: whole for i, whole in numbers(facts).items() if i not in declared}
    numbered = replace(known, values={**values, **launch.values}) if values else known
    found = attempts.with_needs(numbered, launch)
    if values and open_for(found.inference, LOOP):
        found = min(found, attempts.with_needs(known, launch), key=lambda one: one.open)
    best = found.inference
    if any(open_.reason != BUDGET and may_exclude(best, open_) for open_ in best.unknown):
        again = fewer(best, attempts.under(settled_launch(best), excluding=True))
        best = again if grounded(again) else best
    best, of_grid = attempts.with_grid(best)
    best, of_block = attempts.with_shapes(best)
    said = [*divisions.values(), *of_counts, *of_grid, *of_block]
    return replace(found, inference=best, stated=said)


def divided(attempts: Inferences, launch: Launch) -> dict[str, InferredRequirement]:
    """What the launch must meet so that the kernel divides by reciprocals, also what such a
    division gives."""
    found, known = dict[str, InferredRequirement](), launch
    while True:
        said = fast_divisions(attempts.facts(known)).items()
        more = {text: of for text, of in said if text not in found and undeclared(launch, text)}
        if not more:
            return found
        found |= more
        known = requiring(launch, attempts.kernel, list(found))


def undeclared(launch: Launch, condition: str) -> bool:
    """True if it speaks of more than parameters whose values are declared."""
    declared = {launch.names[i] for i in launch.values}
    return any(not said.names <= declared for said in conditions(condition))


def requiring(launch: Launch, kernel: Kernel, said: list[str]) -> Launch:
    """The launch with more requirements."""
    added = resolved([Contract(params=launch.names, requires=said)], kernel).requires
    return replace(launch, requires=(*launch.requires, *added))


class Inferences(Struct):
    """Inferences under several assumptions about one kernel. They share the steps, so that the time
    has a limit: each may use a part of what is left. A ``thorough`` one assumes nothing without
    which as few accesses stay open, and tries shapes where steps did not suffice."""

    kernel: Kernel
    solver: Callable[[PathConditions], Solver] | None
    left: int = CONTRACT_STEPS
    latest: Facts | None = None
    of: Callable[[Facts, int, bool], Inference] = Inference
    thorough: bool = True
    spent: int = 0  # steps of the latest attempt
    first: Facts | None = None

    def facts(self, launch: Launch) -> Facts:
        """The facts of the kernel under the launch; the first and the latest ones are kept."""
        if self.latest is None or self.latest.launch != launch:
            arch = ARCH if self.latest is None else self.latest.arch
            self.first = self.first or self.latest
            self.latest = Facts(self.kernel, launch, arch, self.solver, self.first)
        return self.latest

    def free(self) -> None:
        """Frees all facts. No inference can be asked any more."""
        if self.latest is not None:
            free(self.latest.known or self.latest)

    def with_powers(self, launch: Launch, said: dict[str, InferredRequirement]) -> Best:
        """With requirements that extents and parameters are powers of two."""
        found = without_powers(self, requiring(launch, self.kernel, list(said)))
        return replace(found, stated=[*said.values(), *found.stated])

    def under(
        self,
        launch: Launch,
        vital: Collection[PtxInstr] = (),
        excluding: bool = False,
        of: int | None = None,
    ) -> Inference:
        """The inference under the launch; what is ``vital`` decides if it is finished."""
        steps = self.left // of if of else self.most
        inference = self.of(self.facts(launch), steps, excluding)
        inference.collect(vital)
        self.spent = steps - max(inference.budget.left, 0)
        self.left -= self.spent
        return inference

    @property
    def most(self) -> int:
        """The steps that one attempt may use."""
        return self.left - self.left // RESERVED_SHARE

    def with_contents(self, launch: Launch) -> Inference:
        """With those of its value ranges of index buffers that it needs, and all loads of which it
        bounds; without any if that leaves no more accesses open."""
        while True:
            found = self.under(launch)
            if grounded(found):
                return found
            launch = settled_launch(found)

    def with_needs(self, launch: Launch, declared: Launch) -> Best:
        """With the requirements that no counter overflows, if this leaves fewer accesses open."""
        launch = replace(launch, contents=index_buffers(self.facts(launch)), tables=True)
        facts = self.facts(launch)
        needs = [
            n for n in no_overflow(facts) if undeclared(declared, n.stated(facts.decided).condition)
        ]
        if needs and not self.thorough and facts.symbolic.head_phis:
            bare = self.under(launch, facts.kernel.instructions, of=TRIAL_SHARE)
            if not bare.unknown and grounded(bare):
                return Best(bare, facts)
            held = self.with_contents(self.under_needs(launch, needs, facts))
            return Best(held, facts, needs)
        # hardly any has bounds without them
        searching = bool(needs) and any(indispensable(facts))
        found = self.with_contents(self.under_needs(launch, needs, facts)) if searching else None
        if found is not None and not found.unknown and len(needs) > 1:
            return self.without_each(Best(found, facts, needs), launch)
        bare = self.with_contents(launch)
        reasons = {open_.reason for open_ in bare.unknown}
        limited = any(need.reason is NEGATIVE for need in needs) and reasons
        if found is None and needs and (limited or reasons & (LOOPS | DATA)):
            found = self.with_contents(self.under_needs(launch, needs, facts))
        if found is None or len(bare.unknown) <= len(found.unknown):
            return Best(bare, facts)
        return self.without_each(Best(found, facts, needs), launch)

    def under_needs(self, launch: Launch, needs: list[Required], facts: Facts) -> Launch:
        """The launch that meets them, too."""
        return requiring(
            launch, self.kernel, [need.stated(facts.decided).condition for need in needs]
        )

    def without_each(self, best: Best, launch: Launch) -> Best:
        """Leaves out limits of counters, one after the other, where no access becomes open in about
        twice the steps that the attempt with all limits took. It ends when these were more than
        half of what one may use."""
        enough = self.spent
        for need in best.needs if len(best.needs) > 1 else []:
            if self.most // 2 < enough:
                break
            rest = [one for one in best.needs if one is not need]
            held = replace(launch, contents=best.inference.contents)
            held = self.under_needs(held, rest, best.facts)
            found = self.under(held, of=max(self.left // max(2 * enough, FEWER_STEPS), 1))
            if len(found.unknown) <= best.open and grounded(found):
                best = replace(best, inference=found, needs=rest)
        return best

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

    def with_counts(self, launch: Launch) -> tuple[Launch, list[InferredRequirement]]:
        """With limits of parameters that count elements of a local array, if accesses to it alone
        require some; and these limits."""
        facts = self.facts(launch)
        places = in_local_arrays(facts)
        if not places:
            return launch, []
        steps = self.left // COUNTS_SHARE
        inference = Inference(facts, steps)
        said, implied = limits_of_counts(inference, places)
        self.left -= steps - max(inference.budget.left, 0)
        limits = [*(one.condition for one in said), *implied]
        return requiring(launch, self.kernel, limits), said

    def with_grid(self, best: Inference) -> tuple[Inference, list[InferredRequirement]]:
        """With limits of the grid, and these limits; without any if more accesses stay open."""
        said = limits_of_grid(best)
        if said:
            launch = requiring(settled_launch(best), self.kernel, [one.condition for one in said])
            found = self.with_contents(launch)
            if len(found.unknown) <= len(best.unknown):
                return found, said
        return best, []

    def with_shapes(self, best: Inference) -> tuple[Inference, list[InferredRequirement]]:
        """With limits of the block under which no access to an array of known size stays open, and
        these limits; without any if no typical ones are found in the steps that are left. Where a
        requirement allows no whole number of warps, the next larger block is tried."""
        vital = {one.instr: one.reason for one in in_arrays(best)}
        if DATA & {*vital.values()} or (not self.thorough and BUDGET in vital.values()):
            return best, []
        for shape, instr in islice(limits(best), TRIED_SHAPES):
            found = self.under(replace(settled_launch(best), largest=shape), vital)
            if (
                settled(found, shape, best)
                and len(found.unknown) <= len(best.unknown)
                and grounded(found)
            ):
                return found, block_limits(shape, instr, best.facts)
        return best, []


def grounded(inference: Inference) -> bool:
    """True if it speaks of no value range of a buffer, or table, some load of which is not
    bounded."""
    relied = inference.facts.launch.tables
    return inference.spoken == inference.contents and tables_bounded(inference) is relied


def tables_bounded(inference: Inference) -> bool:
    """True if it may rely on the initial values of tables: all loads of them are bounded."""
    known = inference.facts.launch.tables
    return known and not open_tables(inference.facts, inference.unknown)


def may_exclude(inference: Inference, one: Unknown) -> bool:
    """True if a requirement might say that no thread executes the open access."""
    facts = inference.facts
    own = [place for place in facts.places if place.instr is one.instr and place.reached]
    low = facts.footprints.span
    return any(
        next(unreached(facts, one, low(one).low), None) is not None
        for place in own
        for one in place.each
    )


def settled_launch(inference: Inference) -> Launch:
    """Its launch, with the value ranges that it speaks of."""
    held = inference.facts.launch
    return replace(held, contents=inference.contents, tables=tables_bounded(inference))


def necessary(needs: list[Required], facts: Facts, best: Inference) -> list[Required]:
    """Those that neither the others imply nor what the contract says otherwise: a launch that meets
    it meets them. A limit of the grid bounds the symbols of ``best``, so it seems implied, and is
    not. ``facts`` are those in whose symbols they are written."""
    named = {name: Polynomial.of(symbol) for symbol, name in best.facts.decided.items()}
    here = {symbol: named[name] for symbol, name in facts.decided.items() if name in named}
    said = [need.polynomial.replaced(here) for need in needs]
    polynomials = fewest(said, best.implied, keep=0)
    return [
        need
        for need, own in zip(needs, said, strict=True)
        if own in polynomials or any(grid_limits(conditions(need.stated(facts.decided).condition)))
    ]


def open_for(inference: Inference, reason: str) -> bool:
    """True if an access is open for the reason."""
    return any(one.reason == reason for one in inference.unknown)


def fewer(one: Inference, other: Inference) -> Inference:
    """The one that leaves fewer accesses open; the first if both leave as many."""
    return other if len(other.unknown) < len(one.unknown) else one


def numbers(facts: Facts) -> dict[int, Range]:
    """Parameters of 64 bits through which no access goes, but that decide an address or a branch:
    they are numbers. PTX only says which parameters are pointers if ``.ptr`` declares it."""
    followed = {one.region for place in facts.places for one in place.each}
    found = {}
    for parameter in facts.kernel.words:
        region = facts.pointers.get(parameter.word)
        if region in facts.addressed - followed and not parameter.declared_pointer:
            found[parameter.index] = Range(-(2**63), 2**63 - 1)
    return found
