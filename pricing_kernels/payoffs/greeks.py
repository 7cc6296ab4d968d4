"""Greeks: payoffs whose price is a derivative of a price.

By bumps: the payoff on assets that are bumped up, less the payoff on assets that are bumped down,
over the distance. All are driven by the same normal numbers, so the standard error is that of the
difference. The error of the quotient is of the order of the square of the bump.

Pathwise: the derivative of the payoff itself, for payoffs without jumps; no bump and no error but
the statistical one. A price of the asset grows with its price now, dS(t)/dS(0) = S(t)/S(0).

Source: P. Glasserman, "Monte Carlo Methods in Financial Engineering", 2004, sections 7.1, 7.2.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

from pricing_kernels.payoffs.language.derivative import derivative
from pricing_kernels.payoffs.language.expression import Expression
from pricing_kernels.payoffs.models.lognormal import Curve, Lognormal, LognormalAsset, combined
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
    return _with(model, asset, lambda each: each.scaled(spot=1.0 + bump))


def _with(model: Lognormal, asset: int, bump: Bump) -> Lognormal:
    assets = (bump(each) if a == asset else each for a, each in enumerate(model.assets))
    return replace(model, assets=tuple(assets))


def _plus(by: float, curve: Curve) -> Curve:
    return combined(lambda value: value + by, curve)


def pathwise_delta(payoff: Expression, model: Lognormal, asset: int = 0) -> Rewritten:
    """The derivative by the price of an asset now, of a payoff without jumps. Raises
    PayoffError."""
    now = model.assets[asset].spot
    return derivative(payoff, lambda s: s / now if s.asset == asset else None), model
