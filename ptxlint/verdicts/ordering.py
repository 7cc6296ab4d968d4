"""Races, barriers and warp-wide instructions: what is proved of the order of threads.

Races are proved where no access is a race candidate (``analyses.races.candidates``), in a declared
block and every grid that is allowed. An access is taken to be complete when its thread goes on, or
waits for the groups of its asynchronous copies; nothing is proved of what completes in other ways.
"""

from __future__ import annotations

from collections.abc import Iterator

from analyses.domains.uniformity import Level
from analyses.program import Effect
from ptxlint.contracts.declaration import Range
from ptxlint.facts.barriers import met
from ptxlint.facts.kernel_facts import AccessFacts, Facts
from ptxlint.facts.members import ALL_LANES, constant
from ptxlint.ir import PtxInstr
from ptxlint.verdicts.decision import PROVED, Decision, Decisions, not_checked, undecided

SHARED_BY_THREADS = ("shared", "global", "generic")
EXCHANGES = ("shfl", "vote", "match", "redux", "elect", "bar.warp")
"""Opcodes whose last operand is the mask of the lanes that take part."""
OPAQUE = "{} accesses memory at unknown addresses"
DIVERGENT = "threads may diverge before it"


def opaque_decisions(facts: Facts) -> dict[PtxInstr, Decision]:
    """Nothing is decided of accesses at unknown addresses."""
    found = (instr for instr in facts.kernel.instructions if instr.opaque)
    return {instr: undecided(OPAQUE.format(instr.text)) for instr in found}


# --- races


def races(facts: Facts) -> Decisions | Decision:
    """Of each access to memory that threads share; or why they are not checked."""
    accesses = [
        a for a in facts.accesses if a.place.reached and a.space not in ("local", "const", "param")
    ]
    found = {**opaque_decisions(facts), **{a.instr: PROVED for a in accesses}}
    if all(a.place.access.kind == "load" for a in accesses) and len(found) == len(accesses):
        return found
    candidates = {a.instr for a in accesses} & facts.race_candidates
    shape = {"block": facts.launch.block is not None, "grid": facts.launch.has_grid}
    missing = [name for name, there in shape.items() if not there]
    if missing and (candidates or not shape["block"]):
        options = " ".join(f"--{name} XxYxZ" for name in missing)
        return not_checked(undeclared(missing), options)
    open_ = [facts.launch.names[p.index] for p in facts.launch.open_integers(facts.kernel)]
    if candidates and open_:
        option = " ".join(f"--arg {name}=..." for name in open_)
        return not_checked(undeclared(open_), option)
    ranges = list(ranged(facts))
    for access in accesses:
        if access.instr in candidates:
            found[access.instr] = candidate(ranges)
        elif access.space not in SHARED_BY_THREADS or completes_unseen(access):
            found[access.instr] = undecided("the order of an asynchronous copy is not modelled")
    return found


def candidate(ranges: list[str]) -> Decision:
    """Of an access that may race, as far as the addresses and barriers tell."""
    option = " ".join(f"--arg {name}=NUMBER" for name in ranges) or None
    return undecided("it may conflict with another thread's access, which no replay showed", option)


def ranged(facts: Facts) -> Iterator[str]:
    """The parameters that are declared with a range and matter."""
    launch = facts.launch
    for formal in facts.kernel.arguments:
        value = launch.values.get(formal.index)
        if isinstance(value, Range) and not value.single and launch.uses(facts.kernel, formal):
            yield launch.names[formal.index]


def asynchronous(access: AccessFacts) -> bool:
    """True if it may happen after its thread has gone on."""
    form = access.instr.form
    return form is not None and (form.has("async") or not form.row.modelled)


def completes_unseen(access: AccessFacts) -> bool:
    """True if it may happen after its thread has gone on, and the candidates do not know that."""
    return asynchronous(access) and not access.place.access.asynchronous


def undeclared(names: list[str]) -> str:
    return f"{joined(names)} {'is' if len(names) == 1 else 'are'} not declared"


def joined(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


# --- barriers


def barriers(facts: Facts) -> Decisions:
    """Of each barrier of the CTA, and of each call that may contain one."""
    found: dict[PtxInstr, Decision] = {}
    for block in facts.kernel.blocks:
        for instr in facts.instructions(block):
            if instr.effects & Effect.CALL:
                found[instr] = undecided(f"{instr.text} may contain a barrier: it has no body")
            elif instr.effects & (Effect.BARRIER | Effect.ARRIVE):
                found[instr] = barrier(facts, instr, block.index)
            elif instr.form is not None and instr.form.row.opcode == "barrier":
                found[instr] = undecided(f"{instr.text} is not modelled")
    return found


def barrier(facts: Facts, instr: PtxInstr, block: int) -> Decision:
    if met(facts, instr, block):
        return PROVED
    if instr in facts.cta_barriers.all:
        return undecided(DIVERGENT)
    option = "--block XxYxZ" if facts.launch.block is None else None
    return undecided("it is not shown to count all threads of the CTA", option)


# --- warp-wide instructions


def uniformity(facts: Facts) -> Decisions:
    """Of each instruction that all lanes of a warp must execute together."""
    found: dict[PtxInstr, Decision] = {}
    for block in facts.kernel.blocks:
        together = facts.whole_warps(block.index)
        for instr in facts.instructions(block):
            masked = exchange(instr)
            if instr.effects & (Effect.BARRIER | Effect.ARRIVE):
                continue  # that is of the barriers
            if instr.effects & Effect.CALL:
                found[instr] = undecided(f"{instr.text} may need whole warps: it has no body")
            elif not together and (masked or instr.effects & Effect.ALIGNED):
                found[instr] = undecided(DIVERGENT)
            elif masked and constant(facts, instr.uses[-1]) != ALL_LANES:
                found[instr] = undecided("its lane mask is not known to be all lanes")
            elif masked or instr.effects & Effect.ALIGNED:
                found[instr] = PROVED
        end = block.terminator
        if end.uniform and end.condition is not None:
            level = facts.divergence.use(end.condition, block.index)
            divergent = level is Level.DIVERGENT
            found[facts.branch(block)] = undecided(DIVERGENT) if divergent else PROVED
    return found


def exchange(instr: PtxInstr) -> bool:
    """True if its last operand is a mask of lanes."""
    return instr.text.startswith(EXCHANGES) and ".sync" in instr.text
