"""Upper bounds that are less than others in the launches that a kernel is made for.

Where an index is less than n and less than m, what it accesses ends at the lesser of both.
``if (i > n) return;`` lets thread n pass, which a grid of n threads does not have: what it accesses
ends behind element n and behind the last thread. Where a pass without a guard reads element
``i + 512`` of a tile of 1024 whose ``i`` is less than n, that ends 512 elements behind the last one
and with the block in the last tile. Of four threads that read a row of 32 elements the last one
ends the row, not those 28 more.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from itertools import permutations
from math import gcd, inf

from analyses.polynomials.division import quotient
from analyses.polynomials.inequality import Inequality
from analyses.polynomials.polynomial import Monomial, Polynomial, Symbol, order
from analyses.polynomials.symbols import LaunchQuotient, Quotient, Remainder, deep
from analyses.proofs.lower_bounds import part_of_launch
from analyses.proofs.path_condition import PathCondition
from analyses.proofs.preconditions import ConditionalBound, cost
from analyses.typical_launch import WARP, typical_launch_value
from ptxlint.contracts.launch import SHAPE
from ptxlint.facts.kernel_facts import Facts
from ptxlint.inference.clamps import by_minimum, shortest
from ptxlint.inference.extents import AccessEnd, Accesses, UpperBound
from ptxlint.inference.groups import in_multiples, unwrapped
from ptxlint.inference.index_buffers import spoken

COORDINATES = frozenset(f"tid.{axis}" for axis in "xyz")
THREAD = COORDINATES | {f"ctaid.{axis}" for axis in "xyz"}


def lesser_bounds(
    facts: Facts, high: Accesses, held: PathCondition
) -> Iterator[tuple[UpperBound, UpperBound]]:
    """Upper bounds, each with a lesser one in some launches, of all of its accesses; or of its own
    ones only, and the accesses of other bounds, which it covers, get these back."""
    for end, accesses in list(high.items()):
        if end.scale * end.step > 1:
            rounded = by_other_parameter(facts, end, accesses.values(), held)
            if rounded is None and (most := by_minimum(facts, end, accesses.values(), held)):
                rounded = UpperBound(most)
            if rounded is not None:
                yield end, rounded
            continue
        others = {p: one for p, one in accesses.items() if one.end.moving != end.moving}
        own = {place: one for place, one in accesses.items() if place not in others}
        lesser = lesser_bound(facts, end, accesses.values(), held)
        if lesser is None and own and others:
            lesser = lesser_bound(facts, end, own.values(), held)
            for place, one in others.items() if lesser is not None else ():
                high.setdefault(one.end, {})[place] = accesses.pop(place)
        if lesser is not None:
            yield end, UpperBound(lesser)


def lesser_bound(
    facts: Facts, end: UpperBound, accesses: Collection[AccessEnd], held: PathCondition
) -> Polynomial | None:
    """A bound of all of these accesses that is less than ``end`` in some launches."""
    ways = (
        by_other_guard,
        by_minimum,
        by_unrolled_guards,
        with_last_index,
        by_groups,
    )
    return next(filter(None, (way(facts, end, accesses, held) for way in ways)), None)


def by_other_parameter(
    facts: Facts, end: UpperBound, accesses: Collection[AccessEnd], held: PathCondition
) -> UpperBound | None:
    """The rounded end with one parameter for another, where guards compare the same index with both
    of them; None if not all accesses stay below that, or one is not aligned as ``end`` says."""
    proofs = facts.footprints.proofs
    if any((one.end.step, one.end.rest) != (end.step, end.rest) for one in accesses):
        return None
    for fact, other in permutations(next(iter(accesses)).here.known, 2):
        count, instead = limit_of(facts, fact), limit_of(facts, other)
        if count is None or instead is None or instead in end.polynomial.parts:
            continue
        if fact.polynomial - Polynomial.of(count) != other.polynomial - Polynomial.of(instead):
            continue
        found = end._replace(polynomial=end.polynomial.replaced({count: Polynomial.of(instead)}))
        behind = (found.polynomial - one.behind.scaled(end.scale) for one in accesses)
        if all(
            proofs.proves(one.here + held, gap) for one, gap in zip(accesses, behind, strict=True)
        ):
            return found
    return None


def with_last_index(
    facts: Facts, end: UpperBound, accesses: Collection[AccessEnd], held: PathCondition
) -> Polynomial | None:
    """The end with the greatest index that the grid has in place of what a guard compares it with;
    None if none of the accesses' guards has such an index, or not all accesses end below that."""
    for fact in dict.fromkeys(fact for access in accesses for fact in access.here.known):
        count = elements(facts, fact)
        if count not in end.polynomial.symbols:
            continue
        index = Polynomial.of(count) - fact.polynomial
        each = {last_index(facts, end, count, index, access, held) for access in accesses}
        last = each.pop()
        if last is not None and not each:
            return end.polynomial.replaced({count: last})
    return None


