"""The back-ends agree bit for bit on random payoffs, from the same normal numbers."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

from pricing_kernels.engines import simt
from pricing_kernels.payoffs import S, black_scholes, dates, euler, fold, sum, where
from pricing_kernels.payoffs.backends import numpy as machine
from pricing_kernels.payoffs.backends.cuda import C_TYPES
from pricing_kernels.payoffs.backends.ptx.zones import TYPE_NAMES
from pricing_kernels.payoffs.kernels import PayoffProgram, payoff_program
from pricing_kernels.payoffs.language.expression import Expression
from pricing_kernels.payoffs.language.operators import OPERATORS
from ptxlint.isa.table import decode
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


def swapped() -> Expression:
    """Two accumulators that change places at each date."""
    start = {"a": S(0, 0), "b": 1.0}
    return fold(dates(3), start, lambda s, t: {"a": s.b, "b": s.a}).a


@pytest.mark.parametrize("by", ["kernel", pytest.param("cuda_kernel", marks=needs_compiler)])
def test_accumulators_change_all_at_once(by: str) -> None:
    program = payoff_program(swapped(), MODEL)
    assert set(by_numpy(program)) == {1.0}
    assert_agree(program, by)


def test_many_sets_of_rows_take_several_words() -> None:
    """40 dates, each read by a step of its own."""
    each = [S(0, k / 40) * (k % 7 + 1.5 * k) for k in range(1, 41)]
    payoff = each[0]
    for other in each[1:]:
        payoff = where(payoff > other, payoff, other)
    program = payoff_program(payoff, MODEL)
    assert program.program.set_words == 2
    assert_agree(program)


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
