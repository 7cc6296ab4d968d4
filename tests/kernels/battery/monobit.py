"""Monobit: in each place of the words, ones are as frequent as zeros.

With n words the ones of a place have the mean n / 2 and the variance n / 4; the squares of the
normed deviations, summed over the places, are chi-square. Exact up to the normal approximation.
Source: NIST SP 800-22 rev. 1a (2010), section 2.1, for one place.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .distributions import chi_square_tail, two_sided
from .words import PLACES, Words


def p_value(words: Words) -> float:
    """The p-value over all places; two-sided, since counts too even are no chance either."""
    n = words.size
    ones = ones_by_place(words)[list(PLACES)]
    deviations = (2 * ones - n) / np.sqrt(n)
    upper = chi_square_tail(float((deviations**2).sum()), len(PLACES))
    return two_sided(1.0 - upper, upper)


def ones_by_place(words: Words) -> NDArray[np.int64]:
    """How many words have a bit, lowest place first: byte by byte, of which there are only 256."""
    bytes_ = np.ascontiguousarray(words, "<u4").view(np.uint8).reshape(-1, 4)
    bits = np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1, bitorder="little")
    return np.concatenate([np.bincount(column, minlength=256) @ bits for column in bytes_.T])
