"""The context of lane evaluation: a function, its launch, and the lanes that stay together in
loops."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from math import gcd

from msgspec import Struct

from analyses.divergence import Divergence
from analyses.domains.regions import BasePlusOffset
from analyses.domains.uniformity import Level
from analyses.graph import Loop
from analyses.hardware import WARP
from analyses.lanes.coordinates import Block3, cta_registers, thread_registers, threads
from analyses.lanes.lane_value import NEVER, LaneValue
from analyses.lanes.offsets import LaneValues
from analyses.lanes.sequences import trailing_zeros
from analyses.program import Assume, Operand, Phi, Region, Value
from analyses.scalar_evolution import SymbolicValues
from analyses.values import Values


class Passes(Struct):
    """The words of the phis of a loop head in the last pass over the loop, and those of the loops
    inside."""

    words: Mapping[Value, LaneValue] = {}
    inner: dict[int, Passes] = {}


class WarpContext(Struct, frozen=True, dict=True):
    """The facts of a function and the shape of its blocks. ``aligns`` overrides the alignment of
    regions; ``shape`` and ``grid`` are None if unspecified."""

    symbolic: SymbolicValues
    divergence: Divergence
    shape: Block3 | None
    grid: Block3 | None
    aligns: Mapping[Region, int]

    @property
    def values(self) -> Values:
        return self.symbolic.values

    @cached_property
    def nodes(self) -> dict[Value, Phi | Assume]:
        """The phi or assume that defines a name."""
        nodes: dict[Value, Phi | Assume] = {}
        for block in self.values.function.blocks:
            nodes.update((phi.target, phi) for phi in block.phis)
            nodes.update((node.target, node) for node in block.assumes)
        return nodes

    @cached_property
    def around(self) -> list[frozenset[int]]:
        """By block, the heads of the loops that contain it."""
        return [frozenset(loop.head for loop in inside) for inside in self.divergence.inside]

    @cached_property
    def full_warps(self) -> bool:
        """True if every lane of every warp is a thread."""
        return self.shape is not None and threads(self.shape)[0] % WARP == 0

    @cached_property
    def _machines(self) -> dict[Block3 | None, tuple[LaneValues, dict[Operand, LaneValue]]]:
        return {}

    def machine(self, cta: Block3 | None) -> tuple[LaneValues, dict[Operand, LaneValue]]:
        """The domain for a CTA at a grid position, and the values of constant operands in it."""
        if cta not in self._machines:
            words = {**thread_registers(self.shape), **cta_registers(cta)}
            self._machines[cta] = LaneValues(words, self.align, self._special), {}
        return self._machines[cta]

    def _special(self, name: str, width: int) -> LaneValue:
        """A special register that does not depend on the lane."""
        known = self.values.specials.get(name)
        if known is not None and known.is_constant:
            return LaneValue(width, (known.value & ((1 << width) - 1),), width)
        if self.divergence.symbol(name) <= Level.WARP:
            return LaneValue(width, (0,), 0)
        return LaneValue(width, None, 0, assumptions=frozenset({"nonlinear-lane"}))

    def align(self, region: Region) -> int:
        return max(self.aligns.get(region, region.align), 1)

    def number(self, value: Value) -> LaneValue | None:
        """A value that is the same number in every thread, or that no thread computes."""
        fact, width = self.values.number(value), value.width
        if self.values.numbers.is_bottom(fact):
            return LaneValue(width, None, 0, assumptions=frozenset({NEVER}))
        numbers = self.values.interval(fact) if fact.origin is None else None
        if numbers is not None and numbers.is_constant:
            return LaneValue(width, (numbers.value & ((1 << width) - 1),), width)
        return None

    def uniform_value(self, width: int, fact: BasePlusOffset) -> LaneValue:
        """A uniform value of which only the alignment is known."""
        residue, bits = fact.offset[1].alignment
        if fact.origin is not None:
            bits = trailing_zeros(gcd(1 << bits, self.align(fact.origin.region)))
        return LaneValue(width, (residue % (1 << bits),), bits)

    def phis(self, loop: Loop) -> Sequence[Phi]:
        """The phis of a loop head in the control and address slice."""
        return self.values.part.phis[loop.head]

    def entries(self, loop: Loop) -> Sequence[int]:
        """The predecessors of a loop head outside of the loop."""
        sources = self.values.function.blocks[loop.head].predecessors
        return [p for p in sources if p not in loop.latches]

    def before(self, loop: Loop) -> int | None:
        """The closest dominator of a loop in the same loops around it: what is defined outside of
        the loop and used in it is the same there. None if there is none, as around an irreducible
        loop that lanes enter elsewhere."""
        if loop.head not in self._before:
            outside, block = self.around[loop.head] - {loop.head}, loop.head
            while block >= 0 and self.around[block] != outside:
                block = self.values.tree.parent[block]
            self._before[loop.head] = block if block >= 0 else None
        return self._before[loop.head]

    @cached_property
    def _before(self) -> dict[int, int | None]:
        return {}

    def convergent(self, block: int) -> bool:
        """True if all threads of a warp execute the block together."""
        known = self.divergence
        together = known.control[block] <= Level.WARP and block not in known.partially_exited
        return together and not self.in_divergent_loop(block)

    def in_divergent_loop(self, block: int) -> bool:
        """True if a loop around the block has divergent exits."""
        return not self.divergent_exits.isdisjoint(self.around[block])

    @cached_property
    def divergent_exits(self) -> frozenset[int]:
        """The heads of loops that lanes exit in different iterations."""
        return frozenset(
            loop.head for loop in self.values.loops.values() if self._has_divergent_exit(loop)
        )

    def _has_divergent_exit(self, loop: Loop) -> bool:
        """Threads may also exit the kernel in a loop, which ``exit_levels`` does not include."""
        known = self.divergence
        levels = [known.exit_levels.get(loop.head, Level.GRID)]
        for node in self.exits(loop):
            levels += [known.control[node], known.branches.get(node, Level.GRID)]
        return not loop.natural or max(levels) > Level.WARP

    def exited(self, block: int, *later: int) -> Sequence[Loop]:
        """The loops around a block that are not around any later one, outer ones first."""
        loops = [loop for loop in self.divergence.inside[block] if loop.nodes.isdisjoint(later)]
        return sorted(loops, key=lambda loop: -len(loop.nodes))

    def exits(self, loop: Loop) -> list[int]:
        """The blocks of a loop that branch out of it."""
        blocks = [self.values.function.blocks[node] for node in sorted(loop.nodes)]
        return [b.index for b in blocks if not loop.nodes.issuperset(b.terminator.targets)]

    def selecting(self, phi: Phi) -> Sequence[int]:
        """The branches that select a source of the phi: those between its immediate dominator and
        the phi."""
        splits, dominates = self.divergence.controlling, self.values.tree.dominates
        home = self.values.home[phi.target]
        dominator = self.values.tree.parent[home]
        deciding = {b for p in phi.sources for b in (*splits[p], p)}
        return sorted(b for b in deciding if dominates(dominator, b) and not dominates(home, b))

    def side(self, branch: int, source: int) -> int | None:
        """The index of the branch target that all lanes coming from ``source`` took."""
        targets = self.values.function.blocks[branch].terminator.targets
        for side, target in enumerate(targets):
            alone = self.values.function.blocks[target].predecessors == [branch]
            if alone and self.values.tree.dominates(target, source):
                return side
        return self._direct(branch, source)

    def _direct(self, branch: int, source: int) -> int | None:
        """The index of a branch target that is the join itself, with several predecessors."""
        targets = self.values.function.blocks[branch].terminator.targets
        alone = [self.values.function.blocks[target].predecessors == [branch] for target in targets]
        return alone.index(False) if source == branch and alone.count(False) == 1 else None

    def in_step(self, loop: Loop) -> bool:
        """True if the lanes of a warp are in the same iteration while in the loop."""
        return loop.natural and self.divergence.irreducible[loop.head] <= Level.WARP

    def always_reaches(self, above: int, block: int) -> bool:
        """True if ``block`` post-dominates ``above``."""
        after = self.values.flow.after
        while above < len(self.values.function.blocks):
            above = after[above]
            if above == block:
                return True
        return False
