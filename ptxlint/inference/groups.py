"""Upper bounds in whole groups: where a guard compares a multiple of a number with a parameter.

``for (i = 2*t; i < n; ...)`` accesses ``x[i]`` and ``x[i + 1]``: that is up to ``n`` rounded up to
a multiple of 2, where ``n + 1`` is one element too much if n is even. A loop by tiles of 32 that
adds the thread ends with the last tile, not with the thread behind the last element. A sum of
which ``4*n`` is only a part, as the end of the last row is, cannot be rounded itself. A group may
be as large as the block: a block that strides over elements by tiles of its size.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from functools import reduce
from math import gcd, inf
from operator import and_

from msgspec.structs import replace

from analyses.addresses import ResolvedAccess
from analyses.footprints import ByteBounds, Footprints
from analyses.polynomials.division import split
from analyses.polynomials.fast_division import FastDivisions
from analyses.polynomials.inequality import Inequality
from analyses.polynomials.polynomial import Monomial, Polynomial, Symbol, order
from analyses.polynomials.symbols import Choice, Interpretation, LaunchQuotient, Quotient, deep
from analyses.proofs.lower_bounds import (
    Bound,
    decided_by_launch,
    is_launch_symbol,
    multiple,
    part_of_launch,
)
from analyses.proofs.no_wrap import NoWrap, replaced
from analyses.proofs.path_condition import NOTHING, PathCondition
from analyses.proofs.preconditions import (
    ConditionalBound,
    Precondition,
    cost,
    scale_of,
    unique,
)
from analyses.proofs.prover import Proofs
from analyses.proofs.whole_groups import groups_up_to, whole_groups
from analyses.typical_launch import typical_launch_value


def in_groups(footprints: Footprints, place: ResolvedAccess, span: ByteBounds) -> ByteBounds:
    """The bounds of an access, with upper ones in whole groups of elements if each of them is
    proved not to be greater than one of those where the symbols have the signs that the access
    implies, and whose preconditions imply its own."""
    behind, proofs = footprints.end(place), footprints.proofs
    if behind is None or not any(map(unrounded, span.high)):
        return span
    premises = footprints.premises(place)
    own = (need for under in span.high for need in under.preconditions)
    needs = tuple(unique((*own, *limits_of_divided(proofs, premises, behind))))
    held = PathCondition(tuple(Inequality(need.polynomial) for need in needs))
    premises += held if any(under.scale > 1 for under in span.high) else NOTHING
    premises, goal = unwrapped(proofs, premises, -behind, held)
    here = premises + held
    in_whole, goal = of_launch(proofs, premises, goal, held)
    in_whole += of_quotients(goal, in_whole, proofs.symbolic.launch)
    in_whole, whole = rounded(proofs.symbolic.integers, in_whole), proofs.by_power(goal)
    if in_whole is premises and not whole:
        return span
    high = proofs.bounds(in_whole, goal, by_groups)
    weaker = [need.polynomial for under in high for need in under.preconditions]
    less = bool(high) and named(high) <= named(span.high)
    limits = held + (signs(proofs, here, (*high, *span.high)) if less else NOTHING)
    for under in high if less else ():
        gaps = [under.least.scaled(o.scale) - o.least.scaled(under.scale) for o in span.high]
        less = less and (
            whole
            or any(proofs.proves(limits, gap) for gap in gaps)
            or any(multiple_of_rest(proofs, here, gap) for gap in gaps)
        )
    if less and all(proofs.proves(held, need) for need in weaker):
        return replace(span, high=tuple(replace(under, preconditions=needs) for under in high))
    return span


def limits_of_divided(
    proofs: Proofs, premises: PathCondition, behind: Polynomial
) -> Iterator[Precondition]:
    """The limits, each of one number of the launch, in which the words do not wrap that a number
    divides and the launch decides: ``(n + 31)/32`` of an unsigned one."""
    for symbol in sorted(behind.parts, key=order):
        word = symbol.dividend.alone if isinstance(symbol, Quotient) and not symbol.rank else None
        if isinstance(word, Interpretation) and decided_by_launch(word.polynomial):
            fit = proofs.fitting.fits(word, premises, needed=True)
            needs = fit.preconditions if fit is not None else []
            if all(len(need.polynomial.symbols) == 1 for need in needs):
                yield from needs


def multiple_of_rest(proofs: Proofs, here: PathCondition, gap: Polynomial) -> bool:
    """True if a polynomial is a multiple of what a quotient of the launch leaves, by a number that
    is not negative where the access is executed: (n - 1)*(n + 63 - 64*((n + 63)//64)), for rows of
    words that have a bit for each element."""
    quotients = (s for s in sorted(gap.symbols, key=order) if isinstance(s, LaunchQuotient))
    parts = (split(gap, of.dividend - of.divisor * Polynomial.of(of)) for of in quotients)
    return any(not rest.terms and proofs.proves(here, factor) for factor, rest in parts)


def unwrapped(
    proofs: Proofs, premises: PathCondition, goal: Polynomial, held: PathCondition
) -> tuple[PathCondition, Polynomial]:
    """The path condition and the goal, with polynomials in place of words that do not wrap in a
    launch that meets ``held``: a product of a parameter may be one by its sign alone."""
    free = proofs.no_wrap(premises + held, goal, needed=False).fits
    chosen = (s for s in premises.parts if any(map(greatest, s.parts)))
    under = proofs.fitting.of(premises, deep(goal).union(chosen), needed=True)
    met = {
        word: fit
        for word, fit in under.items()
        if all(proofs.proves(held, need.polynomial) for need in fit.preconditions)
    }
    integers = proofs.symbolic.integers
    return replaced(integers, premises, goal, NoWrap.of({**free, **met}, integers).by)


def greatest(symbol: Symbol) -> bool:
    """True if it is the greatest of others, by the cases of which a word does not wrap."""
    return isinstance(symbol, Choice) and symbol.greatest


def of_launch(
    proofs: Proofs, premises: PathCondition, goal: Polynomial, held: PathCondition
) -> tuple[PathCondition, Polynomial]:
    """The path condition and the goal, with the innermost quotients of what the launch decides by
    numbers as quotients of the launch: what they bound, as the tiles of a row in a loop that is
    unrolled, is then bounded by them. The same if there are none."""
    here, done = premises + held, dict[Symbol, Polynomial]()
    while True:
        new: dict[Symbol, Polynomial] = {
            symbol: whole(proofs, here, symbol)
            for polynomial in (goal, *premises.polynomials)
            for symbol in sorted(polynomial.parts, key=order)
            if isinstance(symbol, Quotient) and innermost(symbol) and symbol not in done
        }
        if not new:
            return premises, goal
        done |= new  # some stay, inside of what cannot be rebuilt
        premises, goal = replaced(proofs.symbolic.integers, premises, goal, new)


def innermost(quotient: Quotient) -> bool:
    """True if it is that of a polynomial over symbols of the launch by a positive number."""
    by, alone = quotient.divisor.constant, quotient.dividend.symbols == quotient.dividend.parts
    decided = alone and decided_by_launch(quotient.dividend)
    return decided and by is not None and by > 0 and quotient.limit == inf


def whole(proofs: Proofs, here: PathCondition, quotient: Quotient) -> Polynomial:
    """The quotient, which is 0 for what is less than the divisor, as one of the launch: with a
    constant less than the divisor, so that equal ones are one symbol."""
    dividend, by = quotient.dividend, int(quotient.divisor.constant or 1)
    if proofs.proves(here, dividend) and proofs.proves(here, -dividend + (by - 1)):
        return Polynomial.of(0)
    outside = dividend.terms.get((), 0) // by
    inner = dividend - outside * by
    launch = proofs.symbolic.integers.launch_quotient(inner, quotient.divisor)
    return Polynomial.of(launch) + outside


def of_quotients(
    goal: Polynomial, premises: PathCondition, launch: Iterable[Inequality]
) -> PathCondition:
    """The guards of an index that is divided, for the multiples of the quotients that a goal
    multiplies: ``x[i/32*pitch]`` where ``i < n``, or where ``i`` is the number of a thread."""
    factors = {s for m in goal.terms if len(m) > 1 for s in m if isinstance(s, Quotient)}
    known = (*launch, *premises.known)
    said = (whole_groups(s, known) for s in sorted(factors, key=order))
    return PathCondition(tuple(fact for each in said for fact in each))


def unrounded(under: ConditionalBound) -> bool:
    """True if it is the end of a sum or a product and of a number of bytes or of rows: of a term
    that is a part of another one, or is added to rows of threads, or to whole rows; or a part of a
    sum, or of a product."""
    terms = under.least.terms
    half = len(terms) == 1 and any(factor % under.step for factor in terms.values())
    left = half or () in terms or under.scale > 1
    left |= any(
        (set(m) < set(other) and (factor < 0 or of_threads(other)))
        or (factor < 0 and len(other) > 1 and set(m).isdisjoint(other) and whole_rows(other, terms))
        for m, factor in terms.items()
        for other in terms
        if m
    )
    return left and (len(terms) > 2 or max(map(len, terms)) > 1)


def whole_rows(product: Monomial, terms: Iterable[Monomial]) -> bool:
    """True if no row less than those of the product is meant: no part of it is another term."""
    return not any(set(m) < set(product) for m in terms if m)


def of_threads(monomial: Monomial) -> bool:
    """True if it is a multiple of an extent of the block."""
    return any(symbol.label.startswith("ntid.") for symbol in monomial)


def signs(proofs: Proofs, here: PathCondition, bounds: Iterable[ConditionalBound]) -> PathCondition:
    """The symbols of the bounds that are not negative where the access is executed, or that are at
    least 1."""
    open_ = {symbol for under in bounds for symbol in under.least.symbols if symbol.low < 0}
    each = map(Polynomial.of, sorted(open_, key=order))
    least = (next((p for p in (s - 1, s) if proofs.proves(here, p)), None) for s in each)
    return PathCondition(tuple(Inequality(sign) for sign in least if sign is not None))


def named(bounds: tuple[ConditionalBound, ...] | list[ConditionalBound]) -> frozenset[Symbol]:
    """The symbols in the bounds, and those that quotients of the launch divide."""
    found = frozenset[Symbol]().union(*(under.least.parts for under in bounds))
    return frozenset(symbol for symbol in found if not isinstance(symbol, LaunchQuotient))


def rounded(integers: FastDivisions, premises: PathCondition) -> PathCondition:
    """The path condition with its guards ``limit - i >= 0``, where i is a multiple of a group and
    the limit, which the launch decides, need not be, rounded: i is at most the limit rounded down
    to a multiple. The same one if it has no such guard."""
    known = tuple(in_multiples(integers, fact) or fact for fact in premises.known)
    if known == premises.known:
        return premises
    return PathCondition(known, premises.apart, premises.distinct)


def in_multiples(integers: FastDivisions, fact: Inequality) -> Inequality | None:
    """The rounded guard; None if it is no such guard."""
    limit = part_of_launch(fact.polynomial)
    moving = fact.polynomial - limit
    by, number = common(moving)
    if number == 0 or (number == 1 and not by):
        return None
    group = Polynomial({by: number})
    if split(limit, group)[1].constant is not None:
        return None
    return Inequality(groups_up_to(integers, limit, group) * group + moving, fact.origin)


def common(polynomial: Polynomial) -> tuple[Monomial, int]:
    """What each term is a multiple of: extents of the launch, which are positive, and a number."""
    parts = [
        Counter(symbol for symbol in m if is_launch_symbol(symbol) and symbol.low > 0)
        for m in polynomial.terms
    ]
    shared = reduce(and_, parts) if parts else Counter[Symbol]()
    by = tuple(sorted(shared.elements(), key=order))
    return by, gcd(*map(multiple, polynomial.terms.items()))


def by_groups(bound: Bound | ConditionalBound) -> tuple[float, ...]:
    """As ``cost``, but a quotient of the launch is as short as a parameter, and of bounds of one
    degree the greatest one where parameters are 1 comes first: not one by the limit of a type, or
    by the lanes of a warp."""
    *others, length, value = cost(bound)
    quotients = sum(isinstance(symbol, LaunchQuotient) for symbol in bound.least.symbols)
    few = -typical_launch_value(bound.least, 1) / scale_of(bound)
    return (*others, few, length - 2 * quotients, value)
