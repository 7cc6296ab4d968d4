"""Places in a ring: a value that a loop moves by a step, and moves back by a size where it is
beyond an end, ``if (i >= n) i -= n``, or divides by the size.

A loop that is unrolled does so several times in an iteration. Each value on the way is a place in
the ring as the one before it is: shown one after the other, each is a case of two, where the last
one alone has as many cases as their combinations.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from msgspec import Struct

from analyses.graph import Loop
from analyses.polynomials.inequality import Inequality
from analyses.polynomials.polynomial import Polynomial, order
from analyses.polynomials.symbols import (
    Choice,
    Remainder,
    deep,
    selects,
    spelt_out,
    unwrapped,
    words_in,
)
from analyses.proofs.invariant_sums import Recurrence
from analyses.proofs.lower_bounds import factor_of
from analyses.proofs.path_condition import NOTHING, PathCondition
from analyses.proofs.path_conditions import PathConditions
from analyses.ways import is_phi


class Ring(Struct, frozen=True):
    """The places that a phi of a loop takes in an iteration, if it is one in a ring."""

    conditions: PathConditions
    loop: Loop
    recurrence: Recurrence

    def ends(self) -> list[Polynomial]:
        """What is not negative if the phi is a place in a ring: its distance from both ends. What
        overflows beyond one of them may come back at the other."""
        sizes = [case.polynomial for choice in self.moved_by() for case in choice.cases]
        sizes = [size for size in sizes if size.symbols]
        sizes += [symbol.quotient.divisor for symbol in self.remainders()]
        sizes += self.subtracted()
        now = Polynomial.of(self.recurrence.symbol)
        return [*dict.fromkeys(size - now - 1 for size in sizes), *([now] if sizes else [])]

    def places(self) -> Iterator[Polynomial]:
        """The values on the way, the first one first: as they are compared, and moved back, as
        polynomials that they are if nothing overflows."""
        if not self.ends():
            return
        yield from map(Polynomial.of, self.remainders())
        added = spelt_out(self.recurrence.after).terms
        for choice in self.moved_by():
            factor, case = added.get((choice,), 0), choice.cases[0]
            assert case.condition is not None
            said = self.conditions.implied(case.condition, case.truth, choice).known
            compared = (m[0] for fact in said for m in fact.polynomial.terms if len(m) == 1)
            for symbol in compared if factor else ():
                if self.recurrence.symbol in symbol.parts:
                    value = spelt_out(Polynomial.of(symbol))
                    yield from (value, value + Polynomial.of(choice).scaled(factor))

    def selected(self) -> list[list[Polynomial]]:
        """The values that an iteration selects on the way to the next one; and, if they are others,
        as the next select has each: ``(at == 0 ? size : at) - 1``."""
        found = (symbol for symbol in deep(self.recurrence.after) if selects(symbol))
        own = sorted((s for s in found if self.recurrence.symbol in s.parts), key=order)
        values = [*map(Polynomial.of, own)]
        behind = [case.polynomial for s in own if isinstance(s, Choice) for case in s.cases]
        behind.append(self.recurrence.after)
        others = [*dict.fromkeys(moved(value, behind) for value in values)]
        return [values, others] if others != values else [values]

    def keeps(self, candidate: Polynomial, inside: PathCondition) -> bool:
        """True if an iteration in which ``inside`` holds preserves the candidate."""
        return any(self.keeps_by(way, candidate, inside) for way in self.selected())

    def keeps_by(
        self, shown: list[Polynomial], candidate: Polynomial, inside: PathCondition
    ) -> bool:
        """The same by values that it selects on the way, which are shown one after the other, each
        with the help of those before."""
        phi, symbol, _, after = self.recurrence
        symbolic, around = self.conditions.symbolic, list(self.places())
        counter = symbolic.counters[self.loop.head]
        others = [f.polynomial for f in inside.known if f.origin is phi]
        others = [one for one in others if one != candidate] if len(shown) > 1 else []
        for value in dict.fromkeys((*shown, *around, after)):
            by = {symbol: value, counter: Polynomial.of(counter) + 1}
            for bound in (*(others if value != after else ()), candidate):
                step = symbolic.integers.rewritten(bound, by)
                if step is not None and self.conditions.proves(inside, step):
                    inside += PathCondition((Inequality(step, symbol),))
                elif bound is candidate and (value == after or value not in around):
                    return False
        return True

    def held(self, known: PathCondition) -> PathCondition:
        """The bounds of the phi that are ``known`` at the loop head, for the values that an
        iteration computes from it: each is proved from those at the head and of earlier values."""
        found, symbol = NOTHING, self.recurrence.symbol
        bounds = [f.polynomial for f in known.known if f.origin is self.recurrence.phi]
        places = dict.fromkeys(self.places()) if bounds else {}
        for place in [one for one in places if not self.joined(one)]:
            for bound in bounds:
                there = bound.replaced({symbol: place})
                if symbol not in bound.parts - {symbol} and self.conditions.proves(
                    known + found, there
                ):
                    found += PathCondition((Inequality(there, self.recurrence.phi),))
        return found

    def joined(self, place: Polynomial) -> bool:
        """True if it depends on the way that an iteration takes: what holds along that rests on
        what holds at the head."""
        joined = filter(is_phi, place.parts)
        return any(self.recurrence.symbol in symbol.parts for symbol in joined)

    def moved_by(self) -> list[Choice]:
        """The choices of two numbers of the launch in the next value of the phi."""
        outside = self.conditions.symbolic.heads.outside
        return [
            symbol
            for symbol in sorted(deep(self.recurrence.after), key=order)
            if isinstance(symbol, Choice) and len(symbol.cases) == 2
            if all(c.condition is not None for c in symbol.cases)
            if all(outside(case.polynomial, self.loop) for case in symbol.cases)
        ]

    def subtracted(self) -> Iterator[Polynomial]:
        """The loop-invariant sizes that the iterations of inner loops subtract from the phi:
        ``while (i >= n) i -= n``."""
        symbolic, after = self.conditions.symbolic, self.recurrence.after
        inner = [symbolic.counters[h] for h in symbolic.counters if h in self.loop.nodes]
        for moved in words_in(after):
            if self.recurrence.symbol in moved.symbols:
                each = (factor_of(moved, counter) for counter in inner)
                sizes = (-by for by in each if by is not None and by.symbols)
                yield from (size for size in sizes if symbolic.heads.outside(size, self.loop))

    def remainders(self) -> list[Remainder]:
        """What divisions by a loop-invariant number leave, of the phi or of another remainder."""
        return [
            symbol
            for symbol in sorted(deep(self.recurrence.after), key=order)
            if isinstance(symbol, Remainder) and self.recurrence.symbol in symbol.parts
            if self.conditions.symbolic.heads.outside(symbol.quotient.divisor, self.loop)
        ]


def moved(value: Polynomial, behind: Iterable[Polynomial]) -> Polynomial:
    """The first of these that is the value less a number, if nothing wraps; else the value."""
    for one in behind:
        apart = (unwrapped(one) - value).constant
        if apart is not None and apart < 0:
            return one
    return value
