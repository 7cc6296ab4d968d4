"""Lagged Fibonacci generators x[n] = x[n-j] + x[n-k] modulo 2^32, and the sum of two of them.

The thesis describes both and gives no lags. Ours are (24, 55) and, combined with it, (97, 127):
each t^k + t^(k-j) + 1 is primitive modulo 2, so the period of (j, k) is (2^k - 1) 2^31 if some word
is odd, and the combined generator has 182 words of state. A lagged Fibonacci generator depends on
its first words more than others do: they are Philox's, each stream with a counter of its own, and
the first one is made odd. Streams are random places on the cycles, not disjoint by construction;
in cycles of 2^86 and 2^158 numbers they do not meet.

The words lie in a ring in global memory, word x[n] at n modulo the next power of two: two reads and
a write a number, and no bound to test. The number n stands behind the ring.

Jump: x[n] is c(x[0], ..., x[k-1]) for the coefficients c of t^n modulo t^k - t^(k-j) - 1, over the
integers modulo 2^32.

No numbers are published for these lags. The tests hold the recurrence against random() of the C
library, which has the lags (3, 31) or (1, 63), the kernel too; its period against the factors of
2^k - 1; the kernels of ours against numpy.

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


def ring(lags: Lags) -> int:
    """The words of a ring: enough for k, and a power of two."""
    return 1 << lags[1].bit_length()


def initialise(lags: Lags, seed: int, streams: int) -> Words:
    """Words x[4 i + w], being word w of Philox's result (i, 0, stream, k); then the number k."""
    k = lags[1]
    counter = np.zeros((-(-k // 4), streams, 4), np.uint32)
    counter[..., 0] = np.arange(counter.shape[0])[:, None]
    counter[..., 2] = np.arange(streams)
    counter[..., 3] = k
    words = philox.philox(counter, (seed & 0xFFFFFFFF, seed >> 32))
    state = np.zeros((ring(lags) + 1, streams), np.uint32)
    state[: 4 * len(words)] = words.transpose(0, 2, 1).reshape(-1, streams)
    state[0] |= np.uint32(1)
    state[-1] = k
    return state


def generate(lags: Lags, state: Words, count: int) -> tuple[Words, Words]:
    """The next `count` numbers of each stream, and the states after them."""
    (j, k), size, state = lags, ring(lags), state.copy()
    numbers = np.empty((count, state.shape[1]), np.uint32)
    first = int(state[-1, 0])
    for n in range(first, first + count):
        numbers[n - first] = state[n % size] = state[(n - j) % size] + state[(n - k) % size]
    state[-1] = (first + count) % 2**32
    return numbers, state


def jump(lags: Lags, state: Words, steps: int) -> Words:
    """The states `steps` numbers further on."""
    k, size, n = lags[1], ring(lags), int(state[-1, 0])
    window = state[[i % size for i in range(n - k, n)]]
    window = np.concatenate([window, generate(lags, state, k - 1)[0]])
    c = _power_of_t(lags, steps)[:, None]
    moved = np.zeros_like(state)
    for i in range(k):
        moved[(n + steps - k + i) % size] = (window[i : i + k] * c).sum(axis=0, dtype=np.uint32)
    moved[-1] = (n + steps) % 2**32
    return moved


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
            double[[i - j, i - k]] += double[i]
        result = double[:k]
    return result


TEXT: Final = """\
struct Local {
    M::State ring;
    unsigned n;  // of the next word
};

__device__ __forceinline__ void initialise(Local& local, M::State state, unsigned long long seed)
{
    for (unsigned i = 0; i < K; i += 4) {
        uint4 w = P::philox(make_uint4(i / 4, 0, state.stream, K), make_uint2(seed, seed >> 32));
        state[i] = i ? w.x : w.x | 1;
        state[i + 1] = w.y;
        state[i + 2] = w.z;
        state[i + 3] = w.w;
    }
    local.n = K;
}

__device__ __forceinline__ void load(Local& local, M::State state)
{
    local.ring = state;
    local.n = state[RING];
}

__device__ __forceinline__ void save(Local& local, M::State state) { state[RING] = local.n; }

__device__ __forceinline__ unsigned generate(Local& local)
{
    unsigned n = local.n++, mask = RING - 1;
    return local.ring[n & mask] = local.ring[n - J & mask] + local.ring[n - K & mask];
}
"""


def fragment(lags: Lags) -> Fragment:
    """The generator with these lags, in CUDA C."""
    j, k = lags
    imports = {"M": memory.FRAGMENT, "P": philox.ROUND}
    return Fragment("lfg", __file__, TEXT, imports, {"J": j, "K": k, "RING": ring(lags)})


FRAGMENT: Final = fragment(SHORT)

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
    return {state.words + (A::RING + 1) * state.streams, state.stream, state.streams};
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
    {"M": memory.FRAGMENT, "A": FRAGMENT, "B": fragment(LONG)},
)


def initialise_combined(seed: int, streams: int) -> Words:
    """The words of the short generator, then those of the long one."""
    return np.concatenate([initialise(lags, seed, streams) for lags in (SHORT, LONG)])


def generate_combined(state: Words, count: int) -> tuple[Words, Words]:
    """The next `count` sums of each stream, and the states after them."""
    short, long = np.split(state, [ring(SHORT) + 1])
    a, after_a = generate(SHORT, short, count)
    b, after_b = generate(LONG, long, count)
    return a + b, np.concatenate([after_a, after_b])


GENERATOR: Final = Generator(
    "lfg", FRAGMENT, ring(SHORT) + 1, partial(initialise, SHORT), partial(generate, SHORT)
)
COMBINED_GENERATOR: Final = Generator(
    "lfg_combined",
    COMBINED,
    ring(SHORT) + ring(LONG) + 2,
    initialise_combined,
    generate_combined,
)
