"""The control flow and the definitions of a function: computed once, read by all analyses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
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
from analyses.program import Block, Instr, SsaFunction, Value
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
