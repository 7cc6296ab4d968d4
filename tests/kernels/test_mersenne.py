"""The Mersenne twisters as generators: known answers, sets and their certificates, and what the
thesis has wrong about them.

numpy's own MT19937, and words that the authors' programs print, are independent of this package.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from pricing_kernels import gf2
from pricing_kernels.build import BuildError, cached_ptx
from pricing_kernels.engines import EngineError, simt
from pricing_kernels.rng import mt607, mt19937, mt19937_warp
from pricing_kernels.rng.generator import Generator, SeedError

from . import equidistribution, factors, mt607_sets

SEED = 0x1234_5678_9ABC_DEF0

CREATED = np.array(
    [
        (0xE98E0000, 0xDDEE7380, 0x6F7A8000),
        (0xF03E0001, 0x32F77780, 0xEF658000),
        (0xC7E10002, 0x93D4BB80, 0xF7558000),
    ],
    np.uint32,
)
"""Sets 0, 1, 2 of the authors' program for dynamic creation with the seed 4172."""


def of_numpy(seed: int, stream: int, count: int) -> np.ndarray:
    """The numbers of numpy's MT19937 with the key (low word, high word, stream)."""
    theirs = np.random.MT19937()
    theirs._legacy_seeding([seed & 0xFFFFFFFF, seed >> 32, stream])
    return theirs.random_raw(count)


def from_one_word(twister: mt19937.Twister, seed: int) -> np.ndarray:
    """The authors' first state from a single word, with numbers that are known."""
    state = [seed]
    for i in range(1, twister.n):
        state.append(1812433253 * (state[-1] ^ state[-1] >> 30) + i & 0xFFFFFFFF)
    return np.array(state, np.uint32)


def test_the_streams_of_mt19937_are_those_of_numpy() -> None:
    numbers = mt19937.GENERATOR.numbers(SEED, 3, 2000)
    for stream in range(3):
        assert np.array_equal(numbers[:, stream], of_numpy(SEED, stream, 2000))


def test_a_warp_makes_one_sequence_of_numpy() -> None:
    for generator in mt19937_warp.GENERATORS:
        numbers = generator.numbers(SEED, 64, 100)
        for warp in range(2):
            sequence = numbers[:, 32 * warp : 32 * warp + 32].ravel()
            assert np.array_equal(sequence, of_numpy(SEED, warp, 3200)), generator.name


def test_the_ten_thousandth_number_of_mt19937() -> None:
    words = mt19937.TWISTER.words(from_one_word(mt19937.TWISTER, 5489), mt19937.A, 10_000)
    assert mt19937.TWISTER.temper(words, mt19937.B, mt19937.C)[-1] == mt19937.TEN_THOUSANDTH


def created_numbers(twister: mt19937.Twister) -> np.ndarray:
    a, b, c = CREATED[0]
    return twister.temper(twister.words(from_one_word(twister, 1234), a, 3), b, c)


def test_the_numbers_of_a_set_of_the_authors() -> None:
    assert created_numbers(mt607.TWISTER).tolist() == [0x347BF492, 0xC9167E22, 0xA2455CB6]


def test_mt607_has_19_words_and_not_the_20_of_the_thesis() -> None:
    """With 20 words and offsets of 10 and 9 the numbers are others, and no period is proved: the
    sets that the authors' program found are no sets for that recurrence."""
    thesis = replace(mt607.TWISTER, n=20, m=10)
    assert not np.array_equal(created_numbers(thesis), created_numbers(mt607.TWISTER))
    for a in CREATED[:, 0].tolist():
        assert factors.is_irreducible(mt607.TWISTER.characteristic_polynomial(a))
        assert not factors.is_irreducible(thesis.characteristic_polynomial(a))


def test_of_the_oldest_word_one_bit_counts_and_not_the_31_of_the_thesis() -> None:
    thesis = replace(mt19937.TWISTER, r=1)
    words = thesis.words(from_one_word(thesis, 5489), mt19937.A, 10_000)
    assert thesis.temper(words, mt19937.B, mt19937.C)[-1] != mt19937.TEN_THOUSANDTH
    state = from_one_word(mt19937.TWISTER, 5489)
    same_highest_bit = state.copy()
    same_highest_bit[0] ^= 0x7FFFFFFF
    numbers = [mt19937.TWISTER.words(s, mt19937.A, 2000) for s in (state, same_highest_bit)]
    assert np.array_equal(*numbers)


def test_tempered_words_have_32_bits_and_not_the_31_of_the_thesis() -> None:
    numbers = mt19937.GENERATOR.numbers(1, 1, 10_000)
    assert abs(np.count_nonzero(numbers >> 31) - 5000) < 4 * 50


