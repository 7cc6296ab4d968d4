"""Preconditions of a launch under which a bound holds, and the order of preference of bounds."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Sequence
from functools import lru_cache
from math import lcm
from typing import NamedTuple, TypeVar

from msgspec import Struct

from analyses.polynomials.bits import powers
from analyses.polynomials.division import shortened
from analyses.polynomials.inequality import split
from analyses.polynomials.polynomial import Polynomial, Ranges, Symbol
from analyses.polynomials.symbols import Interpretation, LaunchQuotient, Quotient, type_range
from analyses.proofs.lower_bounds import Bound
from analyses.typical_launch import (
    COARSE,
    FEWER_ELEMENTS,
    MIN_SLACK,
    TYPE_LIMIT,
    TYPICAL_DEGREE,
    TYPICAL_LAUNCH,
    elements,
    holds,
    holds_in_a_typical_block,
    holds_with_few_threads,
    holds_with_many_threads,
    least_in_array,
    parameters,
    typical_launch_value,
    with_least_integers,
)

SHORT_TYPES = [type_range(16, signed) for signed in (False, True)]


class Precondition(Struct, frozen=True, eq=False):
    """A precondition of the launch: ``polynomial >= 0``, over symbols of rank 0."""

    polynomial: Polynomial
    no_wrap: Interpretation | None = None  # equals its polynomial under the precondition


class ConditionalBound(Struct, frozen=True):
    """``scale*goal >= least`` under the preconditions. An integer congruent to ``rest`` modulo
    ``step`` lies between the two, as in a ``Bound``."""

    least: Polynomial
    preconditions: tuple[Precondition, ...] = ()
    bound: Bound | None = None

    @property
    def scale(self) -> int:
        return self.bound.scale if self.bound is not None else 1

    @property
    def step(self) -> int:
        return self.bound.step if self.bound is not None else 1

    @property
    def rest(self) -> int:
        return self.bound.rest if self.bound is not None else 0

    @property
    def enough(self) -> Polynomial:
        """If this is not negative, the goal is not: ``least`` is then above ``scale*(rest -
        step)``, and the next integer congruent to ``rest`` is not below zero."""
        return self.least + (self.scale * (self.step - self.rest) - 1)

    def shifted(self, by: int) -> ConditionalBound:
        """The bound of a goal that is so much greater."""
        bound = self.bound.shifted(by) if self.bound is not None else None
        return ConditionalBound(self.least.shifted(self.scale * by), self.preconditions, bound)


NO_RANGES: Ranges = {}
NOT_NEGATIVE = ConditionalBound(Polynomial.of(0))

SomeBound = TypeVar("SomeBound", Bound, ConditionalBound)

Preference = Callable[[Bound | ConditionalBound], tuple[float, ...]]
"""A sort key: the least bound is preferred."""


def sensible(under: ConditionalBound, by: Preference, goal: Polynomial) -> bool:
    """True if some launch satisfies it, its factors are sizes, it does not bound the goal by a type
    alone, and, for a precondition, a typical launch with zeros in index buffers satisfies it."""
    if of_type(goal, under):
        return False
    satisfiable = under.least.range()[1] >= 0 and not coarse(under.least)
    return satisfiable and (by not in WEAK or met_with_zeros(under))


class SharedBounds:
    """The bounds of goals under path conditions: goals that differ by a constant share them."""

    def __init__(self) -> None:
        self._found: dict[Hashable, list[ConditionalBound]] = {}  # for goals without a constant

    def of(self, key: Hashable, goal: Polynomial, by: Preference) -> list[ConditionalBound] | None:
        """Those of a goal; None if they were not found yet, or are not sensible with its
        constant."""
        moving, constant = split(goal)
        found = self._found.get((key, moving))
        if found is None:
            return None
        shifted = [under.shifted(constant) for under in found]
        return shifted if all(sensible(under, by, goal) for under in shifted) else None

    def add(self, key: Hashable, goal: Polynomial, found: Iterable[ConditionalBound]) -> None:
        moving, constant = split(goal)
        self._found[key, moving] = [under.shifted(-constant) for under in found]


def single(under: ConditionalBound) -> bool:
    """True if the bound is one product and a constant."""
    return sum(bool(monomial) for monomial in under.least.terms) <= 1


def certain(found: Collection[ConditionalBound]) -> bool:
    """True if the goal is not negative in any launch, by these bounds."""
    return bool(found) and all(
        not under.preconditions and under.least.range()[0] >= 0 for under in found
    )


def not_less(under: ConditionalBound, other: ConditionalBound, ranges: Ranges = NO_RANGES) -> bool:
    """True if the bound is at least the other one wherever its preconditions hold and symbols are
    in their ranges."""
    signed = {**ranges}
    for polynomial in needed((under,)):
        number = polynomial.terms.get((), 0)
        if (symbol := (polynomial - number).alone) is not None:
            low, high = signed.get(symbol, (symbol.low, symbol.high))
            signed[symbol] = max(low, -number), high
    difference = under.least.scaled(other.scale) - other.least.scaled(under.scale)
    return difference.range(signed)[0] >= 0


def unique(preconditions: Iterable[Precondition]) -> Iterator[Precondition]:
    seen = set()
    for precondition in preconditions:
        if precondition.polynomial not in seen:
            seen.add(precondition.polynomial)
            yield precondition


def cost(bound: Bound | ConditionalBound) -> tuple[float, ...]:
    """Prefers bounds by sizes to bounds by the limits of types, bounds by parameters to bounds by
    the launch shape, be it divided, then those of a low degree, those that have the shape in no
    largest product, short ones, and the greatest. A quotient of the launch is as long as a sum of
    three."""
    return cost_of(bound.least, scale_of(bound), blocks_of(bound))


@lru_cache(1 << 12)  # the same bounds are found again and again
def cost_of(least: Polynomial, scale: int, blocks: int) -> tuple[float, ...]:
    shape = extents(least.parts) + blocks
    quotients = sum(isinstance(s, (LaunchQuotient, Quotient)) for s in least.symbols)
    length = len(least.terms) + 2 * quotients
    largest = (monomial for monomial in least.terms if len(monomial) == least.degree)
    scaled = max(map(extents, largest), default=0)
    return coarse(least), shape, least.degree, scaled, length, -typical_launch_value(least) / scale


def extents(symbols: Iterable[Symbol]) -> int:
    """The number of extents of the launch shape among the symbols, and of numbers of threads that
    are declared, ``127//n``."""
    return sum(symbol.label in TYPICAL_LAUNCH or by_threads(symbol) for symbol in symbols)


