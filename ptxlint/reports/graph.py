"""Control flow as DOT: a node for each basic block, divergent branches dashed, costs in the nodes.

The graph is that of ``Kernel.graph``, a networkx graph; Graphviz lays it out.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from analyses.domains.uniformity import Level
from analyses.program import Block
from ptxlint.analysis import Analysis
from ptxlint.errors import Error
from ptxlint.facts.kernel_facts import Facts
from ptxlint.ir import written_in
from ptxlint.mangling import demangled
from ptxlint.places import Locations
from ptxlint.results.report import AccessResult
from ptxlint.source import harmless

LINES = 12  # of a block
WIDTH = 60  # characters of a line


def dot(analysis: Analysis, places: Locations) -> str:
    """The graph of one kernel. Raises Error if it could not be analysed, or without networkx."""
    facts, kernel = analysis.facts, analysis.kernel
    if facts is None:
        raise Error(f"{kernel.demangled}: it is not analysed")
    found = kernel.graph()
    costs = {access.ptx.line: access for access in analysis.result(places).accesses}
    levels = facts.divergence.branches
    lines = [
        f"digraph {quoted(demangled(kernel.name))} {{",
        '  node [shape=box, fontname="monospace", fontsize=10, style=filled, fillcolor=white];',
        '  edge [fontname="sans-serif", fontsize=9];',
    ]
    shown = [block for block in kernel.blocks if numbers(block, places)]
    for block in shown:
        text = "\\l".join(
            [*map(escaped, contents(block, found.nodes[block.index], costs, places)), ""]
        )
        costly = any(above(costs[line]) for line in numbers(block, places) if line in costs)
        lines.append(f'  {block.index} [label="{text}"{", fillcolor=mistyrose" * costly}];')
        divergent = levels.get(block.index, Level.GRID) > Level.WARP
        lines += edges(block, divergent, {b.index: b for b in shown}, kernel.blocks, facts)
    return "\n".join([*lines, "}", ""])


def contents(
    block: Block, node: dict[str, Any], costs: dict[int, AccessResult], places: Locations
) -> Iterator[str]:
    """The lines of a block, with the cost behind each access."""
    first = node["line"]
    yield f"block {block.index}" + (f", line {first}" if first is not None else "")
    lines = numbers(block, places)
    shown = list(zip(lines, node["instructions"], strict=True))
    for line, text in shown[:LINES]:
        cost = costs[line].cost if line in costs else None
        said = f"  // {cost}" if cost is not None and cost.actual else ""
        yield " ".join(text.split())[:WIDTH] + said
    if len(shown) > LINES:
        yield f"... {len(shown) - LINES} more"


def numbers(block: Block, places: Locations) -> list[int]:
    """The lines of the instructions of a block."""
    return [places.ptx(instr).line for instr in written_in(block)]


def above(access: AccessResult) -> bool:
    """True if a request costs more than its ideal."""
    return access.cost is not None and access.cost.actual > access.cost.ideal


def edges(
    block: Block, divergent: bool, shown: Mapping[int, Block], blocks: Sequence[Block], facts: Facts
) -> Iterator[str]:
    """The edges of a branch: which is taken, and whether lanes diverge there. Blocks that lowering
    put in, without an instruction, are passed over."""
    targets, loops = block.terminator.targets, facts.flow.loops
    for place, target in enumerate(targets):
        while target not in shown and len(blocks[target].terminator.targets) == 1:
            target = blocks[target].terminator.targets[0]
        if target not in shown:  # the exit
            continue
        words = [("taken", "not taken")[place]] if len(targets) == 2 else []
        words += ["divergent"] * (divergent and len(targets) > 1)
        words += ["loop"] * (target in loops and block.index in loops[target].nodes)
        marks = [f'label="{", ".join(words)}"'] * bool(words)
        marks += ["style=dashed", "color=purple"] * (divergent and len(targets) > 1)
        yield f"  {block.index} -> {target} [{', '.join(marks)}];"


def quoted(text: str) -> str:
    return f'"{escaped(text)}"'


def escaped(text: str) -> str:
    """As a string of DOT has it; control characters are replaced."""
    return harmless(text).replace("\\", "\\\\").replace('"', '\\"')
