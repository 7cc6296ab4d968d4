"""The flow of control and of words in a function, as all analyses of it see it: found once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property

from analyses import slices
from analyses.conditions import Formulas
from analyses.graph import (
    Dominators,
    Element,
    Graph,
    Loop,
    dominators,
    loops,
    postdominators,
    weak_topological_order,
)
from analyses.program import Block, Instr, SsaFunction, Value
from analyses.slices import Slice


class Flow:
    """Of one function, whose blocks and instructions stay as they are."""

    def __init__(self, function: SsaFunction) -> None:
        self.function = function

    @property
    def blocks(self) -> Sequence[Block]:
        return self.function.blocks

    # --- control

    @cached_property
    def graph(self) -> Graph:
        """The targets of each block."""
        return [block.terminator.targets for block in self.blocks]

    @cached_property
    def order(self) -> tuple[Element, ...]:
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
        """By block, the loops that it lies in, outer ones first."""
        inside: list[list[Loop]] = [[] for _ in self.blocks]
        for loop in self.loops.values():
            for node in loop.nodes:
                inside[node].append(loop)
        return inside

    # --- words

    @cached_property
    def home(self) -> Mapping[Value, int]:
        """The block that defines each name."""
        return {value: block.index for block in self.blocks for value in block.defined()}

    @cached_property
    def definition(self) -> Mapping[Value, Instr]:
        """The instruction that defines a name, where one does."""
        return {
            value: instr for block in self.blocks for instr in block.instrs for value in instr.defs
        }

    @cached_property
    def formulas(self) -> Formulas:
        """What predicates say."""
        return Formulas(self.definition.get)

    @cached_property
    def deciding(self) -> Slice:
        """What decides where threads go and which memory they touch."""
        return slices.deciding(self.function)

    @cached_property
    def whole(self) -> Slice:
        """Every name."""
        return slices.whole(self.function)
