"""What follows from inequalities, held against every point of a small box.

Random known polynomials and goals over symbols with small ranges: a goal that is entailed is not
negative at any point where all that is known is true; a lower bound is one there; and no such point
lies outside of the ranges that symbols are narrowed to.
"""

from __future__ import annotations

from itertools import islice, product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analyses.polynomials.inequality import Inequality, implied, not_least_of_progression
from analyses.polynomials.polynomial import Polynomial, Symbol
from analyses.polynomials.stated import StatedFacts
from analyses.polynomials.symbols import Case as ChoiceCase
from analyses.polynomials.symbols import Choice, LaunchQuotient, Quotient
from analyses.proofs.cutting_planes import cuts
from analyses.proofs.definitions import closure, division
from analyses.proofs.disequalities import one_sided
from analyses.proofs.inequalities import InequalitySystem
from analyses.proofs.refutation import Refutation
from analyses.typical_launch import (
    holds_for_any_sizes,
    holds_for_sizes,
    holds_in_a_small_launch,
)

Point = dict[Symbol, int]
Case = tuple[list[Polynomial], Polynomial]  # what is known, and the goal

LAUNCH = (Symbol("n", -3, 4, 0, 1), Symbol("m", 0, 5, 0, 2))
THREAD = (Symbol("i", -2, 3, 2, 3), Symbol("j", 0, 4, 3, 4))
SYMBOLS = (*LAUNCH, *THREAD)
POINTS: list[Point] = [
    dict(zip(SYMBOLS, numbers, strict=True))
    for numbers in product(*(range(int(s.low), int(s.high) + 1) for s in SYMBOLS))
]


@st.composite
def polynomials(draw: st.DrawFn) -> Polynomial:
    """A few small terms, some of them products, and a constant."""
    total = Polynomial.of(draw(st.integers(-6, 6)))
    for _ in range(draw(st.integers(1, 3))):
        term = Polynomial.of(draw(st.sampled_from((1, 1, 1, -1, -1, 2, -2, 3, -4))))
        for symbol in draw(st.lists(st.sampled_from(SYMBOLS), min_size=1, max_size=2)):
            term = term * Polynomial.of(symbol)
        total = total + term
    return total


def points(known: list[Polynomial]) -> list[Point]:
    """Where nothing that is known is negative."""
    return [at for at in POINTS if all(p.value(at.__getitem__) >= 0 for p in known)]


@st.composite
def cases(draw: st.DrawFn) -> Case:
    """What is known, equalities too, and a goal: any, or what comes of multiplying what is known
    with symbols, whatever sign they have."""
    known = draw(st.lists(polynomials(), max_size=4))
    known += [-fact for fact in known[:2] if draw(st.booleans())]  # they are 0
    goal = draw(polynomials())
    if draw(st.booleans()):
        for fact in known[:2]:
            goal = goal + fact * Polynomial.of(draw(st.sampled_from((1, 2, *SYMBOLS))))
    return known, goal


thorough = settings(max_examples=200, deadline=None)


@thorough
@given(cases())
def test_what_is_entailed_is_nowhere_negative(case: Case) -> None:
    """The goal is moved to where it is just not implied, and to where it just is."""
    known, goal = case
    facts, left = InequalitySystem(map(Inequality, known)), points(known)
    if not left:
        return
    least = min(goal.value(at.__getitem__) for at in left)
    assert facts.entails(goal - (least + 1)) is None, f"{goal} - {least + 1} from {known}"
    assert facts.entails(goal - least - 2) is None


