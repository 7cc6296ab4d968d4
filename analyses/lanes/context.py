"""What the words of lanes rest on: a function, its launch, and who stays together in its loops."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from analyses.divergence import Divergence
from analyses.domains.uniformity import Level
from analyses.graph import Loop
from analyses.lanes.coordinates import Block3, placed, standing, threads
from analyses.lanes.offsets import WARP, LaneValue, LaneValues
from analyses.program import Assume, Operand, Phi, Region, Value
from analyses.values import Values


@dataclass(frozen=True)
class WarpContext:
    """The facts of a function, and how its blocks look. ``aligns`` overrides the alignment of
    regions; shape and grid are None where they may be any."""

    values: Values
    divergence: Divergence
    shape: Block3 | None
    grid: Block3 | None
    aligns: Mapping[Region, int]

    @cached_property
    def nodes(self) -> dict[Value, Phi | Assume]:
        """What defines a name that no instruction does."""
        nodes: dict[Value, Phi | Assume] = {}
        for block in self.values.function.blocks:
            nodes.update((phi.target, phi) for phi in block.phis)
            nodes.update((node.target, node) for node in block.assumes)
        return nodes

    @cached_property
    def around(self) -> list[frozenset[int]]:
        """By block, the heads of the loops that it lies in."""
        return [frozenset(loop.head for loop in inside) for inside in self.divergence.inside]

    @cached_property
    def full(self) -> bool:
        """Whether every lane of every warp is a thread."""
        return self.shape is not None and threads(self.shape)[0] % WARP == 0

    @cached_property
    def _machines(self) -> dict[Block3 | None, tuple[LaneValues, dict[Operand, LaneValue]]]:
        return {}

    def machine(self, cta: Block3 | None) -> tuple[LaneValues, dict[Operand, LaneValue]]:
        """What evaluates the words of a CTA that stands there, and the operands that are no names:
        once found, for all who ask."""
        if cta not in self._machines:
            words = {**standing(self.shape), **placed(cta)}
            self._machines[cta] = LaneValues(words, self.align, self._special), {}
        return self._machines[cta]

    def _special(self, name: str, width: int) -> LaneValue:
        """A register that lanes do not differ in as their places do."""
        known = self.values.specials.get(name)
        if known is not None and known.is_constant:
            return LaneValue(width, (known.value & ((1 << width) - 1),), width)
        if self.divergence.symbol(name) <= Level.WARP:
            return LaneValue(width, (0,), 0)
        return LaneValue(width, None, 0, doubts=frozenset({"nonlinear-lane"}))

    def align(self, region: Region) -> int:
        return max(self.aligns.get(region, region.align), 1)

    def phis(self, loop: Loop) -> Sequence[Phi]:
        """The words that the loop carries and that an address or a branch depends on."""
        return self.values.part.phis[loop.head]

    def entries(self, loop: Loop) -> Sequence[int]:
        """Where it is entered from."""
        sources = self.values.function.blocks[loop.head].predecessors
        return [p for p in sources if p not in loop.latches]

    def whole(self, block: int) -> bool:
        """Whether all threads of a warp execute the block together."""
        known = self.divergence
        together = known.control[block] <= Level.WARP and block not in known.partially_exited
        return together and not self.leaves(block)

    def leaves(self, block: int) -> bool:
        """Whether lanes leave a loop around the block one after the other."""
        return not self.leaky.isdisjoint(self.around[block])

    @cached_property
    def leaky(self) -> frozenset[int]:
        """The heads of such loops."""
        return frozenset(loop.head for loop in self.values.loops.values() if self._leaky(loop))

    def _leaky(self, loop: Loop) -> bool:
        """Threads may also end in a loop: that no ``exit_levels`` tells."""
        known = self.divergence
        levels = [known.exit_levels.get(loop.head, Level.GRID)]
        for node in loop.nodes:
            if not loop.nodes.issuperset(self.values.function.blocks[node].terminator.targets):
                levels += [known.control[node], known.branches.get(node, Level.GRID)]
        return not loop.natural or max(levels) > Level.WARP

    def side(self, branch: int, source: int) -> int | None:
        """Which target of a branch all lanes took that come from ``source``."""
        targets = self.values.function.blocks[branch].terminator.targets
        for side, target in enumerate(targets):
            alone = self.values.function.blocks[target].predecessors == [branch]
            if alone and self.values.tree.dominates(target, source):
                return side
        return self._direct(branch, source)

    def _direct(self, branch: int, source: int) -> int | None:
        """The target of a branch that is the meeting point itself: the one that stands alone is
        the other."""
        targets = self.values.function.blocks[branch].terminator.targets
        alone = [self.values.function.blocks[target].predecessors == [branch] for target in targets]
        return alone.index(False) if source == branch and alone.count(False) == 1 else None

    def even(self, loop: Loop) -> bool:
        """Whether the lanes of a warp are in the same iteration, as long as they are inside."""
        return loop.natural and self.divergence.irreducible[loop.head] <= Level.WARP

    def follows(self, above: int, block: int) -> bool:
        """Whether whoever passes ``above`` comes to the block."""
        after = self.values.flow.after
        while above < len(self.values.function.blocks):
            above = after[above]
            if above == block:
                return True
        return False
