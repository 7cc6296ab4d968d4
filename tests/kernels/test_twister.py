"""The Mersenne twister family in numpy: known answers, period, jumps, equidistribution.

numpy's own MT19937, and words that the authors' programs print, are independent of this package.
"""

from __future__ import annotations

import numpy as np
import pytest

from pricing_kernels import gf2
from pricing_kernels.rng.twister import Twister

from . import equidistribution, factors

MT19937 = Twister(n=624, m=397, r=31, u=11, s=7, t=15, l=18)
MT607 = Twister(n=19, m=9, r=1, u=12, s=7, t=15, l=18)
TOY = Twister(n=3, m=1, r=7, u=11, s=7, t=15, l=18)  # 2^89 - 1 is prime
A19937 = 0x9908B0DF
CREATED = (
    (0xE98E0000, 0xDDEE7380, 0x6F7A8000),
    (0xF03E0001, 0x32F77780, 0xEF658000),
    (0xC7E10002, 0x93D4BB80, 0xF7558000),
)
"""Sets 0, 1, 2 of the authors' program for dynamic creation with the seed 4172."""


def state_of(twister: Twister, seed: int = 1) -> np.ndarray:
    return np.random.Generator(np.random.Philox(seed)).integers(0, 2**32, twister.n, np.uint32)


def test_the_numbers_of_mt19937() -> None:
    """The 10,000th number from the seed 5489 is in the C++ standard, [rand.predef]."""
    theirs = np.random.MT19937()
    theirs._legacy_seeding(5489)
    state = theirs.state["state"]["key"]
    ours = MT19937.temper(MT19937.words(state, A19937, 10_000), 0x9D2C5680, 0xEFC60000)
    assert np.array_equal(ours, theirs.random_raw(10_000))
    assert ours[-1] == 4123659995


@pytest.mark.parametrize(("twister", "a"), [(MT607, CREATED[0][0]), (TOY, 0xABCD1235)])
def test_the_characteristic_polynomial_is_the_one_that_the_words_satisfy(
    twister: Twister, a: int
) -> None:
    """The formula of the paper against what Berlekamp and Massey find in the words themselves."""
    polynomial = twister.characteristic_polynomial(a)
    words = twister.words(state_of(twister), a, 2 * twister.degree)
    for place in (0, 13, 31):
        minimal = gf2.minimal_polynomial((words >> np.uint32(place) & 1).tolist())
        assert factors.remainder(polynomial, minimal) == 0
        assert twister is TOY or minimal == polynomial


def test_a_flaw_of_one_bit_is_refused() -> None:
    for a, _, _ in CREATED:
        assert factors.has_full_period(MT607.characteristic_polynomial(a))
        assert not factors.has_full_period(MT607.characteristic_polynomial(a ^ 1 << 20))


def test_the_polynomial_of_mt19937_has_the_135_terms_of_the_paper() -> None:
    """Table II of Matsumoto and Nishimura (1998)."""
    assert MT19937.characteristic_polynomial(A19937).bit_count() == 135


@pytest.mark.parametrize("steps", [0, 1, 2, 607, 5000])
def test_a_jump_is_that_many_steps(steps: int) -> None:
    a, state = CREATED[1][0], state_of(MT607)
    jumped = MT607.jump(state, a, steps)
    stepped = MT607.words(state, a, steps + 50)[steps:]
    assert np.array_equal(MT607.words(jumped, a, 50), stepped)


def test_jumps_add_up() -> None:
    a, state = CREATED[2][0], state_of(MT607)
    there = MT607.jump(MT607.jump(state, a, 2**200), a, 3**50)
    assert np.array_equal(
        MT607.words(there, a, 100), MT607.words(MT607.jump(state, a, 2**200 + 3**50), a, 100)
    )


def test_a_jump_over_the_whole_period_comes_back() -> None:
    a, state = CREATED[0][0], state_of(MT607)
    back = MT607.jump(state, a, 2**607 - 1)
    assert np.array_equal(MT607.words(back, a, 100), MT607.words(state, a, 100))


def test_the_jump_of_numpy() -> None:
    """numpy jumps by 2^128 words, with a polynomial that was computed elsewhere; the state is then
    a ring, with the oldest word at `pos`. Of that word only the highest bit counts."""
    theirs = np.random.MT19937()
    theirs._legacy_seeding(5489)
    ours = MT19937.jump(theirs.state["state"]["key"], A19937, 2**128)
    ring = theirs.jumped().state["state"]
    jumped = np.roll(ring["key"], -ring["pos"])
    assert np.array_equal(ours[1:], jumped[1:])
    assert ours[0] >> 31 == jumped[0] >> 31


def rank(rows: list[int]) -> int:
    basis: dict[int, int] = {}
    for row in rows:
        while row and (other := basis.get(row.bit_length())):
            row ^= other
        if row:
            basis[row.bit_length()] = row
    return len(basis)


def numerators(twister: Twister, a: int, b: int, c: int) -> np.ndarray:
    words = twister.words(state_of(twister), a, twister.degree)
    raw = equidistribution.numerators(words, twister.characteristic_polynomial(a))
    return twister.temper(raw, b, c)


def test_the_dimensions_of_equidistribution_are_ranks() -> None:
    """k(v) is the largest k for which the v high bits of k outputs are independent of each other,
    as linear functions of the state; found here by elimination, for a twister of 89 bits."""
    polynomials = ((a, TOY.characteristic_polynomial(a)) for a in range(2**31, 2**32))
    a, polynomial = next(pair for pair in polynomials if factors.has_full_period(pair[1]))
    b, c = 0x9D2C5680, 0xEFC60000
    unit = np.zeros((TOY.n, TOY.degree), np.uint32)  # a state of one bit in each stream
    for bit in range(TOY.degree):
        place = bit + TOY.r
        unit[place // 32, bit] = 1 << place % 32
    outputs = TOY.temper(TOY.words(unit, a, TOY.degree + 1), b, c)
    found = equidistribution.dimensions(numerators(TOY, a, b, c), polynomial)
    for v, k in enumerate(found, 1):
        functions = [
            [int("".join(map(str, outputs[i] >> np.uint32(31 - j) & 1)), 2) for j in range(v)]
            for i in range(k + 1)
        ]
        flat = [function for output in functions for function in output]
        assert rank(flat[: k * v]) == k * v
        assert rank(flat) < (k + 1) * v


def test_the_tempering_is_what_makes_mt607_equidistributed() -> None:
    """Sum of the missing dimensions over all v: the authors' masks against none."""
    a, b, c = CREATED[0]
    polynomial = MT607.characteristic_polynomial(a)
    words = MT607.words(state_of(MT607), a, MT607.degree)
    raw = equidistribution.numerators(words, polynomial)
    assert equidistribution.defect(raw, polynomial) == 1251
    assert equidistribution.defect(MT607.temper(raw, b, c), polynomial) == 222
