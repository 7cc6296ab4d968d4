"""Where bytes end: as numbers, and in words."""

from __future__ import annotations

from itertools import product

import pytest

from analyses.polynomials.polynomial import Polynomial, Symbol
from ptxlint.contracts.expression import parse, value
from ptxlint.inference.extents import UpperBound, least_text
from ptxlint.inference.inferred_contract import cover

N = Symbol("n", 0, 1000)
n = Polynomial.of(N)
ENDS = [
    UpperBound(polynomial, scale, step, rest)
    for polynomial in (n.scaled(4) - 4, n.scaled(4) + 3, n.scaled(6) + 1)
    for scale, step in product((1, 3), (1, 4, 8))
    for rest in range(0, step, 3)
]


def number(end: UpperBound, at: int) -> int:
    """As it is defined."""
    below = end.polynomial.value(lambda _: at) // end.scale
    return below - (below + end.rest) % end.step


@pytest.mark.parametrize("end", ENDS, ids=lambda end: end.text({N: "n"}))
def test_the_words_say_the_number(end: UpperBound) -> None:
    tree = parse(end.text({N: "n"}))
    for at in range(60):
        assert value(tree, lambda _, at=at: at) == number(end, at)


@pytest.mark.parametrize(("scale", "step"), [*product((1, 2, 8), (1, 4))])
def test_whole_rows_before_what_is_left_are_the_same_number(scale: int, step: int) -> None:
    rows = Symbol("m", 0, 1000)
    for rest in range(0, step, 3):
        end = UpperBound(n.scaled(3) + Polynomial.of(rows).scaled(-32) + 31, scale, step, rest)
        tree = parse(end.text({N: "n", rows: "m"}))
        for m, at in product(range(3), range(40)):
            below = (3 * at - 32 * m + 31) // scale
            wanted = below - (below + rest) % step
            assert value(tree, {"n": at, "m": m}.__getitem__) == wanted


def test_an_end_that_is_shown_to_be_less_is_less() -> None:
    compared = 0
    for end, other in product(ENDS, ENDS):
        by = end.less(other)
        if by is not None:
            compared += 1
            for at in range(60):
                covered = by.value(lambda _, at=at: at) < 0
                assert covered or number(other, at) <= number(end, at), f"{other} {end} {at}"
    assert compared > len(ENDS)


def test_a_common_factor_is_not_printed() -> None:
    assert UpperBound(n.scaled(4) + 124, 1, 128).text({N: "n"}) == "128*((n + 31)//32)"
    assert UpperBound(n.scaled(4), 1, 128, 124).text({N: "n"}) == "128*((n + 31)//32) - 124"


def test_the_least_of_two_bounds_covers_what_both_cover() -> None:
    elements, threads = UpperBound(n.scaled(4)), UpperBound(Polynomial.of(Symbol("t", 0, 10)))
    more = UpperBound(n.scaled(4) + 4)
    assert cover([more], [elements])
    assert not cover([more, threads], [elements])
    assert cover([more, elements], [elements, threads])
    assert least_text([elements], {N: "n"}) == "4*n"
    assert least_text([more, elements], {N: "n"}) == "min(4*n + 4, 4*n)"