def elements(facts: Facts, fact: Inequality) -> Symbol | None:
    """The parameter that a guard allows an index of the launch to be as great as."""
    return limit_of(facts, fact) if fact.polynomial.terms.get((), 0) >= 0 else None


def limit_of(facts: Facts, fact: Inequality) -> Symbol | None:
    """The parameter that a guard compares an index of the launch with."""
    limit = part_of_launch(fact.polynomial).moving
    if len(limit) != 1 or len(fact.polynomial.terms) == 1:
        return None
    ((symbols, factor),) = limit
    single = len(symbols) == 1 and factor == 1 and symbols[0] in facts.decided
    return symbols[0] if single and symbols[0].label not in SHAPE else None


def last_index(
    facts: Facts,
    end: UpperBound,
    count: Symbol,
    index: Polynomial,
    access: AccessEnd,
    held: PathCondition,
) -> Polynomial | None:
    """The greatest ``index`` of the grid, if the access stays below ``end`` with the index in place
    of ``count``, which is not greater than that with the last index; else None."""
    proofs, here = facts.footprints.proofs, access.here + held
    index = index.replaced(proofs.no_wrap(here, index, needed=False).by)
    last = greatest(facts, index)
    terms = end.polynomial.terms.items()
    slope = Polynomial({rest: c for m, c in terms if (rest := quotient(m, (count,))) is not None})
    behind_index = end.polynomial.replaced({count: index}) - access.behind
    rises = count not in slope.symbols and proofs.proves(here, slope)
    return last if last and rises and proofs.proves(here, behind_index) else None


def greatest(facts: Facts, index: Polynomial) -> Polynomial | None:
    """The greatest value of an index that grows with the number of the thread and of the block, by
    the shape of the launch; a block that is no whole number of warps counts as one that is."""
    last: dict[Symbol, Polynomial] = {}
    for symbol in index.symbols:
        extent = facts.symbolic.specials.get((f"n{symbol.label}", 32))
        if isinstance(symbol, Quotient):
            most, by = greatest(facts, symbol.dividend), symbol.divisor.constant
            if most is None or by is None or by < 1 or symbol.limit != inf:
                return None
            whole = most + by if symbol.rank else most + (by - 1)
            integers = facts.symbolic.integers
            groups = Polynomial.of(integers.launch_quotient(whole, symbol.divisor))
            last[symbol] = groups - 1 if symbol.rank else groups
        elif symbol.label.partition(".")[0] in ("tid", "ctaid") and extent is not None:
            last[symbol] = extent - 1
        elif symbol.label not in SHAPE:
            return None
    grows = all(c > 0 for m, c in index.terms.items() if m)
    return index.replaced(last) if grows and all(s.low >= 0 for s in index.symbols) else None


def by_other_guard(
    facts: Facts, end: UpperBound, accesses: Collection[AccessEnd], held: PathCondition
) -> Polynomial | None:
    """An end by parameters that a guard compares an index with, in place of numbers, or that the
    bound does not speak of, if it is as short; None if there is none that all accesses stay
    below."""
    proofs, known = facts.footprints.proofs, end.polynomial.parts
    most = cost(ConditionalBound(-end.polynomial))[:-1]
    farthest = dict[frozenset[Polynomial], AccessEnd]()
    for access in sorted(accesses, key=lambda access: -access.end.constant):
        farthest.setdefault(frozenset(limits(facts, access)), access)
    for compared, access in farthest.items():
        fewer, short = list(in_place_of_number(end.polynomial, compared)), list[Polynomial]()
        if not all(limit.parts <= known for limit in compared):
            here, goal = unwrapped(proofs, access.here + held, -access.behind, held)
            bounds = proofs.conditions.facts(here, goal).least(goal)
            ends = [(-bound.least, bound) for bound in bounds if bound.scale == 1]
            ends = [(found, bound) for found, bound in ends if not found.parts <= known]
            short = [found for found, bound in ends if cost(bound)[:-1] <= most]
            fewer = in_place_of_numbers(end.polynomial, (one for one, _ in ends)) + fewer
        fewer.sort(key=lambda one: any(s.label in SHAPE for s in one.symbols - known))
        for found in (*fewer, *short):
            if spoken(facts, found.parts - known):  # the contract speaks of no such range
                continue
            if (own := shortest(facts, found, accesses, held)) is not None:
                return own
    return None


