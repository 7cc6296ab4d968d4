"""European options on geometric Brownian motion: the closed form, in double precision.

Source: F. Black, M. Scholes, "The pricing of options and corporate liabilities", Journal of
Political Economy 81 (1973), equation (13); no dividends. The normal distribution function is 1/2
erfc(-x/sqrt 2), which keeps its relative accuracy in the tails. Not handled: dividends, maturity
0 or volatility 0.
"""

from __future__ import annotations

import math

from pricing_kernels.models.gbm import Market


def normal_cdf(x: float) -> float:
    """The distribution function of the standard normal law."""
    return 0.5 * math.erfc(-x / math.sqrt(2.0))


def black_scholes(market: Market, strike: float, maturity: float, call: bool) -> float:
    """The price today of a European call or put that pays at `maturity` years."""
    _, deviation = market.log_step(maturity)
    forward = market.spot * math.exp(market.rate * maturity)
    d1 = math.log(forward / strike) / deviation + 0.5 * deviation
    d2 = d1 - deviation
    sign = 1.0 if call else -1.0
    value = forward * normal_cdf(sign * d1) - strike * normal_cdf(sign * d2)
    return sign * math.exp(-market.rate * maturity) * value
