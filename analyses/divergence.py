"""Uniformity of every word, with control: where a branch that splits threads makes words differ.

Words: an operator's result is as uniform as its operands (``domains.uniformity``). Control adds two
ways to differ (LLVM, "Convergence and Uniformity"):

- *sync dependence*: where disjoint paths from a divergent branch join, a phi differs although
  each of its words is uniform. Joins are found by pushing the label of each successor of the
  branch through the graph up to the branch's immediate post-dominator; a block that two labels
  reach is a join.
- *temporal divergence*: threads leave a loop in different iterations, so a word of the loop differs
  outside of it, also one that is uniform inside.

A block's *control* is the level of the branches that decide whether a thread gets there. Threads
that have ended count for nothing: a branch around an early exit splits nobody who is left; the
blocks after it are only ``thinned``, entered by warps that miss some lanes.

*Assumed: threads reconverge.* Those that part at a branch are taken to meet again where its paths
join, at its immediate post-dominator or the head of the loop they are still in, and to go on in
step. Compilers arrange for this and machines mostly do it, but no machine with independent thread
scheduling promises it, and two things break it for certain:

- a barrier in divergent control holds back whoever comes to it, so that one part of a warp is a
  barrier ahead of the other wherever both come next;
- a schedule may run threads apart between two points at which they must meet.

Then ``control`` and the level of a branch still say which conditions decide, but not that the
threads come at one time; a word that depends on time (a load that races, a mask of active threads,
an exchange between them) may differ where its level says that it does not, and so may what a warp
pays for an access. Facts about single threads do not rest on this: ranges, polynomials, addresses,
bounds. The tests hold levels, control and costs against runs in which threads keep step; of a
function with a barrier in divergent control they hold none of these, and count them as skipped.

*In linear time* where branches nest. Most branches dominate all that lies before their
post-dominator. What such a branch decides is then its part of the dominator tree without that of
the post-dominator, so a block inherits what decides about it from its dominator, but for the
branches that meet there; nothing is written into every block of the part. In the search for joins
the same holds of any block that dominates all before its post-dominator: one label goes in, and the
same one comes out. Cytron et al. (TOPLAS 1991): what a block dominates is left by its
dominance frontier only.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Mapping, Sequence, Set
from dataclasses import dataclass, field
from functools import cached_property
from heapq import heappop, heappush

from analyses.domains.uniformity import Level, Uniform, Uniformities
from analyses.fixpoint import constant, evaluate
from analyses.flow import Flow
from analyses.graph import Component, Loop, frontiers, postdominators
from analyses.program import Block, Instr, Operand, Value, ending


@dataclass(frozen=True)
class Divergence:
    """``levels`` by name, ``control`` and ``branches`` by block. ``splits[b]`` lists the
    divergent branches that decide whether a thread enters block b; ``thinned`` blocks come after
    early exits; in ``mixed`` blocks, of a loop with several entries, threads may be out of step.
    """

    levels: Mapping[Value, Level]
    rest: Callable[[], None] = field(repr=False)  # finds the levels that nobody has asked for yet
    control: Sequence[Level]
    branches: Mapping[int, Level]
    splits: Sequence[Collection[int]]
    thinned: Set[int]
    mixed: Sequence[Level]
    leaving: Mapping[int, Level]
    inside: Sequence[Sequence[Loop]]
    home: Mapping[Value, int]
    domain: Uniformities = field(repr=False)
    constants: dict[Operand, Level] = field(default_factory=dict, repr=False)

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
        """The level of an operand where it is used: higher outside of the loop it comes from."""
        level = self(operand)
        if isinstance(operand, Value) and level is not Level.NEVER:
            for loop in self.inside[self.home[operand]]:
                if block not in loop.nodes:
                    level = max(level, self.leaving.get(loop.head, Level.GRID))
        return level

    def counter(self, head: int, block: int) -> Level:
        """The level of a loop's count of iterations: inside, threads keep step."""
        inside = any(loop.head == head for loop in self.inside[block])
        return self.mixed[head] if inside else self.leaving.get(head, Level.GRID)

    def symbol(self, name: str) -> Level:
        """The level of a special register or a parameter."""
        return self.domain.level(name)


