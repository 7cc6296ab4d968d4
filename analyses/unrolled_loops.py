"""Counters behind loops that a compiler unrolled, and behind the remainders of these.

A loop of x iterations becomes one of ``16*(x//16)``, whose counter a branch skips if x is less than
16, then 8 more if ``x%16`` is at least 8, 4 more if ``x%8`` is at least 4, and a loop for the rest.
A phi joins what the counter is on both ways. On each it is one number: ``s*16*(x//16)`` behind the
loop, ``s*8*(x//8)`` behind the eight, for a step s. So no proof has to try both ways at each phi.

Behind a loop that ends where two words are equal, its counter is what that says.

A remainder of up to three iterations is also written as these, one behind the other, with a way out
before each: where x%4 is 0, 1, 2, or 3, the counter is ``first + s*(x%4)``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import islice, pairwise, permutations

from msgspec import Struct

from analyses.budget import CONDITION_DEPTH
from analyses.conditions import Fact
from analyses.domains.regions import BasePlusOffset
from analyses.graph import Loop
from analyses.guarded_words import GuardedWords
from analyses.polynomials.division import split
from analyses.polynomials.modular import ModularPolynomials
from analyses.polynomials.polynomial import Number, Polynomial, Symbol
from analyses.polynomials.symbols import (
    FIRST_RANK,
    Interpretation,
    Quotient,
    congruent,
    remainders,
)
from analyses.polynomials.words import ModularPolynomial
from analyses.program import Block, Constant, Operand, Phi, Value
from analyses.values import Values

Words = Mapping[Value, BasePlusOffset]


class UnrolledLoops(Struct, eq=False):
    """The phis behind the loops of a function, whose ``counters`` are known by head. ``word`` gives
    the word of an operand, None for one that is not evaluated yet."""

    values: Values
    integers: ModularPolynomials
    counters: Mapping[int, Symbol]
    word: Callable[[Operand, Words], BasePlusOffset | None]

    def joined(
        self,
        phi: Phi,
        block: Block,
        words: Words,
        on: Callable[[int], GuardedWords] | None = None,
    ) -> BasePlusOffset | None:
        """The word that a phi is on all edges that may be taken, by what is known ``on`` each."""
        said = {edge: list(self._said(edge, block.index)) for edge in phi.sources}
        taken = [edge for edge, facts in said.items() if not self._never(facts, words)]
        if len(phi.sources) != 2 and len(taken) != 1:
            return self._behind_steps(phi, said, words, on)
        width = phi.target.width
        found = {edge: self._on_edge(edge, phi.sources[edge], width, words, on) for edge in taken}
        origins = {word.origin for word in found.values() if word is not None}
        if len(origins) != 1:
            return None
        (origin,), ends = origins, {}
        for edge, word in found.items():
            if word is None or word.offset.polynomial is None:
                return None
            end = self._at_exit(word.offset.polynomial, width, said[edge], words)
            ends[edge] = end, said[edge]
        if len(taken) == 1:
            return BasePlusOffset(origin, self.integers.word(width, ends[taken[0]][0]))
        for (skipped, at_skip), (other, behind) in permutations(ends.values()):
            whole = self._whole(other, skipped, width, at_skip, words)
            whole = whole or self._halved(skipped, other, width, at_skip, behind, words)
            zeros = self._zeros(at_skip, width, words)
            whole = whole or self._behind(other, skipped, width, zeros, on is not None)
            if whole is not None:
                return BasePlusOffset(origin, self.integers.word(width, whole))
        return None

    def ended(self, source: int, target: int, words: Words) -> dict[Symbol, Polynomial]:
        """The counters of loops that end before an edge, in their last iterations, where known."""
        said = list(self._said(source, target))
        loops = (loop for loop in self.values.loops.values() if target not in loop.nodes)
        counted = ((self.counters[loop.head], loop) for loop in loops if loop.head in self.counters)
        each = {counter: self._last(loop, said, words) for counter, loop in counted}
        return {counter: last for counter, last in each.items() if last is not None}

    def behind(
        self, polynomial: Polynomial, width: int, source: int, target: int, words: Words
    ) -> Polynomial:
        """A word on an edge, without the counters of loops that ended before."""
        return self._at_exit(polynomial, width, list(self._said(source, target)), words)

    def _behind_steps(
        self,
        phi: Phi,
        said: Mapping[int, list[Fact]],
        words: Words,
        on: Callable[[int], GuardedWords] | None,
    ) -> BasePlusOffset | None:
        """``first + step*r`` of a phi that is that for each number that r may be. ``said`` has the
        facts of each edge."""
        found = [
            self._on_edge(*source, phi.target.width, words, on) for source in phi.sources.items()
        ]
        most = len(phi.sources) - 1
        each = [self._remainders(most, said[edge], words) for edge in phi.sources]
        for remainder in each[0]:
            left = [numbers.get(remainder, set()) for numbers in each]
            at = {min(n): word for n, word in zip(left, found, strict=True) if len(n) == 1}
            ends = [
                word for _, word in sorted(at.items(), key=lambda end: end[0]) if word is not None
            ]
            steps = {self.integers.sub(b.offset, a.offset).polynomial for a, b in pairwise(ends)}
            step = next(iter(steps), None)
            if len(ends) == len(found) and len(steps) == 1 and step is not None:
                first, origins = ends[0].offset.polynomial, {end.origin for end in ends}
                rounded = on is None and origins == {None} and step.constant not in (1, -1)
                if first is not None and len(origins) == 1 and not rounded:
                    whole = self.integers.word(phi.target.width, first + step * remainder)
                    return BasePlusOffset(origins.pop(), whole)
        return None

    def _on_edge(
        self,
        edge: int,
        operand: Operand,
        width: int,
        words: Words,
        on: Callable[[int], GuardedWords] | None,
    ) -> BasePlusOffset | None:
        """The word of an operand, with the choices that are decided ``on`` an edge."""
        word = self.word(operand, words)
        if on is None or word is None or word.offset.polynomial is None:
            return word
        decided = congruent(on(edge).decided(word.offset.polynomial), width)
        return word._replace(offset=word.offset._replace(polynomial=decided))

    def _remainders(self, most: int, said: list[Fact], words: Words) -> dict[Polynomial, set[int]]:
        """The remainders from 0 to ``most`` that facts compare with numbers, each with those that
        it may be."""
        left = dict[Polynomial, set[int]]()
        for a, relation, b in said:
            if a.width == 1 or relation not in ("eq", "ne") or not isinstance(b, Constant):
                continue
            word = self.word(a, words)
            if word is None or word.origin or word.offset.polynomial is None:
                continue
            integer, _, ends = remainders(a.width, word.offset.polynomial)
            if ends == (0, most):
                numbers = left.setdefault(integer, set(range(most + 1)))
                left[integer] = numbers & {b.bits} if relation == "eq" else numbers - {b.bits}
        return left

    def _said(self, source: int, target: int) -> Iterator[Fact]:
        """What the branches on every way to an edge imply, the last one first."""
        for taken in islice(self.values.flow.branches(source, target), CONDITION_DEPTH):
            yield from self.values.flow.formulas.implied(*taken)

    def _never(self, said: list[Fact], words: Words) -> bool:
        """True if the facts compare a word that is a number with one that it is not."""
        for operand, least, most in (each for fact in said for each in compared(fact)):
            own = self.word(operand, words)
            number = own.offset.polynomial and own.offset.polynomial.constant if own else None
            if number is not None and own is not None and own.origin is None:
                low, high = within((least, most), 1 << operand.width, (number, number))
                if low > high:
                    return True
        return False

    def _at_exit(
        self, polynomial: Polynomial, width: int, said: list[Fact], words: Words
    ) -> Polynomial:
        """A word of a loop's last iteration without the loop's counter k: where ``c*k + rest`` is 0
        modulo 2**n, a word of at most n bits stays equal if a multiple of that is subtracted. A
        wider one does where k is the number by which the loop ends."""
        for head, counter in self.counters.items():
            if counter not in polynomial.symbols:
                continue
            for zero in self._zeros(said, width, words):
                times, by = (p.terms.get((counter,), 0) for p in (polynomial, zero))
                if by and times % by == 0:
                    found = polynomial.plus(zero, -times // by)
                    if counter not in found.parts:
                        return found
            last = self._last(self.values.loops[head], said, words)
            if last is not None:
                return polynomial.replaced({counter: last})
        return polynomial

    def most(self, loop: Loop, words: Words, by: Mapping[Symbol, Polynomial]) -> Polynomial | None:
        """The loop counter in the last iteration of a loop with one latch, on the edge from that;
        None if it is not known before the loop. Symbols in the words are replaced ``by`` others."""
        said = list(self._said(loop.latches[0], loop.head))
        ends = ((a, b) for a, relation, b in said if relation == "ne")
        each = (self._first(loop, *end, said, words, by) for end in ends)
        return next((found for found in each if found is not None), None)

    def _last(self, loop: Loop, said: list[Fact], words: Words) -> Polynomial | None:
        """The same on an edge out of the loop, on which the facts hold."""
        if len(loop.latches) != 1:
            return None
        for a, relation, b in self._said(loop.latches[0], loop.head):
            if relation == "ne" and (a, "eq", b) in said:
                found = self._first(loop, a, b, said, words, {})
                if found is not None:
                    return found
        return None

    def _first(
        self,
        loop: Loop,
        a: Operand,
        b: Operand,
        said: list[Fact],
        words: Words,
        by: Mapping[Symbol, Polynomial],
    ) -> Polynomial | None:
        """The counter k in the last iteration of a loop that goes on only where ``a - b``, which is
        ``c*k + rest``, is not 0 modulo 2**n, with a rest from before the loop: the least k, from 0
        on, for which it is. That is ``-rest/c``, if that is an integer in [0, 2**n/c)."""
        counter, first = self.counters[loop.head], FIRST_RANK + 4 * loop.head
        for each in self._zeros([(a, "eq", b)], a.width, words):
            zero = congruent(self.integers.respelt(each, by), a.width)
            times = -zero.terms.get((counter,), 0)
            rest = {m: c // (times or 1) for m, c in zero.terms.items() if m != (counter,)}
            found = Polynomial(rest)
            exact = times and found.scaled(times) == zero.plus(Polynomial.of(counter), times)
            if exact and all(symbol.rank < first for symbol in found.symbols):
                found, _, ends = remainders(a.width, found)
                if self._lies(found, ends, 0, (1 << a.width) // abs(times), said, words):
                    return found
        return None

    def _zeros(self, said: list[Fact], width: int, words: Words) -> Iterator[Polynomial]:
        """The polynomials that are 0 modulo 2**width: differences of words that are equal; of words
        that are narrower, what divisions leave, if that is 0 as it is in the range of the word."""
        for a, relation, b in said:
            left, right = (self.word(each, words) for each in (a, b))
            if relation != "eq" or a.width == 1 or left is None or right is None:
                continue
            zero = self.integers.sub(left.offset, right.offset).polynomial
            if left.origin != right.origin or zero is None or not zero.terms:
                continue
            if a.width < width:
                zero, _, (low, high) = remainders(a.width, zero)
                if max(-low, high) >= 1 << a.width:
                    continue
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
        self,
        other: Polynomial,
        skipped: Polynomial,
        width: int,
        zeros: Iterable[Polynomial],
        guarded: bool,
    ) -> Polynomial | None:
        """The ``other`` word, behind a loop that is skipped where its iterations are none: the two
        differ by a multiple of what is 0 then, as ``zeros`` are. If what guards say is known, as
        ``guarded`` tells, the multiple may be a product, and their signed integers stay."""
        apart = self.integers.word(width, other - skipped).polynomial
        if apart is None:
            return None
        apart = congruent(apart, width)
        for zero in zeros:
            times, rest = split(apart, congruent(zero, width))
            if times.terms and not rest.terms and (guarded or times.constant is not None):
                return other if guarded else self._unsigned(other, width)
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
        """True if the facts imply that an integer, which is in the range ``ends``, lies in
        [low, high): a word that is the integer, or minus that, and a constant, modulo 2**width, is
        compared with a number, or a quotient of it is. A quotient lies between two numbers if the
        dividend lies between their products with the divisor."""
        for operand, least, most in 2 * [each for fact in said for each in compared(fact)]:
            own = self.word(operand, words)
            if own is None or own.origin or own.offset.polynomial is None:
                continue
            for sign in (1, -1):
                apart = congruent(integer - own.offset.polynomial.scaled(sign), operand.width)
                found = self.integers.word(operand.width, apart).polynomial
                shift = found.constant if found is not None else None
                first = min(sign * least, sign * most) + (shift or 0)
                if shift is not None:
                    ends = within((first, first + most - least), 1 << operand.width, ends)
            ends = dividing(integer, own.offset, (least, most), ends)
        if low <= ends[0] and ends[1] < high:
            return True
        constant = integer.terms.get((), 0)
        inner = (integer - constant).alone
        if not isinstance(inner, Quotient) or inner not in quotients(Polynomial.of(inner)):
            return False
        low, high = ((end - constant) * divisor(inner) for end in (low, high))
        return self._lies(inner.dividend, inner.dividend.range(), low, high, said, words)


def within(arc: tuple[int, int], whole: int, ends: tuple[Number, Number]) -> tuple[Number, Number]:
    """The least range of all integers between the ends that are equal modulo ``whole`` to one in
    the arc, which is less than that long."""
    (low, high), (first, last) = ends, arc
    if isinstance(low, int):  # the arc that ends at it, or first behind it
        low = max(low, first - (last - low) // whole * whole)
    if isinstance(high, int):  # the arc that begins at it, or last before it
        high = min(high, last + (high - first) // whole * whole)
    return low, high


def dividing(
    integer: Polynomial,
    word: ModularPolynomial,
    arc: tuple[int, int],
    ends: tuple[Number, Number],
) -> tuple[Number, Number]:
    """The range of an integer between the ends, if a word that is a quotient of it, and a constant,
    lies in the arc modulo 2**width."""
    assert word.polynomial is not None
    constant = word.polynomial.terms.get((), 0)
    of = (word.polynomial - constant).alone
    if not isinstance(of, Quotient) or of not in quotients(Polynomial.of(of)):
        return ends
    shift = (integer - of.dividend).constant
    if shift is None:
        return ends
    by, (first, last) = divisor(of), arc
    low, high = (end if isinstance(end, float) else (end - shift) // by for end in ends)
    known = max(of.low, low), min(of.high, high)
    low, high = within((first - constant, last - constant), 1 << word.width, known)
    return max(ends[0], low * by + shift), min(ends[1], high * by + by - 1 + shift)


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
        if isinstance(other, Constant):
            number = (other.bits - least) % (1 << a.width) + least
            if relation == "eq":
                yield operand, number, number
            elif relation == "ne":
                yield operand, number + 1, number + (1 << a.width) - 1
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
