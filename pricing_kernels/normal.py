"""Standard normal numbers from uniform words: Box-Muller in three ways, and the inverse cdf.

Box-Muller takes two words. One, r, becomes u = r 2^-32 + 2^-33, never 0, so that the radius sqrt(-2
ln u) is finite; the other, read as signed, becomes an angle in [-pi, pi], where the hardware's sine
and cosine are at their best (absolute error about 2^-21) and need no slow path.

    single   one thread draws both words and has both results; the numbers of a stream come in pairs
    shared   a thread draws one word: the even lane of a pair makes the radius, the odd one the
             angle, and they exchange them through shared memory (thesis, algorithm 3)
    shuffle  the same, exchanged by a shuffle
    inverse  one word, one number, increasing in the word: what quasi-random sequences need

The thesis exchanges without synchronisation, for lanes of a warp were in step. Since Volta they are
not: ``shared`` has a warp barrier after the write and one after the read.

Tail: Box-Muller reaches sqrt(66 ln 2) = 6.76 standard deviations, the inverse 6.34. Resolution: u
has the 24 bits of a float32, so it is exact where it is small, in the tail, and lies 2^-24 apart
near 1, where the least radius but 0 is 3.5e-4. A generator of 31 bits has words whose lowest bit is
0. (The thesis's u = (r + 1) 2^-31 has a tail that ends at 6.56.)

Sources: G. Box, M. Muller, "A note on the generation of random normal deviates", Ann. Math. Stat.
29 (1958); M. Wichura, "Algorithm AS 241: the percentage points of the normal distribution", Applied
Statistics 37 (1988), the routine of seven digits. The numpy references have the same float32 steps;
a device's functions differ in the last bits, its logarithm near 0 by 2^-22.6, a radius by 1e-7 / r.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from analyses.hardware import WARP
from pricing_kernels.contract import GlobalArray, KernelContract, Scalar
from pricing_kernels.kernel import EmittedKernel
from pricing_kernels.link import Fragment
from pricing_kernels.rng import memory
from pricing_kernels.rng.generator import BLOCK, Generator, Words

Floats = NDArray[np.float32]

SCALE: Final = np.float32(2.0**-32)
SHIFT: Final = np.float32(2.0**-33)
TURN: Final = np.float32(2.0 * np.pi * 2.0**-32)  # radians a unit of a signed word

# Numerator and denominator by rising powers: of 0.425^2 - q^2 in the middle, |q| <= 0.425, and of r
# - 1.6 in the tails, r = sqrt(-ln p) <= 5. The paper's far tail, p < 1e-11, is beyond 32 bits.
MIDDLE: Final = (
    (3.3871327179e00, 5.0434271938e01, 1.5929113202e02, 5.9109374720e01),
    (1.0, 1.7895169469e01, 7.8757757664e01, 6.7187563600e01),
)
TAIL: Final = (
    (1.4234372777e00, 2.7568153900e00, 1.3067284816e00, 1.7023821103e-01),
    (1.0, 7.3700164250e-01, 1.2021132975e-01),
)


def radius(words: Words) -> Floats:
    """Of each word r, sqrt(-2 ln u)."""
    u = words.astype(np.float32) * SCALE + SHIFT
    result: Floats = np.sqrt(np.maximum(np.float32(-2.0) * np.log(u), np.float32(0.0)))
    return result


def angle(words: Words) -> Floats:
    """Of each word an angle in [-pi, pi]."""
    return words.view(np.int32).astype(np.float32) * TURN


def normals(words: Words) -> Floats:
    """As many standard normal numbers as there are words; the last axis is taken in pairs."""
    r, phi = radius(words[..., 0::2]), angle(np.ascontiguousarray(words[..., 1::2]))
    result = np.empty(words.shape, np.float32)
    result[..., 0::2] = r * np.cos(phi)
    result[..., 1::2] = r * np.sin(phi)
    return result


def inverse(words: Words) -> Floats:
    """Of each word r the quantile of (r + 1/2) 2^-32."""
    q = (words ^ np.uint32(2**31)).view(np.int32).astype(np.float32) * SCALE + SHIFT
    lower = np.minimum(words, ~words).astype(np.float32) * SCALE + SHIFT  # the tail's side
    r = np.sqrt(-np.log(lower))
    middle = q * _ratio(np.float32(0.180625) - q * q, MIDDLE)
    tail = np.copysign(_ratio(r - np.float32(1.6), TAIL), q)
    return np.where(np.abs(q) <= np.float32(0.425), middle, tail)


def _ratio(x: Floats, coefficients: tuple[tuple[float, ...], ...]) -> Floats:
    above, below = (
        np.polynomial.polynomial.polyval(x, np.array(c, np.float32)) for c in coefficients
    )
    result: Floats = (above / below).astype(np.float32)
    return result


BOX_MULLER: Final = Fragment(
    "box_muller",
    __file__,
    """\
__device__ __forceinline__ float radius(unsigned word)
{
    float u = fmaf(word, 0x1p-32f, 0x1p-33f);
    return sqrtf(fmaxf(-2.0f * __logf(u), 0.0f));
}

__device__ __forceinline__ float angle(unsigned word)
{
    return static_cast<int>(word) * 0x1.921fb6p-30f;  // 2 pi / 2^32
}

// Two standard normal numbers from two uniform words.
__device__ __forceinline__ float2 normals(unsigned a, unsigned b)
{
    float r = radius(a), phi = angle(b);
    return make_float2(r * __cosf(phi), r * __sinf(phi));
}
""",
)

QUANTILE: Final = Fragment(
    "inverse_cdf",
    __file__,
    """\
