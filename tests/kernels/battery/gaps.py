"""Gaps: how many words pass between two of the lowest eighth of all values.

A gap has the length g with probability (7/8)^g / 8; lengths from 32 on are one class. The words
before the first visit are no gap. Source: D. Knuth, TAOCP 2, 3.3.2 D.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from .distributions import pearson
from .words import Words, highest

BITS: Final = 3
LONGEST: Final = 32


def p_value(words: Words) -> float:
    """The p-value of the lengths of gaps."""
    visits = np.flatnonzero(highest(words, BITS) == 0)
    lengths = np.minimum(np.diff(visits) - 1, LONGEST)
    hit = 2.0**-BITS
    probabilities = [hit * (1 - hit) ** length for length in range(LONGEST)]
    counts = np.bincount(lengths, minlength=LONGEST + 1)
    return pearson(counts, [*probabilities, (1 - hit) ** LONGEST])
