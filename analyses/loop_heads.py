"""The phis of loop heads: ``start + step*k`` in the iteration k, which all phis of a head share.

The steps are found by evaluating the loop's body once with a symbol for every phi of the head, and
what each phi is next by what is known where the loop goes on.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from math import inf
from typing import NamedTuple, Protocol

from msgspec import Struct

from analyses.domains.regions import BasePlusOffset
from analyses.graph import Loop
from analyses.guarded_words import PASSES, GuardedWords
from analyses.iterations import by_halving, by_range
from analyses.loop_phis import HALF, Moved, Steps
from analyses.polynomials.modular import ModularPolynomials
from analyses.polynomials.polynomial import Polynomial, Symbol
from analyses.polynomials.stated import StatedFacts, tightened
from analyses.polynomials.symbols import FIRST_RANK, congruent, type_range
from analyses.program import Block, Operand, Phi, Value
from analyses.step_counts import is_selected
from analyses.unrolled_loops import UnrolledLoops
from analyses.values import Values

Words = Mapping[Value, BasePlusOffset]
Replaced = Mapping[Symbol, Polynomial]


class Evaluation(Protocol):
    """What evaluates the words of a function."""

    def source(self, operand: Operand, words: Words) -> BasePlusOffset | None:
        """None for a word that is not evaluated yet."""

    def guarded(
        self,
        words: Words,
        block: int,
        target: int | None = None,
        more: tuple[Polynomial, ...] = (),
        by: Replaced = ...,
    ) -> GuardedWords:
        """The words of a block, or of the edge to a target."""

    def coming(
        self, operand: Operand, words: Words, edge: int, block: Block
    ) -> BasePlusOffset | None:
        """The word of an operand on an edge into a block."""

    def opaque_word(self, value: Value) -> BasePlusOffset:
        """A word of which nothing but its range is known."""

    def body(self, loop: Loop, words: dict[Value, BasePlusOffset]) -> None:
        """Evaluates a loop's blocks, and so its inner loops."""

    def symbol(self, label: str, ends: tuple[int, int], rank: int) -> Symbol:
        """A new symbol with this range."""

    def plain(self, operand: Operand) -> Operand:
        """The name that another one stands for."""


class Head(NamedTuple):
    """A loop with one latch, and its phis: the symbols by which its body is tried, with the origins
    that they start with, those that they are alone, and the words of the trial."""

    loop: Loop
    phis: Sequence[Phi]
    symbols: dict[Value, BasePlusOffset]
    alone: dict[Value, BasePlusOffset]
    trial: dict[Value, BasePlusOffset]

    @property
    def latch(self) -> int:
        (latch,) = self.loop.latches
        return latch


