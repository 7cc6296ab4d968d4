"""The path between the two accesses of a race: the way a thread may go from one to the other with
no barrier of the CTA on it."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator

from analyses.program import Block, Effect, Instr
from ptxlint.analysis import Analysis
from ptxlint.claim import DataRace
from ptxlint.ir import Kernel, PtxInstr, is_written
from ptxlint.places import Locations
from ptxlint.results.kernel_view import UnorderedPath


def unordered_paths(analysis: Analysis, places: Locations) -> Iterator[UnorderedPath]:
    """One path for each race of two instructions: from the first in the text if there is one, else
    from the second, around a loop."""
    for claim in analysis.claims:
        if not isinstance(claim.harm, DataRace):
            continue
        for other in claim.related:
            ends = sorted((claim.instr, other.instr), key=lambda instr: instr.offset)
            found = path(analysis.kernel, *ends) or path(analysis.kernel, *reversed(ends))
            if found is not None:
                lines = tuple(dict.fromkeys(places.ptx(instr).line for instr in found))
                yield UnorderedPath(
                    places.ptx(claim.instr).line, places.ptx(other.instr).line, lines
                )


def path(kernel: Kernel, start: PtxInstr, end: PtxInstr) -> list[PtxInstr] | None:
    """A shortest way, in blocks: the two ends, and the branches and labels between; None if every
    way has a barrier, or there is none."""
    home = {instr: block for block in kernel.blocks for instr in block.instrs}
    if start not in home or end not in home:
        return None
    first, last = home[start], home[end]
    if first is last and first.instrs.index(start) <= first.instrs.index(end):
        between = first.instrs[first.instrs.index(start) : first.instrs.index(end)]
        return None if any(map(waits, between)) else [start, end]
    if any(map(waits, first.instrs[first.instrs.index(start) :])):
        return None
    if any(map(waits, last.instrs[: last.instrs.index(end)])):
        return None
    way = blocks_between(kernel, first, last)
    return None if way is None else [start, *ends_of(way), end]


def blocks_between(kernel: Kernel, first: Block, last: Block) -> list[Block] | None:
    """The blocks of a shortest way without a barrier, ``last`` excepted."""
    came: dict[int, int] = {}
    open_ = deque([first.index])
    while open_:
        at = open_.popleft()
        for target in kernel.blocks[at].terminator.targets:
            if target == last.index:
                way = [at]
                while way[-1] != first.index:
                    way.append(came[way[-1]])
                return [kernel.blocks[index] for index in reversed(way)]
            if target not in came and not any(map(waits, kernel.blocks[target].instrs)):
                came[target] = at
                open_.append(target)
    return None


def ends_of(blocks: list[Block]) -> Iterator[PtxInstr]:
    """The branches at the ends of blocks."""
    for block in blocks:
        if is_written(block.terminator.instr):
            yield block.terminator.instr


def waits(instr: Instr) -> bool:
    return bool(instr.effects & Effect.BARRIER)
