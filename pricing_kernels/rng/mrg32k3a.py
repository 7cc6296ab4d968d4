"""MRG32k3a: two linear recurrences of order three, combined by a difference.

    x[n] = (1403580 x[n-2] - 810728 x[n-3])  mod m1      m1 = 2^32 - 209
    y[n] = (527612 y[n-1] - 1370589 y[n-3])  mod m2      m2 = 2^32 - 22853
    number = (x[n] - y[n]) mod m1

The period is about 2^191. Six words of state, and a jump of n is the n-th power of two 3 x 3
matrices, so streams are long disjoint blocks: stream s begins s * 2^76 numbers into the sequence,
L'Ecuyer's substream and cuRAND's subsequence s. On the device the matrix of 2^(76 + k) is applied
for every bit k of s; the matrices of k = 0 .. 19 lie in constant memory.

A product is reduced without a division: 2^32 is 209 modulo m1, so the high word times 209 plus the
low word is the same residue, and two such folds bring any 64-bit number below 2 m1.

Sources: P. L'Ecuyer, "Good parameters and implementations for combined multiple recursive random
number generators", Operations Research 47 (1999); P. L'Ecuyer, R. Simard, E. J. Chen, W. D. Kelton,
"An object-oriented random-number package with many long streams and substreams", Operations
Research 50 (2002), whose state of six times 12345 gives FIRST. L'Ecuyer writes m1 where this
has 0.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from pricing_kernels.link import Fragment
from pricing_kernels.rng import memory
from pricing_kernels.rng.generator import Generator, Words

M1: Final = 2**32 - 209
M2: Final = 2**32 - 22853
A12, A13, A21, A23 = 1403580, 810728, 527612, 1370589
SPACING: Final = 2**76  # numbers from the beginning of a stream to that of the next
STREAM_BITS: Final = 20

STEP_X: Final = ((0, 1, 0), (0, 0, 1), (M1 - A13, A12, 0))
STEP_Y: Final = ((0, 1, 0), (0, 0, 1), (M2 - A23, 0, A21))

FIRST: Final = (545508589, 1368065410, 1327943761)
"""The numbers after the state of six times 12345."""

Matrix = tuple[tuple[int, ...], ...]


def product(a: Matrix, b: Matrix, modulus: int) -> Matrix:
    """The matrix product modulo `modulus`."""
    columns = tuple(zip(*b, strict=True))
    return tuple(
        tuple(sum(p * q for p, q in zip(row, column, strict=True)) % modulus for column in columns)
        for row in a
    )


def power(matrix: Matrix, exponent: int, modulus: int) -> Matrix:
    """The matrix to the `exponent`-th power, exponent >= 1: a jump by that many steps."""
    half = power(matrix, exponent // 2, modulus) if exponent > 1 else matrix
    square = product(half, half, modulus) if exponent > 1 else matrix
    return product(square, matrix, modulus) if exponent > 1 and exponent % 2 else square


def jump(state: Words, steps: int) -> Words:
    """The states `steps` >= 1 numbers further on."""
    columns = [[int(word) for word in column] for column in state.T]
    x, y = power(STEP_X, steps, M1), power(STEP_Y, steps, M2)
    moved = [_times(x, c[:3], M1) + _times(y, c[3:], M2) for c in columns]
    return np.array(moved, np.uint32).T


def initialise(seed: int, streams: int) -> Words:
    """The seed's two words, masked and times 12345, take turns; stream s is s * SPACING further."""
    low, high = (seed & 0xFFFFFFFF) ^ 0x55555555, (seed >> 32) ^ 0xAAAAAAAA
    words = (low, high, low, high, low, high) if seed else (1,) * 6
    x, y = [w * 12345 % M1 for w in words[:3]], [w * 12345 % M2 for w in words[3:]]
    step_x, step_y = power(STEP_X, SPACING, M1), power(STEP_Y, SPACING, M2)
    columns = []
    for _ in range(streams):
        columns.append(x + y)
        x, y = _times(step_x, x, M1), _times(step_y, y, M2)
    return np.array(columns, np.uint32).T


def generate(state: Words, count: int) -> tuple[Words, Words]:
    """The next `count` numbers of each stream, and the states after them."""
    x0, x1, x2, y0, y1, y2 = state.astype(np.int64)
    numbers = np.empty((count, state.shape[1]), np.uint32)
    for i in range(count):
        x0, x1, x2 = x1, x2, (A12 * x1 - A13 * x0) % M1
        y0, y1, y2 = y1, y2, (A21 * y2 - A23 * y0) % M2
        numbers[i] = (x2 - y2) % M1
    return numbers, np.stack([x0, x1, x2, y0, y1, y2]).astype(np.uint32)


