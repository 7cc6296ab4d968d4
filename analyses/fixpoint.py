"""The solver: abstract interpretation of an SSA function to a fixpoint.

Blocks are visited in weak topological order; a component is iterated until its phis are stable
(Bourdoncle 1993, recursive strategy). In the ascending phase the phis of a loop head are widened
after a few iterations, to thresholds taken from the assumes visited on the way. A few descending
passes over each outermost loop follow, before any later block is visited: straight-line code is
visited once. The passes are sound without monotone transfer functions: at a post-fixpoint every
fact covers the concrete values, so a fact computed from those facts covers them too.

Only the names of a slice are solved: by default those that addresses and branches depend on, all
others at the first query for one of them. A slice is closed under operands, so its facts equal
those of the whole function.
"""

from __future__ import annotations

from bisect import insort
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from functools import reduce
from types import MappingProxyType
from typing import Generic

from analyses.algebra import Algebra, V
from analyses.budget import (
    DESCENDING_PASSES,
    ITERATIONS,
    THRESHOLD_ITERATIONS,
    THRESHOLDS,
    WIDENING_DELAY,
)
from analyses.flow import Flow
from analyses.lattice import Domain, Relation
from analyses.program import (
    AddressOf,
    Assume,
    Block,
    Constant,
    Instr,
    Operand,
    Special,
    Undefined,
    Value,
)
from analyses.slices import Slice

ComparedOperand = tuple[int, Relation, Operand, bool]
"""The place of an operand among those of an instruction, the relation to another one, which is on
the left if that is swapped."""


class Solution(Generic[V]):
    """Facts by name. ``reached`` holds the blocks that may be executed. What loads give is as in
    ``loaded``, where that is known."""

    def __init__(
        self, flow: Flow, domain: Domain[V], part: Slice, loaded: Mapping[Value, V]
    ) -> None:
        self.flow = flow
        self.domain = domain
        self.part = part
        self.loaded = loaded
        self.facts: dict[Value, V] = {}
        self.reached: set[int] = set()
        self._constants: dict[Operand, V] = {}

    def __call__(self, operand: Operand) -> V:
        """The fact about an operand; bottom for a name that is never computed."""
        if isinstance(operand, Value):
            found = self.facts.get(operand)
            if found is None and operand not in self.part.names:
                if self.part is self.flow.full_slice:
                    raise KeyError(f"{operand} is not defined")
                self.part = self.flow.full_slice
                _Solver(self).run()
                found = self.facts.get(operand)
            return self.domain.bottom(operand.width) if found is None else found
        known = self._constants.get(operand)
        if known is None:
            known = self._constants[operand] = constant(self.domain, operand)
        return known


def constant(domain: Algebra[V], operand: Operand) -> V:
    """The fact about an operand that is not a name."""
    match operand:
        case Constant(width, bits):
            return domain.const(width, bits)
        case Special(name, width):
            return domain.special(name, width)
        case AddressOf(region, width, generic):
            word = domain.address(region, width)
            return domain.convert_address(region.space, True, word) if generic else word
        case Undefined(_, width):
            return domain.havoc(width)
    raise TypeError(operand)


def solve(
    flow: Flow,
    domain: Domain[V],
    part: Slice | None = None,
    loaded: Mapping[Value, V] = MappingProxyType({}),
) -> Solution[V]:
    """Facts about the names of a slice, valid for every thread that computes them; ``loaded`` has
    facts about results of loads."""
    solution = Solution(flow, domain, part or flow.control_and_address_slice, loaded)
    _Solver(solution).run()
    return solution


def evaluate(domain: Algebra[V], instr: Instr, arguments: Sequence[V]) -> Sequence[V]:
    """The results of an instruction. A load of a kernel parameter at a known offset is that
    parameter."""
    access = instr.access
    if access is not None and access.kind == "load" and isinstance(access.base, AddressOf):
        region = access.base.region
        if region.space == "param" and region.parameter:
            results, at = [], access.offset
            for value in instr.defs:
                results.append(domain.parameter(region.name, at, value.width))
                at += value.width // 8
            return results
    return instr.evaluate(domain, arguments)


