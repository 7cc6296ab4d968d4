"""What is claimed of special registers that the manual leaves open."""

from __future__ import annotations

from pathlib import Path

from ptxlint.checker import check
from ptxlint.contracts.contract import Contract
from ptxlint.options import Options
from ptxlint.source import Source

CASE = Path(__file__).parents[2] / "corpus/regressions/number_of_the_warp.ptx"


def test_an_index_by_the_warp_number_is_not_proved_in_bounds() -> None:
    text = CASE.read_text("utf-8")
    report = check([Source(str(CASE), text)], Options((Contract.from_comments(text),)))
    (kernel,) = report.kernels
    assert [access.status.value for access in kernel.accesses] == ["undecided"]
