"""Requirements under which a loop that reads digits by masks has one to read at first.

A loop ``do { digit = key >> at & ((1 << min(8, end - at)) - 1); at += 8; } while (at < end)`` reads
any bits where ``end`` is before ``at``. Its back edge says that this is not so in the next
iteration; before the loop nothing says it.
"""

from __future__ import annotations

from collections.abc import Iterator

from analyses.polynomials.polynomial import Polynomial, Symbol
from analyses.polynomials.symbols import PowerOfTwo
from analyses.proofs.path_condition import NOTHING
from ptxlint.facts.kernel_facts import Facts
from ptxlint.inference.reasons import DIGIT
from ptxlint.ir import PtxInstr


def digits(facts: Facts) -> Iterator[tuple[Polynomial, str, PtxInstr]]:
    """What must not be negative so that the back edges of such loops say what holds before them,
    too: each with the reason and an access by such a mask."""
    symbolic, conditions = facts.symbolic, facts.footprints.proofs.conditions
    accesses = by_counters(facts)
    for head, counter in symbolic.counters.items():
        loop = symbolic.loops[head]
        (latch,) = loop.latches
        back = conditions.along(latch, head) if counter in accesses else NOTHING
        for fact in back.known:
            first = symbolic.integers.rewritten(fact.polynomial, {counter: Polynomial.of(-1)})
            if first is None or counter not in fact.polynomial.parts:
                continue
            decided = first.symbols <= facts.decided.keys()
            if decided and not conditions.proves(conditions.entry(loop), first):
                yield first, DIGIT, accesses[counter]


def by_counters(facts: Facts) -> dict[Symbol, PtxInstr]:
    """An access for each symbol that limits a mask of its index."""
    found: dict[Symbol, PtxInstr] = {}
    for one in (one for place in facts.places for one in place.each):
        for power in one.polynomial.parts if one.polynomial is not None else ():
            if isinstance(power, PowerOfTwo) and power.rank and power.limited:
                assert isinstance(one.instr, PtxInstr)
                found |= dict.fromkeys(power.parts - found.keys(), one.instr)
    return found
