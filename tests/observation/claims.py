"""What a claim is: it watches a run and tells where a fact does not cover what happens.

A claim reads facts once, then sees the events that it needs. ``hold`` is the only way to judge:
it counts every lane that was looked at and keeps the first lane that breaks a fact.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

import numpy as np

from analyses.concrete.bitvectors import Array
from analyses.concrete.machine import BitVector
from analyses.program import Assume, Phi, Terminator, Value
from ptxlint.contracts.declaration import Triple
from ptxlint.facts.kernel_facts import Facts
from ptxlint.ir import PtxInstr
from ptxlint.simt import Machine, Observer

Cause = PtxInstr | Phi | Assume
OUT_OF_STEP = "out of step at a divergent barrier"


@dataclass(frozen=True)
class Violation:
    """A fact that a run contradicts: whose, what it says, what was seen, and in which thread."""

    claim: str
    subject: str
    fact: str
    seen: str
    lane: int
    ctaid: Triple
    tid: Triple
    offset: int | None = None  # of the instruction in the text

    def __str__(self) -> str:
        where = f"lane {self.lane}, block {self.ctaid}, thread {self.tid}"
        return f"{self.claim}: {self.subject} is {self.fact}, but was {self.seen} ({where})"

    def located(self, text: str) -> str:
        """With the line of PTX that it is about."""
        if self.offset is None:
            return str(self)
        number = text.count("\n", 0, self.offset) + 1
        return f"{self}\n    line {number}: {text.splitlines()[number - 1].strip()}"


@dataclass
class Observation:
    """How often a fact was held against a run, what broke, and what could not be judged."""

    checks: int = 0
    violations: list[Violation] = field(default_factory=list)
    by_claim: Counter[str] = field(default_factory=Counter)
    skipped: Counter[str] = field(default_factory=Counter)

    def __str__(self) -> str:
        claims = ", ".join(f"{count:,} {claim}" for claim, count in self.by_claim.most_common())
        return (
            f"observation: {self.checks:,} facts held against runs ({claims}), "
            f"{len(self.violations)} contradicted; "
            f"{self.skipped[OUT_OF_STEP]:,} were {OUT_OF_STEP} and not judged"
        )

    def count(self, claim: str, checks: int) -> None:
        self.checks += checks
        self.by_claim[claim] += checks

    def add(self, other: Observation) -> None:
        self.checks += other.checks
        self.violations += other.violations
        self.by_claim.update(other.by_claim)
        self.skipped.update(other.skipped)


class Claim:
    """Sees a run as an ``Observer`` does; a subclass overrides what it cares about."""

    name = ""
    settled = False
    """Whether it judges a phi only where those beside it are known, too."""

    def __init__(self, facts: Facts, seen: Observation) -> None:
        self.facts = facts
        self.seen = seen
        self.machine: Machine
        self._broken: set[tuple[str, str]] = set()

    def begin(self, machine: Machine) -> None:
        """A batch of blocks starts."""
        self.machine = machine

    def end(self) -> None:
        """A batch has ended, within its budget."""

    def entered(self, block: int, active: Array) -> None: ...

    def defined(self, cause: Cause, value: Value, word: BitVector, active: Array) -> None: ...

    def accessed(self, instr: PtxInstr, space: str, addresses: Array, active: Array) -> None: ...

    def branched(
        self, block: int, end: Terminator, condition: BitVector | None, active: Array
    ) -> None: ...

    def hold(
        self,
        subject: object,
        fact: object,
        held: Array,
        word: Array,
        active: Array,
        cause: object = None,
    ) -> None:
        """``held`` must be true in every active lane; ``word`` is what was there."""
        self.seen.count(self.name, int(np.count_nonzero(active)))
        broken = active & ~held
        if not broken.any():
            return
        lane = int(np.argmax(broken))
        word = np.broadcast_to(word, active.shape)
        self.broken(subject, fact, f"{word[lane]:#x}" if word.dtype != bool else word[lane], lane,
                    cause)  # fmt: skip

    def broken(
        self, subject: object, fact: object, seen: object, lane: int, cause: object = None
    ) -> None:
        """Keeps the first violation of a fact."""
        if (str(subject), str(fact)) in self._broken:
            return
        self._broken.add((str(subject), str(fact)))
        ctaid, tid = self.machine.layout.thread(lane)
        offset = getattr(cause, "offset", None)
        self.seen.violations.append(
            Violation(self.name, str(subject), str(fact), str(seen), lane, ctaid, tid, offset)
        )


class Watch(Observer):
    """An observer that hands every event to all claims, in their order. The phis of a block are
    defined at once: claims about ``settled`` words see them when all are there."""

    def __init__(self, *claims: Claim) -> None:
        self.claims = claims
        self._running = False
        self._phis: dict[Value, tuple[Cause, BitVector, Array]] = {}

    def begin(self, machine: Machine) -> None:
        self.end()
        self._running = True
        for claim in self.claims:
            claim.begin(machine)

    def end(self) -> None:
        self._settle()
        for claim in self.claims if self._running else ():
            claim.end()

    def entered(self, block: int, active: Array) -> None:
        self._settle()
        for claim in self.claims:
            claim.entered(block, active)

    def defined(self, cause: Cause, value: Value, word: BitVector, active: Array) -> None:
        phi = isinstance(cause, Phi)
        if not phi or value in self._phis:
            self._settle()
        if phi:
            self._phis[value] = cause, word, active
        for claim in self.claims:
            if not (phi and claim.settled):
                claim.defined(cause, value, word, active)

    def _settle(self) -> None:
        phis, self._phis = self._phis, {}
        for value, (cause, word, active) in phis.items():
            for claim in self.claims:
                if claim.settled:
                    claim.defined(cause, value, word, active)

    def accessed(self, instr: PtxInstr, space: str, addresses: Array, active: Array) -> None:
        self._settle()
        for claim in self.claims:
            claim.accessed(instr, space, addresses, active)

    def branched(
        self, block: int, terminator: Terminator, condition: BitVector | None, active: Array
    ) -> None:
        self._settle()
        for claim in self.claims:
            claim.branched(block, terminator, condition, active)


def signed(word: BitVector, lanes: int) -> Array:
    """The word of every lane read as signed, in 64 bits."""
    bits = word.signed.astype(np.int64)
    return np.broadcast_to(bits, (lanes,)).copy()
