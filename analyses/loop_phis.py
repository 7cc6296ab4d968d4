"""The words of a phi of a loop head: what it is now, at first, and by how much more it is next; and
those whose step differs, but that are in step with others."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import permutations
from typing import NamedTuple

from msgspec import Struct

from analyses.domains.regions import BasePlusOffset
from analyses.polynomials.modular import ModularPolynomials
from analyses.polynomials.polynomial import Polynomial, Symbol
from analyses.polynomials.relation import times
from analyses.polynomials.symbols import Interpretation, congruent

HALF = 32  # bits of a word of 64


class Moved(NamedTuple):
    """A phi of a loop head: a word that is ``symbol`` now, ``first`` in the first iteration and by
    ``step`` more in the next one, all from one origin."""

    now: BasePlusOffset
    symbol: Polynomial
    first: Polynomial
    step: Polynomial

    @property
    def width(self) -> int:
        width: int = self.now.offset.width
        return width

    @property
    def next(self) -> Polynomial:
        return self.symbol + self.step

    @classmethod
    def of(
        cls, now: BasePlusOffset, start: BasePlusOffset | None, back: BasePlusOffset | None
    ) -> Moved | None:
        """None if a word is unknown, or they have several origins."""
        if start is None or back is None or not start.origin == back.origin == now.origin:
            return None
        found = polynomials((now, start, back))
        return None if found is None else cls(now, found[0], found[1], found[2] - found[0])


def polynomials(words: Iterable[BasePlusOffset | None]) -> list[Polynomial] | None:
    """The offsets of the words; None if one is unknown."""
    found: list[Polynomial] = []
    for word in words:
        if word is None or word.offset.polynomial is None:
            return None
        found.append(word.offset.polynomial)
    return found


class Steps(Struct, frozen=True):
    """The phis of one loop that are in step with others. ``counter`` is that of the loop; a
    polynomial may be ``outside`` of it."""

    integers: ModularPolynomials
    counter: Symbol
    outside: Callable[[Polynomial], bool]

    def beside(self, phi: Moved, others: Iterable[Moved]) -> BasePlusOffset | None:
        """A phi whose step, less a multiple of another one's, is the same in every iteration: so
        what it has moved, less as many times what the other one has, is ``step*counter``. What is
        left of an unrolled ``range``, and the value it is at, move so."""
        for other in others:
            factor = times(phi.step, other.step)
            if factor is None or other.width != phi.width or other.now.origin is not None:
                continue
            step = phi.step.plus(other.step, -factor)
            if self.outside(step):
                moved = (other.symbol - other.first).scaled(factor)
                return self.word(phi, phi.first + moved + step * Polynomial.of(self.counter))
        return None

    def behind(self, phi: Moved, linear: Iterable[Moved]) -> BasePlusOffset | None:
        """A phi that is next what a linear one is now, and so much more, if it begins with what
        that one is an iteration before the first, and as much more: the indices of the other
        elements in an unrolled loop, ``row + k`` beside a counter ``k``, or ``-1 - i`` for the
        element that is counted down to. One of 32 bits that is clamped is left as it is, but for
        the last: its clamps bound it in fewer steps."""
        counter, lines = Polynomial.of(self.counter), self.lines(phi.width, linear)
        downwards = any(phi.next.terms.get((symbol,), 0) < 0 for symbol in lines)
        if phi.width != 2 * HALF and not downwards and phi.symbol.alone in self.integers.clamped:
            return None
        after = phi.next.replaced(lines)
        step = after.replaced({self.counter: counter + 1}) - after
        now = after - step
        first = self.integers.word(phi.width, now.replaced({self.counter: Polynomial.of(0)}))
        begins = first == self.integers.word(phi.width, phi.first)
        return self.word(phi, now) if lines and begins and self.outside(step) else None

    def summed(self, phi: Moved, linear: Iterable[Moved]) -> BasePlusOffset | None:
        """A phi that the value of linear ones is added to: where the step is ``a + b*k`` in the
        iteration k, it has moved by ``a*k + b*(k*k - k)/2``. The start of a row of a packed
        triangle moves so."""
        counter, zero = Polynomial.of(self.counter), Polynomial.of(0)
        step = phi.step.replaced(self.lines(phi.width, linear))
        first = step.replaced({self.counter: zero})
        more = step.replaced({self.counter: counter + 1}) - step
        if not (more.terms and self.outside(first) and self.outside(more)):
            return None
        pairs = counter * counter - counter
        if all(factor % 2 == 0 for factor in more.terms.values()):
            added = Polynomial({m: c // 2 for m, c in more.terms.items()}) * pairs
        else:
            added = more * self.integers.quotient(pairs, Polynomial.of(2))
        return self.word(phi, phi.first + first * counter + added)

    def lines(self, width: int, linear: Iterable[Moved]) -> dict[Symbol, Polynomial]:
        """The linear phis of this width, by symbol, as what they are in an iteration."""
        counter = Polynomial.of(self.counter)
        return {
            symbol: other.first + other.step * counter
            for other in linear
            if other.width == width and (symbol := other.symbol.alone) is not None
        }

    def between(self, phi: Moved, others: Iterable[Moved]) -> BasePlusOffset | None:
        """A phi that is the difference of two others before the loop and after each iteration: what
        is left between the ends of a search."""
        if len(phi.next.terms) < 2 or phi.now.origin is not None:
            return None
        alike = [other for other in others if other.width == phi.width and other is not phi]
        for one, other in permutations(alike, 2):
            apart = (one.first - other.first, one.next - other.next)
            words = (self.integers.word(phi.width, p) for p in (*apart, phi.first, phi.next))
            first, after, own, following = words
            if (first, after) == (own, following):
                return self.word(phi, one.symbol - other.symbol)
        return None

    def half(self, phi: Moved, high: Symbol) -> BasePlusOffset | None:
        """A phi of 64 bits whose lower half has the same step in every iteration: an ``int`` that a
        step of 64 bits is added to. It is ``first + step*counter`` and a multiple of 2**32, which
        may be any: with some number ``high`` in the range of a half it is equal modulo 2**64. If it
        is the integer of its lower half before the loop and after each iteration, it always is."""
        step = self.integers.word(HALF, congruent(phi.step, HALF)).polynomial
        if phi.width != 2 * HALF or phi.now.origin is not None or step is None:
            return None
        if not self.outside(step):
            return None
        low, back = phi.first + step * Polynomial.of(self.counter), phi.next.alone
        signed = back.signed if isinstance(back, Interpretation) and back.width == HALF else None
        if signed is not None and self.integers.interpret(HALF, signed, phi.first) == phi.first:
            return self.word(phi, self.integers.interpret(HALF, signed, low))
        return self.word(phi, low + Polynomial.of(high).scaled(1 << HALF))

    def word(self, phi: Moved, now: Polynomial) -> BasePlusOffset | None:
        """The phi if it is this modulo 2**width; None if that is too large to follow."""
        word = self.integers.word(phi.width, now)
        return None if word.polynomial is None else BasePlusOffset(phi.now.origin, word)