def _times(matrix: Matrix, vector: list[int], modulus: int) -> list[int]:
    return [sum(p * q for p, q in zip(row, vector, strict=True)) % modulus for row in matrix]


def _jumps(step: Matrix, modulus: int) -> tuple[int, ...]:
    """The matrices of SPACING * 2^k steps, one after the other, row by row."""
    matrix, flat = power(step, SPACING, modulus), []
    for _ in range(STREAM_BITS):
        flat += [entry for row in matrix for entry in row]
        matrix = product(matrix, matrix, modulus)
    return tuple(flat)


FRAGMENT: Final = Fragment(
    "mrg32k3a",
    __file__,
    """\
struct Local { unsigned x[3], y[3]; };

// Modulo 2^32 - c, 2^32 and c are the same residue.
template <unsigned c> __device__ __forceinline__ unsigned long long fold(unsigned long long n)
{
    return (n >> 32) * c + (unsigned)n;
}

template <unsigned c> __device__ __forceinline__ unsigned residue(unsigned long long n)
{
    n = fold<c>(fold<c>(n));
    return n >= -c ? n + c : n;
}

template <unsigned c> __device__ __forceinline__ void apply(const unsigned* matrix, unsigned v[3])
{
    unsigned w[3];
    for (int row = 0; row < 3; row++) {
        unsigned long long sum = 0;
        for (int column = 0; column < 3; column++)
            sum += fold<c>((unsigned long long)matrix[3 * row + column] * v[column]);
        w[row] = residue<c>(sum);
    }
    for (int row = 0; row < 3; row++)
        v[row] = w[row];
}

__device__ __forceinline__ void initialise(Local& local, M::State state, unsigned long long seed)
{
    unsigned low = (unsigned)seed ^ 0x55555555, high = (unsigned)(seed >> 32) ^ 0xAAAAAAAA;
    unsigned words[2] = {seed ? low : 1, seed ? high : 1};
    for (int i = 0; i < 3; i++) {
        local.x[i] = residue<C1>(12345ull * words[i % 2]);
        local.y[i] = residue<C2>(12345ull * words[(i + 1) % 2]);
    }
    for (int bit = 0; bit < STREAM_BITS; bit++)
        if (state.stream >> bit & 1) {
            apply<C1>(JUMPS_X + 9 * bit, local.x);
            apply<C2>(JUMPS_Y + 9 * bit, local.y);
        }
}

__device__ __forceinline__ void load(Local& local, M::State state)
{
    for (int i = 0; i < 3; i++) {
        local.x[i] = state[i];
        local.y[i] = state[3 + i];
    }
}

__device__ __forceinline__ void save(Local& local, M::State state)
{
    for (int i = 0; i < 3; i++) {
        state[i] = local.x[i];
        state[3 + i] = local.y[i];
    }
}

__device__ __forceinline__ unsigned generate(Local& local)
{
    unsigned *x = local.x, *y = local.y;
    unsigned next_x = residue<C1>((unsigned long long)A12 * x[1] + (M1 - x[0]) * (0ull + A13));
    unsigned next_y = residue<C2>((unsigned long long)A21 * y[2] + (M2 - y[0]) * (0ull + A23));
    x[0] = x[1], x[1] = x[2], x[2] = next_x;
    y[0] = y[1], y[1] = y[2], y[2] = next_y;
    return next_x - next_y + (next_x < next_y ? M1 : 0);
}
""",
    {"M": memory.FRAGMENT},
    {
        "M1": M1,
        "M2": M2,
        "C1": 2**32 - M1,
        "C2": 2**32 - M2,
        "A12": A12,
        "A13": A13,
        "A21": A21,
        "A23": A23,
        "STREAM_BITS": STREAM_BITS,
        "JUMPS_X": _jumps(STEP_X, M1),
        "JUMPS_Y": _jumps(STEP_Y, M2),
    },
)

GENERATOR: Final = Generator(
    "mrg32k3a",
    FRAGMENT,
    6,
    initialise,
    generate,
    values=M1,
    max_seed=2**62 - 1,  # above, there are seeds that make all words of x or of y zero
    max_streams=2**STREAM_BITS,
)
