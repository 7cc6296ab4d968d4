"""The kernels that we generate are linted with the contract that they are launched with."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from pricing_kernels import build, european
from pricing_kernels.european import European
from pricing_kernels.models.gbm import Market
from ptxlint.cli import called_with


def test_the_european_kernel_is_clean_and_every_access_is_proved(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    try:
        ptx = build.compile_ptx(european.CUDA, "european.cu")
    except build.BuildError as error:
        pytest.skip(str(error))
    (tmp_path / "european.ptx").write_text(ptx)
    option = European(Market(100.0, 0.03, 0.3), 105.0, 1.0, True, paths=10_000, steps=4, seed=7)
    contract = european.contract(option, 256, 8)
    code = called_with(["check", str(tmp_path / "european.ptx"), "--strict", *contract.options()])
    said = capsys.readouterr().out
    assert code == 0, said
    counted = re.search(r"(\d+) accesses: (\d+) proved, 0 flagged, 0 unknown; 0 instr", said)
    assert counted and counted[1] == counted[2], said
