"""Outstanding accesses: asynchronous ones that their thread may not have waited for.

A thread commits the asynchronous accesses that it has issued to a group, and waits until all groups
but the latest are complete. The *age* of an access is the number of groups committed since it was
issued; a wait that leaves n groups completes the accesses with an age above n. The fixpoint keeps
the least age over all paths and all executions of an instruction: so all accesses that may be
outstanding are found. One that completes by other means, on a barrier object, stays outstanding.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping

from analyses.program import Block, Completion, Effect, Instr, SsaFunction

Ages = Mapping[Instr, int]
"""Outstanding accesses, with their least ages."""


class Outstanding:
    """The outstanding accesses of a function at each program point."""

    def __init__(self, function: SsaFunction) -> None:
        self.blocks = function.blocks
        instrs = [instr for block in self.blocks for instr in block.instrs]
        self.any = any(map(asynchronous, instrs))
        self._oldest = 1 + max(map(left, instrs), default=0)  # every wait completes this age
        self._entries: list[dict[Instr, int]] = [{} for _ in self.blocks]
        self._changing = [list(_changing(block)) for block in self.blocks] if self.any else []
        self._known: dict[int, tuple[list[int], list[Ages]]] = {}
        work = [block.index for block in self.blocks] if self.any else []
        while work:
            block = self.blocks[work.pop()]
            *_, (_, after) = self._ages(block.index)
            for target in block.terminator.targets:
                entry = self._entries[target]
                lower = {i: age for i, age in after.items() if age < entry.get(i, age + 1)}
                if lower:
                    entry.update(lower)
                    work.append(target)

    def at(self, block: int, place: int) -> Ages:
        """Those outstanding behind the first ``place`` instructions of a block."""
        if not self.any:
            return {}
        if block not in self._known:
            places, ages = zip(*self._ages(block), strict=True)
            self._known[block] = list(places), list(ages)
        places_of_block, ages_of_block = self._known[block]
        return ages_of_block[bisect_right(places_of_block, place) - 1]

    def pairs(self) -> Iterator[tuple[Instr, Instr]]:
        """Each access that is made while an access is outstanding, with that one."""
        for block in self.blocks if self.any else ():
            for place, instr in enumerate(block.instrs):
                if instr.access is not None:
                    yield from ((instr, issued) for issued in self.at(block.index, place))

    def _ages(self, block: int) -> Iterator[tuple[int, Ages]]:
        """The ages at the start of a block and behind each instruction that changes them, each with
        the number of instructions before."""
        ages: Ages = self._entries[block]
        yield 0, ages
        for place, instr in self._changing[block]:
            if asynchronous(instr):
                ages = {**ages, instr: 0}
            if instr.effects & Effect.COMMIT:
                ages = {issued: min(age + 1, self._oldest) for issued, age in ages.items()}
            if instr.effects & Effect.AWAIT:
                ages = {
                    issued: age
                    for issued, age in ages.items()
                    if age <= left(instr) or not grouped(issued)
                }
            yield place + 1, ages


def _changing(block: Block) -> Iterator[tuple[int, Instr]]:
    """The instructions of a block that issue, commit or complete accesses, with their places."""
    for place, instr in enumerate(block.instrs):
        if asynchronous(instr) or instr.effects & (Effect.COMMIT | Effect.AWAIT):
            yield place, instr


def asynchronous(instr: Instr) -> bool:
    return instr.access is not None and instr.access.asynchronous


def grouped(instr: Instr) -> bool:
    """True if its thread can wait for it with a group."""
    return instr.access is not None and instr.access.completion is Completion.GROUP


def left(instr: Instr) -> int:
    """The groups that a wait leaves; 0 for other instructions."""
    waits = instr.effects & Effect.AWAIT
    return instr.literals[0] if waits and instr.literals else 0
