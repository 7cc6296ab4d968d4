"""Classifiers of points in two classes, exercise and continue: boosted stumps, and a linear support
vector machine.

A classifier is a formula whose coefficients are trained, the first one its constant: its score is
positive where a point is of the class. The formula is the same at all dates, so one kernel serves
every date and every training, and all lanes of a warp read the same coefficients. Points have
weights: what a wrong decision costs there.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, Protocol

import numpy as np
from numpy.typing import NDArray

from pricing_kernels.payoffs.language.functions import where

Numbers = NDArray[np.float64]

SURE: Final = 1.0 - 1e-6  # the correlation of a stump that makes no mistake counts as this
NEWTON_TURNS: Final = 30


class Classifier(Protocol):
    def size(self, features: int) -> int:
        """The number of coefficients for points of so many features."""

    def score(self, features: Sequence[Any], coefficients: Sequence[Any]) -> Any:
        """The score, as an expression or in numbers."""

    def train(self, points: Numbers, signs: Numbers, weights: Numbers) -> Numbers:
        """The coefficients, from points (point, feature), their signs (1 or -1) and weights."""


@dataclass(frozen=True)
class Stumps:
    """AdaBoost of decision stumps. A stump compares one feature with a threshold; every other one
    is of the first feature, the others take turns. The coefficients are the constant, then a
    threshold and a weight for each round.

    Source: Y. Freund, R. Schapire, "A decision-theoretic generalization of on-line learning and an
    application to boosting", J. Comput. Syst. Sci. 55, 1997. There a round may choose its feature;
    with turns the formula does not depend on the points.
    """

    rounds: int = 40

    def size(self, features: int) -> int:
        return 1 + 2 * self.rounds

    def score(self, features: Sequence[Any], coefficients: Sequence[Any]) -> Any:
        total = coefficients[0]
        for number in range(self.rounds):
            threshold, weight = coefficients[1 + 2 * number : 3 + 2 * number]
            above = features[_feature(number, len(features))] > threshold
            total = total + where(above, weight, 0.0)
        return total

    def train(self, points: Numbers, signs: Numbers, weights: Numbers) -> Numbers:
        found = np.zeros(self.size(points.shape[1]))
        orders = np.argsort(points, axis=0, kind="stable")
        weights = weights / weights.sum()
        for number in range(self.rounds):
            feature = _feature(number, points.shape[1])
            values, order = points[:, feature], orders[:, feature]
            threshold, correlation = _stump(values[order], (weights * signs)[order])
            half = np.arctanh(np.clip(correlation, -SURE, SURE))
            found[0] -= half
            found[1 + 2 * number : 3 + 2 * number] = threshold, 2 * half
            weights *= np.exp(-half * signs * np.where(values > threshold, 1.0, -1.0))
            weights /= weights.sum()
        return found


def _feature(number: int, features: int) -> int:
    """The feature of a stump."""
    return 0 if number % 2 == 0 or features == 1 else 1 + number // 2 % (features - 1)


def _stump(values: Numbers, signed: Numbers) -> tuple[float, float]:
    """The threshold between rising values whose sides differ most in sign, and the correlation of
    the side with the sign."""
    below = np.cumsum(signed)[:-1]
    correlations = signed.sum() - 2.0 * below
    correlations[values[1:] == values[:-1]] = 0.0
    if not len(correlations):
        return 0.0, 0.0
    at = int(np.argmax(np.abs(correlations)))
    return 0.5 * float(values[at] + values[at + 1]), float(correlations[at])


@dataclass(frozen=True)
class LinearMachine:
    """A linear support vector machine with squared hinge loss. The coefficients are the constant
    and one for each feature. ``penalty`` is that of the squared coefficients of features with unit
    variance.

    Source: S. Keerthi, D. DeCoste, "A modified finite Newton method for fast solution of large
    scale linear SVMs", J. Mach. Learn. Res. 6, 2005.
    """

    penalty: float = 1e-3

    def size(self, features: int) -> int:
        return 1 + features

    def score(self, features: Sequence[Any], coefficients: Sequence[Any]) -> Any:
        total = coefficients[0]
        for feature, coefficient in zip(features, coefficients[1:], strict=True):
            total = total + coefficient * feature
        return total

    def train(self, points: Numbers, signs: Numbers, weights: Numbers) -> Numbers:
        middle, spread = points.mean(axis=0), points.std(axis=0)
        spread = np.where(spread > 0.0, spread, 1.0)
        rows = np.column_stack([np.ones(len(points)), (points - middle) / spread])
        ridge = self.penalty * np.eye(rows.shape[1])
        weights = weights / weights.sum()
        found = np.zeros(rows.shape[1])
        for _ in range(NEWTON_TURNS):  # exact where the points inside of the margin stay the same
            inside = signs * (rows @ found) < 1.0
            held = rows[inside] * weights[inside, None]
            after = np.linalg.solve(ridge + held.T @ rows[inside], held.T @ signs[inside])
            if np.allclose(after, found):
                break
            found = after
        slopes = found[1:] / spread
        return np.concatenate([[found[0] - slopes @ middle], slopes])


def constant(size: int, sign: float) -> Numbers:
    """The coefficients of a classifier that gives every point the same sign."""
    found = np.zeros(size)
    found[0] = sign
    return found
