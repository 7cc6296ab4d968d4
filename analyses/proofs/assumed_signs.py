"""Signs of parameters: those that a bound may assume, which become preconditions, and those that
words imply."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping

from analyses.polynomials.division import common_symbols, without_symbol
from analyses.polynomials.inequality import Inequality
from analyses.polynomials.polynomial import Polynomial, Ranges, Symbol, order
from analyses.polynomials.symbols import (
    LaunchQuotient,
    Quotient,
    Remainder,
    choices,
    deep,
    in_order,
    is_sign,
    unwrapped,
)
from analyses.proofs.lower_bounds import decided_by_launch, factor_of, is_launch_symbol
from analyses.proofs.margins import is_tile
from analyses.proofs.path_condition import PathCondition
from analyses.proofs.preconditions import ConditionalBound, Precondition, coarse, needed
from analyses.proofs.system_cache import ASSUMED_NONNEGATIVE
from analyses.typical_launch import holds_in_a_small_launch


def signs(
    premises: PathCondition,
    goal: Polynomial,
    positive: bool = False,
    among: Collection[Symbol] | None = None,
) -> PathCondition:
    """The parameters in the goal, or ``among`` these symbols, assumed to be non-negative, and those
    that divide in it or in a guard, assumed to be ``positive``, as all if that is wished; also sums
    and quotients that divide."""
    by = divided_by(goal).union(*map(divided_by, premises.polynomials))
    dividing = factors(by)
    parts = deep(goal) if among is None else among
    own = (symbol for symbol in parts if not isinstance(symbol, LaunchQuotient))
    sizes = filter(is_launch_symbol, dividing.union(own))
    found = assumed(premises, {symbol: int(positive or symbol in dividing) for symbol in sizes})
    said, _ = premises.key
    sums = {each - 1 for each in by if len(each.terms) > 1}
    quotients = set[Polynomial]().union(*map(parted, (goal, *premises.polynomials)))
    more = (
        Inequality(each, ASSUMED_NONNEGATIVE)
        for each in sorted((sums | quotients) - said, key=in_order)
    )
    return found + PathCondition(tuple(more))


def with_scales(premises: PathCondition, goal: Polynomial, by_power: bool) -> list[PathCondition]:
    """The path condition, and with parameters that scale assumed to be positive, if there are such:
    those by which an index is multiplied before it is divided by another one, as ``(x*width)//n``
    with ``x < n`` is less than ``width`` then, and else zero; those that divide what a guard
    compares; and those in powers of two that divide ``by_power``: a quarter of one is no power if
    it is zero."""
    found = divisors(goal) if by_power else set[Symbol]()
    if not choices((goal,)):  # else signs are assumed before these are tried
        found |= factors(set[Polynomial]().union(*map(divided_by, premises.polynomials)))
    for symbol in deep(goal):
        if isinstance(symbol, Quotient) and symbol.divisor.constant is None:
            common = [frozenset(product) for product in unwrapped(symbol.dividend).terms]
            found |= frozenset.intersection(*common) if common else frozenset()
    positive = assumed(premises, dict.fromkeys(filter(is_launch_symbol, found), 1))
    return [premises, premises + positive] if positive.known else [premises]


def divisors(polynomial: Polynomial) -> set[Symbol]:
    """The symbols that alone, or as factors of one product, divide something in the polynomial, if
    nothing wraps. That they are positive bounds a remainder; a quotient is bounded by that of what
    bounds its dividend."""
    return factors(divided_by(polynomial))


def factors(divisors: Iterable[Polynomial]) -> set[Symbol]:
    """The symbols of the divisors that have one term; not quotients by such, see ``parted``."""
    products = (divisor.terms for divisor in divisors if len(divisor.terms) == 1)
    found = set[Symbol]().union(*(symbols for terms in products for symbols in terms))
    return {one for one in found if not isinstance(one, LaunchQuotient) or is_by_number(one)}


def is_by_number(quotient: Quotient | LaunchQuotient) -> bool:
    return quotient.divisor.constant is not None


def divided_by(polynomial: Polynomial) -> set[Polynomial]:
    """The divisors in the polynomial that the launch decides, if nothing wraps."""
    parts = (s.quotient if isinstance(s, Remainder) else s for s in polynomial.parts)
    found = {unwrapped(part.divisor) for part in parts if isinstance(part, Quotient)}
    return {divisor for divisor in found if decided_by_launch(divisor)}


def parted(polynomial: Polynomial) -> Iterator[Polynomial]:
    """What is not negative where the quotients of the launch that divide something in the
    polynomial are positive, for positive divisors: ``heads - shared`` in ``h//(heads//shared)``."""
    for part in polynomial.parts:
        of = part.divisor.alone if isinstance(part, Quotient) else None
        if isinstance(of, Quotient) and not is_by_number(of):
            apart = of.dividend - of.divisor
            if decided_by_launch(apart):
                yield apart


