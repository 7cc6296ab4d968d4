"""The range and the known bits of every word of a function, relative to the start of a region if it
is an address. They hold in every thread that computes the word."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

from msgspec import Struct

from analyses.domains.known_bits import KnownBits
from analyses.domains.product import Product, ProductValue, Reduction
from analyses.domains.reductions import interval_and_bits
from analyses.domains.regions import BasePlusOffset, BasePlusOffsets
from analyses.domains.strided_interval import StridedInterval, StridedIntervals
from analyses.fixpoint import Solution, solve
from analyses.flow import Flow
from analyses.graph import Dominators, Graph, Loop, dominators, predecessors, reverse_postorder
from analyses.program import (
    Instr,
    Operand,
    Region,
    SsaFunction,
    Value,
    branch_taken,
    may_end_thread,
)
from analyses.stored_words import shared_words


class LaunchFacts(Struct, frozen=True):
    """The declared ranges by the name of a special register or ``parameter+offset``, the regions of
    pointer parameters, and the sizes of dynamic arrays."""

    specials: Mapping[str, StridedInterval] = {}
    pointers: Mapping[str, Region] = {}
    interior: frozenset[str] = frozenset()  # of the pointers, those that point behind the start
    extents: Mapping[str, int] = {}  # of open regions, by state space


class Values:
    """The value ranges of one function, given its launches."""

    def __init__(self, flow: Flow, known: LaunchFacts) -> None:
        self.flow = flow
        self.function: SsaFunction = flow.function
        self.tree: Dominators = flow.tree
        self.loops: dict[int, Loop] = flow.loops
        self.definition: Mapping[Value, Instr] = flow.definition
        self.unconditional = _unconditional(flow)
        self.home: Mapping[Value, int] = flow.home
        self.inner = Product(
            (StridedIntervals(known.specials), KnownBits()),
            (Reduction(0, 1, interval_and_bits),),
        )
        self.numbers: BasePlusOffsets[ProductValue] = BasePlusOffsets(
            self.inner, known.pointers, interior=known.interior
        )
        self.interior = known.interior
        self.shared = shared_words(flow, self.numbers, flow.control_and_address_slice)
        self.part = self.shared.part
        self.number: Solution[BasePlusOffset] = solve(
            flow, self.numbers, self.part, self.shared.facts
        )
        self.specials = known.specials
        self.extents = known.extents

    def size(self, region: Region) -> int | None:
        return self.extents.get(region.space) if region.size is None else region.size

    @staticmethod
    def interval(fact: BasePlusOffset) -> StridedInterval:
        interval: StridedInterval = fact.offset[0]
        return interval

    def reached(self, block: int) -> bool:
        """True if a thread may come to the block: on some path no guard is known to fail."""
        return block in self._reached

    @cached_property
    def _reached(self) -> frozenset[int]:
        found, open_ = set[int](), [0]
        while open_:
            block = open_.pop()
            if block not in found and self._entered(block):
                found.add(block)
                open_ += self.function.blocks[block].terminator.targets
        return frozenset(found)

    @cached_property
    def ways_in(self) -> tuple[Graph, list[int]]:
        """The predecessors and the dominators of blocks by edges that some launch takes: declared
        numbers decide branches, and what holds on the last way into a block holds there."""
        blocks, left = self.function.blocks, list[list[int]]()
        for block in blocks:
            each = ((to, branch_taken(blocks, block.index, to)) for to in block.terminator.targets)
            left.append([to for to, by in each if by is None or self.may_be(*by)])
        if sum(map(len, left)) == sum(map(len, self.flow.graph)):
            return [block.predecessors for block in blocks], self.tree.parent
        entered = set(reverse_postorder(left))
        left = [targets if at in entered else [] for at, targets in enumerate(left)]
        return predecessors(left), dominators(left).parent

    def may_be(self, predicate: Operand, truth: bool) -> bool:
        """False if the predicate is known to have the other value."""
        number = self.constant(predicate)
        return number is None or number == truth

    def constant(self, operand: Operand) -> int | None:
        """The number that the operand always is, if that is known and it is no address."""
        fact = self.number(operand)
        if fact.origin is not None or self.numbers.is_bottom(fact):
            return None
        interval = self.interval(fact)
        return interval.value if interval.is_constant else None

    def _entered(self, block: int) -> bool:
        """False if the guard of its edge is known to fail."""
        return block in self.number.reached and not any(
            self.numbers.is_bottom(self.number.facts[node.target])
            for node in self.function.blocks[block].assumes
        )


def _unconditional(flow: Flow) -> frozenset[int]:
    """The unconditional blocks: those that post-dominate the entry, but for those where the thread
    may have ended."""
    passed, at, after = set[int](), 0, flow.after
    while at < len(after):
        passed.add(at)
        at = after[at]
    for block in flow.blocks:
        if any(map(may_end_thread, block.instrs)):
            passed.difference_update(reverse_postorder(flow.graph, block.index))
    return frozenset(passed)
