"""Whose turn it is while threads poll a barrier object.

Blocks run lowest first, so threads that loop until a phase is over would keep those from running
that are to end it. A segment that polls is therefore weary after its turn: it waits until all that
can run have polled, and barriers that are complete have opened. No order of threads is wrong, so
this one is not.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from ptxlint.simt.code import Segment


class Waits:
    """The segments that poll, and which of them are weary."""

    def __init__(self, segments: Iterable[Segment]) -> None:
        self.polling = frozenset(s.index for s in segments if any(i.polls for i in s.instrs))
        self.weary: set[int] = set()

    def place(self, number: int) -> tuple[bool, int]:
        """Sorts segments: the first is to run next."""
        return number in self.weary, number

    def ran(self, number: int) -> None:
        if number in self.polling:
            self.weary.add(number)

    def all_asked(self, pending: Collection[int]) -> bool:
        """Whether all that could run has polled by now; they may all ask again."""
        if not self.weary or not pending or not self.weary.issuperset(pending):
            return False
        self.weary.clear()
        return True
