"""Laws of polynomials: what they are divided by, and the greatest of several."""

from __future__ import annotations

from itertools import product
from random import Random

import pytest

from analyses.polynomials.division import graded, quotient, split
from analyses.polynomials.integer_symbols import IntegerSymbols
from analyses.polynomials.polynomial import Polynomial, Symbol
from analyses.polynomials.symbols import Choice, LaunchQuotient, Quotient

SYMBOLS = [Symbol(name, -4, 4, rank=1, serial=i) for i, name in enumerate("xyz")]
VALUES = list(product((-4, -1, 0, 3), repeat=len(SYMBOLS)))


def random(chance: Random, terms: int) -> Polynomial:
    found = Polynomial.of(chance.randint(-5, 5))
    for _ in range(terms):
        part = Polynomial.of(chance.choice((-3, -2, -1, 1, 2, 4)))
        for symbol in chance.choices(SYMBOLS, k=chance.randint(1, 2)):
            part = part * Polynomial.of(symbol)
        found += part
    return found


@pytest.mark.parametrize("seed", range(40))
def test_a_polynomial_is_a_multiple_of_the_divisor_and_a_rest(seed: int) -> None:
    chance = Random(seed)
    divisor, times, left = (random(chance, n) for n in (2, 2, 1))
    whole = divisor * times + left
    multiple, rest = split(whole, divisor)
    assert multiple * divisor + rest == whole
    leading = max(divisor.terms, key=graded)
    for monomial, factor in rest.terms.items():
        odd = factor % divisor.terms[leading]
        assert odd or quotient(monomial, leading) is None


def test_a_quotient_of_the_launch_is_in_the_same_place_of_each_product() -> None:
    x, y = (Polynomial.of(Symbol(name, -4, 4, serial=i)) for i, name in enumerate("nm"))
    one = Polynomial.of(Quotient(x, Polynomial.of(2), (-2, 2), serial=1))
    other = Polynomial.of(LaunchQuotient(y, one, serial=1))
    assert one * other == other * one
    assert split(one * other, one) == (other, Polynomial.of(0))


def test_a_multiple_leaves_nothing() -> None:
    x, y, z = map(Polynomial.of, SYMBOLS)
    assert split((x + y) * z, x + y) == (z, Polynomial.of(0))
    assert split((x - y) * (z + 2), x - y) == (z + 2, Polynomial.of(0))


def test_all_is_left_of_a_division_by_zero() -> None:
    """A divisor is 0 where no thread is: the warps of a block of 31 threads."""
    x = Polynomial.of(SYMBOLS[0])
    assert split(x + 1, Polynomial.of(0)) == (Polynomial.of(0), x + 1)


@pytest.mark.parametrize("seed", range(40))
def test_nested_maxima_are_the_greatest(seed: int) -> None:
    chance, symbols = Random(seed), IntegerSymbols()
    x, y, z = (random(chance, 1) for _ in range(3))
    one = symbols.greatest(x, symbols.greatest(y, z))
    shift = chance.randint(-3, 3)
    other = symbols.greatest(symbols.greatest(y + shift, x), y)

    def value(polynomial: Polynomial, of: dict[Symbol, int]) -> int:
        def number(symbol: Symbol) -> int:
            if isinstance(symbol, Choice):
                most = max(value(case.polynomial, of) for case in symbol.cases)
                assert symbol.low <= most <= symbol.high
                return most
            return of[symbol]

        return polynomial.value(number)

    for values in VALUES:
        of = dict(zip(SYMBOLS, values, strict=True))
        a, b, c = (value(each, of) for each in (x, y, z))
        assert value(one, of) == max(a, b, c)
        assert value(other, of) == max(a, b, b + shift)


def test_the_absolute_value_is_not_negative() -> None:
    symbols, x = IntegerSymbols(), Polynomial.of(SYMBOLS[0])
    assert symbols.greatest(x, -x).range()[0] == 0
    assert symbols.greatest(x + 1, symbols.greatest(x, Polynomial.of(SYMBOLS[1]))).range()[0] == -3


def test_what_is_less_than_its_divisor_has_no_quotient() -> None:
    """Also where both are sums: what is left of a step is less than the step."""
    blocks, threads = (Polynomial.of(Symbol(name, 1, 64, serial=i)) for i, name in enumerate("bt"))
    step, symbols = blocks * threads, IntegerSymbols()
    assert symbols.quotient(step - 1, step) == Polynomial.of(0)
    assert symbols.quotient(step, step) != Polynomial.of(0)
    assert symbols.quotient(step - 2, step) != Polynomial.of(0)  # it may be -1