def by_threads(symbol: Symbol) -> bool:
    return isinstance(symbol, LaunchQuotient) and symbol.dividend.constant is not None


def tightest(bound: Bound | ConditionalBound) -> tuple[float, ...]:
    """As ``cost``; but a bound that is never less than the cheapest one is preferred. That is for
    the cases of a choice, of which only the worst is stated."""
    return cost(bound)


def never_less(bound: Bound, other: Bound, ranges: Ranges) -> bool:
    """True if it is at least the other one, by the ranges of symbols at a program point. The
    integer that the other one means may be above its ``least``, by less than its ``step``, unless
    that is exact, or the two are rounded alike."""
    number = other.least.terms.get((), 0)
    moving = other.least - number
    if not moving.terms or is_whole(moving, bound, other):
        own = bound.least - moving.scaled(bound.scale)
        met = bound.integer(own.range(ranges)[0]) >= other.integer(number)
        if met or not moving.terms:
            return met
    mine, theirs = bound.least.scaled(other.scale), other.least.scaled(bound.scale)
    rounded = (bound.step, bound.rest) == (other.step, other.rest)
    above = 0 if rounded or other.exact else bound.scale * (other.scale * other.step - 1)
    return shortened(mine - theirs - above, ranges).range(ranges)[0] >= 0


def is_whole(moving: Polynomial, bound: Bound, other: Bound) -> bool:
    """True if a bound that is greater by it means an integer that is greater by it."""
    steps = lcm(bound.step, other.step)
    return other.scale == 1 and all(factor % steps == 0 for factor in moving.terms.values())


