"""Uniformity of every value: divergence analysis with control flow.

Data: the result of an operator is as uniform as its operands (``domains.uniformity``). Control flow
adds two sources of divergence (LLVM, "Convergence and Uniformity"):

- *sync dependence*: where disjoint paths from a divergent branch join, a phi is divergent although
  each of its sources is uniform. Joins are found by propagating the label of each successor of the
  branch through the graph up to the immediate post-dominator of the branch; a block reached by two
  labels is a join.
- *temporal divergence*: threads leave a loop in different iterations, so a value of the loop is
  divergent outside of it, even if it is uniform inside.

The *control* of a block is the level of its controlling branches. Threads that have exited do not
count: a branch around an early exit splits none of the remaining threads; the blocks after it are
*partially exited*, entered by warps that lack some lanes. Nor does a branch to a *trap*, which ends
the launch: what threads do on the way to it is taken to be divergent.

*Assumption: threads reconverge.* Threads that diverge at a branch are assumed to reconverge where
its paths join, at its immediate post-dominator or at the head of the loop that they are still in,
and to execute in lockstep from there. Compilers arrange for this and machines mostly do it, but
independent thread scheduling does not guarantee it, and two things break it:

- a barrier in divergent control flow blocks the threads that reach it, so one part of a warp is a
  barrier ahead of the other wherever both arrive next;
- a scheduler may run threads apart between two points of synchronisation.

Then ``control`` and the level of a branch still name the controlling conditions, but the threads
need not arrive at the same time. A value that depends on time (a load that races, an active mask,
an exchange between threads) may be divergent where its level says uniform, and the cost of an
access may differ. Facts about single threads do not depend on the assumption: ranges, polynomials,
addresses, bounds. The tests compare levels, control and costs with runs in which threads keep in
step; a function with a barrier in divergent control flow is excluded and counted as skipped.

*In linear time* where branches nest. Most branches dominate all blocks before their post-dominator:
a single-entry single-exit region. A block then inherits the controlling branches of its dominator,
except those that reconverge at the block, and nothing is recorded for every block of the region. In
the search for joins such a region passes on the one label that enters it. Cytron et al. (TOPLAS
1991): paths leave the blocks that a block dominates through its dominance frontier only.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cached_property
from heapq import heappop, heappush

from msgspec import Struct

from analyses.domains.uniformity import Level, Uniform, Uniformities
from analyses.fixpoint import constant, evaluate
from analyses.flow import Flow
from analyses.graph import Loop, frontiers, postdominators, predecessors
from analyses.program import Block, Instr, Operand, Value, exit_blocks, trapping_blocks


class Divergence(Struct, frozen=True):
    """The uniformity of one function: ``levels`` by name, ``control`` and ``branches`` by block.

    ``controlling[b]`` lists the divergent branches that decide if a thread enters block b.
    ``partially_exited`` blocks follow early exits. ``irreducible`` gives the level of the branches
    that enter an irreducible loop out of step, by block; ``exit_levels`` that of a loop's divergent
    exits, by head.
    """

    levels: Mapping[Value, Level]
    rest: Callable[[], None]  # solves the names outside of the slice
    control: Sequence[Level]
    branches: Mapping[int, Level]
    controlling: Sequence[Collection[int]]
    partially_exited: Set[int]
    irreducible: Sequence[Level]
    exit_levels: Mapping[int, Level]
    inside: Sequence[Sequence[Loop]]
    home: Mapping[Value, int]
    domain: Uniformities
    trapping: Set[int] = frozenset()
    constants: dict[Operand, Level] = {}

    def __call__(self, operand: Operand) -> Level:
        if isinstance(operand, Value):
            if operand not in self.levels:
                self.rest()
            return self.levels.get(operand, Level.DIVERGENT)
        level = self.constants.get(operand)
        if level is None:
            level = self.constants[operand] = constant(self.domain, operand).level
        return level

    def use(self, operand: Operand, block: int) -> Level:
        """The level of an operand at a use: temporal divergence raises it outside of its loop."""
        level = self(operand)
        if block in self.trapping:
            return Level.DIVERGENT
        if isinstance(operand, Value) and level is not Level.NEVER:
            for loop in self.inside[self.home[operand]]:
                if block not in loop.nodes:
                    level = max(level, self.exit_levels.get(loop.head, Level.GRID))
        return level

    def counter(self, head: int, block: int) -> Level:
        """The level of a loop's iteration count. Inside the loop threads are in the same
        iteration."""
        inside = any(loop.head == head for loop in self.inside[block])
        return self.irreducible[head] if inside else self.exit_levels.get(head, Level.GRID)

    def symbol(self, name: str) -> Level:
        """The level of a special register or a parameter."""
        return self.domain.level(name)


@dataclass(frozen=True)
class ControllingBranches(Sequence[Collection[int]]):
    """The controlling branches by block: ``listed`` ones, and the nest of single-exit regions,
    stored as the innermost branch ``around`` each block."""

    listed: Sequence[set[int]]
    nested: dict[int, Level]
    around: list[int]

    def __len__(self) -> int:
        return len(self.listed)

    def __getitem__(self, block: int) -> Collection[int]:  # type: ignore[override]
        found = set(self.listed[block])
        branch = self.around[block]
        while branch >= 0:
            found.add(branch)
            branch = self.around[branch]
        return sorted(found)


def divergence(flow: Flow, domain: Uniformities) -> Divergence:
    solver = DivergenceSolver(flow, domain)
    solver.run()
    return solver.view


class DivergenceSolver:
    """The solver. There are five levels and they only rise, so a loop is swept a few times. A loop
    precedes the blocks after it, so straight-line code is visited once.

    The names of the control and address slice come first; the levels of other names depend on
    these, but not the reverse.
    """

    def __init__(self, flow: Flow, domain: Uniformities) -> None:
        self.flow = flow
        self.blocks = flow.blocks
        self.domain = domain
        self.part = flow.control_and_address_slice
        self.known: dict[Hashable, Sequence[Level]] = {}  # results by meaning and levels
        self.tree = flow.tree
        self.trapping = trapping_blocks(self.blocks)
        self.live = {b.index for b in self.blocks} - exit_blocks(self.blocks) - self.trapping
        whole = len(self.live) == len(self.blocks)
        self.graph = flow.graph if whole else _of_live(flow.graph, self.live)
        leaving = (n for n in self.live if len(self.graph[n]) < len(flow.graph[n]))
        self.after = flow.after if whole else postdominators(self.graph, leaving)
        self.levels: dict[Value, Level] = {}
        self.branches: dict[int, Level] = {}
        self.control = [Level.GRID] * len(self.blocks)
        self.above = [Level.GRID] * len(self.blocks)  # of control, by nested branches
        self.join = [Level.GRID] * len(self.blocks)  # of the phis of a block
        self.exit_levels: dict[int, Level] = {}  # by loop head
        listed = [set[int]() for _ in self.blocks]
        self.controlling = ControllingBranches(listed, {}, [-1] * len(self.blocks))
        self.single_exits: dict[int, bool] = {}
        self.partially_exited: set[int] = set()
        self.exit_branches: set[int] = set()  # branches with a successor that exits
        self.irreducible = [Level.GRID] * len(self.blocks)
        irreducible = (loop for loop in flow.loops.values() if not loop.natural)
        self.irreducible_loops = [(loop, self.entries(loop)) for loop in irreducible]
        self.inside = flow.inside
        self.view = Divergence(
            self.levels, self.rest, self.control, self.branches, self.controlling,
            self.partially_exited, self.irreducible, self.exit_levels, self.inside, flow.home,
            domain, self.trapping,
        )  # fmt: skip
        self.use = self.view.use

    def run(self) -> None:
        for name in self.part.names:
            self.levels.setdefault(name, Level.NEVER)
        order = self.flow.order
        for element in order.elements():
            inside = sorted([order.nodes[at] for at in element])
            repeats = order.nodes[element.start] in order.ends
            while sum([self.visit(self.blocks[index]) for index in inside]) and repeats:
                pass

    def rest(self) -> None:
        self.part = self.flow.full_slice
        self.run()

    def visit(self, block: Block) -> bool:
        """True if a level rose."""
        rising = False
        at = block.index
        self.inherit_control(at)
        for phi in self.part.phis[at]:
            level = max([self.use(source, at) for source in phi.sources.values()])
            rising |= self.raise_level(phi.target, max(level, self.join[at]))
        for node in block.assumes:
            rising |= self.raise_level(node.target, self.use(node.source, at))
        for instr in self.part.instrs[at]:
            least = max(self.irreducible[at], self.mask_level(instr, at))
            for value, level in zip(instr.defs, self.results(instr, at), strict=True):
                rising |= self.raise_level(value, max(level, least))
        condition = block.terminator.condition
        if condition is not None:
            level = self.use(condition, at)
            if max(level, self.control[at]) > Level.GRID:
                self.mark_partially_exited(block)
            if level > self.branches.get(at, Level.GRID):
                self.branches[at] = level
                self.diverge(block, level)
                rising = True
        return rising

    def results(self, instr: Instr, at: int) -> Sequence[Level]:
        levels = [self.use(use, at) for use in instr.uses]
        if instr.access is not None and instr.access.space == "param":
            return self.evaluated(instr, levels)
        key = (instr.meaning, *levels)
        found = self.known.get(key)
        if found is None:
            found = self.known[key] = self.evaluated(instr, levels)
        return found

    def evaluated(self, instr: Instr, levels: Sequence[Level]) -> Sequence[Level]:
        pairs = zip(levels, instr.uses, strict=True)
        words = [Uniform(level, use.width) for level, use in pairs]
        return [word.level for word in evaluate(self.domain, instr, words)]

    def mask_level(self, instr: Instr, at: int) -> Level:
        """The level of an access's mask: threads that it switches off get no value."""
        access = instr.access
        return Level.GRID if access is None or access.mask is None else self.use(access.mask, at)

    def raise_level(self, value: Value, level: Level) -> bool:
        if level <= self.levels.setdefault(value, Level.NEVER):
            return False
        self.levels[value] = level
        return True

    def diverge(self, block: Block, level: Level) -> None:
        """Threads diverge here: raises the phis of the joins, and the control of the blocks before
        the reconvergence points."""
        label = {target: target for target in block.terminator.targets if target in self.live}
        if len(label) < 2:
            return
        joins = None
        if self.single_exit(block.index):
            points = {self.after[block.index]}
            self.controlling.nested[block.index] = level
            joins = self._joins_in_one_sweep(block.index, label)
        else:
            points = self.reconvergence_points(block.index, set(label))
            reached = self._region(set(label), points)
            for index in reached:
                self.control[index] = max(self.control[index], level)
                self.controlling.listed[index].add(block.index)
            self.raise_irreducible(block.index, reached | points, level)
        if joins is None:
            joins = self._joins(block, label, self._region(set(label), points) | points)
        for index in joins:
            self.raise_join(index, block.index, level)
        for loop in self.inside[block.index]:
            if not points <= loop.nodes:
                self.raise_exit(loop.head, level)

    @cached_property
    def sources(self) -> list[list[int]]:
        return predecessors(self.graph)

    @cached_property
    def frontier(self) -> list[set[int]]:
        return frontiers(self.graph, self.tree)

    def single_exit(self, block: int) -> bool:
        """True if the block dominates all blocks before its post-dominator: a single-exit region.
        Edges to its dominance frontier come from behind the post-dominator then."""
        found = self.single_exits.get(block)
        if found is None:
            dominates, end = self.tree.dominates, self.after[block]
            found = self.single_exits[block] = not self.irreducible_loops and all(
                end < len(self.blocks) and dominates(end, source)
                for target in self.frontier[block] - {end}
                for source in self.sources[target]
                if dominates(block, source)
            )
        return found

    def inherit_control(self, block: int) -> None:
        """The controlling branches of the immediate dominator, except those that reconverge at the
        block."""
        above = self.tree.parent[block]
        if block in self.trapping:
            self.control[block] = Level.DIVERGENT
            self.controlling.listed[block].update(self.blocks[block].predecessors)
        if above < 0 or block not in self.live:
            return
        nested, around = self.controlling.nested, self.controlling.around
        branch = above if above in nested else around[above]
        while branch >= 0 and self.after[branch] == block:
            branch = around[branch]
        around[block] = branch
        if branch >= 0:
            self.above[block] = max(nested[branch], self.above[branch])
            self.control[block] = max(self.control[block], self.above[block])

    def _joins_in_one_sweep(self, branch: int, targets: Collection[int]) -> set[int] | None:
        """The blocks reached on disjoint paths, in one forward sweep; None if a back edge
        matters."""
        end = self.after[branch]
        incoming = {end: set[int](), **{target: {target} for target in targets}}
        work = sorted(target for target in targets if target != end)
        while work:
            index = heappop(work)
            label = min(incoming[index]) if len(incoming[index]) == 1 else index
            next_blocks = (self.after[index],) if self.single_exit(index) else self.graph[index]
            for target in next_blocks:
                if target not in incoming:
                    heappush(work, target)
                elif target <= index and target != end and label not in incoming[target]:
                    return None
                incoming.setdefault(target, set()).add(label)
        incoming.pop(len(self.blocks), None)
        return {index for index, labels in incoming.items() if len(labels) > 1}

    def raise_irreducible(self, branch: int, reached: set[int], level: Level) -> None:
        """Threads that enter a loop through different entries may iterate out of step, and where
        they reconverge depends on the machine: every value of an irreducible loop gets the level.
        With a loop, all loops in it have it.
        """
        raised: set[int] = set()
        for loop, entries in self.irreducible_loops:
            if loop.head in raised:
                continue
            if branch not in loop.nodes and len(entries & reached) < 2:
                continue
            raised |= loop.nodes
            for node in loop.nodes:
                self.irreducible[node] = max(self.irreducible[node], level)
                self.join[node] = max(self.join[node], level)
                self.control[node] = max(self.control[node], level)
                self.controlling.listed[node].add(branch)
                if node in self.flow.loops:
                    self.raise_exit(node, level)

    def entries(self, loop: Loop) -> set[int]:
        """The blocks of a loop with a predecessor outside of it."""
        return {n for n in loop.nodes if not loop.nodes.issuperset(self.blocks[n].predecessors)}

    def mark_partially_exited(self, block: Block) -> None:
        """Some threads may exit here: the blocks that follow are entered by partial warps."""
        targets = set(block.terminator.targets) - self.trapping
        if not targets <= self.live and block.index not in self.exit_branches:
            self.exit_branches.add(block.index)
            self.partially_exited |= self._region(targets & self.live, self.partially_exited)

    def raise_join(self, block: int, branch: int, level: Level) -> None:
        self.join[block] = max(self.join[block], level)

    def raise_exit(self, head: int, level: Level) -> None:
        self.exit_levels[head] = max(self.exit_levels.get(head, Level.GRID), level)

    def reconvergence_points(self, branch: int, targets: set[int]) -> set[int]:
        """The immediate post-dominator. If some threads reach it only in a later iteration of a
        loop: the loop's head, and the block where all have left the loop."""
        end = self.after[branch]
        reached = self._region(targets, {end})
        for loop in self.inside[branch]:
            if loop.head in reached and end in loop.nodes:
                while end in loop.nodes:
                    end = self.after[end]
                return {loop.head, end}
        return {end}

    def _region(self, starts: set[int], ends: set[int]) -> set[int]:
        """The blocks reachable from ``starts`` without passing ``ends``."""
        reached = starts - ends
        work = list(reached)
        while work:
            for target in self.blocks[work.pop()].terminator.targets:
                if target not in ends and target not in reached and target in self.live:
                    reached.add(target)
                    work.append(target)
        return reached

    def _joins(self, branch: Block, label: dict[int, int], region: set[int]) -> set[int]:
        """The blocks of the region that are reached on disjoint paths from the branch."""
        joins: set[int] = set()
        changed = True
        while changed:
            changed = False
            for index in sorted(region):
                if index >= len(self.blocks):
                    continue
                incoming = {
                    label[p] for p in self.blocks[index].predecessors
                    if p in label and p in region and p != branch.index
                }  # fmt: skip
                if index in branch.terminator.targets:
                    incoming.add(index)
                if not incoming:
                    continue
                if len(incoming) > 1:
                    joins.add(index)
                new = index if len(incoming) > 1 else incoming.pop()
                if label.get(index) != new:
                    label[index] = new
                    changed = True
        return joins


def _of_live(graph: Sequence[Sequence[int]], live: set[int]) -> list[list[int]]:
    """The graph without the exit blocks: threads do not reconverge at an exit."""
    return [[t for t in targets if t in live] for targets in graph]
