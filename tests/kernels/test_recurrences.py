"""What is published about each generator: its numbers, its jumps, its period; and what the papers
that we follow have wrong about them."""

from __future__ import annotations

import ctypes
import ctypes.util
from functools import partial
from math import gcd

import numpy as np
import pytest

from pricing_kernels import gf2
from pricing_kernels.catalogue import GENERATORS
from pricing_kernels.engines import simt
from pricing_kernels.rng import (
    drand48,
    lcg32,
    lcg_mersenne,
    lfg,
    mrg32k3a,
    philox,
    sobol,
    stored,
    xorwow,
)
from pricing_kernels.rng.generator import Generator, Words

from .test_build import needs_compiler

STEPS = (1, 2, 3, 56, 127, 1000)
JUMPS = {
    "lcg_mersenne": lcg_mersenne.jump,
    "lfg": lambda state, steps: lfg.jump(lfg.SHORT, state, steps),
    "mrg32k3a": mrg32k3a.jump,
    "philox": philox.jump,
    "sobol": sobol.jump,
    "stored": stored.jump,
    "xorwow": xorwow.jump,
}


@pytest.mark.parametrize("name", JUMPS)
@pytest.mark.parametrize("steps", STEPS)
def test_a_jump_is_as_many_steps(name: str, steps: int) -> None:
    """The same numbers come after both; a ring may be turned."""
    generator = next(g for g in GENERATORS if g.name == name)
    state = generator.generate(generator.start(5, 3), 2)[1]
    jumped = JUMPS[name](state, steps)
    stepped = generator.generate(state, steps)[1]
    following = [generator.generate(there, 60)[0] for there in (jumped, stepped)]
    assert np.array_equal(*following)


@pytest.mark.parametrize("name", JUMPS)
def test_two_jumps_are_one(name: str) -> None:
    generator, jump = next(g for g in GENERATORS if g.name == name), JUMPS[name]
    state, far = generator.start(5, 3), 2**40 + 12345
    there = jump(jump(state, far), far + 1)
    assert np.array_equal(there, jump(state, 2 * far + 1))


def test_a_stream_begins_where_the_one_before_would_arrive() -> None:
    for module in (lcg32, mrg32k3a, xorwow):
        state = module.GENERATOR.start(99, 9)
        if module is lcg32:
            a, c = lcg32.jump(lcg32.SPACING)
            assert [(a * int(x) + c) % 2**32 for x in state[0, :-1]] == state[0, 1:].tolist()
        else:
            assert np.array_equal(module.jump(state[:, :-1], module.SPACING), state[:, 1:])


# --- linear congruential


def test_the_published_numbers_of_the_lcg() -> None:
    numbers, _ = lcg32.generate(np.zeros((1, 1), np.uint32), 4)
    assert tuple(numbers[:, 0]) == lcg32.FIRST


@pytest.mark.parametrize("steps", [0, 1, 2, 3, 1000, 2**16, 2**32 - 1])
def test_an_lcg_jumps_as_it_steps(steps: int) -> None:
    (a, c), (a_next, c_next) = lcg32.jump(steps), lcg32.jump(steps + 1)
    assert (a * lcg32.A % 2**32, (lcg32.A * c + lcg32.C) % 2**32) == (a_next, c_next)


@pytest.mark.parametrize(
    ("steps", "a", "c"),
    [(2, 0xBB20B4600A69, 0x40942DE6BA), (1000, 0xB927BBF4AA1, 0x395175327728)],
)
def test_the_map_of_a_leapfrog(steps: int, a: int, c: int) -> None:
    assert drand48.jump(steps) == (a, c)


def test_the_increment_of_seed_001_has_a_term_too_many() -> None:
    """It says C = sum of a^i c for i = 0 .. s; after s steps the last term is a^(s-1) c."""
    x, s = 12345, 1000
    after = x
    for _ in range(s):
        after = (drand48.A * after + drand48.C) % drand48.MODULUS
    a = pow(drand48.A, s, drand48.MODULUS)
    terms = [pow(drand48.A, i, drand48.MODULUS) * drand48.C for i in range(s + 1)]
    assert (a * x + sum(terms[:s])) % drand48.MODULUS == after
    assert (a * x + sum(terms)) % drand48.MODULUS != after


@pytest.mark.parametrize("seed", [0, 12345, 2**31, 2**32 - 1])
@pytest.mark.parametrize("streams", [1, 7, 64])
def test_drand48_is_that_of_the_c_library(seed: int, streams: int) -> None:
    """The streams together are its one sequence, in order."""
    library = ctypes.CDLL(ctypes.util.find_library("c"))
    if not hasattr(library, "mrand48"):
        pytest.skip("this C library has no mrand48")
    library.mrand48.restype = ctypes.c_long
    library.srand48(ctypes.c_long(seed))
    numbers = drand48.GENERATOR.numbers(seed, streams, 100).ravel()
    assert numbers.tolist() == [library.mrand48() % 2**32 for _ in range(numbers.size)]