def preferred(
    bounds: list[Bound], by: Preference, ranges: Ranges, divisors: set[Symbol]
) -> Bound | None:
    """The first by preference, with few powers of two, as one of two masks is enough; the greatest
    one where an index is divided by ``divisors``, as are all elements of the array. If the
    ``tightest`` is sought, one that is never less than that; if the cheapest by ``cost``, one that
    is never less, of those as coarse that have as many extents and as high a degree, or of any
    degree if the cheapest is an end that is a number."""
    divided = elements(bound.least for bound in bounds) - divisors if divisors else frozenset()

    def key(bound: Bound) -> tuple[object, ...]:
        end: float = 0
        if divisors and by in (cost, tightest, *WEAK):
            end = least_in_array(bound.least, divided) / bound.scale
        rank, named = by(bound), not divisors.isdisjoint(bound.least.symbols)
        worst = rank[:2] if by not in WEAK else (*rank[:3], blocks_of(bound), narrow(bound))
        return worst, powers(bound.least), -end, rank, not named, -bound.step, len(bound.used)

    best = min(bounds, key=key, default=None)
    if best is None or by not in (cost, tightest, tightest_of_block):
        return best
    if by is tightest_of_block and best.least.constant is None:
        close = [b for b in bounds if by(b)[:-1] == by(best)[:-1] or closer(b, best, ranges)]
        return max(close, key=typical_integer)
    alike = [b for b in bounds if by is not cost or coarseness(b, best) == coarseness(best, best)]
    close = [b for b in alike if never_less(b, best, ranges)]
    return max(with_parameters(close, best), key=typical_integer)


def closer(bound: Bound, best: Bound, ranges: Ranges) -> bool:
    """True if it is never less and differs by extents of the block alone: room behind an array."""
    difference = bound.least - best.least.scaled(bound.scale)
    own = (symbol.label.startswith("ntid.") for symbol in difference.symbols)
    return best.scale == 1 and all(own) and never_less(bound, best, ranges)


def with_parameters(close: list[SomeBound], best: SomeBound) -> list[SomeBound]:
    """Of bounds that are never less than the ``best`` one, if that is an end of a buffer that is a
    number, the others: they have parameters, of which the launch limits all, so a typical one is no
    typical one here."""
    others = [one for one in close if one.least.symbols]
    return others if others and is_end(best) else close


def is_end(bound: Bound | ConditionalBound) -> bool:
    """True if it is the number of bytes behind which nothing is."""
    number = bound.least.constant
    return number is not None and number < 0


def preference(by: Preference, bounds: Collection[ConditionalBound]) -> tuple[object, ...]:
    """The order of the bounds of all cases: by the worst of them, then by how many parameters
    have a sign that is assumed."""
    return max(map(by, bounds)), sum(len(need.symbols) == 1 for need in needed(bounds))


def as_coarse(one: ConditionalBound, best: ConditionalBound, by: Preference) -> bool:
    """True if a bound may be taken in place of the ``best`` one by a preference for close ones: if
    it has as many extents and as high a degree, which does not count beside a number."""
    if one is best or by is tightest:
        return True
    return by is cost and coarseness(one, best) == coarseness(best, best)


def coarseness(one: Bound | ConditionalBound, best: Bound | ConditionalBound) -> tuple[float, ...]:
    """If a bound is the limit of a type, the number of its extents, and, unless the ``best`` one is
    an end that is a number, its degree."""
    return cost(one)[: 2 if is_end(best) else 3]


def cheaper(one: ConditionalBound, cases: Sequence[ConditionalBound], by: Preference) -> bool:
    """True if the bound is preferred to those of the cases of a choice; not to two that are never
    less and as coarse."""
    if by(one) > max(map(by, cases)):
        return False
    close = all(not_less(case, one) and as_coarse(case, one, by) for case in cases)
    return not close or len({case.least for case in cases}) > 2


def of_block(bound: Bound | ConditionalBound) -> tuple[float, ...]:
    """For shared memory: prefers bounds by the launch shape to bounds by parameters, but to those
    by the block alone that no typical one meets."""
    ends, others, *rest = by_block_shape(bound)
    return (ends, others, by_block(bound) and not met_by_block(bound), *rest)


def by_block_shape(bound: Bound | ConditionalBound) -> tuple[float, ...]:
    """As ``cost``, but bounds by the block come before bounds by parameters, and those by the grid,
    which sizes no memory of a block."""
    own = (symbol.label.startswith("ntid.") or by_threads(symbol) for symbol in bound.least.symbols)
    others = len(bound.least.symbols) - sum(own)
    ends, _, degree, _, *rest = cost(bound)
    return (ends, others, degree, *rest)


def by_block(bound: Bound | ConditionalBound) -> bool:
    """True if it is a bound by the block alone."""
    return all(symbol.label.startswith("ntid.") for symbol in bound.least.symbols)


def met_by_block(bound: Bound | ConditionalBound) -> bool:
    """True if it is a bound by the block alone that is not negative for a typical one."""
    scale = scale_of(bound)
    enough = bound.enough if isinstance(bound, ConditionalBound) else bound.least + (scale - 1)
    return by_block(bound) and holds_in_a_typical_block(enough)


