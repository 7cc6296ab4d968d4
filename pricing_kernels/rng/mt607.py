"""MT607: a small Mersenne twister for each thread, each with parameters of its own.

A state is 19 words, of whose oldest the lowest bit does not count: 607 bits. The middle word is the
tenth. (The thesis has 20 words and offsets of 10 and 9 into them.) Every stream has its own twist
word and masks, found by ``tests/kernels/mt607_sets``: their characteristic polynomials are
irreducible and different: each has the period 2^607 - 1, and no two satisfy a common recurrence.

MT-FULL-PARAM   the ring stays in global memory: 23 words, with its place and the parameters
MT-SDK          the ring is in shared memory while a kernel runs; from NVIDIA's sample

Both give the same numbers. Unlike in the sample, the stream is in the key, as it is for MT19937.

Not handled: linear complexity. 1214 bits of one place show their recurrence of 607 bits.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

import numpy as np

from pricing_kernels.link import Fragment
from pricing_kernels.rng import memory
from pricing_kernels.rng.generator import BLOCK, Generator, Words
from pricing_kernels.rng.twister import Twister

TWISTER: Final = Twister(n=19, m=9, r=1, u=12, s=7, t=15, l=18)
SETS: Final[Words] = np.load(Path(__file__).with_name("mt607.npy"))
"""The sets (a, b, c), one a row; the number of a set, its row, is the low half of its a."""


def stored(_seed: int, streams: int) -> Words:
    """The parameters of each stream, in the last three rows: the kernels read them there."""
    empty = np.zeros((TWISTER.n + 1, streams), np.uint32)
    return np.concatenate([empty, SETS[:streams].T])


def initialise(seed: int, streams: int) -> Words:
    """The ring of each stream, where its oldest word is, and its parameters."""
    state = stored(seed, streams)
    state[: TWISTER.n] = TWISTER.seeded(seed, np.arange(streams))
    return state


def generate(state: Words, count: int) -> tuple[Words, Words]:
    """The next `count` numbers of each stream, and the states after them."""
    a, b, c = state[-3:]
    words, ring, position = TWISTER.advanced(state[:-4], state[-4], a, count)
    return TWISTER.temper(words, b, c), np.concatenate([ring, position[None], state[-3:]])


OWN: Final = Fragment(
    "own_parameters",
    __file__,
    """\
template <class Words> struct Local { Words ring; unsigned position, oldest, a, b, c; };

// The parameters are there before.
__device__ __forceinline__ void seed_state(M::State state, unsigned long long seed)
{
    MT::seed_words(state, seed, state.stream);
    state[MT::N] = 0;
}

template <class Words>
__device__ __forceinline__ Local<Words> resumed(Words ring, M::State state)
{
    unsigned position = min(state[MT::N], MT::N - 1);
    return {ring, position, ring[position], state[MT::N + 1], state[MT::N + 2], state[MT::N + 3]};
}

template <class Words>
__device__ __forceinline__ unsigned generate(Local<Words>& local)
{
    unsigned word = MT::step(local.ring, local.position, local.oldest, local.a);
    return MT::temper(word, local.b, local.c);
}
""",
    {"M": memory.FRAGMENT, "MT": TWISTER.fragment},
)

FULL: Final = Fragment(
    "mt607",
    __file__,
    """\
using Local = OWN::Local<M::State>;
using OWN::generate;

__device__ __forceinline__ void load(Local& local, M::State state)
{
    local = OWN::resumed(state, state);
}

__device__ __forceinline__ void initialise(Local& local, M::State state, unsigned long long seed)
{
    OWN::seed_state(state, seed);
    load(local, state);
}

__device__ __forceinline__ void save(Local& local, M::State state)
{
    state[MT::N] = local.position;
}
""",
    {"M": memory.FRAGMENT, "MT": TWISTER.fragment, "OWN": OWN},
)

SHARED: Final = Fragment(
    "mt607_shared",
    __file__,
    """\
// One thread's words in shared memory: each thread of a warp has a bank of its own.
struct Column {
    unsigned* first;

    __device__ __forceinline__ unsigned& operator[](unsigned word) const
    {
        return first[word * THREADS];
    }
};

using Local = OWN::Local<Column>;
using OWN::generate;

__device__ __forceinline__ void load(Local& local, M::State state)
{
    __shared__ unsigned words[MT::N * THREADS];
    Column ring = {words + threadIdx.x};
    for (unsigned word = 0; word < MT::N; word++)
        ring[word] = state[word];
    local = OWN::resumed(ring, state);
}

__device__ __forceinline__ void initialise(Local& local, M::State state, unsigned long long seed)
{
    OWN::seed_state(state, seed);
    load(local, state);
}

__device__ __forceinline__ void save(Local& local, M::State state)
{
    for (unsigned word = 0; word < MT::N; word++)
        state[word] = local.ring[word];
    state[MT::N] = local.position;
}
""",
    {"M": memory.FRAGMENT, "MT": TWISTER.fragment, "OWN": OWN},
    {"THREADS": BLOCK},
)


def _generator(fragment: Fragment) -> Generator:
    return Generator(
        fragment.name,
        fragment,
        TWISTER.n + 4,
        initialise,
        generate,
        stored,
        max_streams=len(SETS),
    )


GENERATORS: Final = (_generator(FULL), _generator(SHARED))
