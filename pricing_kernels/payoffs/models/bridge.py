"""Brownian bridge: the end of the path is drawn first, then each date between the last one and it.

Under the exact step of ``lognormal``, the noise m_a of an asset is a Brownian motion on the clock
V_a, the variance so far. Given m at a date and the end e, the noise at the next date has the mean
m + A (e - m), A = dV / (V_end - V), and the variance dV (1 - A). The first row, at time 0, draws e;
the row of the end has A = 1 and draws nothing. The law is that of the exact step; the number that
decides most of the path is the first. The thesis proposes it against the errors of many float32
steps (its chapter V, section 3.5), for the end does not depend on the dates before it.

Source: P. Glasserman, "Monte Carlo Methods in Financial Engineering", 2004, section 3.1.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, reduce

import numpy as np
from numpy.typing import NDArray

from pricing_kernels.payoffs.language.expression import literal
from pricing_kernels.payoffs.language.functions import exp
from pricing_kernels.payoffs.language.operators import REAL
from pricing_kernels.payoffs.machine.dynamics import Dynamics, ModelError
from pricing_kernels.payoffs.machine.program import NormalInput, Register, RowInput, RunInput
from pricing_kernels.payoffs.models.lognormal import Lognormal, times

COLUMNS = 4  # of an asset: A, the deviations of noise and of the end, and the drift so far


@dataclass(frozen=True)
class BrownianBridge(Lognormal):
    """Assets and a rate, simulated from the end of the path."""

    @property
    def rows_before(self) -> int:
        return 1

    @cached_property
    def dynamics(self) -> Dynamics:
        """State is the noise of each asset, and what it will be at the end."""
        normals = max(len(asset.loadings) for asset in self.assets)
        z = [NormalInput(number=k) for k in range(normals)]
        start, step, spots = [], [], []
        first = tuple(RunInput(number=a) for a in range(len(self.assets)))
        for a, asset in enumerate(self.assets):
            terms = [times(c, z[k]) for k, c in enumerate(asset.loadings) if c]
            w = reduce(lambda x, y: x + y, terms)
            part, noise, whole, drift = (RowInput(column=COLUMNS * a + k) for k in range(COLUMNS))
            now, end = (Register(type=REAL, name=f"{name}{a}") for name in ("m", "e"))
            start += [(now, literal(0.0)), (end, literal(0.0))]
            step += [(now, now + part * (end - now) + noise * w), (end, end + whole * w)]
            spots.append(first[a] * exp(now + drift))
        return Dynamics(
            tuple(start), tuple(step), tuple(spots), first,
            run_inputs=len(self.assets), columns=COLUMNS * len(self.assets), normals=normals,
        )  # fmt: skip

    def row_numbers(self, years: NDArray[np.float64]) -> NDArray[np.float64]:
        columns = []
        for asset in self.assets:
            drift, variance = self.moments(asset, years)
            clock = np.cumsum(variance)
            left = clock[-1] - (clock - variance)
            part = np.divide(variance, left, out=np.zeros_like(left), where=left > 0.0)
            part[-1] = 1.0
            whole = np.zeros_like(left)
            whole[0] = np.sqrt(clock[-1])
            noise = np.sqrt(variance * (1.0 - part))
            columns += [part, noise, whole, np.cumsum(drift) - 0.5 * clock]
        return np.array(columns)


def bridge(model: Lognormal) -> BrownianBridge:
    """The same assets, with the end of each path drawn first. Raises ModelError."""
    if model.euler_steps:
        raise ModelError("a Brownian bridge is exact: it takes no steps of Euler's scheme")
    return BrownianBridge(model.assets, model.rate)
