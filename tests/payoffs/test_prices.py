"""Prices by the emitted PTX on the interpreter, within four standard errors of references that do
not come from simulation; the same bits however the paths are divided."""

from __future__ import annotations

import math
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

from pricing_kernels import gbm
from pricing_kernels.draws import normal_numbers
from pricing_kernels.payoffs import (
    EngineError,
    Expression,
    ModelError,
    PayoffError,
    PayoffPrice,
    S,
    black_scholes,
    bridge,
    by_date,
    dates,
    euler,
    exp,
    fold,
    log,
    maximum,
    price,
    products,
    sum,
    times,
    where,
)
from pricing_kernels.payoffs.backends import numpy as machine
from pricing_kernels.payoffs.kernels import payoff_program
from pricing_kernels.payoffs.machine.dynamics import Model
from pricing_kernels.payoffs.models.lognormal import Lognormal
from pricing_kernels.payoffs.simulation import SEGMENT, tree_sums

from .closed_forms import digital_call, down_and_out_put, lookback_put

ONE = black_scholes(spot=100, rate=0.03, volatility=0.3)
EVEREST = [black_scholes([100.0] * 12, 0.03, 0.3, correlation=rho) for rho in (0.0, 0.5)]
FLAT = black_scholes([100.0] * 20, 0.0, 0.3, dividend=-0.045, correlation=0.5)
PATHS = 20_000

pytestmark = pytest.mark.filterwarnings("ignore::pricing_kernels.payoffs.kernels.PayoffWarning")

Reference = tuple[Callable[[], Expression], Model, float, float]

