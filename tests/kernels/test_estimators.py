"""Estimators: pi from points, on the interpreter as in numpy, and moments of uniform numbers."""

from __future__ import annotations

import math

import numpy as np
import pytest

from pricing_kernels.build import BuildError
from pricing_kernels.catalogue import FOR_PI, GENERATORS
from pricing_kernels.estimators import frequencies, pi
from pricing_kernels.rng import lcg_mersenne, xorwow
from pricing_kernels.rng.generator import Generator
from tests.kernels.moments import moments

from . import engine

by_name = {"ids": lambda generator: generator.name}


def count_hits(generator: Generator, streams: int, points: int) -> np.ndarray:
    """The hits that the kernel counts on the interpreter."""
    kernel = pi.kernel(generator)
    try:
        ptx = kernel.ptx()
    except BuildError as error:
        pytest.skip(str(error))
    launch = kernel.contract.launch(streams=streams, points=points)
    return engine.run(ptx, launch, {"state": generator.start(12345, streams)})["hits"]


@pytest.mark.parametrize("generator", (*FOR_PI, lcg_mersenne.GENERATOR), **by_name)
def test_pi_from_100_000_points(generator: Generator) -> None:
    hits = count_hits(generator, 200, 500)
    assert np.array_equal(hits, pi.hits(generator, generator.numbers(12345, 200, 1000)))
    value, stderr = pi.estimate(hits, 500)
    assert abs(value - math.pi) < 4 * stderr
    assert stderr == pytest.approx(pi.deviation(100_000), rel=0.01)


@pytest.mark.slow
@pytest.mark.parametrize("generator", FOR_PI, **by_name)
def test_pi_from_10_000_000_points(generator: Generator) -> None:
    """The points of a hundredth of one of the paper's estimates."""
    value, stderr = pi.estimate(count_hits(generator, 10_000, 1000), 1000)
    assert abs(value - math.pi) < 4 * stderr
    assert stderr == pytest.approx(10 * pi.deviation(10**9), rel=0.001)


def test_the_figures_of_the_paper_are_those_of_so_many_points() -> None:
    """A mean of 500 is off by a 22nd of a deviation, and a deviation from 500 by 3.2 percent. The
    paper speaks of 10^9 numbers: they would make 5 * 10^8 points, and another deviation."""
    for mean, deviation in pi.PAPER.values():
        assert abs(mean - math.pi) < 2 * pi.deviation(10**9) / math.sqrt(500)
        assert abs(deviation / pi.deviation(10**9) - 1) < 2 / math.sqrt(2 * 499)
        assert abs(deviation / pi.deviation(5 * 10**8) - 1) > 8 / math.sqrt(2 * 499)


@pytest.mark.parametrize("generator", FOR_PI, **by_name)
def test_the_spread_of_estimates_is_that_of_the_paper(generator: Generator) -> None:
    """200 estimates from 10,000 points each, in numpy: mean and deviation as in the table, scaled
    to so many points, within four standard errors of ours and theirs together."""
    numbers = generator.numbers(12345, 2000, 2000)
    estimates = 4 * pi.hits(generator, numbers).reshape(200, 10).sum(axis=1) / 10_000
    mean, deviation = pi.PAPER[generator.name]
    scaled = deviation * math.sqrt(10**9 / 10_000)
    assert abs(estimates.mean() - mean) < 4 * scaled / math.sqrt(200)
    errors = math.hypot(1 / math.sqrt(2 * 199), 1 / math.sqrt(2 * 499))
    assert abs(estimates.std(ddof=1) / scaled - 1) < 4 * errors


RANDOM = [g for g in GENERATORS if g.name not in ("lcg32", "sobol")]


@pytest.mark.parametrize("generator", RANDOM, **by_name)
def test_the_moments_of_a_generator(generator: Generator) -> None:
    numbers = generator.numbers(min(12345, generator.max_seed), 64, min(4096, generator.max_count))
    assert all(abs(normal) < 4 for normal in moments(numbers, generator.values))


def uniform(seed: int) -> np.ndarray:
    bits = np.random.Generator(np.random.Philox(seed))
    return bits.integers(0, 2**32, (50, 20), np.uint32)


def test_moments_are_standard_normal() -> None:
    """Over 2,000 samples: means within 4 / sqrt(2000), deviations within 4 / sqrt(4000)."""
    samples = np.array([moments(uniform(seed)) for seed in range(2000)])
    assert np.abs(samples.mean(axis=0)).max() < 4 / math.sqrt(2000)
    assert np.abs(samples.std(axis=0) - 1).max() < 4 / math.sqrt(4000)


@pytest.mark.parametrize(
    ("moment", "numbers"),
    [
        ("mean", uniform(1) // 2),
        ("variance", uniform(1) // 4 + np.uint32(3 * 2**29)),
        ("serial", np.repeat(uniform(1), 2, axis=0)),
        ("cross", np.repeat(uniform(1), 2, axis=1)),
    ],
)
def test_a_moment_shows_what_it_is_for(moment: str, numbers: np.ndarray) -> None:
    assert abs(getattr(moments(numbers), moment)) > 8


@pytest.mark.parametrize("streams", [64, 200])
def test_the_table_of_all_streams_is_that_of_numpy(streams: int) -> None:
    generator = xorwow.GENERATOR
    kernel, state = frequencies.kernel(generator), generator.start(12345, streams)
    launch = kernel.contract.launch(streams=streams, count=500)
    counts = engine.run(kernel.ptx(), launch, {"state": state})["counts"]
    numbers, _ = generator.generate(state, 500)
    assert np.array_equal(counts, frequencies.frequencies(generator, numbers))
    assert abs(frequencies.deviations(counts)) < 4


def test_frequencies_show_a_cell_that_is_left_out() -> None:
    numbers = uniform(1)
    even = np.full(frequencies.CELLS, 100, np.uint32)
    assert frequencies.deviations(even) == pytest.approx(-63 / math.sqrt(126))
    low = frequencies.frequencies(xorwow.GENERATOR, numbers // 2)
    assert frequencies.deviations(low) > 8
