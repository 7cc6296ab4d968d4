"""Steps are shared: a hard access leaves enough for the others, and what was cut may be found
later."""

from __future__ import annotations

import pytest

from analyses.polynomials.inequality import Inequality
from analyses.polynomials.polynomial import Polynomial, Symbol
from analyses.proofs.inequalities import InequalitySystem
from analyses.proofs.search_budget import Budget
from ptxlint.inference.attempts import LOOSE, attempt_each, first_open


@pytest.mark.parametrize(("hardest", "reason"), [(300, None), (5000, "budget")])
def test_the_steps_that_the_others_leave_are_for_the_hard_ones(
    hardest: int, reason: str | None
) -> None:
    budget = Budget(1000)

    def attempt(cost: int) -> str | None:
        budget.left = max(budget.left - cost, -1)
        return None if budget.left >= 0 else "loop"

    assert attempt_each(budget, [hardest, 10, 10, 10], attempt) == [reason, None, None, None]


def test_a_better_result_is_sought_last_with_the_steps_that_are_left() -> None:
    budget, repeated = Budget(900), list[str]()

    def attempt(place: str) -> str | None:
        cost, reason = {"loose": (200, LOOSE), "cut": (400, "loop"), "easy": (0, None)}[place]
        budget.left = max(budget.left - cost, -1)
        return reason

    def again(place: str) -> str | None:
        repeated.append(place)
        return None

    assert attempt_each(budget, ["loose", "cut", "easy"], attempt, again) == [None, None, None]
    assert repeated == ["cut", "loose"]


def test_accesses_that_are_alike_have_one_part_of_the_steps_together() -> None:
    budget, made = Budget(1000), list[str]()

    def attempt(place: str) -> str | None:
        made.append(place)
        budget.left = max(budget.left - (400 if place == "a0" else 10), -1)
        return None if budget.left >= 0 else "loop"

    places = ["a0", "a1", "a2", "b"]
    assert attempt_each(budget, places, attempt, alike=lambda place: place[0]) == [None] * 4
    assert made == places


def test_behind_an_access_that_stays_open_no_other_is_tried() -> None:
    made = []

    def attempt(place: str) -> str | None:
        made.append(place)
        return "loop" if place == "open" else None

    assert first_open(Budget(1000), ["inside", "open", "behind"], attempt) == ("open", "loop")
    assert made == ["inside", "open"]


def test_a_proof_that_was_cut_is_found_with_more_steps() -> None:
    n, m, row, column = (
        Polynomial.of(Symbol(name, 0, serial=i)) for i, name in enumerate(("n", "m", "r", "c"))
    )
    budget = Budget(0)
    system = InequalitySystem([Inequality(n - row - 1), Inequality(m - column - 1)], budget)
    inside = n * m - row * m - column - 1
    assert system.entails(inside) is None
    budget.left = 1000
    assert system.entails(inside) is not None
