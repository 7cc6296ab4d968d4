"""Candidates for loop invariants: bounds of a loop's phis by the bits, the cases and the conditions
that the next value is made of."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from analyses.graph import Loop
from analyses.polynomials.polynomial import Polynomial, Symbol, order
from analyses.polynomials.symbols import (
    Choice,
    CommonBits,
    Interpretation,
    selects,
    spelt_out,
    unwrapped,
)
from analyses.proofs.invariant_sums import Recurrence
from analyses.proofs.lower_bounds import is_launch_symbol, part_of_launch
from analyses.proofs.path_condition import PathCondition
from analyses.proofs.path_conditions import PathConditions


class InvariantCandidates(Struct, frozen=True):
    """The candidates of a loop, whose iterations ``counter`` counts."""

    conditions: PathConditions
    loop: Loop
    counter: Symbol

    def masked(self, recurrence: Recurrence) -> Iterator[Polynomial]:
        """Bounds by what the next value is made of, of which it has some of the bits, and those of
        a float that it is converted from."""
        symbolic, now = self.conditions.symbolic, Polynomial.of(recurrence.symbol)
        bits = recurrence.after.alone
        if isinstance(bits, Interpretation):
            bits = bits.polynomial.alone
        if isinstance(bits, CommonBits):
            own = symbolic.integers.interpret(recurrence.phi.target.width, False, now)
            for word in (bits.one, bits.other):
                if symbolic.heads.outside(word, self.loop):
                    yield from (word - own, word - now)
        elif bits is not None:
            yield from (bound - now for bound in symbolic.upper_bounds.get(bits, ()))

    def loaded(self, recurrence: Recurrence) -> Iterator[Polynomial]:
        """Bounds of the words that the next value is loaded as, by what their buffer holds, or the
        first value: a state that a table gives is one of its states."""
        now, first, after = Polynomial.of(recurrence.symbol), recurrence.first, recurrence.after
        most = self.conditions.symbolic.integers.greatest
        choice = after.alone
        cases = choice.cases if isinstance(choice, Choice) else ()
        for word in sorted(self.conditions.given & after.parts, key=order):
            for fact in self.conditions.contents(word):
                for value in (after, *(case.polynomial for case in cases)):
                    low, high = value - fact.polynomial, value + fact.polynomial
                    yield from (now + most(-low, -first),) if known_at_launch(low) else ()
                    yield from (most(high, first) - now,) if known_at_launch(high) else ()

    def last(self, now: Polynomial, case: Polynomial) -> Iterator[Polynomial]:
        """Bounds by what a case was in the iteration before: the index of the greatest element so
        far is at most that of the last one."""
        integers = self.conditions.symbolic.integers
        earlier: dict[Symbol, Polynomial] = {self.counter: Polynomial.of(self.counter) - 1}
        if self.counter in case.parts:
            for value in dict.fromkeys((case, spelt_out(case))):
                before = integers.rewritten(value, earlier)
                if before is not None:
                    yield from (before - now, now - before)

    def ends(self, now: Polynomial, case: Polynomial, known: PathCondition) -> Iterator[Polynomial]:
        """Bounds by what the launch decides that another index is at most: one that is chosen among
        those of a loop is no greater than they are, be it 0 before the first."""
        for fact in known.known if self.counter in case.parts else ():
            end = part_of_launch(fact.polynomial)
            if end.terms and [*(end - fact.polynomial).terms.values()] == [1]:
                yield end - now

    def selected(
        self, now: Polynomial, case: Polynomial, said: PathCondition
    ) -> Iterator[Polynomial]:
        """Bounds by the condition under which a case is selected: ``next`` if ``left > 0``, where
        the two add up to the end of the loop."""
        for fact in said.known:
            low, high = (spelt_out(case).plus(spelt_out(fact.polynomial), sign) for sign in (-1, 1))
            if self.conditions.symbolic.heads.outside(low, self.loop):
                yield now - low
            if self.conditions.symbolic.heads.outside(high, self.loop):
                yield high - now

    def set_to(self, recurrence: Recurrence) -> Iterator[Polynomial]:
        """Bounds by what a case sets the next value to, whatever the one before it was: of a place
        that a loop moves backwards in a ring, ``at == 0 ? size - 1 : at - 1``."""
        now, after = Polynomial.of(recurrence.symbol), unwrapped(recurrence.after)
        for choice in sorted(after.symbols, key=order):
            for case in choice.cases if isinstance(choice, Choice) and selects(choice) else ():
                value = after.replaced({choice: case.polynomial})
                if self.conditions.symbolic.heads.outside(value, self.loop):
                    yield from (value - now, now - value)

    def positive(self, recurrence: Recurrence, back: PathCondition) -> Iterator[Polynomial]:
        """That it is positive: a power of two is, and what a loop counts down ends at 0."""
        now, after = Polynomial.of(recurrence.symbol), recurrence.after
        powers = self.conditions.symbolic.powers_of_two
        if powers.includes(now) or any(f.polynomial in (after, -after) for f in back.distinct):
            yield now - 1


def known_at_launch(polynomial: Polynomial) -> bool:
    """True if the launch decides it, be it as the greatest of several numbers."""
    return all(is_launch_symbol(p) or isinstance(p, Choice) for p in polynomial.parts)
