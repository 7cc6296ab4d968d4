"""Entailment of polynomial inequalities over the integers, and lower bounds of a goal.

A polynomial is *known* if it is known to be non-negative. Symbols that an equality defines by
others are substituted first (the first half of the omega test: Pugh, CACM 35(8), 1992).
``combination`` shows that a goal is not negative.

For a lower bound, non-negative multiples of known polynomials are subtracted from the goal, each to
eliminate a symbol. Where it stands in a product, the multiple is by the other symbols of that. What
is left is a lower bound of the goal, and a sufficient precondition for it, if it contains launch
symbols only. All numbers are exact: a goal is multiplied by a positive integer where a quotient
would not be an integer.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from heapq import heappop, heappush
from math import gcd, inf
from typing import NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from analyses.budget import (
    COMBINED_STEPS,
    FEW,
    FIRST_SEARCH_STEPS,
    INEQUALITY_TERMS,
    MORE_SEARCH_STEPS,
    NARROWING_PASSES,
    PRODUCTS,
    SEARCH_DEPTH,
    SEARCH_STEPS,
)
from analyses.polynomials.division import quotient, shortened, times_monomial
from analyses.polynomials.inequality import Inequality
from analyses.polynomials.polynomial import (
    Monomial,
    Number,
    Polynomial,
    Symbol,
    order,
    product_range,
)
from analyses.polynomials.symbols import FIRST_RANK, Interpretation, LaunchQuotient, of_launch
from analyses.proofs.combination import Combination
from analyses.proofs.refutation import Refutation
from analyses.proofs.steps import Budget

EXCEEDED = "a bound that another one is never greater than"


class Bound(Struct, frozen=True):
    """``scale*goal >= least``, which follows from ``used``.

    The goal is an integer, so it is non-negative if ``least > -scale``. An integer congruent to
    ``rest`` modulo ``step`` lies between the two: the goal is at least that integer, and ``scale``
    times it at least ``least``.
    """

    least: Polynomial
    scale: int
    used: tuple[Inequality, ...]
    step: int = 1
    rest: int = 0

    @property
    def exact(self) -> bool:
        """True if ``least`` is itself such an integer."""
        factors = (self.least - self.rest).terms.values()
        return self.scale == 1 and all(factor % self.step == 0 for factor in factors)

    def integer(self, least: Number) -> Number:
        """The integer that it means where ``least`` is this number."""
        if abs(least) == inf:
            return least
        return (
            -((self.scale * self.rest - least) // (self.scale * self.step)) * self.step + self.rest
        )

    def shifted(self, by: int) -> Bound:
        """The bound of a goal that is so much greater."""
        rest = (self.rest + by) % self.step
        return replace(self, least=self.least.shifted(self.scale * by), rest=rest)

    @property
    def rounded(self) -> Bound:
        """The bound with ``least`` rounded to that integer, if the non-constant terms are
        divisible: by their factors, and by what their symbols are multiples of."""
        least = {m: c for m, c in self.least.terms.items() if m}
        by, constant = gcd(*map(multiple, least.items())), self.least.terms.get((), 0)
        if by % (self.scale * self.step) or any(c % self.scale for c in least.values()):
            return self
        steps = -((self.scale * self.rest - constant) // (self.scale * self.step))
        up, step = steps * self.step + self.rest, by // self.scale or self.step
        if self.scale == 1:  # the usual case
            whole = self.least.shifted(up - constant)
        else:
            whole = Polynomial({m: c // self.scale for m, c in least.items()}).shifted(up)
        return Bound(whole, 1, self.used, step, up % step)


def multiple(term: tuple[Monomial, int]) -> int:
    """A number that divides the term: the interpretation of a word is a multiple of any power of
    two, up to that of its width, that its polynomial is a multiple of."""
    monomial, number = term
    for symbol in monomial:
        if isinstance(symbol, Interpretation):
            factors = map(multiple, symbol.polynomial.terms.items())
            number *= gcd(1 << symbol.width, *factors)
    return number


class BoundSearch(NamedTuple):
    """How a search eliminates symbols: the youngest one only, also where a sum is their factor, and
    coordinates by declared extents of the launch also where inequalities do."""

    in_order: bool = False
    by_sums: bool = False
    extents: bool = False


EVERY = BoundSearch()


class InequalitySystem:
    """Known inequalities, indexed by symbol, and the ranges of symbols that follow from one
    inequality at a time. ``solved`` symbols are substituted everywhere."""

    def __init__(self, known: Iterable[Inequality] = (), budget: Budget | None = None) -> None:
        known = list(known)
        self.budget = budget or Budget()
        self.solved, self.equalities = solved(known)
        self.known: list[Inequality] = []
        self.originals: dict[Inequality, Inequality] = {}  # before substitution
        self.ranges: dict[Symbol, tuple[Number, Number]] = {}
        self.by_symbol: dict[Symbol, list[tuple[Inequality, Monomial, int]]] = {}
        self.contradictory = False
        self.answers: dict[Polynomial, tuple[Inequality, ...] | None] = {}
        self.lower: dict[tuple[Polynomial, bool, bool], list[Bound]] = {}
        seen = set()
        for fact in (*known, *map(Inequality, symbol_bounds(self.solved))):
            polynomial = fact.polynomial.replaced(self.solved).primitive()
            if polynomial in seen or polynomial.range()[0] >= 0:
                continue  # implied by the ranges
            seen.add(polynomial)
            originals, fact = fact, Inequality(polynomial, fact.origin)
            self.known.append(fact)
            self.originals[fact] = originals
            for monomial, factor in polynomial.terms.items():
                for symbol in dict.fromkeys(monomial):
                    self.by_symbol.setdefault(symbol, []).append((fact, monomial, factor))
        self._narrowed()
        self.refutation = Refutation([fact.polynomial for fact in self.known], self.ranges)

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
        if self.refutation.refute(goal) or self.refutation.search(goal):
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
        used = [Inequality(goal), *(self.originals[fact] for fact in found)]
        done: set[Symbol] = set()
        for fact in used if self.solved else ():  # grows on the way
            for symbol in sorted(fact.polynomial.symbols & self.solved.keys() - done, key=order):
                done.add(symbol)
                used += self.equalities[symbol]
        return tuple(dict.fromkeys(used[1:]))

    def least(
        self, goal: Polynomial, by_sums: bool = False, extents: bool = False
    ) -> Iterator[Bound]:
        """Lower bounds of the goal over launch symbols: first those that eliminate the youngest
        symbol first, which is fast and mostly enough; then in every order, within the step limit;
        then ``by_sums`` as factors, if so wished, be it by the ends of declared ``extents``. Where
        the first search finds none, the others hardly ever do. They are shared by goals that
        differ by a constant."""
        goal = goal.replaced(self.solved)
        constant = goal.terms.get((), 0)
        moving = goal - constant
        found = self.lower.get((moving, by_sums, extents))
        if found is None:
            found = list(self._search(moving, SEARCH_STEPS, BoundSearch(in_order=True)))
            steps = MORE_SEARCH_STEPS if found else FIRST_SEARCH_STEPS
            found += self._search(moving, steps)
            if by_sums if found else self._by_sums(moving):
                steps = SEARCH_STEPS if found else steps
                found += self._search(moving, steps, BoundSearch(by_sums=True, extents=extents))
            if self.budget.left >= 0:  # not cut
                self.lower[moving, by_sums, extents] = found
        yield from (bound.shifted(constant) for bound in found)

    def _search(self, goal: Polynomial, steps: int, by: BoundSearch = EVERY) -> Iterator[Bound]:
        """Best-first search: short bounds first, then those of few inequalities. An eliminated
        symbol stays eliminated."""
        first = Bound(goal, 1, ()).rounded
        seen = {(goal, first.step)}
        done = 0
        waiting = [(0, 0, first, frozenset[Symbol]())]
        while waiting:
            _, _, bound, gone = heappop(waiting)
            if decided_by_launch(bound.least):
                yield bound
                continue
            if max(len(gone), len(bound.used)) == SEARCH_DEPTH:
                continue
            for left, symbol in self._without_one(bound, gone, by):
                done += 1
                self.budget.left -= 1
                if done > steps or self.budget.left < 0:
                    return
                after = left.rounded
                key = after.least, after.step
                if len(after.least.terms) > INEQUALITY_TERMS or key in seen:
                    continue
                seen.add(key)
                length = len(after.least.terms) + len(gone)
                kept = symbol in after.least.symbols  # only a product with it was eliminated
                heappush(waiting, (length, done, after, gone if kept else gone | {symbol}))

    def _without_one(
        self, bound: Bound, gone: frozenset[Symbol], by: BoundSearch
    ) -> Iterator[tuple[Bound, Symbol]]:
        """The bounds with one symbol eliminated, in every way that the inequalities allow, youngest
        symbol first; if in that order, another symbol only if no inequality eliminates those before
        it, nor that they are not negative."""
        goal = bound.least
        symbols = sorted((s for s in goal.symbols if not is_launch_symbol(s)), key=order)
        for symbol in reversed(symbols):
            found = False
            first = max(multiples_of((symbol,), goal), key=len)  # which a multiple has to cancel
            falling = goal.terms[first] < 0
            for fact, part, factor in self.by_symbol.get(symbol, ()):
                if (factor < 0) != falling and len(part) == 1 and not by.by_sums:
                    continue  # the usual case
                if not gone.isdisjoint(fact.polynomial.symbols) or fact.origin is EXCEEDED:
                    continue
                after = self.eliminated(goal, fact.polynomial, part, factor)
                if after is None and by.by_sums:
                    after = self._eliminated_at_once(goal, fact.polynomial, part, factor)
                if after is not None:
                    found = True
                    least, scale = after
                    used, step, rest = (*bound.used, fact), bound.step, bound.rest
                    yield Bound(least, bound.scale * scale, used, step, rest), symbol
            ended = self.at_bound(goal, symbol)
            few = len(symbols) == 1 and symbol.rank >= FIRST_RANK and symbol.high < FEW
            few |= by.extents and symbol.rank < FIRST_RANK and self._of_declared_extent(symbol)
            if ended is not None and (not found or few or not ended[1]):
                yield replace(bound, least=ended[0]), symbol
                found |= not ended[1]
            if found and by.in_order:
                return

    def _of_declared_extent(self, coordinate: Symbol) -> bool:
        """True if an extent of the launch that is a number has its place in the range alone."""
        extent = f"n{coordinate.label}"
        known = (fact.polynomial.symbols for fact, *_ in self.by_symbol.get(coordinate, ()))
        return all(symbol.label != extent for symbols in known for symbol in symbols)

    def eliminated(
        self, goal: Polynomial, fact: Polynomial, part: Monomial, factor: int
    ) -> tuple[Polynomial, int] | None:
        """``scale*goal`` minus non-negative multiples of the inequality that cancel every monomial
        divisible by ``part``; None if one remains."""
        scale = 1
        for _ in range(PRODUCTS):
            multiples = multiples_of(part, goal)
            if not multiples:
                return goal, scale
            monomial = max(multiples, key=len)
            coefficient = goal.terms[monomial]
            if (coefficient < 0) != (factor < 0):
                return None
            rest = quotient(monomial, part)
            assert rest is not None
            if rest and product_range(rest, self.ranges)[0] < 0:
                return None
            common = gcd(coefficient, factor)
            by, more = abs(coefficient) // common, abs(factor) // common
            # more*goal - by*rest*fact, and more > 0
            goal = goal.scaled(more).plus(times_monomial(fact, rest), -by)
            scale *= more
        return None

    def _eliminated_at_once(
        self, goal: Polynomial, fact: Polynomial, part: Monomial, factor: int
    ) -> tuple[Polynomial, int] | None:
        """The same by one multiple, where a symbol is multiplied by a sum that has one sign:
        ``(width - 1)*row`` with a width of at least 1."""
        by = self.factor(goal, part[0])
        if by is None or len(part) > 1 or len(multiples_of(part, fact)) > 1:
            return None
        low, high = shortened(by, self.ranges).range(self.ranges)
        if (low if factor > 0 else -high) < 0:
            return None
        return goal.scaled(abs(factor)) - (by if factor > 0 else -by) * fact, abs(factor)

    def factor(self, goal: Polynomial, symbol: Symbol) -> Polynomial | None:
        """What the symbol is multiplied by; None if the goal is not linear in it."""
        terms = [(m, c) for m, c in goal.terms.items() if symbol in m]
        if any(m.count(symbol) > 1 for m, _ in terms):
            return None
        return Polynomial({tuple(s for s in m if s is not symbol): c for m, c in terms})

    def _by_sums(self, goal: Polynomial) -> bool:
        """True if a symbol that a thread computes is multiplied by a sum."""
        moving = (symbol for symbol in goal.symbols if not is_launch_symbol(symbol))
        factors = (self.factor(goal, symbol) for symbol in moving)
        return any(by is not None and len(by.terms) > 1 for by in factors)

    def at_bound(self, goal: Polynomial, symbol: Symbol) -> tuple[Polynomial, int] | None:
        """The goal with the symbol at the bound of its range that minimises the goal, and that
        bound. Only if the goal is linear in it and its factor has a constant sign."""
        rest = {m: c for m, c in goal.terms.items() if symbol not in m}
        least, most = self.ranges.get(symbol) or (symbol.low, symbol.high)
        factor = goal.terms.get((symbol,))
        if factor is not None and len(rest) + 1 == len(goal.terms):  # the usual case
            end = least if factor > 0 else most
            return (Polynomial(rest).shifted(factor * end), end) if isinstance(end, int) else None
        by = self.factor(goal, symbol)
        if by is None:
            return None
        low, high = shortened(by, self.ranges).range(self.ranges)
        end = least if low >= 0 else most if high <= 0 else inf
        return (Polynomial(rest).plus(by, end), end) if isinstance(end, int) else None


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


def is_launch_symbol(symbol: Symbol) -> bool:
    """True if it is a symbol of the launch, or a quotient of such that stands for itself."""
    return symbol.rank == 0 and (type(symbol) in (Symbol, LaunchQuotient) or of_launch(symbol))


def decided_by_launch(polynomial: Polynomial) -> bool:
    """True if all symbols are those of the launch."""
    return all(map(is_launch_symbol, polynomial.symbols))


def multiples_of(part: Monomial, polynomial: Polynomial) -> list[Monomial]:
    """The monomials of the polynomial that are multiples of ``part``."""
    if len(part) == 1:
        (symbol,) = part
        return [m for m in polynomial.terms if symbol in m]
    return [m for m in polynomial.terms if quotient(m, part) is not None]
