"""Polynomials over GF(2): the laws of the ring, and irreducibility against trial division."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pricing_kernels import gf2

from . import factors

polynomials = st.integers(0, 2**80)
moduli = st.integers(2, 2**80)


@given(polynomials, polynomials, polynomials)
def test_products_are_associative_and_distributive(a: int, b: int, c: int) -> None:
    assert gf2.product(gf2.product(a, b), c) == gf2.product(a, gf2.product(b, c))
    assert gf2.product(a, b ^ c) == gf2.product(a, b) ^ gf2.product(a, c)
    assert gf2.square(a) == gf2.product(a, a)


@given(polynomials, moduli)
def test_a_remainder_is_below_the_modulus_and_differs_by_a_multiple(a: int, f: int) -> None:
    rest = factors.remainder(gf2.product(a, f) ^ a, f)
    assert rest == factors.remainder(a, f)
    assert rest.bit_length() < f.bit_length()


@given(st.data(), moduli)
def test_the_table_reduces_like_division(data: st.DataObject, f: int) -> None:
    degree = f.bit_length() - 1
    a = data.draw(st.integers(0, 4**degree - 1))
    assert gf2.reduction(f)(a) == factors.remainder(a, f)


@given(st.integers(0, 500), st.integers(4, 2**80))
def test_powers_of_t(exponent: int, f: int) -> None:
    assert gf2.power_of_t(exponent, f) == factors.remainder(1 << exponent, f)


def divisible(f: int) -> bool:
    return any(
        factors.remainder(f, g) == 0 for g in range(2, 1 << (f.bit_length() + 1) // 2) if g != f
    )


def test_irreducible_is_what_no_polynomial_divides() -> None:
    for f in range(2, 1 << 11):
        assert factors.is_irreducible(f) != divisible(f), bin(f)


@pytest.mark.parametrize("degree", [3, 5, 7])
def test_the_period_is_full_where_counting_says_so(degree: int) -> None:
    """Over all polynomials of a degree p with 2^p - 1 prime."""
    for f in range(1 << degree, 2 << degree):
        power, order = factors.remainder(factors.T, f), 1
        while power not in (0, 1) and order <= 1 << degree:
            power, order = factors.remainder(power << 1, f), order + 1
        assert factors.has_full_period(f) == (power == 1 and order == (1 << degree) - 1), bin(f)


@given(st.lists(st.integers(0, 1), max_size=24))
def test_no_shorter_register_makes_the_bits(bits: list[int]) -> None:
    found = gf2.minimal_polynomial(bits)

    def makes(f: int) -> bool:
        length = f.bit_length() - 1
        return all(
            sum(bits[n + i] for i in range(length + 1) if f >> i & 1) % 2 == 0
            for n in range(len(bits) - length)
        )

    assert makes(found)
    length = found.bit_length() - 1
    assert not any(makes(f) for f in range(1, 1 << min(length, 8)))
