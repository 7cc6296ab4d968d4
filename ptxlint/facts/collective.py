"""Collective instructions: those that all threads of a grid execute, or none."""

from __future__ import annotations

from analyses.addresses import ResolvedAccess
from analyses.domains.uniformity import Level
from analyses.polynomials.symbols import choices, deep
from ptxlint.facts.kernel_facts import Facts
from ptxlint.ir import PtxInstr


def collective(facts: Facts) -> frozenset[PtxInstr]:
    """The instructions before which no thread has returned, and whose control is the same in all
    threads of the grid. That of the block will do for an access whose offset only depends on the
    thread's place in its block: another block would access the same bytes."""
    by_thread = {place.instr for place in facts.places if depends_on_thread_alone(place)}
    return frozenset(
        instr
        for block in facts.kernel.blocks
        if block.index not in facts.divergence.partially_exited
        for instr in (*block.instrs, block.terminator.instr)
        if isinstance(instr, PtxInstr)
        and control(facts, instr, block.index) <= (Level.CTA if instr in by_thread else Level.GRID)
    )


def control(facts: Facts, instr: PtxInstr, block: int) -> Level:
    """The threads that agree on whether an instruction is executed."""
    mask = None if instr.access is None else instr.access.mask
    masked = Level.GRID if mask is None else facts.divergence.use(mask, block)
    return max(masked, facts.divergence.control[block])


def depends_on_thread_alone(place: ResolvedAccess) -> bool:
    """True if its offset, in a region of known size, is the same in all blocks and launches for a
    place of the thread in a block of a given shape."""
    offset = place.polynomial
    if offset is None or place.size is None or choices((offset,)):
        return False
    primitive = (symbol for symbol in deep(offset) if symbol.parts == {symbol})
    return all(symbol.label.startswith(("tid.", "ntid.")) for symbol in primitive)
