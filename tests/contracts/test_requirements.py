"""The fewest requirements that imply all of them."""

from __future__ import annotations

from analyses.polynomials.polynomial import Polynomial, Symbol
from analyses.polynomials.symbols import LaunchQuotient
from ptxlint.inference.requirements import fewest, of_dividend

ROWS = [Polynomial.of(number) for number in range(64)]  # each above those before


def test_what_a_few_imply_is_asked_about_once() -> None:
    """One implies all others: the questions are as many as the items, not as their pairs."""
    asked: list[Polynomial] = []

    def covered(item: Polynomial, others: list[Polynomial]) -> bool:
        asked.append(item)
        return any((other - item).range()[0] >= 0 for other in others)

    assert fewest(ROWS, covered) == ROWS[-1:]
    assert len(asked) < 4 * len(ROWS)


def test_what_covers_another_one_is_not_removed_with_it() -> None:
    """Two that imply each other: one is kept, though each is implied by the other."""
    same = [Polynomial.of(1), Polynomial.of(1)]
    assert len(fewest(same, lambda item, others: item in others)) == 1


def test_a_quotient_is_at_least_one_where_its_dividend_is_the_divisor() -> None:
    width = Polynomial.of(Symbol("width", -8, 8, 0, 0))
    quarter = Polynomial.of(LaunchQuotient(width, Polynomial.of(4), 1))
    assert of_dividend(quarter - 1) == width - 4
    assert of_dividend(quarter - 2) == width - 8


def test_a_quotient_that_may_be_zero_stays() -> None:
    """Division rounds -3 to 0 in one way and to -1 in the other."""
    width = Polynomial.of(Symbol("width", -8, 8, 0, 0))
    quarter = Polynomial.of(LaunchQuotient(width, Polynomial.of(4), 1))
    assert of_dividend(quarter) == quarter
    assert of_dividend(quarter.scaled(2) - 1) == quarter.scaled(2) - 1
