"""Whose turn it is while threads poll a barrier object.

Blocks run lowest first, so threads that loop until a phase is over would keep those from running
that are to end it. A segment that polls is therefore weary after its turn: others go first. Threads
that stand where the polling ones will come to (a post-dominator) wait for them, as at any branch,
but no longer than memory changes: when a whole round of polling was in vain, they go on. No order
of threads is wrong, so this one is not.
"""

from __future__ import annotations

from collections.abc import Collection

from analyses.graph import postdominators
from analyses.program import Effect
from ptxlint.simt.code import Segment

CHANGES = Effect.STORE | Effect.ATOMIC


class Polling:
    """The segments that poll, which of them are weary, and where others wait for them."""

    def __init__(self, segments: tuple[Segment, ...]) -> None:
        polling = [s for s in segments if any(instr.polls for instr in s.instrs)]
        self.joins = _joins(segments, polling) if polling else {}
        self.changing = frozenset(
            s.index for s in segments if any(instr.effects & CHANGES for instr in s.instrs)
        )
        self.weary: set[int] = set()
        self.held: frozenset[int] = frozenset()
        self.vain = False  # nothing has changed since all have asked

    def place(self, number: int) -> tuple[bool, int]:
        """Sorts segments: the first is to run next."""
        return number in self.weary or number in self.held, number

    def ran(self, number: int) -> None:
        if number in self.joins:
            self.weary.add(number)
        if number in self.changing:
            self.vain = False

    def all_asked(self, pending: Collection[int]) -> bool:
        """Whether all that could run has polled by now. Then they ask again; where that was in
        vain, those go on that wait for them."""
        if not self.weary:
            return False
        self.held = frozenset().union(*(self.joins[n] for n in self.weary if n in pending))
        if not pending or not all(n in self.weary or n in self.held for n in pending):
            return False
        if not self.vain or self.held.isdisjoint(pending):
            self.weary.clear()
        self.held = frozenset()
        self.vain = True
        return True


def _joins(segments: tuple[Segment, ...], polling: list[Segment]) -> dict[int, frozenset[int]]:
    """For each segment that polls, where the blocks begin that all its threads come to."""
    start = {s.block.index: s.index for s in segments if s.first}
    blocks = {s.block.index: s.block for s in segments}
    after = postdominators([blocks[i].terminator.targets for i in range(len(blocks))])
    found: dict[int, frozenset[int]] = {}
    for segment in polling:
        places, block = set(), after[segment.block.index]
        while block in start:
            places.add(start[block])
            block = after[block]
        found[segment.index] = frozenset(places)
    return found
