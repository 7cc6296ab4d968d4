"""Parameters that point into the buffer of another one: ``--arg end=x+4*n``."""

from __future__ import annotations

import pytest

from ptxlint.api import check, infer, kernels
from ptxlint.contracts.contract import Contract
from ptxlint.contracts.declaration import ContractError
from ptxlint.contracts.files import contracts, record
from ptxlint.contracts.launch import Allocation, ConcreteLaunch, PointerArgument
from ptxlint.contracts.launch_check import check_launch
from ptxlint.contracts.resolution import resolved
from ptxlint.simt import run
from tests.corpus.test_corpus import ROOT

CASE = ROOT / "regressions/loop_to_a_pointer.ptx"


def declared(end: str, x: str = "400", **more: object) -> Contract:
    sizes = {"x": x, "y": "4*ntid.x"}
    return Contract(params="x,end,y", buffers=sizes, args={"end": end}, **more)  # type: ignore[arg-type]


@pytest.mark.parametrize(("end", "x"), [("x+400", "400"), ("x + 4*nctaid.x", "4*nctaid.x")])
def test_a_loop_to_the_end_of_a_buffer_stays_inside(end: str, x: str) -> None:
    (kernel,) = check(CASE, contract=declared(end, x)).kernels
    assert [access.status.value for access in kernel.accesses] == ["proved", "proved"]


def test_one_element_more_is_out_of_bounds() -> None:
    report = check(CASE, contract=declared("x+404", block=32, grid=1))
    assert [finding.rule for finding in report.findings] == ["out-of-bounds"]


@pytest.mark.parametrize(("end", "faults"), [("x+400", 0), ("x+404", 1)])
def test_a_run_gets_the_address(end: str, faults: int) -> None:
    (kernel,) = kernels(CASE)
    launch = resolved([declared(end, block=32, grid=1)], kernel)
    assert len(run(kernel, launch.concrete(kernel)).faults) == faults


@pytest.mark.parametrize(
    ("end", "problems"),
    [(PointerArgument(0, 400), 0), (5120 + 400, 0), (5120 + 404, 1), (PointerArgument(2, 400), 1)],
)
def test_a_launch_is_held_against_it(end: int | PointerArgument, problems: int) -> None:
    arguments = {
        "x": Allocation(400, address=5120), "end": end, "y": Allocation(128, address=9216),
    }  # fmt: skip
    launch = ConcreteLaunch.of((32, 1, 1), arguments=arguments)
    assert len(check_launch(declared("x+400"), launch)) == problems


def test_a_record_says_the_same() -> None:
    (kernel,) = kernels(CASE)
    launch = resolved([declared("x+400", block=32, grid=1)], kernel).concrete(kernel)
    (again,) = contracts(record(kernel.name, launch), "record.toml")
    assert str(again.args["end"]) == "x+400"


@pytest.mark.parametrize("end", ["z+400", "end+4", "x+m"])
def test_what_is_no_buffer_is_refused(end: str) -> None:
    (kernel,) = kernels(CASE)
    with pytest.raises(ContractError, match=r"^arg end="):
        resolved([declared(end)], kernel)


def test_a_contract_says_that_the_end_is_to_be_declared() -> None:
    (contract,) = infer(CASE)
    assert [access.reason for access in contract.unknown] == ["pointer-end"]
