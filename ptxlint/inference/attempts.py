"""Attempts that share a budget of steps."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import TypeVar

from analyses.budget import INFERRED_ACCESS_SHARE, SET_ASIDE_SHARE
from analyses.proofs.search_budget import Budget

T = TypeVar("T")
CUT = "budget"  # the reason code of an attempt that ended for want of steps
LOOSE = "loose"  # that of one that has a result, but with more steps may find a better one


def attempt_each(
    budget: Budget,
    places: Sequence[T],
    attempt: Callable[[T], str | None],
    again: Callable[[T], str | None] | None = None,
    alike: Callable[[T], Hashable] | None = None,
) -> list[str | None]:
    """The reason code of each attempt that fails. Each may use an equal part of the steps that are
    left, those that are ``alike`` together, and half of what is left of those set aside: what the
    first one proves of a base, the others need not prove again. Those that end for want of steps
    are repeated, each with a share of what the others left over, by ``again`` if the last attempt
    is another one: first those without a result."""
    found, aside = list[str | None](), budget.left // SET_ASIDE_SHARE
    kinds = [alike(place) if alike is not None else i for i, place in enumerate(places)]
    waiting = Counter(kinds)
    for kind, place in zip(kinds, places, strict=True):
        before, part = budget.left, (budget.left - aside) // len(waiting)
        found.append(within(budget, part + aside // 2, place, attempt))
        aside -= max(before - budget.left - part, 0)
        waiting[kind] -= 1
        waiting += Counter()  # without those of which none is left
    for short in (CUT, LOOSE):
        for i, place in enumerate(places):
            if found[i] == short:
                steps = budget.left // INFERRED_ACCESS_SHARE
                found[i] = within(budget, steps, place, again or attempt)
    return found


def first_open(
    budget: Budget, places: Iterable[T], attempt: Callable[[T], str | None]
) -> tuple[T, str] | None:
    """The first of the attempts, none of which counts then, that fails or uses up its steps, as it
    may have found less than there is; with the reason. Each may use half of what is left."""
    for place in places:
        with budget.share(INFERRED_ACCESS_SHARE):
            reason = attempt(place)
            reason = CUT if budget.left < 0 else reason
        if reason is not None:
            return place, reason
    return None


def within(budget: Budget, steps: int, place: T, attempt: Callable[[T], str | None]) -> str | None:
    """The reason code of an attempt that may use so many steps."""
    with budget.limit(steps):
        reason = attempt(place)
        return CUT if reason not in (None, LOOSE) and budget.left < 0 else reason
