"""Numbers that the host made: read from global memory in order, sent anew before each launch.

The thesis's external data (chapter IV, section 3.6): a generator without a recurrence. A chunk of
CAPACITY numbers for each stream lies behind the place of the next one; seed c is chunk c of the
stored sequence, here Philox's with key 0. A chunk that is read to its end begins again, so the host
sends the next one in time: no launch may take more than CAPACITY numbers.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from pricing_kernels.link import Fragment
from pricing_kernels.rng import memory, philox
from pricing_kernels.rng.generator import Generator, Words

CAPACITY: Final = 1024


def initialise(seed: int, streams: int) -> Words:
    """The place of the next number, then chunk `seed` of every stream."""
    first = philox.jump(philox.initialise(0, streams), seed * CAPACITY)
    chunk, _ = philox.generate(first, CAPACITY)
    return np.concatenate([np.zeros((1, streams), np.uint32), chunk])


def jump(state: Words, steps: int) -> Words:
    """The states `steps` numbers further on."""
    place = (state[:1].astype(np.uint64) + np.uint64(steps)) % np.uint64(CAPACITY)
    return np.concatenate([place.astype(np.uint32), state[1:]])


def generate(state: Words, count: int) -> tuple[Words, Words]:
    """The next `count` numbers of each stream, and the states after them."""
    places = (int(state[0, 0]) + np.arange(count)) % CAPACITY
    return state[1 + places], jump(state, count)


FRAGMENT: Final = Fragment(
    "stored",
    __file__,
    """\
struct Local {
    M::State numbers;
    unsigned place;  // of the next number
};

__device__ __forceinline__ void initialise(Local& local, M::State state, unsigned long long seed)
{
    local.place = 0;
}

__device__ __forceinline__ void load(Local& local, M::State state)
{
    local.numbers = state;
    local.place = state[0] % CAPACITY;
}

__device__ __forceinline__ void save(Local& local, M::State state) { state[0] = local.place; }

__device__ __forceinline__ unsigned generate(Local& local)
{
    unsigned number = local.numbers[1 + local.place];
    local.place = (local.place + 1) % CAPACITY;
    return number;
}
""",
    {"M": memory.FRAGMENT},
    {"CAPACITY": CAPACITY},
)

GENERATOR: Final = Generator(
    "stored",
    FRAGMENT,
    CAPACITY + 1,
    initialise,
    generate,
    stored=initialise,
    max_seed=2**32 - 1,
    max_count=CAPACITY,
)
