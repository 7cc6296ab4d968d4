"""Lower bounds of a goal that the launch decides.

Non-negative multiples of known polynomials are subtracted from the goal, each to eliminate a
symbol. Where it stands in a product, the multiple is by the other symbols of that. What is left is
a lower bound of the goal, and a sufficient precondition for it, if it contains launch symbols only.
All numbers are exact: a goal is multiplied by a positive integer where a quotient would not be an
integer.

What eliminates a symbol from a goal does so whatever the constants are. So a search is repeated
step by step where inequalities differ from those of an earlier one in constants alone, as the
guards of unrolled accesses do; only if a step cannot be repeated is there another search.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from heapq import heappop, heappush
from math import gcd, inf
from typing import NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from analyses.budget import (
    FEW,
    FIRST_SEARCH_STEPS,
    INEQUALITY_TERMS,
    MORE_SEARCH_STEPS,
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
    Ranges,
    Symbol,
    order,
    product_range,
)
from analyses.polynomials.symbols import (
    FIRST_RANK,
    Choice,
    Interpretation,
    LaunchQuotient,
    PowerOfTwo,
    of_launch,
)
from analyses.proofs.search_budget import Budget
from analyses.proofs.squares import without_square

EXCEEDED = "a bound that another one is never greater than"
OF_ANY_SIGN = "a bound of what is left of a number that may be negative"


class Bound(Struct, frozen=True):
    """``scale*goal >= least``, which follows from ``used``.

    The goal is an integer, so it is non-negative if ``least > -scale``. An integer congruent to
    ``rest`` modulo ``step`` lies between the two: the goal is at least that integer, and ``scale``
    times it at least ``least``. Of ``blocks`` coordinates of the block the end is used that a
    declared grid has, a number.
    """

    least: Polynomial
    scale: int
    used: tuple[Inequality, ...]
    step: int = 1
    rest: int = 0
    blocks: int = 0

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
        return Bound(whole, 1, self.used, step, up % step, self.blocks)


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


Known = tuple[Inequality, Monomial, int]  # with a monomial of it, and the factor of that
Elimination = tuple[Symbol, int | None]  # by which inequality that has the symbol; or its range
SQUARE = -1  # in place of one: the least value of a square of the symbol


class Derivation(Struct, frozen=True):
    """The eliminations by which a search came to a bound."""

    by: BoundSearch
    eliminations: tuple[Elimination, ...] = ()


Derivations = dict[Hashable, list[Derivation]]


class LowerBounds:
    """The lower bounds of goals under the ``known`` inequalities, indexed ``by_symbol``, and under
    the ``ranges`` of symbols. The ``derivations`` are those of all systems of a function."""

    def __init__(
        self,
        known: Sequence[Inequality],
        by_symbol: Mapping[Symbol, Sequence[Known]],
        ranges: Ranges,
        budget: Budget,
        derivations: Derivations,
        entails: Callable[[Polynomial], object] = lambda _: None,
    ) -> None:
        self.known, self.by_symbol, self.ranges = known, by_symbol, ranges
        self.entails = entails
        self.budget, self.derivations = budget, derivations
        self._found: dict[tuple[Polynomial, bool, bool], list[Bound]] = {}

    def of(self, goal: Polynomial, by_sums: bool, extents: bool) -> Iterator[Bound]:
        """Those of the goal; shared by goals that differ by a constant."""
        constant = goal.terms.get((), 0)
        moving = goal - constant
        asked = moving, by_sums, extents
        found = self._found.get(asked)
        if found is None:
            found = self._derived(*asked)
            if self.budget.left >= 0:  # not cut
                self._found[asked] = found
        return (bound.shifted(constant) for bound in found)

    def _derived(self, goal: Polynomial, by_sums: bool, extents: bool) -> list[Bound]:
        """The bounds of a goal without a constant: as those of an alike goal were derived, or by a
        search. Where one had none, there may be some if the ranges say more of the signs."""
        known = tuple(fact.polynomial.moving for fact in self.known)
        asked = goal, by_sums, extents, known
        ends = tuple((s, signed(low), signed(high)) for s, (low, high) in self.ranges.items())
        before = self.derivations.get((asked, ends))
        if before is not None and not before:
            before = self.derivations.get((asked, *self.ranges.items()))
        if before is not None:
            again = [self._along(goal, derivation) for derivation in before]
            if None not in again:
                return [bound for bound in again if bound is not None]
        searched = self._searched(goal, by_sums, extents)
        if self.budget.left >= 0:  # not cut
            derivations = [derivation for _, derivation in searched]
            for key in ((asked, ends), (asked, *self.ranges.items())):
                self.derivations[key] = derivations
        return [bound for bound, _ in searched]

    def _along(self, goal: Polynomial, derivation: Derivation) -> Bound | None:
        """The bound after these eliminations; None if one of them is not possible."""
        bound = Bound(goal, 1, ()).rounded
        for symbol, at in derivation.eliminations:
            self.budget.left -= 1
            if at == SQUARE:
                left = self._without_square(bound, symbol)
            elif at is None:
                ended = self._at_end(bound.least, symbol)
                left = ended and self._ended(bound, symbol, ended[0])
            else:
                left = self._less(bound, self.by_symbol[symbol][at], derivation.by)
            if left is None:
                return None
            bound = left.rounded
        return bound if decided_by_launch(bound.least) else None

    def _searched(
        self, goal: Polynomial, by_sums: bool, extents: bool
    ) -> list[tuple[Bound, Derivation]]:
        """First the bounds that eliminate the youngest symbol first, which is fast and mostly
        enough; then those in every order, within the step limit; then ``by_sums`` as factors, if so
        wished, be it by the ends of declared ``extents``. Where the first search finds none, the
        others hardly ever do."""
        found = list(self._search(goal, SEARCH_STEPS, BoundSearch(in_order=True)))
        steps = MORE_SEARCH_STEPS if found else FIRST_SEARCH_STEPS
        found += self._search(goal, steps)
        if by_sums if found else self.multiplied_by_sums(goal):
            steps = SEARCH_STEPS if found else steps
            found += self._search(goal, steps, BoundSearch(by_sums=True, extents=extents))
        return found

    def _search(
        self, goal: Polynomial, steps: int, by: BoundSearch = EVERY
    ) -> Iterator[tuple[Bound, Derivation]]:
        """Best-first search: short bounds first, then those of few inequalities. An eliminated
        symbol stays eliminated."""
        first = Bound(goal, 1, ()).rounded
        seen = {(goal, first.step)}
        done = 0
        waiting = [(0, 0, first, frozenset[Symbol](), tuple[Elimination, ...]())]
        while waiting:
            _, _, bound, gone, way = heappop(waiting)
            if decided_by_launch(bound.least):
                yield bound, Derivation(by, way)
                continue
            if max(len(gone), len(bound.used)) == SEARCH_DEPTH:
                continue
            for left, elimination in self._without_one(bound, gone, by):
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
                symbol, _ = elimination
                kept = symbol in after.least.symbols  # only a product with it was eliminated
                left_out = gone if kept else gone | {symbol}
                heappush(waiting, (length, done, after, left_out, (*way, elimination)))

    def _without_one(
        self, bound: Bound, gone: frozenset[Symbol], by: BoundSearch
    ) -> Iterator[tuple[Bound, Elimination]]:
        """The bounds with one symbol eliminated, in every way that the inequalities allow, youngest
        symbol first; if in that order, another symbol only if no inequality eliminates those before
        it, nor that they are not negative. One that has an end is not only bounded by such as have
        none: a part of the number of iterations by that."""
        goal = bound.least
        symbols = sorted((s for s in goal.symbols if not is_launch_symbol(s)), key=order)
        for symbol in reversed(symbols):
            found, endless = False, True
            first = max(multiples_of((symbol,), goal), key=len)  # which a multiple has to cancel
            rest = quotient(first, (symbol,)) if len(first) > 1 else None
            falling = goal.terms[first] * self._sign(rest or ()) < 0
            for at, known in enumerate(self.by_symbol.get(symbol, ())):
                fact, part, factor = known
                if (factor < 0) != falling and len(part) == 1 and not by.by_sums:
                    continue  # the usual case
                if not gone.isdisjoint(fact.polynomial.symbols):
                    continue
                left = self._less(bound, known, by)
                if left is not None:
                    found = True
                    endless &= has_no_end(left.least.symbols - goal.symbols)
                    yield left, (symbol, at)
            left = self._without_square(bound, symbol)
            if left is not None:
                found, endless = True, False
                yield left, (symbol, SQUARE)
            ended = self._at_end(goal, symbol)
            few = len(symbols) == 1 and symbol.rank >= FIRST_RANK and symbol.high < FEW
            few |= by.extents and symbol.rank < FIRST_RANK and self._of_declared_extent(symbol)
            few |= above_cases(symbol)
            if ended is not None and (not found or endless or few or not ended[1]):
                yield self._ended(bound, symbol, ended[0]), (symbol, None)
                found |= not ended[1]
            if found and by.in_order:
                return

    def _less(self, bound: Bound, known: Known, by: BoundSearch) -> Bound | None:
        """The bound with multiples of the inequality subtracted that eliminate its monomial; None
        if there are none."""
        fact, part, factor = known
        if fact.origin is EXCEEDED:
            return None
        after = self._eliminated(bound.least, fact.polynomial, part, factor)
        if after is None and multiples_of(part + part, bound.least):
            after = self._square_eliminated(bound.least, fact.polynomial, part, factor)
        if after is None and by.by_sums:
            after = self._eliminated_at_once(bound.least, fact.polynomial, part, factor)
        if after is None:
            return None
        least, scale = after
        used, scale = (*bound.used, fact), bound.scale * scale
        return replace(bound, least=least, scale=scale, used=used)

    def _without_square(self, bound: Bound, symbol: Symbol) -> Bound | None:
        """The bound with the least value of a square of the symbol; None if it has none."""
        least = without_square(bound.least, symbol, self.ranges)
        return None if least is None else replace(bound, least=least)

    def _ended(self, bound: Bound, symbol: Symbol, least: Polynomial) -> Bound:
        """The bound with a symbol at an end of its range."""
        blocks = sum(map(self._of_declared_extent, blocks_in(symbol)))
        return replace(bound, least=least, blocks=bound.blocks + blocks)

    def _of_declared_extent(self, coordinate: Symbol) -> bool:
        """True if an extent of the launch that is a number has its place in the range alone."""
        extent = f"n{coordinate.label}"
        known = (fact.polynomial.symbols for fact, *_ in self.by_symbol.get(coordinate, ()))
        return all(symbol.label != extent for symbols in known for symbol in symbols)

    def _eliminated(
        self,
        goal: Polynomial,
        fact: Polynomial,
        part: Monomial,
        factor: int,
        whole: Monomial | None = None,
    ) -> tuple[Polynomial, int] | None:
        """``scale*goal`` minus non-negative multiples of the inequality that cancel every monomial
        divisible by ``part``, or by the ``whole`` of which that is a part; None if one remains."""
        scale = 1
        for _ in range(PRODUCTS):
            multiples = multiples_of(whole or part, goal)
            if not multiples:
                return goal, scale
            monomial = max(multiples, key=len)
            coefficient = goal.terms[monomial]
            rest = quotient(monomial, part)
            assert rest is not None
            sign = self._sign(rest)
            if not sign or (coefficient < 0) != (factor * sign < 0):
                return None
            common = gcd(coefficient, factor)
            by, more = sign * abs(coefficient) // common, abs(factor) // common
            # more*goal - by*rest*fact, where by*rest >= 0 and more > 0
            goal = goal.scaled(more).plus(times_monomial(fact, rest), -by)
            scale *= more
        return None

    def _sign(self, product: Monomial) -> int:
        """1 for a product that is not negative, -1 for a negative one; else 0."""
        low, high = product_range(product, self.ranges) if product else (1, 1)
        return 1 if low >= 0 else -1 if high < 0 else 0

    def _square_eliminated(
        self, goal: Polynomial, fact: Polynomial, part: Monomial, factor: int
    ) -> tuple[Polynomial, int] | None:
        """The same for the squares alone, and then for what is left if that is possible at once."""
        after = self._eliminated(goal, fact, part, factor, part + part)
        linear = after and self._eliminated_at_once(after[0], fact, part, factor)
        return (linear[0], linear[1] * after[1]) if linear and after else after

    def _eliminated_at_once(
        self, goal: Polynomial, fact: Polynomial, part: Monomial, factor: int
    ) -> tuple[Polynomial, int] | None:
        """The same by one multiple, where a symbol is multiplied by a sum that has one sign:
        ``(width - 1)*row`` with a width of at least 1."""
        by = factor_of(goal, part[0])
        if by is None or len(part) > 1 or len(multiples_of(part, fact)) > 1:
            return None
        if not self._not_negative(by if factor > 0 else -by):
            return None
        return goal.scaled(abs(factor)) - (by if factor > 0 else -by) * fact, abs(factor)

    def _not_negative(self, factor: Polynomial) -> bool:
        """True if the factor of a symbol is shown not to be negative: by ranges, or, of a
        difference that the launch decides, by inequalities: a window is at ``n - width + 1``."""
        factor = shortened(factor, self.ranges)
        low, high = factor.range(self.ranges)
        if low >= 0 or high < 0 or len(factor.terms) == 1:
            return low >= 0
        return decided_by_launch(factor) and self.entails(factor) is not None

    def multiplied_by_sums(self, goal: Polynomial) -> bool:
        """True if a symbol that a thread computes is multiplied by a sum."""
        return any(len(by.terms) > 1 for by in factors_of_moving(goal))

    def multiplied_by_differences(self, goal: Polynomial) -> bool:
        """True if a symbol that a thread computes is multiplied by a difference, which no term of
        it alone has the sign of."""
        factors = factors_of_moving(goal)
        return any(len({c > 0 for c in by.terms.values()}) > 1 for by in factors)

    def _at_end(self, goal: Polynomial, symbol: Symbol) -> tuple[Polynomial, int] | None:
        """The goal with the symbol at the bound of its range that minimises the goal, and that
        bound. Only if the goal is linear in it and its factor has a constant sign."""
        rest = {m: c for m, c in goal.terms.items() if symbol not in m}
        least, most = self.ranges.get(symbol) or (symbol.low, symbol.high)
        factor = goal.terms.get((symbol,))
        if factor is not None and len(rest) + 1 == len(goal.terms):  # the usual case
            end = least if factor > 0 else most
            return (Polynomial(rest).shifted(factor * end), end) if isinstance(end, int) else None
        by = factor_of(goal, symbol)
        if by is None:
            return None
        falls = not self._not_negative(by)
        end = least if not falls else most if self._not_negative(-by) else inf
        return (Polynomial(rest).plus(by, end), end) if isinstance(end, int) else None


def blocks_in(symbol: Symbol) -> list[Symbol]:
    """The coordinates of the block that it is made of."""
    return [part for part in symbol.parts if part.label.startswith("ctaid.")]


def above_cases(symbol: Symbol) -> bool:
    """True if it is the greatest of integers and at least a number that none of them alone is: an
    absolute value."""
    if not isinstance(symbol, Choice) or not symbol.greatest:
        return False
    return all(case.polynomial.range()[0] < symbol.low for case in symbol.cases)


def is_launch_symbol(symbol: Symbol) -> bool:
    """True if it is a symbol of the launch, a power of two of such, or a quotient of such that
    stands for itself."""
    if isinstance(symbol, PowerOfTwo):
        return decided_by_launch(symbol.exponent)
    return symbol.rank == 0 and (type(symbol) in (Symbol, LaunchQuotient) or of_launch(symbol))


def has_no_end(symbols: Iterable[Symbol]) -> bool:
    """True if one of them is any number."""
    return any(symbol.high == inf for symbol in symbols)


def decided_by_launch(polynomial: Polynomial) -> bool:
    """True if all symbols are those of the launch."""
    return all(map(is_launch_symbol, polynomial.symbols))


def part_of_launch(polynomial: Polynomial) -> Polynomial:
    """The terms that the launch decides."""
    return polynomial.of_symbols(is_launch_symbol)


def multiples_of(part: Monomial, polynomial: Polynomial) -> list[Monomial]:
    """The monomials of the polynomial that are multiples of ``part``."""
    symbol, *others = part
    having = [m for m in polynomial.terms if symbol in m]
    if others == [symbol]:  # a square
        return [m for m in having if m.count(symbol) > 1]
    return [m for m in having if quotient(m, part) is not None] if others else having


def signed(end: Number) -> float:
    """The sign of the end of a range, by which a search decides; or the infinite end."""
    return end if abs(end) == inf else (end > 0) - (end < 0)


def factors_of_moving(goal: Polynomial) -> Iterator[Polynomial]:
    """What the symbols that a thread computes are multiplied by, if the goal is linear in them."""
    moving = (symbol for symbol in goal.symbols if not is_launch_symbol(symbol))
    return filter(None, (factor_of(goal, symbol) for symbol in moving))


def factor_of(goal: Polynomial, symbol: Symbol) -> Polynomial | None:
    """What the symbol is multiplied by; None if the goal is not linear in it."""
    terms = [(m, c) for m, c in goal.terms.items() if symbol in m]
    if any(m.count(symbol) > 1 for m, _ in terms):
        return None
    return Polynomial({tuple(s for s in m if s is not symbol): c for m, c in terms})
