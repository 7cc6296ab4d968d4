"""Buffers that a contract lets overlap: reported where threads run into each other in such ones."""

from __future__ import annotations

from typing import Any

import pytest

from ptxlint.checker import check
from ptxlint.contracts.contract import Contract
from ptxlint.options import Options
from ptxlint.results.finding import Certainty, Finding
from ptxlint.source import Source
from tests.contracts.copies import HEAD, INDICES, READ, TAIL, WRITE

ALONG_X = "ntid.y*ntid.z*nctaid.y*nctaid.z == 1"
ROW = {"block": "64", "grid": "2"}
NEED = ["nctaid.x*ntid.x <= 2**31"]
IN_PLACE = f"x, y or same when {ALONG_X}"


def copy(ahead: int, index: str = "thread of all") -> str:
    return HEAD + f"{INDICES[index]} {READ.format(ahead)} {WRITE.format(0)}" + TAIL


def findings(text: str, *distinct: str, pedantic: bool = False, **launch: Any) -> list[Finding]:
    contract = Contract.of(distinct=distinct, **launch)
    options = Options((contract,), select=("contract-violated",), pedantic=pedantic)
    return list(check([Source("k.ptx", text)], options).findings)


@pytest.mark.parametrize("said", ["x, y or same", "x, y or same when ntid.y == 1", IN_PLACE])
def test_a_neighbour_cannot_be_read_in_place(said: str) -> None:
    (finding,) = findings(copy(4), said, **ROW)
    assert finding.message == (
        "x and y must be distinct so that no thread reads what another one writes, but may alias by"
        " contract"
    )
    assert finding.certainty is Certainty.WITNESS and finding.witness is not None
    (other,) = finding.related
    text = copy(4).splitlines()
    opcodes = {text[at.line - 1].split(".")[0].strip() for at in (finding.ptx, other.location)}
    assert opcodes == {"ld", "st"}


def test_nothing_said_of_a_pair_lets_it_overlap() -> None:
    (finding,) = findings(copy(4), **ROW)
    assert finding.message.endswith(", but may overlap by contract")
    assert finding.help is not None
    assert finding.help.endswith("where some buffers are declared distinct, all others may overlap")


@pytest.mark.parametrize(("ahead", "said"), [(4, "x, y"), (0, "x, y"), (0, IN_PLACE)])
def test_what_the_contract_keeps_apart_is_no_finding(ahead: int, said: str) -> None:
    assert findings(copy(ahead), said, pedantic=True, need=NEED) == []


def test_in_a_launch_that_is_declared_the_condition_is_decided() -> None:
    assert findings(copy(0), "x, y or same", pedantic=True, **ROW) == []
    (finding,) = findings(copy(0), "x, y or same", block="32x2", grid="2")
    assert finding.witness is not None and finding.witness.block == (32, 2, 1)


def test_without_a_witness_it_is_only_possible() -> None:
    """One row of threads is tried, where nothing happens."""
    said = ("x, y or same when ntid.y == 1",)
    assert findings(copy(0), *said, grid="2", block="64") == []
    (finding,) = findings(copy(0), *said, pedantic=True, assume=["ntid.y == 1"])
    assert finding.certainty is Certainty.POSSIBLE


def test_shifted_buffers_are_tried_too() -> None:
    (finding,) = findings(copy(0), **ROW)
    assert finding.certainty is Certainty.WITNESS
