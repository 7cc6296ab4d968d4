"""What a division by a single bit leaves, the bit, and twice its multiple have no bit in common."""

from __future__ import annotations

from itertools import product

import pytest

from analyses.polynomials.modular import ModularPolynomials
from analyses.polynomials.polynomial import Polynomial, Symbol
from analyses.polynomials.words import DivisionPart, ModularPolynomial, PowerDivision

WIDTH = 6
BITS = (0, *(1 << n for n in range(WIDTH)))
X, H = (Symbol(name, 0, (1 << WIDTH) - 1, rank=1, serial=i) for i, name in enumerate("xh"))
x, h = Polynomial.of(X), Polynomial.of(H)


def words(always: bool) -> tuple[ModularPolynomials, list[ModularPolynomial]]:
    integers = ModularPolynomials(lambda name, width: None)
    division = PowerDivision(x, h - 1, DivisionPart.REMAINDER)
    rest = integers.by_power(WIDTH, division, always)
    bit = integers.word(WIDTH, h)
    twice = integers.shl(integers.sub(integers.word(WIDTH, x), rest), integers.const(WIDTH, 1))
    return integers, [rest, bit, twice]


def meant(number: int, bit: int) -> list[int]:
    rest = number & (bit - 1)
    return [rest, bit, 2 * (number - rest) % (1 << WIDTH)]


@pytest.mark.parametrize("at", range(3))
def test_each_and_the_two_others_are_their_sum(at: int) -> None:
    integers, parts = words(always=True)
    one, (first, second) = parts[at], (part for part in parts if part is not parts[at])
    for other in (first, second, integers.add(first, second)):
        assert integers.or_(one, other) == integers.add(one, other)
        assert integers.or_(other, one) == integers.add(other, one)
    for number, bit in product(range(1 << WIDTH), BITS):
        own, *others = (m := meant(number, bit))[at], *m[:at], *m[at + 1 :]
        assert all(own & other == 0 for other in others)
        assert others[0] & others[1] == 0


def test_nothing_is_said_of_what_is_a_single_bit_only_here() -> None:
    integers, (rest, bit, _) = words(always=False)
    assert integers.or_(rest, bit).polynomial is None
