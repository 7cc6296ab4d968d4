"""Bounds of sums of digits, held against every index and every base of a small box."""

from __future__ import annotations

from itertools import product

from hypothesis import given
from hypothesis import strategies as st

from analyses.polynomials.inequality import Inequality
from analyses.polynomials.polynomial import Polynomial, Symbol
from analyses.polynomials.symbols import Quotient, Remainder
from analyses.proofs.definitions import division
from analyses.proofs.inequalities import InequalitySystem
from analyses.proofs.mixed_radix import by_digits

N, D = Symbol("n", 1, 4, 0, 1), Symbol("d", 1, 4, 0, 2)
AT = Symbol("i", 0, 11, 2, 3)
n, d, i = map(Polynomial.of, (N, D, AT))
ROW = Quotient(i, d, (0, 100), 4)
COLUMN = Remainder(ROW, (0, 100), 5)
row, column = map(Polynomial.of, (ROW, COLUMN))
SYSTEM = InequalitySystem([
    *map(Inequality, (i, n * d - i - 1, n - 1, d - 1, n - row - 1)),
    *division(COLUMN),
])  # fmt: skip
FACTORS = st.builds(
    lambda a, b, c: Polynomial.of(a) + Polynomial.of(b) * n + Polynomial.of(c) * d,
    *[st.integers(-3, 3)] * 3,
)


def points() -> list[dict[Symbol, int]]:
    """The values of all symbols for each index that is less than the product of the bases."""
    found = product(range(1, 5), range(1, 5), range(12))
    return [
        {N: rows, D: base, AT: index, ROW: index // base, COLUMN: index % base}
        for rows, base, index in found
        if index < rows * base
    ]


@given(FACTORS, FACTORS, FACTORS)
def test_the_bound_of_a_sum_of_digits_is_one(a: Polynomial, b: Polynomial, c: Polynomial) -> None:
    goal = a * row + b * column + c
    for bound in by_digits(SYSTEM, goal):
        assert bound.least.symbols <= {N, D}
        for at in points():
            least = bound.integer(bound.least.value(at.__getitem__))
            assert least <= goal.value(at.__getitem__), f"{bound} for {goal}: {at}"


def test_an_index_that_is_put_together_anew_is_below_the_product_of_its_bases() -> None:
    (bound,) = by_digits(SYSTEM, -(column * n + row))
    assert bound.least == -(n * d) + 1


def test_a_factor_that_may_have_either_sign_has_no_bound() -> None:
    assert not list(by_digits(SYSTEM, (n - d) * row + column))