@thorough
@given(cases(), polynomials(), st.integers(2, 4), st.sampled_from((0, 1, 2, -4)), st.booleans())
def test_what_stated_facts_bound_is_nowhere_negative(
    case: Case, dividend: Polynomial, by: int, times: int, reduced: bool
) -> None:
    """With a quotient in the goal and in a fact: of what a division leaves, multiples are known."""
    known, goal = case
    quotient = Quotient(dividend, Polynomial.of(by), (-400, 400), 1)
    known += [dividend - Polynomial.of(quotient).scaled(by) - 1]
    goal = goal + Polynomial.of(quotient).scaled(times)
    facts, left = StatedFacts(known, reduced), []
    for at in POINTS:
        numbers: Point = {**at, quotient: dividend.value(at.__getitem__) // by}
        if all(fact.value(numbers.__getitem__) >= 0 for fact in known):
            left.append(goal.value(numbers.__getitem__))
    for moved in (goal - min(left) - 1, goal.scaled(2) - 2 * min(left) - 1) if left else ():
        assert not facts.bounds(moved), f"{moved} from {known}"


@thorough
@given(cases())
def test_a_lower_bound_is_one(case: Case) -> None:
    """Also when it is rounded up to the next integer that may lie between it and the goal."""
    known, goal = case
    left = points(known)
    facts = InequalitySystem(map(Inequality, known))
    for bound in islice([*facts.least(goal), *facts.least(goal, by_sums=True)], 40):
        assert bound.least.symbols <= set(LAUNCH)
        assert bound.scale > 0
        for at in left:
            steps = (bound.scale * bound.rest - bound.least.value(at.__getitem__)) // (
                bound.scale * bound.step
            )
            between = bound.rest - steps * bound.step
            assert between <= goal.value(at.__getitem__), f"{bound} for {goal}: {at}"


@thorough
@given(polynomials(), polynomials(), st.integers(-1, 5), st.integers(-2, 2))
def test_what_is_between_two_terms_is_not_negative(
    first: Polynomial, step: Polynomial, at: int, over: int
) -> None:
    """Whatever is said to follow from the first and the last of five terms of a progression; all
    between them are."""
    ends, term = [first, first + step.scaled(4)], first + step.scaled(at) + over
    found = not_least_of_progression(term, ends)
    assert found or not (0 < at < 4 and over >= 0 and step.moving)
    assert not found or all(term.value(point.__getitem__) >= 0 for point in points(ends))


@thorough
@given(cases(), st.lists(st.tuples(st.sampled_from(SYMBOLS), st.integers(-4, 4))))
def test_what_sizes_imply_is_not_negative(case: Case, sizes: list[tuple[Symbol, int]]) -> None:
    """Of symbols that are at least a number, be that below their own range, or above it."""
    known, goal = case
    known = [*known, *(Polynomial.of(symbol) - low for symbol, low in sizes)]
    if implied(goal, known):
        assert all(goal.value(at.__getitem__) >= 0 for at in points(known))


def test_the_square_of_an_integer_is_not_less_than_its_absolute_value() -> None:
    n = Polynomial.of(Symbol("n", -8, 8))
    facts = InequalitySystem()
    assert facts.entails(n * n - n) is not None
    assert facts.entails(n * n + n) is not None
    assert facts.entails(n * n - n.scaled(2)) is None


def test_sizes_of_at_least_one_leave_a_product_above_its_parts() -> None:
    n, m = map(Polynomial.of, LAUNCH)
    assert implied(-n + 2, [-n * m + 2, n, m - 1])
    assert not implied(-n + 2, [-n * m + 2, n, m])


def test_a_symbol_of_at_least_a_negative_number_has_its_greatest_one() -> None:
    n, _ = map(Polynomial.of, LAUNCH)
    assert not implied(-n + 3, [n + 2])


@thorough
@given(st.lists(polynomials(), min_size=1, max_size=5))
def test_ranges_of_symbols_leave_out_no_point(known: list[Polynomial]) -> None:
    facts, left = InequalitySystem(map(Inequality, known)), points(known)
    assert not (facts.contradictory and left)
    for symbol, (low, high) in facts.ranges.items():
        assert all(low <= at[symbol] <= high for at in left), f"{symbol} in [{low}, {high}]"


@thorough
@given(cases())
def test_a_range_leaves_out_no_point(case: Case) -> None:
    known, goal = case
    facts, left = InequalitySystem(map(Inequality, known)), points(known)
    low, high = facts.range(goal)
    assert all(low <= goal.value(at.__getitem__) <= high for at in left), f"{goal} from {known}"


@thorough
@given(cases(), polynomials())
def test_what_is_refuted_is_negative_somewhere(case: Case, other: Polynomial) -> None:
    """Refuted by a point that is sought for it, or by one that was found for another goal."""
    known, goal = case
    places, left = Refutation(known, {}), points(known)
    for asked, answers in ((goal, (places.search,)), (other, (places.refute, places.search))):
        if any(answer(asked) for answer in answers):
            assert any(asked.value(at.__getitem__) < 0 for at in left), f"{asked} from {known}"


