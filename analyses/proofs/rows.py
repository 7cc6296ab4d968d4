"""Rows of a division by what the launch decides: how many there are, and the rests of rows.

An index x is in row x//d. If it is below n*d, the row is below n. And where each row has a part of
its own, s of its d elements, and x lies behind it, then s < d, and the rests of all rows before
this one have (x//d)*(d - s) elements, at most as many as those of n - 1 rows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from analyses.polynomials.division import split
from analyses.polynomials.inequality import Inequality
from analyses.polynomials.polynomial import Polynomial
from analyses.polynomials.symbols import LaunchQuotient, Quotient
from analyses.proofs.definitions import closure
from analyses.proofs.inequalities import InequalitySystem
from analyses.proofs.lower_bounds import decided_by_launch, is_launch_symbol

MakeSystem = Callable[[list[Inequality]], InequalitySystem]
"""The system of these inequalities alone."""


def rows(facts: InequalitySystem, system: MakeSystem) -> Iterator[Inequality]:
    """What is not known yet of the quotients by what the launch decides."""
    said = {fact.polynomial for fact in facts.known}
    for of in dict.fromkeys(f.origin for f in facts.known if isinstance(f.origin, Quotient)):
        if decided_by_launch(of.divisor):
            found = of_rows(facts, of, system) if of.divisor.symbols else of_numbers(facts, of)
            for polynomial in found:
                if polynomial.replaced(facts.solved).primitive() not in said:
                    yield Inequality(polynomial, of)


def of_rows(facts: InequalitySystem, of: Quotient, system: MakeSystem) -> Iterator[Polynomial]:
    """That rows are below a number, and what that and s <= x - d*(x//d) <= d - 1 say of the rests:
    0 <= x//d*(d - s) <= (n - 1)*(d - s)."""
    row = Polynomial.of(of)
    ends = [
        end
        for fact in with_moving(facts, -row)
        if decided_by_launch(end := fact + row) and end.symbols
    ]
    if not any(map(plain, ends)):
        more = [end - 1 for end in multiples(facts, of.divisor) if below(facts, of, end)]
        yield from (end - row for end in more)
        ends += more
    if not ends:
        yield from farthest(facts, of, system)
    left = of.dividend.replaced(facts.solved) - of.divisor * row
    for own in (left - fact for fact in with_moving(facts, left)):
        if decided_by_launch(own) and own.symbols:
            yield from (number * (of.divisor - own) for number in (row, *(e - row for e in ends)))


def with_moving(facts: InequalitySystem, polynomial: Polynomial) -> list[Polynomial]:
    """The inequalities that have one of its terms that the launch does not decide; all if there is
    none: the others differ from it by that."""
    for monomial, factor in polynomial.terms.items():
        moving = next((symbol for symbol in monomial if not is_launch_symbol(symbol)), None)
        if moving is not None:
            having = facts.by_symbol.get(moving, ())
            return [f.polynomial for f, part, by in having if part == monomial and by == factor]
    return [fact.polynomial for fact in facts.known]


def of_numbers(facts: InequalitySystem, of: Quotient) -> Iterator[Polynomial]:
    """That a quotient by a number is at most the greatest dividend by it, rounded down, where
    several facts together bound that: i < 288 as i begins below 64 and has so many steps. It is
    asked where the launch is declared, and so all else are numbers."""
    if any(map(is_launch_symbol, facts.by_symbol)):
        return
    divisor = of.divisor.constant or 1
    bounds = ((bound.least.constant, bound.scale) for bound in facts.least(-of.dividend))
    lasts = (-least // scale for least, scale in bounds if least is not None)
    end = min((last // divisor for last in lasts), default=None)
    if end is not None and end < Polynomial.of(of).range(facts.ranges)[1]:
        yield Polynomial.of(end) - Polynomial.of(of)


def below(facts: InequalitySystem, of: Quotient, end: Polynomial) -> bool:
    """True if the dividend is proved to be less than so many times the divisor."""
    dividend = of.dividend.replaced(facts.solved)
    return (
        not decided_by_launch(dividend)
        and facts.entails(end * of.divisor - dividend - 1) is not None
    )


def farthest(facts: InequalitySystem, of: Quotient, system: MakeSystem) -> Iterator[Polynomial]:
    """That the row is below a number, if what the dividend is made of ends with whole rows: where
    two threads t share one of the d rows of a plane z, t//2 + (d//2)*z is below d*planes."""
    behind, _ = closure(of.dividend.symbols)
    made = system([*facts.known, *behind])
    for bound in made.least(-of.dividend, by_sums=True):
        end = whole_rows(-bound.least, of.divisor)
        if end is not None:
            yield end - 1 - Polynomial.of(of).scaled(bound.scale)


def whole_rows(last: Polynomial, divisor: Polynomial) -> Polynomial | None:
    """The number of rows that end right behind the last element, or later; None if it is no
    multiple of these."""
    whole, rest = split(last, divisor)
    return whole if rest.constant is not None and rest.constant < 0 else None


def multiples(facts: InequalitySystem, divisor: Polynomial) -> list[Polynomial]:
    """By what a product is multiplied where indices of threads are compared with a multiple that
    the launch decides: no row of another division, as in ``x < (row + 1)*width*height``."""
    found = dict[Polynomial, None]()
    for fact in (f.polynomial for f in facts.known):
        by = {m: c for m, c in split(fact, divisor)[0].terms.items() if m and c > 0}
        own = all(is_launch_symbol(symbol) for monomial in by for symbol in monomial)
        if by and own and not decided_by_launch(fact):
            found |= {Polynomial({monomial: factor}): None for monomial, factor in by.items()}
    return list(found)


def plain(polynomial: Polynomial) -> bool:
    """True if it has no quotient of the launch, which is not less."""
    return not any(isinstance(symbol, LaunchQuotient) for symbol in polynomial.symbols)
