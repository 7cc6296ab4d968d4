"""A contract says what a launch may be, once, to the emitter, the launcher and the linter."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from random import Random

import numpy as np
import pytest

from pricing_kernels import european
from pricing_kernels.catalogue import kernels
from pricing_kernels.contract import (
    ContractError,
    GlobalArray,
    KernelContract,
    KernelLaunch,
    Number,
    Scalar,
    evaluated,
)
from pricing_kernels.gbm import Market
from ptxlint.contracts.contract import Contract
from ptxlint.contracts.declaration import Requirement

SUMS = KernelContract(
    "sums",
    {
        "sums": GlobalArray(np.float64, "n + 1"),
        "values": GlobalArray(np.uint32, "2*n*m", const=True),
        "n": Scalar(np.uint32, 1, 4096),
        "m": Scalar(np.int32, 4, 64, multiple_of=4),
        "scale": Scalar(np.float32, 0.0, 1.0),
        "seed": Scalar(np.uint64, 0, 2**64 - 1),
    },
    (64, 2),
    ("n", "m"),
)
REQUIRES = "--assume m % 4 == 0 --assume nctaid.x*ntid.x >= n --assume nctaid.y*ntid.y >= m"
VALUES = {"n": 100, "m": 8, "scale": 0.5, "seed": 2**40}


def words(contract: Contract) -> str:
    return " ".join(word for pair in contract.options() for word in pair)


def test_the_emitter_writes_the_head() -> None:
    assert SUMS.head == (
        'extern "C" __global__ void __launch_bounds__(128) sums(double* sums, const unsigned* '
        "values, unsigned n, int m, float scale, unsigned long long seed)"
    )


def test_the_linter_hears_of_every_launch_that_is_allowed() -> None:
    assert words(SUMS.declared()) == (
        "--params sums,values,n,m,scale,seed --block 64x2 --arg n=1..4096 --arg m=4..64 "
        f"--arg seed=0..{2**64 - 1} --buffer sums=8*(n + 1) --buffer values=4*(2*n*m) {REQUIRES}"
    )


def test_the_linter_hears_of_one_launch() -> None:
    assert words(SUMS.launch(**VALUES).declared()) == (
        "--params sums,values,n,m,scale,seed --grid 2x4 --block 64x2 --arg n=100 --arg m=8 "
        "--arg scale=0.5 --arg seed=1099511627776 --buffer sums=8*(n + 1) "
        f"--buffer values=4*(2*n*m) {REQUIRES}"
    )


def test_the_launcher_makes_as_many_blocks_as_threads_need() -> None:
    assert SUMS.launch(**VALUES).grid == (2, 4)
    assert SUMS.launch((3, 4), **VALUES).grid == (3, 4)


def test_the_launcher_makes_arrays_of_the_right_size_and_type() -> None:
    arrays = SUMS.launch(**VALUES).arrays({"values": np.ones((2, 8, 100), np.uint32)})
    assert {name: (a.size, str(a.dtype)) for name, a in arrays.items()} == {
        "sums": (101, "float64"),
        "values": (1600, "uint32"),
    }


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"n": 0}, "sums: n: 0 is not in 1..4096"),
        ({"n": 4097}, "sums: n: 4097 is not in 1..4096"),
        ({"n": 1.5}, "sums: n: 1.5 is no integer"),
        ({"m": 6}, "sums: requires m % 4 == 0, given m=6"),
        ({"scale": 1.5}, "sums: scale: 1.5 is not in 0.0..1.0"),
        ({"scale": float("nan")}, "sums: scale: nan is not in 0.0..1.0"),
        ({"sead": 1}, "sums: no scalar sead, did you mean seed?"),
        ({"seed": None}, "sums: seed is missing"),
    ],
)
def test_a_launch_that_breaks_the_contract_is_refused(
    change: dict[str, float | None], said: str
) -> None:
    values = {name: v for name, v in {**VALUES, **change}.items() if v is not None}
    with pytest.raises(ContractError, match=f"^{said}".replace("?", "[?]")):
        SUMS.launch(**values)


def test_a_grid_that_leaves_threads_out_is_refused() -> None:
    given = "sums: requires nctaid.x*ntid.x >= n, given n=100, nctaid.x=1, ntid.x=64"
    with pytest.raises(ContractError, match=re.escape(given)):
        SUMS.launch((1, 4), **VALUES)


@pytest.mark.parametrize(
    ("name", "array", "said"),
    [
        ("values", np.ones(1599, np.uint32), "values is 1599 x uint32, expected 1600 x uint32"),
        ("sums", np.ones(101, np.float32), "sums is 101 x float32, expected 101 x float64"),
        ("sum", np.ones(101), "no buffer sum"),
    ],
)
def test_an_array_that_breaks_the_contract_is_refused(
    name: str, array: np.ndarray, said: str
) -> None:
    with pytest.raises(ContractError, match=said):
        SUMS.launch(**VALUES).arrays({name: array})


def test_tests_draw_launches_from_the_edges_of_every_range() -> None:
    edges = list(SUMS.edges(50))
    assert {(e["n"], e["m"]) for e in edges} == {(1, 4), (1, 48), (50, 4), (50, 48)}
    assert all(SUMS.launch(**edge) for edge in edges)


def test_edges_that_break_a_relation_are_left_out() -> None:
    scalars = {"n": Scalar(np.uint32, 1, 100), "m": Scalar(np.uint32, 1, 100)}
    contract = KernelContract("parts", scalars, (32,), relations=("n <= m",))
    assert [(e["n"], e["m"]) for e in contract.edges(50)] == [(1, 1), (1, 50), (50, 50)]


RELATIONS = [
    pytest.param(kernel.contract, text, id=f"{name}: {text}")
    for name, kernel in kernels().items()
    for text in kernel.contract.requires
]


@pytest.mark.parametrize(("contract", "text"), RELATIONS)
def test_a_launch_that_breaks_a_relation_is_refused(contract: KernelContract, text: str) -> None:
    """Drawn from the ranges and the grids until several break this one and no other."""
    found = list(islice(breaking(contract, text), 3))
    assert found
    for values, grid in found:
        with pytest.raises(ContractError, match=re.escape(f"requires {text}, given ")):
            contract.launch(grid, **values)


def breaking(
    contract: KernelContract, text: str
) -> Iterator[tuple[dict[str, Number], tuple[int, ...]]]:
    random = Random(text)
    for _ in range(20_000):
        values = {name: number(random, s) for name, s in contract.scalars.items()}
        following = {name: s.equals for name, s in contract.scalars.items() if s.equals}
        if random.random() < 0.5:
            values |= {name: evaluated(text, values) for name, text in following.items()}
        grid = tuple(2 ** random.randint(0, 15) for _ in contract.block)
        launch = KernelLaunch(contract, grid, values)
        if [each for each in contract.requires if not meets(launch, each)] == [text]:
            yield values, grid


def number(random: Random, of: Scalar) -> Number:
    """Small ones, great ones, and mostly those that other relations want."""
    if not of.integer:
        return of.low
    most = min(int(of.high), int(of.low) + 2 ** random.randint(0, 64))
    drawn = random.randint(int(of.low), most)
    return drawn - drawn % of.multiple_of * (random.random() < 0.7)


def meets(launch: KernelLaunch, text: str) -> bool:
    try:
        launch.meet(Requirement.of(text))
    except ContractError:
        return False
    return True


def test_a_price_from_too_few_segments_is_refused() -> None:
    """It would be 0.035, where 13.28 is right."""
    contract = kernels()["european"].contract
    whole = european.launch(european.European(Market(100.0, 0.05, 0.2), 100.0, 1.0, True, 100_000))
    assert whole.values["segments"] == 391
    for segments in (1, 390, 392):
        with pytest.raises(ContractError, match=r"european: requires segments == \(paths"):
            contract.launch((8,), **{**whole.values, "segments": segments})