class LoopHeads(Struct, eq=False, dict=True):
    """The loop heads of a function, whose words the ``evaluation`` finds. ``joined`` has each phi
    with its block, ``opaque`` the values that symbols stand for, ``counters`` the loop counters by
    head."""

    values: Values
    integers: ModularPolynomials
    evaluation: Evaluation
    joined: Mapping[Value, tuple[Phi, Block]]
    opaque: Mapping[Symbol, Value]
    counters: dict[int, Symbol]
    unrolled: UnrolledLoops
    held: dict[int, tuple[Polynomial, ...]] = {}  # what is not negative in each iteration, by head

    def evaluate(self, loop: Loop, words: dict[Value, BasePlusOffset]) -> None:
        """Finds the words of all phis of a head."""
        self.held.pop(loop.head, None)
        head = self._tried(loop, words)
        moved, steps = dict[Phi, Moved](), dict[Phi, Polynomial]()
        for phi in head.phis:
            symbol = head.symbols[phi.target]
            start, back = self.start(phi, head.latch, words), self._back(phi, head)
            inside = back is not None and back.origin == symbol.origin
            words[phi.target] = symbol if inside else head.alone[phi.target]
            own = Moved.of(symbol, start, back)
            if own is None:
                continue
            moved[phi] = own
            last = self.unrolled.behind(own.step, own.width, head.latch, loop.head, head.trial)
            step = self.integers.word(own.width, last).polynomial
            if step is not None and self.outside(step, loop):
                steps[phi] = step
        iteration = self._counter(loop, moved, steps)
        counter = Polynomial.of(iteration if iteration.high else 0)
        for phi, step in steps.items():
            line = self.integers.word(phi.target.width, moved[phi].first + step * counter)
            if line.polynomial is not None:
                words[phi.target] = BasePlusOffset(moved[phi].now.origin, line)
        found = self._counted(head, moved, list(steps), words)
        words.update(found)
        left = [phi for phi in head.phis if phi not in steps and phi.target not in found]
        self._others(head, moved, list(steps), left, words)
        if found or any(self._chooses(phi, own, head) for phi, own in moved.items()):
            self.held[loop.head] = tuple(self._held(head, words))

    def _tried(self, loop: Loop, words: Words) -> Head:
        """The head with the body evaluated once."""
        head = Head(loop, self.values.number.part.phis[loop.head], {}, {}, dict(words))
        for phi in head.phis:
            start = self.start(phi, head.latch, words)
            symbol = head.alone[phi.target] = self.evaluation.opaque_word(phi.target)
            if start is not None and start.origin is not None:
                symbol = BasePlusOffset(start.origin, symbol.offset)
            head.trial[phi.target] = head.symbols[phi.target] = symbol
        self.evaluation.body(loop, head.trial)
        return head

    def _back(self, phi: Phi, head: Head) -> BasePlusOffset | None:
        """The word of a phi on the edge from the latch, by what decides that the loop goes on."""
        word = self.evaluation.source(phi.sources[head.latch], head.trial)
        if word is None or word.offset.polynomial is None:
            return word
        guards = self.evaluation.guarded(head.trial, head.latch, head.loop.head)
        decided = congruent(guards.decided(word.offset.polynomial), word.offset.width)
        return word._replace(offset=word.offset._replace(polynomial=decided))

    def _others(
        self,
        head: Head,
        moved: Mapping[Phi, Moved],
        linear: Sequence[Phi],
        left: Sequence[Phi],
        words: dict[Value, BasePlusOffset],
    ) -> None:
        """The phis that are left, with a step that differs: some are in step with another phi, or
        their lower halves with the counter."""
        loop, rank = head.loop, FIRST_RANK + 4 * head.loop.head
        counter = self.counters[loop.head]
        steps = Steps(self.integers, counter, lambda p: self.outside(p, loop))
        lines, before = [moved[phi] for phi in linear], list[Moved]()
        apart = [moved[phi] for phi in left if phi in moved]
        for phi in left:
            own, now = moved.get(phi), self._extended(phi, linear, head, words)
            if now is None and own is not None:
                now = steps.beside(own, before) or steps.behind(own, lines)
                now = now or steps.between(own, apart) or steps.summed(own, lines)
            if now is None and own is not None:
                high = self.evaluation.symbol("high", type_range(HALF, signed=True), rank)
                now = steps.half(own, high)
                if now is None:
                    before.append(own)
            if now is not None:
                words[phi.target] = now

    def _extended(
        self, phi: Phi, others: Sequence[Phi], head: Head, words: Words
    ) -> BasePlusOffset | None:
        """A phi that is the integer of a narrower one before the loop, and after each iteration, is
        so in every iteration: a 32-bit counter that is also kept in 64 bits."""
        ends = self._ends(phi, head, words)
        for other in others:
            if other.target.width >= phi.target.width:
                continue
            now, narrow = words[other.target], self._ends(other, head, words)
            for signed in (True, False):
                if all(map(partial(self._extends, signed), ends, narrow)):
                    integer = self.integers.interpretation(now.offset, signed)
                    word = self.integers.word(phi.target.width, integer)
                    return None if word.polynomial is None else BasePlusOffset(None, word)
        return None

    def _ends(
        self, phi: Phi, head: Head, words: Words
    ) -> tuple[BasePlusOffset | None, BasePlusOffset | None]:
        """A phi in the first iteration, and after any one."""
        after = self.evaluation.source(phi.sources[head.latch], head.trial)
        return self.start(phi, head.latch, words), after

    def _extends(
        self, signed: bool, wide: BasePlusOffset | None, narrow: BasePlusOffset | None
    ) -> bool:
        """True if one word is the signed or unsigned integer of the other."""
        if wide is None or narrow is None or wide.origin is not None or narrow.origin is not None:
            return False
        integer = self.integers.interpretation(narrow.offset, signed)
        return integer is not None and integer == wide.offset.polynomial

    def _counter(
        self, loop: Loop, moved: Mapping[Phi, Moved], steps: Mapping[Phi, Polynomial]
    ) -> Symbol:
        """The loop counter, bounded by the ranges of the phis with a constant step, and by phis
        that are halved."""
        if loop.head not in self.counters:
            ranges = [by_range(self.values, loop, phi, step) for phi, step in steps.items()]
            plain = self.evaluation.plain
            halved = [by_halving(self.values, loop, *one, plain) for one in moved.items()]
            most = min([*ranges, *halved], default=inf)
            rank = FIRST_RANK + 4 * loop.head + 1
            self.counters[loop.head] = Symbol(f"k{loop.head}", 0, most, rank)
        return self.counters[loop.head]

    def outside(self, polynomial: Polynomial, loop: Loop) -> bool:
        """True if it is loop-invariant: defined before the loop, or of the launch."""
        return not self._varying(polynomial, loop)

    # --- where the loop goes on

    def _chooses(self, phi: Phi, own: Moved, head: Head) -> bool:
        """True if the guards decide what the phi is next."""
        raw = self.evaluation.source(phi.sources[head.latch], head.trial)
        return raw is not None and raw.offset.polynomial != own.next

    def _counted(
        self, head: Head, moved: Mapping[Phi, Moved], linear: Sequence[Phi], words: Words
    ) -> dict[Value, BasePlusOffset]:
        """Phis that are ``start + step*k`` if the selects take one way each, in a loop whose number
        of iterations is known. If they are that in an iteration k, and in the next one by what is
        known where the loop goes on, then by induction they are."""
        left = {
            phi: own
            for phi, own in moved.items()
            if phi not in linear and own.now.origin is None
            if any(map(is_selected, own.next.symbols))
        }
        counter, lines = self.counters[head.loop.head], [moved[phi] for phi in linear]
        most = self.unrolled.most(head.loop, head.trial, self._now(head, words)) if left else None
        for truth in (True, False) if most is not None else ():
            found = dict(self._straight(head.loop, lines, left, truth))
            while found and most is not None:
                now = {phi.target: word for phi, word in found.items()}
                goes_on = (most - Polynomial.of(counter) - 1,)
                guards = self._on(head, self._now(head, {**words, **now}), goes_on)
                kept = [phi for phi in found if follows(left[phi], found[phi], counter, guards)]
                if len(kept) == len(found):
                    return now
                found = {phi: found[phi] for phi in kept}
        return {}

    def _straight(
        self, loop: Loop, lines: list[Moved], left: Mapping[Phi, Moved], truth: bool
    ) -> Iterator[tuple[Phi, BasePlusOffset]]:
        """What phis are if all predicates have this value."""
        steps = Steps(self.integers, self.counters[loop.head], lambda p: self.outside(p, loop))
        straight = {
            phi: own._replace(step=self._taken(own, truth) - own.symbol)
            for phi, own in left.items()
        }
        linear = [phi for phi, own in straight.items() if self.outside(own.step, loop)]
        lines = lines + [straight[phi] for phi in linear]
        for phi, own in straight.items():
            line = own.first + own.step * Polynomial.of(steps.counter)
            word = steps.word(own, line) if phi in linear else steps.behind(own, lines)
            if word is not None:
                yield phi, word

    def _taken(self, own: Moved, truth: bool) -> Polynomial:
        """What a phi is next where all predicates have this value, modulo 2**n for its n bits."""
        polynomial = own.next
        for _ in range(PASSES):
            selects = [one for one in polynomial.parts if is_selected(one)]
            by: dict[Symbol, Polynomial] = {
                one: case.polynomial for one in selects for case in one.cases if case.truth is truth
            }
            polynomial = self.integers.respelt(polynomial, by)
        return congruent(polynomial, own.width)

    def _held(self, head: Head, words: Words) -> list[Polynomial]:
        """What is not negative in each iteration: in the first by what is known before the loop,
        and in the next one if it is not in this one and the loop goes on; and how many iterations
        are left, if that is known."""
        counter = self.counters[head.loop.head]
        sources = self.values.function.blocks[head.loop.head].predecessors
        entries = [source for source in sources if source != head.latch]
        before = [self.evaluation.guarded(words, entry, head.loop.head).known for entry in entries]
        found = []
        for fact in self._facts(head, self._now(head, words, wraps=False)).known:
            if self._varying(fact, head.loop) == {counter}:
                now = shifted(fact, counter, -1)
                first = now.replaced({counter: Polynomial.of(0)})
                found += [now] if all(known.bounds(first) for known in before) else []
        kept = list[Polynomial]()
        while len(kept) < len(found):
            found, kept = kept or found, []
            known = self._facts(head, self._now(head, words), tuple(found))
            kept = [one for one in found if known.bounds(shifted(one, counter, 1))]
        most = self.unrolled.most(head.loop, head.trial, self._now(head, words))
        found += [] if most is None else [most - Polynomial.of(counter)]
        return [tightened(fact) for fact in found]

    def _facts(self, head: Head, by: Replaced, more: tuple[Polynomial, ...] = ()) -> StatedFacts:
        """What is not negative where the loop goes on, with the decided choices."""
        guards = self._on(head, by, more)
        facts = [guards.decided(fact) for fact in guards.known.facts]
        return StatedFacts(facts, reduced=True)

    def _on(self, head: Head, by: Replaced, more: tuple[Polynomial, ...] = ()) -> GuardedWords:
        """The guards under which the loop goes on, where symbols are replaced ``by`` others."""
        return self.evaluation.guarded(head.trial, head.latch, head.loop.head, more, by)

    def _now(self, head: Head, words: Words, wraps: bool = True) -> dict[Symbol, Polynomial]:
        """The integers that the symbols are in any iteration, by the words of the phis; or as if no
        word wrapped."""
        by = dict[Symbol, Polynomial]()
        for value, word in head.symbols.items():
            symbol = word.offset.polynomial and word.offset.polynomial.alone
            now = words[value].offset.polynomial
            if symbol is not None and now is not None and word.origin is None:
                by[symbol] = self.integers.interpret(value.width, True, now) if wraps else now
        return by

    def _varying(self, polynomial: Polynomial, loop: Loop) -> set[Symbol]:
        """The symbols that the iterations of a loop change."""
        first = FIRST_RANK + 4 * loop.head
        return {symbol for symbol in polynomial.symbols if symbol.rank >= first}

    # --- where it begins

    def start(self, phi: Phi, latch: int, words: Words) -> BasePlusOffset | None:
        """The phi in the first iteration."""
        home = self.joined[phi.target][1]
        each = phi.sources.items()
        entries = [self._entered(op, words, p, home) for p, op in each if p != latch]
        first = entries[0]
        return first if all(entry == first for entry in entries) else None

    def _entered(
        self, operand: Operand, words: Words, edge: int, home: Block
    ) -> BasePlusOffset | None:
        """The word of an operand on an edge into a loop; of a phi before it, by what is known
        there, which may decide a select in one of the phis."""
        word = self.evaluation.coming(operand, words, edge, home)
        polynomial, of = word and word.offset.polynomial, self.evaluation.plain(operand)
        if polynomial is None or not isinstance(of, Value) or of not in self.joined:
            return word
        phi, block = self.joined[of]
        if not any(self._joins(symbol, block) for symbol in polynomial.symbols):
            return word
        if not any(map(is_selected, self._parts(words, edge, home))):
            return word
        known = self.evaluation.guarded(words, edge, home.index).known.known
        since = tuple(fact for fact in known if self._lasts(fact, block.index))

        def on(source: int) -> GuardedWords:
            by = self.unrolled.ended(source, block.index, words)
            return self.evaluation.guarded(words, source, block.index, since, by)

        return self.unrolled.joined(phi, block, words, on) or word

    def _joins(self, symbol: Symbol, block: Block) -> bool:
        """True if it stands for a phi of the block."""
        value = self.opaque.get(symbol)
        return value is not None and value in self.joined and self.joined[value][1] is block

    def _parts(self, words: Words, edge: int, home: Block) -> Iterator[Symbol]:
        """The symbols in the words of all phis on an edge."""
        for phi in self.values.number.part.phis[home.index]:
            word = self.evaluation.source(phi.sources[edge], words)
            if word is not None and word.offset.polynomial is not None:
                yield from word.offset.polynomial.parts

    def _lasts(self, fact: Polynomial, block: int) -> bool:
        """True if all that it speaks of is defined in blocks that dominate the block, and so keeps
        its value until that is entered again."""
        homes = {(s.rank - FIRST_RANK) // 4 for s in fact.parts if s.rank >= FIRST_RANK}
        return all(self.values.flow.tree.dominates(home, block) for home in homes)


def follows(phi: Moved, now: BasePlusOffset, counter: Symbol, guards: GuardedWords) -> bool:
    """True if a phi is in the next iteration what it is now, for the next counter."""
    both = map(guards.decided, (shifted(now.offset.polynomial, counter, 1), phi.next))
    words = {guards.integers.word(phi.width, congruent(p, phi.width)) for p in both}
    return len(words) == 1


def shifted(polynomial: Polynomial, counter: Symbol, by: int) -> Polynomial:
    """The polynomial so many iterations later."""
    return polynomial.replaced({counter: Polynomial.of(counter) + by})
