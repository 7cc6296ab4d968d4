"""No wrap: interpretations that equal their polynomials (LLVM's nsw and nuw)."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import NamedTuple

from msgspec import Struct

from analyses.polynomials.division import greatest_product, quotient, times_monomial
from analyses.polynomials.inequality import Inequality
from analyses.polynomials.modular import ModularPolynomials
from analyses.polynomials.polynomial import Polynomial, Symbol, order
from analyses.polynomials.symbols import (
    Choice,
    Interpretation,
    Quotient,
    choices,
    deep,
    selects,
    type_range,
)
from analyses.proofs.definitions import divided_by, divides
from analyses.proofs.lower_bounds import decided_by_launch
from analyses.proofs.path_condition import PathCondition
from analyses.proofs.path_conditions import PathConditions
from analyses.proofs.preconditions import Precondition, unique

ADDRESS_BITS = 64


class Fits(NamedTuple):
    """The interpretation of a word equals ``polynomial`` in launches that meet the
    preconditions."""

    polynomial: Polynomial
    preconditions: list[Precondition]


class NoWrap(Struct, eq=False):
    """A substitution of interpretations by polynomials. ``fits`` justifies each; ``by`` maps each
    to a polynomial without any of them."""

    fits: Mapping[Interpretation, Fits]
    by: Mapping[Symbol, Polynomial]

    @classmethod
    def of(cls, fits: Mapping[Interpretation, Fits], integers: ModularPolynomials) -> NoWrap:
        """Substitutes in order of rank, then once more with the later ones."""
        by: dict[Symbol, Polynomial] = {}
        for interpretation in sorted(fits, key=order):
            by[interpretation] = integers.respelt(fits[interpretation].polynomial, by)
        return cls(
            fits,
            {interpretation: integers.respelt(spelt, by) for interpretation, spelt in by.items()},
        )

    def only(self, chosen: Collection[Interpretation], integers: ModularPolynomials) -> NoWrap:
        return self.of({r: fit for r, fit in self.fits.items() if r in chosen}, integers)

    @property
    def said(self) -> PathCondition:
        """That the polynomials of unsigned integers that never wrap are not negative: the ranges of
        the integers said so. ``(unsigned)(i - 1) < n`` leaves out ``i = 0``."""
        free = (word for word, fit in self.fits.items() if not fit.preconditions)
        each = ((self.by[word], word) for word in free if not word.signed)
        return PathCondition(
            tuple(Inequality(equal, word) for equal, word in each if equal.range()[0] < 0)
        )

    @property
    def divided(self) -> PathCondition:
        """The signs of parameters that are divided by others in the polynomials, or divide, as far
        as they are preconditions: what bounds ``(w//step)*(h//step)``."""
        parts = (part for each in self.by.values() for part in each.parts if part.rank == 0)
        quotients = (part for part in parts if isinstance(part, Quotient))
        by_others = (each for each in quotients if each.divisor.constant is None)
        divided = frozenset[Symbol]().union(*(each.parts for each in by_others))
        needs = (precondition.polynomial for precondition in self.preconditions)
        return PathCondition(
            tuple(
                Inequality(need)
                for need in needs
                if (need - need.terms.get((), 0)).alone in divided
            )
        )

    @property
    def preconditions(self) -> tuple[Precondition, ...]:
        return tuple(
            unique(precondition for fit in self.fits.values() for precondition in fit.preconditions)
        )


def replaced(
    integers: ModularPolynomials,
    premises: PathCondition,
    goal: Polynomial,
    by: Mapping[Symbol, Polynomial],
) -> tuple[PathCondition, Polynomial]:
    """With equal polynomials substituted for symbols."""
    if not by:
        return premises, goal
    respelt = integers.respelling(by)
    return premises.mapped(respelt), respelt(goal)


def simpler(interpretation: Interpretation) -> tuple[object, ...]:
    """A sort key: interpretations that others may be written by come first."""
    return len(interpretation.polynomial.terms), order(interpretation)


def compared(premises: PathCondition, width: int) -> list[Interpretation]:
    """The interpretations of words of at least this width that a path condition compares."""
    symbols = {symbol for known in premises.polynomials for symbol in known.symbols}
    found = [s for s in symbols if isinstance(s, Interpretation) and s.width >= width]
    return sorted(found, key=order)


def compared_unsigned(premises: PathCondition, goal: Polynomial) -> set[Interpretation]:
    """The unsigned integers that threads compute and guards compare, which may be those of negative
    words, ``(unsigned)(i - 1) < n`` leaves out ``i = 0``, and with which the goal grows."""
    grows = {part for m, c in goal.terms.items() if c > 0 for symbol in m for part in symbol.parts}
    symbols = {symbol for known in premises.polynomials for symbol in known.symbols & grows}
    words = (symbol for symbol in symbols if isinstance(symbol, Interpretation) and symbol.rank)
    return {word for word in words if not word.signed and word.polynomial.range()[0] < 0}


def substituted(
    polynomial: Polynomial, interpretation: Interpretation, multiples: bool = False
) -> Polynomial:
    """The polynomial with the interpretation in place of the last monomial of its own
    polynomial, modulo 2**width of the interpretation; that has the factor 1 or -1, unless
    ``multiples`` of another one may be written so."""
    last = greatest_product(interpretation.polynomial)
    factor = interpretation.polynomial.terms[last]
    gap = interpretation.polynomial - Polynomial.of(interpretation)
    if not last or (abs(factor) != 1 and not multiples):
        return polynomial
    for monomial, coefficient in polynomial.terms.items():
        rest = quotient(monomial, last)
        if rest is not None and coefficient % factor == 0:
            polynomial = polynomial.plus(times_monomial(gap, rest), -coefficient // factor)
    return polynomial


def by_interpretations(interpretation: Interpretation, premises: PathCondition) -> Polynomial:
    """The polynomial of the word modulo 2**width, written with the interpretations that the path
    condition compares, the longest first: where that is shorter, or as long with that of a symbol,
    which may be unsigned where the symbol is negative."""
    result, others = interpretation.polynomial, compared(premises, interpretation.width)
    for other in sorted(others, key=lambda of: -len(of.polynomial.terms)):
        if simpler(other) >= simpler(interpretation):
            continue  # else the two could be written by each other
        found = substituted(result, other)
        if len(found.terms) < len(result.terms) + (other.polynomial.alone is not None):
            result = found
    return result


def by_compared(premises: PathCondition, width: int, polynomial: Polynomial) -> Polynomial:
    """The polynomial modulo 2**width, with integers that the path condition compares in place of
    what they are, as long as that makes it shorter."""
    others = compared(premises, width)
    while True:
        ways = [substituted(polynomial, other, multiples=True) for other in others]
        best = min(ways, key=lambda way: len(way.terms), default=polynomial)
        if len(best.terms) >= len(polynomial.terms):
            return polynomial
        polynomial = best


class Aim(Struct, frozen=True):
    """A goal at a program point."""

    premises: PathCondition
    goal: Polynomial


class Attempt(Struct):
    """Aims that imply that an interpretation equals a polynomial, under preconditions."""

    polynomial: Polynomial
    aims: list[Aim]
    preconditions: Sequence[Precondition] = ()


def in_one_iteration(interpretation: Interpretation, premises: PathCondition) -> Iterator[Attempt]:
    """Goals that imply that it is a polynomial congruent to it modulo 2**width: that one lies in
    the type; or, if something is known of the interpretation itself, the two differ by less than
    2**width. The polynomial is the word's own, or has other interpretations in it; that of an
    unsigned integer is also its own and 2**width, where its own is negative: ``row - height`` where
    ``row < height``, of which a compiler takes the greatest and -32."""
    own, integer = interpretation.polynomial, Polynomial.of(interpretation)
    low, high = type_range(interpretation.width, interpretation.signed)
    said = any(interpretation in known.symbols for known in premises.polynomials)
    for equal in dict.fromkeys((own, by_interpretations(interpretation, premises))):
        yield Attempt(equal, [Aim(premises, equal - low), Aim(premises, -equal + high)])
        if said:
            apart, most = equal - integer, high - low
            yield Attempt(equal, [Aim(premises, apart + most), Aim(premises, -apart + most)])
    if not interpretation.signed and own.range()[0] < 0:
        period = high + 1
        yield Attempt(own + period, [Aim(premises, -own - 1), Aim(premises, own + period)])


def by_induction(
    interpretation: Interpretation,
    premises: PathCondition,
    conditions: PathConditions,
    fits: Callable[[Interpretation, PathCondition], Fits | None],
) -> Iterator[Attempt]:
    """By induction over the iterations of a loop that adds a step, and changes nothing else in it:
    if the first one ``fits``, and the interpretation does not wrap in an iteration with a
    successor, and one more step stays inside the type, it does not wrap in the successor. Premises
    that concern names defined before the loop hold at the point, so they held in all earlier
    iterations. If the first one equals another polynomial than its own, any one is that and as many
    steps; also if it equals itself alone, of a word that is extended to an address."""
    polynomial, symbolic = interpretation.polynomial, conditions.symbolic
    low, high = type_range(interpretation.width, interpretation.signed)
    counters = {c: head for head, c in symbolic.counters.items() if c in polynomial.symbols}
    if not counters:
        return
    counter = max(counters, key=lambda c: c.rank)
    loop, integers = symbolic.loops[counters[counter]], symbolic.integers
    following = integers.rewritten(polynomial, {counter: Polynomial.of(counter) + 1})
    start = integers.rewritten(polynomial, {counter: Polynomial.of(0)})
    if following is None or start is None or counter in deep(following - polynomial):
        return
    if not symbolic.heads.outside(start, loop):  # an iteration changes it by more than the step
        return
    lasting = premises.where(lambda polynomial: symbolic.heads.outside(polynomial, loop))
    (latch,) = loop.latches
    before, after = conditions.entry(loop) + lasting, conditions.at(latch) + lasting
    last = Polynomial.of(interpretation) + (following - polynomial)
    aims, needs = [Aim(after, last - low), Aim(after, -last + high)], list[Precondition]()
    first = integers.interpret(interpretation.width, interpretation.signed, start)
    if first != start:
        inner = first.alone
        fit = fits(inner, before) if isinstance(inner, Interpretation) else None
        if fit is None:
            if interpretation.width < ADDRESS_BITS:
                yield Attempt(first + (polynomial - start), aims)
            return
        if fit.polynomial == start:
            needs = fit.preconditions
        else:
            if not fit.preconditions:
                yield Attempt(fit.polynomial + (polynomial - start), aims)
            aims = [Aim(before, start - low), Aim(before, -start + high), *aims]
    yield Attempt(polynomial, aims, needs)


def lessening(goal: Polynomial) -> list[Choice]:
    """The maxima that the goal is less with: what bounds them from below does not bound it."""
    symbols = (symbol for monomial, by in goal.terms.items() if by < 0 for symbol in monomial)
    return [symbol for symbol in symbols if isinstance(symbol, Choice) and symbol.greatest]


def divisors_in(goal: Polynomial) -> list[Polynomial]:
    """What is divided by in the terms of the goal, where that it rounds down needs a proof."""
    return [divided_by(symbol).divisor for symbol in goal.symbols if divides(symbol)]


def in_divisors(goal: Polynomial) -> list[Choice]:
    """The maxima that a divisor in the goal is less with, as the rows of the last group are: it
    divides if it is positive."""
    return [choice for divisor in divisors_in(goal) for choice in lessening(divisor)]


def between_launch(choice: Choice) -> bool:
    """True if it is selected from numbers that the launch decides."""
    return selects(choice) and all(decided_by_launch(case.polynomial) for case in choice.cases)


def deciding(aim: Aim) -> Choice | None:
    """The youngest maximum that the goal, or a divisor in it, is less with, or choice between
    numbers of the launch: a loop that ends at one of two parameters. None if there is none."""
    every = choices((aim.goal, *aim.premises.polynomials))
    found = lessening(aim.goal) or in_divisors(aim.goal) or filter(between_launch, every)
    return max(found, key=order, default=None)
