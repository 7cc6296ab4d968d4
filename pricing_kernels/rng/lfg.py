"""Lagged Fibonacci generators x[n] = x[n-j] + x[n-k] modulo 2^32, and the sum of two of them.

The thesis describes both and gives no lags. Ours are (24, 55) and, combined with it, (97, 127):
each t^k + t^(k-j) + 1 is primitive modulo 2, so the period of (j, k) is (2^k - 1) 2^31 if some word
is odd, and the combined generator has 182 words of state. A lagged Fibonacci generator depends on
its first words more than others do: they are Philox's, each stream with a counter of its own, and
the first one is made odd. Streams are random places on the cycles, not disjoint by construction;
in cycles of 2^86 and 2^158 numbers they do not meet.

The state is a ring of k words in global memory and the place of the oldest one: two reads and a
write a number.

Jump: x[n] is c(x[0], ..., x[k-1]) for the coefficients c of t^n modulo t^k - t^(k-j) - 1, over the
integers modulo 2^32.

Source: D. Knuth, "The Art of Computer Programming", vol. 2, 3rd ed., section 3.2.2, with the lags
in its table 1; G. Marsaglia, "A current view of random number generators", 1985, for sums of two.
"""

from __future__ import annotations

from functools import partial
from typing import Final

import numpy as np
from numpy.typing import NDArray

from pricing_kernels.link import Fragment
from pricing_kernels.rng import memory, philox
from pricing_kernels.rng.generator import Generator, Words

Lags = tuple[int, int]

SHORT: Final[Lags] = (24, 55)
LONG: Final[Lags] = (97, 127)


def initialise(lags: Lags, seed: int, streams: int) -> Words:
    """The ring, word 4 i + w being word w of Philox's result (i, 0, stream, k), and its place."""
    k = lags[1]
    counter = np.zeros((-(-k // 4), streams, 4), np.uint32)
    counter[..., 0] = np.arange(counter.shape[0])[:, None]
    counter[..., 2] = np.arange(streams)
    counter[..., 3] = k
    words = philox.philox(counter, (seed & 0xFFFFFFFF, seed >> 32))
    ring = words.transpose(0, 2, 1).reshape(-1, streams)[:k]
    ring[0] |= np.uint32(1)
    return np.concatenate([ring, np.zeros((1, streams), np.uint32)])


def generate(lags: Lags, state: Words, count: int) -> tuple[Words, Words]:
    """The next `count` numbers of each stream, and the states after them."""
    j, k = lags
    ring, place = state[:k].copy(), int(state[k, 0])
    numbers = np.empty((count, state.shape[1]), np.uint32)
    for i in range(count):
        ring[place] += ring[(place + k - j) % k]
        numbers[i] = ring[place]
        place = (place + 1) % k
    return numbers, np.concatenate([ring, np.full_like(state[k:], place)])


def jump(lags: Lags, state: Words, steps: int) -> Words:
    """The states `steps` numbers further on, their rings turned to place 0."""
    k = lags[1]
    ring = np.roll(state[:k], -int(state[k, 0]), axis=0)
    coming, _ = generate(lags, np.concatenate([ring, np.zeros_like(state[k:])]), k - 1)
    window = np.concatenate([ring, coming])
    c = _power_of_t(lags, steps)[:, None]
    moved = [(window[i : i + k] * c).sum(axis=0, dtype=np.uint32) for i in range(k)]
    return np.stack([*moved, np.zeros_like(state[k])])


def _power_of_t(lags: Lags, exponent: int) -> NDArray[np.uint32]:
    """The coefficients of t^exponent modulo t^k - t^(k-j) - 1."""
    j, k = lags
    result = np.zeros(k, np.uint32)
    result[0] = 1
    for bit in f"{exponent:b}":
        double = np.zeros(2 * k, np.uint32)
        for i, coefficient in enumerate(result):
            double[i : i + k] += coefficient * result
        if bit == "1":
            double = np.roll(double, 1)
        for i in range(2 * k - 1, k - 1, -1):
            double[i - j] += double[i]
            double[i - k] += double[i]
        result = double[:k]
    return result


TEXT: Final = """\
struct Local {
    M::State ring;
    unsigned place;  // of the oldest word
};

__device__ __forceinline__ void initialise(Local& local, M::State state, unsigned long long seed)
{
    for (unsigned i = 0; i < K; i += 4) {
        uint4 w = P::philox(make_uint4(i / 4, 0, state.stream, K), make_uint2(seed, seed >> 32));
        state[i] = i ? w.x : w.x | 1;
        if (i + 1 < K)
            state[i + 1] = w.y;
        if (i + 2 < K)
            state[i + 2] = w.z;
        if (i + 3 < K)
            state[i + 3] = w.w;
    }
    local.place = 0;
}

__device__ __forceinline__ void load(Local& local, M::State state)
{
    local.ring = state;
    local.place = state[K] % K;
}

__device__ __forceinline__ void save(Local& local, M::State state) { state[K] = local.place; }

__device__ __forceinline__ unsigned generate(Local& local)
{
    unsigned i = local.place;
    unsigned& oldest = local.ring[i];
    oldest += local.ring[i < J ? i + K - J : i - J];
    local.place = i + 1 < K ? i + 1 : 0;
    return oldest;
}
"""


def _fragment(lags: Lags) -> Fragment:
    j, k = lags
    imports = {"M": memory.FRAGMENT, "P": philox.ROUND}
    return Fragment("lfg", __file__, TEXT, imports, {"J": j, "K": k})


FRAGMENT: Final = _fragment(SHORT)

COMBINED: Final = Fragment(
    "lfg_combined",
    __file__,
    """\
struct Local {
    A::Local a;
    B::Local b;
};

// B's words come after those of A.
__device__ __forceinline__ M::State second(M::State state)
{
    return {state.words + (A::K + 1) * state.streams, state.stream, state.streams};
}

__device__ __forceinline__ void initialise(Local& local, M::State state, unsigned long long seed)
{
    A::initialise(local.a, state, seed);
    B::initialise(local.b, second(state), seed);
}

__device__ __forceinline__ void load(Local& local, M::State state)
{
    A::load(local.a, state);
    B::load(local.b, second(state));
}

__device__ __forceinline__ void save(Local& local, M::State state)
{
    A::save(local.a, state);
    B::save(local.b, second(state));
}

__device__ __forceinline__ unsigned generate(Local& local)
{
    return A::generate(local.a) + B::generate(local.b);
}
""",
    {"M": memory.FRAGMENT, "A": FRAGMENT, "B": _fragment(LONG)},
)


def initialise_combined(seed: int, streams: int) -> Words:
    """The words of the short generator, then those of the long one."""
    return np.concatenate([initialise(lags, seed, streams) for lags in (SHORT, LONG)])


def generate_combined(state: Words, count: int) -> tuple[Words, Words]:
    """The next `count` sums of each stream, and the states after them."""
    a, after_a = generate(SHORT, state[: SHORT[1] + 1], count)
    b, after_b = generate(LONG, state[SHORT[1] + 1 :], count)
    return a + b, np.concatenate([after_a, after_b])


GENERATOR: Final = Generator(
    "lfg", FRAGMENT, SHORT[1] + 1, partial(initialise, SHORT), partial(generate, SHORT)
)
COMBINED_GENERATOR: Final = Generator(
    "lfg_combined", COMBINED, SHORT[1] + LONG[1] + 2, initialise_combined, generate_combined
)
