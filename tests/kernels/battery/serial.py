"""Serial: the highest bits of successive words are equidistributed in pairs.

Pairs do not overlap; the counts of the 64 x 64 cells are compared by Pearson's statistic.
Source: D. Knuth, TAOCP 2, 3.3.2 B.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from .distributions import pearson
from .words import Words, highest

BITS: Final = 6


def p_value(words: Words) -> float:
    """The p-value of the counts of pairs."""
    digits = highest(words[: words.size // 2 * 2], BITS)
    cells = 4**BITS
    counts = np.bincount(digits[0::2] << BITS | digits[1::2], minlength=cells)
    return pearson(counts, [1 / cells] * cells)
