"""Lattice: no plane wave fits the points of three successive words.

If points of the unit cube lie on planes, the sum of exp(2 pi i h.u) over all points is large for
the wave vector h that stands on the planes; for random points its squared modulus, divided by their
number, is exponential with mean 1, and the sums of different h are uncorrelated. The test sees all
waves of up to 63 crests along each axis; the p-value is that of the largest of them. This is the
spectral test, on what a generator gave instead of on its constants. Source: R. Coveyou and R.
MacPherson, "Fourier analysis of uniform random number generators", Journal of the ACM 14 (1967).
"""

from __future__ import annotations

import math
from typing import Final

import numpy as np

from .words import Words, highest

BITS: Final = 7


def p_value(words: Words) -> float:
    """The p-value of the largest wave: 1 - (1 - exp(-largest))^waves."""
    points = words.size // 3
    x, y, z = highest(words[: 3 * points], BITS).reshape(points, 3).T
    side = 2**BITS
    counts = np.bincount((x << BITS | y) << BITS | z, minlength=side**3)
    waves = np.fft.rfftn(counts.reshape(side, side, side))
    waves[:: side // 2, :: side // 2, :: side // 2] = 0  # those that are their own conjugates
    largest = float((waves.real**2 + waves.imag**2).max()) / points
    return -math.expm1((side**3 - 8) / 2 * math.log1p(-math.exp(-largest)))
