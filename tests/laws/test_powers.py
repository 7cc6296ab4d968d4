"""Rounding by powers of two: what is derived holds for all small numbers that meet the rest."""

from __future__ import annotations

from itertools import product

import pytest

from analyses.polynomials.inequality import Inequality
from analyses.polynomials.polynomial import Polynomial, Symbol
from analyses.polynomials.symbols import FIRST_RANK
from analyses.proofs.inequalities import InequalitySystem
from analyses.proofs.powers import rounded_by_powers

N, D, P, X = (Symbol(name, -64, 64, rank=FIRST_RANK, serial=i) for i, name in enumerate("ndpx"))
n, d, p, x = map(Polynomial.of, (N, D, P, X))
KNOWN = {
    "a multiple less than a number": ([n - d * p - 1, d - 1, n - d], n - d * p - d),
    "by some": ([n - d * p - 3, d - 1, n - d], n - d * p - d),
    "twice the multiple": ([n - (d * p).scaled(2) - 1, d - 1, n - d.scaled(2)],
                           n - (d * p).scaled(2) - d.scaled(2)),
    "a smaller power": ([n - d - 1, d - 1], n - d.scaled(2)),
    "up to a number": ([-(d * p) + 31, d - 1, -d + 8], -(d * p) - d + 32),
    "what is no power": ([n - x * p - 1, x - 1, n - x], None),
    "a divisor that may be greater": ([n - d * p - 1, d - 1], None),
    "a divisor that may be zero": ([n - d * p - 1, d, n - d], None),
    "an end that is no power": ([x - d * p - 1, d - 1, x - d], None),
}  # fmt: skip
POWERS = (-4, 0, 1, 2, 4, 8, 16, 32)


@pytest.mark.parametrize("name", KNOWN)
def test_what_is_rounded_holds(name: str) -> None:
    known, expected = KNOWN[name]
    found = [
        fact.polynomial
        for fact in rounded_by_powers(InequalitySystem(map(Inequality, known)), {n, d}.__contains__)
    ]
    assert (expected in found) if expected is not None else not found
    for values in product(POWERS, POWERS, range(-3, 40), range(9)):
        of = dict(zip((N, D, P, X), values, strict=True)).__getitem__
        if all(fact.value(of) >= 0 for fact in known):
            assert all(fact.value(of) >= 0 for fact in found)