def needed(bounds: Iterable[ConditionalBound]) -> set[Polynomial]:
    """The preconditions of the bounds."""
    return {need.polynomial for bound in bounds for need in bound.preconditions}


def tightest_of_block(bound: Bound | ConditionalBound) -> tuple[float, ...]:
    """Like ``by_block_shape``; but a bound that is never less than the cheapest one is preferred:
    that of a thread by the block to that by the limit of all blocks. Of bounds that are as cheap
    the one that is the greatest in a typical launch, rounded to what the bytes are a multiple of,
    is."""
    return by_block_shape(bound)


def typical_value(bound: Bound | ConditionalBound) -> float:
    """The lower bound of the goal in a typical launch."""
    return typical_launch_value(bound.least) / scale_of(bound)


def scale_of(bound: Bound | ConditionalBound) -> int:
    own = bound if isinstance(bound, Bound) else bound.bound
    return own.scale if own else 1


def blocks_of(bound: Bound | ConditionalBound) -> int:
    """The number of ends of a declared grid that it uses: as extents of the launch, they bound what
    a parameter bounds more closely. None where a number of threads is divided, which counts."""
    own = bound if isinstance(bound, Bound) else bound.bound
    return own.blocks if own and not any(map(by_threads, own.least.symbols)) else 0


def narrow(bound: Bound | ConditionalBound) -> bool:
    """True if a typical launch leaves little room below it: one with some elements more fails it,
    as where it compares two parameters."""
    return bound.least.range()[0] < 0 and typical_value(bound) < COARSE


def typical_integer(bound: Bound) -> float:
    """The integer that the bound means in a typical launch."""
    return bound.integer(typical_launch_value(bound.least))


def weakest(bound: Bound | ConditionalBound) -> tuple[float, ...]:
    """Prefers the weakest precondition: one with slack, one that a typical launch satisfies, one by
    parameters or quotients, one that is always met, then the widest range. A bound that is not
    negative needs no slack."""
    preconditions = bound.preconditions if isinstance(bound, ConditionalBound) else ()
    least = () if bound.least.range()[0] >= 0 else (Precondition(bound.least),)
    narrow = strictness((*preconditions, *least)).narrow
    ends, _, *rest = cost(bound)
    shape = extents(bound.least.symbols) + blocks_of(bound)
    enough = bound.least.primitive()
    left = typical_launch_value(enough)
    extra = max(0, max(map(parameters, enough.terms), default=0) - TYPICAL_DEGREE)
    asks = bound.least.range()[0] < 0
    return (narrow, not holds(enough), ends, shape, extra, asks, -left, -slack(bound.least), *rest)


def weakest_in_groups(bound: Bound | ConditionalBound) -> tuple[float, ...]:
    """Like ``weakest``, but of the bounds that a typical launch satisfies, one with more quotients
    comes first: it holds for whole groups of elements, and a typical launch has such."""
    narrow, unmet, *rest = weakest(bound)
    quotients = sum(isinstance(symbol, LaunchQuotient) for symbol in bound.least.symbols)
    return (narrow, unmet, -quotients, *rest)


def weakest_for_sizes(bound: Bound | ConditionalBound) -> tuple[float, ...]:
    """Like ``weakest``, but of the bounds that a typical launch satisfies, those that are never
    negative come first, then those that are not if each parameter is 1 at least: they ask for
    nothing where these are sizes."""
    narrow, unmet, *rest = weakest(bound)
    asks = (bound.least.range()[0] < 0) + (not met_by_sizes(bound))
    return (narrow, unmet, asks, *rest)


def met_by_sizes(bound: Bound | ConditionalBound) -> bool:
    """True if it is not negative, whatever the parameters are, if each is 1 at least."""
    return bound.least.range(at_least_one(bound.least))[0] >= 0


def has_size(goal: Polynomial) -> bool:
    """True if something that the launch decides is added to it, as the size of a region is."""
    return any(c > 0 and all(s.rank == 0 for s in m) for m, c in goal.terms.items() if m)


def at_least_one(polynomial: Polynomial) -> Ranges:
    """The ranges of its symbols from 1 upwards."""
    return {symbol: (max(symbol.low, 1), symbol.high) for symbol in polynomial.symbols}


def typical_launch_meets(under: ConditionalBound) -> bool:
    """True if it is not negative in a typical launch, and that meets its preconditions."""
    return holds(under.least) and all(holds(need.polynomial) for need in under.preconditions)


