"""Divisions that a compiler writes as two: a fast one where the operands allow it, and a slow one.

- *Powers of two*: a shift or a mask, where ``n & (n - 1)`` is 0.
- *Short operands*: a division of half the width, where ``(a | b) >> 32`` is 0: as unsigned integers
  both operands are then those of the shorter words, and as signed ones they are not negative.

Both sources of the phi that joins them are the result of one division. One more source may be the
dividend, where the divisor is 1, or 0, by which a division gives any number; then one division is
enough, too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import permutations

from msgspec import Struct

from analyses.conditions import Fact
from analyses.domains.regions import BasePlusOffset
from analyses.polynomials.integer_symbols import IntegerSymbols
from analyses.polynomials.polynomial import Polynomial, order
from analyses.polynomials.symbols import (
    Difference,
    Interpretation,
    Quotient,
    Remainder,
    congruent,
    type_range,
)
from analyses.program import Block, Constant, Operand, Phi, Value
from analyses.values import Values

Words = Mapping[Value, BasePlusOffset]


class JoinedDivisions(Struct, eq=False):
    """The divisions of a function. ``word`` gives the word of an operand, None for one that is not
    evaluated yet; ``power_tests`` are the masks of ``n & (n - 1)``."""

    values: Values
    integers: IntegerSymbols
    alias: Mapping[Value, Operand]
    word: Callable[[Operand, Words], BasePlusOffset | None]
    power_tests: set[Polynomial] = set()

    def joined(self, phi: Phi, block: Block, words: Words) -> BasePlusOffset | None:
        """The quotient of the division, or what it leaves, that all sources of a phi are."""
        edges = tuple(phi.sources)
        found = self._division(phi, edges, block, words)
        if found is not None:
            return found
        for edge in edges:
            others = tuple(other for other in edges if other != edge)
            found = self._division(phi, others, block, words)
            if found is not None and self._undivided(found, phi, edge, block, words):
                return found
        return None

    def _division(
        self, phi: Phi, edges: tuple[int, ...], block: Block, words: Words
    ) -> BasePlusOffset | None:
        """The division that the sources of a phi on one edge or two are."""
        if len(edges) == 1:
            word = self.word(phi.sources[edges[0]], words)
            if word is None or word.origin or word.offset.polynomial is None:
                return None
            own = word.offset.polynomial.alone
            if not isinstance(own, Quotient):
                return None
            quotient = self.integers.either(own)
            return BasePlusOffset(None, self.integers.word(phi.target.width, quotient))
        for fast, slow in permutations(edges) if len(edges) == 2 else ():
            word, other = (self.word(phi.sources[edge], words) for edge in (fast, slow))
            if word is None or other is None or other.offset.polynomial is None or other.origin:
                continue
            found = self._by_power(phi, fast, slow, block, words) or self._short(
                word, other, fast, words
            )
            if found is not None:
                return found
        return None

    def _undivided(
        self, found: BasePlusOffset, phi: Phi, edge: int, block: Block, words: Words
    ) -> bool:
        """True if the other source of a phi is the dividend of the quotient ``found``, on an
        ``edge`` behind a branch that says that the divisor is less than 2."""
        quotient, word = found.offset.polynomial.alone, self.word(phi.sources[edge], words)
        if not isinstance(quotient, Quotient) or quotient.shifted or word is None or word.origin:
            return False
        x, small = quotient.dividend, self._below(2, self._said(edge, block.index), words)
        if self.integers.interpretation(word.offset, signed=False) != x:
            return False
        return quotient.divisor in small and x.range()[1] <= quotient.high

    # --- powers of two

    def _by_power(
        self, phi: Phi, fast: int, slow: int, block: Block, words: Words
    ) -> BasePlusOffset | None:
        """A division that is joined from one by powers of two, or 0, as a shift or a mask, and one
        by all other numbers."""
        width, integers = phi.target.width, self.integers
        word, other = (self.word(phi.sources[edge], words) for edge in (fast, slow))
        assert word is not None and other is not None
        for division in word.offset.by_power:
            if not integers.divides(width, division, other.offset.polynomial):
                continue
            ways = ((fast, "eq"), (slow, "ne"))
            if all(self.tested(division.mask, *way, words, block.index) for way in ways):
                return BasePlusOffset(None, integers.by_power(width, division, always=False))
        return None

    def tested(
        self,
        mask: Polynomial,
        block: int,
        relation: str,
        words: Words,
        after: int | None = None,
    ) -> bool:
        """True if a branch that dominates the end of a block, or leads from it to the one
        ``after``, says that ``mask + 1`` is a power of two or 0 (``eq``), or that it is neither
        (``ne``). The symbols of the mask have kept their values since."""
        if mask not in self.power_tests:
            return False
        for a, found, b in self._said(block, after):
            word = self.word(a, words) if found == relation else None
            zero = isinstance(b, Constant) and not b.bits
            tests = word.offset.by_power if zero and word is not None else ()
            if any(one.tests and one.mask == mask for one in tests):
                return True
        return False

    def _said(self, source: int, target: int | None) -> Iterator[Fact]:
        """What the branches on every way to the end of a block imply, and that to its target."""
        for condition, truth in self.values.flow.branches(source, target):
            while isinstance(condition, Value) and condition in self.alias:
                condition = self.alias[condition]
            yield from self.values.flow.formulas.implied(condition, truth)

    # --- short operands

    def _short(
        self, word: BasePlusOffset, other: BasePlusOffset, fast: int, words: Words
    ) -> BasePlusOffset | None:
        """A division that is joined from one of words of half the width, and one of all words. In
        the block ``fast`` the operands have no higher bits, so both are the same integers."""
        width, polynomial = other.offset.width, other.offset.polynomial
        slow, sources = polynomial.alone, self.values.function.blocks[fast].predecessors
        if not isinstance(slow, Quotient | Remainder):
            slow = self._left(width, polynomial)
        if slow is None or word.origin or len(sources) != 1:
            return None
        half, of = width // 2, slow.quotient if isinstance(slow, Remainder) else slow
        least, most = (0, (1 << half) - 1)
        short = set(self._below(most + 1, self._said(sources[0], fast), words))
        operands = []
        for integer in (of.dividend, of.divisor):
            low, high = integer.range()
            if integer not in short and not (least <= low and high <= most):
                return None
            own = integer.alone
            whole = own.polynomial if isinstance(own, Interpretation) else integer
            low_bits = self.integers.word(half, congruent(whole, half))
            operands.append(self.integers.interpretation(low_bits, signed=False))
        x, y = operands
        if x is None or y is None:
            return None
        if word.offset.polynomial not in self._narrow(slow, x, y, half):
            return None
        return BasePlusOffset(None, self.integers.word(width, self.integers.either(slow)))

    def _narrow(
        self, slow: Quotient | Remainder, x: Polynomial, y: Polynomial, width: int
    ) -> list[Polynomial]:
        """The same result of the division of two shorter words, in each way of writing it."""
        ends = type_range(width, signed=False)
        quotient = self.integers.quotient(x, y, *ends)
        if isinstance(slow, Quotient):
            return [quotient]
        found = [self.integers.remainder(x, y, *ends)]
        if isinstance(slow, Difference):
            left = congruent(x - y * quotient, width)
            found = [self.integers.interpret(width, False, left)]
            if isinstance(quotient.alone, Quotient):
                found.append(Polynomial.of(self.integers.difference(quotient.alone)))
        return found

    def _left(self, width: int, polynomial: Polynomial) -> Difference | None:
        """What a division by a positive number leaves, if that is a word's polynomial."""
        for quotient in sorted(polynomial.symbols, key=order):
            if isinstance(quotient, Quotient) and quotient.divisor.range()[0] > 0:
                rest = quotient.dividend - quotient.divisor * Polynomial.of(quotient)
                if self.integers.word(width, congruent(rest, width)).polynomial == polynomial:
                    return self.integers.difference(quotient)
        return None

    def _below(self, end: int, said: Iterator[Fact], words: Words) -> Iterator[Polynomial]:
        """The integers, signed and unsigned, of words that are less than a number."""
        greatest = {"lt_u": end, "le_u": end - 1}
        for a, relation, b in said:
            if not isinstance(b, Constant) or b.bits > greatest.get(relation, -1):
                continue
            word = self.word(a, words)
            if word is not None and not word.origin:
                for signed in (True, False):
                    integer = self.integers.interpretation(word.offset, signed)
                    if integer is not None:
                        yield integer
