"""A guarded kernel refuses launches that do not meet what it needs, with the reason."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

import ptxlint
import ptxlint.cupy
from ptxlint.contracts.compiled_check import Given, LaunchGuard
from ptxlint.contracts.contract import Contract
from ptxlint.contracts.launch import Allocation, ConcreteLaunch
from ptxlint.contracts.launch_check import check_launch
from ptxlint.extraction import cuda

nvrtc = pytest.mark.skipif(cuda.nvrtc_library() is None, reason="no NVRTC")
COPY = r"""
extern "C" __global__ void copy(const float* x, float* y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = x[i];
}
"""


def arrays(*counts: int) -> list[Any]:
    return [np.ones(count, np.float32) for count in counts]


@nvrtc
def test_a_launch_that_meets_the_contract_happens() -> None:
    copy = ptxlint.guard(ptxlint.cupy.RawKernel(COPY, "copy"))
    x, y = arrays(100, 100)
    y[:] = 0
    copy((1,), (128,), (x, y, 100))
    assert np.array_equal(x, y)
    assert copy.name == "copy"


@nvrtc
@pytest.mark.parametrize(
    ("sizes", "count", "reason"),
    [
        ((100, 99), 100, "copy: y has 396 bytes, requires 400"),
        ((99, 100), 100, "copy: x has 396 bytes, requires 400"),
    ],
)
def test_a_launch_that_does_not_is_refused(sizes: Any, count: int, reason: str) -> None:
    copy = ptxlint.guard(ptxlint.cupy.RawKernel(COPY, "copy"))
    x, y = arrays(*sizes)
    y[:] = 0
    with pytest.raises(ptxlint.LaunchRefused) as refused:
        copy((1,), (128,), (x, y, count))
    assert reason in str(refused.value)
    assert not y.any()


CONTRACT = Contract(
    params="n: s32,m: u32,x,y,z",
    requires=["n <= 2**10", "n % 4 == 0 and nctaid.x*ntid.x >= n", "min(n, m) >= 0"],
    buffers={"x": "4*n@16", "y": "4*max(n, m)", "z": "m - 7"},
    distinct=["x, y", "y, z or same"],
    writes="y",
    shared="4*ntid.x",
)
NAMES = ("n", "m", "x", "y", "z")


def test_the_compiled_check_says_yes_only_where_the_plain_one_does() -> None:
    guard = LaunchGuard.of(CONTRACT, NAMES, ("x", "y", "z"))
    chance, agreed = random.Random(7), 0
    for _ in range(2000):
        n, m = chance.choice([-4, 0, 1, 4, 64, 2**10, 2**11]), chance.choice([0, 8, 64, 2**33])
        memory = [
            (chance.choice([0, 16, 256, 4096, 65536]), chance.choice([0, 64, 256, 4096]))
            for _ in "xyz"
        ]
        given: list[Given] = [n, m, *memory]
        grid, block = (chance.choice([1, 4, 64]), 1, 1), (chance.choice([1, 32]), 1, 1)
        shared = chance.choice([0, 128])
        launch = ConcreteLaunch(
            grid, block, shared, (n, m, *(Allocation(s, address=a) for a, s in memory)), NAMES
        )
        plain = check_launch(CONTRACT, launch)
        assert guard.refusals(grid, block, shared, given) == plain
        if guard.surely(grid, block, shared, given):
            assert plain == []
            agreed += 1
    assert agreed > 5


def test_an_argument_of_another_kind_is_refused_with_a_reason() -> None:
    guard = LaunchGuard.of(CONTRACT, NAMES, ("x", "y", "z"))
    refused = guard.refusals((1, 1, 1), (32, 1, 1), 128, [4, 8, 7, (0, 64), (256, 64)])
    assert any(reason.startswith("x has 0 bytes") for reason in refused)
