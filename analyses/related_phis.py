"""Phis that differ from their first source by a number, or are related to a phi before them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from msgspec import Struct

from analyses.domains.regions import BasePlusOffset
from analyses.loop_phis import polynomials
from analyses.polynomials.integer_symbols import IntegerSymbols
from analyses.polynomials.polynomial import Polynomial
from analyses.polynomials.relation import relation
from analyses.polynomials.symbols import Case
from analyses.polynomials.words import ModularPolynomial
from analyses.program import Block, Operand, Phi, Value

Words = Mapping[Value, BasePlusOffset]


class RelatedPhis(Struct, frozen=True):
    """Those of a function whose ``phis`` are given by block; ``source`` gives the word of an
    operand, None for one that is not evaluated yet."""

    phis: Sequence[Sequence[Phi]]
    integers: IntegerSymbols
    source: Callable[[Operand, Words], BasePlusOffset | None]

    def moved(
        self, phi: Phi, block: Block, sources: Sequence[BasePlusOffset | None]
    ) -> ModularPolynomial | None:
        """The first source and a choice of numbers, if all others differ from it by numbers: a
        place that is moved on one of two ways."""
        known = polynomials(sources)
        away = [(one - known[0]).constant for one in known] if known else [None]
        numbers = [Polynomial.of(number) for number in away if number is not None]
        if known is None or len(numbers) < len(sources):
            return None
        edges = ((origin, block.index) for origin in phi.sources)
        cases = tuple(Case(number, edge=edge) for number, edge in zip(numbers, edges, strict=True))
        choice = self.integers.choice(phi.target.name, cases)
        return self.integers.word(phi.target.width, known[0] + choice)

    def same(self, phi: Phi, block: Block, words: Words) -> BasePlusOffset | None:
        """The word of a phi before it that has the same sources: a pointer, and its copy inside
        global memory."""
        for other in self.phis[block.index]:
            if other is phi:
                break
            each = ((self.source(s, words), other.sources[e]) for e, s in phi.sources.items())
            if all(word == self.source(operand, words) for word, operand in each):
                return words.get(other.target)
        return None

    def related(self, phi: Phi, block: Block, words: Words) -> BasePlusOffset | None:
        """A phi that on every edge is ``factor*other + rest`` of the same one before it."""
        own = [self.source(operand, words) for operand in phi.sources.values()]
        origins, ones = {word.origin for word in own if word}, polynomials(own)
        if ones is None or len(origins) != 1:
            return None
        for other in self.phis[block.index]:
            if other is phi:
                break
            now = words.get(other.target)
            if other.target.width != phi.target.width or now is None or now.origin is not None:
                continue
            found = [self.source(other.sources[edge], words) for edge in phi.sources]
            others, base = polynomials(found), now.offset.polynomial
            if others is None or base is None or any(word.origin for word in found if word):
                continue
            related = relation(ones, others)
            if related is not None:
                factor, rest = related
                word = self.integers.word(phi.target.width, rest.plus(base, factor))
                return None if word.polynomial is None else BasePlusOffset(origins.pop(), word)
        return None
