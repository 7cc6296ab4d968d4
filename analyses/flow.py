"""The control flow and the definitions of a function: computed once, read by all analyses."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property

from analyses import slices
from analyses.conditions import Formulas
from analyses.graph import (
    Dominators,
    Graph,
    Loop,
    WeakOrder,
    dominators,
    loops,
    postdominators,
    weak_topological_order,
)
from analyses.program import Block, Instr, Operand, SsaFunction, Value, branch_into, branch_taken
from analyses.slices import Slice


class Flow:
    """The cached graphs of one function, whose blocks and instructions do not change."""

    def __init__(self, function: SsaFunction) -> None:
        self.function = function

    @property
    def blocks(self) -> Sequence[Block]:
        return self.function.blocks

    # --- control

    @cached_property
    def graph(self) -> Graph:
        """The successors of each block."""
        return [block.terminator.targets for block in self.blocks]

    @cached_property
    def order(self) -> WeakOrder:
        return weak_topological_order(self.graph)

    @cached_property
    def tree(self) -> Dominators:
        return dominators(self.graph)

    @cached_property
    def after(self) -> list[int]:
        """The immediate post-dominator of each block."""
        return postdominators(self.graph)

    @cached_property
    def dependences(self) -> list[set[int]]:
        """The branches on which each block depends: by one of their ways it is always reached, and
        not by all (Ferrante, Ottenstein and Warren, "The program dependence graph", 1987)."""
        found: list[set[int]] = [set() for _ in self.graph]
        for branch, targets in enumerate(self.graph):
            for block in targets if len(targets) > 1 else ():
                while block not in (self.after[branch], len(found)):
                    found[block].add(branch)
                    block = self.after[block]
        return found

    @cached_property
    def joins(self) -> list[set[Value]]:
        """By branch, the phis on its ways to where they all meet, and there."""
        return [self._joined(block) for block in range(len(self.graph))]

    def _joined(self, branch: int) -> set[Value]:
        targets, end = self.graph[branch], self.after[branch]
        found, work = set[int](), [*targets] if len(targets) > 1 else []
        while work:
            block = work.pop()
            if block not in found:
                found.add(block)
                work += self.graph[block] if block != end else ()
        return {phi.target for block in found for phi in self.blocks[block].phis}

    @cached_property
    def loops(self) -> dict[int, Loop]:
        """All loops by head, outer ones first."""
        return loops(self.graph, self.tree, self.order)

    @cached_property
    def inside(self) -> list[list[Loop]]:
        """By block, the loops that contain it, outer ones first."""
        inside: list[list[Loop]] = [[] for _ in self.blocks]
        for loop in self.loops.values():
            for node in loop.nodes:
                inside[node].append(loop)
        return inside

    def branches(self, source: int, target: int | None = None) -> Iterator[tuple[Operand, bool]]:
        """The branches on every way to the end of a block, and that to its target if one is given,
        each with its predicate's value: the last one first. In SSA form a name keeps its value
        until its block is entered again, and a branch that speaks of it is then passed again too.
        """
        last = None if target is None else branch_taken(self.blocks, source, target)
        if last is not None:
            yield last
        block = source
        while block >= 0:
            taken = branch_into(self.blocks, block)
            if taken is not None:
                yield taken
            block = self.tree.parent[block]

    # --- names

    @cached_property
    def home(self) -> Mapping[Value, int]:
        """The block that defines each name."""
        return {value: block.index for block in self.blocks for value in block.defined()}

    @cached_property
    def definition(self) -> Mapping[Value, Instr]:
        """The instruction that defines a name; absent for phis and assumes."""
        return {
            value: instr for block in self.blocks for instr in block.instrs for value in instr.defs
        }

    @cached_property
    def formulas(self) -> Formulas:
        """The formulas of predicates."""
        return Formulas(self.definition.get)

    @cached_property
    def control_and_address_slice(self) -> Slice:
        """The slice of all branch conditions, addresses and masks."""
        return slices.control_and_address_slice(self.function)

    @cached_property
    def full_slice(self) -> Slice:
        """The slice of all names."""
        return slices.full_slice(self.function)
