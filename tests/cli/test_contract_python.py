"""A contract made from Python: the same as from options and from TOML, and what is refused."""

from __future__ import annotations

import pytest

from ptxlint.contracts.contract import Contract
from ptxlint.contracts.declaration import Buffer, ContractError, Range
from ptxlint.contracts.files import contracts, written

WORDS = [
    *("--params", "n: s32,m,at,out", "--block", "32x8", "--grid", "4", "--shared", "4*ntid.x"),
    *("--arg", "n=1..4096", "--arg", "m=7", "--buffer", "at=4*n@16", "--buffer", "out=4*m"),
    *("--values", "at=0..m-1:u32", "--layout", "out=aos:4,8,1"),
    *("--assume", "n % 4 == 0 and m*256 >= n"),
    *("--writes", "out", "--distinct", "at, out or same when m == 1"),
]


def from_python() -> Contract:
    return Contract(
        block=(32, 8),
        grid=4,
        shared="4*ntid.x",
        args={"n": (1, 4096), "m": 7},
        buffers={"at": Buffer("4*n", align=16, values="0..m-1:u32"), "out": "4*m"},
        layouts={"out": "aos:4,8,1"},
        params=["n: s32", "m", "at", "out"],
        requires=["n % 4 == 0 and m*256 >= n"],
        writes=["out"],
        distinct=["at, out or same when m == 1"],
        origin="command line",
    )


def test_python_options_and_toml_make_the_same_contract() -> None:
    assert from_python() == Contract.from_options(WORDS)
    (read,) = contracts("\n".join(written(from_python())), "c.toml")
    assert list(read.options()) == list(from_python().options())
    again = Contract.from_options([word for pair in from_python().options() for word in pair])
    assert again == from_python()


def test_a_comment_is_written_as_it_is_read() -> None:
    text = from_python().comments()
    assert list(Contract.from_comments(text).options()) == [
        (option, value.replace(": s32", "") if option == "--params" else value)
        for option, value in from_python().options()
    ]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (["--need", "n > 0"], ["--assume", "n > 0"]),
        (["--buffer", "x=4*n holds 0..n"], ["--buffer", "x=4*n", "--values", "x=0..n"]),
    ],
)
def test_old_spellings_mean_the_same(old: list[str], new: list[str]) -> None:
    assert list(Contract.from_options(old).options()) == list(Contract.from_options(new).options())


@pytest.mark.parametrize("size", [1000, "1000", (1000, 1000), Range(1000, 1000)])
def test_a_number_has_many_spellings(size: object) -> None:
    assert Contract(args={"n": size}).args == {"n": Range(1000, 1000)}  # type: ignore[dict-item]


@pytest.mark.parametrize(
    ("said", "message"),
    [
        ({"block": 2048}, "block 2048: 2048 threads, a block has at most 1024"),
        ({"block": (1, 2, 3, 4)}, "block 1x2x3x4: expected one to three sizes, like 256 or 32x8"),
        ({"args": {"n": (9, 3)}}, "arg n=(9, 3): the range is empty"),
        ({"args": {"n": True}}, "arg n=True: expected a number, or a range like (1, 4096)"),
        ({"args": {"n": [1, 2, 3]}}, "arg n=[1, 2, 3]: expected a number, or a range"),
        ({"args": ["n"]}, "args: expected a value for each name"),
        ({"buffers": {"x": 2.5}}, "buffer x=2.5: expected a size in bytes, like '4*n' or 4096"),
        ({"buffers": {"x": "4*"}}, "buffer x=4*: column 3: expected a number"),
        ({"values": {"x": "0..3"}}, "values x: its size is missing, --buffer x=BYTES"),
        ({"requires": "n > 0"}, "requires: expected a list of texts"),
        ({"requires": ["n"]}, "requires n: column 2: expected a comparison"),
        ({"requires": [3]}, "requires 3: expected a condition, like 'n % 4 == 0'"),
        ({"kernel": 3}, "kernel: expected a pattern"),
        ({"params": "n, n"}, "params n, n: n stands twice"),
        ({"distinct": ["x"]}, "distinct x: expected two buffers or more"),
        ({"args": {"x": 1}, "buffers": {"x": 4}}, "buffer x: x is declared by --arg too"),
    ],
)
def test_refused(said: dict[str, object], message: str) -> None:
    with pytest.raises(ContractError) as error:
        Contract(**said)  # type: ignore[arg-type]
    assert str(error.value).startswith(message)


def test_a_buffer_alone_is_refused() -> None:
    with pytest.raises(ContractError, match="the alignment 3 is no power of two"):
        Buffer("4*n", align=3)
