"""Every generator gives its published numbers, and on the interpreter the numbers of its numpy
reference: word for word, over more than 64 streams, its states included."""

from __future__ import annotations

import numpy as np
import pytest

from pricing_kernels.build import BuildError
from pricing_kernels.catalogue import GENERATORS
from pricing_kernels.engines import Results
from pricing_kernels.kernel import EmittedKernel
from pricing_kernels.rng.generator import Generator, SeedError, Words

from . import engine

STREAMS, COUNT = 100, 1001
SEED = 0x1234_5678_9ABC_DEF0

each = pytest.mark.parametrize("generator", GENERATORS, ids=lambda g: g.name)


def run(kernel: EmittedKernel, contents: dict[str, Words], **values: int) -> Results:
    try:
        ptx = kernel.ptx()
    except BuildError as error:
        pytest.skip(str(error))
    return engine.run(ptx, kernel.contract.launch(**values), contents)


def whole_groups(generator: Generator, streams: int) -> int:
    return -(-streams // generator.group) * generator.group


def seed(generator: Generator) -> int:
    return min(SEED, generator.max_seed)


@each
def test_a_kernel_starts_streams_as_numpy_does(generator: Generator) -> None:
    first, _ = generator.kernels
    streams = whole_groups(generator, STREAMS)
    before = {"state": generator.before(seed(generator), streams)}
    state = run(first, before, streams=streams, seed=seed(generator))["state"]
    assert np.array_equal(state, generator.start(seed(generator), streams).ravel())


@each
def test_a_kernel_generates_the_numbers_of_numpy(generator: Generator) -> None:
    assert STREAMS * COUNT >= 100_000 and STREAMS >= 64
    _, then = generator.kernels
    streams = whole_groups(generator, STREAMS)
    before = generator.start(seed(generator), streams)
    results = run(then, {"state": before}, streams=streams, count=COUNT)
    numbers, after = generator.generate(before, COUNT)
    assert np.array_equal(results["numbers"], numbers.ravel())
    assert np.array_equal(results["state"], after.ravel())


@each
def test_two_launches_go_on_where_one_would(generator: Generator) -> None:
    """A state that is saved and loaded in the middle makes no difference."""
    _, then = generator.kernels
    streams = whole_groups(generator, 5)
    whole = generator.numbers(1, streams, 7 + 25)
    one = run(then, {"state": generator.start(1, streams)}, streams=streams, count=7)
    two = run(then, {"state": one["state"]}, streams=streams, count=25)
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
