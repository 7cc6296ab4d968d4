"""Rates of a loop: what an iteration adds to a phi at most, and at least.

They give bounds by the number of iterations, as candidates for invariants. Where the elements that
are kept are counted, no more are kept than were looked at; where each iteration looks at a run of
elements, there are no more runs than elements.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from analyses.graph import Loop
from analyses.polynomials.inequality import Inequality
from analyses.polynomials.polynomial import Polynomial, Symbol
from analyses.polynomials.symbols import Choice
from analyses.proofs.invariant_sums import Recurrence
from analyses.proofs.path_conditions import PathConditions

MAX_RATE = 1 << 16
"""What an iteration adds to a phi at most, in units of the phi, for a bound by its iterations."""


class Rates(Struct, frozen=True):
    """The rates of the phis of a loop, whose iterations ``counter`` counts."""

    conditions: PathConditions
    loop: Loop
    counter: Symbol

    def bounds(self, recurrence: Recurrence) -> Iterator[Polynomial]:
        """Bounds by the most and the least that an iteration adds, if these are numbers and do not
        depend on the phi. Where the loop's own counters choose whether something is added, as in
        every tenth iteration, less is known to be added, and a bound by the most would be of no
        use."""
        moved = recurrence.moved
        if recurrence.symbol in moved.parts:
            return
        start = recurrence.first - Polynomial.of(recurrence.symbol)
        least, most = moved.range()
        rates = [(r, sign) for r, sign in ((most, 1), (least, -1)) if r and abs(r) <= MAX_RATE]
        by = self.choosing(moved) if rates else set()
        for rate, sign in rates:
            bound = start.plus(Polynomial.of(self.counter), int(rate)).scaled(sign)
            if rate * sign < 0 or not by or by == {recurrence.symbol}:
                yield bound
            if by == {recurrence.symbol}:
                yield -bound

    def choosing(self, moved: Polynomial) -> set[Symbol]:
        """The symbols that the loop carries in the facts, without loaded words, that decide a
        choice in it. If it is the phi alone, as where ``left`` counts down to 0, it moves in each
        iteration until then."""
        loaded = self.conditions.symbolic.loaded
        each = (fact.polynomial for choice in moved.symbols for fact in self.said(choice))
        decided = (p for p in each if p.parts.isdisjoint(loaded))
        return {part for p in decided for part in p.parts if self.carried(part)}

    def said(self, choice: Symbol) -> Iterator[Inequality]:
        """What holds where the cases of a choice are taken."""
        for case in choice.cases if isinstance(choice, Choice) else ():
            if case.condition is not None:
                yield from self.conditions.implied(case.condition, case.truth, choice).known
            elif case.edge is not None:
                yield from self.conditions.edge(case.edge[0]).known

    def carried(self, symbol: Symbol) -> bool:
        """True if it is the loop's counter or stands for one of its phis."""
        symbolic = self.conditions.symbolic
        value = symbolic.opaque.get(symbol)
        own = value is not None and symbolic.head_phis.get(value) is self.loop
        return own or symbol is self.counter
