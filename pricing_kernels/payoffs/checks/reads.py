"""What a payoff reads: the assets, and the times of its dates."""

from __future__ import annotations

from collections.abc import Iterable

from pricing_kernels.payoffs.language.expression import Expression, Folded, Spot


def times_read(payoff: Iterable[Expression]) -> tuple[float, ...]:
    """The times after 0 at which the nodes read prices or folds take a step, rising."""
    found: set[float] = set()
    for node in payoff:
        if isinstance(node, Spot):
            found |= set(node.times)
        elif isinstance(node, Folded):
            found |= set(node.fold.index.times)
    return tuple(sorted(found - {0.0})) or (1.0,)


def assets_read(payoff: Iterable[Expression]) -> int:
    """The number of assets: one more than the greatest that the nodes read."""
    return max((node.asset for node in payoff if isinstance(node, Spot)), default=0) + 1
