"""Payoffs that one pass over the path does not compute: the path is stored, with a warning."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from random import Random

import numpy as np
import pytest

from pricing_kernels.lint import lint
from pricing_kernels.payoffs import (
    EngineError,
    Expression,
    PayoffError,
    PayoffWarning,
    S,
    by_date,
    dates,
    euler,
    fold,
    let,
    maximum,
    mean,
    minimum,
    price,
    product,
    sqrt,
    sum,
    times,
    where,
)
from pricing_kernels.payoffs.backends import numpy as machine
from pricing_kernels.payoffs.checks.reads import times_read
from pricing_kernels.payoffs.kernels import PayoffProgram, payoff_program
from pricing_kernels.payoffs.language.walk import nodes
from pricing_kernels.payoffs.variance import antithetic
from tests.kernels.test_build import needs_compiler

from .evaluation import evaluated
from .programs import Payoffs
from .test_backends import MODEL, assert_agree, by_numpy, numbers

pytestmark = pytest.mark.filterwarnings("ignore::pricing_kernels.payoffs.kernels.PayoffWarning")

T = dates(4)
EARLY, LATE = times([0.25, 0.5]), times([0.5, 0.75, 1.0])
LEVEL = by_date(T, [90.0, 100.0, 95.0, 105.0])

PAYOFFS: dict[str, Callable[[], Expression]] = {
    "the last price in each step": lambda: product(T, lambda t: (S(0, t) - S(0, 1.0)) / 10),
    "a move of a constant length": lambda: maximum(dates(10), lambda t: S(0, t) - S(1, t - 0.1)),
    "between two dates": lambda: sum(dates(3), lambda t: S(0, t) - S(0, t - 0.2)),
    "a later price": lambda: sum(EARLY, lambda t: S(0, t + 0.25) - S(0, t)),
    "two dates in a product": lambda: sum(EARLY, lambda t: sum(LATE, lambda u: S(0, t) * S(1, u))),
    "two dates, one by a name": lambda: sum(
        EARLY, lambda t: let(0 + t, lambda x: sum(LATE, lambda u: x * S(0, u)))
    ),
    "the deviation of the prices": lambda: sqrt(
        sum(T, lambda t: (S(0, t) - mean(T, lambda u: S(0, u))) ** 2) / 3
    ),
    "a price in the middle, guarded by the date": lambda: sum(
        T, lambda t: where(t < 0.5, S(0, t), S(0, 0.5))
    ),
    "the greatest fall from a later date on": lambda: maximum(
        T, lambda t: S(0, t) - minimum(T, lambda u: where(u >= t, S(0, u), math.inf))
    ),
    "numbers of both dates": lambda: sum(
        T, lambda t: sum(T, lambda u: where((u > t) & (S(0, u) > LEVEL[t]), LEVEL[u], S(2, t)))
    ),
    "accumulators that change places": lambda: (
        fold(
            T,
            {"a": S(0, 1.0), "b": 1.0, "days": 0},
            lambda s, t: {
                "a": s.b,
                "b": s.a,
                "days": s.days + sum(T, lambda u: where(S(0, u) > S(0, t), 1, 0)),
            },
        ).days
        * 1.0
    ),
}


def by_definition(payoff: Expression, program: PayoffProgram) -> np.ndarray:
    """Its value from the prices, which payoffs of one pass give at the same rows."""
    over = times_read(nodes(payoff))
    prices = {}
    for asset in range(len(MODEL.assets)):
        for time in (0.0, *over):
            one = S(asset, time) + 0 * sum(times(over), lambda t: S(0, t))
            z = numbers(program)[:, : payoff_program(one, MODEL).program.normals]
            found = payoff_program(one, MODEL)
            prices[asset, time] = machine.run(found.program, found.inputs(1.0), z)
    return evaluated(payoff, prices)


@pytest.mark.parametrize("name", PAYOFFS)
def test_the_definition_is_computed(name: str) -> None:
    payoff = PAYOFFS[name]()
    program = payoff_program(payoff, MODEL)
    assert program.program.stored
    np.testing.assert_array_equal(by_numpy(program), by_definition(payoff, program))
    assert_agree(program)


@pytest.mark.parametrize("name", ["between two dates", "numbers of both dates"])
def test_every_access_is_proved_for_every_launch(name: str) -> None:
    kernel = payoff_program(PAYOFFS[name](), MODEL).kernel()
    code, said = lint(kernel, require=["bounds", "alignment", "spaces", "barriers"])
    assert code == 0 and said.startswith("no findings"), said


def drawn(seed: int) -> Expression:
    random = Random(seed)
    return Payoffs(random, random.randint(1, 3), whole=True).payoff() * 1.0


def assert_is_its_definition(payoff: Expression, by: str) -> None:
    program = payoff_program(payoff, MODEL)
    np.testing.assert_array_equal(by_numpy(program), by_definition(payoff, program))
    assert_agree(program, by)


@pytest.mark.parametrize("seed", range(12))
def test_random_payoffs(seed: int) -> None:
    assert_is_its_definition(drawn(seed), "kernel")


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(12, 520))
def test_many_random_payoffs(seed: int) -> None:
    assert_is_its_definition(drawn(seed), "kernel")


@needs_compiler
@pytest.mark.parametrize("name", ["a move of a constant length", "numbers of both dates"])
def test_in_cuda_c(name: str) -> None:
    assert_agree(payoff_program(PAYOFFS[name](), MODEL), "cuda_kernel")


@needs_compiler
@pytest.mark.slow
@pytest.mark.parametrize("seed", range(100))
def test_random_payoffs_in_cuda_c(seed: int) -> None:
    assert_is_its_definition(drawn(seed), "cuda_kernel")


def test_a_warning_stands_at_the_line_and_says_how_one_pass_would_do() -> None:
    payoff = sum(T, lambda t: S(0, t) * S(0, 1.0))
    with pytest.warns(PayoffWarning, match="take .* out of the fold. The path is stored") as heard:
        payoff_program(payoff, MODEL)
    assert heard[0].filename == __file__


def test_one_pass_computes_the_same() -> None:
    """The move from date to date, by a lag and by an accumulator: the same bits."""
    lagging = maximum(dates(10), lambda t: S(0, t) - S(0, t - 0.1))
    keeping = fold(
        dates(10),
        {"before": S(0, 0), "most": -math.inf},
        lambda s, t: {"before": S(0, t), "most": maximum(s.most, S(0, t) - s.before)},
    ).most
    found = [price(payoff, MODEL, paths=500) for payoff in (lagging, keeping)]
    assert found[0] == found[1]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert not payoff_program(keeping, MODEL).program.stored


def test_eulers_scheme_and_mirrored_paths_store_paths_as_well() -> None:
    payoff = maximum(T, lambda t: S(0, t) - S(2, t - 0.25))
    assert_agree(payoff_program(payoff, euler(MODEL, 3)))
    plain = price(payoff, MODEL, paths=4_000)
    found = price(*antithetic(payoff, MODEL), paths=4_000)
    assert abs(plain.price - found.price) < 4 * math.hypot(plain.stderr, found.stderr)


@pytest.mark.parametrize(
    ("payoff", "said"),
    [
        (lambda: sum(T, lambda t: S(0, t - 0.3)), r"would read the time -0.05, which is not in"),
        (lambda: sum(T, lambda t: S(0, t + 0.1)), r"would read the time 1.1, which is not in"),
        (lambda: sum(T, lambda t: S(0, 0.5 * t)), r"the time 0.5 \* t\d+ is computed"),
        (lambda: sum(T, lambda t: S(0, t + S(0, t))), r"is computed: S takes a constant"),
    ],
)
def test_a_time_that_is_no_date_is_refused_at_its_line(
    payoff: Callable[[], Expression], said: str
) -> None:
    with pytest.raises(PayoffError, match=said) as refused:
        payoff()
    assert str(refused.value).startswith(f"{__file__}:")


def test_paths_that_the_interpreter_cannot_hold_are_refused() -> None:
    payoff = sum(dates(40_000), lambda t: S(0, t) * S(0, 1.0))
    with pytest.raises(EngineError, match=r"interpreter lacks memory: .* bytes of local memory"):
        price(payoff, MODEL, paths=100_000)


def test_a_path_that_a_thread_cannot_hold_is_refused() -> None:
    payoff = sum(dates(140_000), lambda t: S(0, t) * S(0, 1.0))
    with pytest.raises(PayoffError, match="140001 prices of a path take 560004 bytes"):
        payoff_program(payoff, MODEL)