def in_place_of_number(end: Polynomial, limits: Iterable[Polynomial]) -> Iterator[Polynomial]:
    """The end with one of the limits, if that is a parameter, in place of a number of elements:
    ``n*pitch + n`` for ``n*pitch + 32``, as the last row of a tile that is wider than the rows."""
    number = end.terms.get((), 0)
    size = gcd(*end.terms.values())
    for limit in limits:
        elements = Polynomial(dict(limit.moving))
        if type(elements.alone) is Symbol and number > size:
            yield end - number + elements.scaled(size)


def in_place_of_numbers(end: Polynomial, others: Iterable[Polynomial]) -> list[Polynomial]:
    """Those of the other ends that have parameters where ``end`` has numbers, and are less if these
    are 2: ``(n - 1)*pitch + n`` for ``15*pitch + 16``, as the corner of a table in a tile of 16 by
    16. The least ones come first."""
    two, known = Polynomial.of(2), end.parts
    small = {one: one.replaced(dict.fromkeys(one.symbols - known, two)) for one in others}
    gaps = {one: (end - number).terms for one, number in small.items()}
    found = [one for one, gap in gaps.items() if gap and min(gap.values()) > 0]
    found = [one for one in found if small[one].terms.keys() == end.terms.keys()]
    return sorted(found, key=lambda one: typical_launch_value(small[one]))


def limits(facts: Facts, access: AccessEnd) -> Iterator[Polynomial]:
    """What guards compare an index of a thread with, if of the launch only parameters decide it, be
    it in a loop, and the index is not divided, as what that leaves has a limit of its own; but it
    may be the result of a division by a number."""
    parameters = {symbol for symbol in facts.decided if symbol.label not in SHAPE}
    divided = [s for s in deep(access.behind) if s.rank and isinstance(s, (Quotient, Remainder))]
    inside = frozenset[Symbol]().union(*(symbol.parts for symbol in divided))
    for polynomial in access.here.polynomials:
        limit = polynomial.of_symbols(lambda symbol: not of_a_thread(symbol))
        own = {symbol for symbol in limit.parts if not symbol.rank and type(symbol) is Symbol}
        index = limit - polynomial
        plain = inside.isdisjoint(index.parts) or left_by_number(index)
        if index.terms and own <= parameters and plain:
            yield limit


def left_by_number(index: Polynomial) -> bool:
    """True if it is a quotient by a number, or what that division leaves."""
    by_number = (s for s in index.symbols if isinstance(s, Quotient) and s.divisor.constant)
    quotients = ((s, Polynomial.of(s)) for s in by_number)
    return any(index in (q, s.dividend - s.divisor * q) for s, q in quotients)


def of_a_thread(symbol: Symbol) -> bool:
    """True if it is made of the coordinates of a thread or of its block."""
    return any(part.label in THREAD for part in symbol.parts)


