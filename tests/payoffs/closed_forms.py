"""Prices that do not come from simulation: closed forms, and quadrature of exact step densities."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float64]


def normal_cdf(x: float) -> float:
    return 0.5 * math.erfc(-x / math.sqrt(2.0))


def density(x: Vector) -> Vector:
    return np.exp(-0.5 * x * x) / math.sqrt(2.0 * math.pi)


def panels(*ends: float) -> tuple[Vector, Vector]:
    """Nodes and weights of Gauss and Legendre, 200 between each end and the next."""
    points, weights = np.polynomial.legendre.leggauss(200)
    pairs = list(pairwise(ends))
    nodes = [0.5 * (a + b) + 0.5 * (b - a) * points for a, b in pairs]
    return np.concatenate(nodes), np.concatenate([0.5 * (b - a) * weights for a, b in pairs])


def digital_call(spot: float, strike: float, rate: float, volatility: float, years: float) -> float:
    """What 1, paid if the price ends above the strike, is worth."""
    deviation = volatility * math.sqrt(years)
    d = (math.log(spot / strike) + (rate - 0.5 * volatility**2) * years) / deviation
    return math.exp(-rate * years) * normal_cdf(d)


def down_and_out_put(
    spot: float, strike: float, barrier: float, rate: float, volatility: float, dates: int
) -> float:
    """A put of one year that ends if the price is at or below the barrier at a date: the density of
    the logarithm above the barrier, date by date."""
    drift, deviation = (rate - 0.5 * volatility**2) / dates, volatility / math.sqrt(dates)
    low, middle, high = math.log(barrier), math.log(strike), math.log(spot) + 8.0 * volatility
    x, weights = panels(low, middle, high)
    alive = density((x - math.log(spot) - drift) / deviation) / deviation
    step = density((x[:, None] - x - drift) / deviation) / deviation
    for _ in range(dates - 1):
        alive = step @ (weights * alive)
    paid = np.maximum(strike - np.exp(x), 0.0)
    return math.exp(-rate) * float(weights @ (paid * alive))


def lookback_put(spot: float, rate: float, volatility: float, dates: int) -> float:
    """The greatest of the prices at the dates of one year, less the last one.

    The greatest is the first price times exp(L), L the maximum of 0 and of the sums of the steps
    after it; one step X more makes L max(0, X + L), whose law is an atom at 0 and a density."""
    drift, deviation = (rate - 0.5 * volatility**2) / dates, volatility / math.sqrt(dates)
    x, weights = panels(0.0, 2.0 * volatility, 8.0 * volatility)
    step = density((x[:, None] - x - drift) / deviation) / deviation
    atom, rest = 1.0, np.zeros_like(x)
    for _ in range(dates - 1):
        rest = atom * density((x - drift) / deviation) / deviation + step @ (weights * rest)
        atom = 1.0 - float(weights @ rest)
    greatest = atom + float(weights @ (np.exp(x) * rest))
    first, last = spot * math.exp(rate / dates), spot * math.exp(rate)
    return math.exp(-rate) * (first * greatest - last)
