"""Geometric Brownian motion, exact in law: a step adds drift + diffusion z to the logarithm.

dS = r S dt + sigma S dW gives ln S(t + dt) = ln S(t) + (r - sigma^2/2) dt + sigma sqrt(dt) z,
with no error of discretisation, so the number of steps does not change the law of the last price.

Source: P. Glasserman, "Monte Carlo Methods in Financial Engineering", 2004, section 3.2.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

from pricing_kernels.link import Fragment


@dataclass(frozen=True)
class Market:
    """An asset and a rate: spot price, risk-free rate and volatility, both a year."""

    spot: float
    rate: float
    volatility: float

    def log_step(self, years: float) -> tuple[float, float]:
        """Drift and diffusion of the logarithm of the price over a step of `years`."""
        drift = (self.rate - 0.5 * self.volatility**2) * years
        return drift, self.volatility * math.sqrt(years)


EXACT_STEP: Final = Fragment(
    "gbm",
    __file__,
    """\
// Exact step of the logarithm of a geometric Brownian motion: x + drift + diffusion * z.
struct LogStep { float drift, diffusion; };
__device__ __forceinline__ LogStep log_step(float rate, float volatility, float years)
{
    return {(rate - 0.5f * volatility * volatility) * years, volatility * sqrtf(years)};
}
__device__ __forceinline__ float advance(LogStep s, float x, float z)
{
    return x + fmaf(s.diffusion, z, s.drift);
}
""",
)


def black_scholes(market: Market, strike: float, maturity: float, call: bool) -> float:
    """The price today of a European call or put that pays at `maturity` years: the closed form, in
    double precision, without dividends; not for maturity 0 or volatility 0.

    Source: F. Black, M. Scholes, "The pricing of options and corporate liabilities", Journal of
    Political Economy 81 (1973), equation (13). The normal distribution function is 1/2 erfc(-x/sqrt
    2), which keeps its relative accuracy in the tails.
    """
    _, deviation = market.log_step(maturity)
    forward = market.spot * math.exp(market.rate * maturity)
    d1 = math.log(forward / strike) / deviation + 0.5 * deviation
    sign = 1.0 if call else -1.0
    below, above = (0.5 * math.erfc(-sign * d / math.sqrt(2.0)) for d in (d1, d1 - deviation))
    return sign * math.exp(-market.rate * maturity) * (forward * below - strike * above)