def assumed(premises: PathCondition, least: Mapping[Symbol, int]) -> PathCondition:
    """That each symbol is at least a number, where neither its range nor the premises say so; a
    part of a parameter, rounded towards 0, is then one of a number that is not negative."""
    said, _ = premises.key
    words = (sign.dividend.alone for one in least for sign in filter(is_sign, one.parts))
    least = {word: 0 for word in words if word is not None and is_launch_symbol(word)} | {**least}
    new = [symbol for symbol in sorted(least, key=order) if symbol.low < least[symbol]]
    polynomials = (Polynomial.of(symbol) - least[symbol] for symbol in new)
    return PathCondition(
        tuple(Inequality(p, ASSUMED_NONNEGATIVE) for p in polynomials if p not in said)
    )


def least_numbers(ranges: Ranges, goal: Polynomial) -> PathCondition:
    """The least numbers that the parameters in the goal may be, as ranges of words say: those of
    the polynomials that the words are need not."""
    sizes = sorted(filter(is_launch_symbol, deep(goal)), key=order)
    least = ((symbol, ranges[symbol][0]) for symbol in sizes if symbol in ranges)
    return PathCondition(
        tuple(Inequality(Polynomial.of(s) - int(low)) for s, low in least if low > s.low)
    )


def dividends(goal: Polynomial) -> list[Polynomial]:
    """What is divided in the goal by a number that is not constant."""
    parts = (s.quotient if isinstance(s, Remainder) else s for s in goal.parts)
    quotients = (s for s in parts if isinstance(s, Quotient) and s.divisor.constant is None)
    return sorted({s.dividend for s in quotients}, key=in_order)


def sums_divided(goal: Polynomial) -> PathCondition:
    """The sums over the launch that are divided in the goal, assumed not to be negative:
    ``(w - 8)/step + 1`` places of a window."""
    spelt = map(unwrapped, dividends(goal))
    sums = (one for one in spelt if len(one.terms) > 1 and decided_by_launch(one))
    return PathCondition(tuple(Inequality(one, ASSUMED_NONNEGATIVE) for one in sums))


def differences(premises: PathCondition, goal: Polynomial) -> PathCondition:
    """The differences that the launch decides and that multiply an index in the goal, assumed not
    to be negative, where its parts say nothing of that: ``n - width + 1`` places of a window in
    each row. One that is less where all parameters are 1 is taken for the other way round, as it
    is in a goal that lacks the index; one with a single parameter, ``2*size - 7``, if it falls with
    that and is not what is left of a tile."""
    said, _ = premises.key
    spelt, found = unwrapped(goal), dict[Polynomial, None]()
    for symbol in sorted(spelt.symbols, key=order):
        by = None if is_launch_symbol(symbol) else factor_of(spelt, symbol)
        if by is None or len({c > 0 for c in by.terms.values()}) < 2 or not decided_by_launch(by):
            continue
        for one in common_symbols(by):
            by = without_symbol(by, one) if one.low >= 0 else by
        alone = len(by.symbols) == 1 and not is_tile(by) and not is_tile(-by)
        sides = sum(c for m, c in by.terms.items() if m or not alone)
        by = (by if sides > 0 else -by).primitive()
        if sides and by.range()[0] < 0 and by not in said:
            found[by] = None
    return PathCondition(tuple(Inequality(by, ASSUMED_NONNEGATIVE) for by in found))


def stated(premises: PathCondition) -> tuple[Precondition, ...]:
    """The signs of parameters that a path condition assumes."""
    known = (f.polynomial for f in premises.known if f.origin is ASSUMED_NONNEGATIVE)
    return tuple(map(Precondition, known))


def not_negative(bounds: Iterable[ConditionalBound | None]) -> PathCondition:
    """That the bounds are not negative, as far as a launch can see to it."""
    needs = (one.enough for one in bounds if one is not None and not coarse(one.enough))
    new = (need for need in needs if need.range()[0] < 0 and holds_in_a_small_launch(need))
    return PathCondition(tuple(Inequality(need, ASSUMED_NONNEGATIVE) for need in new))


def past(
    premises: PathCondition,
    goal: Polynomial,
    bounds: Callable[[PathCondition, Polynomial], Collection[ConditionalBound]],
) -> PathCondition:
    """That what is not zero is not negative, where a launch can see to it, if the goal grows with
    it: a place that is not -1 is one of the array, if no number in its buffer is less."""
    found = PathCondition()
    for fact in premises.apart:
        for one in (fact.polynomial, -fact.polynomial):
            if not any(goal.terms.get(m, 0) * c > 0 for m, c in one.moving):
                continue
            under = bounds(premises, one)
            assumed = not_negative(under)
            if under and not needed(under) and len(assumed.known) == len(under):
                found += assumed + PathCondition((Inequality(one, fact.origin),))
    return found
