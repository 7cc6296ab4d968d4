"""How many steps a counted loop has, as compilers of Python's ``range(first, end, step)`` compute
it.

- *Rounded up*: a quotient ``x//y``, and 1 more where the division leaves something, is
  ``(x + y - 1)//y`` where it rounds down and y is positive.
- *Down to 0*: ``n - (n > 0)`` does not wrap, and is not read as if it might.
- *None*: a phi or a select of a number of steps where x is positive, and of what it is for
  ``x = 0`` where x is not, is that of ``max(x, 0)``.
- *By two*: ``x - x//2`` is ``(x + 1)//2``.

Proofs then need not try the ways by which the number was computed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import permutations
from typing import TypeGuard

from msgspec import Struct

from analyses.domains.regions import BasePlusOffset
from analyses.guarded_words import GuardedWords
from analyses.polynomials.integer_symbols import IntegerSymbols
from analyses.polynomials.polynomial import Polynomial, Symbol, order
from analyses.polynomials.stated import StatedFacts
from analyses.polynomials.symbols import Choice, Interpretation, Quotient, congruent
from analyses.polynomials.words import ModularPolynomial
from analyses.program import Block, Operand, Phi, Value

Words = Mapping[Value, BasePlusOffset]


class StepCounts(Struct, frozen=True):
    """The numbers of steps in one function. ``source`` gives the word of an operand, None for one
    that is not evaluated yet; ``guarded`` the words on an edge."""

    integers: IntegerSymbols
    source: Callable[[Operand, Words], BasePlusOffset | None]
    guarded: Callable[[Words, int, int | None], GuardedWords]

    def counted(self, word: BasePlusOffset, guards: GuardedWords) -> BasePlusOffset:
        """A word of a block with these guards, rounded up; one that counts down is known to."""
        polynomial = word.offset.polynomial
        if polynomial is None or word.origin is not None:
            return word
        if is_selected(polynomial.alone):
            return word._replace(offset=self._selected(word.offset, polynomial.alone, guards))
        for one in sorted(filter(counts, polynomial.symbols), key=order):
            by = polynomial.terms.get((one,))
            if by is None:
                continue
            rest = polynomial - Polynomial.of(one).scaled(by)
            if by == -1 and tests(one, rest, guards):
                self.integers.down_from[one] = rest
            elif (found := self._up(rest, one, by, guards)) is not None:
                return word._replace(offset=self.integers.word(word.offset.width, found))
        return word

    def _up(
        self, rest: Polynomial, one: Choice, by: int, guards: GuardedWords
    ) -> Polynomial | None:
        """``rest + by*one`` with a quotient in the rest rounded up."""
        for quotient in sorted(rest.symbols, key=order):
            if not isinstance(quotient, Quotient) or rest.terms.get((quotient,)) != by:
                continue
            x, y = quotient.dividend, quotient.divisor
            rounds_down = y.constant is not None or guards.known.implies(x)
            if y.range()[0] <= 0 or not rounds_down:
                continue
            found = Polynomial.of(quotient)
            left = Polynomial.of(self.integers.difference(quotient))
            if tests(one, x - y * found, guards) or tests(one, left, guards):
                return rest + (self.integers.quotient(x + y - 1, y) - found).scaled(by)
        return None

    def _selected(
        self, word: ModularPolynomial, choice: Choice, guards: GuardedWords
    ) -> ModularPolynomial:
        """A select by an integer that is positive, or not, of a number of steps and a number. The
        integer itself, or 0, stays a choice, which guards decide."""
        for case, other in permutations(choice.cases):
            number, by = other.polynomial, case.condition
            divides = any(isinstance(part, Quotient) for part in case.polynomial.parts)
            if number.constant is None or by is None or not divides:
                continue
            for fact in guards.said(by, case.truth):
                if case.polynomial != fact + 1 and -fact - 1 in guards.said(by, not case.truth):
                    counted = self._halved(self._plain(case.polynomial, StatedFacts([fact])))
                    found = self._clamped(counted, number, fact + 1)
                    if found is not None:
                        return self.integers.word(word.width, found)
        return word

    def _plain(self, polynomial: Polynomial, known: StatedFacts) -> Polynomial:
        """The polynomial with those of all interpretations that the facts keep from wrapping, and
        signed integers in place of unsigned ones that are equal."""
        by = dict[Symbol, Polynomial]()
        for one in polynomial.parts:
            if isinstance(one, Interpretation) and known.keeps(one):
                by[one] = one.polynomial
            elif isinstance(one, Interpretation) and not one.signed:
                signed = self.integers.interpret(one.width, True, one.polynomial)
                if known.implies(signed):
                    by[one] = signed
        return self.integers.respelt(polynomial, by) if by else polynomial

    def _halved(self, polynomial: Polynomial) -> Polynomial:
        """``x - x//2``, or that as an interpretation, rounded up."""
        of = polynomial.alone
        whole = of.polynomial if isinstance(of, Interpretation) else polynomial
        for half in whole.symbols:
            if not isinstance(half, Quotient) or half.divisor != Polynomial.of(2):
                continue
            up = self.integers.quotient(half.dividend + 1, half.divisor)
            difference = half.dividend - Polynomial.of(half)
            if isinstance(of, Interpretation):
                if whole in (difference, congruent(difference, of.width)):
                    return self.integers.interpret(of.width, of.signed, up)
            elif whole == difference:
                return up
        return polynomial

    def joined(self, phi: Phi, block: Block, words: Words) -> BasePlusOffset | None:
        """A phi of a word and of a number, if the word is that number for an integer that is not
        positive on the other edge, put to 0."""
        if len(phi.sources) != 2:
            return None
        for edge, other in (tuple(phi.sources), tuple(phi.sources)[::-1]):
            word, none = (self.source(phi.sources[one], words) for one in (edge, other))
            if word is None or none is None or word.origin is not None or none.origin is not None:
                continue
            counted, number = word.offset.polynomial, none.offset.polynomial
            if counted is None or number is None or number.constant is None:
                continue
            if not any(isinstance(symbol, Quotient) for symbol in counted.symbols):
                continue
            here, there = (self.guarded(words, one, block.index).known for one in (edge, other))
            if any(fact.range()[1] < 0 for fact in there.known):
                return word  # the other edge is never taken
            for integer in (-fact for fact in there.known if here.implies(-fact - 1)):
                found = self._clamped(counted, number, integer)
                if found is not None:
                    return word._replace(offset=self.integers.word(phi.target.width, found))
        return None

    def _clamped(
        self, counted: Polynomial, number: Polynomial, integer: Polynomial
    ) -> Polynomial | None:
        """The word for the maximum of an integer and 0, if it is the number for 0: that is what a
        symbol in it is put to."""
        ends = Polynomial.of(0), self.integers.greatest(integer, Polynomial.of(0))
        for symbol in sorted(integer.symbols & counted.parts, key=order):
            sign = integer.terms.get((symbol,), 0)
            if abs(sign) == 1:
                moved = (Polynomial.of(symbol).plus(end - integer, sign) for end in ends)
                none, found = (self.integers.rewritten(counted, {symbol: end}) for end in moved)
                if none == number:
                    return found
        return None


def is_selected(symbol: Symbol | None) -> TypeGuard[Choice]:
    """True if a predicate decides what it is."""
    return isinstance(symbol, Choice) and symbol.cases[0].condition is not None


def counts(symbol: Symbol) -> TypeGuard[Choice]:
    """True if it is 1 where a predicate is true, else 0."""
    return is_selected(symbol) and [case.polynomial.constant for case in symbol.cases] == [1, 0]


def tests(one: Choice, integer: Polynomial, guards: GuardedWords) -> bool:
    """True if it is 1 where the integer is positive, else 0."""
    by = one.cases[0].condition
    assert by is not None
    return integer - 1 in guards.said(by, True) and -integer in guards.said(by, False)
