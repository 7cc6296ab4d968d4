"""Bounds of maxima, of halves and of choices of numbers: each holds for all small numbers."""

from __future__ import annotations

from itertools import product

import pytest

from analyses.polynomials.inequality import Inequality
from analyses.polynomials.maxima import dominates
from analyses.polynomials.polynomial import Polynomial, Symbol
from analyses.polynomials.symbols import FIRST_RANK, Case, Choice, Quotient, Remainder
from analyses.program import Phi, Value
from analyses.proofs.choice_ranges import with_least
from analyses.proofs.definitions import (
    halved,
    quotient_limits,
    remainder,
    remainder_of_any,
)
from analyses.proofs.independent_parts import parts, sums
from analyses.proofs.invariant_sums import Recurrence, balanced, factors, scaled
from analyses.proofs.lower_bounds import Bound
from analyses.proofs.path_condition import PathCondition
from analyses.proofs.preconditions import ConditionalBound, Precondition

A, B = (Symbol(name, -4, 6, rank=FIRST_RANK, serial=i) for i, name in enumerate("ab"))
Y = Symbol("y", 0, 6, rank=FIRST_RANK, serial=2)
a, b, y, zero = Polynomial.of(A), Polynomial.of(B), Polynomial.of(Y), Polynomial.of(0)
ONE, OTHER = Value("p", 1), Value("q", 1)


def greatest(serial: int, *cases: Polynomial) -> Choice:
    return Choice("max", tuple(map(Case, cases)), True, FIRST_RANK, serial)


def chosen(predicate: Value, serial: int, one: Polynomial, other: Polynomial) -> Polynomial:
    cases = (Case(one, predicate), Case(other, predicate, False))
    return Polynomial.of(Choice("choice", cases, False, FIRST_RANK, serial))


