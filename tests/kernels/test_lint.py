"""Every kernel of the package is linted with its contract. In one launch, at the upper edge of what
is quick to run, every access is proved; none has a finding in all launches that are allowed."""

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
    # the index is a counter in step with the one that ends the loop
    "lfg_initialise": 8,
    "lfg_combined_initialise": 12,
    "mt19937_initialise": 16,
    "mt19937_fast_initialise": 3,
    # the index is selected: at the end of a ring it goes on at its beginning
    "mt19937_generate": 3,
    "mt19937_fast_generate": 4,
    "mt19937_light_generate": 4,
    "mt19937_realigned_generate": 3,
    "mt607_generate": 3,
    "mt607_shared_generate": 3,
}
"""At most."""


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
def test_every_access_of_a_launch_is_proved(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    kernel = kernels()[name]
    largest = list(kernel.contract.edges(1000))[-1]
    options = kernel.contract.launch(**largest).options()
    assert unproved(kernel, options, tmp_path, capsys) <= UNPROVED.get(name, 0)


@pytest.mark.slow
@pytest.mark.parametrize("name", kernels())
def test_a_kernel_is_clean_in_every_launch_that_its_contract_allows(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    kernel = kernels()[name]
    unproved(kernel, kernel.contract.options(), tmp_path, capsys)


def test_every_access_of_one_european_launch_is_proved(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    option = European(Market(100.0, 0.03, 0.3), 105.0, 1.0, True, paths=10_000, steps=4, seed=7)
    options = european.launch(option).options()
    assert unproved(european.kernel(), options, tmp_path, capsys) == 0
