"""Cross-stream correlation: what streams give at the same time has nothing in common.

Two streams at the distances 1, 2, 4, ... are compared place by place: of n pairs of bits, the equal
ones have the mean n / 2 and the variance n / 4. The squares of the normed deviations are summed
over places, distances and streams; they are pairwise independent, and their sum is chi-square up
to the normal approximation, as in the monobit test of the exclusive or.
Source: A. De Matteis and S. Pagnutti, "Parallelization of random number generators and long-range
correlations", Numerische Mathematik 53 (1988), for why streams of one cycle must be compared.
"""

from __future__ import annotations

import numpy as np

from .distributions import chi_square_tail, two_sided
from .words import PLACES, Words


def p_value(numbers: Words) -> float:
    """The p-value of numbers of the shape (count, streams), for two streams or more."""
    count, streams = numbers.shape
    statistic, terms = 0.0, 0
    distance = 1
    while distance < streams:
        differing = numbers[:, distance:] ^ numbers[:, :-distance]
        for place in PLACES:
            ones = np.count_nonzero(differing >> np.uint32(place) & 1, axis=0)
            statistic += float(((2 * ones - count) ** 2 / count).sum())
            terms += len(ones)
        distance *= 2
    upper = chi_square_tail(statistic, terms)
    return two_sided(1.0 - upper, upper)
