"""What z3 proves, held against every point of a small box."""

from __future__ import annotations

from itertools import product
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from analyses.polynomials.inequality import Inequality
from analyses.polynomials.polynomial import Polynomial, Symbol
from analyses.polynomials.symbols import Case, Choice, Interpretation, Quotient, Remainder
from analyses.proofs.path_condition import PathCondition
from analyses.proofs.smt import Solver

pytest.importorskip("z3", reason="z3 is not installed")

PLAIN = (Symbol("n", -3, 4, 0, 1), Symbol("m", 0, 3, 0, 2))
N, M = (Polynomial.of(symbol) for symbol in PLAIN)
MADE = (
    Interpretation(3, True, N + M, 3),
    Interpretation(3, False, N.scaled(3), 4),
    Quotient(N + M, Polynomial.of(3), (-2, 3), 5),
    Quotient(M, N, (-8, 7), 6),
    Choice("max", (Case(N), Case(M)), True, 0, 7),
)
SYMBOLS = (*PLAIN, *MADE, Remainder(MADE[3], (-8, 7), 8))  # type: ignore[arg-type]
MEANINGLESS = {MADE[3], SYMBOLS[-1]}  # where n is not positive
Point = dict[Symbol, int]


def points() -> list[Point]:
    """Every meaning that all symbols can have together; a quotient that means nothing is any
    number of its range."""
    found = []
    for n, m in product(range(-3, 5), range(4)):
        free = [divmod(m, n)] if n > 0 else product((-8, -1, 0, 7), (-8, 7))
        for quotient, rest in free:
            made = ((n + m + 4) % 8 - 4, 3 * n % 8, (n + m) // 3, quotient, max(n, m), rest)
            found.append(dict(zip(SYMBOLS, (n, m, *made), strict=True)))
    return found


POINTS = points()
NOWHERE: Any = SimpleNamespace(symbolic=SimpleNamespace(launch=()))


@st.composite
def polynomials(draw: st.DrawFn) -> Polynomial:
    total = Polynomial.of(draw(st.integers(-6, 6)))
    for symbol in draw(st.lists(st.sampled_from(SYMBOLS), min_size=1, max_size=3)):
        total = total + Polynomial.of(symbol).scaled(draw(st.sampled_from((1, 1, -1, -1, 2, -3))))
    return total


@settings(max_examples=60, deadline=None)
@given(st.lists(polynomials(), max_size=3), polynomials())
def test_what_is_proved_is_nowhere_negative(known: list[Polynomial], goal: Polynomial) -> None:
    """The goal is moved to where it just holds, and to where it just does not."""
    left = [at for at in POINTS if all(p.value(at.__getitem__) >= 0 for p in known)]
    if not left:
        return
    least = min(goal.value(at.__getitem__) for at in left)
    premises = PathCondition(tuple(map(Inequality, known)))
    solver = Solver(NOWHERE)
    assert not solver.proves(premises, goal - (least + 1)), f"{goal} - {least + 1} from {known}"
    assert solver.proves(premises, goal - min(least, -80))


@settings(max_examples=40, deadline=None)
@given(st.lists(polynomials(), max_size=2), polynomials())
def test_a_breach_is_a_point_where_the_goal_is_negative(
    known: list[Polynomial], goal: Polynomial
) -> None:
    assume(all(MEANINGLESS.isdisjoint(polynomial.symbols) for polynomial in (*known, goal)))
    left = [at for at in POINTS if all(p.value(at.__getitem__) >= 0 for p in known)]
    assume(left)
    least = min(goal.value(at.__getitem__) for at in left)
    premises, solver = PathCondition(tuple(map(Inequality, known))), Solver(NOWHERE)
    assert solver.counterexample(premises, goal - least) is None
    found = solver.counterexample(premises, goal - (least + 1))
    assert found is not None, f"{goal} - {least + 1} from {known}"
    there = [at for at in left if found.items() <= at.items()]
    assert any(goal.value(at.__getitem__) == least for at in there)
