"""The defining inequalities of symbols: a quotient rounds down, a maximum is at least each of its
cases, an interpretation is at most its polynomial where that is not negative."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from itertools import pairwise, permutations
from math import gcd, inf
from typing import TypeGuard

from analyses.polynomials.division import common_symbols, quotient, split, without_symbol
from analyses.polynomials.fast_division import FastDivisions
from analyses.polynomials.inequality import Inequality
from analyses.polynomials.polynomial import (
    Polynomial,
    Ranges,
    Symbol,
    order,
    product_range,
)
from analyses.polynomials.symbols import (
    FIRST_RANK,
    HIGHEST_EXPONENT,
    Choice,
    CommonBits,
    Interpretation,
    LaunchQuotient,
    PowerOfTwo,
    Quotient,
    Remainder,
)
from analyses.polynomials.words import ModularPolynomial
from analyses.proofs.lower_bounds import (
    EXCEEDED,
    OF_ANY_SIGN,
    decided_by_launch,
    is_launch_symbol,
    part_of_launch,
)

DECLARED_THREADS = 2**14  # a number below this is one of threads of a declared launch


def closure(
    symbols: Iterable[Symbol], seen: Iterable[Symbol] = ()
) -> tuple[list[Inequality], frozenset[Symbol]]:
    """The inequalities that define the symbols and, transitively, all symbols in these; symbols
    that are ``seen`` are left out. Also returns all symbols."""
    found: list[Inequality] = []
    done = set(seen)
    open_ = set(symbols) - done
    while open_:
        facts = [fact for symbol in sorted(open_, key=order) for fact in definition(symbol)]
        found += facts
        done |= open_
        open_ = {s for fact in facts for s in fact.polynomial.symbols} - done
    return found, frozenset(done)


def divides(symbol: Symbol) -> TypeGuard[Quotient | Remainder]:
    """True if it is a quotient whose divisor is not constant, or whose dividend has a limit, or
    what such a division leaves: that it rounds down then needs a proof."""
    return isinstance(symbol, Remainder) or (
        isinstance(symbol, Quotient) and (symbol.divisor.constant is None or symbol.limit < inf)
    )


def meant_by(symbol: Quotient | Remainder) -> list[Polynomial]:
    """Where these are not negative, the division rounds down."""
    of = divided_by(symbol)
    below = [-of.dividend + of.limit] if isinstance(of.limit, int) else []
    return [of.dividend, of.divisor - 1, *below]


def divided_by(symbol: Quotient | Remainder) -> Quotient:
    """The quotient of the division that the symbol is a result of."""
    return symbol.quotient if isinstance(symbol, Remainder) else symbol


def definition(symbol: Symbol) -> tuple[Inequality, ...]:
    """The inequalities that define a symbol, made once."""
    if symbol.definition is None:
        symbol.definition = tuple(defining(symbol))
    return symbol.definition


def defining(symbol: Symbol) -> Iterable[Inequality]:
    """The inequalities that define a symbol."""
    if isinstance(symbol, Interpretation) and symbol.polynomial.range()[0] >= 0:
        yield Inequality(
            symbol.polynomial - Polynomial.of(symbol), symbol
        )  # their difference is a multiple of 2**width
    elif isinstance(symbol, Quotient) and not divides(symbol):
        yield from division(symbol)
    elif isinstance(symbol, LaunchQuotient) and symbol.divisor.range()[0] > 0:
        yield from rounding(symbol)
    elif isinstance(symbol, CommonBits):
        for word in (symbol.one, symbol.other):
            if word.constant is None:  # else it is in the range
                yield Inequality(word - Polynomial.of(symbol), symbol)
    elif isinstance(symbol, Choice) and symbol.greatest:
        for case in symbol.cases:
            yield Inequality(Polynomial.of(symbol) - case.polynomial, symbol)


def division(
    symbol: Quotient | Remainder,
    bounds: Sequence[Inequality] = (),
    assumed: Collection[Polynomial] = (),
) -> Iterable[Inequality]:
    """b*q <= a <= b*q + b - 1; for what is left, r = a - b*q, also 0 <= r <= b - 1 and r <= a. Of
    upper ``bounds`` of the quotient, q <= a is never the least; for a divisor that is only
    ``assumed`` to be positive, it is far too much to ask for."""
    yield from bounds
    if isinstance(symbol, Remainder):
        yield from remainder(symbol)
    of = divided_by(symbol)
    yield from rounding(of)
    if divides(of):
        quotient = Polynomial.of(of)
        yield Inequality(quotient, of)
        exceeded = bounds or of.divisor - 1 in assumed
        yield Inequality(of.dividend - quotient, EXCEEDED if exceeded else of)


def rounding(of: Quotient | LaunchQuotient) -> Iterable[Inequality]:
    """b*q <= a <= b*q + b - 1."""
    part = of.divisor * Polynomial.of(of)
    yield Inequality(of.dividend - part, of)
    yield Inequality(part + of.divisor - of.dividend - 1, of)


def chained(known: Iterable[Inequality]) -> Iterator[Inequality]:
    """y <= end where y <= x and x <= end, which the launch decides."""
    guards = [fact for fact in known if not decided_by_launch(fact.polynomial)]
    ends = [fact for fact in guards if any(map(is_launch_symbol, fact.polynomial.symbols))]
    for end in ends:  # grows on the way
        moving = {
            m: -c for m, c in end.polynomial.terms.items() if not all(map(is_launch_symbol, m))
        }
        for fact in guards:
            terms = fact.polynomial.terms
            if len(terms) > len(moving) and all(terms.get(m) == c for m, c in moving.items()):
                found = Inequality(end.polynomial + fact.polynomial, fact.origin)
                if not decided_by_launch(found.polynomial) and len(ends) < 2 * len(guards):
                    ends.append(found)
                    yield found


def squared(polynomial: Polynomial) -> bool:
    """True if a symbol that a thread computes stands squared in it, or in what is divided in it."""
    each = [polynomial, *(s.dividend for s in polynomial.parts if isinstance(s, Quotient))]
    return any(
        a is b and not is_launch_symbol(a)
        for one in each
        for monomial in one.terms
        for a, b in pairwise(monomial)
    )


def halved(symbol: Symbol, known: Iterable[Inequality]) -> Iterator[Inequality]:
    """That half of a positive number, rounded down, is less than that: the middle of two places
    that a loop moves, or of what is left to it, is before the last one. The search for a proof
    would have to add one to twice the goal, and round."""
    if not isinstance(symbol, Quotient) or symbol.rank < FIRST_RANK or divides(symbol):
        return
    if symbol.divisor.constant != 2:
        return
    if any((symbol.dividend - fact.polynomial).range()[0] >= 1 for fact in known):
        yield Inequality(symbol.dividend - Polynomial.of(symbol) - 1, symbol)


def multiples_between(symbols: Iterable[Symbol]) -> Iterator[Inequality]:
    """b*(x//(a*b)) <= x//a <= b*(x//(a*b)) + b - 1, of quotients by numbers."""
    quotients = [s for s in symbols if isinstance(s, Quotient) and not divides(s)]
    for finer, coarser in permutations(sorted(quotients, key=order), 2):
        times, odd = divmod(coarser.divisor.constant or 0, finer.divisor.constant or 1)
        if finer.dividend == coarser.dividend and not odd:
            left = Polynomial.of(finer) - Polynomial.of(coarser).scaled(times)
            yield from (Inequality(left, coarser), Inequality(-left + times - 1, coarser))


def monotonic_quotients(symbols: Iterable[Symbol]) -> Iterator[Inequality]:
    """That of two quotients of the launch by one divisor that of the greater number is not less,
    and by how much it is greater at most."""
    quotients = [symbol for symbol in symbols if isinstance(symbol, LaunchQuotient)]
    for less, more in permutations(sorted(quotients, key=order), 2):
        alike = less.divisor == more.divisor and less.divisor.range()[0] > 0
        gap = more.dividend - less.dividend
        if alike and gap.range()[0] >= 0:
            apart = Polynomial.of(more) - Polynomial.of(less)
            yield Inequality(apart, more)
            if gap.constant is not None:
                yield Inequality(gap - apart, more)


def read_signed(
    integers: FastDivisions,
    word: ModularPolynomial,
    least: Polynomial | None,
    most: Polynomial | None,
    short: bool,
    what: object,
) -> Iterator[Inequality]:
    """The bounds of a word that is at least ``least``, or at most ``most``, as an unsigned integer,
    for the same word as a signed one. The two integers are equal if ``most`` is ``short`` of the
    sign bit; they differ by 2**width if ``least`` is not, and else by as much times the sign."""
    assert word.polynomial is not None
    half = 1 << (word.width - 1)
    same = integers.interpret(word.width, True, word.polynomial, either=True)
    if same == integers.interpret(word.width, False, word.polynomial, either=True):
        return
    if least is not None and least.range()[0] >= half:
        yield from (Inequality(-same - 1, what), Inequality(same - least + 2 * half, what))
    elif most is not None and short:
        yield from (Inequality(same, what), Inequality(most - same, what))
    elif most is not None and most.constant is not None:
        sign = integers.quotient(same, Polynomial.of(half))
        yield Inequality(most - same + sign.scaled(2 * half), what)


def launch_bounds(
    integers: FastDivisions,
    symbol: Quotient | Remainder,
    known: Iterable[Inequality],
    named: dict[Symbol, Polynomial],
    ranges: Ranges,
    searched: Callable[[Polynomial], list[Polynomial]],
) -> list[Inequality]:
    """x//d <= X//d for x <= X and d > 0, where the launch decides X, which may be x, and d. If it
    is x, the two are equal: such quotients are ``named``, and x and d may be made of them. An X
    that is a multiple of d and a constant needs no such number: d*q <= X is divided by d
    (``cuts``). Where no X is known otherwise, it is the greatest number that x may be, if threads
    are so many."""
    of = divided_by(symbol)
    dividend, by = of.dividend.replaced(named), of.divisor.replaced(named)
    if (most := upper_bits(integers, dividend, by)) is not None:
        return [Inequality(most - Polynomial.of(of), of)]
    if by.constant is not None or not decided_by_launch(by):
        return []
    known = list(known)
    known += [more for fact in known if (more := with_whole(fact)) is not None]
    greatest = list(launch_upper_bounds(dividend, by, known, ranges))
    if not greatest:
        positive: Ranges = {name: (0, name.high) for one in named.values() for name in one.symbols}
        most = at_last(dividend, known, {**ranges, **positive})
        greatest = [most] if most is not None else []
    if not greatest:
        greatest = searched(dividend)
    if not greatest and (number := dividend.range(ranges)[1]) < DECLARED_THREADS:
        greatest = [Polynomial.of(int(number))]
    found = []
    for most in greatest:
        multiples = [quotient(m, p) is not None for m in most.terms if m for p in by.terms]
        if not (most.symbols and all(multiples)):
            name = Polynomial.of(integers.launch_quotient(most, by))
            found.append(Inequality(name - Polynomial.of(of), of))
            if most == dividend:
                named[of] = name
                found.append(Inequality(Polynomial.of(of) - name, of))
    return found


def quotient_limits(of: Quotient, known: Collection[Inequality]) -> Iterator[Polynomial]:
    """``m - 1 - c*q`` for each m for which x < m*d is known of the dividend x and a divisor c*d
    that is a sum or has a factor c. If x is not negative then d is not 0, and if d is positive then
    this is not negative: a thread for each place below a diagonal has a row and a column of what is
    left of a matrix; of m*n tiles in groups of 4 rows, no group begins behind row m."""
    factor = gcd(*of.divisor.terms.values())
    if len(of.divisor.terms) == 1 and factor == 1:
        return
    part = Polynomial({m: c // factor for m, c in of.divisor.terms.items()})
    for dividend in (of.dividend, *left_by_division(of.dividend, known)):
        for fact in known:
            times, rest = split(fact.polynomial + dividend + 1, part)
            if times.terms and not rest.terms:
                yield times - 1 - Polynomial.of(of).scaled(factor)


def left_by_division(polynomial: Polynomial, known: Collection[Inequality]) -> Iterator[Polynomial]:
    """``a - b*q`` for what a division leaves, if that is known: where it rounds down."""
    symbol = polynomial.alone
    if isinstance(symbol, Remainder):
        of = symbol.quotient
        found = of.dividend - of.divisor * Polynomial.of(of)
        gap = found - polynomial
        if any(fact.polynomial == gap for fact in known):
            yield found


def with_whole(fact: Inequality) -> Inequality | None:
    """The inequality with n for 4*(n//4), which is not greater: the end of a loop of which four
    iterations are one. None if nothing like that is added in it."""
    whole: dict[Symbol, Polynomial] = {}
    for monomial, factor in fact.polynomial.terms.items():
        symbol = monomial[0] if len(monomial) == 1 else None
        if not isinstance(symbol, Quotient) or symbol.rank or divides(symbol) or factor < 0:
            continue
        by = symbol.divisor.constant or 0
        if by > 0 and factor % by == 0 and not is_launch_symbol(symbol):
            whole[symbol] = symbol.dividend.scaled(factor // by)
    terms = fact.polynomial.terms.items()
    rest = Polynomial({m: c for m, c in terms if len(m) != 1 or m[0] not in whole})
    return Inequality(sum(whole.values(), rest), fact.origin) if whole else None


def upper_bits(integers: FastDivisions, dividend: Polynomial, by: Polynomial) -> Polynomial | None:
    """2**n - 1 for a quotient by 2**(k - n) of an integer of k bits, where the launch decides n:
    its upper n bits, as a hash is made a place in a table. The quotient is 0 for n < 0, and all of
    the integer for n > k. Where the exponent is the unsigned integer of a negative number, it has
    no bit of the integer left, so it is 0 too."""
    power, (low, high) = by.alone, dividend.range()
    if not isinstance(power, PowerOfTwo) or low < 0 or high >= 1 << HIGHEST_EXPONENT:
        return None
    exponent, bits = power.exponent, int(high).bit_length()
    read = exponent.alone
    if isinstance(read, Interpretation) and not read.signed:
        exponent = read.polynomial
        least, most = exponent.range()
        if least + (1 << read.width) < bits or most >= 1 << read.width:
            return None
    falls = all(factor < 0 for monomial, factor in exponent.terms.items() if monomial)
    known = decided_by_launch(exponent)
    return integers.power_of_two(-exponent + bits) - 1 if falls and known else None


def at_last(
    polynomial: Polynomial, known: Iterable[Inequality], ranges: Ranges
) -> Polynomial | None:
    """The polynomial with each symbol that is no launch symbol at its end, where an inequality
    gives one that the launch decides, and the polynomial grows with the symbol: the index of the
    last thread. The polynomial is not greater anywhere."""
    ends: dict[Symbol, Polynomial] = {}
    for fact in known:
        end = part_of_launch(fact.polynomial)
        if (symbol := (end - fact.polynomial).alone) is not None:
            ends.setdefault(symbol, end)
    for symbol in sorted(polynomial.symbols, key=order):
        if is_launch_symbol(symbol):
            continue
        for monomial, factor in polynomial.terms.items():
            rest = quotient(monomial, (symbol,))
            if rest is None:
                continue
            if factor < 0 or symbol in rest or product_range(rest, ranges)[0] < 0:
                return None
        if symbol not in ends:
            return None
        polynomial = polynomial.replaced({symbol: ends[symbol]})
    return polynomial


def launch_upper_bounds(
    dividend: Polynomial, by: Polynomial, known: Iterable[Inequality], ranges: Ranges
) -> Iterator[Polynomial]:
    """What the launch decides that the dividend is at most, by each inequality alone; of a multiple
    by parameters that are not negative, that of what is multiplied, unless the divisor is a factor
    of it: i*n < m*n has the quotient by m below n."""
    of, times = dividend, Polynomial.of(1)
    for symbol in common_symbols(dividend):
        if is_launch_symbol(symbol) and (ranges.get(symbol) or (symbol.low, 0))[0] >= 0:
            of, times = without_symbol(of, symbol), times * Polynomial.of(symbol)
    for fact in known:
        most = launch_upper_bound(of, fact.polynomial)
        if most is not None and fact.polynomial.symbols - most.symbols:
            whole = most * times
            if of is dividend or not any(quotient(m, p) for m in whole.terms for p in by.terms):
                yield whole


def launch_upper_bound(
    polynomial: Polynomial, fact: Polynomial, others: Collection[Symbol] = ()
) -> Polynomial | None:
    """The polynomial plus the multiple of an inequality that leaves launch symbols alone, or these
    ``others``: where the inequality holds, the polynomial is not greater. 8*i is at most 8*n - 8
    where i < n."""

    def decided(symbol: Symbol) -> bool:
        return symbol in others or is_launch_symbol(symbol)

    moving = (monomial for monomial in fact.terms if not all(map(decided, monomial)))
    monomial = next(moving, None)
    if monomial is None:
        return None
    factor, odd = divmod(-polynomial.terms.get(monomial, 0), fact.terms[monomial])
    most = polynomial.plus(fact, factor)
    return most if all(map(decided, most.symbols)) and not odd and factor > 0 else None


def remainder(symbol: Remainder) -> Iterable[Inequality]:
    left, of = Polynomial.of(symbol), symbol.quotient
    gap = of.dividend - of.divisor * Polynomial.of(of) - left
    for fact in (gap, -gap, left, of.divisor - left - 1, of.dividend - left):
        yield Inequality(fact, symbol)


def remainder_of_any(symbol: Remainder) -> Iterable[Inequality]:
    """``-b < r < b`` for what a division by a positive number leaves, of a number of any sign: it
    has the sign of that, or of the divisor where a quotient rounds down (PTX ISA 9.4, "rem")."""
    left, by = Polynomial.of(symbol), symbol.quotient.divisor
    yield Inequality(by - left - 1, symbol)
    yield Inequality(by + left - 1, OF_ANY_SIGN)
