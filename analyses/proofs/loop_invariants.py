"""Loop invariants: what holds at a loop head in every iteration.

- *Guards* of the back edge, shifted by one iteration, if the entry implies them for the first.
- *Strides*: a difference that is never zero and decreases by a constant that divides it stays
  positive.
- *Inductive invariants*: candidates (a phi stays at or above its start, or what it is compared
  with) that hold on entry and that an iteration preserves, which may use them as hypotheses.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence

from msgspec import Struct

from analyses.domains.regions import BasePlusOffset
from analyses.graph import Loop
from analyses.polynomials.division import quotient, without_number
from analyses.polynomials.inequality import Inequality
from analyses.polynomials.polynomial import Polynomial, Symbol, order
from analyses.polynomials.symbols import (
    Choice,
    CommonBits,
    Interpretation,
    PowerOfTwo,
    Quotient,
    Remainder,
    deep,
    remainders,
    selects,
    spelt_out,
    type_range,
)
from analyses.proofs.invariant_candidates import InvariantCandidates
from analyses.proofs.invariant_sums import Candidates, Recurrence, products, sums
from analyses.proofs.loop_disequalities import excluded
from analyses.proofs.loop_rates import Rates
from analyses.proofs.path_condition import NOTHING, PathCondition
from analyses.proofs.path_conditions import PathConditions
from analyses.proofs.ring_buffers import Ring


def iteration_bounds(
    conditions: PathConditions, loop: Loop, before: PathCondition
) -> PathCondition:
    """The invariants at the head of a loop, where ``before`` holds on entry."""
    counter = conditions.symbolic.counters.get(loop.head)
    if counter is None:
        return NOTHING
    (latch,) = loop.latches
    block, back = latch, NOTHING
    taken = latch in conditions.sources[loop.head]
    while taken and block != loop.head:
        back += conditions.edge(block, before)
        block = conditions.parent[block]
    found = LoopInvariants(conditions, loop, counter, before, back)
    if not taken or conditions.proves(before + back, Polynomial.of(-1)):
        return found.never_repeated()
    return found.found()


Candidate = tuple[Recurrence, Polynomial]


class LoopInvariants(Struct, frozen=True):
    """The search for the invariants of one loop. ``back`` is what the guards of the back edge
    imply."""

    conditions: PathConditions
    loop: Loop
    counter: Symbol
    before: PathCondition
    back: PathCondition

    def found(self) -> PathCondition:
        recurrences, words = list(self.recurrences()), self.conditions.symbolic.heads.held
        held = self.guarded(recurrences) + excluded(recurrences, self.before, self.back)
        counted = [fact for fact in words.get(self.loop.head, ()) if not held.says(fact)]
        held += PathCondition(tuple(Inequality(fact, self.loop) for fact in counted))
        together = sums(recurrences)
        held += self.pairs(together, self.before + held + self.back)
        held += self.invariants(recurrences, self.before + held + self.back)
        held += self.pairs(products(recurrences), self.before + held + self.back)
        for recurrence in recurrences:
            held += self.ring(recurrence).held(self.before + held)
        return held

    def never_repeated(self) -> PathCondition:
        """That there is one iteration, in which each phi is what it was before the loop."""
        gaps = [(r.phi, r.first - Polynomial.of(r.symbol)) for r in self.recurrences()]
        known = [Inequality(gap, phi) for phi, one in gaps for gap in (one, -one)]
        return PathCondition((Inequality(-Polynomial.of(self.counter), self.loop), *known))

    def ring(self, recurrence: Recurrence) -> Ring:
        return Ring(self.conditions, self.loop, recurrence)

    def recurrences(self) -> Iterator[Recurrence]:
        """The recurrences of phis that are not linear in the counter."""
        symbolic = self.conditions.symbolic
        (latch,) = self.loop.latches
        for phi in symbolic.part.phis[self.loop.head]:
            words = (
                symbolic.word(phi.target),
                symbolic.heads.start(phi, latch, symbolic.words),
                symbolic.word(phi.sources[latch]),
            )
            if len({word.origin for word in words if word is not None}) != 1:
                continue  # it moves from one buffer to another
            now, first, after = map(self.offset, words)
            symbol = now.alone if now is not None else None
            if symbol is None or first is None or after is None:
                continue
            if symbol in symbolic.opaque or symbol in symbolic.offsets:
                yield Recurrence(phi, symbol, first, after)

    def offset(self, word: BasePlusOffset | None) -> Polynomial | None:
        """The signed integer of a word, or of its offset from the start of a buffer."""
        return None if word is None else self.integer(BasePlusOffset(None, word.offset))

    def integer(self, word: BasePlusOffset | None, signed: bool = True) -> Polynomial | None:
        if word is None or word.origin is not None:
            return None
        return self.conditions.symbolic.integers.interpretation(word.offset, signed)

    def later(
        self, polynomial: Polynomial, symbol: Symbol, value: Polynomial, count: Polynomial
    ) -> Polynomial | None:
        """The polynomial with the value of a phi in another iteration."""
        by = {symbol: value, self.counter: count}
        return self.conditions.symbolic.integers.rewritten(polynomial, by)

    def varies(self, polynomial: Polynomial, by: Collection[Symbol]) -> bool:
        """True if these symbols, and no others, change it in the next iteration."""
        found, open_ = False, list(polynomial.symbols)
        while open_:
            symbol = open_.pop()
            if symbol in by:
                found = True
            elif isinstance(symbol, Interpretation):
                open_ += symbol.polynomial.symbols
            elif isinstance(symbol, PowerOfTwo):
                open_ += symbol.exponent.symbols
            elif isinstance(symbol, CommonBits):
                open_ += symbol.one.symbols | symbol.other.symbols
            elif isinstance(symbol, Remainder):
                open_.append(symbol.quotient)
            elif isinstance(symbol, Quotient):
                open_ += symbol.dividend.symbols | symbol.divisor.symbols
            elif isinstance(symbol, Choice) and not selects(symbol):
                open_ += [s for case in symbol.cases for s in case.polynomial.symbols]
            elif not self.conditions.symbolic.heads.outside(Polynomial.of(symbol), self.loop):
                return False
        return found

    # --- guards

    def guarded(self, recurrences: Sequence[Recurrence]) -> PathCondition:
        """The guards of the back edge in the previous iteration, if they hold before the first:
        there, the next value of a phi is the phi's own value now."""
        integers, held = self.conditions.symbolic.integers, NOTHING
        start = {self.counter: Polynomial.of(-1)}
        now = {self.counter: Polynomial.of(self.counter) - 1}
        for recurrence in recurrences:
            for symbol, at_first, own in self.following(recurrence):
                start[symbol], now[symbol] = at_first, own
        stepping = list(self.stepping())
        for fact in (*map(self.with_contents, self.back.known), *stepping):
            if self.varies(fact.polynomial, now.keys()):
                first = integers.rewritten(fact.polynomial, start)
                moved = integers.rewritten(fact.polynomial, now)
                if first is None or moved is None:
                    continue
                if fact in stepping or self.conditions.proves(self.before, first):
                    held += PathCondition((Inequality(moved, fact.origin),))
                else:
                    held += PathCondition(tuple(self.one_step_on(fact)))
            held += PathCondition(tuple(self.scaled(fact, recurrences)))
            held += PathCondition(tuple(self.before_step(fact, recurrences)))
        return held

    def with_contents(self, fact: Inequality) -> Inequality:
        """With the end of its value range in place of a word that each iteration loads anew: a loop
        that ends at ``start[row + 1]`` ends where any row does."""
        polynomial, symbolic = fact.polynomial, self.conditions.symbolic
        for symbol in sorted(polynomial.symbols & symbolic.loaded.keys(), key=order):
            if symbolic.heads.outside(Polynomial.of(symbol), self.loop):
                continue
            for said in self.conditions.contents(symbol):
                by = said.polynomial.terms.get((symbol,), 0)
                times, odd = divmod(-polynomial.terms.get((symbol,), 0), by) if by else (0, 0)
                if times > 0 and not odd:
                    polynomial = polynomial.plus(said.polynomial, times)
        return fact if polynomial is fact.polynomial else Inequality(polynomial, fact.origin)

    def scaled(self, fact: Inequality, recurrences: Iterable[Recurrence]) -> Iterator[Inequality]:
        """A guard of the next value of a phi that is a multiple of the phi and does not wrap, as
        that of a stride that doubles, for the phi's own value."""
        for _, symbol, first, after in recurrences:
            by, factor = after.terms.get((symbol,), 0), fact.polynomial.terms.get((symbol,), 0)
            if by in (0, 1) or len(after.terms) > 1 or factor == 0 or factor % by:
                continue
            rest = fact.polynomial - Polynomial.of(symbol).scaled(factor)
            at_first = rest + first.scaled(factor // by)
            unchanged = self.conditions.symbolic.heads.outside(rest, self.loop)
            if unchanged and self.conditions.proves(self.before, at_first):
                yield Inequality(rest + Polynomial.of(symbol).scaled(factor // by), fact.origin)

    def before_step(self, fact: Inequality, recurrences: Sequence[Recurrence]) -> list[Inequality]:
        """A guard of the next values of phis that do not wrap, as that of an index that only some
        iterations move, for the values of the phis themselves."""
        now, at_first = self.moved_back(fact.polynomial, recurrences)
        if now is None or at_first is None or not self.conditions.proves(self.before, at_first):
            return []
        return [Inequality(now, fact.origin)]

    def moved_back(
        self, polynomial: Polynomial, recurrences: Sequence[Recurrence]
    ) -> tuple[Polynomial | None, Polynomial | None]:
        """What is a polynomial over the next values of phis in an iteration, over their values in
        the iteration after it, and in the first one. None if more than these values change. What an
        iteration adds to a phi must cancel out, and not depend on the loop's phis: it would be that
        of another iteration."""
        now = {self.counter: Polynomial.of(self.counter) - 1}
        start = {self.counter: Polynomial.of(-1)}
        own = {self.counter, *(recurrence.symbol for recurrence in recurrences)}
        for _, symbol, first, after in recurrences:
            moved = after - Polynomial.of(symbol)
            if symbol in polynomial.parts and moved.parts.isdisjoint(own):
                now[symbol], start[symbol] = Polynomial.of(symbol) - moved, first - moved
        if len(now) == 1:
            return None, None
        integers = self.conditions.symbolic.integers
        found = integers.rewritten(polynomial, now)
        if found is None or not self.varies(found, now.keys()):
            return None, None
        return found, integers.rewritten(polynomial, start)

    def equal_words(self, recurrence: Recurrence) -> Iterator[Polynomial]:
        """That a word that the back edge compares does not wrap, if it is made of the phi and the
        counter: of two indices, one of which each iteration moves, one is what is left."""
        for fact in self.back.known:
            for word in sorted(fact.polynomial.symbols, key=order):
                if isinstance(word, Interpretation) and self.counter in word.polynomial.symbols:
                    now, _ = self.moved_back(Polynomial.of(word), (recurrence,))
                    if now is not None and isinstance(now.alone, Interpretation):
                        unwrapped = now.alone.polynomial
                        yield from (unwrapped - now, now - unwrapped)

    def one_step_on(self, fact: Inequality) -> Iterator[Inequality]:
        """A guard bounds an integer that steps towards the bound: after the step the integer is
        beyond it by no more than the step, if the bound and the step stay inside of the type. That
        holds in the first iteration, too, before which the integer may have wrapped: where a
        counter begins four too high, and the loop subtracts four before it compares it."""
        integers, proves = self.conditions.symbolic.integers, self.conditions.proves
        following = {self.counter: Polynomial.of(self.counter) + 1}
        for symbol in sorted(fact.polynomial.symbols, key=order):
            factor = fact.polynomial.terms.get((symbol,))
            if not isinstance(symbol, Interpretation) or factor not in (1, -1):
                continue
            if not self.varies(symbol.polynomial, (self.counter,)):
                continue
            bound = fact.polynomial - Polynomial.of(symbol).scaled(factor)
            after = integers.rewritten(symbol.polynomial, following)
            step = after - symbol.polynomial if after is not None else Polynomial({})
            towards = step.scaled(-factor)
            outside = (self.conditions.symbolic.heads.outside(p, self.loop) for p in (bound, step))
            if not step.terms or not all(outside) or not proves(self.before, towards):
                continue
            low, high = type_range(symbol.width, symbol.signed)
            beyond = fact.polynomial + towards
            inside = bound.scaled(-factor) + step  # the least, or the greatest, integer after it
            first = integers.rewritten(beyond, {self.counter: Polynomial.of(0)})
            fits = inside - low if factor > 0 else -inside + high
            if first is not None and proves(self.before, fits) and proves(self.before, first):
                yield Inequality(beyond, fact.origin)

    def following(self, recurrence: Recurrence) -> Iterator[tuple[Symbol, Polynomial, Polynomial]]:
        """The symbols that stand for the phi's next value, selected for it or an integer of a word:
        each with the same integer of the phi in the first iteration, and of the phi now."""
        (latch,), phi, symbolic = self.loop.latches, recurrence.phi, self.conditions.symbolic
        first, now = symbolic.heads.start(phi, latch, symbolic.words), symbolic.word(phi.target)
        for signed in (True, False):
            words = (symbolic.word(phi.sources[latch]), first, now)
            after, at_first, own = (self.integer(word, signed) for word in words)
            symbol = after.alone if after is not None else None
            if symbol is None or at_first is None or own is None or symbol in own.symbols:
                continue
            if selects(symbol) or isinstance(symbol, Interpretation):
                yield symbol, at_first, own

    def stepping(self) -> Iterator[Inequality]:
        """Two words differ by ``left``, which decreases by ``step`` in each iteration, is never 0,
        and is a multiple of ``step``: so it is at least ``step`` after each.

        The difference of the words is ``left`` modulo 2**width: where that is 0, so is the
        difference, so it stays positive as it was in the beginning. What a division leaves is less
        than the divisor, whichever interpretation of a word is divided, and congruent to what the
        word leaves.
        """
        for fact in self.back.distinct:
            for apart in dict.fromkeys(
                (fact.polynomial, remainders(fact.width, fact.polynomial).whole)
            ):
                left = self.stepped(apart)
                if left is not None:
                    yield Inequality(left, fact.origin)
                    break

    def stepped(self, apart: Polynomial) -> Polynomial | None:
        """``left - step``, if it is positive as long as ``apart`` is not 0."""
        proves, following = self.conditions.proves, Polynomial.of(self.counter) + 1
        rewritten = self.conditions.symbolic.integers.rewritten
        next_ = rewritten(apart, {self.counter: following})
        step = next_ - apart if next_ is not None else Polynomial.of(0)
        first = rewritten(apart, {self.counter: Polynomial.of(-1)})
        if first is None or not self.varies(apart, (self.counter,)):
            return None
        if not step.terms or not self.conditions.symbolic.heads.outside(step, self.loop):
            return None
        (factor,) = {*step.terms.values()} if len(step.terms) == 1 else {0}
        if factor > 0:
            apart, first = -apart, -first
        else:
            step = -step
        if factor and self.divisible(first, step) and proves(self.before, step):
            positive = (first - step, first - 1) if step.constant is None else (first - step,)
            if any(proves(self.before, one) for one in positive) or self.left(first):
                return apart - step
        return None

    def left(self, first: Polynomial) -> bool:
        """True if it is positive before the loop, as it is neither negative nor zero there."""
        zeros = {without_number(fact.polynomial) for fact in self.before.distinct}
        distinct = not zeros.isdisjoint((without_number(first), without_number(-first)))
        return distinct and self.conditions.proves(self.before, first)

    def divisible(self, polynomial: Polynomial, by: Polynomial) -> bool:
        """True if the path condition on entry implies that the remainder is zero."""
        ((factors, number),) = by.terms.items()
        each = polynomial.terms.items()
        if all(c % number == 0 and quotient(m, factors) is not None for m, c in each):
            return True
        if by.constant is None:
            return False
        floor = self.conditions.symbolic.integers.quotient(polynomial, by)
        return self.conditions.proves(self.before, floor.scaled(number) - polynomial)

    # --- invariants

    def invariants(self, recurrences: Sequence[Recurrence], inside: PathCondition) -> PathCondition:
        """The candidates that are inductive on their own; then, of mutually recursive phis, those
        that are inductive together."""
        held, open_ = NOTHING, list(self.candidates(recurrences))
        for _ in range(2):  # one may depend on another
            left = []
            for recurrence, candidate in open_:
                one = PathCondition((Inequality(candidate, recurrence.phi),))
                if held.says(candidate):
                    continue
                if self.keeps(recurrence, candidate, inside + held + one):
                    held += one
                else:
                    left.append((recurrence, candidate))
            if not held.known:
                break
            open_ = left
        symbols = {recurrence.symbol for recurrence in recurrences}
        linked = [
            (t, c)
            for t, c in open_
            if deep(t.after) & symbols - {t.symbol} or c in self.ring(t).ends()
        ]
        return held + self.together(linked, inside + held)

    def together(self, candidates: list[Candidate], inside: PathCondition) -> PathCondition:
        """The greatest set of candidates that an iteration preserves, assuming all of the set:
        candidates that fail are removed until none does (Houdini: Flanagan and Leino, FME 2001)."""
        while True:
            held = PathCondition(
                tuple(Inequality(candidate, recurrence.phi) for recurrence, candidate in candidates)
            )
            kept = [each for each in candidates if self.keeps(*each, inside + held)]
            if len(kept) == len(candidates):
                return held
            candidates = kept

    def keeps(self, recurrence: Recurrence, candidate: Polynomial, inside: PathCondition) -> bool:
        """True if an iteration preserves the candidate, be it by what then holds in loops inside of
        it, on each way to the next value."""
        if self.ring(recurrence).keeps(candidate, inside):
            return True
        ways, count = list(self.ways(recurrence, inside)), Polynomial.of(self.counter) + 1
        each = [(self.later(candidate, recurrence.symbol, at, count), here) for at, here in ways]
        return bool(each) and all(
            step is not None and self.conditions.proves(here, step) for step, here in each
        )

    def ways(
        self, recurrence: Recurrence, inside: PathCondition
    ) -> Iterator[tuple[Polynomial, PathCondition]]:
        """The values that the next one is joined from, each with what holds on its way; none if no
        loop inside of this one decides them, or if it is inside of too many searches."""
        counters, choice = self.conditions.symbolic.counters, recurrence.after.alone
        inner = {counters[head] for head in counters if head in self.loop.nodes} - {self.counter}
        if self.conditions.too_deep or inner.isdisjoint(recurrence.after.parts):
            return
        edges = [case.edge for case in choice.cases] if isinstance(choice, Choice) else [None]
        if not isinstance(choice, Choice) or None in edges:
            (latch,) = self.loop.latches
            yield recurrence.after, inside + self.nested(recurrence, latch, inside)
            return
        for case in choice.cases:
            assert case.edge is not None
            here = inside + self.conditions.along(*case.edge)
            yield case.polynomial, here + self.nested(recurrence, case.edge[0], here)

    def nested(self, recurrence: Recurrence, block: int, inside: PathCondition) -> PathCondition:
        """The invariants of the loops inside of this one whose iterations the next value of a phi
        counts, in an iteration in which ``inside`` holds when it leaves the block. Only of loops
        whose heads dominate that, which are entered in such an iteration: of another one they hold
        in no thread. What concerns names defined before such a loop holds in all of it."""
        found, symbolic = NOTHING, self.conditions.symbolic
        while block in self.loop.nodes and block != self.loop.head:
            if symbolic.counters.get(block) in recurrence.after.parts:
                loop = symbolic.loops[block]
                lasting = inside.where(lambda p, loop=loop: symbolic.heads.outside(p, loop))  # type: ignore[misc]
                before = self.conditions.entry(loop) + lasting
                found += self.conditions.invariants(loop, before)
            block = self.conditions.parent[block]
        return found

    def pairs(self, candidates: Candidates, inside: PathCondition) -> PathCondition:
        """Of the candidates about two phis, which hold before the loop, those that an iteration
        preserves."""
        held, integers = NOTHING, self.conditions.symbolic.integers
        for several, pair in candidates.items():
            now = {self.counter: Polynomial.of(self.counter) + 1} | {
                r.symbol: r.after for r in pair
            }
            each = PathCondition(tuple(Inequality(one, pair[0].phi) for one in several))
            here, steps = inside + held + each, (integers.rewritten(one, now) for one in several)
            if all(step is not None and self.conditions.proves(here, step) for step in steps):
                held += each
        return held

    def candidates(self, recurrences: Sequence[Recurrence]) -> Iterator[Candidate]:
        """The candidates that hold on entry."""
        for recurrence in recurrences:
            for candidate in dict.fromkeys(self.candidate_bounds(recurrence)):
                base = self.later(candidate, recurrence.symbol, recurrence.first, Polynomial.of(0))
                if base is None or not self.varies(candidate, (recurrence.symbol, self.counter)):
                    continue
                if self.conditions.proves(self.before, base):
                    yield recurrence, candidate

    def candidate_bounds(self, recurrence: Recurrence) -> Iterator[Polynomial]:
        now = Polynomial.of(recurrence.symbol)
        yield from Rates(self.conditions, self.loop, self.counter).bounds(recurrence)
        yield from self.equal_words(recurrence)
        yield from (recurrence.first - now, now - recurrence.first)
        candidates = InvariantCandidates(self.conditions, self.loop, self.counter)
        yield from (*candidates.masked(recurrence), *candidates.loaded(recurrence))
        yield from candidates.set_to(recurrence)
        if recurrence.symbol not in recurrence.after.parts:
            yield from candidates.last(now, recurrence.after)
        for choice in sorted(deep(recurrence.after), key=order):
            for case in choice.cases if isinstance(choice, Choice) else ():
                if case.condition is None:
                    continue
                yield from candidates.last(now, case.polynomial)
                if recurrence.symbol not in case.polynomial.parts:
                    yield from candidates.ends(now, case.polynomial, self.before + self.back)
                said = self.conditions.implied(case.condition, case.truth, choice)
                compared = [fact.polynomial for fact in said.distinct]
                compared += [
                    p for fact in said.known for p in (fact.polynomial, fact.polynomial + 1)
                ]
                for polynomial in (*compared, *map(spelt_out, compared)):
                    if recurrence.symbol in polynomial.symbols:
                        yield from (polynomial, -polynomial)
                if choice is recurrence.after.alone:
                    yield from candidates.selected(now, case.polynomial, said)
        yield now
        yield from self.ring(recurrence).ends()
        yield from candidates.positive(recurrence, self.back)
