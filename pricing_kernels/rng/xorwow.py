"""XORWOW: a xorshift generator of five words, and a counter added to it.

    t = x ^ (x >> 2);  x, y, z, w = y, z, w, v;  v = (v ^ (v << 4)) ^ (t ^ (t << 1))
    d = d + 362437;    number = v + d

The five words step linearly over GF(2) with the period 2^160 - 1; with the counter it is 2^192 -
2^32. Stream s begins s * 2^67 numbers into the sequence, cuRAND's subsequence s (the counter's
period divides 2^67, so it begins alike).

Jump: the characteristic polynomial p annihilates the step A, so A^n is the polynomial t^n modulo p,
of degree below 160, at A: step 160 times and add up (exclusive or) the states at its coefficients.
On the device that is done for every bit k of s with t^(2^(67 + k)), five words each in constant
memory, where a table of matrices would need 800.

Sources: G. Marsaglia, "Xorshift RNGs", Journal of Statistical Software 8 (2003), p. 5; H. Haramoto,
M. Matsumoto, T. Nishimura, F. Panneton, P. L'Ecuyer, "Efficient jump ahead for F2-linear random
number generators", INFORMS J. Computing 20 (2008). The seeding is cuRAND's, told by its outputs.
"""

from __future__ import annotations

from functools import cache
from typing import Final

import numpy as np

from pricing_kernels import gf2
from pricing_kernels.link import Fragment
from pricing_kernels.rng import memory
from pricing_kernels.rng.generator import Generator, Words

ORDER: Final = 160  # bits that step linearly
WEYL: Final = 362437
SPACING: Final = 2**67  # numbers from the beginning of a stream to that of the next
STREAM_BITS: Final = 20
START: Final = (123456789, 362436069, 521288629, 88675123, 5783321)  # Marsaglia's
START_D: Final = 6615241
MASKS: Final = (0xAAD26B49, 0xF7DCEFDD)
FACTORS: Final = (1099087573, 2591861531)

FIRST: Final = {
    0: (1283759346, 1636376615, 1239293409),
    1: (3127323404,),
    2: (500894688,),
}
"""The numbers of seed 12345, by stream."""


@cache
def characteristic() -> int:
    """The characteristic polynomial of the linear step: minimal for the lowest bits of v."""
    state = np.array([*START, 0], np.uint32)[:, None]
    numbers = _step(state, 2 * ORDER)[0]
    return gf2.minimal_polynomial([int(number) & 1 for number in numbers[:, 0]])


def jump(state: Words, steps: int) -> Words:
    """The states `steps` numbers further on."""
    power = gf2.power_of_t(steps % (2**ORDER - 1), characteristic())
    moved = np.zeros_like(state)
    moved[5] = state[5] + np.uint32(steps * WEYL % 2**32)
    for i in range(ORDER):
        if power >> i & 1:
            moved[:5] ^= state[:5]
        state = _step(state, 1)[1]
    return moved


def initialise(seed: int, streams: int) -> Words:
    """Marsaglia's words with the two halves of the seed mixed in, SPACING * s steps on."""
    a, b = (
        ((half ^ mask) * factor) % 2**32
        for half, mask, factor in zip((seed % 2**32, seed >> 32), MASKS, FACTORS, strict=True)
    )
    x, y, z, w, v = START
    words = (x + a, y ^ a, z + b, w ^ b, v + a, START_D + a + b)
    states = np.array([word % 2**32 for word in words], np.uint32)[:, None].repeat(streams, 1)
    bit = 1
    while bit < streams:
        chosen = np.arange(streams) & bit > 0
        states[:, chosen] = jump(states[:, chosen], SPACING * bit)
        bit *= 2
    return states


def generate(state: Words, count: int) -> tuple[Words, Words]:
    """The next `count` numbers of each stream, and the states after them."""
    v, after = _step(state, count)
    d = state[5] + np.uint32(WEYL) * np.arange(1, count + 1, dtype=np.uint32)[:, None]
    after[5] = d[-1]
    return v + d, after


def _step(state: Words, count: int) -> tuple[Words, Words]:
    """The words v of the next `count` steps, and the states after them with d as it was."""
    x, y, z, w, v, d = state
    words = np.empty((count, state.shape[1]), np.uint32)
    for i in range(count):
        t = x ^ x >> np.uint32(2)
        x, y, z, w = y, z, w, v
        v = (v ^ v << np.uint32(4)) ^ (t ^ t << np.uint32(1))
        words[i] = v
    return words, np.stack([x, y, z, w, v, d])


def _jumps() -> tuple[int, ...]:
    """The polynomials of SPACING * 2^k steps, each as five words, lowest coefficients first."""
    powers = (gf2.power_of_t(SPACING << k, characteristic()) for k in range(STREAM_BITS))
    return tuple(power >> 32 * word & 0xFFFFFFFF for power in powers for word in range(5))


FRAGMENT: Final = Fragment(
    "xorwow",
    __file__,
    """\
struct Local { unsigned x, y, z, w, v, d; };

__device__ __forceinline__ void step(Local& s)
{
    unsigned t = s.x ^ s.x >> 2;
    s.x = s.y;
    s.y = s.z;
    s.z = s.w;
    s.w = s.v;
    s.v = (s.v ^ s.v << 4) ^ (t ^ t << 1);
}

__device__ __forceinline__ void jump(Local& s, const unsigned* polynomial)
{
    Local sum = {0, 0, 0, 0, 0, s.d};
    for (int word = 0; word < ORDER / 32; word++)
        for (int bit = 0; bit < 32; bit++) {
            unsigned chosen = -(polynomial[word] >> bit & 1);  // all ones or all zeros
            sum.x ^= s.x & chosen;
            sum.y ^= s.y & chosen;
            sum.z ^= s.z & chosen;
            sum.w ^= s.w & chosen;
            sum.v ^= s.v & chosen;
            step(s);
        }
    s = sum;
}

__device__ __forceinline__ void initialise(Local& local, M::State state, unsigned long long seed)
{
    unsigned a = ((unsigned)seed ^ MASK0) * FACTOR0;
    unsigned b = ((unsigned)(seed >> 32) ^ MASK1) * FACTOR1;
    local = {X + a, Y ^ a, Z + b, W ^ b, V + a, D + a + b};
    for (int bit = 0; bit < STREAM_BITS; bit++)
        if (state.stream >> bit & 1)
            jump(local, JUMPS + ORDER / 32 * bit);
}

__device__ __forceinline__ void load(Local& local, M::State state)
{
    local = {state[0], state[1], state[2], state[3], state[4], state[5]};
}

__device__ __forceinline__ void save(Local& local, M::State state)
{
    state[0] = local.x;
    state[1] = local.y;
    state[2] = local.z;
    state[3] = local.w;
    state[4] = local.v;
    state[5] = local.d;
}

__device__ __forceinline__ unsigned generate(Local& local)
{
    step(local);
    local.d += WEYL;
    return local.v + local.d;
}
""",
    {"M": memory.FRAGMENT},
    {
        "ORDER": ORDER,
        "WEYL": WEYL,
        "STREAM_BITS": STREAM_BITS,
        **dict(zip("XYZWVD", (*START, START_D), strict=True)),
        "MASK0": MASKS[0],
        "MASK1": MASKS[1],
        "FACTOR0": FACTORS[0],
        "FACTOR1": FACTORS[1],
        "JUMPS": _jumps(),
    },
)

GENERATOR: Final = Generator(
    "xorwow", FRAGMENT, 6, initialise, generate, max_streams=2**STREAM_BITS
)
