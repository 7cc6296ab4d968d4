"""The back-ends agree bit for bit on random payoffs, from the same normal numbers."""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np
import pytest

from pricing_kernels.engines import simt
from pricing_kernels.payoffs import S, black_scholes, dates, euler, fold, maximum, sum, where
from pricing_kernels.payoffs.backends import numpy as machine
from pricing_kernels.payoffs.backends.cuda import C_TYPES
from pricing_kernels.payoffs.backends.ptx.zones import TYPE_NAMES
from pricing_kernels.payoffs.kernels import PayoffProgram, payoff_program
from pricing_kernels.payoffs.language.operators import OPERATORS
from ptxlint.isa.table import decode
from tests.calls import calls_of
from tests.kernels.test_build import needs_compiler

from .programs import Payoffs

PATHS = 64
MODEL = black_scholes([100.0, 90.0, 120.0], 0.03, [0.2, 0.3, 0.4], correlation=0.5)


def drawn(seed: int) -> PayoffProgram:
    random = Random(seed)
    return payoff_program(Payoffs(random, random.randint(1, 3)).payoff(), MODEL)


def numbers(program: PayoffProgram) -> np.ndarray:
    rng = np.random.default_rng(program.program.rows)
    shape = (program.program.rows, program.program.normals, PATHS)
    return rng.standard_normal(shape).astype(np.float32)


def by_numpy(program: PayoffProgram) -> np.ndarray:
    return machine.run(program.program, program.inputs(1.0), numbers(program))


def by_ptx(program: PayoffProgram, by: str = "kernel") -> np.ndarray:
    kernel = getattr(program, by)("replay")
    launch = kernel.contract.launch(paths=PATHS)
    given = {"normals": numbers(program), "table": program.table(1.0)}
    return simt.run(kernel.ptx(), launch, given)["payoffs"]


def assert_agree(program: PayoffProgram, by: str = "kernel") -> None:
    np.testing.assert_array_equal(by_ptx(program, by), by_numpy(program))


@pytest.mark.parametrize("seed", range(60))
def test_ptx_is_numpy(seed: int) -> None:
    assert_agree(drawn(seed))


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(60, 1000))
def test_ptx_is_numpy_on_many(seed: int) -> None:
    assert_agree(drawn(seed))


@needs_compiler
@pytest.mark.parametrize("seed", range(6))
def test_cuda_c_is_numpy(seed: int) -> None:
    assert_agree(drawn(seed), "cuda_kernel")


@needs_compiler
@pytest.mark.slow
@pytest.mark.parametrize("seed", range(6, 506))
def test_cuda_c_is_numpy_on_many(seed: int) -> None:
    assert_agree(drawn(seed), "cuda_kernel")


@pytest.mark.parametrize("by", ["kernel", pytest.param("cuda_kernel", marks=needs_compiler)])
@pytest.mark.parametrize("read_before", [False, True])
def test_accumulators_change_all_at_once(by: str, read_before: bool) -> None:
    """Two that change places at each date; one is read by the update of a third as well."""
    start = {"a": S(0, 0), "b": 1.0, "less": 0}

    def update(s: Any, t: Any) -> dict[str, Any]:
        less = where(s.a < s.b, 1, 0) if read_before else s.less
        return {"less": less, "a": s.b, "b": s.a}

    swapped = fold(dates(3), {n: start[n] for n in ("less", "a", "b")}, update)
    program = payoff_program(swapped.a, MODEL)
    assert set(by_numpy(program)) == {1.0}
    assert_agree(program, by)
    assert_agree(payoff_program(swapped.less, MODEL), by)


def test_many_sets_of_rows_take_several_words() -> None:
    """40 dates, each read by a step of its own."""
    each = [S(0, k / 40) * (k % 7 + 1.5 * k) for k in range(1, 41)]
    payoff = each[0]
    for other in each[1:]:
        payoff = where(payoff > other, payoff, other)
    program = payoff_program(payoff, MODEL)
    assert program.program.set_words == 2
    assert_agree(program)


@pytest.mark.parametrize("count", [2, 5, 40])
def test_a_payoff_that_is_written_out_becomes_a_loop(count: int) -> None:
    """Date by date in Python, or by folds: the same bits, by as many steps for any number."""
    price = S(1, 1 / count)
    total, most, above = price, price, where(price > 100, 1, 0)
    for k in range(2, count + 1):
        price = S(1, k / count)
        total, most = total + price, maximum(most, price)
        above = where(price > 100, above + 1, above)
    out = payoff_program(total / most + above, MODEL)
    T = dates(count)  # noqa: N806
    folded = sum(T, lambda t: S(1, t)) / maximum(T, lambda t: S(1, t))
    days = sum(T, lambda t: where(S(1, t) > 100, 1, 0))
    np.testing.assert_array_equal(by_numpy(out), by_numpy(payoff_program(folded + days, MODEL)))
    assert_agree(out)
    assert len(out.program.inside) <= 5


def test_equal_code_at_odd_and_even_dates_becomes_two_steps() -> None:
    found = S(0, 0.0)
    for k in range(1, 21):
        found = maximum(found, S(0, k / 20)) if k % 2 else found - S(1, k / 20)
    program = payoff_program(found, MODEL)
    assert_agree(program)
    assert len(program.program.inside) <= 5


def test_dates_are_factored_in_work_linear_in_them() -> None:
    def work(count: int) -> int:
        found = S(0, 1 / count)
        for k in range(2, count + 1):
            found = maximum(found, S(0, k / count)) + 1
        return calls_of(lambda: payoff_program(found, MODEL))

    assert work(4000) < 4.2 * work(1000)


def test_eulers_scheme_agrees() -> None:
    payoff = sum(dates(3), lambda t: S(0, t) - S(2, t))
    assert_agree(payoff_program(payoff, euler(MODEL, 5)))


@pytest.mark.parametrize("name", OPERATORS)
def test_an_operator_is_one_instruction(name: str) -> None:
    operator = OPERATORS[name]
    assert set(operator.takes) == set(operator.c) <= set(TYPE_NAMES) == set(C_TYPES)
    for opcode in operator.ptx.values():
        word, *modifiers = opcode.split(".")
        assert decode(word, tuple(modifiers)) is not None
