"""The solver: abstract interpretation of an SSA function to a fixpoint.

Blocks are visited in weak topological order; a component is iterated until its phis are stable
(Bourdoncle 1993, recursive strategy). Going up, phis of a loop's head are widened after DELAY
rounds, to thresholds taken from the assumes met on the way. Two sweeps over an outermost loop go
down again, before anything behind it is looked at: straight code is visited once. The sweeps are
sound without monotone transfer functions: at a post-fixpoint every fact covers what the machine
computes, so whatever is computed anew from those facts covers it too.

Only the names of a slice are solved, by default those that addresses and branches depend on; the
others are solved when somebody asks for one of them. A slice is closed under operands, so its facts
are those that solving everything would give.

The solver knows blocks, phis and assumes; what an instruction does it leaves to ``evaluate``, what
a word is to the domain.
"""

from __future__ import annotations

from bisect import insort
from collections.abc import Hashable, Iterable, Sequence
from functools import reduce
from typing import Generic, TypeVar

from analyses.flow import Flow
from analyses.graph import Component, Element
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

V = TypeVar("V")

DELAY = 2  # joins at a loop's head before it is widened
PATIENCE = 20  # rounds in which widening stops at thresholds
SWEEPS = 2  # descending passes
MAX_ROUNDS = 60  # of one component; beyond it every phi is top, which is sound and never seen
MAX_THRESHOLDS = 64


class Solution(Generic[V]):
    """Facts by name. ``reached`` holds the blocks that some thread may enter."""

    def __init__(self, flow: Flow, domain: Domain[V], part: Slice) -> None:
        self.flow = flow
        self.domain = domain
        self.part = part
        self.facts: dict[Value, V] = {}
        self.reached: set[int] = set()
        self._constants: dict[Operand, V] = {}

    def __call__(self, operand: Operand) -> V:
        """What is known of an operand; bottom for a name that is never computed."""
        if isinstance(operand, Value):
            found = self.facts.get(operand)
            if found is None and operand not in self.part.names:
                self.part = self.flow.whole
                _Solver(self).run()
                found = self.facts.get(operand)
            return self.domain.bottom(operand.width) if found is None else found
        known = self._constants.get(operand)
        if known is None:
            known = self._constants[operand] = constant(self.domain, operand)
        return known


def constant(domain: Domain[V], operand: Operand) -> V:
    """The fact about an operand that is no name."""
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


def solve(flow: Flow, domain: Domain[V], part: Slice | None = None) -> Solution[V]:
    """Facts about the names of a slice, valid for every thread that computes them."""
    solution = Solution(flow, domain, part or flow.deciding)
    _Solver(solution).run()
    return solution


