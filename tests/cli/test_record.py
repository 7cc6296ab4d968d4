"""Launches that happened: written by a run, checked one by one, before all that is declared."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from .test_infer import REDUCE, Run, ptxlint

__all__ = ["ptxlint"]
NAMES = ("--params", "n,in,out")
OPTIONS = (*NAMES, "--buffer", "in=4*n", "--buffer", "out=4*nctaid.x", "--save-launch", "r.toml")


def ran(ptxlint: Run, n: int, grid: int = 2, block: int = 64, *more: str) -> None:
    launch = ("--arg", f"n={n}", "--grid", f"{grid}", "--block", f"{block}")
    assert ptxlint("run", "k.ptx", *launch, *OPTIONS, *more).code == 0


def launches(out: str) -> list[str]:
    return [line.removeprefix("launch: ") for line in out.splitlines() if "launch: " in line]


def test_what_ran_is_checked_again(ptxlint: Run) -> None:
    assert REDUCE.exists()
    ran(ptxlint, 100)
    ran(ptxlint, 128, 4, 32)
    ran(ptxlint, 100)
    required = "bounds,alignment,spaces,barriers,uniformity,initialisation"
    result = ptxlint("k.ptx", "--launches", "r.toml", "--require", required)
    assert result.code == 0, result.out
    assert launches(result.out) == [
        "block 64, grid 2, 0 bytes of dynamic shared memory, n=100, in 400 bytes, out 8 bytes"
        " (r.toml): reduce_shared",
        "block 32, grid 4, 0 bytes of dynamic shared memory, n=128, in 512 bytes, out 16 bytes"
        " (r.toml): reduce_shared",
    ]
    assert (
        "proved: bounds, alignment, spaces, races, barriers, initialisation, costs\n" in result.out
    )


def test_a_line_of_json_is_written_where_the_name_says_so(ptxlint: Run) -> None:
    ran(ptxlint, 100, 2, 64, "--save-launch", "r.jsonl")
    ran(ptxlint, 98, 2, 64, "--save-launch", "r.jsonl")
    lines = Path("r.jsonl").read_text().splitlines()
    assert [json.loads(line)["arguments"][0]["value"] for line in lines] == [100, 98]
    result = ptxlint("k.ptx", "--launches", "r.jsonl")
    assert result.code == 0, result.err
    assert [line.rpartition(" (")[2] for line in launches(result.out)] == [
        "r.jsonl:1): reduce_shared",
        "r.jsonl:2): reduce_shared",
    ]


@pytest.mark.parametrize("name", ["e.jsonl", "e.toml", "e"])
def test_an_empty_record_is_refused_by_what_it_lacks(ptxlint: Run, name: str) -> None:
    Path(name).write_text("\n")
    result = ptxlint("k.ptx", "--launches", name)
    assert result.code == 2
    assert f"{name}: no launch in this file; expected one a line, in JSON, or" in result.err


def test_it_counts_before_all_that_is_declared(ptxlint: Run) -> None:
    ran(ptxlint, 100)
    Path("ptxlint.toml").write_text("[[launch]]\nblock = 32\nargs = { 0 = 7 }\n")
    result = ptxlint("k.ptx", "--launches", "r.toml", "--block", "128", "--arg", "0=9")
    (told,) = launches(result.out)
    assert told.startswith("block 64, grid 2") and "n=100" in told and told.endswith("(r.toml)")


def test_a_launch_that_broke_the_contract_is_a_finding(ptxlint: Run) -> None:
    """Only the one that did."""
    ran(ptxlint, 100)
    ran(ptxlint, 98)
    Path("c.toml").write_text('[[launch]]\nparams = ["n"]\nneeds = ["n % 4 == 0"]\n')
    result = ptxlint("k.ptx", "--launches", "r.toml", "--contract", "c.toml")
    assert result.code == 1
    assert result.out.count("error[contract-violated]") == 1
    assert "every declared launch violates n % 4 == 0, required by c.toml:3" in result.out


def test_what_was_too_small_is_found_without_running_it(ptxlint: Run) -> None:
    ran(ptxlint, 100)
    Path("r.toml").write_text(Path("r.toml").read_text().replace('out = "8"', 'out = "4"'))
    result = ptxlint("k.ptx", "--launches", "r.toml")
    assert (result.code, "out-of-bounds write of `out`" in result.out) == (1, True)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("[[launch]]\nblock = 32\n", "r.toml:1: a launch that happened has a block and a grid"),
        ("[[launch]]\nblock = 0\n", "r.toml:2: block 0: x is 0, expected 1 to 1024"),
        (
            "[[launch]]\nblock = 1\ngrid = 1\nargs = { m = 3 }",
            "r.toml:4: arg m: no kernel has a parameter m",
        ),
    ],
)
def test_refused(ptxlint: Run, text: str, told: str) -> None:
    Path("r.toml").write_text(text)
    result = ptxlint("k.ptx", "--launches", "r.toml")
    assert (result.code, result.out) == (2, "")
    assert told in result.err


def test_a_record_that_cannot_be_written_is_said_before_the_run(ptxlint: Run) -> None:
    launch = ("--arg", "n=1", "--block", "32", *OPTIONS[:-1], "no/r.toml")
    result = ptxlint("run", "k.ptx", *launch)
    assert (result.code, result.out) == (2, "")
    assert "--save-launch no/r.toml: no such file or directory" in result.err
