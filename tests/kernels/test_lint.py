"""Every kernel of the package is linted with its contract: for all launches that it allows, not
for one. None has a finding; UNPROVED says how many accesses of which are not yet proved."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from pricing_kernels import european
from pricing_kernels.build import BuildError
from pricing_kernels.catalogue import kernels
from pricing_kernels.european import European
from pricing_kernels.kernel import Kernel
from pricing_kernels.models.gbm import Market
from ptxlint.cli import called_with

UNPROVED = {
    "european": 2,
    "lcg32_initialise": 1,
    "lcg32_generate": 7,
    "mrg32k3a_initialise": 6,
    "mrg32k3a_generate": 17,
    "philox_initialise": 4,
    "philox_generate": 9,
}
"""At most; whatever is proved meanwhile may be taken off."""


def unproved(
    kernel: Kernel, options: list[str], folder: Path, capsys: pytest.CaptureFixture
) -> int:
    """The accesses of a kernel that are not proved; it must have no finding."""
    try:
        (folder / "kernel.ptx").write_text(kernel.ptx())
    except BuildError as error:
        pytest.skip(str(error))
    code = called_with(["check", str(folder / "kernel.ptx"), *options])
    said = capsys.readouterr().out
    assert code == 0, said
    counted = re.search(r"(\d+) proved, 0 flagged, (\d+) unknown; 0 instructions unmodelled", said)
    assert counted, said
    return int(counted[2])


@pytest.mark.parametrize("name", kernels())
def test_a_kernel_is_clean_for_every_launch_that_its_contract_allows(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    kernel = kernels()[name]
    assert unproved(kernel, kernel.contract.options(), tmp_path, capsys) <= UNPROVED.get(name, 0)


def test_every_access_of_one_european_launch_is_proved(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    option = European(Market(100.0, 0.03, 0.3), 105.0, 1.0, True, paths=10_000, steps=4, seed=7)
    options = european.launch(option).options()
    assert unproved(european.kernel(), options, tmp_path, capsys) == 0