@dataclass(frozen=True)
class Splits(Sequence[Collection[int]]):
    """By block, the branches that decide whether a thread enters it: those that are listed, and
    nested ones, of which only the innermost ``around`` a block is written down."""

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
    solver = _Divergence(flow, domain)
    solver.run()
    return solver.view


class _Divergence:
    """Levels only rise, and there are five, so sweeping a loop until nothing rises ends soon. What
    stands behind a loop changes nothing in it: straight code is visited once.

    First come the names that decide where threads go. The levels of others follow from these, but
    nothing follows from theirs.
    """

    def __init__(self, flow: Flow, domain: Uniformities) -> None:
        self.flow = flow
        self.blocks = flow.blocks
        self.domain = domain
        self.part = flow.deciding
        self.known: dict[Hashable, Sequence[Level]] = {}  # results by meaning and levels
        self.tree = flow.tree
        self.living = {block.index for block in self.blocks} - ending(self.blocks)
        whole = len(self.living) == len(self.blocks)
        self.graph = flow.graph if whole else _of_living(flow.graph, self.living)
        self.after = flow.after if whole else postdominators(self.graph)
        self.levels: dict[Value, Level] = {}
        self.branches: dict[int, Level] = {}
        self.control = [Level.GRID] * len(self.blocks)
        self.above = [Level.GRID] * len(self.blocks)  # of control, by nested branches
        self.join = [Level.GRID] * len(self.blocks)  # of the phis of a block
        self.leaving: dict[int, Level] = {}  # by loop head: how its threads leave
        self.splits = Splits([set() for _ in self.blocks], {}, [-1] * len(self.blocks))
        self.thinned: set[int] = set()
        self.ending: set[int] = set()  # branches at which threads end
        self.mixed = [Level.GRID] * len(self.blocks)
        self.tangles = [loop for loop in flow.loops.values() if not loop.natural]
        self.inside = flow.inside
        self.view = Divergence(
            self.levels, self.rest, self.control, self.branches, self.splits, self.thinned,
            self.mixed, self.leaving, self.inside, flow.home, domain,
        )  # fmt: skip
        self.use = self.view.use

    def run(self) -> None:
        for name in self.part.names:
            self.levels.setdefault(name, Level.NEVER)
        for element in self.flow.order:
            if isinstance(element, Component):
                inside = sorted(element.nodes())
                while sum(self.visit(self.blocks[index]) for index in inside):
                    pass
            else:
                self.visit(self.blocks[element])

    def rest(self) -> None:
        self.part = self.flow.whole
        self.run()

    def visit(self, block: Block) -> bool:
        """Whether anything rose."""
        rising = False
        at = block.index
        self.inherit(at)
        for phi in self.part.phis[at]:
            level = max([self.use(source, at) for source in phi.sources.values()])
            rising |= self.rise(phi.target, max(level, self.join[at]))
        for node in block.assumes:
            rising |= self.rise(node.target, self.use(node.source, at))
        for instr in self.part.instrs[at]:
            least = max(self.mixed[at], self.masked(instr, at))
            for value, level in zip(instr.defs, self.results(instr, at), strict=True):
                rising |= self.rise(value, max(level, least))
        condition = block.terminator.condition
        if condition is not None:
            level = self.use(condition, at)
            if max(level, self.control[at]) > Level.GRID:
                self.thin(block)
            if level > self.branches.get(at, Level.GRID):
                self.branches[at] = level
                self.split(block, level)
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

    def masked(self, instr: Instr, at: int) -> Level:
        """Threads that a mask switches off get no word."""
        access = instr.access
        return Level.GRID if access is None or access.mask is None else self.use(access.mask, at)

    def rise(self, value: Value, level: Level) -> bool:
        if level <= self.levels.setdefault(value, Level.NEVER):
            return False
        self.levels[value] = level
        return True

    def split(self, block: Block, level: Level) -> None:
        """Threads part here: raise the joins they meet again in, and the control in between."""
        label = {target: target for target in block.terminator.targets if target in self.living}
        if len(label) < 2:
            return
        joins = None
        if self.closed(block.index):
            ends = {self.after[block.index]}
            self.splits.nested[block.index] = level
            joins = self._quick_joins(block.index, label)
        else:
            ends = self.ends(block.index, set(label))
            reached = self._region(set(label), ends)
            for index in reached:
                self.control[index] = max(self.control[index], level)
                self.splits.listed[index].add(block.index)
            self.tangle(block.index, reached | ends, level)
        if joins is None:
            joins = self._joins(block, label, self._region(set(label), ends) | ends)
        for index in joins:
            self.join[index] = max(self.join[index], level)
        for loop in self.inside[block.index]:
            if not ends <= loop.nodes:
                self.leaving[loop.head] = max(self.leaving.get(loop.head, Level.GRID), level)

    @cached_property
    def frontier(self) -> list[set[int]]:
        return frontiers(self.graph, self.tree)

    def closed(self, block: int) -> bool:
        """Whether the block dominates all that comes before its post-dominator."""
        return not self.tangles and self.frontier[block] <= {self.after[block]}

    def inherit(self, block: int) -> None:
        """What decides about a block's dominator decides about the block, but for the branches
        that meet here."""
        above = self.tree.parent[block]
        if above < 0 or block not in self.living:
            return
        nested, around = self.splits.nested, self.splits.around
        branch = above if above in nested else around[above]
        while branch >= 0 and self.after[branch] == block:
            branch = around[branch]
        around[block] = branch
        if branch >= 0:
            self.above[block] = max(nested[branch], self.above[branch])
            self.control[block] = max(self.control[block], self.above[block])

    def _quick_joins(self, branch: int, targets: Collection[int]) -> set[int] | None:
        """Blocks that are reached on disjoint paths, in one sweep; None where it takes more."""
        end = self.after[branch]
        incoming = {end: set[int](), **{target: {target} for target in targets}}
        work = sorted(target for target in targets if target != end)
        while work:
            index = heappop(work)
            label = min(incoming[index]) if len(incoming[index]) == 1 else index
            passed = (self.after[index],) if self.closed(index) else self.graph[index]
            for target in passed:
                if target not in incoming:
                    heappush(work, target)
                elif target <= index and target != end and label not in incoming[target]:
                    return None
                incoming.setdefault(target, set()).add(label)
        incoming.pop(len(self.blocks), None)
        return {index for index, labels in incoming.items() if len(labels) > 1}

    def tangle(self, branch: int, reached: set[int], level: Level) -> None:
        """Threads that come to a loop by different entries may go round it out of step, and where
        they meet depends on the machine: all that such a loop computes differs."""
        for tangle in self.tangles:
            entries = [
                node
                for node in tangle.nodes & reached
                if not tangle.nodes.issuperset(self.blocks[node].predecessors)
            ]
            if branch not in tangle.nodes and len(entries) < 2:
                continue
            for node in tangle.nodes:
                self.mixed[node] = max(self.mixed[node], level)
                self.join[node] = max(self.join[node], level)
                self.control[node] = max(self.control[node], level)
                self.splits.listed[node].add(branch)
                if node in self.flow.loops:
                    self.leaving[node] = max(self.leaving.get(node, Level.GRID), level)

    def thin(self, block: Block) -> None:
        """Some threads may end here: what comes after misses them."""
        targets = set(block.terminator.targets)
        if not targets <= self.living and block.index not in self.ending:
            self.ending.add(block.index)
            self.thinned |= self._region(targets & self.living, self.thinned)

    def ends(self, branch: int, targets: set[int]) -> set[int]:
        """Where the threads of a branch meet again: at its post-dominator. If some come there only
        in the next iteration of a loop, then at its head, and where all have left it."""
        end = self.after[branch]
        reached = self._region(targets, {end})
        for loop in self.inside[branch]:
            if loop.head in reached and end in loop.nodes:
                while end in loop.nodes:
                    end = self.after[end]
                return {loop.head, end}
        return {end}

    def _region(self, starts: set[int], ends: set[int]) -> set[int]:
        """What is reached from the starts before the places where all threads meet again."""
        reached = starts - ends
        work = list(reached)
        while work:
            for target in self.blocks[work.pop()].terminator.targets:
                if target not in ends and target not in reached and target in self.living:
                    reached.add(target)
                    work.append(target)
        return reached

    def _joins(self, branch: Block, label: dict[int, int], region: set[int]) -> set[int]:
        """Blocks of the region that are reached on disjoint paths from the branch."""
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


def _of_living(graph: Sequence[Sequence[int]], living: set[int]) -> list[list[int]]:
    """The graph without the ends: an exit is no place where threads meet again."""
    return [[t for t in targets if t in living] for targets in graph]
