"""Operations that may leave their domain are reported, and those that cannot are not."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable

import pytest

from pricing_kernels.payoffs import (
    Expression,
    S,
    black_scholes,
    dates,
    exp,
    fold,
    log,
    maximum,
    mean,
    minimum,
    price,
    product,
    products,
    sqrt,
    sum,
    where,
)
from pricing_kernels.payoffs.checks.domains import doubts
from pricing_kernels.payoffs.kernels import PayoffWarning, payoff_program

T = dates(4)
MODEL = black_scholes([100.0, 90.0], 0.03, 0.3)


def counted(guard: Callable[[Expression, Expression], Expression]) -> Expression:
    """Of a running sum and the number of dates so far."""
    return fold(
        T,
        {"sum": 0.0, "num": 0, "res": 0.0},
        lambda s, t: {
            "sum": s.sum + S(0, t),
            "num": s.num + 1,
            "res": s.res + guard(s.sum, s.num),
        },
    ).res


REPORTED: dict[str, tuple[Callable[[], Expression], str]] = {
    "log of a difference": (lambda: log(S(0) - S(1)), "may be -inf, expected positive"),
    "log of what may be 0": (lambda: log(maximum(S(0) - 100, 0)), "may be 0, expected positive"),
    "root of a difference": (lambda: sqrt(S(0) - 100), "may be -100, expected not negative"),
    "quotient by a difference": (lambda: 1 / (S(0) - S(1)), "may be 0, expected not 0"),
    "a long sum": (
        lambda: fold(dates(20_000), {"x": 0.0}, lambda s, t: {"x": 2.0 * t + s.x}).x,
        "a sum of 20000 reals in float32 may be wrong by 1 part in 838",
    ),
    "an integer of 33 bits": (
        lambda: where(S(0) > 1, 2**31 - 1, 0) + 1,
        "may be 2147483648, beyond an integer of 32 bits",
    ),
    "quotient by 0": (lambda: 1 / (S(0) - S(0)), "may be 0, expected not 0"),
    "0/0 at the first date": (
        lambda: counted(lambda total, num: total / num),
        r"real\(num\) is 0 at the first date, expected not 0",
    ),
    "a guard of another value": (
        lambda: where(S(1) > 1, 1 / (S(0) - 100), 0),
        "may be 0, expected not 0",
    ),
    "a guard on the wrong side": (
        lambda: where(S(0) > 100, 0, sqrt(S(0) - 100)),
        "may be -100, expected not negative",
    ),
    "used without its guard as well": (
        lambda: (lambda x: where(S(0) - 100 > 0, x, 0) + x)(log(S(0) - 100)),
        "expected positive",
    ),
}


@pytest.mark.parametrize("name", REPORTED)
def test_reported(name: str) -> None:
    payoff, said = REPORTED[name]
    with pytest.warns(PayoffWarning, match=said) as heard:
        payoff_program(payoff(), MODEL)
    assert [warning.filename for warning in heard] == [__file__]


def test_a_warning_is_at_the_line_of_the_payoff() -> None:
    def payoff() -> Expression:
        difference = S(0) - 100
        return log(difference)

    with pytest.warns(PayoffWarning) as heard:
        payoff_program(payoff(), MODEL)
    assert heard[0].lineno == inspect.getsourcelines(payoff)[1] + 2


SILENT: dict[str, Callable[[], Expression]] = {
    "logs of prices": lambda: log(S(0) / S(0, 0.5)) + log(S(0) * S(1)) + log(S(0) + 1),
    "root of a sum of squares": lambda: sqrt(sum(T, lambda t: (S(0, t) - S(1, t)) ** 2)),
    "root of a deviation": lambda: sqrt((S(0) - S(1)) ** 2 / 3),
    "log of a mean": lambda: log(mean(T, lambda t: S(0, t))),
    "log of the greatest": lambda: log(maximum(T, lambda t: S(0, t))),
    "log of the least": lambda: log(minimum(T, lambda t: S(0, t))),
    "log of a product": lambda: log(product(T, lambda t: S(0, t))),
    "quotient by an exponential": lambda: 1 / exp(S(0) - S(1)),
    "quotient by a count": lambda: 1 / sum(T, lambda t: where(t > 0, 1, 1)),
    "guarded": lambda: counted(lambda total, num: where(num > 0, total / num, 0.0)),
    "guarded by the contrary": lambda: counted(lambda a, n: where(n <= 0, 0.0, a / n)),
    "guarded beside": lambda: counted(
        lambda total, num: where((num > 0) & (total / num < 100), 1.0, 0.0)
    ),
    "guarded by a comparison with 0": lambda: (
        lambda x: where(x != 0, 1 / x, where(~(x < 0), sqrt(x), 0))
    )(S(0) - 100),
    "away from 0": lambda: 1 / (abs(S(0) - 100) + 1) + 1 / (-S(0) - 1) + sqrt(1 + S(0)),
    "an asian": lambda: products.asian_put(100, T),
    "correlations": lambda: products.correlation_swap(3, T),
    "realised variance": lambda: (
        fold(
            T,
            {"before": S(0, 0), "squares": 0.0},
            lambda s, t: {"before": S(0, t), "squares": s.squares + log(S(0, t) / s.before) ** 2},
        ).squares
    ),
}


@pytest.mark.parametrize("name", SILENT)
def test_not_reported(name: str) -> None:
    assert doubts(SILENT[name]()) == []


def test_a_price_warns_as_well() -> None:
    with pytest.warns(PayoffWarning, match="may be 0"):
        price(1 / (S(0) - 100), MODEL, paths=300)


def test_more_values_than_registers_are_told() -> None:
    model = black_scholes([100.0] * 20, 0.03, 0.3, correlation=0.5)
    with pytest.warns(PayoffWarning, match="a path keeps 270 values from date to date"):
        payoff_program(products.correlation_swap(20, T), model)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        payoff_program(products.everest(12), model)
