"""Linear complexity: how long a shift register must be to make the bits of one place.

Of n random bits the shortest register has the length L with probability 2^(min(2n - 2L, 2L - 1) -
n), exactly: half of all for L = n / 2. Judged are the highest place and the third lowest, where a
generator modulo a power of two repeats soon. Sources: R. Rueppel, "Analysis and design of stream
ciphers" (1986), proposition 4.1; the two places are those of P. L'Ecuyer and R. Simard, "TestU01",
ACM TOMS 33 (2007). The length by Berlekamp and Massey.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from pricing_kernels import gf2

from .distributions import pearson
from .words import Words

BITS: Final = 1000  # even; a register of 607 bits is not seen in fewer than 1214
SEQUENCES: Final = 512
WIDTH: Final = 2  # lengths further from BITS / 2 are one class on either side
SEEN: Final = (31, 2)  # places


def p_value(words: Words) -> float:
    """The p-value of the lengths: the smaller of the two places', times two."""
    return min(1.0, 2 * min(_of_place(words, place) for place in SEEN))


def _of_place(words: Words, place: int) -> float:
    sequences = min(SEQUENCES, words.size // BITS)
    bits = (words[: sequences * BITS] >> np.uint32(place) & 1).reshape(sequences, BITS)
    lengths = [gf2.minimal_polynomial(row).bit_length() - 1 for row in bits.tolist()]
    classes = np.clip(np.array(lengths) - BITS // 2, -WIDTH, WIDTH) + WIDTH
    inner = [probability(BITS, BITS // 2 + off) for off in range(1 - WIDTH, WIDTH)]
    lowest = sum(probability(BITS, length) for length in range(BITS // 2 - WIDTH + 1))
    likely = [lowest, *inner, 1 - lowest - sum(inner)]
    return pearson(np.bincount(classes, minlength=len(likely)), likely)


def probability(bits: int, length: int) -> float:
    """The probability that the shortest register of so many random bits has this length."""
    return 2.0 ** (min(2 * bits - 2 * length, 2 * length - 1) - bits) if length else 2.0**-bits
