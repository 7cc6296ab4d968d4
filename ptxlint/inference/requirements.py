"""Requirements, and the fewest that imply all of them."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import TypeGuard, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from analyses.addresses import ResolvedAccess
from analyses.polynomials.division import split
from analyses.polynomials.formatting import at_least
from analyses.polynomials.inequality import (
    Inequality,
    implied,
    least_number,
    not_least_of_progression,
)
from analyses.polynomials.integer_symbols import IntegerSymbols
from analyses.polynomials.polynomial import Polynomial, Symbol, order
from analyses.polynomials.symbols import (
    HIGHEST_EXPONENT,
    LaunchQuotient,
    PowerOfTwo,
    Quotient,
    of_launch,
)
from analyses.proofs.definitions import closure
from analyses.proofs.inequalities import InequalitySystem
from analyses.proofs.path_condition import PathCondition
from analyses.typical_launch import holds, typical_launch_value
from ptxlint.inference.extents import AccessEnd, Accesses, BufferAccesses, UpperBound
from ptxlint.inference.inferred_contract import InferredRequirement
from ptxlint.inference.reasons import EXPONENT, POSITIVE
from ptxlint.ir import PtxInstr


class Required(Struct):
    """``polynomial >= 0``, required by the accesses at ``places``, or by a loop."""

    polynomial: Polynomial
    reason: str
    instr: PtxInstr
    places: list[ResolvedAccess] = []

    def stated(self, names: Mapping[Symbol, str]) -> InferredRequirement:
        return InferredRequirement(at_least(self.polynomial.terms, names), self.reason, self.instr)


def length(item: Required | UpperBound | Polynomial) -> int:
    polynomial = item if isinstance(item, Polynomial) else item.polynomial
    return -len(polynomial.terms)


def dispensable_first(need: Required) -> tuple[bool, int, int, float]:
    """A sort key: what a typical launch does not meet, then long ones, long products, and what
    leaves little room."""
    room = typical_launch_value(need.polynomial.primitive())
    return holds(need.polynomial), length(need), -need.polynomial.degree, room


def weaker(need: Required, others: Iterable[Required]) -> bool:
    """True if others imply it by interval arithmetic."""
    return implied(need.polynomial, [other.polynomial for other in others])


def between(need: Required, others: list[Required]) -> bool:
    """True if another requirement implies it, or two do: it holds in all of sixteen rows if it does
    in the first and in the last."""
    terms = (other.polynomial for other in others)
    return weaker(need, others) or not_least_of_progression(need.polynomial, terms)


def plainer(needs: Sequence[Required], integers: IntegerSymbols) -> list[Required]:
    """The same requirements in fewer symbols: without factors that others require to be positive,
    ``w <= h*w`` as ``h >= 1``; of a quotient by a number as its dividend, ``w//4 >= 1`` as
    ``w >= 4``; and without signs that are 0."""
    positive = {symbol for need in needs if (symbol := (need.polynomial + 1).alone) is not None}

    def plain(polynomial: Polynomial) -> Polynomial:
        shared = frozenset.intersection(*(frozenset(monomial) for monomial in polynomial.terms))
        for symbol in sorted(shared, key=order):
            if symbol in positive or symbol.low >= 1:
                return plain(split(polynomial, Polynomial.of(symbol))[0])
        return of_dividend(polynomial)

    found = [replace(need, polynomial=plain(need.polynomial)) for need in needs]
    return fewest(without_signs(found, integers), weaker)


def without_signs(needs: Sequence[Required], integers: IntegerSymbols) -> Sequence[Required]:
    """Requirements that imply these, with 0 for signs that are 0 then: ``n - 3*(n//2**31)``, as a
    compiler divides n, is n where ``n >= 1``."""
    signs = {part for need in needs for part in need.polynomial.parts if may_be_sign(part)}
    while signs:
        respelt = integers.respelling(dict.fromkeys(signs, Polynomial.of(0)))
        found = [replace(need, polynomial=respelt(need.polynomial)) for need in needs]
        known = InequalitySystem([Inequality(need.polynomial) for need in found])
        ends = {sign: (respelt(sign.dividend), sign.divisor - 1) for sign in signs}
        proved = {
            sign
            for sign, (of, most) in ends.items()
            if known.entails(of) is not None and known.entails(most - of) is not None
        }
        if proved == signs:
            return found
        signs = proved
    return needs


def may_be_sign(symbol: Symbol) -> TypeGuard[Quotient]:
    """True for a quotient that is a sign as long as the word that is divided does not wrap."""
    return isinstance(symbol, Quotient) and symbol.low == -1 and symbol.high <= 1


def of_dividend(polynomial: Polynomial) -> Polynomial:
    """For a quotient x//d of the launch and n >= 1: x - n*d, which is not negative if ``x//d - n``
    is not, whichever way that is rounded; the polynomial itself if it is not that."""
    symbol, least = least_number(polynomial) or (None, 0)
    if symbol is None or not (isinstance(symbol, LaunchQuotient) or of_launch(symbol)):
        return polynomial
    by = symbol.divisor.constant  # a sum that is negative divides in no launch
    if least < 1 or (by is not None and by < 1):
        return polynomial
    return symbol.dividend - symbol.divisor.scaled(least)


def defining_ends(
    ends: Iterable[BufferAccesses], needs: Iterable[Required], limits: Iterable[Inequality]
) -> list[Required]:
    """That what the ends of buffers are divided by is positive, and that exponents are from 0 to
    HIGHEST_EXPONENT, where neither ``needs`` nor ``limits`` say so: a launch in which that is not
    so has no such end."""
    needed = [need.polynomial for need in needs]
    known = InequalitySystem([*limits, *map(Inequality, (*needed, *of_exponents(needed)))])
    found: dict[Polynomial, Required] = {}
    for each in ends:
        parts = (part for end in each.high for part in end.polynomial.parts)
        for symbol in sorted(set(parts), key=order):
            for defined, reason in defining(symbol):
                if defined not in found and known.entails(defined) is None:
                    found[defined] = Required(defined, reason, each.instr)
    return list(found.values())


def defining(symbol: Symbol) -> Iterator[tuple[Polynomial, str]]:
    """What must not be negative so that an extent has a value, with the reason."""
    if isinstance(symbol, LaunchQuotient):
        yield of_dividend(symbol.divisor - 1), POSITIVE
    elif isinstance(symbol, PowerOfTwo):
        yield symbol.exponent, EXPONENT
        yield (-symbol.exponent + HIGHEST_EXPONENT).primitive(), EXPONENT


def of_exponents(needs: Iterable[Polynomial]) -> Iterator[Polynomial]:
    """That an exponent is no greater than that of a number which its power does not exceed."""
    for need in needs:
        most = need.terms.get((), 0)
        if (power := (-(need - most)).alone) and isinstance(power, PowerOfTwo) and most > 0:
            yield -power.exponent + (most.bit_length() - 1)


def impossible(facts: Sequence[Inequality]) -> bool:
    """True if no launch meets them whose parameters are sizes: not negative."""
    symbols = {symbol for fact in facts for symbol in fact.polynomial.symbols}
    sizes = sorted((s for s in symbols if s.low < 0 < s.high), key=order)
    defined, _ = closure(symbols)
    system = InequalitySystem([*facts, *defined, *(Inequality(Polynomial.of(s)) for s in sizes)])
    return system.contradictory or system.entails(Polynomial.of(-1)) is not None


T = TypeVar("T", bound="Required | UpperBound | Polynomial")


def fewest(items: Iterable[T], covered: Callable[[T, list[T]], bool], keep: int = 1) -> list[T]:
    """The items without those that the rest covers; the first are tried first, and so many are
    kept. Items that are removed stay covered: one that a few items cover is asked about again only
    if one of them is removed."""
    left = list(items)
    gone: list[tuple[T, list[T]]] = []  # with the items that cover it

    def by(item: T, others: list[T]) -> tuple[T, list[T]] | None:
        if not covered(item, others):
            return None
        few = list({length(other): other for other in others}.values())  # the last of each length
        return item, few if len(few) < len(others) and covered(item, few) else others

    for item in list(left):
        others = [other for other in left if other is not item]
        found = by(item, others) if len(others) >= keep else None
        if found is None:
            continue
        now = [found]
        for one, few in gone:
            again = by(one, others) if any(of is item for of in few) else (one, few)
            if again is None:
                break
            now.append(again)
        else:
            left, gone = others, now
    return left


Proves = Callable[[PathCondition, Polynomial], bool]


def shortest(
    end: UpperBound, accesses: Iterable[AccessEnd], held: PathCondition, proves: Proves
) -> UpperBound:
    """The upper bound, without its constant if no access passes that in launches that meet what is
    ``held``: more than what the access alone requires."""
    shorter = end.moving
    if end.constant <= 0 or not shorter.polynomial.terms or end.scale * end.step != 1:
        return end
    stays = (stays_below(shorter, access, held, proves) for access in accesses)
    return shorter if all(stays) else end


def stays_below(end: UpperBound, access: AccessEnd, held: PathCondition, proves: Proves) -> bool:
    """True if the access is proved not to pass the bound, with the signs of the bound's parameters
    that follow from its path condition."""
    here = access.here + held
    sizes = (Polynomial.of(s) for s in sorted(end.polynomial.symbols, key=order) if s.low < 0)
    here += PathCondition(tuple(Inequality(size) for size in sizes if proves(here, size)))
    return any(proves(here, room) for room in end.rooms(access.behind))


def highest(ends: BufferAccesses, held: PathCondition, proves: Proves) -> Accesses:
    """The shortest upper bounds, with their accesses, without those that others cover, in launches
    that meet ``held``: at each access of such a bound another one is not below it, or is not
    passed, or the bytes are none. Those that are nowhere less than another one are tried first: the
    least are to be kept. A bound that is left is reduced to the accesses that no other bound
    covers (``without_covered``)."""

    def least(end: UpperBound) -> bool:
        gaps = (end.less(other) for other in ends.high if other is not end)
        return not any(gap is not None and proves(held, gap) for gap in gaps)

    def inside(end: UpperBound, others: list[UpperBound]) -> bool:
        if end.polynomial.range()[1] <= 0:
            return True
        latest = others[::-1]  # these mostly stay, so what covers a bound is found at once
        return all(
            any(not_below(end, place, other) for other in latest)
            or any(not_passed(end, place, other) for other in latest)
            for place in ends.high[end]
        )

    @cache
    def not_below(end: UpperBound, place: Hashable, other: UpperBound) -> bool:
        by = other.less(end)
        return by is not None and proves(ends.high[end][place].here + held, by)

    @cache
    def not_passed(end: UpperBound, place: Hashable, other: UpperBound) -> bool:
        return stays_below(other, ends.high[end][place], held, proves)

    left = fewest(sorted(ends.high, key=lambda end: (least(end), length(end))), inside)
    given: Accesses = {end: dict(ends.high[end]) for end in left}
    first_fixed = sorted(left, key=lambda end: not fixed(end, given))
    for end in (end for end in ends.high if end not in given and end.polynomial.range()[1] > 0):
        for place, access in ends.high[end].items():
            cover = next(
                other for other in first_fixed
                if not_below(end, place, other) or not_passed(end, place, other)
            )  # fmt: skip
            given[cover].setdefault(place, access)
    found = [*without_covered(given, lambda end, access: stays_below(end, access, held, proves))]
    return {shortest(new, given[end].values(), held, proves): given[end] for end, new in found}


def fixed(end: UpperBound, accesses: Accesses) -> bool:
    """True if none of its own accesses has a lower bound."""
    return all(a.end == end for a in accesses[end].values() if a.end.moving == end.moving)


def without_covered(
    given: Accesses, covers: Callable[[UpperBound, AccessEnd], bool]
) -> Iterator[tuple[UpperBound, UpperBound]]:
    """Each bound, and the one of those of its own accesses that no other bound covers: the farthest
    decides its constant. An access that another one covers is given to that. What it covers for
    other bounds must stay below it then."""
    reduced = set[UpperBound]()
    for end, accesses in given.items():
        if fixed(end, given):
            yield end, end
            continue
        others = [one for one in given if one is not end and one not in reduced]
        new, moved = end, dict[Hashable, UpperBound]()
        own = [place for place, a in accesses.items() if a.end.moving == end.moving]
        for place in sorted(own, key=lambda place: -accesses[place].end.constant):
            cover = next((one for one in others if covers(one, accesses[place])), None)
            if cover is None:
                new = accesses[place].end
                break
            moved[place] = cover
        alien = [access for access in accesses.values() if access.end.moving != end.moving]
        if new != end and all(covers(new, access) for access in alien):
            reduced.add(end)
            for place, cover in moved.items():
                given[cover][place] = accesses.pop(place)
            yield end, new
        else:
            yield end, end
