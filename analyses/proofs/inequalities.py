"""Entailment of polynomial inequalities over the integers, and lower bounds of a goal.

A polynomial is *known* if it is known to be non-negative. Symbols that an equality defines by
others are substituted first (the first half of the omega test: Pugh, CACM 35(8), 1992).
``combination`` shows that a goal is not negative.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cached_property
from math import inf

from analyses.budget import COMBINED_STEPS, NARROWING_PASSES, SEARCH_DEPTH
from analyses.polynomials.inequality import Inequality
from analyses.polynomials.polynomial import (
    Number,
    Polynomial,
    Symbol,
    order,
    product_range,
)
from analyses.proofs.combination import Combination
from analyses.proofs.lower_bounds import Bound, Derivations, Known, LowerBounds, is_launch_symbol
from analyses.proofs.refutation import Refutation
from analyses.proofs.search_budget import Budget


class InequalitySystem:
    """Known inequalities, indexed by symbol, and the ranges of symbols that follow from one
    inequality at a time. ``solved`` symbols are substituted everywhere."""

    def __init__(
        self,
        known: Iterable[Inequality] = (),
        budget: Budget | None = None,
        derivations: Derivations | None = None,
    ) -> None:
        known = list(known)
        self.budget = budget or Budget()
        self.derivations: Derivations = {} if derivations is None else derivations
        self.solved, self.equalities = solved(known)
        self.known: list[Inequality] = []
        self.originals: list[Inequality] = []  # before substitution, and division
        self.ranges: dict[Symbol, tuple[Number, Number]] = {}
        self.contradictory = False
        self.answers: dict[Polynomial, tuple[Inequality, ...] | None] = {}
        seen = set()
        for fact in (*known, *map(Inequality, symbol_bounds(self.solved))):
            polynomial = fact.polynomial.replaced(self.solved).primitive()
            if polynomial in seen or polynomial.range()[0] >= 0:
                continue  # implied by the ranges
            seen.add(polynomial)
            self.originals.append(fact)
            same = polynomial is fact.polynomial  # the usual case
            self.known.append(fact if same else Inequality(polynomial, fact.origin))
        self._narrowed()

    @cached_property
    def by_symbol(self) -> dict[Symbol, list[Known]]:
        """The inequalities that a symbol is in, for each of its monomials there."""
        found: dict[Symbol, list[Known]] = {}
        for fact in self.known:
            for monomial, factor in fact.polynomial.terms.items():
                for symbol in dict.fromkeys(monomial):
                    found.setdefault(symbol, []).append((fact, monomial, factor))
        return found

    @cached_property
    def _refutation(self) -> Refutation:
        return Refutation([fact.polynomial for fact in self.known], self.ranges)

    @cached_property
    def _lower(self) -> LowerBounds:
        return LowerBounds(
            self.known, self.by_symbol, self.ranges, self.budget, self.derivations, self.entails
        )

    def _narrowed(self) -> None:
        """Narrows the ranges of symbols, in passes over the inequalities that have a symbol whose
        range changed since the last one."""
        having: dict[Symbol, list[int]] = {}
        for at, fact in enumerate(self.known):
            for symbol in fact.polynomial.symbols:
                having.setdefault(symbol, []).append(at)
        waiting, passes = [True] * len(self.known), 0
        while any(waiting) and passes < NARROWING_PASSES:
            passes += 1
            for at, fact in enumerate(self.known):
                if waiting[at]:
                    waiting[at] = False
                    for symbol in self._narrow(fact.polynomial):
                        for other in having[symbol]:
                            waiting[other] = True

    def _narrow(self, fact: Polynomial) -> list[Symbol]:
        """Narrows the ranges of the symbols that are linear in the inequality: a monomial is at
        least minus the greatest value of the others. Returns the symbols whose range changed."""
        ranges, greatest = self.ranges, list[Number]()
        high: Number = 0  # of the bounded ones
        for monomial, factor in fact.terms.items():
            if len(monomial) == 1:  # the usual case
                symbol = monomial[0]
                low, top = ranges.get(symbol) or (symbol.low, symbol.high)
            else:
                low, top = product_range(monomial, ranges)
            most = factor * (top if factor > 0 else low)
            if most != inf:
                high += most
            elif inf in greatest:
                return []
            greatest.append(most)
        unbounded = inf in greatest
        if not unbounded and high < 0:
            self.contradictory = True
        changed = []
        for (monomial, factor), own in zip(fact.terms.items(), greatest, strict=True):
            if len(monomial) != 1 or (unbounded and own != inf):
                continue
            (symbol,) = monomial
            low, top = self.ranges.get(symbol, (symbol.low, symbol.high))
            most = high - own if own != inf else high  # factor*symbol >= -most
            end = -(most // factor) if factor > 0 else most // -factor
            if factor > 0 and end > low:
                self.ranges[symbol] = end, top
                changed.append(symbol)
            elif factor < 0 and end < top:
                self.ranges[symbol] = low, end
                changed.append(symbol)
        return changed

    # --- what follows

    def range(self, polynomial: Polynomial) -> tuple[Number, Number]:
        """Bounds by the ranges of symbols and by known polynomials, as many as narrow them."""
        polynomial = polynomial.replaced(self.solved)
        return self._least(polynomial), -self._least(-polynomial)

    def _least(self, polynomial: Polynomial) -> Number:
        """What is left when multiples of known polynomials are taken off is not greater: each time
        that one is taken off which leaves most."""
        least, seen = polynomial.range(self.ranges)[0], {polynomial}
        for _ in range(SEARCH_DEPTH):
            best: tuple[Number, Polynomial] | None = None
            for symbol in sorted(polynomial.symbols, key=order):
                for fact, monomial, factor in self.by_symbol.get(symbol, ()):
                    times, odd = divmod(polynomial.terms.get(monomial, 0), factor)
                    if times > 0 and not odd:
                        rest = polynomial.plus(fact.polynomial, -times)
                        left = rest.range(self.ranges)[0]
                        if left >= (best[0] if best else least) and rest not in seen:
                            best = left, rest
            if best is None:
                break
            least, polynomial = best
            seen.add(polynomial)
        return least

    def entails(self, goal: Polynomial) -> tuple[Inequality, ...] | None:
        """Inequalities that show that ``goal`` is non-negative, or None. A contradiction entails
        every goal."""
        if goal not in self.answers:
            found = self._proof(goal.replaced(self.solved))
            if found is None and self.budget.left < 0:
                return None  # cut: with more steps it may be found
            self.answers[goal] = self._with_originals(goal, found) if found is not None else None
        return self.answers[goal]

    def _proof(self, goal: Polynomial) -> tuple[Inequality, ...] | None:
        if self.contradictory or goal.range(self.ranges)[0] >= 0:
            return ()
        if self._refutation.refute(goal) or self._refutation.search(goal):
            return None
        steps = min(COMBINED_STEPS, self.budget.left)
        combination = Combination(goal.primitive(), self.by_symbol, self.ranges, steps)
        found = combination.found()
        self.budget.left -= combination.steps
        return found

    def _with_originals(
        self, goal: Polynomial, found: tuple[Inequality, ...]
    ) -> tuple[Inequality, ...]:
        """These inequalities before substitution, and the equalities substituted."""
        originals = dict(zip(self.known, self.originals, strict=True)) if found else {}
        used = [Inequality(goal), *(originals[fact] for fact in found)]
        done: set[Symbol] = set()
        for fact in used if self.solved else ():  # grows on the way
            for symbol in sorted(fact.polynomial.symbols & self.solved.keys() - done, key=order):
                done.add(symbol)
                used += self.equalities[symbol]
        return tuple(dict.fromkeys(used[1:]))

    def least(
        self, goal: Polynomial, by_sums: bool = False, extents: bool = False
    ) -> Iterator[Bound]:
        """Lower bounds of the goal over launch symbols; also ``by_sums`` as factors, if so wished,
        be it by the ends of declared ``extents``."""
        yield from self._lower.of(goal.replaced(self.solved), by_sums, extents)

    def multiplied(self, goal: Polynomial, by_sums: bool) -> bool:
        """True if bounds may lack as an index is multiplied by a difference, or ``by_sums``."""
        goal, lower = goal.replaced(self.solved), self._lower
        return lower.multiplied_by_sums(goal) if by_sums else lower.multiplied_by_differences(goal)


def solved(
    known: Iterable[Inequality], launch: bool = False
) -> tuple[dict[Symbol, Polynomial], dict[Symbol, tuple[Inequality, ...]]]:
    """The symbols that equalities define as polynomials of older symbols; and these equalities.
    Launch symbols are not substituted unless ``launch``."""
    said = {fact.polynomial: fact for fact in known if fact.polynomial.terms}
    sums = {(p.symbols, sum(p.terms.values())) for p in said}
    found: dict[Symbol, Polynomial] = {}
    equalities: dict[Symbol, tuple[Inequality, ...]] = {}
    for fact in said.values():
        if (fact.polynomial.symbols, -sum(fact.polynomial.terms.values())) not in sums:
            continue  # the usual case
        other = said.get(-fact.polynomial)
        if other is None:
            continue
        equation = fact.polynomial.replaced(found)
        symbols = Counter(symbol for monomial in equation.terms for symbol in monomial)
        alone = [
            symbol
            for symbol, count in symbols.items()
            if count == 1
            and (launch or not is_launch_symbol(symbol))
            and abs(equation.terms.get((symbol,), 0)) == 1
        ]
        if alone:
            symbol = max(alone, key=order)
            factor = equation.terms[symbol,]
            value = Polynomial.of(symbol).plus(equation, -factor)
            equalities[symbol] = (fact, other)
            found = {s: p.replaced({symbol: value}) for s, p in found.items()}
            found[symbol] = value
    return found, equalities


def symbol_bounds(symbols: Iterable[Symbol]) -> Iterator[Polynomial]:
    """The bounds of the symbols' ranges as polynomials."""
    for symbol in symbols:
        if isinstance(symbol.low, int):
            yield Polynomial.of(symbol) - symbol.low
        if isinstance(symbol.high, int):
            yield -Polynomial.of(symbol) + symbol.high
