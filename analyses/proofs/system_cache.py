"""Inequality systems with what follows from them at once, each built once.

Path conditions and goals that differ in facts which others imply have the same system.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence, Set
from functools import partial

from analyses.polynomials.inequality import Inequality
from analyses.polynomials.polynomial import Polynomial, Symbol, order
from analyses.polynomials.symbols import Quotient, Remainder
from analyses.proofs.cutting_planes import with_cuts
from analyses.proofs.definitions import (
    closure,
    divided_by,
    divides,
    division,
    launch_bounds,
    meant_by,
    multiples_between,
    quotient_limits,
    remainder_of_any,
)
from analyses.proofs.disequalities import left_apart, one_sided
from analyses.proofs.inequalities import InequalitySystem
from analyses.proofs.lower_bounds import Derivations
from analyses.proofs.preconditions import extents
from analyses.proofs.search_budget import Budget
from analyses.proofs.whole_groups import groups_of_remainder
from analyses.scalar_evolution import SymbolicValues

ASSUMED_NONNEGATIVE = "a parameter that is not negative"


class Systems:
    """The systems of one function."""

    def __init__(self, symbolic: SymbolicValues, budget: Budget) -> None:
        self.symbolic = symbolic
        self.budget = budget
        self._known: dict[Hashable, InequalitySystem] = {}
        self._plain: dict[Hashable, InequalitySystem] = {}  # of these inequalities alone
        self._cut: dict[Hashable, InequalitySystem] = {}  # with cuts
        self._derivations: Derivations = {}

    def plain(self, known: list[Inequality]) -> InequalitySystem:
        """The system of these inequalities alone."""
        key = frozenset(map(stated, known))
        if key not in self._plain:
            self._plain[key] = InequalitySystem(known, self.budget, self._derivations)
        return self._plain[key]

    def of(
        self, known: list[Inequality], apart: Sequence[Inequality], symbols: frozenset[Symbol]
    ) -> InequalitySystem:
        """The system of ``known`` polynomials over the symbols, and of those in ``apart``, which
        are not zero."""
        parts = frozenset[Symbol]().union(*(symbol.parts for symbol in symbols))
        divisions = tuple(sorted((symbol for symbol in parts if divides(symbol)), key=order))
        excluded = frozenset(fact.polynomial for fact in apart)
        key = frozenset(map(stated, known)), excluded, divisions
        found = self._known.get(key)
        if found is None:
            assumed = {f.polynomial for f in known if f.origin is ASSUMED_NONNEGATIVE}
            found = self._together(known, apart, divisions, assumed)
            if self.budget.left >= 0:  # else something may be missing
                self._known[key] = found
        return found

    def _together(
        self,
        known: list[Inequality],
        apart: Sequence[Inequality],
        divisions: Sequence[Quotient | Remainder],
        assumed: Set[Polynomial],
    ) -> InequalitySystem:
        """The system with what follows at once: the sign of non-zero polynomials, the meaning of
        ``divisions``, what powers of two divide, and cuts."""
        if any(not fact.polynomial.terms for fact in apart):
            known = [*known, Inequality(Polynomial.of(-1))]  # nothing is at the point
        facts, open_ = InequalitySystem(known, self.budget, self._derivations), list(apart)
        named: dict[Symbol, Polynomial] = {}
        while True:
            sides = list(one_sided(facts, open_))
            meant = [symbol for symbol in divisions if self._rounds_down(symbol, facts, known)]
            if not sides and not meant:
                break
            known = [*known, *(side for side, _ in sides)]
            searched = partial(limited_by_parameters, facts)
            for symbol in meant:
                bounds = launch_bounds(
                    self.symbolic.integers, symbol, known, named, facts.ranges, searched
                )
                limits = list(quotient_limits(divided_by(symbol), known))
                known += division(symbol, bounds, assumed)
                known += [Inequality(each, symbol) for each in limits]
                known += list(groups_of_remainder(self.symbolic.integers, symbol, known))
                known += closure(s for s in divided_by(symbol).parts if not s.rank)[0]
            open_ = left_apart(open_, sides)
            divisions = [symbol for symbol in divisions if symbol not in meant]
            facts = InequalitySystem(known, self.budget, self._derivations)
        if left := [fact for each in divisions for fact in self._left(each, facts)]:
            known = [*known, *left]
            facts = InequalitySystem(known, self.budget, self._derivations)
        return self._with_cuts(facts, known, open_)

    def _with_cuts(
        self,
        facts: InequalitySystem,
        known: list[Inequality],
        apart: list[Inequality],
    ) -> InequalitySystem:
        """One system with cuts for all ways to come to these inequalities."""
        excluded = frozenset(fact.polynomial for fact in apart)
        key = frozenset(map(stated, known)), excluded
        found = self._cut.get(key)
        if found is None:
            powers = self.symbolic.powers_of_two
            power = powers.computed if by_symbols(known) else powers.includes
            found = with_cuts(facts, known, apart, power, self.plain)
            if self.budget.left >= 0:  # else something may be missing
                self._cut[key] = found
        return found

    @staticmethod
    def _left(symbol: Quotient | Remainder, facts: InequalitySystem) -> Iterable[Inequality]:
        """The bounds of what the division of a number, which may be negative, by a positive one
        leaves."""
        open_ = (each for each in meant_by(symbol) if facts.entails(each) is None)
        if isinstance(symbol, Remainder) and list(open_) == [symbol.quotient.dividend]:
            return remainder_of_any(symbol)
        return ()

    def _rounds_down(
        self, symbol: Quotient | Remainder, facts: InequalitySystem, known: list[Inequality]
    ) -> bool:
        """True if the ``known`` facts say so, or these and what defines the symbols that are
        divided: no other bound is made of that. A quotient rounds towards zero, so that of a
        negative number by a positive one is not positive."""
        of = divided_by(symbol)
        open_ = [each for each in meant_by(symbol) if facts.entails(each) is None]
        if open_ == [of.divisor - 1] and facts.entails(of.divisor) is not None:
            open_ = [] if any(quotient_limits(of, known)) else open_
        if of.dividend in open_ and facts.entails(Polynomial.of(of) - 1) is not None:
            open_.remove(of.dividend)
        if not open_:
            return True
        behind, all_ = closure(part for each in open_ for part in each.symbols)
        behind += multiples_between(all_)
        said = {fact.polynomial for fact in known} if behind else ()
        more = [fact for fact in behind if fact.polynomial not in said]
        if not more:
            return False
        facts = self.plain([*known, *more])
        return all(facts.entails(each) is not None for each in open_)


def by_symbols(known: Iterable[Inequality]) -> bool:
    """True if something is divided by what is no number. Only there it counts which strides double,
    as in all launches, so that they are powers of two."""
    quotients = (fact.origin for fact in known if isinstance(fact.origin, Quotient))
    return any(of.divisor.constant is None for of in quotients)


def stated(fact: Inequality) -> tuple[Polynomial, object]:
    """What a system depends on: the inequality, and its origin if that is a quotient, which has
    cuts, or says how it may be used."""
    return fact.polynomial, fact.origin if isinstance(fact.origin, Quotient | str) else None


def limited_by_parameters(facts: InequalitySystem, dividend: Polynomial) -> list[Polynomial]:
    """What the launch decides that the polynomial is at most, if a search finds such ends by
    parameters alone."""
    ends = (-one.least for one in facts.least(-dividend) if one.scale == 1)
    return [end for end in ends if end.symbols and not extents(end.symbols)]
