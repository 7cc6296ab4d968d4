"""Barriers of the CTA: where all threads that one counts are shown to meet, and legal operands."""

from __future__ import annotations

from math import gcd

from analyses.domains.uniformity import Level
from analyses.domains.wrapped_interval import StridedInterval
from analyses.hardware import BARRIERS, WARP
from analyses.program import Effect, Operand, barrier_operands
from ptxlint.facts.kernel_facts import Facts
from ptxlint.ir import PtxInstr


def met(facts: Facts, barrier: PtxInstr, block: int) -> bool:
    """True if all threads of the CTA wait there or at the barrier that opens with it: they give one
    legal number, the lanes of a warp come together, where it is aligned, and no thread that it
    counts has exited."""
    if barrier not in facts.cta_barriers.all or not facts.cta_barriers.aligned:
        return False
    number, count = barrier_operands(barrier)
    one = facts.divergence.use(number, block) <= Level.CTA
    if not one or not number_legal(facts, number, block):
        return False
    if count is not None and block in facts.divergence.partially_exited:
        return False
    return not barrier.effects & Effect.ALIGNED or facts.whole_warps(block)


def values(facts: Facts, operand: Operand, block: int) -> StridedInterval | None:
    """None if no thread comes to the block."""
    fact = facts.guarded.at(operand, block)
    if not facts.values.reached(block) or facts.values.numbers.is_bottom(fact):
        return None
    return facts.values.interval(fact)


def number_legal(facts: Facts, number: Operand, block: int) -> bool | None:
    """True for the number of a barrier; None if some of its values are legal and others are not."""
    numbers = values(facts, number, block)
    if numbers is None:
        return True
    low, high = numbers.unsigned_bounds()
    return None if low < BARRIERS <= high else high < BARRIERS


def count_legal(facts: Facts, count: Operand, block: int, least: int) -> bool | None:
    """True for whole warps; None if some of its values are legal and others are not. These are the
    first one and multiples of the stride more."""
    counts = values(facts, count, block)
    if counts is None:
        return True
    low, high = counts.unsigned_bounds()
    if low >= least and counts.lo % WARP == counts.stride % WARP == 0:
        return True
    possible = counts.lo % gcd(counts.stride, WARP) == 0 and high >= least
    return None if possible else False
