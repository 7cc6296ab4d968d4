"""The size of block with the best occupancy: the paper's device, and every kernel of ours."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner

from pricing_kernels.build import BuildError
from pricing_kernels.calibration import GPU_MODELS, best, block_sizes, calibrate, registers_of
from pricing_kernels.cli import main
from pricing_kernels.exercise import lsmc


@pytest.mark.parametrize("registers", [57, 60, 63])
def test_the_paper_takes_blocks_of_64_threads(registers: int) -> None:
    """Its Quadro 600 has at most a third of its warps, with blocks of 64, 128, 256 or 512 threads:
    8, 4, 2 and 1 of them."""
    sizes = block_sizes(GPU_MODELS["Quadro 600"].capability, registers, most=512)
    full = {size.threads: size.held.blocks for size in sizes if size.held.warps == 16}
    assert full.items() >= {64: 8, 128: 4, 256: 2, 512: 1}.items()
    found = best(sizes)
    assert (found.threads, found.held.blocks) == (64, 8)
    assert found.share == pytest.approx(1 / 3)


def test_shared_memory_may_ask_for_large_blocks() -> None:
    """Five blocks of 40 KiB fit; they hold the more warps the larger they are."""
    sizes = block_sizes((9, 0), 32, shared=40 * 1024, most=256)
    assert {size.held.blocks for size in sizes} == {5}
    assert best(sizes).threads == 256


def test_a_kernel_is_calibrated_within_its_contract() -> None:
    sizes = calibrate(lsmc.moments_kernel(2), GPU_MODELS["H200"], registers=64)
    assert [size.threads for size in sizes] == [32, 64, 96, 128]
    assert best(sizes).held.limits == ("shared memory",)
    assert best(sizes).held.blocks == 5


def test_registers_are_what_the_assembler_says(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    ptx = lsmc.decide_kernel().ptx()
    if shutil.which("ptxas") is not None:
        assert 8 <= registers_of(ptx, (9, 0)) <= 64
        with pytest.raises(BuildError, match=r"ptxas for sm_10: .*; give the number of registers"):
            registers_of(ptx, (1, 0))
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(BuildError, match="ptxas, which allocates registers, is not found"):
        registers_of(ptx, (9, 0))


def test_the_command_prints_each_size_and_the_best() -> None:
    words = ["calibrate", "lsmc_decide_1", "--device", "Quadro 600", "--registers", "60"]
    said = CliRunner().invoke(main, words).output.splitlines()
    assert said[1] == " 33.3 %  64 threads: 8 blocks, 16 of 48 warps (blocks, registers)"
    assert said[-1] == "best: 64 threads, 16 blocks fill the Quadro 600"
    wrong = CliRunner().invoke(main, ["calibrate", "lsmc_decide_1", "--device", "H20"])
    assert wrong.exit_code == 2 and "no device 'H20'; did you mean H200" in wrong.output