# --- it does find what it should

n, m, i, j = (Polynomial.of(symbol) for symbol in SYMBOLS)


def test_a_bound_is_rounded_after_each_symbol() -> None:
    """From 2*i >= 4*j + 3 follows i >= 2*j + 2, and so 3*i >= 6*j + 6."""
    known = [i.scaled(2) - j.scaled(4) - 3, j.scaled(3) - n - 1]
    (first, *_) = InequalitySystem(map(Inequality, known)).least(i.scaled(3))
    assert (first.step, first.rest) == (6, 0)
    assert InequalitySystem(map(Inequality, known)).entails(i - j.scaled(2) - 2) is not None


@pytest.mark.parametrize(
    ("known", "goal"),
    [
        ([n - i - 1], n - i),
        ([m - j - 1, n - i - 1], m + n - i - j - 2),
        ([m - j - 1], m * (m - j - 1)),
        ([j.scaled(2) - m, m - 3], j - 2),
        ([i + j - m.scaled(2), m.scaled(2) - i - j, i + j - 1], i + j - 2),
        ([n - i - 1, m - j - 1, i], n * m - i * m - j - 1),
        ([n - i - 1, i, n.scaled(-1) + 3, Polynomial.of(9) - n * m], -i * m + 9),
        ([m - 2, j - 1], m * j - m - j.scaled(2) + 2),
        ([m - 1, n - j.scaled(2)], (m - 1) * (n - j.scaled(2))),
    ],
    ids=[
        "weaker",
        "sum",
        "product",
        "rounded",
        "rounded as it equals",
        "rows and columns",
        "a product that another one bounds",
        "distances to two ends",
        "distance to one end",
    ],
)
def test_it_finds(known: list[Polynomial], goal: Polynomial) -> None:
    left = points(known)
    assert left
    assert all(goal.value(at.__getitem__) >= 0 for at in left)
    assert InequalitySystem(map(Inequality, known)).entails(goal) is not None


@pytest.mark.parametrize(
    ("known", "goal"),
    [
        ([], i),
        ([n - i - 1], n - i - 2),
        ([m - j - 1, n - i - 1, j - 2], m + n - i - j - 4),
        ([m - j - 1, j - 1, i - 1], m * i - i - j - 2),
    ],
    ids=["nothing known", "just not", "by two moves", "product"],
)
def test_it_refutes(known: list[Polynomial], goal: Polynomial) -> None:
    assert Refutation(known, {}).search(goal)


def test_a_proof_tells_the_equalities_that_it_rests_on() -> None:
    sum_ = i + j - m.scaled(2)
    known = [Inequality(fact) for fact in (sum_, -sum_, i + j - 1, n - 1)]
    proof = InequalitySystem(known).entails(i + j - 2)
    assert proof is not None
    assert set(known[:2]) <= set(proof) <= set(known[:3])


def test_the_value_in_a_small_launch_does_not_spell_out_nested_choices() -> None:
    """The text of a choice doubles with each one inside of it."""
    nested = Polynomial.of(LAUNCH[0])
    for serial in range(60):
        cases = ChoiceCase(nested), ChoiceCase(nested + nested)
        nested = Polynomial.of(Choice("max", cases, True, 0, serial))
    assert holds_in_a_small_launch(nested)


def test_a_parameter_that_others_are_subtracted_from_may_exceed_them() -> None:
    row = Polynomial.of(Symbol("row", -(2**31), 2**31 - 1))
    rows, cols = (Polynomial.of(Symbol(name, -(2**31), 2**31 - 1)) for name in ("rows", "cols"))
    assert holds_in_a_small_launch(rows - row - 1)
    assert not holds_in_a_small_launch(rows - row - 100)
    assert not holds_in_a_small_launch(-row - 1)
    assert not holds_in_a_small_launch(rows - rows * cols - row - 1)


# --- cutting planes of divisions

COMPARED = (m - i - 1, m - j - 1, m - i, m - j - i, n, n - 1, n - 2, i)
DIVIDENDS = (i * n, j * n, i * n + j, j * m, i + j.scaled(2), j.scaled(3) + n)


