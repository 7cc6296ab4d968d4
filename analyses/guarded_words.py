"""Words under guards: what a maximum or a select is in a block, where a branch that dominates it
decides that.

A compiler that unrolls ``for (j = a; j < b; ++j)`` counts ``max(b, a + 1) - a`` iterations, behind
the test ``a < b``: there, the maximum is ``b``. A word that is computed in the block has that in it
in place of the maximum, so that proofs need not split by its cases.

Sound because in SSA form a name keeps its value until its block is entered again, and all names in
the word and in the guards dominate the block: where the word is computed, they have the values that
the guards were passed with.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from functools import cached_property
from itertools import islice

from msgspec import Struct

from analyses.budget import GUARDS
from analyses.domains.regions import BasePlusOffset
from analyses.flow import Flow
from analyses.polynomials.integer_symbols import IntegerSymbols
from analyses.polynomials.polynomial import Polynomial, Symbol, order
from analyses.polynomials.stated import StatedFacts, sides, with_cases
from analyses.polynomials.symbols import Case, Choice, range_of_left
from analyses.program import Operand

PASSES = 3  # a maximum of maxima is decided from the inside


class GuardedWords(Struct, eq=False, dict=True):
    """The words of one block, or of the edge from it to a ``target``, of the function whose control
    ``flow`` is; ``word`` gives those that are known. There, ``more`` polynomials are not negative,
    and symbols are what they are replaced ``by``."""

    flow: Flow
    integers: IntegerSymbols
    word: Callable[[Operand], BasePlusOffset | None]
    block: int
    target: int | None = None
    more: tuple[Polynomial, ...] = ()
    by: Mapping[Symbol, Polynomial] = {}

    def simplified(self, word: BasePlusOffset, of: Collection[BasePlusOffset]) -> BasePlusOffset:
        """The word with the decided choices replaced, but for maxima in the words that it is made
        ``of``: where a deeper guard decides one, what was computed of it before would no longer be
        alike."""
        polynomial = word.offset.polynomial
        if polynomial is None or not choices_in(polynomial, ()) or not self.known.known:
            return word
        each = (one.offset.polynomial for one in of)
        old = frozenset[Symbol]().union(*(one.parts for one in each if one is not None))
        for _ in range(PASSES):
            choices = sorted(choices_in(polynomial, old), key=order)
            by: dict[Symbol, Polynomial] = {
                one: value for one in choices if (value := self._decided(one)) is not None
            }
            now = self.integers.respelt(polynomial, by) if by else polynomial
            if now == polynomial:
                break
            polynomial = now
        if polynomial is word.offset.polynomial:
            return word
        return word._replace(offset=word.offset._replace(polynomial=polynomial))

    def decided(self, polynomial: Polynomial) -> Polynomial:
        """The polynomial with all decided choices replaced, also by the ranges of symbols."""
        for _ in range(PASSES):
            polynomial = self.integers.respelt(polynomial, self.by)
            by: dict[Symbol, Polynomial] = {
                one: value
                for one in choices_in(polynomial, ())
                if (value := self._value(one, self.known.bounds)) is not None
            }
            if not by:
                return polynomial
            polynomial = self.integers.respelt(polynomial, by)
        return self.integers.respelt(polynomial, self.by)

    @cached_property
    def known(self) -> StatedFacts:
        """What the guards say, the innermost ones first."""
        guards = islice(self.flow.branches(self.block, self.target), GUARDS)
        said = [fact for guard in guards for fact in self.said(*guard)]
        known = StatedFacts([*said, *self.more], reduced=True)
        plain = [fact for fact in map(known.plain, known.known) if fact not in known.known]
        return StatedFacts([*known.known, *plain], reduced=True) if plain else known

    @cached_property
    def _values(self) -> dict[Choice, Polynomial | None]:
        return {}

    def said(self, predicate: Operand, truth: bool) -> Iterator[Polynomial]:
        """What is not negative where the predicate has this value."""
        ways = self.flow.formulas.ways(predicate, truth)
        if len(ways) == 1:
            return self._holds(predicate, truth)
        each = [[fact for one in way for fact in self._holds(*one)] for way in ways]
        left = [facts for facts in each if all(fact.range()[1] >= 0 for fact in facts)]
        if not left:
            return iter([Polynomial.of(-1)])  # it never has
        return iter(left[0]) if len(left) == 1 else self._holds(predicate, truth)

    def _holds(self, predicate: Operand, truth: bool) -> Iterator[Polynomial]:
        """What is not negative where all comparisons that the predicate's value implies hold."""
        said = self._compared(predicate, truth)
        return (self.integers.respelt(fact, self.by) for fact in said) if self.by else said

    def _compared(self, predicate: Operand, truth: bool) -> Iterator[Polynomial]:
        """The same, before symbols are replaced."""
        for a, relation, b in self.flow.formulas.implied(predicate, truth):
            words = (self.word(a), self.word(b)) if a.width > 1 else ()
            if not words or any(w is None or w.origin is not None for w in words):
                continue
            for signed in (True, False) if relation == "eq" else (relation.endswith("s"),):
                low, high = (
                    self.integers.interpretation(w.offset, signed, either=relation in ("eq", "ne"))
                    for w in words
                    if w is not None
                )
                if low is None or high is None:
                    continue
                if relation == "ne":
                    yield from apart(high - low)
                    continue
                yield high - low - int(relation.startswith("lt"))
                if relation == "eq":
                    yield low - high

    def _decided(self, choice: Choice) -> Polynomial | None:
        if choice not in self._values:
            counted = self.more and not choice.greatest  # a select in a loop
            holds = self.known.bounds if counted else self.known.implies
            self._values[choice] = self._value(choice, holds)
        return self._values[choice]

    def _value(self, choice: Choice, holds: Callable[[Polynomial], bool]) -> Polynomial | None:
        """The only case that the choice may be, by what ``holds``."""
        if choice.greatest:
            for value, each in sides(choice):
                if all(holds(self.known.plain(side)) for side in each):
                    return value
            return None
        left = [case for case in choice.cases if not self._excluded(case, holds)]
        return left[0].polynomial if len(left) == 1 else None

    def _excluded(self, case: Case, holds: Callable[[Polynomial], bool]) -> bool:
        """True if the guards exclude that a select takes the case. Of a phi none is excluded: what
        holds along an edge is known as long as the phi is."""
        said = self.said(case.condition, case.truth) if case.condition is not None else ()
        plain = (self.known.plain(fact) for one in said for fact in with_cases(one, True))
        return any(holds(-fact - 1) for fact in plain)


def apart(difference: Polynomial) -> Iterator[Polynomial]:
    """What is not negative where a difference is not 0, by the sign that it cannot have."""
    low, high = range_of_left(difference)
    if low >= 0 or high <= 0:
        yield (difference if low >= 0 else -difference) - 1


def choices_in(polynomial: Polynomial, old: Collection[Symbol]) -> list[Choice]:
    """The selects in it, and the maxima that are not old."""
    choices = (symbol for symbol in polynomial.parts if isinstance(symbol, Choice))
    return [choice for choice in choices if not (choice.greatest and choice in old)]
