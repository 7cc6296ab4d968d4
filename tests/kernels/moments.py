"""Moments of uniform numbers, each as a standard normal: mean, variance, serial, between streams.

For u uniform on (0, 1) and v = u - 1/2, the mean of v is 0 and its variance 1/12; v^2 has the mean
1/12 and the variance 1/180; v v' has, for independent u and u', the mean 0 and the variance 1/144.
The products of successive numbers have a number in common and are uncorrelated all the same. Each
is normal up to terms that vanish with the number of terms: D. Knuth, TAOCP 2, 3.3.2 K.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pricing_kernels.rng.generator import Words


class Moments(NamedTuple):
    """How many standard errors each moment is from its value."""

    mean: float
    variance: float
    serial: float
    cross: float


def moments(numbers: Words, values: int = 2**32) -> Moments:
    """Of integers from 0 to values - 1, of the shape (count, streams), with two of each at least.

    `serial` is the correlation of successive numbers of a stream, `cross` that of the numbers which
    neighbouring streams give at one time.
    """
    v = (numbers + 0.5) / values - 0.5
    return Moments(
        mean=_normed(v, 0.0, 1 / 12),
        variance=_normed(v * v, 1 / 12, 1 / 180),
        serial=_normed(v[1:] * v[:-1], 0.0, 1 / 144),
        cross=_normed(v[:, 1:] * v[:, :-1], 0.0, 1 / 144),
    )


def _normed(terms: NDArray[np.float64], mean: float, variance: float) -> float:
    """The sum of terms with this mean and variance, in standard deviations from its mean."""
    return float((terms - mean).sum()) / math.sqrt(variance * terms.size)
