"""Where the streams' states lie between kernels: word w of stream s at w * streams + s.

The threads of a warp, which are neighbouring streams, read neighbouring words: one request of 128
bytes whatever the generator. A generator sees its own words alone, as ``state[w]``.
"""

from __future__ import annotations

from typing import Final

from pricing_kernels.link import Fragment

FRAGMENT: Final = Fragment(
    "memory",
    __file__,
    """\
struct State {
    unsigned* words;
    unsigned stream, streams;

    __device__ __forceinline__ unsigned& operator[](unsigned word) const
    {
        return words[(size_t)word * streams + stream];
    }
};
""",
)
