"""Attempts that share a budget of steps."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from analyses.budget import INFERRED_ACCESS_SHARE
from analyses.proofs.inequalities import Budget

T = TypeVar("T")


def in_turns(
    budget: Budget, places: Sequence[T], attempt: Callable[[T], str | None]
) -> list[str | None]:
    """The reason code of each attempt that fails. Each may use an equal part of the steps that are
    left; those that end for want of steps are repeated, each with a share of what the others left
    over."""

    def within(of: int, place: T) -> str | None:
        with budget.share(of):
            reason = attempt(place)
            return "budget" if reason is not None and budget.left < 0 else reason

    found = [within(len(places) - i, place) for i, place in enumerate(places)]
    for i, place in enumerate(places):
        if found[i] == "budget":
            found[i] = within(INFERRED_ACCESS_SHARE, place)
    return found
