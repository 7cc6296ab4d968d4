"""Matrix rank: the words of 31 x 31 bits have the ranks over GF(2) of random matrices.

A random m x m matrix has the rank r with probability 2^(-(m-r)^2) times the product over i < r of
(1 - 2^(i-m))^2 / (1 - 2^(i-r)), exactly. Source: G. Marsaglia and L.-H. Tsay, "Matrices and the
structure of random number sequences", Linear Algebra and its Applications 67 (1985), section 2.
"""

from __future__ import annotations

from math import prod
from typing import Final

import numpy as np
from numpy.typing import NDArray

from .distributions import pearson
from .words import PLACES, Words

SIZE: Final = len(PLACES)
DEFICITS: Final = 3  # classes: full rank, one less, fewer


def p_value(words: Words) -> float:
    """The p-value of the ranks of successive matrices, a word's judged bits for a row."""
    rows = words[: words.size // SIZE * SIZE].reshape(-1, SIZE) >> np.uint32(PLACES[0])
    deficits = np.minimum(SIZE - ranks(rows.T), DEFICITS - 1)
    likely = [probability(SIZE, SIZE - deficit) for deficit in range(DEFICITS - 1)]
    return pearson(np.bincount(deficits, minlength=DEFICITS), [*likely, 1 - sum(likely)])


def probability(size: int, rank: int) -> float:
    """The probability that a random square matrix over GF(2) has this rank."""
    factors = ((1 - 2.0 ** (i - size)) ** 2 / (1 - 2.0 ** (i - rank)) for i in range(rank))
    return 2.0 ** -((size - rank) ** 2) * prod(factors)


def ranks(rows: Words) -> NDArray[np.int64]:
    """The rank of each matrix: row i of all matrices is `rows[i]`, its columns are the bits."""
    basis = np.zeros((32, rows.shape[1]), np.uint32)  # by leading bit
    for row in rows.copy():
        for bit in range(31, -1, -1):
            leads = row >> np.uint32(bit) & 1
            np.copyto(basis[bit], row, where=(leads == 1) & (basis[bit] == 0))
            row ^= basis[bit] * leads
    found: NDArray[np.int64] = (basis != 0).sum(axis=0)
    return found