class _Solver(Generic[V]):
    def __init__(self, solution: Solution[V]) -> None:
        self.flow = solution.flow
        self.blocks = solution.flow.blocks
        self.domain = solution.domain
        self.part = solution.part
        self.solution = solution
        self.facts = solution.facts
        self.reached = solution.reached
        self.thresholds: list[int] = []
        self.collected: set[Assume] = set()
        self.order = solution.flow.order
        self.known: dict[Hashable, Sequence[V]] = {}  # results by meaning and words
        self.assumed: dict[tuple[Relation, V, V], tuple[V, V]] = {}
        self.joins: dict[tuple[V, V], V] = {}
        self.compared: dict[Instr, list[ComparedOperand]] = {}  # of selections

    def run(self) -> None:
        nodes = self.order.nodes
        for element in self.order.elements():
            self.ascend(element)
            if nodes[element.start] in self.order.ends:
                inside = sorted([nodes[at] for at in element])
                for _ in range(DESCENDING_PASSES):
                    if not self.descend(inside):
                        break

    # --- ascending

    def ascend(self, element: range) -> None:
        """Visits the blocks at these positions of the order. A component is iterated until the phis
        of its head are stable, inner ones in each iteration. The rest of the last iteration would
        compute the same again: every cycle passes the head, and inner components are stable."""
        nodes, ends = self.order.nodes, self.order.ends
        iterations: list[tuple[int, int]] = []  # of open components: where, and how many
        at = element.start
        while at < element.stop:
            index = nodes[at]
            if index not in ends:
                self.visit(self.blocks[index], 0)
                at += 1
            else:
                iteration = iterations.pop()[1] + 1 if iterations and iterations[-1][0] == at else 0
                if self.iterate(index, at, iteration):
                    iterations.append((at, iteration))
                    at += 1
                else:
                    at = ends[index]
            if iterations and at == ends[nodes[iterations[-1][0]]]:
                at = iterations[-1][0]

    def iterate(self, index: int, at: int, iteration: int) -> bool:
        """Visits the head of a component. False if its phis are stable: the component is done."""
        head = self.blocks[index]
        if iteration < ITERATIONS:
            return self.visit(head, iteration) or iteration == 0
        if iteration > ITERATIONS:
            return False
        for inside in self.order.component(index, at):
            for phi in self.part.phis[inside]:
                self.facts[phi.target] = self.domain.top(phi.target.width)
        self.body(head, collect_thresholds=False)
        return True

    def phis(self, block: Block, iteration: int) -> bool:
        """True if a phi grew."""
        domain, grown = self.domain, False
        for phi in self.part.phis[block.index]:
            old = self.facts.get(phi.target)
            new = self.joined(block, phi.target.width, phi.sources)
            if old is not None:
                if domain.leq(new, old):
                    continue
                if iteration >= WIDENING_DELAY and any(
                    p >= block.index for p in block.predecessors
                ):
                    stops = self.thresholds if iteration < THRESHOLD_ITERATIONS else ()
                    new = domain.widen(old, new, stops)
                else:
                    new = domain.join(old, new)
            fact = self.facts[phi.target] = new
            grown |= fact != old
        return grown

    def joined(self, block: Block, width: int, sources: dict[int, Operand]) -> V:
        solution, reached = self.solution, self.reached
        facts = [solution(sources[p]) for p in block.predecessors if p in reached]
        return reduce(self.join, facts) if facts else self.domain.bottom(width)

    def join(self, a: V, b: V) -> V:
        found = self.joins.get((a, b))
        if found is None:
            found = self.joins[a, b] = self.domain.join(a, b)
        return found

    def visit(self, block: Block, iteration: int) -> bool:
        """True if facts after the phis may have changed."""
        first = iteration == 0 or block.index not in self.reached
        if not self.enters(block):
            return False
        if not self.phis(block, iteration) and not first:
            return False
        self.body(block, collect_thresholds=True)
        return True

    def enters(self, block: Block) -> bool:
        if block.index == 0 or any(p in self.reached for p in block.predecessors):
            self.reached.add(block.index)
            return True
        return False

    def body(self, block: Block, collect_thresholds: bool) -> None:
        facts, solution, loaded = self.facts, self.solution, self.solution.loaded
        for node in block.assumes:
            source, other = solution(node.source), solution(node.other)
            if collect_thresholds and self.order.ends and node not in self.collected:
                self.collect_thresholds(node, other)
            pair = (other, source) if node.swapped else (source, other)
            refined = self.refined(node.relation, *pair)[node.swapped]
            facts[node.target] = refined
        for instr in self.part.instrs[block.index]:
            found = self.results(instr)
            for value, fact in zip(instr.defs, found, strict=True):
                known = loaded.get(value)
                facts[value] = fact if known is None else self.domain.meet(fact, known)

    def results(self, instr: Instr) -> Sequence[V]:
        """Results are cached by meaning and operands: kernels repeat instructions, and iterations
        do."""
        words = [self.solution(use) for use in instr.uses]
        for at, relation, other, swapped in self.selected(instr):
            pair = (
                (self.solution(other), words[at]) if swapped else (words[at], self.solution(other))
            )
            refined = self.refined(relation, *pair)[swapped]
            if not self.domain.is_bottom(refined):  # else the other operand alone is selected
                words[at] = refined
        access = instr.access
        if access is not None and access.space == "param":
            return self.evaluated(instr, words)
        key = (instr.meaning, *words)
        found = self.known.get(key)
        if found is None:
            found = self.known[key] = self.evaluated(instr, words)
        return found

    def selected(self, instr: Instr) -> list[ComparedOperand]:
        """What the predicate of a selection says of the operands, each where it is selected: a
        clamp keeps a word in a range. A predicate is computed from the words of these names that
        the selection has, as every way to it passes the predicate behind them."""
        if len(instr.defs) != 1 or len(instr.uses) < 3:
            return []
        found = self.compared.get(instr)
        if found is None:
            found = self.compared[instr] = list(self._compared(instr))
        return found

    def _compared(self, instr: Instr) -> Iterator[ComparedOperand]:
        meant = self.flow.formulas.selection(instr.defs[0])
        if meant is None:
            return
        predicate, *words = meant
        for truth, operand in zip((True, False), words, strict=True):
            if instr.uses.count(operand) != 1:
                continue
            for a, relation, b in self.flow.formulas.implied(predicate, truth):
                if operand in (a, b):
                    swapped = operand == b
                    yield instr.uses.index(operand), relation, a if swapped else b, swapped

    def evaluated(self, instr: Instr, words: Sequence[V]) -> Sequence[V]:
        """Bottom if the instruction is never reached with these operands."""
        if any(map(self.domain.is_bottom, words)):
            return [self.domain.bottom(value.width) for value in instr.defs]
        return evaluate(self.domain, instr, words)

    def refined(self, relation: Relation, a: V, b: V) -> tuple[V, V]:
        key = (relation, a, b)
        found = self.assumed.get(key)
        if found is None:
            found = self.assumed[key] = self.domain.assume(a, relation, b)
        return found

    def collect_thresholds(self, node: Assume, fact: V) -> None:
        """Collects widening thresholds: the bounds that a guard compares with, and their
        neighbours. A guard is read once, since its other side may grow too."""
        if len(self.thresholds) > THRESHOLDS:
            return
        bounds = self.domain.bounds(fact)
        if bounds is None:
            return
        self.collected.add(node)
        for stop in stops(node, *bounds):
            if stop not in self.thresholds:
                insort(self.thresholds, stop)

    # --- descending

    def descend(self, inside: Sequence[int]) -> bool:
        """True if a phi was refined."""
        refined_any = False
        for index in inside:
            if index not in self.reached:
                continue
            block = self.blocks[index]
            for phi in self.part.phis[index]:
                new = self.joined(block, phi.target.width, phi.sources)
                old = self.facts[phi.target]
                if new != old and self.domain.leq(new, old):
                    self.facts[phi.target] = new
                    refined_any = True
            if refined_any:
                self.body(block, collect_thresholds=False)
        return refined_any


def stops(node: Assume, low: int, high: int) -> Iterable[int]:
    """The thresholds for a word that is compared with words between ``low`` and ``high``: these
    bounds, their neighbours, and the last values that satisfy a strict order."""
    near = (low - 1, low, high, high + 1)
    if not node.relation.startswith("lt"):
        return near
    return (*near, low + 1 if node.swapped else high - 1)
