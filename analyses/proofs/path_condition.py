"""Path condition: the facts that hold whenever a thread is at a program point."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from functools import cached_property

from msgspec import Struct

from analyses.polynomials.inequality import Inequality
from analyses.polynomials.polynomial import Polynomial, Symbol
from analyses.proofs.definitions import closure
from analyses.proofs.fact_index import FactIndex, Polynomials, contains, grown
from analyses.proofs.system_cache import ASSUMED_NONNEGATIVE
from analyses.ways import with_values


class Disequality(Struct, frozen=True, eq=False):
    """Two words of this width are not equal: ``polynomial`` is not 0 modulo 2**width."""

    width: int
    polynomial: Polynomial
    origin: object


class PathCondition(Struct, frozen=True, eq=False, dict=True):
    """The facts at a program point: ``known`` polynomials are non-negative, those in ``apart``
    non-zero. Extends ``before``: results cached for ``before`` stay valid."""

    known: tuple[Inequality, ...] = ()
    apart: tuple[Inequality, ...] = ()
    distinct: tuple[Disequality, ...] = ()
    before: PathCondition | None = None

    def __add__(self, other: PathCondition) -> PathCondition:
        known, apart = self.said
        new = tuple([fact for fact in other.known if not contains(known, fact.polynomial)])
        more = tuple([fact for fact in other.apart if not contains(apart, fact.polynomial)])
        if not (new or more or other.distinct):
            return self
        return PathCondition(
            self.known + new, self.apart + more, self.distinct + other.distinct, self
        )

    @property
    def polynomials(self) -> list[Polynomial]:
        return [fact.polynomial for fact in (*self.known, *self.apart)]

    def says(self, polynomial: Polynomial) -> bool:
        """True if it is one of the known ones plus a non-negative constant."""
        greater = ((polynomial - fact.polynomial).constant for fact in self.known)
        return any(by is not None and by >= 0 for by in greater)

    def indices(self, done: PathCondition | None = None) -> list[int]:
        """The indices of all facts, except those of ``done``."""
        known, apart = (len(done.known), len(done.apart)) if done is not None else (0, 0)
        return [*range(known, len(self.known)), *range(-1 - apart, -1 - len(self.apart), -1)]

    def fact(self, index: int) -> Inequality:
        return self.known[index] if index >= 0 else self.apart[~index]

    def only(self, indices: Collection[int]) -> PathCondition:
        """The facts at these indices, in order."""
        known = sorted([index for index in indices if index >= 0])
        apart = sorted([~index for index in indices if index < 0])
        return PathCondition(
            tuple([self.known[index] for index in known]),
            tuple([self.apart[index] for index in apart]),
        )

    def where(self, keep: Callable[[Polynomial], bool]) -> PathCondition:
        """The facts whose polynomials satisfy ``keep``."""
        return self.only([index for index in self.indices() if keep(self.fact(index).polynomial)])

    def mapped(self, change: Callable[[Polynomial], Polynomial]) -> PathCondition:
        """With every polynomial rewritten to an equal one."""
        return PathCondition(
            tuple(Inequality(change(fact.polynomial), fact.origin) for fact in self.known),
            tuple(Inequality(change(fact.polynomial), fact.origin) for fact in self.apart),
            self.distinct,
        )

    @cached_property
    def key(self) -> tuple[frozenset[Polynomial], frozenset[Polynomial]]:
        """The facts without their origins: equal for equivalent path conditions."""
        return (
            frozenset([fact.polynomial for fact in self.known]),
            frozenset([fact.polynomial for fact in self.apart]),
        )

    @property
    def new(self) -> tuple[frozenset[Polynomial], frozenset[Polynomial], frozenset[Polynomial]]:
        """What ``before`` does not have: known, apart, and of the known those assumed to be
        non-negative, which become preconditions."""
        known, apart = self.known, self.apart
        if self.before is not None:
            known, apart = known[len(self.before.known) :], apart[len(self.before.apart) :]
        assumed = [fact.polynomial for fact in known if fact.origin is ASSUMED_NONNEGATIVE]
        return (
            frozenset([fact.polynomial for fact in known]),
            frozenset([fact.polynomial for fact in apart]),
            frozenset(assumed),
        )

    @cached_property
    def said(self) -> tuple[Polynomials, Polynomials]:
        """The facts without their origins, in parts."""
        known, apart = self.before.said if self.before is not None else ((), ())
        more, distinct, _ = self.new
        return grown(known, more), grown(apart, distinct)

    @cached_property
    def links(self) -> tuple[FactIndex, ...]:
        """The facts by symbol, in parts. A disequality in ``apart`` has the number ``~index``."""
        done = self.before
        while done is not None and "links" not in vars(done):
            done = done.before
        facts = [(index, self.fact(index).polynomial) for index in self.indices(done)]
        return grown(done.links if done is not None else (), FactIndex.of(facts))

    def about(self, symbol: Symbol) -> Iterator[int]:
        """The indices of the facts that contain a symbol, and one that a thread computes."""
        for part in self.links:
            yield from part.by.get(symbol, ())

    @cached_property
    def parts(self) -> frozenset[Symbol]:
        """The symbols in the facts, at any depth."""
        return frozenset[Symbol]().union(*[polynomial.parts for polynomial in self.polynomials])

    @cached_property
    def valued(self) -> frozenset[Symbol]:
        """The symbols in the facts, at any depth, that have a value where they hold."""
        return with_values(frozenset(s for p in self.polynomials for s in p.symbols))

    @cached_property
    def closed(self) -> tuple[list[Inequality], frozenset[Symbol]]:
        """The defining inequalities of the symbols; and all symbols in them."""
        return closure(s for polynomial in self.polynomials for s in polynomial.symbols)


NOTHING = PathCondition()


def possible(premises: PathCondition) -> bool:
    """False if a condition is negative by ranges alone: no thread is at the point."""
    return all(fact.polynomial.range()[1] >= 0 for fact in premises.known)


def contradict(held: PathCondition, other: PathCondition) -> bool:
    """True if one says the contrary of the other, or the other one what no launch meets."""
    if not possible(other):
        return True
    return any(contains(held.said[0], -fact.polynomial - 1) for fact in other.known)
