"""Sobol's sequence in 32 bits: points that fill a cube more evenly than chance.

A stream is a dimension: number n of stream s is coordinate s of point n. The points come in the
order of the Gray code, so point n + 1 is point n with one direction number added in (exclusive or):
that of the lowest zero bit of n. The first point is 0 in all coordinates; seed n begins at point n.

The 32 direction numbers of each dimension are stored: the host computes them from Joe and Kuo's
polynomials and initial numbers and writes them into the state, where the point and its number
follow. That is how the thesis would bring in quasi-random sequences (chapter IV, section 3.6).

Jump: point n is the exclusive or of the direction numbers at the bits of n ^ (n >> 1).

Sources: I. Antonov, V. Saleev, "An economic method of computing LP-tau sequences", USSR Comp. Math.
19 (1979); S. Joe, F. Kuo, "Constructing Sobol sequences with better two-dimensional projections",
SIAM J. Sci. Comput. 30 (2008), for the table in joe_kuo.txt.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Final

import numpy as np

from pricing_kernels.link import Fragment
from pricing_kernels.rng import memory
from pricing_kernels.rng.generator import Generator, Words

BITS: Final = 32
DIMENSIONS: Final = 1024
TABLE: Final = Path(__file__).with_name("joe_kuo.txt")

FIRST_OF_TWO: Final = (
    (0, 0x80000000, 0xC0000000, 0x40000000),
    (0, 0x80000000, 0x40000000, 0xC0000000),
)
"""The first four points of two dimensions: (0, 0), (1/2, 1/2), (3/4, 1/4), (1/4, 3/4)."""


@cache
def directions() -> Words:
    """Direction number b of dimension d, (BITS, DIMENSIONS)."""
    columns = [[1 << (BITS - 1 - bit) for bit in range(BITS)]]
    for line in TABLE.read_text("ascii").splitlines():
        if not line.startswith("#"):
            polynomial, *first = map(int, line.split())
            columns.append(_directions(polynomial, first))
    return np.array(columns, np.uint32).T


def _directions(polynomial: int, first: list[int]) -> list[int]:
    """v[i] = v[i-s] ^ (v[i-s] >> s) ^ (a_1 v[i-1]) ^ ..., a_k being coefficients of degree s."""
    s = polynomial.bit_length() - 1
    v = [m << (BITS - 1 - i) for i, m in enumerate(first)]
    for i in range(s, BITS):
        number = v[i - s] ^ v[i - s] >> s
        for k in range(1, s):
            if polynomial >> (s - k) & 1:
                number ^= v[i - k]
        v.append(number)
    return v


def stored(seed: int, streams: int) -> Words:
    """What the host writes: the direction numbers, then two words for the kernel."""
    kept = directions()[:, :streams]
    return np.concatenate([kept, np.zeros((2, streams), np.uint32)])


def initialise(seed: int, streams: int) -> Words:
    """The direction numbers, point `seed`, and its number."""
    return jump(stored(seed, streams), seed)


def jump(state: Words, steps: int) -> Words:
    """The states `steps` points further on."""
    index = (int(state[BITS + 1, 0]) + steps) % 2**BITS
    state = state.copy()
    gray = index ^ index >> 1
    chosen = [bit for bit in range(BITS) if gray >> bit & 1]
    state[BITS] = np.bitwise_xor.reduce(state[chosen], axis=0)
    state[BITS + 1] = index
    return state


def generate(state: Words, count: int) -> tuple[Words, Words]:
    """The next `count` numbers of each dimension, and the states after them."""
    state = state.copy()
    numbers = np.empty((count, state.shape[1]), np.uint32)
    index = int(state[BITS + 1, 0])
    for i in range(count):
        numbers[i] = state[BITS]
        state[BITS] ^= state[lowest_zero(index)]
        index = (index + 1) % 2**BITS
    state[BITS + 1] = index
    return numbers, state


def lowest_zero(index: int) -> int:
    """The place of the lowest zero bit; 31 where 32 bits have none."""
    return min((~index & index + 1).bit_length() - 1, BITS - 1)


FRAGMENT: Final = Fragment(
    "sobol",
    __file__,
    """\
struct Local {
    M::State directions;
    unsigned point, index;
};

__device__ __forceinline__ void initialise(Local& local, M::State state, unsigned long long seed)
{
    local.index = seed;
    local.point = 0;
    unsigned gray = local.index ^ local.index >> 1;
    for (unsigned bit = 0; bit < BITS; bit++)
        local.point ^= gray >> bit & 1 ? state[bit] : 0;
}

__device__ __forceinline__ void load(Local& local, M::State state)
{
    local.directions = state;
    local.point = state[BITS];
    local.index = state[BITS + 1];
}

__device__ __forceinline__ void save(Local& local, M::State state)
{
    state[BITS] = local.point;
    state[BITS + 1] = local.index;
}

__device__ __forceinline__ unsigned generate(Local& local)
{
    unsigned number = local.point;
    unsigned lowest_zero = __ffs(~local.index | 1u << (BITS - 1)) - 1;
    local.point ^= local.directions[lowest_zero];
    local.index++;
    return number;
}
""",
    {"M": memory.FRAGMENT},
    {"BITS": BITS},
)

GENERATOR: Final = Generator(
    "sobol",
    FRAGMENT,
    BITS + 2,
    initialise,
    generate,
    stored=stored,
    max_seed=2**BITS - 1,
    max_streams=DIMENSIONS,
)
