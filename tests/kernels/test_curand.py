"""A million numbers of cuRAND's host generators are those of ours, bit for bit: as recorded, and
live where the library is installed."""

from __future__ import annotations

import json

import numpy as np
import pytest

from pricing_kernels.rng import mrg32k3a, philox, sobol, xorwow
from pricing_kernels.rng.generator import Words

from .curand import COUNT, DIMENSIONS, POINTS, RECORD, STREAMS, digest, library, sequence

SEQUENCES = json.loads(RECORD.read_text())["sequences"]
GENERATORS = {g.name: g for g in (mrg32k3a.GENERATOR, philox.GENERATOR, xorwow.GENERATOR)}
each = pytest.mark.parametrize("entry", SEQUENCES, ids=lambda e: f"{e['generator']}-{e['seed']}")


def ours(generator: str, seed: int) -> Words:
    """The same numbers in the library's order."""
    if generator == "sobol":
        return sobol.GENERATOR.numbers(0, DIMENSIONS, POINTS).T.ravel()
    streams = STREAMS[generator]
    numbers = GENERATORS[generator].numbers(seed, streams, COUNT // streams)
    if generator == "philox":
        return numbers.reshape(-1, 4, streams).transpose(0, 2, 1).ravel()
    return stretched(numbers.ravel()) if generator == "mrg32k3a" else numbers.ravel()


def stretched(raw: Words) -> Words:
    """The library multiplies numbers of MRG32k3a up to 32 bits, by a constant of 13 digits."""
    return np.floor(np.where(raw == 0, mrg32k3a.M1, raw) * 1.000000048662).astype(np.uint32)


@each
def test_numbers_are_those_that_were_recorded(entry: dict[str, object]) -> None:
    numbers = ours(str(entry["generator"]), int(str(entry["seed"])))
    assert numbers.size == entry["count"] >= 1_000_000
    assert numbers[:4].tolist() == entry["first"]
    assert digest(numbers) == entry["sha256"]


@each
def test_the_record_is_what_the_library_gives(entry: dict[str, object]) -> None:
    curand = library()
    if curand is None:
        pytest.skip("nvidia-curand is not installed: the record is all there is")
    numbers = sequence(curand, str(entry["generator"]), int(str(entry["seed"])))
    assert digest(numbers) == entry["sha256"]
