"""Bounds of triangles: squares of integers, and guards that follow each other, at every point."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analyses.polynomials.inequality import Inequality
from analyses.polynomials.polynomial import Polynomial, Symbol
from analyses.polynomials.symbols import Quotient
from analyses.proofs.definitions import chained, division, squared
from analyses.proofs.inequalities import InequalitySystem
from analyses.proofs.squares import squares, without_square
from tests.laws.test_entailment import POINTS, points, polynomials, thorough

N = Symbol("n", -3, 6, 0, 1)
ROW, COLUMN = Symbol("i", -4, 6, 8, 2), Symbol("j", 0, 6, 8, 3)
n, i, j = (Polynomial.of(symbol) for symbol in (N, ROW, COLUMN))
SMALL = [
    dict(zip((N, ROW, COLUMN), numbers, strict=True))
    for numbers in product(range(-3, 7), range(-4, 7), range(7))
]


@thorough
@given(polynomials())
def test_what_is_left_without_a_square_is_not_greater(polynomial: Polynomial) -> None:
    for symbol in polynomial.symbols:
        least = without_square(polynomial, symbol, {})
        for at in POINTS if least is not None else ():
            assert polynomial.value(at.__getitem__) >= least.value(at.__getitem__)


@pytest.mark.parametrize("by", [1, 2, 3])
@pytest.mark.parametrize("more", range(-3, 4))
def test_a_square_has_the_least_value_that_it_takes(by: int, more: int) -> None:
    square = (i * i + i * n.scaled(2) + i.scaled(more)).scaled(by)
    least = without_square(square * j + n, ROW, {})
    assert least is not None
    assert ROW not in least.symbols
    for of_n in range(-2, 3):  # the root is in the range of i
        here = [at for at in SMALL if at[N] == of_n and at[COLUMN] == 1]
        values = {square.value(at.__getitem__) + of_n for at in here}
        assert min(values) == least.value(here[0].__getitem__)


def test_other_sums_have_no_square() -> None:
    for other in (i * i + i * n, n - i * i, i * i * n, i * i * i, i + j, i * i + i * j.scaled(3)):
        assert without_square(other, ROW, {}) is None


@thorough
@given(st.lists(polynomials(), max_size=4))
def test_a_chain_of_guards_holds_where_they_do(guards: list[Polynomial]) -> None:
    found = [fact.polynomial for fact in chained(map(Inequality, guards))]
    for at in points(guards):
        assert all(polynomial.value(at.__getitem__) >= 0 for polynomial in found)


def test_a_chain_of_guards_ends_where_the_last_does() -> None:
    k = Polynomial.of(Symbol("k", 0, 6, 8, 4))
    known = [j - i, k - j - 1, n - k - 1]
    found = [fact.polynomial for fact in chained(map(Inequality, known))]
    assert found == [n - j - 2, n - i - 2]


def half(polynomial: Polynomial) -> tuple[Polynomial, list[Inequality]]:
    quotient = Quotient(polynomial, Polynomial.of(2), polynomial.range(), 9)
    return Polynomial.of(quotient), [*division(quotient)]


TRIANGLES = {
    "from the diagonal on, by rows": (i * (n.scaled(2) - i + 1), j - i, n * n + n),
    "behind the diagonal, by rows": (i * (n.scaled(2) - i - 1), j - i - 1, n * n - n),
    "up to the diagonal, by rows": (j * (j + 1), i, n * n + n),
    "from the diagonal on, by columns": (i * (n.scaled(2) - i - 1), j, n * n + n),
}


@pytest.mark.parametrize("name", TRIANGLES)
def test_a_triangle_ends_with_its_last_element(name: str) -> None:
    twice, more, end = TRIANGLES[name]
    middle, said = half(twice)
    strict = name.startswith("behind")
    known = [*map(Inequality, (j - i - strict, n - j - 1, i)), *said]
    index = middle + more
    goal = -index - 1
    assert squared(goal)
    bounds = InequalitySystem([*known, *chained(known)]).least(goal)
    assert any(bound.rounded.least.scaled(2) == -end.scaled(bound.scale) for bound in bounds)
    for size in (2, 5, 6):
        fixed = {N: Polynomial.of(size)}
        facts = [Inequality(fact.polynomial.replaced(fixed), fact.origin) for fact in known]
        last = end.value({N: size}.__getitem__) // 2 - 1
        inside = (Polynomial.of(last) - index).replaced(fixed)
        assert InequalitySystem(facts).entails(inside) is not None
        assert InequalitySystem(facts).entails(inside - 1) is None


def test_a_product_of_neighbours_is_not_negative() -> None:
    known = InequalitySystem()
    assert known.entails(i * i - i) is not None
    assert known.entails((i - n) * (i - n - 1)) is not None
    assert known.entails(i * i - i - 1) is None
    assert [*squares(i * i - i, {})] == [i * i - i]
