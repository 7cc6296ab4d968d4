"""The accept/reject table of the indexed time check (thesis, chapter VI, section 2.3)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from pricing_kernels.payoffs import (
    Expression,
    PayoffError,
    S,
    dates,
    fold,
    let,
    maximum,
    minimum,
    product,
    sum,
    times,
    where,
)
from pricing_kernels.payoffs.checks.reads import times_read
from pricing_kernels.payoffs.checks.times import timed
from pricing_kernels.payoffs.language.walk import nodes

T = dates(4)
EARLY, LATE = times([0.25, 0.5]), times([0.5, 0.75, 1.0])

ACCEPTED: dict[str, Callable[[], Expression]] = {
    "a fold": lambda: maximum(T, lambda t: S(0, t)),
    "a fold of what an earlier fold found": lambda: sum(
        LATE, lambda t: S(0, t) / minimum(EARLY, lambda u: S(0, u))
    ),
    "dates split at the time that is read": lambda: (
        sum(T.before(0.5), lambda t: S(0, t)) + sum(T.since(0.5), lambda t: S(0, 0.5))
    ),
    "a price of the first date in each step": lambda: sum(LATE, lambda t: S(0, t) - S(0, 0.5)),
    "the first price as an initial value": lambda: (
        fold(LATE, {"x": S(0, 0.5)}, lambda s, t: {"x": s.x + S(0, t)}).x
    ),
    "the price before, kept by an accumulator": lambda: (
        fold(
            T,
            {"before": S(0, 0), "most": 0.0},
            lambda s, t: {"before": S(0, t), "most": maximum(s.most, S(0, t) - s.before)},
        ).most
    ),
    "a date as a number": lambda: sum(T, lambda t: where(t < 0.5, S(0, t), t)),
}

REJECTED: dict[str, tuple[Callable[[], Expression], str]] = {
    "the last price in each step": (
        lambda: product(T, lambda t: S(0, t) - S(0, 1.0)),
        r"S\(0, 1\) is known at 1, the fold over t\d+ begins at 0.25: it would read the future; "
        r"take S\(0, 1\) out of the fold",
    ),
    "a price in the middle, guarded by the date": (
        lambda: sum(T, lambda t: where(t < 0.5, S(0, t), S(0, 0.5))),
        r"would read the future; split its dates T into two folds, over T.before\(0.5\) without "
        r"S\(0, 0.5\) and over T.since\(0.5\)",
    ),
    "a later fold in an earlier one": (
        lambda: sum(EARLY, lambda t: S(0, t) / minimum(LATE, lambda u: S(0, u))),
        "would read the future",
    ),
    "the price before, by its time": (
        lambda: maximum(T, lambda t: S(0, t) - S(0, t - 0.25)),
        r"S\(0, t\d+ - 0.25\) is at another time than its fold; an accumulator can keep an earlier",
    ),
    "two dates in a product": (
        lambda: sum(EARLY, lambda t: sum(LATE, lambda u: S(0, t) * S(0, u))),
        "depends on the dates t.* of two folds, which needs the whole path",
    ),
    "two dates, one by a name": (  # a naive check of stars accepts this one
        lambda: sum(EARLY, lambda t: let(0 + t, lambda x: sum(LATE, lambda u: x * S(0, u)))),
        "depends on the dates t.* of two folds, which needs the whole path",
    ),
    "an inner fold of the outer date alone": (
        lambda: sum(EARLY, lambda t: sum(LATE, lambda u: S(0, t))),
        "depends on the dates t.* of two folds",
    ),
    "an update of the outer date alone": (
        lambda: sum(EARLY, lambda t: fold(LATE, {"x": 0.0}, lambda s, u: {"x": S(0, t)}).x),
        "depends on the date t.* of another fold",
    ),
    "an initial value of the outer date": (
        lambda: sum(T, lambda t: fold(T, {"x": S(0, t)}, lambda s, u: {"x": s.x}).x),
        "depends on the date t.* of another fold",
    ),
}


@pytest.mark.parametrize("name", ACCEPTED)
def test_accepted(name: str) -> None:
    payoff = ACCEPTED[name]()
    assert timed(payoff).ready[payoff].time == 1.0


@pytest.mark.parametrize("name", REJECTED)
def test_rejected(name: str) -> None:
    payoff, said = REJECTED[name]
    with pytest.raises(PayoffError, match=said) as refused:
        timed(payoff())
    assert str(refused.value).startswith(f"{__file__}:")


def test_a_date_outside_of_its_fold_is_rejected() -> None:
    leaked: list[Any] = []
    sum(T, lambda t: leaked.append(t) or S(0, t))
    with pytest.raises(PayoffError, match=r"the date t\d+ is used outside of its fold"):
        timed(S(0, leaked[0]) + 1)


def test_the_times_of_a_payoff() -> None:
    assert times_read(nodes(S(0) - S(0, 0.125))) == (0.125, 1.0)
    assert times_read(nodes(sum(EARLY, lambda t: 1 * t))) == (0.25, 0.5)
    assert times_read(nodes(sum(EARLY, lambda t: S(0, t - 0.1)))) == (0.15, 0.25, 0.4, 0.5)
    assert times_read(nodes(S(0, 0.0))) == (1.0,)
