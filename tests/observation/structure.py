"""Claims about SSA form itself: they hold for every kernel, whatever runs."""

from __future__ import annotations

from collections.abc import Iterator

from analyses.graph import dominators, loops
from analyses.program import Block, Operand, Value
from ptxlint.ir import Kernel


def broken(kernel: Kernel) -> Iterator[str]:
    """What is wrong with the form of a kernel, in words."""
    blocks = kernel.blocks
    graph = [block.terminator.targets for block in blocks]
    tree = dominators(graph)
    yield from _misplaced(blocks, graph)
    for loop in loops(graph, tree).values():
        if loop.natural and len(loop.latches) != 1:
            yield f"the loop at block {loop.head} has latches {loop.latches}"
    homes: dict[Value, tuple[int, int]] = {}
    for block in blocks:
        for value, place in _definitions(block):
            if value in homes:
                yield f"{value} is defined twice"
            homes[value] = (block.index, place)
    for block in blocks:
        for operand, at, place in _uses(block):
            if not isinstance(operand, Value):
                continue
            home = homes.get(operand)
            if home is None:
                yield f"{operand} is used in block {at} and defined nowhere"
            elif home[0] == at and home[1] >= place:
                yield f"{operand} is used in block {at} before it is defined"
            elif not tree.dominates(home[0], at):
                yield f"{operand} is used in block {at}, its block {home[0]} does not dominate"


def _misplaced(blocks: list[Block], graph: list[tuple[int, ...]]) -> Iterator[str]:
    for index, block in enumerate(blocks):
        came = [source for source, targets in enumerate(graph) if index in targets]
        if block.index != index:
            yield f"block {index} says that it is block {block.index}"
        if sorted(block.predecessors) != came:
            yield f"block {index} comes from {came}, not from {block.predecessors}"
        if not index and came:
            yield "the entry has predecessors"
        for source in came:
            if len(came) > 1 and len(set(graph[source])) > 1:
                yield f"the edge from {source} to {index} is critical"
        for phi in block.phis:
            if sorted(phi.sources) != came:
                yield f"{phi.target} has sources from {sorted(phi.sources)}, not from {came}"
            for operand in phi.sources.values():
                if operand.width != phi.target.width:
                    yield f"{phi.target} has {phi.target.width} bits, a source {operand.width}"


def _definitions(block: Block) -> Iterator[tuple[Value, int]]:
    """Values with their place in the block: phis at 0, assumes from 1 on, then instructions."""
    yield from ((phi.target, 0) for phi in block.phis)
    yield from ((node.target, i) for i, node in enumerate(block.assumes, 1))
    first = len(block.assumes) + 1
    for place, instr in enumerate(block.instrs, first):
        yield from ((value, place) for value in instr.defs)


def _uses(block: Block) -> Iterator[tuple[Operand, int, int]]:
    """Operands, the block and the place in it where they are read; a phi reads on the edge."""
    end = len(block.assumes) + len(block.instrs) + 1
    for phi in block.phis:
        yield from ((operand, source, 1 << 30) for source, operand in phi.sources.items())
    for place, node in enumerate(block.assumes, 1):
        yield node.source, block.index, place
    for place, instr in enumerate(block.instrs, len(block.assumes) + 1):
        yield from ((operand, block.index, place) for operand in instr.uses)
    if block.terminator.condition is not None:
        yield block.terminator.condition, block.index, end
