"""Proof by execution: one run decides a launch whose block, grid and numbers are all declared, if
no loaded word decides an access, and where memory lies decides no branch.

Then every thread makes the same accesses between the same barriers, whatever the data are and in
whatever order threads run. So if no two accesses conflict in one run, they conflict in none; every
read of a byte that was written in the run finds it written, since it is ordered after the store;
and no thread misses a barrier.

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

from analyses.budget import EXECUTION_LANES, EXECUTION_STEPS
from analyses.program import AddressOf, Constant, Effect, Operand, Special, Undefined
from analyses.slices import deciding, effects_slice, forward_slice
from ptxlint.contracts.declaration import Range
from ptxlint.facts.kernel_facts import Facts
from ptxlint.ir import PtxInstr
from ptxlint.results.verdict import Property, Status
from ptxlint.verdicts.decision import PROVED, Decision, Decisions
from ptxlint.verdicts.ordering import ALL_LANES, constant

DECIDED = (Property.RACES, Property.BARRIERS, Property.INITIALISATION)
PLACES = ("tid.", "ntid.", "ctaid.", "nctaid.", "laneid", "lanemask")
"""Special registers that the launch decides."""
UNORDERED = Effect.ARRIVE | Effect.FENCE | Effect.COMMIT | Effect.AWAIT | Effect.CALL
ORDERING = frozenset({"acquire", "release", "acq_rel", "sc", "mbarrier"})
"""Effects and words of instructions that order threads in other ways, or in ways not known."""


def executed(
    facts: Facts, found: Mapping[Property, Decisions | Decision]
) -> dict[Property, Decisions]:
    """The decisions that a run of the declared launch turns into proofs."""
    open_ = {about: undecided for about in DECIDED if (undecided := list(subjects(found[about])))}
    safe = subjects(found[Property.BOUNDS], Status.UNDECIDED, Status.FLAGGED)
    if not open_ or any(safe) or not single(facts) or not (fixed(facts) and faultless(facts)):
        return {}
    undefined = {effect.instr for _, effect in facts.undefined.all_effects(facts.kernel)}
    return {
        about: {**decisions(found[about]), **{i: PROVED for i in instrs if i not in undefined}}
        for about, instrs in open_.items()
    }


def decisions(found: Decisions | Decision) -> Decisions:
    return {} if isinstance(found, Decision) else found


def subjects(found: Decisions | Decision, *statuses: Status) -> Iterator[PtxInstr]:
    """The subjects with one of these statuses, by default the undecided ones."""
    for instr, decision in decisions(found).items():
        if decision.status in (statuses or (Status.UNDECIDED,)):
            yield instr


def single(facts: Facts) -> bool:
    """True if the declaration leaves one launch."""
    launch = facts.launch
    ranges = (value for value in launch.values.values() if isinstance(value, Range))
    whole = launch.grid is not None and launch.decided(facts.kernel)
    return whole and all(each.single for each in ranges)


def fixed(facts: Facts) -> bool:
    """True if the declared numbers decide every mask and branch, and every address but for where
    its memory lies; and only barriers of whole CTAs and whole warps order threads."""
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
            orders = bool(instr.effects & Effect.BARRIER) or instr.text.startswith("bar.warp")
            known = of_cta(facts, instr) or of_warp(instr)
            if (
                (orders and not known)
                or unordered(instr)
                or not all(map(of_launch, deciding(instr)))
            ):
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


def undeclared(facts: Facts) -> set[Operand]:
    """The operands that depend on where memory lies, or on a parameter without a declared
    number."""
    roots: list[Operand] = []
    for instr in facts.kernel.instructions:
        if instr.access is not None and instr.access.space == "param":
            roots += [value for value in instr.defs if constant(facts, value) is None]
        else:
            roots += [use for use in instr.uses if isinstance(use, AddressOf)]
    return forward_slice(facts.kernel, roots)


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
    if instr.access is not None:
        return instr.access.space == "param"
    return not instr.effects & Effect.CONVERGENT or of_warp(instr)


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
    known = instr.copies or (form is not None and form.row.modelled)
    if not known or instr.opaque or instr.effects & UNORDERED:
        return True
    if form is not None and (form.row.opcode == "mbarrier" or form.words & ORDERING):
        return True
    return access is not None and access.asynchronous


def faultless(facts: Facts) -> bool:
    """True if the launch runs to its end without a fault."""
    from ptxlint.simt import RunOptions, run

    launch = facts.launch.concrete(facts.kernel)
    checks = frozenset({"race", "init", "sync", "words"})
    options = RunOptions(None, EXECUTION_STEPS, EXECUTION_LANES, checks=checks)
    try:
        outcome = run(facts.kernel, launch, options)
    except MemoryError:
        return False
    return not outcome.faults and not outcome.exhausted
