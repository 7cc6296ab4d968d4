"""Rewritten payoffs have the same mean; Greeks are those of the closed form."""

from __future__ import annotations

import math
from collections.abc import Callable

import pytest

from pricing_kernels.payoffs import (
    Expression,
    ModelError,
    PayoffError,
    S,
    black_scholes,
    dates,
    euler,
    fold,
    maximum,
    mean,
    price,
    products,
    sqrt,
    sum,
    where,
)
from pricing_kernels.payoffs.greeks import (
    delta,
    gamma,
    pathwise_delta,
    pathwise_rho,
    pathwise_vega,
    rho,
    vega,
)
from pricing_kernels.payoffs.kernels import payoff_program
from pricing_kernels.payoffs.variance import Rewritten, antithetic, importance

from .closed_forms import density, digital_call, normal_cdf

pytestmark = pytest.mark.filterwarnings("ignore::pricing_kernels.payoffs.kernels.PayoffWarning")

ONE = black_scholes(spot=100, rate=0.03, volatility=0.3)
TWO = black_scholes([100, 90], 0.03, [0.2, 0.3], correlation=0.4)
PUT = 10.3278618
D1 = (0.03 + 0.045) / 0.3
PATHS = 20_000
T = dates(4)

GREEKS: dict[str, tuple[Callable[[], Rewritten], float]] = {
    "delta": (lambda: delta(products.put(100), ONE), normal_cdf(D1) - 1.0),
    "gamma": (lambda: gamma(products.put(100), ONE), float(density(D1)) / 30.0),
    "vega": (lambda: vega(products.put(100), ONE), 100.0 * float(density(D1))),
    "rho": (
        lambda: rho(products.put(100), ONE, 1.0),
        -100.0 * math.exp(-0.03) * normal_cdf(0.3 - D1),
    ),
    "pathwise vega": (
        lambda: pathwise_vega(products.put(100), ONE, 1.0),
        100.0 * float(density(D1)),
    ),
    "pathwise rho": (
        lambda: pathwise_rho(products.put(100), ONE, 1.0),
        -100.0 * math.exp(-0.03) * normal_cdf(0.3 - D1),
    ),
    "pathwise delta": (lambda: pathwise_delta(products.put(100), ONE), normal_cdf(D1) - 1.0),
    "delta of a digital": (
        lambda: delta(products.digital_call(100), ONE),
        (digital_call(101, 100, 0.03, 0.3, 1.0) - digital_call(99, 100, 0.03, 0.3, 1.0)) / 2.0,
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", GREEKS)
def test_a_greek_of_the_closed_form(name: str) -> None:
    rewritten, exact = GREEKS[name]
    found = price(*rewritten(), paths=PATHS, seed=3)
    bias = 2e-3 * abs(exact)  # of the second order in the bump
    assert abs(found.price - exact) < 4 * found.stderr + bias, (found, exact)


SMOOTH: dict[str, Callable[[], Expression]] = {
    "Asian": lambda: products.asian_put(100, T),
    "geometric Asian": lambda: products.geometric_asian_put(100, T),
    "lookback": lambda: products.lookback_put(T),
    "spread": lambda: maximum(S(0) - S(1), 0) * S(1, 0.5) / 100 - abs(S(0) - 95),
    "root of squares": lambda: sqrt(
        fold(
            T,
            {"before": S(0, 0), "squares": 0.0, "count": 0},
            lambda s, t: {
                "before": S(0, t),
                "squares": s.squares + (S(0, t) - s.before) ** 2,
                "count": s.count + 1,
            },
        ).squares
    ),
    "by date": lambda: sum(T, lambda t: where(t < 0.6, S(0, t), 2 * S(0, t))),
    "not of this asset": lambda: where(S(1) > 90, S(0), 2 * S(0)),
}


@pytest.mark.parametrize("name", SMOOTH)
def test_the_pathwise_derivative_is_that_of_bumps(name: str) -> None:
    """From the same paths, so they differ by the error of the bump alone."""
    found = price(*pathwise_delta(SMOOTH[name](), TWO), paths=4_000)
    bumped = price(*delta(SMOOTH[name](), TWO), paths=4_000)
    assert found.price == pytest.approx(bumped.price, rel=0.02, abs=0.002)


CARRYING = black_scholes(
    [100, 90], lambda t: 0.02 + 0.01 * t, [0.2, 0.3], dividend=[0.01, 0.0], correlation=0.4
)


@pytest.mark.parametrize("name", sorted(SMOOTH.keys() - {"not of this asset"}))
def test_vega_and_rho_by_paths_are_those_of_bumps(name: str) -> None:
    """Over two years, under a curve of rates; the second asset has the vega."""
    payoff = SMOOTH[name]()
    pairs = [
        (pathwise_vega(payoff, CARRYING, 2.0, 1), vega(payoff, CARRYING, 1, 0.001)),
        (pathwise_rho(payoff, CARRYING, 2.0), rho(payoff, CARRYING, 2.0)),
    ]
    for by_paths, bumped in pairs:
        found = price(*by_paths, 2.0, paths=2_000).price
        assert found == pytest.approx(price(*bumped, 2.0, paths=2_000).price, rel=0.02, abs=0.01)


@pytest.mark.parametrize(
    ("greek", "said"),
    [
        (lambda p: delta(p, TWO, asset=2), "the model has no asset 2, it has 2"),
        (lambda p: pathwise_delta(p, TWO, asset=-1), "the model has no asset -1"),
        (lambda p: delta(p, TWO, bump=0.0), "a bump of 0 of the spot"),
        (lambda p: vega(p, TWO, bump=0.25), "a bump of 0.25 of the volatility"),
        (lambda p: rho(p, TWO, 1.0, bump=0.0), "a bump of 0 of the rate"),
        (lambda p: pathwise_vega(p, euler(TWO, 2), 1.0), "not that of Euler's scheme; use bumps"),
        (
            lambda p: pathwise_vega(p, black_scholes(100, 0.0, lambda t: 0.3), 1.0),
            "a pathwise vega is of a constant, positive volatility; vega takes bumps",
        ),
    ],
)
def test_a_greek_that_is_not_to_be_had_is_refused_at_its_line(
    greek: Callable[[Expression], Rewritten], said: str
) -> None:
    with pytest.raises(ModelError, match=said) as refused:
        greek(products.put(100))
    assert str(refused.value).startswith(f"{__file__}:")


@pytest.mark.parametrize(
    "payoff",
    [
        lambda: products.digital_call(100),
        lambda: products.days_above(100, T),
        lambda: products.down_and_out_put(100, 80, T),
        lambda: products.first_passage(90, T),
    ],
)
def test_a_payoff_that_jumps_has_no_pathwise_derivative(payoff: Callable[[], Expression]) -> None:
    with pytest.raises(PayoffError, match=r"jumps where prices cross a level: .* use bumps"):
        pathwise_delta(payoff(), ONE)


def test_a_derivative_and_its_payoff_may_be_priced_together() -> None:
    payoff = products.asian_put(100, T)
    derived, model = pathwise_delta(payoff, ONE)
    both = price(payoff + derived, model, paths=1_000)
    apart = price(payoff, ONE, paths=1_000).price + price(derived, model, paths=1_000).price
    assert both.price == pytest.approx(apart, rel=1e-5)


def test_a_constant_has_the_derivative_0() -> None:
    assert price(*pathwise_delta(S(0, 0) * 2 + S(1), TWO), paths=300).price == 2.0 * math.exp(-0.03)


def test_mirrored_paths_have_less_variance() -> None:
    plain = price(products.put(100), ONE, paths=PATHS)
    found = price(*antithetic(products.put(100), ONE), paths=PATHS)
    assert found.stderr < 0.6 * plain.stderr
    assert abs(found.price - PUT) < 4 * found.stderr


def test_a_change_of_measure_has_less_variance() -> None:
    """A put far out of the money, where the paths are moved to."""
    exact = price(*antithetic(products.put(60), ONE), paths=300_000, seed=5)
    plain = price(products.put(60), ONE, paths=PATHS)
    found = price(*importance(products.put(60), ONE, [-1.6]), paths=PATHS)
    assert found.stderr < 0.3 * plain.stderr
    assert abs(found.price - exact.price) < 4 * math.hypot(found.stderr, exact.stderr)


def test_a_change_of_measure_for_correlated_assets_with_a_curve() -> None:
    model = black_scholes([100, 90], 0.03, [0.2, lambda t: 0.3], correlation=0.4)
    payoff = products.basket_put(95, [0.5, 0.5])
    plain = price(payoff, model, paths=PATHS)
    found = price(*importance(payoff, model, [-0.5, -0.3]), paths=PATHS)
    assert found.stderr < plain.stderr
    assert abs(found.price - plain.price) < 4 * math.hypot(found.stderr, plain.stderr)


def test_a_control_takes_most_of_the_variance() -> None:
    """The geometric Asian put, whose price is known, controls the arithmetic one."""
    known = (products.geometric_asian_put(100, dates(12)), 6.7239770)
    found = price(products.asian_put(100, dates(12)), ONE, paths=PATHS, control=known)
    assert found.stderr < 0.003
    assert abs(found.price - 6.4118608) < 4 * found.stderr


def test_a_control_without_variance_does_nothing() -> None:
    found = price(mean(T, lambda t: S(0, t)), ONE, paths=300, control=(S(0, 0) * 0 + 1, 1.0))
    assert found == price(mean(T, lambda t: S(0, t)), ONE, paths=300)


def test_shifts_are_one_for_each_brownian_motion() -> None:
    with pytest.raises(ModelError, match="1 shifts for 2 Brownian motions"):
        importance(products.put(100), TWO, [0.1])
    assert importance(S(0), TWO, [0.0, 0.0])[1] is TWO


def test_assets_that_are_not_read_are_not_simulated() -> None:
    names = {r.name for r in payoff_program(S(1), TWO).program.registers}
    assert names == {"x1", "S1"}