@pytest.mark.parametrize("generator", mt19937_warp.GENERATORS, ids=lambda g: g.name)
@pytest.mark.parametrize("barrier", [True, False], ids=["barrier", "no barrier"])
def test_a_warp_meets_between_its_reads_and_its_write(generator: Generator, barrier: bool) -> None:
    """Over more than a turn of the ring, and with the state loaded before and saved after."""
    kernel = generator.kernels[1]
    text = kernel.cuda(lines=False)
    step = "    __syncwarp();\n    return "
    assert text.count(step) >= 1
    try:
        ptx = cached_ptx(text if barrier else text.replace(step, "    return "), "warp.cu")
    except BuildError as error:
        pytest.skip(str(error))
    state = generator.start(1, 64)
    launch = kernel.contract.launch(streams=64, count=45)

    def run() -> None:
        simt.run(ptx, launch, {"state": state}, checks=frozenset({"race", "sync"}))

    if barrier:
        run()
    else:
        with pytest.raises(EngineError, match="race"):
            run()


def test_there_are_4096_sets_and_each_is_another() -> None:
    a = mt607.SETS[:, 0]
    assert mt607.SETS.shape == (4096, 3)
    assert np.array_equal(a & 0xFFFF, np.arange(4096))
    assert len(np.unique(a)) == 4096


@pytest.mark.parametrize("number", range(0, 4096, 63))
def test_the_period_of_a_set_is_certified(number: int) -> None:
    """From the numbers of the generator alone: any place of them satisfies the same recurrence."""
    state = mt607.initialise(SEED, number + 1)[:, -1:]
    lowest_bits = (mt607.generate(state, 2 * 607)[0][:, 0] & 1).tolist()
    polynomial = gf2.minimal_polynomial(lowest_bits)
    assert polynomial.bit_length() == 608
    assert factors.has_full_period(polynomial)
    assert polynomial == mt607.TWISTER.characteristic_polynomial(int(mt607.SETS[number, 0]))


@pytest.mark.slow
def test_the_period_of_every_set_is_certified() -> None:
    assert all(map(mt607_sets.has_full_period, mt607.SETS[:, 0].tolist()))


@pytest.mark.parametrize("number", [0, 1777, 4095])
def test_the_search_finds_a_set_again(number: int) -> None:
    assert mt607_sets.find(number) == tuple(mt607.SETS[number].tolist())


def test_no_two_sets_have_a_recurrence_in_common() -> None:
    sample = [mt607.TWISTER.characteristic_polynomial(a) for a in mt607.SETS[::256, 0].tolist()]
    assert all(factors.gcd(p, q) == 1 for i, p in enumerate(sample) for q in sample[:i])


@pytest.mark.parametrize("number", range(0, 4096, 315))
def test_the_masks_of_a_set_bring_its_dimensions_near_the_bounds(number: int) -> None:
    """Dimensions that are missing for 1 to 16 bits: of 2044, 1152 without masks; the authors' own
    masks leave 106 to 123."""
    a, b, c = mt607.SETS[number].tolist()
    polynomial = mt607.TWISTER.characteristic_polynomial(a)
    words = mt607.TWISTER.words(np.ones(19, np.uint32), a, 607)
    raw = equidistribution.numerators(words, polynomial)
    assert equidistribution.defect(mt607.TWISTER.temper(raw, b, c), polynomial, 16) < 280


def test_more_streams_than_sets_are_refused() -> None:
    for generator in mt607.GENERATORS:
        with pytest.raises(SeedError, match="streams 4097, expected 1 to 4096"):
            generator.start(1, 4097)


def test_streams_of_a_warp_come_in_groups() -> None:
    for generator in mt19937_warp.GENERATORS:
        with pytest.raises(SeedError, match="streams 33, expected a multiple of 32"):
            generator.start(1, 33)


def agreement(numbers: np.ndarray) -> float:
    """The share of bits in which the streams have what the first one has."""
    differing = numbers[:, 1:] ^ numbers[:, :1]
    return 1 - float(np.unpackbits(differing.view(np.uint8)).mean())


def test_threads_that_start_from_one_state_begin_alike() -> None:
    """What the sample does, and why the stream is in the key here: of the first numbers of two
    threads, most bits are the same, whatever their parameters."""
    state = mt607.initialise(SEED, 64)
    state[:19] = state[:19, :1]
    numbers, _ = mt607.generate(state, 9)
    assert agreement(numbers) > 0.7
    fresh = mt607.GENERATORS[0].numbers(SEED, 64, 9)
    assert abs(agreement(fresh) - 0.5) < 0.02