def evaluate(domain: Domain[V], instr: Instr, arguments: Sequence[V]) -> Sequence[V]:
    """The results of an instruction; bottom if it is never reached with these operands.

    A load of a kernel parameter at a known place is that parameter.
    """
    if any(domain.is_bottom(a) for a in arguments):
        return [domain.bottom(value.width) for value in instr.defs]
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
        self.learned: set[Assume] = set()
        self.loops = any(isinstance(element, Component) for element in self.flow.order)
        self.known: dict[Hashable, Sequence[V]] = {}  # results by meaning and words
        self.assumed: dict[tuple[Relation, V, V], tuple[V, V]] = {}
        self.joins: dict[tuple[V, V], V] = {}

    def run(self) -> None:
        for element in self.flow.order:
            self.ascend((element,))
            if isinstance(element, Component):
                inside = sorted(element.nodes())
                for _ in range(SWEEPS):
                    if not self.descend(inside):
                        break

    # --- going up

    def ascend(self, order: Sequence[Element]) -> None:
        for element in order:
            if isinstance(element, Component):
                self.iterate(element)
            else:
                self.visit(self.blocks[element], 0)

    def iterate(self, loop: Component) -> None:
        """Stable when a round leaves the phis of the head as they are: the rest of it would compute
        the same again, as every way round passes the head and loops inside are stable."""
        head = self.blocks[loop.head]
        for round_ in range(MAX_ROUNDS):
            if not self.visit(head, round_) and round_:
                return
            self.ascend(loop.body)
        for index in loop.nodes():
            for phi in self.part.phis[index]:
                top = self.domain.top(phi.target.width)
                self.facts[phi.target] = self.domain.fresh(top, phi.target)
        self.body(self.blocks[loop.head], learn=False)
        self.ascend(loop.body)

    def phis(self, block: Block, round_: int) -> bool:
        """Whether one of them grew."""
        domain, grown = self.domain, False
        for phi in self.part.phis[block.index]:
            old = self.facts.get(phi.target)
            new = self.joined(block, phi.target.width, phi.sources)
            if old is not None:
                if domain.leq(new, old):
                    continue
                if round_ >= DELAY and any(p >= block.index for p in block.predecessors):
                    stops = self.thresholds if round_ < PATIENCE else ()
                    new = domain.widen(old, new, stops)
                else:
                    new = domain.join(old, new)
            fact = self.facts[phi.target] = self.named(new, phi.target)
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

    def visit(self, block: Block, round_: int) -> bool:
        """Whether anything may be new behind the phis."""
        first = round_ == 0 or block.index not in self.reached
        if not self.enters(block):
            return False
        if not self.phis(block, round_) and not first:
            return False
        self.body(block, learn=True)
        return True

    def enters(self, block: Block) -> bool:
        if block.index == 0 or any(p in self.reached for p in block.predecessors):
            self.reached.add(block.index)
            return True
        return False

    def body(self, block: Block, learn: bool) -> None:
        facts, solution = self.facts, self.solution
        for node in block.assumes:
            source, other = solution(node.source), solution(node.other)
            if learn and self.loops and node not in self.learned:
                self.learn(node, other)
            pair = (other, source) if node.swapped else (source, other)
            refined = self.refined(node.relation, *pair)[node.swapped]
            facts[node.target] = self.named(refined, node.source)
        for instr in self.part.instrs[block.index]:
            found = self.results(instr)
            for value, fact in zip(instr.defs, found, strict=True):
                facts[value] = self.named(fact, value)

    def results(self, instr: Instr) -> Sequence[V]:
        """Computed once for each meaning and words; a kernel repeats itself, and loops do."""
        words = [self.solution(use) for use in instr.uses]
        access = instr.access
        if access is not None and access.space == "param":
            return evaluate(self.domain, instr, words)
        key = (instr.meaning, *words)
        found = self.known.get(key)
        if found is None:
            found = self.known[key] = evaluate(self.domain, instr, words)
        return found

    def refined(self, relation: Relation, a: V, b: V) -> tuple[V, V]:
        key = (relation, a, b)
        found = self.assumed.get(key)
        if found is None:
            found = self.assumed[key] = self.domain.assume(a, relation, b)
        return found

    def named(self, fact: V, name: Value) -> V:
        return self.domain.fresh(fact, name) if self.domain.symbolic else fact

    def learn(self, node: Assume, fact: V) -> None:
        """A bound that a guard compares with is worth stopping at, and so are its neighbours; a
        guard is asked once, for the word on its other side may be growing too."""
        if len(self.thresholds) > MAX_THRESHOLDS:
            return
        bounds = self.domain.bounds(fact)
        if bounds is None:
            return
        self.learned.add(node)
        for stop in stops(node, *bounds):
            if stop not in self.thresholds:
                insort(self.thresholds, stop)

    # --- going down

    def descend(self, inside: Sequence[int]) -> bool:
        """Whether a phi was sharpened: if none was, nothing else can be."""
        sharpened = False
        for index in inside:
            if index not in self.reached:
                continue
            block = self.blocks[index]
            for phi in self.part.phis[index]:
                new = self.joined(block, phi.target.width, phi.sources)
                old = self.facts[phi.target]
                if new != old and self.domain.leq(new, old):
                    self.facts[phi.target] = self.named(new, phi.target)
                    sharpened = True
            if sharpened:
                self.body(block, learn=False)
        return sharpened


def stops(node: Assume, low: int, high: int) -> Iterable[int]:
    """Where a word may stop growing that is compared with others between ``low`` and ``high``: at
    these, one step behind them, and where a strict order ends."""
    near = (low - 1, low, high, high + 1)
    if not node.relation.startswith("lt"):
        return near
    return (*near, low + 1 if node.swapped else high - 1)
