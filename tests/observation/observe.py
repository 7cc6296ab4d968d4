"""The observation: any kernel, any launch, every fact held against what the interpreter does.

``observe`` computes the facts of a kernel under a launch, runs the kernel on a concrete launch that
the first one allows, and gives back how many facts were held against how many words, and which of
them the run contradicts.
"""

from __future__ import annotations

from analyses.domains.uniformity import Level
from analyses.program import Effect
from ptxlint.contracts.launch import Launch
from ptxlint.facts.barriers import met
from ptxlint.facts.kernel_facts import Facts
from ptxlint.ir import Kernel, PtxInstr
from ptxlint.simt import ConcreteLaunch, Outcome, RunOptions, run

from .agreement import Agreement, Control
from .claims import OUT_OF_STEP, Observation, Violation, Watch
from .integers import Premise, Proved, Words
from .meanings import Meanings
from .memory import Costs, Places
from .structure import broken
from .words import Loops, Numbers

NOBODY = (0, 0, 0)
MANY = 12  # lanes whose words are held against their polynomials


def observe(
    kernel: Kernel,
    launch: Launch,
    one: ConcreteLaunch | None = None,
    facts: Facts | None = None,
    max_steps: int = 1_000_000,
) -> Observation:
    """Holds the facts of ``kernel`` under ``launch`` against one run, by default of the greatest
    launch that it allows."""
    seen = Observation()
    facts = facts or Facts(kernel, launch, "sm_80")
    for problem in broken(kernel):
        seen.violations.append(Violation("form", "SSA", problem, "", 0, NOBODY, NOBODY))
    loops = Loops(facts, seen)
    meanings = Meanings(facts, seen, loops, MANY)
    places = Places(facts, seen)
    in_step = Observation()  # what rests on threads that keep step
    watch = Watch(
        Numbers(facts, seen), loops, meanings, Words(facts, seen, meanings), places,
        Costs(facts, in_step), Agreement(facts, in_step), Control(facts, in_step),
    )  # fmt: skip
    outcome = run(kernel, one or launch.concrete(kernel), RunOptions(max_steps=max_steps), watch)
    places.judge(outcome.faults)
    if not outcome.exhausted:
        watch.end()
    _in_step(facts, in_step, outcome, seen)
    return seen


def observe_integers(
    kernel: Kernel, launch: ConcreteLaunch, facts: Facts, max_steps: int = 1_000_000
) -> Observation:
    """Holds words as integers, premises and proofs against one run that the facts allow."""
    seen = Observation()
    loops = Loops(facts, seen)
    meanings = Meanings(facts, seen, loops)
    proved = Proved(facts, seen, meanings)
    watch = Watch(loops, meanings, Words(facts, seen, meanings), Premise(facts, seen, meanings),
                  proved)  # fmt: skip
    outcome = run(kernel, launch, RunOptions(max_steps=max_steps), watch)
    proved.judge(outcome.faults)
    return seen


def _in_step(facts: Facts, claims: Observation, outcome: Outcome, seen: Observation) -> None:
    """Lanes that a barrier holds back are out of step wherever they come next: nothing is claimed
    of who agrees in a kernel with a barrier in divergent control, but that it has one."""
    barriers = {
        block.index
        for block in facts.kernel.blocks
        if any(instr.effects & Effect.BARRIER for instr in block.instrs)
    }
    known = facts.divergence
    if any(known.control[b] > Level.CTA for b in barriers):
        seen.skipped[OUT_OF_STEP] += claims.checks
        return
    seen.add(claims)
    seen.count("control", len(barriers))
    torn = [fault for fault in outcome.faults if fault.kind == "divergent-barrier"]
    claimed = all(
        met(facts, instr, block.index)
        for block in facts.kernel.blocks
        for instr in block.instrs
        if isinstance(instr, PtxInstr) and instr.effects & Effect.BARRIER
    )
    if torn and claimed:
        fault = torn[0]
        seen.violations.append(
            Violation("control", fault.text, "reached together", str(fault), 0, fault.ctaid,
                      fault.tid, fault.offset)
        )  # fmt: skip
