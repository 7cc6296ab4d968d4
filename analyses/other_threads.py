"""Bounds of words that come from other threads: by an exchange, or through shared memory.

What a thread gets was a word of some thread at the exchange, or at a store. So a bound by numbers
that the launch decides, which holds of these words in every thread, holds of what comes from them.
A word that is stored may itself be made of words of the same array: the bound is shown for it where
all words that were loaded before have it, and follows by induction over the stores.

A word that no lane gives is undefined, and so is memory that nothing was stored in.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property, reduce
from typing import NamedTuple

from analyses.budget import OTHERS_STEPS
from analyses.polynomials.inequality import Inequality
from analyses.polynomials.polynomial import Polynomial, Symbol, order
from analyses.program import Instr, Operand, Value, positions
from analyses.proofs.path_condition import PathCondition
from analyses.proofs.preconditions import coarse, cost
from analyses.proofs.prover import Proofs
from analyses.scalar_evolution import SymbolicValues

MAX_ENDS = 3
"""Of as many numbers of the launch a word may be at most the greatest."""


class Given(NamedTuple):
    """A word that another thread may give, as an integer, and what holds where it does."""

    integer: Polynomial
    here: PathCondition


class OtherThreads:
    """The bounds of words that come from other threads."""

    def __init__(self, symbolic: SymbolicValues, proofs: Proofs) -> None:
        self.symbolic = symbolic
        self.proofs = proofs
        self.left = OTHERS_STEPS
        self.nested = False  # in a search for another one
        self.used: set[Value] = set()
        """The words of which a bound was found."""

    def bounds(self, symbol: Symbol) -> list[Inequality]:
        """Bounds of the signed word that the symbol stands for; none once ``OTHERS_STEPS`` were
        spent on words for which none was found."""
        budget, nested = self.proofs.conditions.budget, self.nested
        before, self.nested = budget.left, True
        with budget.limit(before if nested else OTHERS_STEPS):
            found = list(self._bounds(symbol)) if self.left >= 0 else []
        self.nested = nested
        if found:
            self.used.add(self.symbolic.opaque[symbol])
        else:
            self.left -= before - budget.left
        return found

    def _bounds(self, symbol: Symbol) -> Iterator[Inequality]:
        value, integer = self.symbolic.opaque[symbol], Polynomial.of(symbol)
        given = self.given(value)
        if not given:
            return
        alike = self.alike(value)
        most = self.most(given, alike)
        if most is not None and most.range()[0] < symbol.high:
            yield Inequality(most - integer, value)
        if symbol.low < 0 and self.shown(given, alike, Polynomial.of(0), -1):
            yield Inequality(integer, value)

    def given(self, value: Value) -> list[Given]:
        """The words that it may be; none if one of them is not known."""
        values, words = self.symbolic.values, list[tuple[Operand, int, Operand | None]]()
        if value in self.symbolic.exchanges:
            words.append((self.symbolic.exchanges[value], values.home[value], None))
        for stored in values.shared.stored.get(value, ()):
            access, (block, _) = stored.store.access, self.places[stored.store]
            assert access is not None
            words.append((stored.word, block, access.mask))
        conditions = self.proofs.conditions
        each = ((self.symbolic.integer(w, True), conditions.masked(at, m)) for w, at, m in words)
        found = [Given(integer, here) for integer, here in each if integer is not None]
        return found if len(found) == len(words) else []

    @cached_property
    def places(self) -> dict[Instr, tuple[int, int]]:
        """The block of each instruction, and its number there."""
        return positions(self.symbolic.values.function.blocks)

    def most(self, given: Sequence[Given], alike: frozenset[Symbol]) -> Polynomial | None:
        """What all of these words are at most: a bound of a word that they are made of, or the
        greatest of their own bounds."""
        own = [one for one in given if one.integer.parts.isdisjoint(alike)]
        known = dict.fromkeys(end for one in own for end in self.known(one.integer))
        for end in known or filter(None, [self.greatest(own)]):
            if self.shown(given, alike, end, 1):
                return end
        return None

    def known(self, integer: Polynomial) -> Iterator[Polynomial]:
        """The bounds of the words of other threads that an integer is made of."""
        symbolic = self.symbolic
        others = symbolic.exchanged | symbolic.loaded.keys()
        for symbol in sorted(integer.parts & others, key=order):
            for fact in self.proofs.conditions.contents(symbol):
                end = fact.polynomial + Polynomial.of(symbol)
                if fact.origin is symbolic.opaque[symbol] and symbol not in end.parts:
                    yield end

    def greatest(self, given: Sequence[Given]) -> Polynomial | None:
        """The greatest of the upper bounds of these words, but for those that only the type gives;
        None if there are none, or more than ``MAX_ENDS``."""
        ends = list[Polynomial]()
        for integer, here in given:
            for bound in self.proofs.bounds(here, -integer, cost):
                plain = bound.scale == 1 and not bound.preconditions and not coarse(bound.least)
                if plain and all((end + bound.least).range()[0] < 0 for end in ends):
                    ends.append(-bound.least)
        few = 0 < len(ends) <= MAX_ENDS
        return reduce(self.symbolic.integers.greatest, ends) if few else None

    def shown(
        self, given: Sequence[Given], alike: frozenset[Symbol], end: Polynomial, sign: int
    ) -> bool:
        """True if all of these words are at most the number, or at least for the other sign, where
        those that are ``alike`` are, of which they are made."""
        for integer, here in given:
            made_of = sorted(integer.parts & alike, key=order)
            each = ((end - Polynomial.of(symbol)).scaled(sign) for symbol in made_of)
            held = here + PathCondition(tuple(map(Inequality, each)))
            if not self.proofs.proves(held, (end - integer).scaled(sign)):
                return False
        return True

    def alike(self, value: Value) -> frozenset[Symbol]:
        """The symbols of words that are loaded from where a store may write that this one may be of
        too."""
        stored, symbolic = self.symbolic.values.shared.stored, self.symbolic
        stores = {one.store for one in stored.get(value, ())}
        near = {v for v, several in stored.items() if any(one.store in stores for one in several)}
        return frozenset(symbol for symbol, of in symbolic.opaque.items() if of in near)