def test_half_of_a_positive_number_is_less_than_it() -> None:
    half = Quotient(b - a, Polynomial.of(2), (-5, 5), FIRST_RANK)
    known = [Inequality(b - a - 1)]
    (found,) = halved(half, known)
    for low, high in product(range(-4, 7), range(-4, 7)):
        if low < high:
            of = {A: low, B: high, half: (high - low) // 2}
            assert found.polynomial.value(of.__getitem__) >= 0
    assert not list(halved(half, [Inequality(b - a)]))  # half of 0 is not less than 0


def test_a_product_is_not_more_when_one_is_doubled_and_the_other_halved() -> None:
    half = Quotient(b, Polynomial.of(2), (-2, 3), FIRST_RANK)
    phi = Phi(ONE, {0: ONE})
    grows = Recurrence(phi, A, Polynomial.of(1), a + a)
    falls = Recurrence(phi, B, y, Polynomial.of(half))
    ((product_, least),) = scaled(grows, falls)
    for now, left, first in product(range(1, 7), range(7), range(7)):
        of = {A: now, B: left, Y: first}
        after = {A: 2 * now, B: left // 2, Y: first}
        if product_.value(of.__getitem__) >= 0 and least.value(of.__getitem__) >= 0:
            assert product_.value(after.__getitem__) >= 0
            assert least.value(after.__getitem__) >= 0
    assert not list(scaled(falls, grows))


def test_what_one_place_gains_the_other_loses_on_one_of_two_ways() -> None:
    half = Polynomial.of(Quotient(b, Polynomial.of(2), (0, 3), FIRST_RANK))
    gains, loses = chosen(ONE, 6, half + 1, zero), chosen(ONE, 7, -half - 1, half - b)
    assert list(factors(gains, loses)) == [1]
    assert list(factors(gains.scaled(4), loses)) == [4]
    other = chosen(OTHER, 8, -half - 1, half - b)  # nothing says which of its cases goes with it
    assert 1 not in factors(gains, other)


def test_sums_are_sought_of_places_that_move_and_not_of_two_that_are_exchanged() -> None:
    phi = Phi(ONE, {})
    first, left = Recurrence(phi, A, zero, a + y), Recurrence(phi, B, y, b - y)
    assert list(balanced(first, left)) == [y - a - b, a + b - y]
    assert not list(balanced(Recurrence(phi, A, zero, b), Recurrence(phi, B, y, a)))


def test_choices_of_numbers_are_the_least_ones() -> None:
    flag, other = chosen(ONE, 6, Polynomial.of(1), zero), chosen(OTHER, 7, Polynomial.of(3), zero)
    assert with_least(a - flag + other.scaled(2)) == a - 1
    moving = chosen(ONE, 8, b, zero)
    assert with_least(a - flag.scaled(4) - moving) == a - 4 - moving


@pytest.mark.parametrize("factor", [1, 3])
@pytest.mark.parametrize("whole", [True, False])
def test_an_index_below_a_product_with_a_sum_is_divided_by_that(whole: bool, factor: int) -> None:
    """By no zero if it is not negative, and to less than what the sum is multiplied by; by a
    multiple of the sum, to a part of that."""
    by = a - b + 1
    of = Quotient(y, by.scaled(factor), (-9, 9), 5)
    below = by * by if whole else by * by + 1
    limits = list(quotient_limits(of, [Inequality(below - y - 1)]))
    assert limits == ([by - 1 - Polynomial.of(of).scaled(factor)] if whole else [])
    for numbers in product(range(-4, 7), range(-4, 7), range(7)):
        of_symbols: dict[Symbol, int] = dict(zip((A, B, Y), numbers, strict=True))
        d, x = (p.value(of_symbols.__getitem__) for p in (by, y))
        if limits and d >= 0 and x < d * d:
            assert d > 0
            of_symbols[of] = x // (factor * d)
            assert limits[0].value(of_symbols.__getitem__) >= 0


@pytest.mark.parametrize("known", [True, False])
def test_what_a_division_leaves_is_divided_as_the_difference_that_it_is(known: bool) -> None:
    """Of n - 4*m*(n//(4*m)) below m*(r - 4*(n//(4*m))), where the division rounds down."""
    first = Quotient(y, b.scaled(4), (-9, 9), 5)
    group = Polynomial.of(first).scaled(4)
    left = Remainder(first, (-9, 9), 6)
    of = Quotient(Polynomial.of(left), a - group, (-9, 9), 7)
    said = [Inequality(a * b - y - 1)]
    if known:
        said += remainder(left)
    limits = list(quotient_limits(of, said))
    assert (b - 1 - Polynomial.of(of) in limits) == known


def test_what_any_division_by_a_positive_number_leaves_is_less_than_that() -> None:
    """Whichever way the quotient of a negative number is rounded."""
    symbol = Remainder(Quotient(y, b, (-9, 9), 5), (-9, 9), 6)
    for x, by in product(range(-9, 10), range(1, 5)):
        for quotient in (x // by, -(-x // by)):
            values: dict[Symbol, int] = {B: by, symbol: x - by * quotient}
            for fact in remainder_of_any(symbol):
                assert fact.polynomial.value(values.__getitem__) >= 0


def test_a_number_is_no_greater_than_itself_with_its_quotient_or_zero() -> None:
    """A limit of an index that is rounded as a float, and the index: of a//4 and -a one is not
    negative; of b and -a none may be."""
    quarter = Quotient(a, Polynomial.of(4), (-1, 1), 6)
    rounded = greatest(7, a + Polynomial.of(quarter), zero)
    assert dominates(Polynomial.of(rounded), a) and dominates(-a, -Polynomial.of(rounded))
    assert not dominates(Polynomial.of(greatest(8, a + b, zero)), a)
    assert not dominates(Polynomial.of(rounded), a + 1)
    assert all(max(n + n // 4, 0) >= n for n in range(-4, 7))


def test_sums_of_parts_have_the_bounds_of_each_of_their_cases() -> None:
    x, z = Symbol("x", 0, 9), Symbol("z", 0, 9)
    one = [ConditionalBound(Polynomial.of(x)), ConditionalBound(Polynomial.of(3))]
    other = [ConditionalBound(Polynomial.of(z), (Precondition(Polynomial.of(x) - 1),))]
    found = sums([one, other])
    assert [bound.least for bound in found] == [
        Polynomial.of(x) + Polynomial.of(z),
        Polynomial.of(z) + 3,
    ]
    assert [len(bound.preconditions) for bound in found] == [1, 1]
    half = ConditionalBound(Polynomial.of(x), (), Bound(Polynomial.of(x), 2, ()))
    assert sums([one, [half]]) == []
    assert sums([one] * 5) == []


def test_parts_are_apart_unless_a_term_or_a_fact_has_both() -> None:
    guard = PathCondition((Inequality(a - b),))
    assert parts(a + b + y, PathCondition(())) == [a, b, y]
    assert parts(a + b + y, guard) == [a + b, y]
    assert parts(a * b + y + 2, PathCondition(())) == [Polynomial.of(2), a * b, y]
