"""Standard normal numbers from uniform words: Box-Muller, both results, in one thread.

A word r becomes u = r 2^-32 + 2^-33, never 0, so that the radius sqrt(-2 ln u) is finite (it
reaches 6.76 standard deviations); a second word, read as signed, becomes an angle in [-pi, pi],
where the hardware's sine and cosine are at their best (absolute error about 2^-21) and need no
slow path.

Source: G. Box, M. Muller, "A note on the generation of random normal deviates", Ann. Math. Stat.
29 (1958). The numpy reference has the same float32 steps; the device's approximate functions
differ from it in the last bits.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from pricing_kernels.link import Fragment
from pricing_kernels.rng.generator import Words

Floats = NDArray[np.float32]

SCALE: Final = np.float32(2.0**-32)
SHIFT: Final = np.float32(2.0**-33)
TURN: Final = np.float32(2.0 * np.pi * 2.0**-32)  # radians a unit of a signed word


def normals(words: Words) -> Floats:
    """As many standard normal numbers as there are words; the last axis is taken in pairs."""
    radius_words, angle_words = words[..., 0::2], words[..., 1::2]
    u = radius_words.astype(np.float32) * SCALE + SHIFT
    radius = np.sqrt(np.maximum(np.float32(-2.0) * np.log(u), np.float32(0.0)))
    angle = angle_words.view(np.int32).astype(np.float32) * TURN
    result = np.empty(words.shape, np.float32)
    result[..., 0::2] = radius * np.cos(angle)
    result[..., 1::2] = radius * np.sin(angle)
    return result


BOX_MULLER: Final = Fragment(
    "box_muller",
    __file__,
    """\
// Two standard normal numbers from two uniform words (Box, Muller 1958).
__device__ __forceinline__ float2 normals(unsigned a, unsigned b)
{
    float u = fmaf(a, 0x1p-32f, 0x1p-33f);
    float radius = sqrtf(fmaxf(-2.0f * __logf(u), 0.0f));
    float angle = static_cast<int>(b) * 0x1.921fb6p-30f;  // 2 pi / 2^32
    return make_float2(radius * __cosf(angle), radius * __sinf(angle));
}
""",
)
