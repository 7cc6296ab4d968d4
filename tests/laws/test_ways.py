"""What has a value where a phi has one: its operands on the edges that were not taken need not."""

from __future__ import annotations

from analyses.polynomials.polynomial import Polynomial, Symbol
from analyses.polynomials.symbols import Case, Choice, Interpretation
from analyses.ways import with_values

N = Symbol("n")
OTHER = Polynomial.of(Symbol("i", rank=70))


def phi(*operands: Polynomial) -> Choice:
    cases = tuple(Case(operand, edge=(block, 9)) for block, operand in enumerate(operands))
    return Choice("phi", cases, greatest=False, rank=80, serial=0)


def test_an_operand_of_a_phi_need_not_have_a_value() -> None:
    inner = phi(Polynomial.of(N), Polynomial.of(1))
    outer = phi(Polynomial.of(inner), OTHER)
    word = Interpretation(32, True, Polynomial.of(outer) + 1, 0)
    assert with_values(frozenset({word})) == {word, outer}


def test_it_has_one_where_it_is_read_for_itself() -> None:
    inner = phi(Polynomial.of(N), Polynomial.of(1))
    outer = phi(Polynomial.of(inner), OTHER)
    assert with_values(frozenset({inner, outer})) == {inner, outer}


def test_all_numbers_that_are_compared_have_values() -> None:
    inner = phi(Polynomial.of(N), Polynomial.of(1))
    cases = (Case(Polynomial.of(inner)), Case(Polynomial.of(N) + 2))
    greatest = Choice("max", cases, greatest=True, rank=80, serial=1)
    assert with_values(frozenset({greatest})) == {greatest, inner, N}