def by_unrolled_guards(
    facts: Facts, end: UpperBound, accesses: Collection[AccessEnd], held: PathCondition
) -> Polynomial | None:
    """The end by a parameter that guards compare with numbers, in place of the greatest number, as
    in a loop that is unrolled: ``if (5 < rows) x[5*n]``; None if not all accesses stay below."""
    exact = [one for one in accesses if one.end.scale * one.end.step == 1]
    known = [(numbers_compared(facts, access), access.end.polynomial) for access in exact]
    guards = next((numbers for numbers, own in known if own == end.polynomial), {})
    for parameter, number in guards.items():
        each = [(numbers.get(parameter, number), own) for numbers, own in known]
        before = min(least for least, _ in each)
        gaps = {end.polynomial - own for least, own in each if least == before}
        gap = min(gaps, key=lambda gap: (len(gap.terms), gap.terms.get((), 0)))
        times = number - before
        if before < 1 or not times or parameter in gap.parts:
            continue
        if gap.range()[1] <= 0 or any(factor % times for factor in gap.terms.values()):
            continue
        step = Polynomial({monomial: factor // times for monomial, factor in gap.terms.items()})
        found = end.polynomial + (Polynomial.of(parameter) - number) * step
        if not spoken(facts, found.parts) and all(
            stays_below(facts, a, found, held) for a in accesses
        ):
            return found
    return None


def stays_below(facts: Facts, access: AccessEnd, end: Polynomial, held: PathCondition) -> bool:
    """True if the access stays below the end: first by its bound, which the launch decides."""
    proofs, own = facts.footprints.proofs, access.end
    ends = [own.polynomial] if own.scale * own.step == 1 else []
    return any(proofs.proves(access.here + held, end - behind) for behind in (*ends, access.behind))


def numbers_compared(facts: Facts, access: AccessEnd) -> dict[Symbol, int]:
    """The parameters that guards compare with numbers, with the number that each is at least."""
    least = dict[Symbol, int]()
    for polynomial in access.here.polynomials:
        number = -polynomial.terms.get((), 0)
        symbol = (polynomial + number).alone
        if symbol in facts.decided and symbol.label not in SHAPE:
            least[symbol] = max(least.get(symbol, number), number)
    return least


def by_groups(
    facts: Facts, end: UpperBound, accesses: Collection[AccessEnd], held: PathCondition
) -> Polynomial | None:
    """The end of the block in the last tile, or of the last group of threads, where accesses pass
    what is a multiple of the elements or threads: that is less if these are whole groups; None if
    none is found that all accesses stay below."""
    if end.constant <= 0:
        return None
    proofs, found = facts.footprints.proofs, list[Polynomial]()
    far = end.constant >= WARP * gcd(*end.moving.polynomial.terms.values())
    for access in sorted(accesses, key=lambda access: -access.end.constant):
        here, goal = unwrapped(proofs, access.here + held, -access.behind, held)
        whole = (*(tiles(facts, here) if far else ()), *groups_of_threads(facts, goal))
        here += PathCondition(whole)
        if whole and not found:
            bounds = proofs.conditions.facts(here, goal).least(goal)
            ends = (-bound.least for bound in bounds if bound.scale == 1)
            ends = (one for one in ends if not spoken(facts, one.parts - end.polynomial.parts))
            found = [one for one in ends if less_in_whole_groups(end.polynomial, one)][:1]
        if not found or not proofs.proves(here, found[0] + goal):
            return None
    return next(iter(found), None)


def tiles(facts: Facts, here: PathCondition) -> Iterator[Inequality]:
    """The guards of an index that is a thread in a tile, as those of the tile, rounded."""
    for fact in here.known:
        terms = fact.polynomial.terms
        rest = {m: c for m, c in terms.items() if c > 0 or not of_thread(m)}
        if len(rest) < len(terms):
            whole = in_multiples(facts.symbolic.integers, Inequality(Polynomial(rest), fact.origin))
            if whole is not None:
                yield whole


def groups_of_threads(facts: Facts, polynomial: Polynomial) -> Iterator[Inequality]:
    """The greatest quotients of threads by numbers."""
    for symbol in sorted(polynomial.symbols, key=order):
        own = isinstance(symbol, Quotient) and of_thread(tuple(symbol.dividend.symbols))
        last = greatest(facts, Polynomial.of(symbol)) if own else None
        if last is not None:
            yield Inequality(last - Polynomial.of(symbol), symbol)


def of_thread(monomial: Monomial) -> bool:
    """True if it is a coordinate of the thread, which is not negative."""
    return len(monomial) == 1 and monomial[0].label in COORDINATES


def less_in_whole_groups(end: Polynomial, lesser: Polynomial) -> bool:
    """True if the second bound is less in a typical launch whose elements are whole groups."""
    groups = [s for s in lesser.symbols if isinstance(s, LaunchQuotient)]
    if len(groups) != 1 or (by := groups[0].divisor.constant) is None:
        return False
    gap = (end - lesser).scaled(by)
    times = sum(c for m, c in lesser.terms.items() if m == (groups[0],))
    if not times:
        return False  # it is a factor of products
    whole = gap + Polynomial({(groups[0],): times * by})
    whole -= (groups[0].dividend - (by - 1)).scaled(times)
    return groups[0] not in whole.symbols and typical_launch_value(whole) > 0
