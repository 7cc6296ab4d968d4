"""The tails of the distributions that the tests of the battery refer to, without scipy."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray


def chi_square_tail(x: float, degrees: float) -> float:
    """P(X > x) for X chi-square with so many degrees of freedom."""
    return upper_gamma(degrees / 2, x / 2)


def poisson_tails(count: int, mean: float) -> tuple[float, float]:
    """P(X <= count) and P(X >= count) for X Poisson."""
    return upper_gamma(count + 1, mean), 1.0 - upper_gamma(count, mean) if count else 1.0


def two_sided(lower: float, upper: float) -> float:
    """The p-value of a statistic that is suspicious on either side, from its two tails."""
    return min(1.0, 2 * min(lower, upper))


def pearson(observed: NDArray[np.int64], probabilities: Sequence[float]) -> float:
    """The two-sided p-value of Pearson's statistic: too close a fit is as suspicious as a bad one.

    Asymptotic, for expected counts of 5 and more: D. Knuth, TAOCP 2, 3.3.1.
    """
    expected = observed.sum() * np.asarray(probabilities)
    upper = chi_square_tail(float(((observed - expected) ** 2 / expected).sum()), len(observed) - 1)
    return two_sided(1.0 - upper, upper)


def upper_gamma(a: float, x: float) -> float:
    """The regularised incomplete gamma function Q(a, x), for a > 0 and x >= 0.

    By the power series of 1 - Q for x < a + 1 and the continued fraction beyond (DLMF 8.7.1 and
    8.9.2), with an error of some 1e-13.
    """
    if x <= 0:
        return 1.0
    scale = math.exp(a * math.log(x) - x - math.lgamma(a))
    if x < a + 1:
        term = total = 1 / a
        n = a
        while term > total * 1e-16:
            n += 1
            term *= x / n
            total += term
        return max(1.0 - scale * total, 0.0)
    b = x + 1 - a  # Lentz's evaluation, from the top
    c, d = math.inf, 1 / b
    fraction, ratio, i = d, 0.0, 0
    while abs(ratio - 1) > 1e-15:
        i += 1
        numerator = i * (a - i)
        b += 2
        d = 1 / (b + numerator * d)
        c = b + numerator / c
        ratio = c * d
        fraction *= ratio
    return min(scale * fraction, 1.0)
