"""Division by a parameter whose reciprocal the host gives, judged at 8 bits: for each multiplier,
shift and divisor that belong together, and each dividend."""

from __future__ import annotations

from collections.abc import Iterator
from math import inf

from analyses.polynomials.fast_division import FastDivisions
from analyses.polynomials.polynomial import Polynomial, Symbol
from analyses.polynomials.symbols import Quotient
from analyses.polynomials.words import ModularPolynomial

WIDTH = 8
M, S, D = (Symbol(name, 0, 255) for name in "msd")


def reciprocals() -> Iterator[tuple[int, int, int]]:
    """Multipliers, shifts and divisors that meet the requirement of the contract."""
    for multiplier in range(1 << WIDTH):
        for shift in range(WIDTH + 1):
            for divisor in range(1, 1 << WIDTH):
                product = divisor * (multiplier + (1 << WIDTH))
                least = 1 << (shift + WIDTH)
                if least <= product <= least + (1 << shift):
                    yield multiplier, shift, divisor


def divided(dividend: Symbol) -> Symbol | None:
    """What stands for ``(mulhi(x, m) + x) >> s``."""
    words = FastDivisions(lambda name, width: None, lambda m, s: Polynomial.of(D))
    x, m, s = (ModularPolynomial(WIDTH, Polynomial.of(symbol)) for symbol in (dividend, M, S))
    found = words.shr_u(words.add(words.mul_hi_u(x, m), x), s).polynomial
    return None if found is None else found.alone


def test_every_reciprocal_divides_up_to_the_limit_of_the_quotient() -> None:
    quotient = divided(Symbol("x", 0, 255, 8))
    assert isinstance(quotient, Quotient)
    assert quotient.divisor == Polynomial.of(D)
    assert isinstance(quotient.limit, int)
    found = 0
    for multiplier, shift, divisor in reciprocals():
        found += 1
        for x in range(quotient.limit + 1):
            total = (x * multiplier >> WIDTH) + x
            assert total < 1 << WIDTH
            assert total >> shift == x // divisor
    assert found >= 255


def test_a_dividend_that_stays_below_the_limit_has_a_quotient_without_one() -> None:
    quotient = divided(Symbol("x", 0, 128, 8))
    assert isinstance(quotient, Quotient)
    assert quotient.limit == inf
