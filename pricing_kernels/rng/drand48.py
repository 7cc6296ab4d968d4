"""drand48: the linear congruential generator x' = A x + C modulo 2^48, leapfrogging.

The sequence of the C library, dealt out like cards: of n streams, stream s has the numbers s, s +
n, s + 2 n, ... So the streams of a launch together are one sequence, in its order in memory, and
each steps by n: x' = a x + c with a = A^n, c = C (1 + A + ... + A^(n-1)). (The sum in seed 001
runs to A^n, one term too far.) A state belongs to the number of streams that it was made for.

A number is the upper 32 bits of x, ``mrand48`` without its sign; drand48 itself is x / 2^48. The
low bits have short periods, and in three dimensions the numbers lie on few planes.

Source: POSIX, drand48(3); the leapfrog is the second paper's section 3.1.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from pricing_kernels.link import Fragment
from pricing_kernels.rng import lcg32, memory
from pricing_kernels.rng.generator import Generator, Words

A: Final = 0x5DEECE66D
C: Final = 0xB
MODULUS: Final = 2**48
LOW_OF_SEED: Final = 0x330E  # srand48: the state is the seed above this half word


def jump(steps: int) -> tuple[int, int]:
    """The multiplier and the increment of `steps` steps."""
    return lcg32.jump(steps, A, C, MODULUS)


def initialise(seed: int, streams: int) -> Words:
    """Of stream s, the state s + 1 steps after srand48(seed): the next number to come."""
    x = seed << 16 | LOW_OF_SEED
    states = np.empty(streams, np.uint64)
    for stream in range(streams):
        states[stream] = x = (A * x + C) % MODULUS
    return _words(states)


def generate(state: Words, count: int) -> tuple[Words, Words]:
    """The next `count` numbers of each stream, and the states after them."""
    streams = state.shape[1]
    a, c = map(np.uint64, jump(streams))
    x = state[0] | state[1].astype(np.uint64) << np.uint64(32)
    numbers = np.empty((count, streams), np.uint32)
    for i in range(count):
        numbers[i] = x >> np.uint64(16)
        x = (a * x + c) & np.uint64(MODULUS - 1)
    return numbers, _words(x)


def _words(states: NDArray[np.uint64]) -> Words:
    return np.stack([states, states >> np.uint64(32)]).astype(np.uint32)


FRAGMENT: Final = Fragment(
    "drand48",
    __file__,
    """\
struct Local { unsigned long long x, a, c; };  // the next state, the map of a step

// The map of `steps` steps, and where it takes x.
__device__ __forceinline__ Local jump(unsigned long long x, unsigned steps)
{
    Local far = {x, 1, 0};
    unsigned long long a = A, c = C;
    for (; steps; steps >>= 1) {
        if (steps & 1) {
            far.x = a * far.x + c;
            far.a *= a;
            far.c = a * far.c + c;
        }
        c *= a + 1;
        a *= a;
    }
    return far;
}

__device__ __forceinline__ void initialise(Local& local, M::State state, unsigned long long seed)
{
    local.x = jump(seed << 16 | LOW_OF_SEED, state.stream + 1).x & (MODULUS - 1);
}

__device__ __forceinline__ void load(Local& local, M::State state)
{
    local = jump(0, state.streams);
    local.x = state[0] | (unsigned long long)state[1] << 32;
}

__device__ __forceinline__ void save(Local& local, M::State state)
{
    state[0] = local.x;
    state[1] = local.x >> 32;
}

__device__ __forceinline__ unsigned generate(Local& local)
{
    unsigned number = local.x >> 16;
    local.x = (local.a * local.x + local.c) & (MODULUS - 1);
    return number;
}
""",
    {"M": memory.FRAGMENT},
    {"A": A, "C": C, "MODULUS": MODULUS, "LOW_OF_SEED": LOW_OF_SEED},
)

GENERATOR: Final = Generator("drand48", FRAGMENT, 2, initialise, generate, max_seed=2**32 - 1)
