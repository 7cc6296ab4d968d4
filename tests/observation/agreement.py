"""Claims about who agrees: words, branches, and which lanes come to a block together.

Lanes stand warp after warp and CTA after CTA, so a group that must agree is a row of the vector.
"""

from __future__ import annotations

import numpy as np

from analyses.concrete.bitvectors import Array
from analyses.concrete.machine import BitVector
from analyses.domains.uniformity import Level
from analyses.hardware import WARP
from analyses.program import Block, Operand, Terminator, Value
from ptxlint.facts.kernel_facts import Facts
from ptxlint.simt import Machine
from ptxlint.simt.layout import padded

from .claims import Cause, Claim, Observation


def agreeing(bits: Array, active: Array, group: int) -> Array:
    """Where a lane's word is that of the first active lane of its group."""
    rows, masks = bits.reshape(-1, group), active.reshape(-1, group)
    first = rows[np.arange(len(rows)), masks.argmax(axis=1)]
    held: Array = (rows == first[:, None]).reshape(-1)
    return held


class Agreement(Claim):
    """Words and branch conditions are as uniform as their level says, in the lanes that compute
    them together; ``use`` says it where a word has left its loop."""

    name = "uniformity"

    def __init__(self, facts: Facts, seen: Observation) -> None:
        super().__init__(facts, seen)
        self._levels = facts.divergence
        self._left = [self._from_loops(block) for block in facts.kernel.blocks]
        self._kept = {value for values in self._left for value in values}

    def _from_loops(self, block: Block) -> dict[Value, Level]:
        """The values used in a block that come from loops the block is not in."""
        uses: list[Operand] = [use for instr in block.instrs for use in instr.uses]
        if block.terminator.condition is not None:
            uses.append(block.terminator.condition)
        outside = {}
        for use in uses:
            if isinstance(use, Value) and use.width <= 64:
                loops = self._levels.inside[self._levels.home[use]]
                if any(block.index not in loop.nodes for loop in loops):
                    outside[use] = self._levels.use(use, block.index)
        return outside

    def begin(self, machine: Machine) -> None:
        super().begin(machine)
        size = machine.layout.live.size
        self._group = {
            Level.WARP: WARP, Level.CTA: padded(machine.launch.block), Level.GRID: size
        }  # fmt: skip
        self._words: dict[Value, Array] = {}

    def defined(self, cause: Cause, value: Value, word: BitVector, active: Array) -> None:
        if value.width > 64:
            return
        if value in self._kept:
            bits = np.broadcast_to(word.bits, active.shape)
            old = self._words.get(value, bits)
            self._words[value] = np.where(active, bits, old)
        self.agree(value, self._levels(value), word.bits, active, cause)

    def entered(self, block: int, active: Array) -> None:
        for value, level in self._left[block].items():
            self.agree(f"{value} used in block {block}", level, self._words[value], active)

    def branched(
        self, block: int, end: Terminator, condition: BitVector | None, active: Array
    ) -> None:
        if condition is not None:
            level = self._levels.branches.get(block, Level.GRID)
            self.agree(f"branch of block {block}", level, condition.bits, active, end.instr)

    def agree(
        self, subject: object, level: Level, bits: Array, active: Array, cause: object = None
    ) -> None:
        if level is Level.DIVERGENT:
            self.seen.skipped["divergent"] += 1
        elif level is Level.NEVER:
            self.broken(subject, "never computed", "computed", int(np.argmax(active)), cause)
        elif bits.size == 1:
            self.seen.count(self.name, 1)
        else:
            held = agreeing(bits, active, self._group[level])
            self.hold(subject, f"uniform in the {level.name}", held, bits, active, cause)


class Control(Claim):
    """Lanes come to a block together as its control says, and everybody to those that all pass."""

    name = "control"

    def begin(self, machine: Machine) -> None:
        super().begin(machine)
        self._came: dict[int, Array] = {}

    def entered(self, block: int, active: Array) -> None:
        self._came[block] = self._came.get(block, False) | active
        level = self.facts.divergence.control[block]
        barriers, live = self.machine.barriers, self.machine.layout.live
        if level is Level.DIVERGENT or barriers.aborted.any():
            return
        group = WARP if level is Level.WARP else padded(self.machine.launch.block)
        there = active.reshape(-1, group).any(axis=1).repeat(group)
        missing = there & live & ~active & ~barriers.exited & ~barriers.waiting
        thin = block in self.facts.divergence.partially_exited
        if not thin and level <= Level.WARP:
            warps = active.reshape(-1, WARP).any(axis=1).repeat(WARP)
            missing |= warps & live & ~active & ~barriers.waiting
        what = f"entered together by the {max(level, Level.CTA).name}" + " left" * thin
        self.hold(f"block {block}", what, ~missing, active, there & live)

    def end(self) -> None:
        """Only blocks that do something: a return at once is not an entry in this machine."""
        blocks = self.facts.kernel.blocks
        for block in self.facts.values.unconditional:
            if blocks[block].instrs:
                came = self._came.get(block, np.zeros_like(self.machine.layout.live))
                wanted = self.machine.layout.live & ~self.machine.barriers.aborted
                self.hold(f"block {block}", "passed by all", came, came, wanted)
