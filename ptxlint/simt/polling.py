"""Scheduling of threads that poll a barrier object, a flag or a lock.

The lowest block runs first, so threads that loop until a phase completes would starve those that
complete it. A polling segment loses its priority after it ran. Threads at a post-dominator of the
polling ones wait for them, as at any branch, but only while memory changes: if a whole round of
polling found no change and let no thread pass, they run. Every schedule is legal, so this one is.
Threads that poll although nothing else is left to run, for ``IDLE_ROUNDS``, are taken to do so for
ever.
"""

from __future__ import annotations

from collections.abc import Mapping

from analyses.concrete.bitvectors import Array
from analyses.graph import postdominators
from ptxlint.simt.code import Code, Segment

IDLE_ROUNDS = 1000


class Polling:
    """The polling segments, those that lost their priority, and where other threads wait for
    them."""

    def __init__(self, code: Code) -> None:
        self.joins = _join_segments(code.segments, code.polling) if code.polling else {}
        self.changing = code.changing
        self.deprioritised: set[int] = set()
        self.held_back: frozenset[int] = frozenset()
        self.unchanged = False  # no write since all have polled, but by polling
        self.waiting: dict[int, bytes] = {}  # the lanes that polled in the last round
        self.idle_rounds = 0  # in which nothing changed, and nothing else could run

    def priority(self, number: int) -> tuple[bool, int]:
        """The sort key of a segment: the least runs next."""
        return number in self.deprioritised or number in self.held_back, number

    def ran(self, number: int) -> None:
        if number in self.joins:
            self.deprioritised.add(number)
        elif number in self.changing:
            self.unchanged = False

    @property
    def endless(self) -> bool:
        return self.idle_rounds > IDLE_ROUNDS

    def all_polled(self, pending: Mapping[int, Array]) -> bool:
        """True if all runnable segments have polled. Then they poll again; if memory has not
        changed, the segments that wait for them run."""
        if not self.deprioritised:
            return False
        self.held_back = frozenset().union(
            *(self.joins[n] for n in self.deprioritised if n in pending)
        )
        if not pending or not all(n in self.deprioritised or n in self.held_back for n in pending):
            return False
        waiting = {n: lanes.tobytes() for n, lanes in pending.items() if n in self.deprioritised}
        if waiting != self.waiting:
            self.waiting, self.unchanged = waiting, False
        alone = self.held_back.isdisjoint(pending)
        self.idle_rounds = self.idle_rounds + 1 if alone and self.unchanged else 0
        if alone or not self.unchanged:
            self.deprioritised.clear()
        self.held_back = frozenset()
        self.unchanged = True
        return True


def _join_segments(
    segments: tuple[Segment, ...], polling: tuple[Segment, ...]
) -> dict[int, frozenset[int]]:
    """For each polling segment, the segments at which its blocks' post-dominators begin."""
    start = {s.block.index: s.index for s in segments if s.first}
    blocks = {s.block.index: s.block for s in segments}
    after = postdominators([blocks[i].terminator.targets for i in range(len(blocks))])
    found: dict[int, frozenset[int]] = {}
    for segment in polling:
        found_joins, block = set(), after[segment.block.index]
        while block in start:
            found_joins.add(start[block])
            block = after[block]
        found[segment.index] = frozenset(found_joins)
    return found
