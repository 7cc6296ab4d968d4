"""What a polynomial is said to leave, it leaves for all numbers that its symbols may be."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analyses.polynomials.congruence import ANY, Congruence, congruence
from analyses.polynomials.modular import ModularPolynomials
from analyses.polynomials.polynomial import Polynomial, Symbol
from analyses.polynomials.symbols import Case, Choice, Interpretation, Quotient

WIDTH = 6
N, M = Symbol("n"), Symbol("m")
NUMBERS = st.integers(-200, 200)
DIVISORS = st.sampled_from([1, 2, 3, 4, 8, 12])
FACTORS = st.integers(-12, 12)

LEAVES = st.sampled_from([Polynomial.of(N), Polynomial.of(M)]) | FACTORS.map(Polynomial.of)


def combined(parts: st.SearchStrategy[Polynomial]) -> st.SearchStrategy[Polynomial]:
    """Sums, products, quotients, choices and readings of words of ``WIDTH`` bits."""
    serial = st.integers(1, 10**9)
    ends = (float("-inf"), float("inf"))
    return st.one_of(
        st.builds(Polynomial.__add__, parts, parts),
        st.builds(Polynomial.__mul__, parts, parts),
        st.builds(lambda x, by: x.scaled(by), parts, FACTORS),
        st.builds(
            lambda x, by, n: Polynomial.of(Quotient(x, Polynomial.of(by), ends, n)),
            parts, DIVISORS, serial,
        ),
        st.builds(
            lambda x, y, n: Polynomial.of(Choice("max", (Case(x), Case(y)), True, 0, n)),
            parts, parts, serial,
        ),
        st.builds(
            lambda x, signed, n: Polynomial.of(Interpretation(WIDTH, signed, x, n)),
            parts, st.booleans(), serial,
        ),
    )  # fmt: skip


POLYNOMIALS = st.recursive(LEAVES, combined, max_leaves=8)


def value(polynomial: Polynomial, n: int, m: int) -> int:
    def of(symbol: Symbol) -> int:
        match symbol:
            case Interpretation():
                low = -(1 << (WIDTH - 1)) if symbol.signed else 0
                return (value(symbol.polynomial, n, m) - low) % (1 << WIDTH) + low
            case Quotient():
                return value(symbol.dividend, n, m) // value(symbol.divisor, n, m)
            case Choice():
                return max(value(case.polynomial, n, m) for case in symbol.cases)
        return n if symbol is N else m

    return polynomial.value(of)


def holds(found: Congruence, number: int) -> bool:
    rest, modulus = found
    return number == rest if not modulus else (number - rest) % modulus == 0


@given(POLYNOMIALS, NUMBERS, NUMBERS, st.integers(0, 16), st.integers(0, 16))
def test_every_number_leaves_what_is_said(
    polynomial: Polynomial, i: int, j: int, m: int, rest: int
) -> None:
    known = {N: Congruence.of(rest, 12), M: Congruence(m, 0)}
    n = 12 * i + rest
    found = congruence(polynomial, {}, known.__getitem__)
    assert holds(found, value(polynomial, n, m))


@given(POLYNOMIALS, NUMBERS, NUMBERS, DIVISORS)
def test_what_is_equal_may_be_made_of_itself(
    polynomial: Polynomial, i: int, m: int, by: int
) -> None:
    part = Quotient(Polynomial.of(N), Polynomial.of(by), (float("-inf"), float("inf")), 1)
    equal = {N: Polynomial.of(part).scaled(by)}
    found = congruence(polynomial, equal, lambda symbol: ANY)
    assert holds(found, value(polynomial, by * i, m))


@pytest.mark.parametrize(("by", "divides"), [(1, True), (4, True), (16, True), (32, False)])
def test_rows_of_whole_vectors_begin_at_vectors(by: int, divides: bool) -> None:
    integers = ModularPolynomials(lambda name, width: None)
    part = integers.quotient(Polynomial.of(N), Polynomial.of(4))
    row = integers.interpret(64, True, Polynomial.of(N) * Polynomial.of(M))
    byte = integers.word(64, row.scaled(4)).polynomial
    assert isinstance(byte, Polynomial)
    assert congruence(byte, {N: part.scaled(4)}, lambda symbol: ANY).divides(by) is divides