def test_the_first_numbers_of_drand48() -> None:
    state = drand48.GENERATOR.start(12345, 2)
    values = (state[0] + state[1] * 2.0**32) / 2**48
    assert values.tolist() == [0.22532851279629895, 0.919183068533556]


@pytest.mark.parametrize("multiplier", lcg_mersenne.TEN_THOUSANDTH)
def test_the_ten_thousandth_number_modulo_a_mersenne_prime(multiplier: int) -> None:
    numbers, _ = lcg_mersenne.generate(np.array([[1], [multiplier]], np.uint32), 10_000)
    assert numbers[-1, 0] == lcg_mersenne.TEN_THOUSANDTH[multiplier]


def test_multipliers_are_distinct_primitive_roots() -> None:
    """A is one if no A^((p-1)/q), q a prime factor of p - 1 = 2 3^2 7 11 31 151 331, is 1."""
    p = lcg_mersenne.P
    multipliers = [lcg_mersenne.multiplier(stream) for stream in (*range(2000), 2**20 - 1)]
    assert len(set(multipliers)) == len(multipliers)
    for a in multipliers:
        assert all(pow(a, (p - 1) // q, p) != 1 for q in (2, 3, 7, 11, 31, 151, 331))


def test_a_window_of_exponents_has_one_that_is_coprime() -> None:
    """The coprime ones repeat with the product of the primes; between two there are at most 26."""
    primes = (2, 3, 7, 11, 31, 151, 331)
    coprime = np.ones(2 * 3 * 7 * 11 * 31 * 151, bool)
    for q in primes[:-1]:
        coprime[::q] = False
    gaps = np.diff(np.flatnonzero(coprime))
    pairs = gaps[:-1] + gaps[1:]  # 331 takes away one of two neighbours at most
    assert max(gaps.max(), pairs.max()) <= lcg_mersenne.WINDOW
    assert gcd(331, lcg_mersenne.P - 1) == 331


def test_the_listing_of_the_thesis_leaves_numbers_above_the_modulus() -> None:
    """Its last instruction adds two residues: for a large multiplier half of the sums are not
    below p; ours are all in 1 .. p - 1."""
    p = lcg_mersenne.P
    a = np.uint64(max(map(lcg_mersenne.multiplier, range(1000))))
    x = np.arange(1, p, 21_001, dtype=np.uint64)
    low, high = a * x & np.uint64(2**32 - 1), a * x >> np.uint64(32)
    thesis = low % np.uint64(p) + high % np.uint64(p) * np.uint64(2**32 % p) % np.uint64(p)
    assert np.array_equal(thesis % np.uint64(p), a * x % np.uint64(p))
    assert 0.4 < (thesis >= p).mean() < 0.6
    numbers = lcg_mersenne.GENERATOR.numbers(1, 1000, 1000)
    assert numbers.min() >= 1 and numbers.max() < p


# --- lagged Fibonacci


@pytest.mark.parametrize("lags", [lfg.SHORT, lfg.LONG])
def test_a_lagged_fibonacci_generator_keeps_its_recurrence(lags: lfg.Lags) -> None:
    j, k = lags
    x = [int(word) for word in lfg.initialise(lags, 7, 1)[:k, 0]]
    for n in range(k, k + 500):
        x.append((x[n - j] + x[n - k]) % 2**32)
    numbers, _ = lfg.generate(lags, lfg.initialise(lags, 7, 1), 500)
    assert numbers[:, 0].tolist() == x[k:]


OF_RANDOM = ((3, 31), (1, 63))
"""The lags of random() of the C library, for states of 128 and 256 bytes."""
FIRST_OF_RANDOM = (1804289383, 846930886, 1681692777, 1714636915, 1957747793)
"""What random() and rand() give at first, without a seed or with 1, as so many books print it."""


def of_the_c_library(lags: lfg.Lags) -> Words:
    """The state of random() with the seed 1: the minimal standard generator makes the first words,
    the j-th is the oldest, and 10 k numbers are thrown away."""
    j, k = lags
    words = [1]
    while len(words) < k:
        words.append(16807 * words[-1] % (2**31 - 1))
    state = np.zeros((lfg.ring(lags) + 1, 1), np.uint32)
    state[:k, 0], state[-1] = words[j:] + words[:j], k
    return lfg.generate(lags, state, 10 * k)[1]


@pytest.mark.parametrize("lags", OF_RANDOM)
def test_a_lagged_fibonacci_generator_is_that_of_the_c_library(lags: lfg.Lags) -> None:
    """Nobody has published numbers for the lags of ours, which are a choice: so the recurrence is
    held against random(), which has others and gives 31 bits of each number."""
    numbers, _ = lfg.generate(lags, of_the_c_library(lags), 1000)
    library = ctypes.CDLL(ctypes.util.find_library("c"))
    if not hasattr(library, "gnu_get_libc_version"):
        pytest.skip("this is not the GNU C library")
    library.random.restype = ctypes.c_long
    library.initstate.restype = library.setstate.restype = ctypes.c_void_p
    held = ctypes.create_string_buffer(4 * (lags[1] + 1))
    before = library.initstate(1, held, len(held))
    theirs = [library.random() for _ in range(1000)]
    library.setstate(ctypes.c_void_p(before))
    assert (numbers[:, 0] >> np.uint32(1)).tolist() == theirs


@needs_compiler
def test_the_kernel_of_a_lagged_fibonacci_generator_is_that_of_the_c_library() -> None:
    lags = OF_RANDOM[0]
    with_lags = Generator(
        "lfg_of_31",
        lfg.fragment(lags),
        lfg.ring(lags) + 1,
        partial(lfg.initialise, lags),
        partial(lfg.generate, lags),
    )
    then = with_lags.kernels[1]
    launch = then.contract.launch(streams=1, count=5)
    numbers = simt.run(then.ptx(), launch, {"state": of_the_c_library(lags)})["numbers"]
    assert tuple(numbers >> np.uint32(1)) == FIRST_OF_RANDOM


@pytest.mark.parametrize(
    ("lags", "factors"),
    [(lfg.SHORT, (23, 31, 89, 881, 3191, 201961)), (lfg.LONG, (2**127 - 1,))],
)
def test_the_period_modulo_two_is_full(lags: lfg.Lags, factors: tuple[int, ...]) -> None:
    """t has the order 2^k - 1 modulo t^k + t^(k-j) + 1: no proper divisor of it will do."""
    j, k = lags
    f, order = 1 << k | 1 << (k - j) | 1, 2**k - 1
    assert all(order % q == 0 for q in factors)
    assert gf2.power_of_t(order, f) == 1
    assert all(gf2.power_of_t(order // q, f) != 1 for q in factors if q != order)
    assert lfg.initialise(lags, 0, 50)[0].min() & 1 == 1


# --- combined multiple recursive


def test_the_published_numbers_of_mrg32k3a() -> None:
    numbers, _ = mrg32k3a.generate(np.full((6, 1), 12345, np.uint32), 3)
    assert tuple(numbers[:, 0]) == mrg32k3a.FIRST


def test_the_published_matrix_of_a_substream_of_mrg32k3a() -> None:
    """The first rows of A1^(2^76) and A1^(2^127): L'Ecuyer, Simard, Chen, Kelton (2002)."""
    rows = [mrg32k3a.power(mrg32k3a.STEP_X, 2**k, mrg32k3a.M1)[0] for k in (76, 127)]
    assert rows == [(82758667, 1871391091, 4127413238), (2427906178, 3580155704, 949770784)]


def test_no_seed_of_mrg32k3a_makes_half_of_the_state_zero() -> None:
    high = np.array([seed >> 32 ^ 0xAAAAAAAA for seed in (0, mrg32k3a.GENERATOR.max_seed)])
    assert high.min() > 0 and high.max() < mrg32k3a.M2
    assert mrg32k3a.GENERATOR.max_seed >> 62 == 0  # the upper two bits of the word stay 10


# --- xorshift


@pytest.mark.parametrize("stream", xorwow.FIRST)
def test_the_published_numbers_of_xorwow(stream: int) -> None:
    first = xorwow.FIRST[stream]
    numbers = xorwow.GENERATOR.numbers(12345, 3, len(first))
    assert tuple(numbers[:, stream]) == first


def test_the_linear_part_of_xorwow_has_the_full_period() -> None:
    """2^160 - 1 = 3 5^2 11 17 31 41 257 61681 65537 414721 4278255361 44479210368001."""
    f, order = xorwow.characteristic(), 2**160 - 1
    factors = (3, 5, 11, 17, 31, 41, 257, 61681, 65537, 414721, 4278255361, 44479210368001)
    rest = order
    for q in factors:
        while rest % q == 0:
            rest //= q
    assert rest == 1 and f.bit_length() - 1 == xorwow.ORDER
    assert gf2.power_of_t(order, f) == 1
    assert all(gf2.power_of_t(order // q, f) != 1 for q in factors)


# --- quasi-random


def test_the_first_points_of_two_dimensions() -> None:
    points = sobol.GENERATOR.numbers(0, 2, 4)
    assert tuple(map(tuple, points.T.tolist())) == sobol.FIRST_OF_TWO


@pytest.mark.parametrize("bits", [1, 5, 10])
def test_every_dimension_has_one_point_in_each_interval(bits: int) -> None:
    """2^bits points, from a multiple of their number on, take each of the 2^bits intervals once."""
    points: Words = sobol.GENERATOR.numbers(3 << bits, sobol.DIMENSIONS, 2**bits)
    cells = np.sort(points >> np.uint32(32 - bits), axis=0)
    assert np.array_equal(cells, np.arange(2**bits)[:, None].repeat(sobol.DIMENSIONS, 1))


def test_the_last_point_is_followed_by_the_first() -> None:
    numbers = sobol.GENERATOR.numbers(2**32 - 1, 3, 3)
    assert numbers[1:].tolist() == sobol.GENERATOR.numbers(0, 3, 2).tolist()
