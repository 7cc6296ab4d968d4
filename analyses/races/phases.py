"""Barrier phases: the accesses that threads of a CTA may make with no barrier between them.

What a thread does between two barriers it does after the start of the kernel, or after one barrier
at which all threads of the CTA wait. So accesses of two threads are unordered only if one phase
has both.
"""

from __future__ import annotations

from collections.abc import Iterator

from analyses.program import Effect, Instr, SsaFunction


def phases(function: SsaFunction) -> Iterator[frozenset[Instr]]:
    """The accesses that a thread may make between the start, or a barrier, and the next one."""
    starts = [(0, 0)]
    for block in function.blocks:
        starts += [(block.index, i + 1) for i, at in enumerate(block.instrs) if is_cta_barrier(at)]
    for start in starts:
        found, seen, open_ = set(), set[int](), [start]
        while open_:
            index, first = open_.pop()
            block = function.blocks[index]
            for instr in block.instrs[first:]:
                if is_cta_barrier(instr):
                    break
                if instr.access is not None:
                    found.add(instr)
            else:
                ahead = set(block.terminator.targets) - seen
                seen |= ahead
                open_ += [(target, 0) for target in ahead]
        yield frozenset(found)


def is_cta_barrier(instr: Instr) -> bool:
    """True if all threads of the CTA wait here. A barrier that is given a number of threads does
    not say which threads they are."""
    return bool(instr.effects & Effect.BARRIER) and len(instr.uses) < 2
