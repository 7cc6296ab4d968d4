"""Birthday spacings: how often two distances between neighbouring birthdays are equal.

Of n birthdays in k days, sorted, equal spacings are Poisson with the mean n^3 / 4k, up to terms of
relative order n / k^(1/2). A day is made of the highest 20 bits of two successive words, so that a
lattice structure of pairs shows: a congruential generator with a period of 2^e fails from about 16
2^(e/3) birthdays on. Sources: G. Marsaglia and W. Tsang, "Some difficult-to-pass tests of
randomness", Journal of Statistical Software 7 (2002), section 2; P. L'Ecuyer and R. Simard, "On the
performance of birthday spacings tests with certain families of random number generators",
Mathematics and Computers in Simulation 55 (2001).
"""

from __future__ import annotations

from typing import Final

import numpy as np

from .distributions import poisson_tails, two_sided
from .words import Words, highest

BITS: Final = 20
BIRTHDAYS: Final = 2**15


def p_value(words: Words) -> float:
    """The p-value of the equal spacings in all years that the words fill."""
    years = words.size // (2 * BIRTHDAYS)
    digits = highest(words[: years * 2 * BIRTHDAYS], BITS)
    days = (digits[0::2] << BITS | digits[1::2]).reshape(years, BIRTHDAYS)
    spacings = np.sort(np.diff(np.sort(days, axis=1), axis=1), axis=1)
    equal = int(np.count_nonzero(np.diff(spacings, axis=1) == 0))
    return two_sided(*poisson_tails(equal, years * BIRTHDAYS**3 / 4**BITS / 4))