def met_with_zeros(under: ConditionalBound) -> bool:
    """True if it is not negative in a typical launch with zeros in index buffers."""
    return holds(with_least_integers(under.least))


WEAK = (weakest, weakest_in_groups, weakest_for_sizes)


class Strictness(NamedTuple):
    """How much preconditions ask for: the least strict are the least."""

    narrow: bool  # one of them leaves next to no launch
    compares: bool  # one compares parameters, other than with the limit of a type
    number: int


def strictness(preconditions: Sequence[Precondition]) -> Strictness:
    each = [precondition.polynomial for precondition in preconditions]
    compares = (len(p.symbols) > 1 and typical_launch_value(p) < COARSE for p in each)
    return Strictness(any(slack(p) < MIN_SLACK for p in each), any(compares), len(each))


def strict(under: ConditionalBound) -> bool:
    """True if next to no launch meets it, or no typical one, of many or of few elements. A bound
    that is never negative is as strict as its preconditions, though there is no room below."""
    if under.least.range()[0] >= 0:
        return strictness(under.preconditions).narrow
    narrow, unmet, *_ = weakest(under)
    return bool(narrow or (unmet and not holds(under.least.primitive(), FEWER_ELEMENTS)))


def admits_many(under: ConditionalBound, counting_down: bool) -> bool:
    """True if many launches meet it, also with far more threads than elements, unless they are
    ``counting_down``, or with far fewer."""
    if strict(under) or coarse(under.enough) or not holds_with_few_threads(under.enough):
        return False
    return counting_down or holds_with_many_threads(under.enough)


def coarse(least: Polynomial) -> bool:
    """True if a symbol has a factor that is the limit of a type, or one is subtracted."""
    factor = any(abs(c) >= COARSE for m, c in least.terms.items() if m)
    return factor or least.terms.get((), 0) <= -TYPE_LIMIT


def of_type(goal: Polynomial, bound: Bound | ConditionalBound) -> bool:
    """True if a lower bound has a number as low as a quotient of the greatest integer of a type
    makes the goal, or a word of 16 bits that is loaded: it says as little as that type. So does a
    number that follows from a guard by such a quotient, ``i < (n + 31)/32``."""
    end = -bound.least.terms.get((), 0)
    if end <= 0:
        return False
    alone = [(m[0], factor) for m, factor in goal.moving if len(m) == 1]
    own = bound.bound if isinstance(bound, ConditionalBound) else bound
    if bound.least.constant is not None and own is not None:
        ends = [(m, c) for fact in own.used for m, c in fact.polynomial.moving]
        alone += [(m[0], 1) for m, c in ends if len(m) == 1 and c > 0 and not m[0].rank]
    return any(
        0 < abs(factor) * (symbol.high - 1) * bound.scale <= end
        for symbol, factor in alone
        if of_long_type(symbol) or of_short_word(symbol)
    )


def of_long_type(symbol: Symbol) -> bool:
    """True if it is the quotient of the greatest integer of a type by a number."""
    by = symbol.divisor.constant if isinstance(symbol, Quotient) else None
    return bool(by) and (symbol.high + 2) * (by or 0) > 2 * TYPE_LIMIT


def of_short_word(symbol: Symbol) -> bool:
    """True if it is a word of 16 bits, as a signed or an unsigned integer, that is no result of
    arithmetic: one that is loaded."""
    word = symbol.polynomial.alone if isinstance(symbol, Interpretation) else symbol
    return type(word) is Symbol and symbol.rank > 0 and (symbol.low, symbol.high) in SHORT_TYPES


def sized(bounds: Iterable[Bound], goal: Polynomial) -> list[Bound]:
    """Those without factors that are limits of a type; one by a type alone if there is no other."""
    most = 2 * max(abs(goal.terms.get((), 0)), TYPE_LIMIT)
    sizes = [b for b in bounds if all(abs(c) < most * b.scale for c in b.least.terms.values())]
    return [b for b in sizes if not of_type(goal, b)] or sizes


def ranked(goal: Polynomial, by: Preference) -> Preference:
    """The preference among bounds of a goal where one by a type alone comes last."""
    return lambda bound: (of_type(goal, bound), *by(bound))


def slack(precondition: Polynomial, extents: Collection[Symbol] = ()) -> float:
    """The greatest value of the polynomial over non-negative sizes, and extents of 1 at least."""
    sizes = {s: (max(s.low, s in extents), s.high) for s in precondition.symbols if s.high > 0}
    return float(precondition.primitive().range(sizes)[1])
