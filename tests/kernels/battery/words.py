"""What a test of the battery is given: words of 32 bits, of which the highest 31 are judged."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

Words = NDArray[np.uint32]

PLACES: Final = range(1, 32)
"""The bits that are judged, so that generators of 31 bits can be: their numbers times two."""


def leftmost(numbers: Words, values: int) -> Words:
    """Numbers from 0 to values - 1 in the highest bits of words."""
    return numbers << np.uint32(32 - (values - 1).bit_length())


def highest(words: Words, bits: int) -> NDArray[np.int64]:
    """The highest bits of each word, as a number."""
    return (words >> np.uint32(32 - bits)).astype(np.int64)