@thorough
@given(
    st.lists(st.sampled_from(COMPARED) | polynomials(), max_size=4),
    st.sampled_from(DIVIDENDS),
    st.sampled_from((m, m, m + n, Polynomial.of(3))),
)
def test_a_cut_is_nowhere_negative(
    known: list[Polynomial], dividend: Polynomial, divisor: Polynomial
) -> None:
    """Where the dividend is not negative, and the divisor positive."""
    symbol = Quotient(dividend, divisor, (-100, 100), 1)
    positive = [dividend, divisor - 1]
    facts = [*map(Inequality, (*known, *positive)), *division(symbol), *closure([symbol])[0]]
    found = list(cuts(InequalitySystem(facts)))
    for point in POINTS:
        if all(fact.value(point.__getitem__) >= 0 for fact in (*known, *positive)):
            at = point | quotient(symbol, point)
            assert all(cut.polynomial.value(at.__getitem__) >= 0 for cut in found)


def quotient(symbol: Quotient, point: dict[Symbol, int]) -> dict[Symbol, int]:
    of = point.__getitem__
    return {symbol: symbol.dividend.value(of) // symbol.divisor.value(of)}


def test_an_index_that_is_scaled_by_a_quotient_is_less_than_the_scale() -> None:
    """From i < m and n >= 1 follows (i*n)//m < n."""
    symbol = Quotient(i * n, m, (0, 100), 1)
    facts = [*map(Inequality, (i, m - i - 1, n - 1)), *division(symbol)]
    cut = n - 1 - Polynomial.of(symbol)
    assert cut in [each.polynomial for each in cuts(InequalitySystem(facts))]


@given(st.lists(polynomials(), max_size=3), st.lists(polynomials(), max_size=4))
def test_what_is_not_zero_on_one_side_of_it_is_beyond(
    known: list[Polynomial], apart: list[Polynomial]
) -> None:
    facts = InequalitySystem(map(Inequality, known))
    allowed = [
        point
        for point in POINTS
        if all(each.value(point.__getitem__) >= 0 for each in known)
        and all(each.value(point.__getitem__) for each in apart)
    ]
    for side, made_of in one_sided(facts, map(Inequality, apart)):
        assert made_of
        assert all(side.polynomial.value(point.__getitem__) >= 0 for point in allowed)


def test_numbers_that_one_sum_is_not_are_asked_about_from_the_least_on() -> None:
    """A symbol from 0 that is none of the first hundred numbers: one question on each side."""
    index = Polynomial.of(Symbol("i", 0, 1000, 2, 3))
    facts = InequalitySystem()
    apart = [Inequality(index - number) for number in range(100)]
    ((side, made_of),) = one_sided(facts, apart)
    assert side.polynomial == index - 100
    assert made_of == apart
    assert len(facts.answers) == 2


@settings(max_examples=300, deadline=None)
@given(polynomials())
def test_what_fails_for_sizes_is_positive_in_no_launch_of_sizes_of_one_at_least(
    polynomial: Polynomial,
) -> None:
    if not holds_for_sizes(polynomial):
        sizes = (p for p in POINTS if all(p[symbol] >= 1 for symbol in SYMBOLS))
        assert all(polynomial.value(point.__getitem__) <= 0 for point in sizes)


def test_a_product_of_sizes_is_not_less_than_a_part_of_it() -> None:
    width, height = (Polynomial.of(symbol) for symbol in LAUNCH)
    assert not holds_for_sizes(width - height * width * width - 1)
    assert not holds_for_sizes(width - height * width)
    assert holds_for_sizes(width - height * width + 1)
    assert holds_for_sizes(-height + 1)
    assert holds_for_sizes(width * height - width - 1)


def test_no_requirement_asks_for_a_grid_of_one_block_or_for_whole_groups() -> None:
    width, height = (Polynomial.of(symbol) for symbol in LAUNCH)
    blocks = Polynomial.of(Symbol("nctaid.z", 1, 65535, 0, 9))
    assert not holds_for_any_sizes(width * height + height - width * height * blocks)
    assert holds_for_any_sizes(width * height - height * blocks)
    assert holds_for_any_sizes(-blocks + 1)
    groups = Polynomial.of(LaunchQuotient(height + 3, Polynomial.of(4), 10))
    images = Polynomial.of(LaunchQuotient(blocks - 1, groups, 11))
    assert not holds_for_any_sizes(images * height - images.scaled(4) * groups)
    assert holds_for_any_sizes(images.scaled(4) * groups - images * height)
