"""Bounds of a phi by what is known where its operands come from."""

from __future__ import annotations

from analyses.polynomials.inequality import Inequality
from analyses.polynomials.polynomial import Polynomial, Symbol
from analyses.polynomials.symbols import FIRST_RANK, Case, Choice, Quotient
from analyses.proofs.path_condition import PathCondition
from analyses.proofs.phi_bounds import phi_bounds

SIZE, INDEX = Symbol("n", 0, 100, 0), Symbol("i", 0, 100, FIRST_RANK, 1)
n, i = Polynomial.of(SIZE), Polynomial.of(INDEX)


def taken_apart(times: int) -> Polynomial:
    """What is left of an index that digits are taken from, each a quotient of what is left. Every
    digit doubles the text of what is left."""
    left = i
    for digit in range(times):
        quotient = Quotient(left, Polynomial.of(3), (0, 50), 2 + digit)
        left = left - Polynomial.of(quotient).scaled(2)
    return left


def test_a_guard_of_an_operand_bounds_the_phi_whatever_else_is_known() -> None:
    cases = (Case(i, edge=(0, 2)), Case(Polynomial.of(0), edge=(1, 2)))
    phi = Choice("at", cases, False, FIRST_RANK, 100)
    guards = [n - 1 - i, taken_apart(80)]
    known = PathCondition(tuple(map(Inequality, guards)))
    assert n - 1 - Polynomial.of(phi) in list(phi_bounds(phi, lambda case: known))
