"""The observation: any kernel, any launch, every fact held against what the interpreter does.

``observe`` computes the facts of a kernel under a launch, runs the kernel on a concrete launch that
the first one allows, and gives back how many facts were held against how many words, and which of
them the run contradicts.
"""

from __future__ import annotations

from analyses.domains.lanes import Word
from analyses.domains.uniformity import Level
from analyses.domains.words import Array
from analyses.program import Effect, Terminator, Value
from ptxlint.contract import Launch
from ptxlint.facts import Facts
from ptxlint.ir import Instr, Kernel
from ptxlint.simt import Machine, Outcome, Setup, run

from .agreement import Agreement, Control
from .claims import OUT_OF_STEP, Cause, Claim, Observation, Violation
from .memory import Costs, Places
from .structure import broken
from .words import Loops, Numbers, Polynomials

NOBODY = (0, 0, 0)


class Watch:
    """An observer that hands every event to all claims."""

    def __init__(self, facts: Facts, seen: Observation) -> None:
        loops = Loops(facts, seen)
        polynomials = Polynomials(facts, seen, loops)
        self.places = Places(facts, seen, polynomials)
        self.in_step = Observation()  # what rests on threads that keep step
        self.claims: tuple[Claim, ...] = (
            Numbers(facts, seen), loops, polynomials, self.places, Costs(facts, self.in_step),
            Agreement(facts, self.in_step), Control(facts, self.in_step),
        )  # fmt: skip
        self._running = False

    def begin(self, machine: Machine) -> None:
        self.end()
        self._running = True
        for claim in self.claims:
            claim.begin(machine)

    def end(self) -> None:
        for claim in self.claims if self._running else ():
            claim.end()

    def entered(self, block: int, active: Array) -> None:
        for claim in self.claims:
            claim.entered(block, active)

    def defined(self, cause: Cause, value: Value, word: Word, active: Array) -> None:
        for claim in self.claims:
            claim.defined(cause, value, word, active)

    def accessed(self, instr: Instr, space: str, addresses: Array, active: Array) -> None:
        for claim in self.claims:
            claim.accessed(instr, space, addresses, active)

    def branched(
        self, block: int, terminator: Terminator, condition: Word | None, active: Array
    ) -> None:
        for claim in self.claims:
            claim.branched(block, terminator, condition, active)


def observe(
    kernel: Kernel, launch: Launch, setup: Setup | None = None, facts: Facts | None = None
) -> Observation:
    """Holds the facts of ``kernel`` under ``launch`` against one run, by default of the greatest
    launch that it allows."""
    seen = Observation()
    facts = facts or Facts(kernel, launch, "sm_80")
    for problem in broken(kernel):
        seen.violations.append(Violation("form", "SSA", problem, "", 0, NOBODY, NOBODY))
    watch = Watch(facts, seen)
    outcome = run(kernel, setup or Setup.of(kernel, launch), watch)
    watch.places.judge(outcome.faults)
    if not outcome.exhausted:
        watch.end()
    _in_step(facts, watch.in_step, outcome, seen)
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
    if torn and not barriers & known.thinned:
        fault = torn[0]
        seen.violations.append(
            Violation("control", fault.text, "reached together", str(fault), 0, fault.ctaid,
                      fault.tid, fault.offset)
        )  # fmt: skip