// The quantile of (word + 1/2) 2^-32 (Wichura 1988).
__device__ __forceinline__ float normal(unsigned word)
{
    float q = fmaf(static_cast<int>(word ^ 0x80000000), 0x1p-32f, 0x1p-33f);
    if (fabsf(q) <= 0.425f) {
        float x = 0.180625f - q * q;
        float above = ((59.109374720f * x + 159.29113202f) * x + 50.434271938f) * x + 3.3871327179f;
        float below = ((67.187563600f * x + 78.757757664f) * x + 17.895169469f) * x + 1.0f;
        return q * __fdividef(above, below);
    }
    float r = sqrtf(-__logf(fmaf(min(word, ~word), 0x1p-32f, 0x1p-33f))) - 1.6f;
    float above = ((0.17023821103f * r + 1.3067284816f) * r + 2.7568153900f) * r + 1.4234372777f;
    float below = (0.12021132975f * r + 0.73700164250f) * r + 1.0f;
    return copysignf(__fdividef(above, below), q);
}
""",
)

SINGLE_BODY: Final = """\
{
    unsigned stream = blockIdx.x * blockDim.x + threadIdx.x;
    if (stream >= streams)
        return;
    G::Local local;
    M::State mine = {state, stream, streams};
    G::load(local, mine);
    size_t end = (size_t)count * streams;
    for (size_t at = stream; at < end; at += streams) {
        unsigned first = G::generate(local) << UNUSED;
        float2 z = N::normals(first, G::generate(local) << UNUSED);
        numbers[at] = z.x;
        at += streams;
        if (at < end)
            numbers[at] = z.y;
    }
    G::save(local, mine);
}
"""

EXCHANGE_SHARED: Final = """\
// What the other lane of the pair gives for what this one gives.
__device__ __forceinline__ float exchange(float mine)
{
    __shared__ float swap[BLOCK];
    swap[threadIdx.x] = mine;
    __syncwarp();
    float other = swap[threadIdx.x ^ 1];
    __syncwarp();
    return other;
}
"""

EXCHANGE_SHUFFLE: Final = """\
// What the other lane of the pair gives for what this one gives.
__device__ __forceinline__ float exchange(float mine)
{
    return __shfl_xor_sync(0xffffffff, mine, 1);
}
"""

PAIR_BODY: Final = """\
{
    unsigned stream = blockIdx.x * blockDim.x + threadIdx.x;
    if (stream >= streams)
        return;
    G::Local local;
    M::State mine = {state, stream, streams};
    G::load(local, mine);
    bool even = stream % 2 == 0;
    size_t end = (size_t)count * streams;
    for (size_t at = stream; at < end; at += streams) {
        unsigned word = G::generate(local) << UNUSED;
        float part = even ? N::radius(word) : N::angle(word);
        float other = X::exchange(part);
        numbers[at] = even ? part * __cosf(other) : other * __sinf(part);
    }
    G::save(local, mine);
}
"""

INVERSE_BODY: Final = """\
{
    unsigned stream = blockIdx.x * blockDim.x + threadIdx.x;
    if (stream >= streams)
        return;
    G::Local local;
    M::State mine = {state, stream, streams};
    G::load(local, mine);
    size_t end = (size_t)count * streams;
    for (size_t at = stream; at < end; at += streams)
        numbers[at] = N::normal(G::generate(local) << UNUSED);
    G::save(local, mine);
}
"""


@dataclass(frozen=True)
class Method:
    """A way to normal numbers: a kernel's body, what it imports, and its reference.

    Streams come in multiples of `streams_of`; a launch writes multiples of `count_of` numbers."""

    name: str
    body: str
    imports: tuple[tuple[str, Fragment], ...]
    streams_of: int = 1
    count_of: int = 1

    def of_words(self, words: Words) -> Floats:
        """The numbers, (count, streams), from a generator's words of 32 bits, (count, streams)."""
        if self.name == "inverse":
            return inverse(words)
        if self.name == "single":
            return np.ascontiguousarray(normals(np.ascontiguousarray(words.T)).T)
        return normals(words)

    def kernel(self, generator: Generator) -> EmittedKernel:
        """The kernel that writes normal numbers of each of a generator's streams."""
        count = Scalar(np.uint32, self.count_of, generator.max_count, self.count_of)
        most = generator.max_streams
        contract = KernelContract(
            f"{generator.name}_normal_{self.name}",
            {
                "state": generator.state,
                "numbers": GlobalArray(np.float32, "count*streams"),
                "count": count,
                "streams": Scalar(np.uint32, self.streams_of, most, self.streams_of),
            },
            (BLOCK,),
            ("streams",),
        )
        imports = {"G": generator.fragment, "M": memory.FRAGMENT, **dict(self.imports)}
        body = Fragment(
            f"normal_{self.name}", __file__, self.body, imports, {"UNUSED": 32 - generator.bits}
        )
        return EmittedKernel(body, contract, f"Normal numbers from {generator.name}, {self.name}.")


def _exchange(text: str) -> Fragment:
    return Fragment("exchange", __file__, text, parameters={"BLOCK": BLOCK})


def _pair(name: str, exchange: str) -> Method:
    imports = (("N", BOX_MULLER), ("X", _exchange(exchange)))
    return Method(name, PAIR_BODY, imports, streams_of=WARP)


SINGLE: Final = Method("single", SINGLE_BODY, (("N", BOX_MULLER),), count_of=2)
SHARED: Final = _pair("shared", EXCHANGE_SHARED)
SHUFFLE: Final = _pair("shuffle", EXCHANGE_SHUFFLE)
INVERSE: Final = Method("inverse", INVERSE_BODY, (("N", QUANTILE),))

METHODS: Final = (SINGLE, SHARED, SHUFFLE, INVERSE)
