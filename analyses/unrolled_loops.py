"""Counters behind loops that a compiler unrolled, and behind the remainders of these.

A loop of x iterations becomes one of ``16*(x//16)``, whose counter a branch skips if x is less than
16, then 8 more if ``x%16`` is at least 8, 4 more if ``x%8`` is at least 4, and a loop for the rest.
A phi joins what the counter is on both ways. On each it is one number: ``s*16*(x//16)`` behind the
loop, ``s*8*(x//8)`` behind the eight, for a step s. So no proof has to try both ways at each phi.

Behind a loop that ends where two words are equal, its counter is what that says.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import permutations

from msgspec import Struct

from analyses.budget import CONDITION_DEPTH
from analyses.conditions import Fact
from analyses.domains.regions import BasePlusOffset
from analyses.polynomials.modular import ModularPolynomials
from analyses.polynomials.polynomial import Number, Polynomial, Symbol
from analyses.polynomials.symbols import Interpretation, Quotient, congruent
from analyses.program import Block, Constant, Operand, Phi, Value, branch_taken
from analyses.values import Values

Words = Mapping[Value, BasePlusOffset]


class UnrolledLoops(Struct, eq=False):
    """The phis behind the loops of a function, whose ``counters`` are known by head. ``word`` gives
    the word of an operand, None for one that is not evaluated yet."""

    values: Values
    integers: ModularPolynomials
    counters: Mapping[int, Symbol]
    word: Callable[[Operand, Words], BasePlusOffset | None]

    def joined(self, phi: Phi, block: Block, words: Words) -> BasePlusOffset | None:
        """The word that a phi with two sources is on both edges."""
        if len(phi.sources) != 2:
            return None
        found = {edge: self.word(source, words) for edge, source in phi.sources.items()}
        if len({word.origin for word in found.values() if word is not None}) != 1:
            return None
        ends = {}
        for edge, word in found.items():
            if word is None or word.offset.polynomial is None:
                return None
            said = list(self._said(edge, block.index))
            ends[edge] = self._at_exit(word.offset.polynomial, phi.target.width, said, words), said
        for (skipped, at_skip), (other, behind) in permutations(ends.values()):
            whole = self._whole(other, skipped, phi.target.width, at_skip, words)
            whole = whole or self._halved(skipped, other, phi.target.width, at_skip, behind, words)
            whole = whole or self._behind(other, skipped, phi.target.width, at_skip, words)
            if whole is not None:
                origin = next(word.origin for word in found.values() if word is not None)
                return BasePlusOffset(origin, self.integers.word(phi.target.width, whole))
        return None

    def _said(self, source: int, target: int) -> Iterator[Fact]:
        """What the branches on the only way to an edge imply, the last one first."""
        blocks = self.values.function.blocks
        for _ in range(CONDITION_DEPTH):
            taken = branch_taken(blocks, source, target)
            if taken is not None:
                yield from self.values.flow.formulas.implied(*taken)
            if len(blocks[source].predecessors) != 1:
                return
            source, target = blocks[source].predecessors[0], source

    def _at_exit(
        self, polynomial: Polynomial, width: int, said: list[Fact], words: Words
    ) -> Polynomial:
        """A word of a loop's last iteration without the loop's counter k: where ``c*k + rest`` is 0
        modulo 2**n, a word of at most n bits stays equal if a multiple of that is subtracted."""
        for counter in [k for k in self.counters.values() if k in polynomial.symbols]:
            for zero in self._zeros(said, width, words):
                times, by = (p.terms.get((counter,), 0) for p in (polynomial, zero))
                if by and times % by == 0:
                    found = polynomial.plus(zero, -times // by)
                    if counter not in found.parts:
                        return found
        return polynomial

    def _zeros(self, said: list[Fact], width: int, words: Words) -> Iterator[Polynomial]:
        """The polynomials that are 0 modulo 2**width: differences of words that are equal."""
        for a, relation, b in said:
            left, right = (self.word(each, words) for each in (a, b))
            if relation != "eq" or a.width < width or left is None or right is None:
                continue
            zero = self.integers.sub(left.offset, right.offset).polynomial
            if left.origin == right.origin and zero is not None and zero.terms:
                yield zero

    def _whole(
        self, other: Polynomial, skipped: Polynomial, width: int, said: list[Fact], words: Words
    ) -> Polynomial | None:
        """The ``other`` word, if it is the one on the edge that skips the loop, too: where they
        differ by multiples of quotients that are 0 there."""
        apart = self.integers.word(width, other - skipped).polynomial
        if apart is None:
            return None
        none = [s for s in quotients(apart) if self._lies(s.dividend, s.dividend.range(),
                0, divisor(s), said, words)]  # fmt: skip
        return other if all(not set(none).isdisjoint(m) for m in apart.terms) else None

    def _behind(
        self, other: Polynomial, skipped: Polynomial, width: int, said: list[Fact], words: Words
    ) -> Polynomial | None:
        """The ``other`` word, behind a loop that is skipped where its iterations are none: the two
        differ by a multiple of what is 0 then."""
        apart = self.integers.word(width, other - skipped).polynomial
        for zero in self._zeros(said, width, words):
            leading = next(iter(zero.terms))
            times = apart.terms.get(leading, 0) // zero.terms[leading] if apart else 0
            if times and apart == zero.scaled(times):
                return self._unsigned(other, width)
        return None

    def _unsigned(self, word: Polynomial, width: int) -> Polynomial:
        """The word with multiples of 2**k of unsigned integers in place of those of signed ones: a
        number of iterations is not negative."""
        for symbol in quotients(word):
            inner, by = symbol.dividend.alone, divisor(symbol)
            if not isinstance(inner, Interpretation) or not inner.signed or inner.width != width:
                continue
            times, _ = factor_of(word, symbol)
            if times and by & (by - 1) == 0 and all(c % by == 0 for c in times.terms.values()):
                whole = self.integers.interpret(width, False, inner.polynomial)
                found = self.integers.quotient(whole, symbol.divisor)
                word = word.replaced({symbol: found})
        return word

    def _halved(
        self,
        skipped: Polynomial,
        other: Polynomial,
        width: int,
        at_skip: list[Fact],
        behind: list[Fact],
        words: Words,
    ) -> Polynomial | None:
        """With ``s*c*(x//c)`` in place of ``s*2*c*(x//(2*c))``, if one word has s*c more than the
        other where ``x % (2*c)`` is at least c, as much as the quotients then differ by, and as
        much where it is less."""
        for symbol in quotients(skipped):
            half, odd = divmod(divisor(symbol), 2)
            by, rest = factor_of(skipped, symbol)
            if odd or by is None or any(c % 2 for c in by.terms.values()):
                continue
            step = Polynomial({m: c // 2 for m, c in by.terms.items()})
            if self.integers.word(width, other - skipped - step).polynomial != Polynomial.of(0):
                continue
            left, ends = symbol.dividend - Polynomial.of(symbol).scaled(2 * half), (0, 2 * half - 1)
            if self._lies(left, ends, 0, half, at_skip, words) and self._lies(
                left, ends, half, 2 * half, behind, words
            ):
                return rest + step * self.integers.quotient(symbol.dividend, Polynomial.of(half))
        return None

    def _lies(
        self,
        integer: Polynomial,
        ends: tuple[Number, Number],
        low: int,
        high: int,
        said: list[Fact],
        words: Words,
    ) -> bool:
        """True if one of the facts implies that an integer, which is in the range ``ends``, lies in
        [low, high): a word that is the integer, or minus that, and a constant, modulo 2**width, is
        compared with a number. A quotient lies between two numbers if the dividend lies between
        their products with the divisor."""
        for operand, least, most in (each for fact in said for each in compared(fact)):
            own = self.word(operand, words)
            if own is None or own.origin or own.offset.polynomial is None:
                continue
            for sign in (1, -1):
                apart = congruent(integer - own.offset.polynomial.scaled(sign), operand.width)
                found = self.integers.word(operand.width, apart).polynomial
                shift = found.constant if found is not None else None
                first = min(sign * least, sign * most) + (shift or 0)
                arc = first, first + most - least
                if shift is not None and inside(arc, 1 << operand.width, ends, low, high):
                    return True
        constant = integer.terms.get((), 0)
        inner = (integer - constant).alone
        if not isinstance(inner, Quotient) or inner not in quotients(Polynomial.of(inner)):
            return False
        low, high = ((end - constant) * divisor(inner) for end in (low, high))
        return self._lies(inner.dividend, inner.dividend.range(), low, high, said, words)


def inside(
    arc: tuple[int, int], whole: int, ends: tuple[Number, Number], low: int, high: int
) -> bool:
    """True if all integers in a range that are equal modulo ``whole`` to one in the arc lie in
    [low, high)."""
    if not (isinstance(ends[0], int) and isinstance(ends[1], int)):
        return False
    least, most = -((arc[1] - ends[0]) // whole), (ends[1] - arc[0]) // whole
    moved = [times * whole for times in range(least, min(most, least + 2) + 1)]
    return most <= least + 2 and all(
        low <= max(arc[0] + by, ends[0]) and min(arc[1] + by, ends[1]) < high for by in moved
    )


def compared(fact: Fact) -> Iterator[tuple[Operand, int, int]]:
    """The words that a fact compares with a number, each with the least and the greatest integer
    that it is equal to modulo 2**width."""
    a, relation, b = fact
    if a.width == 1:
        return
    signed, strict = relation[-1] == "s", int(relation[:2] == "lt")
    least = -(1 << (a.width - 1)) if signed else 0
    most = least + (1 << a.width) - 1
    for operand, other, above in ((a, b, False), (b, a, True)):
        if isinstance(other, Constant) and relation != "ne":
            number = (other.bits - least) % (1 << a.width) + least
            if relation == "eq":
                yield operand, number, number
            elif above:
                yield operand, number + strict, most
            else:
                yield operand, least, number - strict


def quotients(polynomial: Polynomial) -> list[Quotient]:
    """The quotients by positive numbers, of integers of any size."""
    found = [s for s in polynomial.symbols if isinstance(s, Quotient)]
    return [s for s in found if divisor(s) > 0 and s.limit == float("inf")]


def divisor(symbol: Quotient) -> int:
    """The number that divides; 0 if it is none."""
    return symbol.divisor.constant or 0


def factor_of(polynomial: Polynomial, symbol: Symbol) -> tuple[Polynomial | None, Polynomial]:
    """What a symbol is multiplied by, and the terms without it; None if its square is in it."""
    by, rest = {}, {}
    for monomial, factor in polynomial.terms.items():
        if symbol not in monomial:
            rest[monomial] = factor
        elif monomial.count(symbol) > 1:
            return None, polynomial
        else:
            by[tuple(s for s in monomial if s is not symbol)] = factor
    return Polynomial(by), Polynomial(rest)
