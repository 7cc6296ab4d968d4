"""What holds at a loop's head in every iteration.

- *Guards* of the back edge, moved on by one iteration, if the entry implies them for the first one.
- *Steps*: what is not equal after every iteration and comes nearer by the same amount stays on its
  side, if that amount meets it exactly.
- *Invariants*: candidates (a phi stays at or above what it started as, or what it is compared with)
  that hold at the entry and that an iteration keeps. The iteration may use them: this is induction.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from analyses.domains.regions import BasePlusOffset
from analyses.graph import Loop
from analyses.polynomials.inequality import Inequality
from analyses.polynomials.polynomial import Polynomial, Symbol, order
from analyses.polynomials.symbols import Choice, Interpretation, Quotient, deep, selects, spelt_out
from analyses.program import Phi
from analyses.proofs.path_conditions import NOTHING, PathCondition, PathConditions


def iteration_bounds(places: PathConditions, loop: Loop, before: PathCondition) -> PathCondition:
    """What holds at the head of a loop, where ``before`` holds on entry."""
    counter = places.symbolic.counters.get(loop.head)
    if counter is None:
        return NOTHING
    (block,) = loop.latches
    back = NOTHING
    while block != loop.head:
        back += places.edge(block)
        block = places.parent[block]
    if places.proves(before + back, Polynomial.of(-1)):  # nothing goes back
        return PathCondition((Inequality(-Polynomial.of(counter), loop),))
    return LoopInvariants(places, loop, counter, before, back).found()


class Recurrence(NamedTuple):
    """What an iteration makes of a phi at its loop's head: ``symbol`` is ``first`` in the first one
    and ``after`` in the next."""

    phi: Phi
    symbol: Symbol
    first: Polynomial
    after: Polynomial


Candidate = tuple[Recurrence, Polynomial]


@dataclass(frozen=True)
class LoopInvariants:
    """``back`` is what the guards of the back edge say."""

    places: PathConditions
    loop: Loop
    counter: Symbol
    before: PathCondition
    back: PathCondition

    def found(self) -> PathCondition:
        turns = list(self.turns())
        held = self.guarded(turns)
        return held + self.invariants(turns, self.before + held + self.back)

    def turns(self) -> Iterator[Recurrence]:
        """Of the phis that are no lines over the counter."""
        symbolic = self.places.symbolic
        (latch,) = self.loop.latches
        for phi in symbolic.part.phis[self.loop.head]:
            now = self.integer(symbolic.word(phi.target))
            first = self.integer(symbolic.start(phi, latch, symbolic.words))
            after = self.integer(symbolic.word(phi.sources[latch]))
            symbol = now.alone if now is not None else None
            if symbol in symbolic.opaque and first is not None and after is not None:
                yield Recurrence(phi, symbol, first, after)

    def integer(self, word: BasePlusOffset | None) -> Polynomial | None:
        if word is None or word.origin is not None:
            return None
        return self.places.symbolic.integers.reading(word.offset, signed=True)

    def rewritten(
        self, polynomial: Polynomial, symbol: Symbol, by: Polynomial
    ) -> Polynomial | None:
        return self.places.symbolic.integers.rewritten(polynomial, {symbol: by})

    def varies(self, polynomial: Polynomial, by: Collection[Symbol]) -> bool:
        """Whether these symbols, and nothing else, make it another one in the next iteration."""
        found, open_ = False, list(polynomial.symbols)
        while open_:
            symbol = open_.pop()
            if symbol in by:
                found = True
            elif isinstance(symbol, Interpretation):
                open_ += symbol.polynomial.symbols
            elif isinstance(symbol, Quotient):
                open_ += symbol.dividend.symbols | symbol.divisor.symbols
            elif isinstance(symbol, Choice) and not selects(symbol):
                open_ += [s for case in symbol.cases for s in case.polynomial.symbols]
            elif not self.places.symbolic.outside(Polynomial.of(symbol), self.loop):
                return False
        return found

    # --- guards

    def guarded(self, turns: Sequence[Recurrence]) -> PathCondition:
        """What the back edge says of the iteration before, where it holds before the first: there,
        what has been selected for a phi is what the phi is now."""
        integers, held = self.places.symbolic.integers, NOTHING
        selected = [(a, turn) for turn in turns if (a := turn.after.alone) and selects(a)]
        start = {self.counter: Polynomial.of(-1)} | {a: turn.first for a, turn in selected}
        now = {a: Polynomial.of(turn.symbol) for a, turn in selected}
        now[self.counter] = Polynomial.of(self.counter) - 1
        for fact in (*self.back.known, *self.stepping()):
            if self.varies(fact.polynomial, now.keys()):
                first = integers.rewritten(fact.polynomial, start)
                moved = integers.rewritten(fact.polynomial, now)
                if first is None or moved is None or not self.places.proves(self.before, first):
                    continue
                held += PathCondition((Inequality(moved, fact.what),))
        return held

    def stepping(self) -> Iterator[Inequality]:
        """``left`` words are left before two are equal, fewer by ``step`` after each iteration,
        never 0, and ``step`` divides ``left``: so it is at least ``step`` after each.

        The difference of the words is ``left`` as long as that lies in [0, 2**width), which it
        does: it starts there and stays positive."""
        for fact in self.back.distinct:
            following = Polynomial.of(self.counter) + 1
            next_ = self.rewritten(fact.polynomial, self.counter, following)
            by = (next_ - fact.polynomial).constant if next_ is not None else None
            if not by:
                continue
            left = fact.polynomial.scaled(-1 if by > 0 else 1)
            by = abs(by)
            first = self.rewritten(left, self.counter, Polynomial.of(-1))
            if (
                first is not None
                and self.divisible(first, by)
                and self.places.proves(self.before, first - by)
                and self.places.proves(self.before, -first + ((1 << fact.width) - 1))
            ):
                yield Inequality(left - by, fact.what)

    def divisible(self, polynomial: Polynomial, by: int) -> bool:
        """Whether the entry shows it: what is not above its floor has no remainder."""
        if all(factor % by == 0 for factor in polynomial.terms.values()):
            return True
        floor = self.places.symbolic.integers.quotient(polynomial, Polynomial.of(by))
        return self.places.proves(self.before, floor.scaled(by) - polynomial)

    # --- invariants

    def invariants(self, turns: Sequence[Recurrence], inside: PathCondition) -> PathCondition:
        """The candidates that an iteration keeps, one after the other; then, of phis that are made
        of one another, those that it keeps together."""
        held, open_ = NOTHING, list(self.candidates(turns))
        for _ in range(2):  # one may need another
            left = []
            for turn, candidate in open_:
                one = PathCondition((Inequality(candidate, turn.phi),))
                if said_by(held, candidate):
                    continue
                if self.keeps(turn, candidate, inside + held + one):
                    held += one
                else:
                    left.append((turn, candidate))
            if not held.known:
                break
            open_ = left
        symbols = {turn.symbol for turn in turns}
        linked = [(t, c) for t, c in open_ if deep(t.after) & symbols - {t.symbol}]
        return held + self.together(linked, inside + held)

    def together(self, candidates: list[Candidate], inside: PathCondition) -> PathCondition:
        """The greatest set that an iteration keeps, if all of it is assumed: what it breaks is
        taken out, until there is nothing (Houdini: Flanagan and Leino, FME 2001)."""
        while True:
            held = PathCondition(
                tuple(Inequality(candidate, turn.phi) for turn, candidate in candidates)
            )
            kept = [each for each in candidates if self.keeps(*each, inside + held)]
            if len(kept) == len(candidates):
                return held
            candidates = kept

    def keeps(self, turn: Recurrence, candidate: Polynomial, inside: PathCondition) -> bool:
        """Whether an iteration keeps a candidate. Of what it selects on the way, one after the
        other, that must be shown too, each with the help of those before."""
        _, symbol, _, after = turn
        selected = [s for s in deep(after) if selects(s) and symbol in s.parts]
        for value in dict.fromkeys([*map(Polynomial.of, sorted(selected, key=order)), after]):
            step = self.rewritten(candidate, symbol, value)
            if step is None or not self.places.proves(inside, step):
                return False
            inside += PathCondition((Inequality(step, symbol),))
        return True

    def candidates(self, turns: Iterable[Recurrence]) -> Iterator[Candidate]:
        """Those that hold at the entry."""
        for turn in turns:
            for candidate in dict.fromkeys(self.guessed(turn)):
                base = self.rewritten(candidate, turn.symbol, turn.first)
                if base is None or not self.varies(candidate, (turn.symbol,)):
                    continue
                if self.places.proves(self.before, base):
                    yield turn, candidate

    def guessed(self, turn: Recurrence) -> Iterator[Polynomial]:
        now = Polynomial.of(turn.symbol)
        yield from (turn.first - now, now - turn.first)
        masked = turn.after.alone
        if masked is not None:
            yield from (bound - now for bound in self.places.symbolic.below.get(masked, ()))
        for choice in deep(turn.after):
            for case in choice.cases if isinstance(choice, Choice) else ():
                if case.condition is None:
                    continue
                said = self.places.said(case.condition, case.truth, choice)
                compared = [fact.polynomial for fact in said.distinct]
                compared += [
                    p for fact in said.known for p in (fact.polynomial, fact.polynomial + 1)
                ]
                for polynomial in (*compared, *map(spelt_out, compared)):
                    if turn.symbol in polynomial.symbols:
                        yield from (polynomial, -polynomial)
        yield now


def said_by(premises: PathCondition, polynomial: Polynomial) -> bool:
    """Whether it is one of them, or greater by a number."""
    greater = ((polynomial - fact.polynomial).constant for fact in premises.known)
    return any(by is not None and by >= 0 for by in greater)
