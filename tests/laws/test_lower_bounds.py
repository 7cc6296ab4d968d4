"""Lower bounds that are derived as those of a system with other constants."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analyses.polynomials.inequality import Inequality
from analyses.polynomials.polynomial import Polynomial, Symbol
from analyses.proofs.bounds_at_point import met_at_point, of_known_sign
from analyses.proofs.inequalities import InequalitySystem
from analyses.proofs.lower_bounds import OF_ANY_SIGN, Bound, Derivations
from analyses.proofs.path_condition import PathCondition
from analyses.proofs.search_budget import Budget
from tests.laws.test_entailment import Case, cases, points, thorough

SIZE, EXTENT = Symbol("n", -(2**31), 2**31 - 1, 0, 1), Symbol("ntid.x", 1, 1024, 0, 2)
THREAD = Symbol("tid.x", 0, 1023, 2, 3)
N, NTID, TID = (Polynomial.of(symbol) for symbol in (SIZE, EXTENT, THREAD))


@thorough
@given(cases(), st.lists(st.integers(-6, 6), min_size=6, max_size=6))
def test_a_bound_derived_as_an_earlier_one_holds(case: Case, by: list[int]) -> None:
    known, goal = case
    moved = [fact.shifted(more) for fact, more in zip(known, by, strict=False)]
    earlier: Derivations = {}
    for facts in (known, moved):
        left = points(facts)
        for bound in InequalitySystem(map(Inequality, facts), derivations=earlier).least(goal):
            for at in left:
                least = bound.integer(bound.least.value(at.__getitem__))
                assert goal.value(at.__getitem__) >= least, f"{goal} from {facts}: {bound.least}"


def unrolled(k: int) -> tuple[list[Inequality], Polynomial]:
    """The guard ``tid.x + 32*k < n`` of an unrolled access, and the bytes behind it."""
    known = [N - TID - 32 * k - 1, NTID - TID - 1]
    return [*map(Inequality, known)], TID.scaled(-4) - 128 * k - 4


@pytest.mark.parametrize("k", [1, 2, 7])
def test_the_bounds_of_unrolled_accesses_take_one_search(k: int) -> None:
    derivations: Derivations = {}
    first, goal = unrolled(0)
    searched = [*InequalitySystem(first, derivations=derivations).least(goal)]
    known, goal = unrolled(k)
    budget = Budget(1_000)
    found = [*InequalitySystem(known, budget, derivations).least(goal)]
    assert 1_000 - budget.left == len(searched)  # each eliminates the thread once
    assert leasts(found) == leasts([*InequalitySystem(known).least(goal)])
    assert N.scaled(-4) in leasts(found)


def leasts(bounds: list[Bound]) -> list[Polynomial]:
    return [bound.least for bound in bounds]


def test_another_sign_takes_another_search() -> None:
    """A product with ``n`` has a bound by the thread only where ``n`` is not negative."""
    derivations: Derivations = {}
    goal = -N * TID
    for least, bounded in ((0, True), (-1, False)):
        known = [*map(Inequality, (N - least, NTID - TID - 1))]
        found = leasts([*InequalitySystem(known, derivations=derivations).least(goal)])
        assert (N - N * NTID in found) is bounded


def test_a_negative_factor_turns_an_inequality() -> None:
    """``(tid.x + 1 - n)*step`` for a negative step is not negative where ``tid.x < n``."""
    step = Polynomial.of(Symbol("step", -8, 7, 0, 4))
    goal = (TID + 1 - N) * step
    for sign, bounded in ((-1, True), (1, False)):
        known = [*map(Inequality, (N - TID - 1, step.scaled(sign) - 1))]
        found = leasts([*InequalitySystem(known).least(goal)])
        assert (Polynomial.of(0) in found) is bounded


@thorough
@given(cases(), st.integers(-3, 3))
def test_a_bound_by_ranges_at_a_point_holds(case: Case, most: int) -> None:
    known, goal = case
    facts = [*known, *(Polynomial.of(symbol).scaled(-1) + most for symbol in goal.symbols)]
    system = InequalitySystem(map(Inequality, facts))
    premises = PathCondition(tuple(map(Inequality, facts)))
    for bound in met_at_point([*system.least(goal)], premises, system.ranges):
        assert all(goal.value(at.__getitem__) >= 0 for at in points(facts)), bound.least


@pytest.mark.parametrize("known", [True, False])
def test_a_factor_may_have_its_sign_by_an_inequality(known: bool) -> None:
    """``n - w`` places of each row end with those of the last one, if n is not less than w."""
    rows, width = (Symbol(name, 0, 2**31 - 1, 0, 4 + i) for i, name in enumerate("rw"))
    r, w = map(Polynomial.of, (rows, width))
    said = [r - TID - 1, *([N - w] if known else [])]
    bounds = InequalitySystem(map(Inequality, said)).least(-TID * (N - w), by_sums=True)
    assert ((r - 1) * (w - N) in leasts([*bounds])) is known


def test_what_a_path_condition_says_is_asked_of_no_launch() -> None:
    """``n - ntid.x`` where that is not less than 1 is as good as 0; where nothing says so it is
    not."""
    bounds = [Bound(N - NTID, 1, ())]
    said = PathCondition((Inequality(N - NTID - 1),))
    assert [bound.least for bound in met_at_point(bounds, said, {})] == [Polynomial.of(0)]
    assert not met_at_point(bounds, PathCondition((Inequality(N - NTID + 1),)), {})


def test_no_launch_is_asked_for_a_division_that_leaves_nothing() -> None:
    """``1 - n`` bounds what is left of any number from below: as a number it is of use only."""
    left = Inequality(TID + N - 1, OF_ANY_SIGN)
    asking, sure = Bound(-N + 1, 1, (left,)), Bound(NTID, 1, (left,))
    assert of_known_sign([asking, sure, Bound(-N + 1, 1, ())]) == [sure, Bound(-N + 1, 1, ())]
