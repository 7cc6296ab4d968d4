"""Every generator gives its published numbers, and on the interpreter the numbers of its numpy
reference: word for word, over more than 64 streams, its states included."""

from __future__ import annotations

import numpy as np
import pytest

from pricing_kernels.build import BuildError
from pricing_kernels.catalogue import GENERATORS
from pricing_kernels.engines import Results, simt
from pricing_kernels.kernel import Kernel
from pricing_kernels.rng import lcg32, mrg32k3a, philox
from pricing_kernels.rng.generator import Generator, SeedError, Words

STREAMS, COUNT = 100, 1001
SEED = 0x1234_5678_9ABC_DEF0

each = pytest.mark.parametrize("generator", GENERATORS, ids=lambda g: g.name)


def run(kernel: Kernel, contents: dict[str, Words], **values: int) -> Results:
    try:
        ptx = kernel.ptx()
    except BuildError as error:
        pytest.skip(str(error))
    return simt.run(ptx, kernel.contract.launch(**values), contents)


def seed(generator: Generator) -> int:
    return min(SEED, generator.max_seed)


@each
def test_a_kernel_starts_streams_as_numpy_does(generator: Generator) -> None:
    first, _ = generator.kernels
    before = generator.before(seed(generator), STREAMS)
    state = run(first, {"state": before}, streams=STREAMS, seed=seed(generator))["state"]
    assert np.array_equal(state, generator.start(seed(generator), STREAMS).ravel())


@each
def test_a_kernel_generates_the_numbers_of_numpy(generator: Generator) -> None:
    assert STREAMS * COUNT >= 100_000 and STREAMS >= 64
    _, then = generator.kernels
    before = generator.start(seed(generator), STREAMS)
    results = run(then, {"state": before}, streams=STREAMS, count=COUNT)
    numbers, after = generator.generate(before, COUNT)
    assert np.array_equal(results["numbers"], numbers.ravel())
    assert np.array_equal(results["state"], after.ravel())


@each
def test_two_launches_go_on_where_one_would(generator: Generator) -> None:
    """A state that is saved and loaded in the middle makes no difference."""
    _, then = generator.kernels
    whole = generator.numbers(1, 5, 7 + 6)
    one = run(then, {"state": generator.start(1, 5)}, streams=5, count=7)
    two = run(then, {"state": one["state"]}, streams=5, count=6)
    assert np.array_equal(np.append(one["numbers"], two["numbers"]), whole.ravel())


@each
def test_streams_of_one_seed_differ_and_so_do_seeds(generator: Generator) -> None:
    numbers = generator.numbers(1, 64, 32)
    assert len({column.tobytes() for column in numbers.T}) == 64
    assert not np.array_equal(numbers, generator.numbers(2, 64, 32))
    assert numbers.max() < generator.values


@each
@pytest.mark.parametrize(("streams", "add"), [(0, 0), (None, 0), (1, -1), (1, None)])
def test_seeds_and_streams_out_of_range_are_refused(
    generator: Generator, streams: int | None, add: int | None
) -> None:
    many = generator.max_streams + 1 if streams is None else streams
    start = generator.max_seed + 1 if add is None else add
    with pytest.raises(SeedError, match=rf"^{generator.name}: (seed|streams) -?\d+, expected"):
        generator.start(start, many)


def test_the_published_numbers_of_the_lcg() -> None:
    numbers, _ = lcg32.generate(np.zeros((1, 1), np.uint32), 4)
    assert tuple(numbers[:, 0]) == lcg32.FIRST


@pytest.mark.parametrize("steps", [0, 1, 2, 3, 1000, 2**16, 2**32 - 1])
def test_an_lcg_jumps_as_it_steps(steps: int) -> None:
    a, c = lcg32.jump(steps)
    assert ((a * 77 + c) * lcg32.A + lcg32.C) % 2**32 == sum(
        factor * term for factor, term in zip(lcg32.jump(steps + 1), (77, 1), strict=True)
    ) % 2**32


def test_the_published_numbers_of_mrg32k3a() -> None:
    numbers, _ = mrg32k3a.generate(np.full((6, 1), 12345, np.uint32), 3)
    assert tuple(numbers[:, 0]) == mrg32k3a.FIRST


def test_the_published_matrix_of_a_substream_of_mrg32k3a() -> None:
    """The first rows of A1^(2^76) and A1^(2^127): L'Ecuyer, Simard, Chen, Kelton (2002)."""
    rows = [mrg32k3a.power(mrg32k3a.STEP_X, 2**k, mrg32k3a.M1)[0] for k in (76, 127)]
    assert rows == [(82758667, 1871391091, 4127413238), (2427906178, 3580155704, 949770784)]


@pytest.mark.parametrize("steps", [1, 2, 3, 10, 57])
def test_mrg32k3a_jumps_as_it_steps(steps: int) -> None:
    state = mrg32k3a.GENERATOR.start(5, 3)
    assert np.array_equal(mrg32k3a.jump(state, steps), mrg32k3a.generate(state, steps)[1])


@pytest.mark.parametrize("steps", [1, 2, 4, 7, 2**33 - 1])
def test_philox_jumps_as_it_steps(steps: int) -> None:
    state = philox.jump(philox.GENERATOR.start(5, 3), 2)
    there = philox.jump(state, steps)
    if steps < 100:
        assert np.array_equal(there, philox.generate(state, steps)[1])
    last = philox.generate(philox.jump(there, -1 % 2**64), 2)[0]
    assert np.array_equal(last[1], philox.generate(there, 1)[0][0])
