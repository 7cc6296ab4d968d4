"""Philox4x32-10: a counter-based generator, four 32-bit words from a counter and a key.

Word w of path p is a pure function of (seed, p, w), which is why a price does not depend on how
paths are divided among threads. Ten rounds, each of two 32 x 32 -> 64 bit products and a key that
grows by a Weyl constant.

As a generator of streams: the key is the seed, the number of the stream is counter word 2, and
words 0 and 1 count the results of four words, so a stream has 2^66 numbers and a jump of n is an
addition of n to the position. Stream s is cuRAND's subsequence s.

Source: J. Salmon, M. Moraes, R. Dror, D. Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC
2011, where the round and its constants are given. The vectors are those its authors publish with
Random123 (`kat_vectors`, philox4x32 10): zero, all ones, and the first digits of pi.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pricing_kernels.link import Fragment
from pricing_kernels.rng import memory
from pricing_kernels.rng.generator import Generator, Words

MULTIPLIERS: Final = (0xD2511F53, 0xCD9E8D57)
WEYL: Final = (0x9E3779B9, 0xBB67AE85)
ROUNDS: Final = 10

# (counter, key, result)
VECTORS: Final = (
    (
        (0x00000000, 0x00000000, 0x00000000, 0x00000000),
        (0x00000000, 0x00000000),
        (0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8),
    ),
    (
        (0xFFFFFFFF, 0xFFFFFFFF, 0xFFFFFFFF, 0xFFFFFFFF),
        (0xFFFFFFFF, 0xFFFFFFFF),
        (0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD),
    ),
    (
        (0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344),
        (0xA4093822, 0x299F31D0),
        (0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1),
    ),
)


def philox(counter: ArrayLike, key: ArrayLike) -> Words:
    """The four words of each counter; the last axis holds the words of `counter` and of `key`."""
    c0, c1, c2, c3 = np.moveaxis(np.asarray(counter, np.uint64), -1, 0)
    k0, k1 = np.moveaxis(np.asarray(key, np.uint64), -1, 0)
    low = np.uint64(0xFFFFFFFF)
    m0, m1 = (np.uint64(m) for m in MULTIPLIERS)
    for number in range(ROUNDS):
        w0, w1 = (np.uint64(number * w % 2**32) for w in WEYL)
        p0, p1 = m0 * c0, m1 * c2
        c0 = (p1 >> np.uint64(32)) ^ c1 ^ (k0 + w0 & low)
        c2 = (p0 >> np.uint64(32)) ^ c3 ^ (k1 + w1 & low)
        c1, c3 = p1 & low, p0 & low
    return np.stack([c0, c1, c2, c3], axis=-1).astype(np.uint32)


def initialise(seed: int, streams: int) -> Words:
    """Position 0 (two words), the seed (two words)."""
    words = (0, 0, seed & 0xFFFFFFFF, seed >> 32)
    return np.tile(np.array(words, np.uint32)[:, None], streams)


def jump(state: Words, steps: int) -> Words:
    """The states `steps` numbers further on."""
    position = _position(state) + np.uint64(steps)
    halves = position.astype(np.uint32), (position >> np.uint64(32)).astype(np.uint32)
    return np.stack([*halves, *state[2:]])


def generate(state: Words, count: int) -> tuple[Words, Words]:
    """The next `count` numbers of each stream, and the states after them."""
    streams = state.shape[1]
    index = _position(state) + np.arange(count, dtype=np.uint64)[:, None]
    result = index >> np.uint64(2)
    counter = np.zeros((count, streams, 4), np.uint64)
    counter[..., 0] = result & np.uint64(0xFFFFFFFF)
    counter[..., 1] = result >> np.uint64(32)
    counter[..., 2] = np.arange(streams)
    words = philox(counter, state[2:].T)
    lane = (index & np.uint64(3)).astype(np.intp)
    return np.take_along_axis(words, lane[..., None], axis=-1)[..., 0], jump(state, count)


def _position(state: Words) -> NDArray[np.uint64]:
    low, high = state[0].astype(np.uint64), state[1].astype(np.uint64)
    position: NDArray[np.uint64] = high << np.uint64(32) | low
    return position


ROUND: Final = Fragment(
    "philox4x32",
    __file__,
    """\
// The four words of a counter under a key.
__device__ __forceinline__ uint4 philox(uint4 c, uint2 key)
{
    for (int i = 0; i < ROUNDS; i++) {
        unsigned hi0 = __umulhi(M0, c.x), lo0 = M0 * c.x;
        unsigned hi1 = __umulhi(M1, c.z), lo1 = M1 * c.z;
        c = make_uint4(hi1 ^ c.y ^ key.x, lo1, hi0 ^ c.w ^ key.y, lo0);
        key.x += W0;
        key.y += W1;
    }
    return c;
}
""",
    parameters={
        "ROUNDS": ROUNDS,
        "M0": MULTIPLIERS[0],
        "M1": MULTIPLIERS[1],
        "W0": WEYL[0],
        "W1": WEYL[1],
    },
)

FRAGMENT: Final = Fragment(
    "philox",
    __file__,
    """\
struct Local {
    unsigned long long position, seed;
    unsigned stream;
    uint4 words;  // those of the result that the position is in, unless it is at its beginning
};

__device__ __forceinline__ uint4 result(const Local& local)
{
    unsigned long long index = local.position >> 2;
    uint2 key = make_uint2(local.seed, local.seed >> 32);
    return P::philox(make_uint4(index, index >> 32, local.stream, 0), key);
}

__device__ __forceinline__ void initialise(Local& local, M::State state, unsigned long long seed)
{
    local.position = 0;
    local.seed = seed;
    local.stream = state.stream;
}

__device__ __forceinline__ void load(Local& local, M::State state)
{
    local.position = state[0] | (unsigned long long)state[1] << 32;
    local.seed = state[2] | (unsigned long long)state[3] << 32;
    local.stream = state.stream;
    local.words = result(local);
}

__device__ __forceinline__ void save(Local& local, M::State state)
{
    state[0] = local.position;
    state[1] = local.position >> 32;
    state[2] = local.seed;
    state[3] = local.seed >> 32;
}

__device__ __forceinline__ unsigned generate(Local& local)
{
    unsigned lane = local.position & 3;
    if (lane == 0)
        local.words = result(local);
    local.position++;
    uint4 w = local.words;
    return lane < 2 ? (lane == 0 ? w.x : w.y) : (lane == 2 ? w.z : w.w);
}
""",
    {"M": memory.FRAGMENT, "P": ROUND},
)

GENERATOR: Final = Generator("philox", FRAGMENT, 4, initialise, generate)
