"""The linear congruential generator x' = A x modulo 2^31 - 1, with a multiplier A for each stream.

The thesis's LCG-PARAM. The modulus p is prime, so x runs through all of 1 .. p - 1 if A is a
primitive root: a power 7^e with e coprime to p - 1. Stream s takes the first such e of the 32
integers from 2^20 + 32 s on; of 26 successive integers one at least is coprime to p - 1. All
streams of a seed begin at one x and are decimations of one cycle, x[n] = x[0] 7^(e n): they are
not independent, and tests on interleaved streams show it.

A product of 62 bits is reduced without a division: 2^31 is 1 modulo p, so the high part plus the
low part is the same residue. One such fold leaves 32 bits, a second one a number of 1 .. p - 1. The
thesis's listing ends with an unreduced sum of two residues and gives numbers above p.

Sources: S. Park, K. Miller, "Random number generators: good ones are hard to find", Comm. ACM 31
(1988), whose check is TEN_THOUSANDTH for A = 16807; that for 48271 is of ISO C++ (minstd_rand).
"""

from __future__ import annotations

from math import gcd
from typing import Final

import numpy as np

from pricing_kernels.link import Fragment
from pricing_kernels.rng import memory
from pricing_kernels.rng.generator import Generator, Words

P: Final = 2**31 - 1
ROOT: Final = 7  # the least primitive root modulo P
FIRST_EXPONENT: Final = 2**20
WINDOW: Final = 32

TEN_THOUSANDTH: Final = {16807: 1043618065, 48271: 399268537}
"""The 10,000th number after 1, by multiplier."""


def multiplier(stream: int) -> int:
    """The primitive root that a stream steps by."""
    first = FIRST_EXPONENT + WINDOW * stream
    exponent = next(e for e in range(first, first + WINDOW) if gcd(e, P - 1) == 1)
    return pow(ROOT, exponent, P)


def initialise(seed: int, streams: int) -> Words:
    """The number before the first, and the multiplier."""
    multipliers = [multiplier(stream) for stream in range(streams)]
    return np.array([[seed + 1] * streams, multipliers], np.uint32)


def jump(state: Words, steps: int) -> Words:
    """The states `steps` numbers further on."""
    moved = [int(x) * pow(int(a), steps, P) % P for x, a in state.T]
    return np.array([moved, state[1]], np.uint32)


def generate(state: Words, count: int) -> tuple[Words, Words]:
    """The next `count` numbers of each stream, and the states after them."""
    x, a = state.astype(np.uint64)
    numbers = np.empty((count, state.shape[1]), np.uint32)
    for i in range(count):
        numbers[i] = x = a * x % np.uint64(P)
    return numbers, np.stack([x, a]).astype(np.uint32)


FRAGMENT: Final = Fragment(
    "lcg_mersenne",
    __file__,
    """\
struct Local { unsigned x, a; };

__device__ __forceinline__ unsigned residue(unsigned long long n)
{
    n = (n & P) + (n >> 31);
    return (n & P) + (n >> 31);
}

__device__ __forceinline__ bool coprime(unsigned e, unsigned n)  // to n
{
    while (n) {
        unsigned rest = e % n;
        e = n;
        n = rest;
    }
    return e == 1;
}

__device__ __forceinline__ void initialise(Local& local, M::State state, unsigned long long seed)
{
    unsigned exponent = FIRST_EXPONENT + WINDOW * state.stream;
    while (!coprime(exponent, P - 1))
        exponent++;
    unsigned long long root = ROOT, power = 1;
    for (; exponent; exponent >>= 1) {
        if (exponent & 1)
            power = residue(power * root);
        root = residue(root * root);
    }
    local.x = seed + 1;
    local.a = power;
}

__device__ __forceinline__ void load(Local& local, M::State state)
{
    local.x = state[0];
    local.a = state[1];
}

__device__ __forceinline__ void save(Local& local, M::State state)
{
    state[0] = local.x;
    state[1] = local.a;
}

__device__ __forceinline__ unsigned generate(Local& local)
{
    return local.x = residue((unsigned long long)local.a * local.x);
}
""",
    {"M": memory.FRAGMENT},
    {"P": P, "ROOT": ROOT, "FIRST_EXPONENT": FIRST_EXPONENT, "WINDOW": WINDOW},
)

GENERATOR: Final = Generator(
    "lcg_mersenne", FRAGMENT, 2, initialise, generate, values=P, max_seed=P - 2
)
