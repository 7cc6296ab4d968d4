"""A symbol for a parameter less a margin changes no value of a polynomial."""

from __future__ import annotations

from random import Random

import pytest

from analyses.polynomials.fast_division import FastDivisions
from analyses.polynomials.inequality import Inequality
from analyses.polynomials.polynomial import Polynomial, Symbol
from analyses.polynomials.symbols import FIRST_RANK
from analyses.proofs.margins import Margins, factors
from analyses.proofs.path_condition import PathCondition
from analyses.proofs.preconditions import ConditionalBound

W, H = Symbol("w", -9, 9), Symbol("h", -9, 9)
X, Y, Z = (Symbol(name, 0, 9, FIRST_RANK + i, i) for i, name in enumerate("xyz"))
w, h, x, y, z = map(Polynomial.of, (W, H, X, Y, Z))
GOALS = [
    (w - 2) * y + x,
    Polynomial.of(7) - (w - 2) * (h - 1) * z - (w - 2) * y - x,
    (w - h + 1) * y * Polynomial.of(4) + x,
    (w - 2) * w * y,
]


def made() -> Margins:
    integers = FastDivisions(lambda name, width: Polynomial.of(0), lambda multiplier, shift: None)
    return Margins(integers, (W, H))


@pytest.mark.parametrize("goal", GOALS, ids=str)
def test_a_polynomial_has_the_same_values(goal: Polynomial) -> None:
    margins, chance = made(), Random(str(goal))
    guards = PathCondition(tuple(map(Inequality, (w - 2 - x, h - 1 - y, w - h + 1 - x))))
    margin = margins.of(guards, goal)
    assert margin is not None
    (bound,) = margins.restored(
        margin, [ConditionalBound(margins.changed(margin, guards, goal)[1])]
    )
    assert bound.least == goal
    premises, other = margins.changed(margin, guards, goal)
    assert len(other.terms) <= len(goal.terms)
    for _ in range(50):
        values = {
            symbol: chance.randint(int(symbol.low), int(symbol.high)) for symbol in (W, H, X, Y, Z)
        }
        values[margin.rest] = margin.meant.value(values.__getitem__)
        for one, same in zip(
            (*guards.polynomials, goal), (*premises.polynomials, other), strict=True
        ):
            assert one.value(values.__getitem__) == same.value(values.__getitem__)
        assert margin.rest.low <= values[margin.rest] <= margin.rest.high


def test_a_size_is_what_a_guard_compares() -> None:
    """The distance of two parameters has a sign; without a guard, none is known."""
    margins, goal = made(), (w - h) * y
    assert margins.of(PathCondition(), goal) is None
    for size in (w - h, h - w):
        margin = margins.of(PathCondition((Inequality(size - x - 1),)), goal)
        assert margin is not None and margin.meant == size


def test_a_factor_has_no_symbols_in_common() -> None:
    assert list(factors((w * h - w) * y)) == [h - 1]
    assert list(factors(w * y + x)) == list(factors((w * h - h - w + 1) * y)) == []