REFERENCES: dict[str, Reference] = {
    "put": (lambda: products.put(100), ONE, 1.0, 10.3278618),
    "call": (
        lambda: products.call(105),
        ONE,
        0.5,
        gbm.black_scholes(gbm.Market(100.0, 0.03, 0.3), 105.0, 0.5, True),
    ),
    "arithmetic Asian 12": (lambda: products.asian_put(100, dates(12)), ONE, 1.0, 6.4118608),
    "arithmetic Asian 50": (lambda: products.asian_put(100, dates(50)), ONE, 1.0, 6.1351193),
    "arithmetic Asian 252": (lambda: products.asian_put(100, dates(252)), ONE, 1.0, 6.0648575),
    "geometric Asian 12": (
        lambda: products.geometric_asian_put(100, dates(12)), ONE, 1.0, 6.7239770
    ),
    "geometric Asian 50": (
        lambda: products.geometric_asian_put(100, dates(50)), ONE, 1.0, 6.4506399
    ),
    "Everest, independent": (products.everest, EVEREST[0], 10.0, 0.896458),
    "Everest, correlated": (products.everest, EVEREST[1], 10.0, 1.027659),
    "correlation swap 12": (
        lambda: products.correlation_swap(20, dates(12)), FLAT, 1.0, 0.4840600
    ),
    "digital": (
        lambda: products.digital_call(110), ONE, 1.0, digital_call(100, 110, 0.03, 0.3, 1.0)
    ),
    "barrier": (
        lambda: products.down_and_out_put(100, 80, dates(12)),
        ONE,
        1.0,
        down_and_out_put(100, 100, 80, 0.03, 0.3, 12),
    ),
    "lookback": (
        lambda: products.lookback_put(dates(12)), ONE, 1.0, lookback_put(100, 0.03, 0.3, 12)
    ),
    "days above": (
        lambda: products.days_above(110, dates(4)),
        ONE,
        1.0,
        math.exp(-0.03)
        * math.fsum(
            math.exp(0.03 * t) * digital_call(100, 110, 0.03, 0.3, t) for t in (0.25, 0.5, 0.75, 1)
        ),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", REFERENCES)
def test_the_price_of_a_product(name: str) -> None:
    payoff, model, maturity, reference = REFERENCES[name]
    found = price(payoff(), model, maturity, paths=PATHS, seed=7)
    assert abs(found.price - reference) < 4 * found.stderr, (found, reference)


def test_first_passage_is_the_least_date() -> None:
    """By numpy from the same paths."""
    payoff = products.first_passage(90, dates(4))
    program = payoff_program(payoff, ONE)
    z = normal_numbers(3, np.arange(500, dtype=np.uint32), 4, 1)[:, 0]
    x = np.cumsum((0.03 - 0.045) / 4 + 0.3 / 2 * z.astype(float), axis=0)
    below = 100 * np.exp(x) <= 90
    first = np.where(below.any(0), (below.argmax(0) + 1) / 4, 1.0)
    np.testing.assert_allclose(machine.run(program.program, program.inputs(1.0), z[:, None]), first)


def test_numbers_by_date_are_read_at_their_dates() -> None:
    """What is paid at the first date below the barrier of that date, by numpy."""
    levels = [70.0, 80.0, 90.0, 100.0]
    over = dates(4)
    barrier = by_date(over, levels)
    payoff = fold(
        over,
        {"alive": 1.0, "paid": 0.0},
        lambda s, t: {
            "alive": where(S(0, t) < barrier[t], 0.0, s.alive),
            "paid": s.paid + where(S(0, t) < barrier[t], s.alive * (100 - S(0, t)), 0.0),
        },
    ).paid
    z = normal_numbers(3, np.arange(500, dtype=np.uint32), 4, 1)[:, 0]
    prices = 100 * np.exp(np.cumsum((0.03 - 0.045) / 4 + 0.3 / 2 * z.astype(float), axis=0))
    below = prices < np.array(levels)[:, None]
    first = below.argmax(0)
    expected = np.where(below.any(0), 100 - prices[first, np.arange(500)], 0.0)
    program = payoff_program(payoff, ONE)
    found = machine.run(program.program, program.inputs(1.0), z[:, None])
    np.testing.assert_allclose(found, expected, atol=1e-3)


def test_a_basket_of_independent_assets() -> None:
    """A geometric basket is lognormal: its put has a closed form."""
    model = black_scholes([100.0, 80.0, 120.0], 0.03, [0.2, 0.3, 0.4], correlation=0.3)
    logarithm = (log(S(0)) + log(S(1)) + log(S(2))) / 3
    payoff = maximum(95 - exp(logarithm), 0)
    variances = np.outer([0.2, 0.3, 0.4], [0.2, 0.3, 0.4]) * np.where(np.eye(3) == 1, 1.0, 0.3)
    volatility = math.sqrt(variances.sum()) / 3
    spot = (100.0 * 80.0 * 120.0) ** (1 / 3)
    drift = 0.03 - 0.5 * float(np.diag(variances).mean())
    grown = spot * math.exp(drift + 0.5 * volatility**2 - 0.03)
    exact = gbm.black_scholes(gbm.Market(grown, 0.03, volatility), 95.0, 1.0, False)
    found = price(payoff, model, paths=PATHS, seed=1)
    assert abs(found.price - exact) < 4 * found.stderr, (found, exact)


def test_rates_and_volatilities_may_depend_on_time() -> None:
    """Only their integrals matter: 0.03 t and 0.3^2 t at one year."""
    model = black_scholes(100, lambda t: 0.06 * t, lambda t: 0.3 * math.sqrt(2 * t))
    curved = price(products.put(100), model, paths=PATHS, seed=7)
    flat = price(products.put(100), ONE, paths=PATHS, seed=7)
    assert curved.price == pytest.approx(flat.price, rel=1e-5)


def test_eulers_scheme_has_an_error_of_first_order() -> None:
    """The mean of the price after one year is 100 (1 + r/n)^n, below 100 e^r."""
    for steps in (1, 4):
        found = price(S(0), euler(black_scholes(100, 0.5, 0.1), steps), paths=PATHS, seed=2)
        exact = 100 * (1 + 0.5 / steps) ** steps * math.exp(-0.5)
        assert abs(found.price - exact) < 4 * found.stderr, (found, exact)


def asian(**options: object) -> PayoffPrice:
    payoff = products.asian_put(100, dates(3))
    return price(payoff, ONE, paths=3_000, seed=2**40 + 1, **options)  # type: ignore[arg-type]


@pytest.mark.parametrize("grid", [1, 3, 12])
def test_the_bits_do_not_depend_on_the_grid(grid: int) -> None:
    assert asian(grid=grid) == asian()


@pytest.mark.parametrize("pool", [ThreadPoolExecutor, ProcessPoolExecutor])
def test_the_bits_do_not_depend_on_who_runs_the_parts(
    pool: type[ThreadPoolExecutor], monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = asian()
    monkeypatch.setitem(
        __import__("pricing_kernels.payoffs.pricing", fromlist=["x"]).SEGMENTS_A_LAUNCH, "simt", 5
    )
    heard: list[tuple[int, int]] = []
    with pool(2) as executor:
        assert asian(executor=executor, progress=lambda *done: heard.append(done)) == whole
    assert heard == [(1280, 3000), (2560, 3000), (3000, 3000)]


def test_the_kernel_adds_what_numpy_adds() -> None:
    """Up to the approximate functions of the normal numbers: 1e-5 of a payoff."""
    program = payoff_program(products.asian_put(100, dates(5)), ONE)
    z = normal_numbers(9, np.arange(4 * SEGMENT, dtype=np.uint32), 5, 1)
    payoffs = machine.run(program.program, program.inputs(1.0), z).astype(np.float64)
    mean = tree_sums(payoffs.reshape(-1, SEGMENT)).sum() / (4 * SEGMENT) * math.exp(-0.03)
    found = price(products.asian_put(100, dates(5)), ONE, paths=4 * SEGMENT, seed=9)
    assert found.price == pytest.approx(mean, rel=1e-5)


def test_one_path_has_no_standard_error() -> None:
    found = price(S(0), ONE, paths=1)
    assert found.price > 0 and math.isnan(found.stderr)


def test_the_picture_of_a_price_ends_at_the_price(tmp_path: Path) -> None:
    found = price(products.put(100), ONE, paths=10_000)
    assert [p.paths for p in found.running] == [*range(256, 10_000, 256), 10_000]
    assert found.running[-1] == found
    assert found.running[3] == price(products.put(100), ONE, paths=1024)
    found.plot(tmp_path / "put.svg")
    picture = ElementTree.parse(tmp_path / "put.svg").getroot()
    (line,) = (each for each in picture if each.tag.endswith("polyline"))
    (last,) = (each for each in picture if "stroke-dasharray" in each.attrib)
    points = [tuple(map(float, pair.split(","))) for pair in line.attrib["points"].split()]
    assert len(points) == len(found.running) and points == sorted(points)
    assert last.attrib["d"].startswith(f"M70 {points[-1][1]}H")


def test_the_end_of_a_bridge_does_not_depend_on_the_dates_before() -> None:
    """One number decides it; the law of the dates between is that of the exact step."""
    payoff = products.put(100)
    other = payoff + 0 * sum(dates(5), lambda t: S(0, t))
    alone, among = (price(each, bridge(ONE), paths=PATHS, seed=2) for each in (payoff, other))
    assert among.price == pytest.approx(alone.price, rel=1e-5)
    assert abs(alone.price - 10.3278618) < 4 * alone.stderr


def test_a_bridge_has_the_covariances_of_the_exact_step() -> None:
    """Of the logarithms of two correlated assets at two dates, from 20,000 paths."""
    model = bridge(black_scholes([100, 90], 0.03, [0.2, 0.3], correlation=0.4))
    columns = []
    for asset, time in ((0, 0.25), (0, 0.75), (1, 0.25), (1, 1.0)):
        payoff = S(asset, time) + 0 * sum(times([0.25, 0.75, 1.0]), lambda t: S(0, t) + S(1, t))
        made = payoff_program(payoff, model)
        z = normal_numbers(5, np.arange(PATHS, dtype=np.uint32), made.program.rows, 2)
        columns.append(np.log(machine.run(made.program, made.inputs(1.0), z).astype(float)))
    steps = np.array([[0.25, 0.25, 0.25, 0.25], [0.25, 0.75, 0.25, 0.75],
                      [0.25, 0.25, 0.25, 0.25], [0.25, 0.75, 0.25, 1.0]])  # fmt: skip
    sigma = np.array([0.2, 0.2, 0.3, 0.3])
    rho = np.where(np.add.outer([0, 0, 1, 1], [0, 0, 1, 1]) == 1, 0.4, 1.0)
    exact = steps * np.outer(sigma, sigma) * rho
    deviation = np.sqrt((np.outer(np.diag(exact), np.diag(exact)) + exact**2) / PATHS)
    assert (np.abs(np.cov(columns) - exact) < 4 * deviation).all()


@pytest.mark.parametrize("name", ["arithmetic Asian 12", "Everest, correlated", "lookback"])
def test_the_price_of_a_product_by_a_bridge(name: str) -> None:
    payoff, model, maturity, reference = REFERENCES[name]
    assert isinstance(model, Lognormal)
    found = price(payoff(), bridge(model), maturity, paths=PATHS, seed=7)
    assert abs(found.price - reference) < 4 * found.stderr, (found, reference)


def test_an_interval_holds_its_price() -> None:
    low, high = PayoffPrice(10.0, 0.1, 1000).interval(0.95)
    assert (low, high) == pytest.approx((10 - 0.1959964, 10 + 0.1959964))


@pytest.mark.parametrize(
    ("call", "error", "said"),
    [
        (lambda: price(S(0), ONE, paths=0), PayoffError, "paths 0, expected an integer from 1 to"),
        (lambda: price(S(0), ONE, paths=1e5), PayoffError, "paths 100000.0, expected an integer"),  # type: ignore[arg-type]
        (lambda: price(S(0), ONE, seed=-1), PayoffError, "seed -1, expected an integer from 0"),
        (lambda: price(S(0), ONE, grid=-1), PayoffError, "grid -1, expected an integer from 1"),
        (lambda: price(5, ONE), PayoffError, "5 is no payoff: expected an expression"),  # type: ignore[arg-type]
        (lambda: price(S(0), 5), ModelError, r"5 is no model: expected one, as black_scholes"),  # type: ignore[arg-type]
        (lambda: price(S(0), ONE, "1y"), ModelError, "maturity '1y', expected a positive"),  # type: ignore[arg-type]
        (lambda: price(S(0), ONE, control=S(0)), PayoffError, "expected a payoff and its price"),  # type: ignore[arg-type]
        (
            lambda: price(S(0) - S(0, 0.5), euler(ONE, 2**20)),
            PayoffError,
            "2097152 steps to the maturity, expected at most 1048576",
        ),
        (lambda: PayoffPrice(1.0, 1.0, 9).interval(2), PayoffError, "a confidence of 2, expected"),
        (lambda: black_scholes("100", 0.0, 0.1), ModelError, "spot '100', expected a number"),  # type: ignore[arg-type]
        (lambda: black_scholes([], 0.0, 0.1), ModelError, "no spot, expected one for each asset"),
        (lambda: black_scholes(100, math.nan, 0.1), ModelError, "rate nan, expected a finite"),
        (lambda: black_scholes(100, 0, 0.1, math.inf), ModelError, "dividend inf, expected a fin"),
        (
            lambda: black_scholes([1, 2], 0, 0.1, 0.0, "x"),
            ModelError,
            "'x' is no matrix of numbers",
        ),
        (
            lambda: price(S(0), black_scholes(100, 0.03, lambda t: t - 0.5), paths=9),
            ModelError,
            "the squared volatility is nan at 0.0198551 years",
        ),
        (
            lambda: price(S(0), black_scholes(100, lambda t: "x", 0.3), paths=9),  # type: ignore[arg-type,return-value]
            ModelError,
            "the rate has no number at some time: could not convert",
        ),
        (lambda: bridge(euler(ONE, 2)), ModelError, "a Brownian bridge is exact"),
        (
            lambda: price(maximum(log(S(0) - 100), 0), ONE, paths=300),
            PayoffError,
            "165 of 300 paths pay no finite number",
        ),
        (lambda: price(S(0), ONE, 0.0), ModelError, "maturity 0.0, expected a positive"),
        (lambda: price(S(0) > 1, ONE), PayoffError, "is boolean, expected a number"),
        (lambda: price(S(1), ONE), ModelError, "the payoff reads 2 assets, of 1"),
        (lambda: price(S(0), ONE, engine="gpu"), EngineError, "no engine 'gpu'"),
        (lambda: black_scholes(100, 0.03, -0.1), ModelError, "volatility -0.1, expected"),
        (lambda: black_scholes(-1, 0.03, 0.1), ModelError, "spot -1, expected"),
        (lambda: black_scholes([1, 2], 0.0, [0.1]), ModelError, "1 numbers for 2 assets"),
        (
            lambda: black_scholes([1, 2, 3], 0.0, 0.1, correlation=-0.6),
            ModelError,
            "not positive semidefinite: its smallest eigenvalue is -0.2",
        ),
        (
            lambda: black_scholes([1, 2], 0.0, 0.1, correlation=[[1, 0.5], [0.4, 1]]),
            ModelError,
            "no symmetric matrix of 2 x 2",
        ),
        (lambda: euler(ONE, 0), ModelError, "0 steps between dates"),
        (
            lambda: price(1 / (S(0) - S(0)), ONE, paths=300),
            PayoffError,
            "300 of 300 paths pay no finite number",
        ),
        (
            lambda: price(log(sum(dates(2), lambda t: S(0, t)) - 200), ONE, paths=300),
            PayoffError,
            "of 300 paths pay no finite number: there is no price",
        ),
    ],
)
def test_bad_input_is_refused(
    call: Callable[[], object], error: type[Exception], said: str
) -> None:
    with pytest.raises(error, match=said):
        call()


def test_a_singular_correlation_is_accepted() -> None:
    model = black_scholes([100, 100], 0.03, 0.3, correlation=1.0)
    found = price(abs(S(0) - S(1)), model, paths=256)
    assert found.price == 0.0
