"""Fewer paths for the same error: each method rewrites the payoff and the model.

A market may have assets that are not traded: mirror images of the others, or the weight of a change
of measure. So a method is a payoff on more assets, driven by the same normal numbers, and needs
nothing of the machine or the kernels; its standard error is that of its payoff.

Source: P. Glasserman, "Monte Carlo Methods in Financial Engineering", 2004, sections 4.1, 4.2, 4.6.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from pricing_kernels.payoffs.language.expression import Expression
from pricing_kernels.payoffs.language.functions import S
from pricing_kernels.payoffs.language.rewrite import with_prices
from pricing_kernels.payoffs.machine.dynamics import ModelError
from pricing_kernels.payoffs.models.lognormal import Lognormal, LognormalAsset, combined

Rewritten = tuple[Expression, Lognormal]
"""What to price: a payoff, and the model of the assets that it reads."""


def on_assets(payoff: Expression, first: int) -> Expression:
    """The payoff on the assets from `first` on in the place of those from 0 on."""
    return with_prices(
        payoff,
        lambda spot: replace(spot, asset=spot.asset + first),
    )


def antithetic(payoff: Expression, model: Lognormal) -> Rewritten:
    """The mean of the payoff and of its value on the mirrored path, where every normal number has
    the other sign."""
    mirrored = tuple(asset.scaled(loadings=-1.0) for asset in model.assets)
    mean = 0.5 * (payoff + on_assets(payoff, len(model.assets)))
    return mean, replace(model, assets=(*model.assets, *mirrored))


def importance(payoff: Expression, model: Lognormal, shift: Sequence[float]) -> Rewritten:
    """The payoff under a measure in which Brownian motion k has the drift ``shift[k]`` a year,
    times the density of the old measure: an asset whose mean stays 1. Raises ModelError."""
    factors = max(len(asset.loadings) for asset in model.assets)
    if len(shift) != factors:
        raise ModelError(f"{len(shift)} shifts for {factors} Brownian motions")
    size = math.sqrt(math.fsum(s * s for s in shift))
    if size == 0.0:
        return payoff, model
    moved = tuple(_drifting(asset, shift) for asset in model.assets)
    loadings = tuple(-s / size for s in shift)
    weight = LognormalAsset(1.0, size, loadings, model.rate)
    return payoff * S(len(moved)), replace(model, assets=(*moved, weight))


def _drifting(asset: LognormalAsset, shift: Sequence[float]) -> LognormalAsset:
    """The asset with the drift that a drift of its Brownian motions gives it."""
    rate = math.fsum(c * s for c, s in zip(asset.loadings, shift, strict=False))
    drift = combined(lambda q, v: q - rate * v, asset.dividend, asset.volatility)
    return replace(asset, dividend=drift)
