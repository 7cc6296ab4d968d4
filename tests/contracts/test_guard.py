"""A launch held against a contract: what is refused, and what it is told."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from ptxlint.contracts.contract import Contract
from ptxlint.contracts.declaration import Triple
from ptxlint.contracts.launch import Allocation, Argument, ConcreteLaunch
from ptxlint.contracts.launch_check import check_launch

CONTRACT = Contract.of(
    params="n: s32, in: u64, out: u64",
    assume=["ntid.x <= 256", "0 < n and n % 4 == 0"],
    buffer=["in=4*n@16", "out=4*nctaid.x"],
    shared="4*ntid.x",
)


def launched(
    block: Triple,
    grid: Triple = (1, 1, 1),
    shared: int = 0,
    values: Mapping[str, int | float] | None = None,
    buffers: Mapping[str, tuple[int, int]] | None = None,
) -> ConcreteLaunch:
    """A launch with these numbers, and with buffers of a size at an address."""
    memory = {n: Allocation(size, address=at) for n, (size, at) in (buffers or {}).items()}
    given: dict[str, Argument] = {**(values or {}), **memory}
    return ConcreteLaunch.of(block, grid, shared, given)


def good(**but: Any) -> ConcreteLaunch:
    """A launch that meets everything, but for this."""
    whole = {
        "block": (256, 1, 1),
        "grid": (2, 1, 1),
        "shared": 1024,
        "values": {"n": 512},
        "buffers": {"in": (2048, 0x100), "out": (8, 0x1000)},
    }
    return launched(**whole | but)


def test_a_launch_that_meets_everything() -> None:
    assert check_launch(CONTRACT, good()) == []


@pytest.mark.parametrize(
    ("launch", "told"),
    [
        (good(block=(288, 1, 1), shared=4096), ["requires ntid.x <= 256"]),
        (good(shared=1023), ["dynamic shared memory has 1023 bytes, requires 1024"]),
        (good(grid=(3, 1, 1)), ["out has 8 bytes, requires 12"]),
        (good(values={"n": 510}), ["requires 0 < n and n % 4 == 0"]),
        (good(values={"n": 2**32 - 4}), ["requires 0 < n and n % 4 == 0"]),
        (
            good(buffers={"in": (2044, 0x108), "out": (8, 0)}),
            ["in has 2044 bytes, requires 2048", "in begins at 0x108, requires a multiple of 16"],
        ),
        (
            good(values={}),
            [
                "requires 0 < n and n % 4 == 0: n has no value",
                "in requires 4*n@16 bytes: n has no value",
            ],
        ),
    ],
)
def test_a_launch_that_does_not(launch: ConcreteLaunch, told: list[str]) -> None:
    assert check_launch(CONTRACT, launch) == told


@pytest.mark.parametrize(("kind", "told"), [("u32", []), ("s32", ["requires n >= 0"])])
def test_an_integer_is_read_as_it_is_typed(kind: str, told: list[str]) -> None:
    """The same word is 2**32 - 1, or -1."""
    contract = Contract.of(params=f"n: {kind}", assume=["n >= 0"])
    for number in (2**32 - 1, -1):
        assert check_launch(contract, launched((32, 1, 1), values={"n": number})) == told


def test_declared_values_count_too() -> None:
    contract = Contract.of(block="64", arg=["n=1..8", "a=2.5"], params="n,a")
    launch = launched((64, 1, 1), values={"n": 8, "a": 2.5})
    assert check_launch(contract, launch) == []
    wrong = launched((32, 1, 1), values={"n": 9})
    assert check_launch(contract, wrong) == [
        "block 32: the contract is for 64",
        "n=9: the contract is for 1..8",
        "a=None: the contract is for 2.5",
    ]


APART = Contract.of(
    params="n: s32, in, x, y",
    distinct=["in, y", "x, y or same when ntid.y == 1"],
    buffer=["in=4*n@4 holds 0..n"],
    writes="y",
)
PLACES = {"in": (64, 0x100), "x": (64, 0x200), "y": (64, 0x300)}


@pytest.mark.parametrize(
    ("moved", "told"),
    [
        ({}, []),
        ({"in": (64, 0x240)}, []),
        ({"in": (64, 0x200)}, []),
        ({"y": (64, 0x240)}, []),
        ({"y": (64, 0x200)}, []),
        ({"y": (64, 0x23F)}, ["x and y overlap: distinct x, y or same when ntid.y == 1"]),
        ({"x": (0, 0x310)}, []),
        ({"x": (65, 0x300)}, []),
        (
            {"in": (64, 0x300)},
            [
                "in and y are the same: distinct in, y",
                "in and y overlap, but in has a value range: it must not be written",
            ],
        ),
        (
            {"in": (64, 0x100), "y": (1, 0x100)},
            [
                "in and y are the same: distinct in, y",
                "in and y overlap, but in has a value range: it must not be written",
            ],
        ),
    ],
)
def test_buffers_that_overlap(moved: dict[str, tuple[int, int]], told: list[str]) -> None:
    launch = launched((32, 1, 1), values={"n": 16}, buffers=PLACES | moved)
    assert check_launch(APART, launch) == told


def test_buffers_may_be_the_same_in_some_launches_only() -> None:
    same = launched((8, 4, 1), values={"n": 16}, buffers=PLACES | {"x": (64, 0x300)})
    (told,) = check_launch(APART, same)
    assert told == "x and y are the same: distinct x, y or same when ntid.y == 1"


def test_a_buffer_that_nobody_gives_may_be_anywhere() -> None:
    launch = launched((32, 1, 1), values={"n": 0}, buffers={"in": (0, 0), "y": (64, 0)})
    (told,) = check_launch(APART, launch)
    assert told == "distinct x, y or same when ntid.y == 1: x is no buffer of this launch"


def test_what_a_buffer_holds_is_lost_where_another_one_may_be_written() -> None:
    contract = Contract.of(params="n: s32, at, x", buffer=["at=4*n holds 0..n"])
    launch = launched((32, 1, 1), values={"n": 4}, buffers={"at": (16, 0x100), "x": (16, 0x100)})
    (told,) = check_launch(contract, launch)
    assert told == "at and x overlap, but at has a value range: it must not be written"
