"""The Mersenne twister MT19937, one for each thread (MT-FULL of the thesis).

The state is a ring of 624 words and the place of the oldest, in which the next number replaces it.
Of the oldest word the one highest bit counts and of its successor the 31 low ones; whether the
twist is added is the lowest bit's affair. (The thesis has it as r high bits, for r = 31, and calls
the tempered words 31-bit ones: they have 32.) The period is 2^19937 - 1.

Word w of stream s is at w * streams + s, the T[n][t] of the thesis: two reads and one write of 128
bytes make 32 numbers of 32 streams. Streams are seeded, with the stream's number in the key: parts
of one cycle at places that nobody compared, though that any two of 2^20 streams of 2^64 numbers
overlap has a probability below 2^-19800. Parts at known places are jumps apart: ``TWISTER.jump``.

Source: M. Matsumoto and T. Nishimura, "Mersenne twister: a 623-dimensionally equidistributed
uniform pseudo-random number generator", ACM TOMACS 8 (1998), tables I and II.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from pricing_kernels.link import Fragment
from pricing_kernels.rng import memory
from pricing_kernels.rng.generator import Generator, Words
from pricing_kernels.rng.twister import Twister

TWISTER: Final = Twister(n=624, m=397, r=31, u=11, s=7, t=15, l=18)
A: Final = 0x9908B0DF
B: Final = 0x9D2C5680
C: Final = 0xEFC60000

TEN_THOUSANDTH: Final = 4123659995
"""From the seed 5489, a single word: C++ standard, [rand.predef]."""


def initialise(seed: int, streams: int) -> Words:
    """The ring of each stream and, in the last row, where its oldest word is."""
    ring = TWISTER.seeded(seed, np.arange(streams))
    return np.concatenate([ring, np.zeros((1, streams), np.uint32)])


def generate(state: Words, count: int) -> tuple[Words, Words]:
    """The next `count` numbers of each stream, and the states after them."""
    words, ring, position = TWISTER.advanced(state[:-1], state[-1], A, count)
    return TWISTER.temper(words, B, C), np.concatenate([ring, position[None]])


FRAGMENT: Final = Fragment(
    "mt19937",
    __file__,
    """\
struct Local { M::State ring; unsigned position, oldest; };

__device__ __forceinline__ void initialise(Local& local, M::State state, unsigned long long seed)
{
    MT::seed_words(state, seed, state.stream);
    local = {state, 0, state[0]};
}

__device__ __forceinline__ void load(Local& local, M::State state)
{
    unsigned position = min(state[MT::N], MT::N - 1);
    local = {state, position, state[position]};
}

__device__ __forceinline__ void save(Local& local, M::State state)
{
    state[MT::N] = local.position;
}

__device__ __forceinline__ unsigned generate(Local& local)
{
    return MT::temper(MT::step(local.ring, local.position, local.oldest, A), B, C);
}
""",
    {"M": memory.FRAGMENT, "MT": TWISTER.fragment},
    {"A": A, "B": B, "C": C},
)

GENERATOR: Final = Generator("mt19937", FRAGMENT, TWISTER.n + 1, initialise, generate)
