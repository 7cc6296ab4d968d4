"""Philox4x32-10: a counter-based generator, four 32-bit words from a counter and a key.

There is no state to keep or to jump: word w of path p is a pure function of (seed, p, w), which
is why a price does not depend on how paths are divided among threads. Ten rounds, each of two 32
x 32 -> 64 bit products and a key that grows by a Weyl constant.

Source: J. Salmon, M. Moraes, R. Dror, D. Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC
2011, where the round and its constants are given. The vectors are those its authors publish with
Random123 (`kat_vectors`, philox4x32 10): zero, all ones, and the first digits of pi.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

Words = NDArray[np.uint32]

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


CUDA: Final = f"""\
// Philox4x32-10 (Salmon, Moraes, Dror, Shaw 2011).
__device__ __forceinline__ uint4 philox(uint4 c, uint2 key)
{{
    for (int i = 0; i < {ROUNDS}; i++) {{
        unsigned hi0 = __umulhi({MULTIPLIERS[0]:#x}u, c.x), lo0 = {MULTIPLIERS[0]:#x}u * c.x;
        unsigned hi1 = __umulhi({MULTIPLIERS[1]:#x}u, c.z), lo1 = {MULTIPLIERS[1]:#x}u * c.z;
        c = make_uint4(hi1 ^ c.y ^ key.x, lo1, hi0 ^ c.w ^ key.y, lo0);
        key.x += {WEYL[0]:#x}u;
        key.y += {WEYL[1]:#x}u;
    }}
    return c;
}}
"""
