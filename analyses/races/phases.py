"""Barrier phases: the accesses that two threads of a CTA may make with no barrier between them.

A *CTA barrier* is one at which all threads of the CTA wait that have not exited. What a thread does
between two of them it does after the start of the kernel or after one CTA barrier. Two threads may
leave a barrier by different instructions: PTX counts the warps that arrive at its number. So a
phase is two starts at which two threads can be at once, and the accesses that follow either.

*Which starts.* Both threads begin at the start of the kernel, and from a pair of starts they go on
to a barrier each, of one number. If each thread passes as many barriers as the others on its way
through every branch at which threads of the CTA diverge (``balanced``), threads that have passed as
many barriers have executed the same instances of the branches around them. Then two threads wait at
different instructions only if a divergent branch controls one of these: otherwise each thread comes
to both, and one of the two comes first for both. Without that, any two barriers may open together.

*Exited threads* are not waited for, and nothing orders what they did: the accesses on a way to the
exit, past which other threads go on, belong to all phases that follow.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from functools import cached_property
from itertools import product
from typing import NamedTuple

from analyses.divergence import Divergence
from analyses.domains.uniformity import Level
from analyses.hardware import WARP
from analyses.program import (
    Block,
    Constant,
    Effect,
    Instr,
    Operand,
    SsaFunction,
    barrier_operands,
    exit_blocks,
)
from analyses.races.outstanding import Outstanding


class Start(NamedTuple):
    """The start of a phase in a block: behind its first ``place`` instructions."""

    block: int
    place: int


BEGIN = Start(0, 0)


class Reach(NamedTuple):
    """What a thread may do from a start to the next CTA barriers: its accesses, those on a way to
    an exit that other threads may not take, and the starts behind the barriers."""

    accesses: frozenset[Instr]
    leaving: frozenset[Instr]
    following: tuple[Start, ...]


class CtaBarriers:
    """The barriers at which all ``threads`` of a CTA wait (None: an unknown number)."""

    def __init__(
        self, function: SsaFunction, divergence: Divergence, threads: int | None = None
    ) -> None:
        self.blocks = function.blocks
        self.divergence = divergence
        self.warps = None if threads is None else -(-threads // WARP)
        self.exits = exit_blocks(self.blocks)
        self.outstanding = Outstanding(function)

    # --- barriers

    @cached_property
    def all(self) -> frozenset[Instr]:
        """A barrier with a number of threads does not say which threads they are, unless it is that
        of the whole CTA. All instructions of a CTA barrier wait for the whole CTA."""
        waits, others = list[Instr](), set[Operand]()
        for block in self.blocks:
            for instr in block.instrs:
                if instr.effects & (Effect.BARRIER | Effect.ARRIVE):
                    if self._waits_for_all(instr):
                        waits.append(instr)
                    else:
                        others.add(barrier_operands(instr)[0])
        return frozenset(
            instr
            for instr in waits
            if not any(may_equal(barrier_operands(instr)[0], number) for number in others)
        )

    def _waits_for_all(self, barrier: Instr) -> bool:
        count = barrier_operands(barrier)[1]
        whole = (0, WARP * (self.warps or 0))
        said = count is None or (isinstance(count, Constant) and count.bits in whole)
        return said and bool(barrier.effects & Effect.BARRIER)

    def balanced(self, block: int) -> bool:
        """True if a thread passes the same barriers whichever way it takes at the branches that
        control the block and at which threads of the CTA diverge."""
        return all(
            self._balanced_branch(branch)
            for branch in self.divergence.controlling[block]
            if self.divergence.branches.get(branch, Level.GRID) > Level.CTA
        )

    def _balanced_branch(self, branch: int) -> bool:
        """The barriers on the way from the branch to each block that it controls, and to where it
        does not, are the same on every path. Threads that exit at the branch are not waited for."""
        controlling = self.divergence.controlling
        passed: dict[int, tuple[Operand, ...]] = {}
        ends = set[tuple[Operand, ...]]()
        work: list[tuple[int, tuple[Operand, ...]]] = [
            (target, ())
            for target in self.blocks[branch].terminator.targets
            if target not in self.exits
        ]
        while work:
            index, before = work.pop()
            if branch not in controlling[index] or index in self.exits:
                ends.add(before)
                continue
            if index in passed:
                if passed[index] != before:
                    return False
                continue
            passed[index] = after = before
            for instr in self.blocks[index].instrs:
                if instr in self.all:
                    number = barrier_operands(instr)[0]
                    if not isinstance(number, Constant):
                        return False
                    after += (number,)
            targets = self.blocks[index].terminator.targets
            work += [(target, after) for target in targets]
            if not targets:
                ends.add(after)
        return len(ends) < 2

    @cached_property
    def aligned(self) -> bool:
        """True if the branches around all CTA barriers are balanced."""
        inside = {b.index for b in self.blocks if any(instr in self.all for instr in b.instrs)}
        return all(map(self.balanced, inside))

    # --- phases

    def phases(self) -> Iterator[frozenset[Instr]]:
        """The accesses of each two starts at which two threads may be at once."""
        found = set[frozenset[Instr]]()
        for one, other, left in self._pairs():
            here, there = self._reach[one], self._reach[other]
            phase = (here.leaving if left else here.accesses) | there.accesses
            if phase not in found:
                found.add(phase)
                yield phase

    def _pairs(self) -> Iterator[tuple[Start, Start, bool]]:
        """Starts of two threads; true if the first thread exits in its phase and the other has gone
        on."""
        work: list[tuple[Start, Start, bool]] = [(BEGIN, BEGIN, False)]
        seen = set(work)
        while work:
            one, other, left = pair = work.pop()
            yield pair
            here, there = self._reach[one], self._reach[other]
            ahead = [(one, start, True) for start in there.following if here.leaving]
            if not left:
                ahead += [(other, start, True) for start in here.following if there.leaving]
                ahead += [
                    (min(a, b), max(a, b), False)
                    for a, b in product(here.following, there.following)
                    if self._may_meet(a, b)
                ]
            work += set(ahead) - seen
            seen.update(ahead)

    def _may_meet(self, one: Start, other: Start) -> bool:
        """True if two threads may leave a barrier at these starts."""
        if one == other:
            return True
        control = self.divergence.control
        if self.aligned and max(control[one.block], control[other.block]) <= Level.CTA:
            return False
        return may_equal(self._number(one), self._number(other))

    def _number(self, start: Start) -> Operand:
        return barrier_operands(self.blocks[start.block].instrs[start.place - 1])[0]

    @cached_property
    def _reach(self) -> dict[Start, Reach]:
        starts = [BEGIN]
        for block in self.blocks:
            starts += [Start(block.index, i + 1) for i, instr in enumerate(block.instrs)
                       if instr in self.all]  # fmt: skip
        return {start: self._from(start) for start in starts}

    def _from(self, start: Start) -> Reach:
        accesses: dict[Start, list[Instr]] = {}
        before: dict[Start, list[Start]] = {start: []}
        following, leaving = list[Start](), list[Start]()
        work = [start]
        while work:
            node = work.pop()
            block = self.blocks[node.block]
            accesses[node] = []
            for place, instr in enumerate(block.instrs[node.place :], node.place):
                if instr in self.all:
                    following.append(Start(node.block, place + 1))
                    break
                if instr.access is not None:
                    accesses[node].append(instr)
            else:
                if self._leaves(block):
                    leaving.append(node)
                for target in block.terminator.targets:
                    ahead = Start(target, 0)
                    if ahead not in before:
                        work.append(ahead)
                    before.setdefault(ahead, []).append(node)
        way = reaching(leaving, before)
        issued = frozenset(self.outstanding.at(*start))
        left = frozenset(instr for node in way for instr in accesses[node])
        return Reach(
            issued.union(*accesses.values()),
            left | issued if way else left,
            tuple(dict.fromkeys(following)),
        )

    def _leaves(self, block: Block) -> bool:
        """True if a thread may exit at the end of the block while others of its CTA do not."""
        targets = block.terminator.targets
        if targets and self.exits.isdisjoint(targets):
            return False
        level = self.divergence.control[block.index]
        if targets:
            level = max(level, self.divergence.branches.get(block.index, Level.GRID))
        return level > Level.CTA or not self.aligned


def reaching(ends: Collection[Start], before: dict[Start, list[Start]]) -> set[Start]:
    """The nodes from which a path leads to the ends."""
    found, work = set(ends), list(ends)
    while work:
        new = set(before[work.pop()]) - found
        found |= new
        work += new
    return found


def may_equal(one: Operand, other: Operand) -> bool:
    """False for two constants that differ."""
    return not (isinstance(one, Constant) and isinstance(other, Constant) and one != other)
