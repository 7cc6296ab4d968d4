"""In how many dimensions a generator that is linear over GF(2) is equidistributed, for v high bits.

k(v) is the largest k such that over the whole period every k-tuple of the v highest bits of
successive outputs occurs equally often (all zero once less). It is at most p / v, for p bits of
state; what is missing is the defect at v bits.

Bit i of the outputs has a generating function g_i / P over the characteristic polynomial P, and
k(v) = p - d, where d is the largest degree in a reduced basis of the lattice of polynomial vectors
that (g_1, ..., g_v) and the multiples of P span. Sources: R. Couture and P. L'Ecuyer, "Lattice
computations for random numbers", Mathematics of Computation 69 (2000); the reduction: T. Mulders
and A. Storjohann, "On lattice reduction for polynomial matrices", Journal of Symbolic Computation
35 (2003); one basis for all v: S. Harase, "An efficient lattice reduction method for F2-linear
pseudorandom number generators using Mulders and Storjohann algorithm", Journal of Computational
and Applied Mathematics 236 (2011).

A vector of polynomials is one integer here: the 32 coefficients of t^i are the bits of its i-th
word, so that a word of output is a coefficient, multiplication by t^k is a shift by 32 k, and the
leading coefficient is in the highest bit.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

import numpy as np
from numpy.typing import NDArray

WORD: Final = 32  # bits


def numerators(words: NDArray[np.uint32], polynomial: int) -> NDArray[np.uint32]:
    """The generating functions g_i from the first p outputs: bit i of word d is g_i's t^(p-1-d)."""
    degree = polynomial.bit_length() - 1
    if len(words) != degree:
        raise ValueError(f"{len(words)} outputs of a generator with {degree} bits of state")
    series, product = _packed(words), 0
    while polynomial:
        place = polynomial.bit_length() - 1
        product ^= series << WORD * place
        polynomial ^= 1 << place
    quotient = product >> WORD * degree
    return np.frombuffer(quotient.to_bytes(4 * degree, "big"), ">u4").astype(np.uint32)


def dimensions(numerators: NDArray[np.uint32], polynomial: int, bits: int = WORD) -> list[int]:
    """k(1), ..., k(bits) of the generator with these numerators and characteristic polynomial."""
    degree = polynomial.bit_length() - 1
    modulus = int.from_bytes(
        b"".join((polynomial >> i & 1).to_bytes(4, "big") for i in range(degree, -1, -1)), "big"
    )
    basis: Iterable[int] = [modulus << place for place in range(WORD)] + [_packed(numerators)]
    found = []
    for v in range(bits, 0, -1):
        mask = _packed(np.full(degree + 1, (1 << WORD) - (1 << WORD - v), np.uint32))
        basis = reduced(vector & mask for vector in basis)
        found.append(degree - max((vector.bit_length() - 1) // WORD for vector in basis))
    return found[::-1]


def defect(numerators: NDArray[np.uint32], polynomial: int, bits: int = WORD) -> int:
    """How many dimensions are missing to the bounds p // v, summed over v = 1, ..., bits."""
    degree = polynomial.bit_length() - 1
    bounds = (degree // v for v in range(1, bits + 1))
    found = dimensions(numerators, polynomial, bits)
    return sum(bound - k for bound, k in zip(bounds, found, strict=True))


def reduced(vectors: Iterable[int]) -> list[int]:
    """A basis of the lattice of `vectors` in which no two leading bits are in one coordinate."""
    leading: dict[int, int] = {}
    for vector in vectors:
        while vector:
            coordinate = vector.bit_length() % WORD
            other = leading.get(coordinate)
            if other is None:
                leading[coordinate] = vector
                break
            if vector < other:
                leading[coordinate], vector, other = vector, other, vector
            vector ^= other << vector.bit_length() - other.bit_length()
    return list(leading.values())


def _packed(words: NDArray[np.uint32]) -> int:
    return int.from_bytes(words.astype(">u4").tobytes(), "big")
