"""The linear congruential generator x' = A x + C modulo 2^32.

One multiplication and one addition a number, one word of state; the thesis's CUDA-LCG. The period
is 2^32 and bit k has the period 2^(k+1): it fails most statistical tests and is here as the
cheapest generator there is, never to price with. Stream s begins s * 2^16 numbers into the cycle:
65,536 streams of 65,536 numbers.

Jump: n steps are x' = a x + c with a = A^n and c = C (A^0 + ... + A^(n-1)); two maps in a row are
one such map again, so n steps take log2 n compositions.

Source: W. Press, S. Teukolsky, W. Vetterling, B. Flannery, "Numerical Recipes in C", 2nd ed.,
section 7.1, "an even quicker generator", with its first numbers from 0.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from pricing_kernels.link import Fragment
from pricing_kernels.rng import memory
from pricing_kernels.rng.generator import Generator, Words

A: Final = 1664525
C: Final = 1013904223
SPACING: Final = 2**16  # numbers from the beginning of a stream to that of the next

FIRST: Final = (0x3C6EF35F, 0x47502932, 0xD1CCF6E9, 0xAAF95334)
"""The numbers after 0."""


def jump(steps: int, a: int = A, c: int = C, modulus: int = 2**32) -> tuple[int, int]:
    """The multiplier and the increment of `steps` steps of x' = a x + c."""
    total_a, total_c = 1, 0
    while steps:
        if steps & 1:
            total_a, total_c = total_a * a % modulus, (total_c * a + c) % modulus
        a, c = a * a % modulus, (a + 1) * c % modulus
        steps >>= 1
    return total_a, total_c


def initialise(seed: int, streams: int) -> Words:
    """The state of stream s is the seed after s * SPACING steps."""
    state, (a, c) = np.empty((1, streams), np.uint32), jump(SPACING)
    for stream in range(streams):
        state[0, stream] = seed
        seed = (a * seed + c) % 2**32
    return state


def generate(state: Words, count: int) -> tuple[Words, Words]:
    """The next `count` numbers of each stream, and the states after them."""
    numbers = np.empty((count, state.shape[1]), np.uint32)
    x = state[0]
    for i in range(count):
        numbers[i] = x = x * np.uint32(A) + np.uint32(C)
    return numbers, x[None]


FRAGMENT: Final = Fragment(
    "lcg32",
    __file__,
    """\
struct Local { unsigned x; };

__device__ __forceinline__ void initialise(Local& local, M::State state, unsigned long long seed)
{
    unsigned a = A, c = C;
    local.x = seed;
    for (unsigned steps = state.stream * SPACING; steps; steps >>= 1) {
        if (steps & 1)
            local.x = a * local.x + c;
        c *= a + 1;
        a *= a;
    }
}

__device__ __forceinline__ void load(Local& local, M::State state) { local.x = state[0]; }

__device__ __forceinline__ void save(Local& local, M::State state) { state[0] = local.x; }

__device__ __forceinline__ unsigned generate(Local& local)
{
    return local.x = A * local.x + C;
}
""",
    {"M": memory.FRAGMENT},
    {"A": A, "C": C, "SPACING": SPACING},
)

GENERATOR: Final = Generator(
    "lcg32", FRAGMENT, 1, initialise, generate, max_seed=2**32 - 1, max_streams=2**16
)
