"""A million numbers of cuRAND's host generators are those of ours, bit for bit, and 100,000 of its
MT19937, which takes long to seed: as recorded, and live where the library is installed."""

from __future__ import annotations

import json

import numpy as np
import pytest

from pricing_kernels.rng import mrg32k3a, mt19937, philox, sobol, xorwow
from pricing_kernels.rng.generator import Words

from .curand import (
    COUNT,
    DIMENSIONS,
    FIRST,
    POINTS,
    RECORD,
    STREAMS,
    TURNS,
    digest,
    library,
    sequence,
)

SEQUENCES = json.loads(RECORD.read_text())["sequences"]
GENERATORS = {g.name: g for g in (mrg32k3a.GENERATOR, philox.GENERATOR, xorwow.GENERATOR)}
each = pytest.mark.parametrize("entry", SEQUENCES, ids=lambda e: f"{e['generator']}-{e['seed']}")


def ours(generator: str, seed: int) -> Words:
    """The same numbers in the library's order."""
    if generator == "sobol":
        return sobol.GENERATOR.numbers(0, DIMENSIONS, POINTS).T.ravel()
    if generator == "mt19937":
        return in_eights(seed)
    streams = STREAMS[generator]
    numbers = GENERATORS[generator].numbers(seed, streams, COUNT // streams)
    if generator == "philox":
        return numbers.reshape(-1, 4, streams).transpose(0, 2, 1).ravel()
    return stretched(numbers.ravel()) if generator == "mrg32k3a" else numbers.ravel()


def in_eights(seed: int) -> Words:
    """The FIRST streams of MT19937, 2^2048 numbers apart: of each 624 numbers, 8 in a turn. The
    first turn gives 8 numbers that stand apart, the others of every 56 the j-th, j + 7-th, ..."""
    first = np.random.MT19937()
    first._legacy_seeding(seed)
    states = mt19937.TWISTER.apart(first.state["state"]["key"], mt19937.A, 2**2048, FIRST)
    words = mt19937.TWISTER.words(states, mt19937.A, 8 * TURNS)
    alone = np.array([0, 113, 170, 283, 340, 397, 510, 567])
    others = np.setdiff1d(np.arange(624), alone).reshape(11, 8, 7).transpose(0, 2, 1)
    order = np.concatenate([alone[None], others.reshape(77, 8)])
    numbers = mt19937.TWISTER.temper(words, mt19937.B, mt19937.C).reshape(-1, 624, FIRST)
    return numbers[:, order].transpose(0, 1, 3, 2).ravel()


def stretched(raw: Words) -> Words:
    """The library multiplies numbers of MRG32k3a up to 32 bits, by a constant of 13 digits."""
    return np.floor(np.where(raw == 0, mrg32k3a.M1, raw) * 1.000000048662).astype(np.uint32)


@each
def test_numbers_are_those_that_were_recorded(entry: dict[str, object]) -> None:
    numbers = ours(str(entry["generator"]), int(str(entry["seed"])))
    assert numbers.size == entry["count"] >= 100_000
    assert numbers[:4].tolist() == entry["first"]
    assert digest(numbers) == entry["sha256"]


@each
def test_the_record_is_what_the_library_gives(entry: dict[str, object]) -> None:
    curand = library()
    if curand is None:
        pytest.skip("nvidia-curand is not installed: the record is all there is")
    numbers = sequence(curand, str(entry["generator"]), int(str(entry["seed"])))
    assert digest(numbers) == entry["sha256"]
