"""Prices of an option along simulated paths, kept for a fit."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from pricing_kernels import engines
from pricing_kernels.exercise.policy import AtDate, BermudanOption
from pricing_kernels.payoffs.kernels import payoff_program
from pricing_kernels.payoffs.language.expression import Expression
from pricing_kernels.payoffs.language.folds import fold


def recorded(
    device: engines.Session,
    option: BermudanOption,
    features: Sequence[AtDate],
    paths: int,
    seed: int,
) -> Any:
    """Expressions of a date, by expression, date and path, in an array of the device. Raises
    PayoffError, EngineError."""
    size = len(option.over) * paths
    found = device.array(np.zeros(len(features) * size, np.float32))
    for number, feature in enumerate(features):
        made = payoff_program(_latest(option, feature), option.model)
        kernel = made.kernel("record")
        arrays = {
            "values": found[number * size : (number + 1) * size],
            "table": device.array(made.table(option.maturity)),
        }
        device.run(kernel.ptx(), kernel.contract.launch(paths=paths, seed=seed), arrays)
    return found


def _latest(option: BermudanOption, feature: AtDate) -> Expression:
    """The payoff that is a feature at the latest date."""
    return fold(option.over, {"now": 0.0}, lambda s, t: {"now": feature(t)})["now"]
