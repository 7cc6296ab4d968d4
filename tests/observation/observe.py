"""The observation: any kernel, any launch, every fact held against what the interpreter does.

``observe`` computes the facts of a kernel under a launch, runs the kernel on a concrete launch that
the first one allows, and gives back how many facts were held against how many words, and which of
them the run contradicts.
"""

from __future__ import annotations

from analyses.domains.lanes import Word
from analyses.domains.words import Array
from analyses.program import Terminator, Value
from ptxlint.contract import Launch
from ptxlint.facts import Facts
from ptxlint.ir import Instr, Kernel
from ptxlint.simt import Machine, Outcome, Setup, run

from .agreement import Agreement, Control
from .claims import Cause, Claim, Observation, Violation
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
        self.control = Control(facts, Observation())
        self.claims: tuple[Claim, ...] = (
            Numbers(facts, seen), loops, polynomials, self.places, Costs(facts, seen),
            Agreement(facts, seen), self.control,
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
    _of_control(facts, watch.control.seen, outcome, seen)
    return seen


def _of_control(facts: Facts, control: Observation, outcome: Outcome, seen: Observation) -> None:
    """Lanes that a barrier holds back are late wherever they come next: then all that is left to
    claim is that divergence knew of one of these barriers."""
    torn = [fault for fault in outcome.faults if fault.kind == "divergent-barrier"]
    if not torn:
        seen.add(control)
        return
    seen.skipped["control after a divergent barrier"] += control.checks
    home = {instr: b.index for b in facts.kernel.blocks for instr in b.instrs}
    guilty = {home[fault.instr] for fault in torn}
    known = facts.divergence
    seen.count("control", 1)
    if not any(known.control[b] > 1 or b in known.thinned for b in guilty):
        fault = torn[0]
        seen.violations.append(
            Violation("control", fault.text, "reached together", str(fault), 0, fault.ctaid,
                      fault.tid, fault.offset)
        )  # fmt: skip


