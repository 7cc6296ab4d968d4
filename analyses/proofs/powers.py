"""Rounding by powers of two: of two of them the less divides the greater.

Where n and d are powers of two and d <= n, a multiple of d that is less than n is at most n - d: a
tree of sums that strides by d through n elements stays inside of these, and so does the last whole
group of d elements among n.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator
from math import gcd

from analyses.polynomials.inequality import Inequality
from analyses.polynomials.polynomial import Polynomial, Symbol, order
from analyses.polynomials.symbols import Quotient
from analyses.proofs.definitions import launch_upper_bound
from analyses.proofs.inequalities import InequalitySystem
from analyses.proofs.lower_bounds import decided_by_launch

Power = Callable[[Polynomial], bool]


def rounded_by_powers(facts: InequalitySystem, power: Power) -> Iterator[Inequality]:
    """The inequalities ``n - d*p >= c`` with d in place of c, where that may be more. A ``power``
    is a power of two where it is positive."""
    powers = {symbol for symbol in facts.by_symbol if power(Polynomial.of(symbol))}
    said = {fact.polynomial for fact in facts.known} if powers else set[Polynomial]()
    for fact in (*facts.known, *multiples_below(facts, powers)) if powers else ():
        if fact.polynomial.symbols.isdisjoint(powers):
            continue
        for end, of in ends(fact.polynomial, powers):
            by, short = divisor(of, powers), (end - of - fact.polynomial).constant or 0
            if by is None or by.range(facts.ranges)[1] <= short:
                continue
            found = (end - of - by).primitive()
            proved = found not in said and facts.entails(by - 1) is not None
            if proved and facts.entails(end - by) is not None:
                said.add(found)
                yield Inequality(found, fact.origin)


def multiples_below(facts: InequalitySystem, powers: Collection[Symbol]) -> Iterator[Inequality]:
    """The multiple of a divisor that a division rounds down to is at most what the dividend is at
    most. That the division rounds down is known, for its inequalities are."""
    halves = [symbol for symbol in powers if not symbol.rank]  # of powers that the launch decides
    rounding = {fact.origin: None for fact in facts.known if isinstance(fact.origin, Quotient)}
    for of in rounding:
        if of.divisor.constant is not None or not is_power(of.divisor, powers):
            continue
        below = of.divisor * Polynomial.of(of)
        most = facts.range(of.dividend)[1]
        if isinstance(most, int):
            yield Inequality(-below + most, of)
        for fact in facts.known:
            last = launch_upper_bound(of.dividend, fact.polynomial, halves)
            if last is not None and last.symbols:
                yield Inequality(last - below, of)


def is_power(polynomial: Polynomial, powers: Collection[Symbol]) -> bool:
    """True if it is a power of two where it is positive."""
    if len(polynomial.terms) != 1:
        return False
    ((monomial, factor),) = polynomial.terms.items()
    return factor > 0 and not factor & (factor - 1) and all(s in powers for s in monomial)


def ends(
    polynomial: Polynomial, powers: Collection[Symbol]
) -> Iterator[tuple[Polynomial, Polynomial]]:
    """Powers of two that are greater than what is subtracted from them, where the polynomial is not
    negative; and that."""
    constant = polynomial.terms.get((), 0)
    if constant >= 0:
        yield Polynomial.of(1 << constant.bit_length()), -(polynomial - constant)
        return
    for monomial, factor in polynomial.terms.items():
        end = Polynomial({monomial: factor})
        if monomial and is_power(end, powers):
            yield end, end - (polynomial - constant)


def divisor(polynomial: Polynomial, powers: Collection[Symbol]) -> Polynomial | None:
    """The greatest power of two, with a symbol in it, that each term is a multiple of."""
    shared: Counter[Symbol] | None = None
    for monomial in polynomial.terms:
        own = Counter(symbol for symbol in monomial if symbol in powers)
        shared = own if shared is None else shared & own
        if not shared:
            return None
    if shared is None:
        return None
    number = gcd(*polynomial.terms.values())
    return Polynomial({tuple(sorted(shared.elements(), key=order)): number & -number})


def divided_by_power(goal: Polynomial, power: Power) -> bool:
    """True if it is divided by a power of two that the launch decides: groups of so many elements
    are whole where a kernel is meant to run, though less is touched of one that is not."""
    quotients = (symbol for symbol in goal.parts if isinstance(symbol, Quotient))
    divisors = [of.divisor for of in quotients if of.divisor.constant is None]
    return any(power(by) and decided_by_launch(by) for by in divisors)
