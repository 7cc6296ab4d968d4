"""What is known of every word of a function: its numbers, its polynomial, and both at a place.

Numbers (strided interval and known bits) and polynomials are solved apart. Together they say more:

- a loop's head phi that grows by the same amount in every iteration is ``start + step*k``, all phis
  of one head sharing the counter k; the numbers of one of them bound k for the others;
- a guard ``i < n`` bounds every word whose polynomial differs from i's by a constant, also one that
  was computed before the guard: ``at`` evaluates an operand anew under the guards of a place.

Both are exact: equal polynomials (not ``assumed``) are equal words.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

from analyses.domains.affine import Affine, Affines, Bounds, Symbol, Terms
from analyses.domains.known_bits import KnownBits
from analyses.domains.product import Product, ProductValue, Reduction
from analyses.domains.reductions import interval_and_bits
from analyses.domains.regions import BasePlusOffset, BasePlusOffsets
from analyses.domains.strided_interval import StridedInterval, StridedIntervals
from analyses.fixpoint import Solution, evaluate, solve
from analyses.flow import Flow
from analyses.graph import Dominators, Loop
from analyses.program import (
    Instr,
    Operand,
    Phi,
    Region,
    SsaFunction,
    Value,
)

MAX_SLICE = 24  # instructions evaluated anew for one operand
MOST_GUARDS = 64  # polynomials that guards speak of, and guards of each, around a place


@dataclass(frozen=True)
class LaunchFacts:
    """What the launch says: numbers by the name of a special register or ``parameter+offset``
    (ranges where they are not fixed), the regions that pointer parameters point to, and how large
    an array is whose extent the launch decides."""

    specials: Mapping[str, StridedInterval] = field(default_factory=dict)
    pointers: Mapping[str, Region] = field(default_factory=dict)
    extents: Mapping[str, int] = field(default_factory=dict)  # of open regions, by state space


class Guard(NamedTuple):
    """A word whose polynomial is ``key + constant`` lies in ``fact``."""

    constant: int
    width: int
    fact: BasePlusOffset
    fits: bool  # the polynomial, over the integers, is the word read as signed


@dataclass(frozen=True, slots=True)
class Induction:
    """A phi that is start + step*k; ``first`` holds the numbers of its start."""

    target: Value
    start: Affine
    step: Affine
    first: BasePlusOffset


Guards = dict[Terms, tuple[Guard, ...]]


class Values:
    """The facts about one function under what is known of its launches."""

    def __init__(self, flow: Flow, known: LaunchFacts) -> None:
        self.flow = flow
        self.function: SsaFunction = flow.function
        self.tree: Dominators = flow.tree
        self.loops: dict[int, Loop] = flow.loops
        self.definition: Mapping[Value, Instr] = flow.definition
        self.passed = _passed(flow.after)
        self.home: Mapping[Value, int] = flow.home
        inner = Product(
            (StridedIntervals(known.specials), KnownBits()),
            (Reduction(0, 1, interval_and_bits),),
        )
        self.numbers: BasePlusOffsets[ProductValue] = BasePlusOffsets(inner, known.pointers)
        self.part = flow.control_and_address_slice
        self.number: Solution[BasePlusOffset] = solve(flow, self.numbers, self.part)
        self.specials = known.specials
        self.extents = known.extents
        self.counters: dict[str, Bounds] = {}
        fixed = {name: s.value for name, s in known.specials.items() if s.is_constant}
        self.affines = Affines(fixed, self.range_of)
        self.polynomials: BasePlusOffsets[Affine] = BasePlusOffsets(self.affines, known.pointers)
        self.polynomial: Solution[BasePlusOffset] = solve(flow, self.polynomials, self.part)
        self.induction = dict(self._inductions())
        self._guards: dict[int, Guards] = {}
        self._memo: dict[int, dict[Value, BasePlusOffset]] = {}

    def size(self, region: Region) -> int | None:
        return self.extents.get(region.space) if region.size is None else region.size

    # --- symbols

    def range_of(self, symbol: Symbol) -> Bounds | None:
        """Bounds of a symbol as an integer, read as signed."""
        if isinstance(symbol, str):
            if symbol in self.counters:
                return self.counters[symbol]
            found = self.specials.get(symbol)
            return found.signed_bounds() if found is not None else None
        fact = self.number.facts.get(symbol)
        if fact is None or fact.origin is not None or self.numbers.is_bottom(fact):
            return None
        bounds: Bounds | None = self.interval(fact).signed_bounds()
        return bounds

    @staticmethod
    def interval(fact: BasePlusOffset) -> StridedInterval:
        interval: StridedInterval = fact.offset[0]
        return interval

    def reached(self, block: int) -> bool:
        return block in self.number.reached and not any(
            self.numbers.is_bottom(self.number.facts[node.target])
            for node in self.function.blocks[block].assumes
        )

    # --- loops

    def _inductions(self) -> Iterator[tuple[Value, Affine]]:
        """start + step*k for the phis that have it; polynomials are of the word's offset."""
        for loop in self.loops.values():
            head = self.function.blocks[loop.head]
            if len(loop.latches) != 1 or not loop.natural:
                continue
            counter = f"k{loop.head}"
            phis = [phi for phi in head.phis if phi.target in self.part.names]
            found = [line for phi in phis if (line := self._line(phi, loop)) is not None]
            limits = [limit for line in found if (limit := self._iterations(line)) is not None]
            self.counters[counter] = (0, min(limits, default=2**63 - 1))
            for line in found:
                k = self.affines.of(line.step.width, {(counter,): 1})
                yield line.target, self.affines.add(line.start, self.affines.mul(line.step, k))

    def _line(self, phi: Phi, loop: Loop) -> Induction | None:
        symbol: Affine = self.polynomial(phi.target).offset
        if symbol.terms != (((phi.target,), 1),):
            return None
        (latch,) = loop.latches
        entries = [op for p, op in phi.sources.items() if p != latch]
        starts = {self.polynomial(op) for op in entries}
        back = self.polynomial(phi.sources[latch])
        origin = self.polynomial(phi.target).origin
        if len(starts) != 1 or back.origin != origin:
            return None
        start = starts.pop()
        step: Affine = self.affines.sub(back.offset, symbol)
        if start.origin != origin or start.offset.terms is None or step.terms is None:
            return None
        if start.offset.assumed or step.assumed or not self._invariant(step, loop):
            return None
        first = self.numbers.bottom(phi.target.width)
        for entry in entries:  # equal words, but each edge knows something else of them
            first = self.numbers.join(first, self.number(entry))
        return Induction(phi.target, start.offset, step, first)

    def _invariant(self, a: Affine, loop: Loop) -> bool:
        return all(
            isinstance(symbol, str) or self.home[symbol] not in loop.nodes
            for monomial, _ in a.terms or ()
            for symbol in monomial
        )

    def _iterations(self, line: Induction) -> int | None:
        """The greatest k with start + step*k inside the numbers of the phi, if it cannot wrap: its
        numbers and one step beyond them lie inside the signed range, so by induction every
        iteration adds the step over the integers."""
        by = line.step.constant
        fact = self.number(line.target)
        if not by or fact.origin is not None or line.first.origin is not None:
            return None
        if self.numbers.is_bottom(fact) or self.numbers.is_bottom(line.first):
            return None
        first = self.interval(line.first).signed_bounds()
        low, high = self.interval(fact).signed_bounds()
        limit = 1 << (line.target.width - 1)
        if low - abs(by) < -limit or high + abs(by) >= limit:
            return None
        return max(0, (high - first[0]) // by if by > 0 else (first[1] - low) // -by)

    def resolved(self, a: Affine) -> Affine:
        """The polynomial with every induction variable written as start + step*k."""
        for _ in range(8):
            terms = a.terms or ()
            found = {s for m, _ in terms for s in m if isinstance(s, Value) and s in self.induction}
            if not found:
                return a
            result = self.affines.of(a.width, {}, a.assumed)
            for monomial, factor in terms:
                product = self.affines.const(a.width, factor)
                for symbol in monomial:
                    product = self.affines.mul(product, self._symbol(symbol, a.width, found))
                result = self.affines.add(result, product)
            if result.terms is None:
                return a
            a = result
        return a

    def _symbol(self, symbol: Symbol, width: int, replaced: set[Value]) -> Affine:
        if isinstance(symbol, Value) and symbol in replaced:
            known = self.induction[symbol]
            narrow = symbol.width < width
            assumed = known.assumed or (narrow and not self._fits(known, symbol.width))
            return self.affines.of(width, dict(known.terms or ()), assumed)
        return self.affines.of(width, {(symbol,): 1})

    def _fits(self, a: Affine, width: int) -> bool:
        bounds = self.affines.range(a)
        half = 1 << (width - 1)
        return bounds is not None and -half <= bounds[0] and bounds[1] < half

    # --- at a place

    @cached_property
    def guarded(self) -> list[int]:
        """By block, the nearest block with assumes that holds it, itself included; -1: none."""
        nearest: list[int] = []
        for block in self.function.blocks:  # after the block that dominates it
            above = self.tree.parent[block.index]
            outer = nearest[above] if above >= 0 else -1
            nearest.append(block.index if block.assumes else outer)
        return nearest

    def guards(self, block: int) -> Guards:
        """The assumes that hold on entry of a block, by polynomial: of MOST_GUARDS polynomials, and
        as many of each, those that were met last."""
        nearest = self.guarded[block]
        new: list[int] = []
        while nearest >= 0 and nearest not in self._guards:
            new.append(nearest)
            nearest = self.guarded[self.tree.parent[nearest]] if nearest else -1
        known = self._guards.get(nearest, {})
        for index in reversed(new):
            known = self._guards[index] = dict(known)
            for key, guard in self._own_guards(index):
                known[key] = (*known.pop(key, ()), guard)[-MOST_GUARDS:]
            while len(known) > MOST_GUARDS:
                del known[next(iter(known))]
        return known

    def _own_guards(self, block: int) -> Iterator[tuple[Terms, Guard]]:
        for node in self.function.blocks[block].assumes:
            guard = self._guard(node.source, self.number.facts.get(node.target))
            if guard is not None:
                yield guard

    def _guard(self, source: Operand, fact: BasePlusOffset | None) -> tuple[Terms, Guard] | None:
        word = self.polynomial(source)
        if fact is None or word.origin != fact.origin or word.offset.terms is None:
            return None
        key, constant = split(word.offset)
        if word.offset.assumed or not key:
            return None
        width = word.offset.width
        fits = word.origin is None and self._fits(word.offset, width)
        return key, Guard(constant, width, fact, fits)

    def at(self, operand: Operand, block: int, mask: Operand | None = None) -> BasePlusOffset:
        """What is known of an operand in a block, in threads where ``mask`` holds."""
        guards = self.guards(block)
        memo = self._memo.setdefault(self.guarded[block], {})
        if mask is not None:
            guards, memo = dict(guards), {}
            for a, relation, b in self.flow.formulas.implied(mask, True):
                left, right = self.numbers.assume(self.number(a), relation, self.number(b))
                for found in (self._guard(a, left), self._guard(b, right)):
                    if found is not None:
                        guards[found[0]] = (*guards.get(found[0], ()), found[1])
        if not guards:
            return self.number(operand)
        return self._again(operand, guards, memo, [MAX_SLICE])

    def _again(
        self, operand: Operand, guards: Guards, memo: dict[Value, BasePlusOffset], budget: list[int]
    ) -> BasePlusOffset:
        if not isinstance(operand, Value):
            return self.number(operand)
        if operand in memo:
            return memo[operand]
        fact = memo[operand] = self._guarded(operand, self.number(operand), guards)
        instr = self.definition.get(operand)
        if instr is None or instr.effects or instr.access is not None or not budget[0]:
            return fact
        budget[0] -= 1
        old = [self.number(use) for use in instr.uses]
        new = [self._again(use, guards, memo, budget) for use in instr.uses]
        if new != old:
            if any(map(self.numbers.is_bottom, new)):
                fact = self.numbers.bottom(operand.width)
            else:
                results = evaluate(self.numbers, instr, new)
                fact = self.numbers.meet(fact, results[list(instr.defs).index(operand)])
            memo[operand] = fact
        return fact

    def _guarded(self, operand: Value, fact: BasePlusOffset, guards: Guards) -> BasePlusOffset:
        word = self.polynomial(operand)
        if word.offset.terms is None or word.offset.assumed or word.origin != fact.origin:
            return fact
        key, constant = split(word.offset)
        for guard in guards.get(key, ()):
            if guard.fact.origin != fact.origin or guard.width > word.offset.width:
                continue
            if guard.width < word.offset.width and not guard.fits:
                continue
            moved = guard.fact.offset
            if guard.width < word.offset.width:
                moved = self.numbers.inner.sext(word.offset.width, moved)
            if constant != guard.constant:
                shift = self.numbers.inner.const(word.offset.width, constant - guard.constant)
                moved = self.numbers.inner.add(moved, shift)
            if moved == fact.offset:
                continue
            fact = BasePlusOffset(fact.origin, self.numbers.inner.meet(fact.offset, moved))
        return fact


def split(a: Affine) -> tuple[Terms, int]:
    """The polynomial without its constant, and the constant."""
    terms = a.terms or ()
    if terms and not terms[0][0]:
        return terms[1:], terms[0][1]
    return terms, 0


def _passed(after: Sequence[int]) -> frozenset[int]:
    """The blocks that every thread passes."""
    passed, at = set(), 0
    while at < len(after):
        passed.add(at)
        at = after[at]
    return frozenset(passed)
