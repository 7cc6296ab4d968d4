"""The table of ``ptxlint costs``: each access once, the costliest first, in Nsight Compute's
terms."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ptxlint.cli import called_with

ROOT = Path(__file__).parents[2]
DEMO = ("transpose.ptx", "--params", "out,in,width,height", "--block", "32x32")
CORPUS = ROOT / "corpus"

Captured = pytest.CaptureFixture[str]


@pytest.fixture
def demo(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT / "ptxlint" / "demo")


def rows(capsys: Captured, *words: str) -> list[dict[str, Any]]:
    assert called_with(["costs", "--output-format", "json", *words]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["schema"] == "ptxlint-costs/1"
    found: list[dict[str, Any]] = document["costs"]
    return found


@pytest.mark.usefixtures("demo")
def test_a_table(capsys: Captured) -> None:
    assert called_with(["costs", *DEMO]) == 0
    head, first, *rest = capsys.readouterr().out.splitlines()
    assert " ".join(head.split()) == ("cost ideal unit share line access kernel Nsight Compute")
    assert " ".join(first.split()) == (
        "32 1 wavefronts 97 % transpose.cu:16 reads 4 bytes of tile transpose"
        " memory_l1_wavefronts_shared"
    )
    assert len(rest) == 3


@pytest.mark.usefixtures("demo")
def test_the_same_as_data(capsys: Captured) -> None:
    (worst, *others) = rows(capsys, *DEMO)
    assert (worst["worst"], worst["ideal"], worst["share"]) == (32, 1, 97)
    assert worst["location"]["line"] == 16 and worst["ptx"]["path"] == "transpose.ptx"
    assert all(one["worst"] - one["ideal"] <= 1 for one in others)
    assert {one["metric"] for one in others if one["access"]["space"] == "global"} == {
        "memory_l2_theoretical_sectors_global"
    }


def test_accesses_of_a_line_that_agree_are_one(capsys: Captured) -> None:
    found = rows(capsys, str(CORPUS / "clean" / "matmul_ragged_guarded.ptx"))
    inner = [one for one in found if one["location"]["line"] == 17]
    assert [(one["accesses"], one["share"]) for one in inner] == [(16, 48), (16, 48)]


def test_an_unknown_cost_comes_last_with_its_reason(capsys: Captured) -> None:
    found = rows(capsys, str(CORPUS / "clean" / "sparse_rows_by_warps.ptx"))
    known = ["worst" in one for one in found]
    assert known == sorted(known, reverse=True) and not known[-1]
    assert found[-1]["reason"] == "loaded-index"


def test_no_kernel(tmp_path: Path, capsys: Captured) -> None:
    file = tmp_path / "f.ptx"
    file.write_text(".version 8.0\n.target sm_80\n.address_size 64\n.func f() { ret; }\n")
    assert called_with(["costs", str(file)]) == 3
    file.write_text("nothing")
    assert called_with(["costs", str(file)]) == 2
    assert "not PTX" in capsys.readouterr().err
