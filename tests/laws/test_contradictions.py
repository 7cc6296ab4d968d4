"""Conditions of which it is shown that no launch meets them, held against a launch that does.

Random conditions on three names with small or wide ranges: those that numbers in the ranges meet
are not contradictory. Where all ranges are small, conditions that no numbers meet are.
"""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ptxlint.contracts.contradiction import contradictory, meets
from ptxlint.contracts.expression import (
    RELATIONS,
    Condition,
    Expression,
    Identifier,
    Number,
    Operation,
    conditions,
)

NAMES = ("k", "m", "n")
SMALL = ((0, 3), (-3, 4), (1, 1), (2, 6))
WIDE = (*SMALL, (-(2**31), 2**31 - 1), (1, 65535), (0, 2**64 - 1), (-100, 0))


def expressions() -> st.SearchStrategy[Expression]:
    leaves = st.sampled_from(NAMES).map(Identifier) | st.integers(-3, 300).map(Number)
    return st.recursive(
        leaves,
        lambda below: st.builds(
            lambda symbol, left, right: Operation(symbol, (left, right)),
            st.sampled_from(("+", "-", "*", "*", "//", "//", "%", "min", "max", "**")),
            below,
            below,
        ),
        max_leaves=4,
    )


SAID = st.lists(
    st.builds(Condition, expressions(), st.sampled_from(sorted(RELATIONS)), expressions()),
    min_size=1,
    max_size=5,
)


@st.composite
def met(draw: st.DrawFn) -> tuple[list[Condition], dict[str, tuple[int, int]]]:
    """Conditions that some numbers in the ranges meet."""
    ranges = {name: draw(st.sampled_from(WIDE)) for name in NAMES}
    at = {name: draw(st.integers(low, high)) for name, (low, high) in ranges.items()}
    return [one for one in draw(SAID) if meets(one, at.__getitem__)], ranges


@settings(max_examples=1500)
@given(met())
def test_what_some_launch_meets_is_not_contradictory(
    case: tuple[list[Condition], dict[str, tuple[int, int]]],
) -> None:
    said, ranges = case
    assert not contradictory(said, ranges.__getitem__)


@settings(max_examples=500)
@given(SAID, st.tuples(*[st.sampled_from(SMALL)] * 3))
def test_what_no_numbers_in_small_ranges_meet_is(
    said: list[Condition], bounds: tuple[tuple[int, int], ...]
) -> None:
    ranges = dict(zip(NAMES, bounds, strict=True))
    points = product(*(range(low, high + 1) for low, high in bounds))
    every = (dict(zip(NAMES, point, strict=True)) for point in points)
    some = any(all(meets(one, at.__getitem__) for one in said) for at in every)
    assert contradictory(said, ranges.__getitem__) is not some


@pytest.mark.parametrize(
    "said",
    [
        "m == n // 512 and m >= 1 and n < 512",
        "m == (n + 255) // 256 and m >= 1 and n <= 0",
        "m * n == 7 and m == 2",
        "m == 2 * n and n == k and k == 3 and m != 6",
        "m == n % 16 and m > 15",
        "k == max(m, n) and k < n",
        "k == min(m, n, 4) and k > 4",
        "n * n == 2",
        "n * n * n + n == 31",
        "n * n <= 1000 and n % 64 == 63 and n > -1",
        "2 ** n > m and n > 64",
        "m == 100 // n and n == 0",
    ],
)
def test_no_launch_meets(said: str) -> None:
    assert contradictory(conditions(said), lambda name: (-(2**31), 2**31 - 1))


@pytest.mark.parametrize(
    "said",
    [
        "m == n // 512 and m >= 1 and n < 513",
        "m * n == 6 and m == 2",
        "n * n == 1000000",
        "n * n * n + n == 30",
        "k == min(m, n, 4) and k >= 4",
        "2 ** n > m and n >= 64",
        "n // (k * m) == 0 and k * m > 2 ** 60",
    ],
)
def test_some_launch_meets(said: str) -> None:
    assert not contradictory(conditions(said), lambda name: (-(2**31), 2**31 - 1))


def test_powers_of_large_numbers_are_no_floats() -> None:
    ranges = {"k": (1, 65535), "m": (0, 3)}
    assert not contradictory(list(conditions("m < k*m*k**k")), ranges.__getitem__)
