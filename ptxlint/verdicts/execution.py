"""Proof by execution: one run decides a launch whose block, grid and numbers are all declared, if
no loaded word decides an access, and where memory lies decides no branch.

Then every thread makes the same accesses, at the same offsets from the starts of the same regions,
whatever the data are and in whatever order threads run. So an access that stays inside of its
region in one run does so in all, and one that never happens is safe. The region is the one that the
analysis says, not the one that happens to lie at the address, and its size the least one declared;
an alignment is proved of the offset and of what the region is declared to be aligned to.

If only barriers of whole CTAs and whole warps order threads, these accesses lie between the same
barriers, too. So if no two accesses conflict in one run, they conflict in none; every read of a
byte that was written in the run finds it written, since it is ordered after the store; and no
thread misses a barrier.

The run has to find a conflict if there is one. The interpreter keeps, of the threads that accessed
a byte with no order between them, those with the least and the greatest number
(``ptxlint.simt.races``). That is enough where only barriers of whole CTAs and of whole warps order
threads, and none of these has exited (else the barrier orders nothing in this run): threads that
one barrier orders have numbers side by side. So of threads of two warps, or of two blocks, the
least and the greatest are not ordered either, and no later access is ordered after both. Threads of
one warp are all ordered at once. Stores conflict even if they store the same word, since words may
depend on the data.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet
from typing import TYPE_CHECKING

from msgspec import Struct

from analyses.budget import EXECUTION_LANES, EXECUTION_STEPS
from analyses.def_use import users_of
from analyses.program import AddressOf, Constant, Effect, Instr, Operand, Special, Undefined
from analyses.slices import deciding, effects_slice, forward_slice
from ptxlint.contracts.declaration import Range
from ptxlint.facts.kernel_facts import Facts
from ptxlint.facts.members import ALL_LANES, constant
from ptxlint.ir import PtxInstr
from ptxlint.results.verdict import Property, Status
from ptxlint.verdicts.decision import PROVED, Decision, Decisions

if TYPE_CHECKING:
    from ptxlint.simt import Observer, Outcome

ORDERED = (Property.RACES, Property.BARRIERS, Property.INITIALISATION)
PLACES = ("tid.", "ntid.", "ctaid.", "nctaid.", "laneid", "lanemask")
"""Special registers that the launch decides."""
UNORDERED = Effect.ARRIVE | Effect.FENCE | Effect.COMMIT | Effect.AWAIT | Effect.CALL
ORDERING = frozenset({"acquire", "release", "acq_rel", "sc", "mbarrier"})
"""Effects and words of instructions that order threads in other ways, or in ways not known."""
STRAY = frozenset({"out-of-bounds", "misaligned-access", "address-space-mismatch"})
HARMLESS = STRAY | {"data-race", "uninitialized-read"}
"""Faults of a run after which every thread goes on."""


class ProvedByRun(Struct, frozen=True):
    """What one run proves: accesses that stay ``inside`` of their regions, ``aligned`` ones, and
    the decisions of properties that the order of threads decides."""

    inside: AbstractSet[Instr] = frozenset()
    aligned: AbstractSet[Instr] = frozenset()
    ordered: Mapping[Property, Decisions] = {}


def executed(facts: Facts, found: Mapping[Property, Decisions | Decision]) -> ProvedByRun:
    """What a run of the declared launch proves of accesses whose bounds or alignment are open, and
    of the undecided subjects of the properties in ``found``."""
    subjects = {about: list(undecided(found[about])) for about in ORDERED}
    reached = [access for access in facts.accesses if access.place.reached]
    open_ = [access for access in reached if not (access.in_bounds and access.aligned)]
    order = any(subjects.values()) and ordered(facts)
    if not (open_ or order) or not single(facts) or not fixed(facts):
        return ProvedByRun()
    from ptxlint.verdicts.offsets import Offsets

    offsets = Offsets(facts, open_)
    outcome = run_of(facts, offsets, order)
    if outcome is None or not outcome.kinds() <= HARMLESS:
        return ProvedByRun()
    sized: set[Instr] = {access.instr for access in open_ if access.place.size is not None}
    inside, aligned = sized & offsets.inside, sized & offsets.aligned
    stray = any(not access.in_bounds and access.instr not in offsets.inside for access in open_)
    if stray or outcome.faults or not order:
        return ProvedByRun(inside, aligned)
    undefined = {effect.instr for _, effect in facts.undefined.all_effects(facts.kernel)}
    return ProvedByRun(inside, aligned, {
        about: {**decisions(found[about]), **{i: PROVED for i in instrs if i not in undefined}}
        for about, instrs in subjects.items()
    })  # fmt: skip


def decisions(found: Decisions | Decision) -> Decisions:
    return {} if isinstance(found, Decision) else found


def undecided(found: Decisions | Decision) -> Iterator[PtxInstr]:
    for instr, decision in decisions(found).items():
        if decision.status is Status.UNDECIDED:
            yield instr


def single(facts: Facts) -> bool:
    """True if the declaration leaves one launch that the interpreter can run."""
    launch, kernel = facts.launch, facts.kernel
    ranges = [value for value in launch.values.values() if isinstance(value, Range)]
    ranges += [pointer.offset.bytes for pointer in launch.interior.values()]
    whole = launch.grid is not None and launch.decided(kernel) and kernel.address_size == 8
    whole = whole and not any(extent.optional for extent in launch.buffers.values())
    return whole and all(each.single for each in ranges)


def fixed(facts: Facts) -> bool:
    """True if the declared numbers decide every mask and branch, and every address but for where
    its memory lies."""
    kernel = facts.kernel
    decisive, open_ = effects_slice(kernel), undeclared(facts)
    for block in kernel.blocks:
        for phi in block.phis:
            if phi.target in decisive and not all(map(of_launch, phi.sources.values())):
                return False
        condition = block.terminator.condition
        if condition is not None and not of_launch(condition):
            return False
        if condition in open_ and condition in decisive:
            return False
        for instr in facts.instructions(block):
            if not all(map(of_launch, deciding(instr))):
                return False
            decides = not decisive.isdisjoint(instr.defs)
            if decides and not (computed(instr) and all(map(of_launch, instr.uses))):
                return False
            if decides and not translates(instr, open_):
                return False
            access = instr.access
            if access is not None and not open_.isdisjoint((access.mask, access.length)):
                return False
    return True


def ordered(facts: Facts) -> bool:
    """True if only barriers of whole CTAs and whole warps order threads."""
    for block in facts.kernel.blocks:
        for instr in facts.instructions(block):
            orders = bool(instr.effects & Effect.BARRIER) or instr.text.startswith("bar.warp")
            if (orders and not (of_cta(facts, instr) or of_warp(instr))) or unordered(instr):
                return False
    return True


def undeclared(facts: Facts) -> set[Operand]:
    """The operands that depend on where memory lies, or on a parameter without a declared
    number."""
    roots: list[Operand] = []
    for instr in facts.kernel.instructions:
        if instr.access is not None and instr.access.space == "param":
            roots += [value for value in instr.defs if constant(facts, value) is None]
        else:
            roots += [use for use in instr.uses if isinstance(use, AddressOf)]
    return forward_slice(users_of(facts.kernel), roots)


def translates(instr: PtxInstr, open_: set[Operand]) -> bool:
    """True if it moves an address by a number that the launch decides, or uses no address."""
    addresses = [use in open_ or isinstance(use, AddressOf) for use in instr.uses]
    if instr.access is not None or not any(addresses) or instr.copies:
        return True
    opcode = instr.form.row.opcode if instr.form is not None else ""
    if opcode == "selp":
        return not addresses[2]
    if opcode in ("add", "cvta", "cvt", "sub"):
        return sum(addresses) == 1 and (opcode == "add" or addresses[0])
    return opcode == "mad" and addresses == [False, False, True]


def of_launch(operand: Operand) -> bool:
    """False for a special register that may differ from run to run, and an undefined one."""
    if isinstance(operand, Special):
        return operand.name.startswith(PLACES)
    return not isinstance(operand, Undefined)


def computed(instr: PtxInstr) -> bool:
    """True if the launch decides the results where it decides the operands: it loads parameters at
    most, and does not depend on which lanes happen to run together."""
    if not known(instr):
        return False
    if instr.access is not None:
        return instr.access.space == "param"
    return not instr.effects & Effect.CONVERGENT or of_warp(instr)


def known(instr: PtxInstr) -> bool:
    """True if the interpreter does what it means."""
    return instr.copies or (instr.form is not None and instr.form.row.modelled)


def of_warp(instr: PtxInstr) -> bool:
    """True if all lanes of the warp execute it together, or none does."""
    mask = instr.uses[-1] if instr.uses else None
    return ".sync" in instr.text and isinstance(mask, Constant) and mask.bits == ALL_LANES


def of_cta(facts: Facts, instr: PtxInstr) -> bool:
    """True if all threads of the CTA wait there."""
    return bool(instr.effects & Effect.BARRIER) and instr in facts.cta_barriers.all


def unordered(instr: PtxInstr) -> bool:
    """True if it orders threads otherwise, or its accesses are not known."""
    form, access = instr.form, instr.access
    if not known(instr) or instr.opaque or instr.effects & UNORDERED:
        return True
    if form is not None and (form.row.opcode == "mbarrier" or form.words & ORDERING):
        return True
    return access is not None and access.asynchronous


def run_of(facts: Facts, observer: Observer | None, order: bool) -> Outcome | None:
    """The run of the launch, None of one that is too large; with a check of the ``order``."""
    from ptxlint.simt import RunOptions, run

    launch = facts.launch.concrete(facts.kernel)
    checks = frozenset({"race", "init", "sync", "words"} if order else {"sync"})
    options = RunOptions(None, EXECUTION_STEPS, EXECUTION_LANES, checks=checks)
    try:
        outcome = run(facts.kernel, launch, options, observer)
    except MemoryError:
        return None
    return None if outcome.exhausted else outcome
