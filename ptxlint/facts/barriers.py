"""Barriers of the CTA: where all threads that one counts are shown to meet."""

from __future__ import annotations

from analyses.program import Effect, barrier_operands
from ptxlint.facts.kernel_facts import Facts
from ptxlint.ir import PtxInstr


def met(facts: Facts, barrier: PtxInstr, block: int) -> bool:
    """True if all threads of the CTA wait there or at the barrier that opens with it: the lanes of
    a warp come together, where it is aligned, and no thread that it counts has exited."""
    if barrier not in facts.cta_barriers.all or not facts.cta_barriers.aligned:
        return False
    counted = barrier_operands(barrier)[1] is not None
    if counted and block in facts.divergence.partially_exited:
        return False
    return not barrier.effects & Effect.ALIGNED or facts.whole_warps(block)
