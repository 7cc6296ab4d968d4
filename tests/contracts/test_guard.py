"""A launch held against a contract: what is refused, and what it is told."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ptxlint.contracts.contract import Contract
from ptxlint.contracts.guard import Actual, violations

CONTRACT = Contract.of(
    params="n: s32, in: u64, out: u64",
    need=["ntid.x <= 256", "0 < n and n % 4 == 0"],
    buffer=["in=4*n@16", "out=4*nctaid.x"],
    shared="4*ntid.x",
)
GOOD = Actual((256, 1, 1), (2, 1, 1), 1024, {"n": 512}, {"in": (2048, 0x100), "out": (8, 0x1000)})


def test_a_launch_that_meets_everything() -> None:
    assert violations(CONTRACT, GOOD) == []


@pytest.mark.parametrize(
    ("launch", "told"),
    [
        (replace(GOOD, block=(288, 1, 1), shared=4096), ["needs ntid.x <= 256"]),
        (replace(GOOD, shared=1023), ["dynamic shared memory has 1023 bytes, needs 1024"]),
        (replace(GOOD, grid=(3, 1, 1)), ["out has 8 bytes, needs 12"]),
        (replace(GOOD, values={"n": 510}), ["needs 0 < n and n % 4 == 0"]),
        (replace(GOOD, values={"n": 2**32 - 4}), ["needs 0 < n and n % 4 == 0"]),
        (
            replace(GOOD, buffers={"in": (2044, 0x108), "out": (8, 0)}),
            ["in has 2044 bytes, needs 2048", "in begins at 0x108, needs a multiple of 16"],
        ),
        (
            replace(GOOD, values={}),
            ["needs 0 < n and n % 4 == 0: n has no value", "in needs 4*n@16 bytes: n has no value"],
        ),
    ],
)
def test_a_launch_that_does_not(launch: Actual, told: list[str]) -> None:
    assert violations(CONTRACT, launch) == told


@pytest.mark.parametrize(("kind", "told"), [("u32", []), ("s32", ["needs n >= 0"])])
def test_an_integer_is_read_as_it_is_typed(kind: str, told: list[str]) -> None:
    """The same word is 2**32 - 1, or -1."""
    contract = Contract.of(params=f"n: {kind}", need=["n >= 0"])
    for number in (2**32 - 1, -1):
        assert violations(contract, Actual((32, 1, 1), values={"n": number})) == told


def test_declared_values_count_too() -> None:
    contract = Contract.of(block="64", arg=["n=1..8", "a=2.5"], params="n,a")
    launch = Actual((64, 1, 1), values={"n": 8, "a": 2.5})
    assert violations(contract, launch) == []
    wrong = Actual((32, 1, 1), values={"n": 9})
    assert violations(contract, wrong) == [
        "block 32: the contract is for 64",
        "n=9: the contract is for 1..8",
        "a=None: the contract is for 2.5",
    ]
