"""Prices from PTX on the interpreter: within four standard errors of the closed form, and the same
bits for every block and grid. Other blocks than the shipped kernel's need CuPy's compiler; nothing
needs a GPU."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from pricing_kernels import build, european
from pricing_kernels.contract import KernelContract
from pricing_kernels.engines import EngineError, simt
from pricing_kernels.european import European, Price
from pricing_kernels.gbm import Market, black_scholes

from . import engine

MARKET = Market(spot=100.0, rate=0.03, volatility=0.3)


def ptx(block: int = 256) -> str:
    try:
        return european.kernel(block).ptx()
    except build.BuildError as error:
        pytest.skip(str(error))


def sums(option: European, block: int, grid: int) -> tuple[np.ndarray, np.ndarray]:
    results = engine.run(ptx(block), european.launch(option, block, grid))
    return results["sums"], results["squares"]


def price(option: European, block: int = 256, grid: int = 8) -> Price:
    return european.estimate(*sums(option, block, grid), option.paths)


@pytest.mark.parametrize("call", [True, False])
@pytest.mark.parametrize(("strike", "steps"), [(105.0, 1), (80.0, 3), (100.0, 5)])
def test_the_price_of_a_european_option(call: bool, strike: float, steps: int) -> None:
    option = European(MARKET, strike, 1.0, call, paths=20_000, steps=steps, seed=7)
    estimate = price(option)
    exact = black_scholes(MARKET, strike, 1.0, call)
    assert abs(estimate.price - exact) < 4 * estimate.stderr, (estimate, exact)


@pytest.mark.parametrize(("block", "grid"), [(32, 1), (64, 3), (100, 2), (256, 40), (1024, 1)])
def test_the_bits_do_not_depend_on_the_launch(block: int, grid: int) -> None:
    option = European(MARKET, 105.0, 0.5, call=True, paths=2_500, steps=2, seed=1)
    one, other = sums(option, 256, 8), sums(option, block, grid)
    assert [part.tobytes() for part in one] == [part.tobytes() for part in other]


def test_the_kernel_adds_what_numpy_adds() -> None:
    """Up to the approximate functions: 1e-5 of a payoff, of which a segment has 256."""
    option = European(MARKET, 105.0, 1.0, call=True, paths=5_000, steps=4, seed=2**40 + 3)
    for of_kernel, of_numpy in zip(
        sums(option, 256, 5), european.segment_sums(option), strict=True
    ):
        np.testing.assert_allclose(of_kernel, of_numpy, rtol=1e-5)


def test_one_path_has_no_standard_error() -> None:
    option = European(MARKET, 105.0, 1.0, call=True, paths=1)
    estimate = price(option)
    assert estimate.price >= 0.0 and np.isnan(estimate.stderr)


def test_a_buffer_that_is_too_small_is_an_error() -> None:
    option = European(MARKET, 105.0, 1.0, call=True, paths=2_000)
    right = european.launch(option)
    squares = replace(right.contract.buffers["squares"], elements="segments - 1")
    contract = replace(right.contract, params={**right.contract.params, "squares": squares})
    with pytest.raises(EngineError, match=r"out-of-bounds: st\.global\.f64 at squares\+56"):
        simt.run(ptx(), replace(right, contract=contract))


def test_a_kernel_that_is_not_there_is_an_error() -> None:
    launch = KernelContract("absent", {}, (32,)).launch()
    with pytest.raises(EngineError, match="no kernel absent"):
        simt.run(".version 8.0\n.target sm_80\n.address_size 64\n", launch)
