"""Greeks: payoffs whose price is a derivative of a price.

By bumps: the payoff on assets that are bumped up, less the payoff on assets that are bumped down,
over the distance. All are driven by the same normal numbers, so the standard error is that of the
difference. The error of the quotient is of the order of the square of the bump.

Pathwise: the derivative of the payoff itself, for payoffs without jumps; no bump and no error but
the statistical one. With R(t) the integral of rate less dividend to the time t in years:

    by the price now    dS(t)/dS(0)   = S(t) / S(0)
    by the volatility   dS(t)/dsigma  = S(t) (log(S(t) / S(0)) - R(t) - sigma^2 t / 2) / sigma
    by the rate         dS(t)/dr      = S(t) t, and the discount gives -maturity times the payoff

Source: P. Glasserman, "Monte Carlo Methods in Financial Engineering", 2004, sections 7.1, 7.2.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from pricing_kernels.payoffs.language.derivative import derivative
from pricing_kernels.payoffs.language.expression import Expression, NumberAt, Spot, literal
from pricing_kernels.payoffs.language.functions import S, log
from pricing_kernels.payoffs.machine.dynamics import ModelError
from pricing_kernels.payoffs.models.lognormal import (
    Curve,
    Lognormal,
    LognormalAsset,
    combined,
    integrals,
)
from pricing_kernels.payoffs.variance import Rewritten, on_assets

SPOT_BUMP = 0.01  # of the price
VOLATILITY_BUMP = 0.01
RATE_BUMP = 0.001

Bump = Callable[[LognormalAsset], LognormalAsset]


def delta(
    payoff: Expression, model: Lognormal, asset: int = 0, bump: float = SPOT_BUMP
) -> Rewritten:
    """The derivative by the price of an asset now."""
    up, down, both = _two(payoff, model, _spot(model, asset, bump), _spot(model, asset, -bump))
    return (up - down) / (2.0 * bump * model.assets[asset].spot), both


def gamma(
    payoff: Expression, model: Lognormal, asset: int = 0, bump: float = SPOT_BUMP
) -> Rewritten:
    """The second derivative by the price of an asset now."""
    up, down, both = _two(payoff, model, _spot(model, asset, bump), _spot(model, asset, -bump))
    step = bump * model.assets[asset].spot
    return (up - 2.0 * payoff + down) / step**2, both


def vega(
    payoff: Expression, model: Lognormal, asset: int = 0, bump: float = VOLATILITY_BUMP
) -> Rewritten:
    """The derivative by the volatility of an asset."""

    volatility = _asset(model, asset).volatility
    if not bump > 0.0 or (not callable(volatility) and bump > volatility):
        raise ModelError(f"a bump of {bump:g} of the volatility, expected one in (0, volatility]")

    def bumped(by: float) -> Lognormal:
        return _with(
            model, asset, lambda each: replace(each, volatility=_plus(by, each.volatility))
        )

    up, down, both = _two(payoff, model, bumped(bump), bumped(-bump))
    return (up - down) / (2.0 * bump), both


def rho(
    payoff: Expression, model: Lognormal, maturity: float, bump: float = RATE_BUMP
) -> Rewritten:
    """The derivative by the rate: of the drift, and of the discount to `maturity` years."""

    if not 0.0 < bump < math.inf:
        raise ModelError(f"a bump of {bump:g} of the rate, expected a positive one")

    def bumped(by: float) -> Lognormal:
        assets = (replace(each, dividend=_plus(-by, each.dividend)) for each in model.assets)
        return replace(model, assets=tuple(assets))

    up, down, both = _two(payoff, model, bumped(bump), bumped(-bump))
    less = math.exp(-bump * maturity)
    return (up * less - down / less) / (2.0 * bump), both


def _two(
    payoff: Expression, model: Lognormal, up: Lognormal, down: Lognormal
) -> tuple[Expression, Expression, Lognormal]:
    """The payoff on the assets of two other models, and a model with all assets."""
    count = len(model.assets)
    both = replace(model, assets=(*model.assets, *up.assets, *down.assets))
    return on_assets(payoff, count), on_assets(payoff, 2 * count), both


def _spot(model: Lognormal, asset: int, bump: float) -> Lognormal:
    if not 0.0 < abs(bump) < 1.0:
        raise ModelError(f"a bump of {bump:g} of the spot, expected one in (0, 1)")
    return _with(model, asset, lambda each: each.scaled(spot=1.0 + bump))


def _asset(model: Lognormal, asset: int) -> LognormalAsset:
    if not 0 <= asset < len(model.assets):
        raise ModelError(f"the model has no asset {asset}, it has {len(model.assets)}")
    return model.assets[asset]


def _with(model: Lognormal, asset: int, bump: Bump) -> Lognormal:
    _asset(model, asset)
    assets = (bump(each) if a == asset else each for a, each in enumerate(model.assets))
    return replace(model, assets=tuple(assets))


def _plus(by: float, curve: Curve) -> Curve:
    return combined(lambda value: value + by, curve)


def pathwise_vega(
    payoff: Expression, model: Lognormal, maturity: float, asset: int = 0
) -> Rewritten:
    """The derivative by the constant volatility of an asset, of a payoff without jumps. Raises
    PayoffError, ModelError."""
    moved, carry = (
        _exact(model, asset),
        combined(operator.sub, model.rate, model.assets[asset].dividend),
    )
    sigma = moved.volatility
    if callable(sigma) or sigma == 0.0:
        raise ModelError("a pathwise vega is of a constant, positive volatility; vega takes bumps")

    def growth(years: float) -> float:
        carried = integrals("rate less dividend", carry, np.array([years]))[0]
        return float(carried) + 0.5 * sigma**2 * years

    def price(spot: Spot) -> Expression | None:
        if spot.asset != asset or spot.time == 0.0:
            return None
        noise = log(spot / S(asset, 0)) - _by_time(spot, maturity, growth)
        return spot * noise / sigma

    return derivative(payoff, price), model


def pathwise_rho(payoff: Expression, model: Lognormal, maturity: float) -> Rewritten:
    """The derivative by the rate: of the drift of all assets, and of the discount to `maturity`
    years, of a payoff without jumps. Raises PayoffError, ModelError."""
    _exact(model, 0)

    def price(spot: Spot) -> Expression | None:
        return None if spot.time == 0.0 else spot * _by_time(spot, maturity, lambda years: years)

    return derivative(payoff, price) - maturity * payoff, model


def _by_time(spot: Spot, maturity: float, number: Callable[[float], float]) -> Expression:
    """A number for each time, in years, at which a price is read."""
    numbers = tuple(number(time * maturity) for time in spot.times)
    if isinstance(spot.time, float):
        return literal(numbers[0])
    return NumberAt(index=spot.time, numbers=numbers, at=spot.at)


def _exact(model: Lognormal, asset: int) -> LognormalAsset:
    """The asset of a model whose law at each date is the exact one. Raises ModelError."""
    if model.euler_steps:
        raise ModelError("this pathwise derivative is not that of Euler's scheme; use bumps")
    return _asset(model, asset)


def pathwise_delta(payoff: Expression, model: Lognormal, asset: int = 0) -> Rewritten:
    """The derivative by the price of an asset now, of a payoff without jumps. Raises
    PayoffError, ModelError."""
    now = _asset(model, asset).spot
    return derivative(payoff, lambda s: s / now if s.asset == asset else None), model
