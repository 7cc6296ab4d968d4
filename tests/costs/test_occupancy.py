"""Occupancy: the thesis's tables, its mistake, and NVIDIA's own calculator as recorded."""

from __future__ import annotations

import json

import pytest

from analyses.traffic.occupancy import (
    MULTIPROCESSORS,
    Multiprocessor,
    most_registers,
    multiprocessor,
    occupancy,
)

from .calculator import OLDEST, RECORD, cases

RECORDED = json.loads(RECORD.read_text())["blocks"]
THESIS = (1, 0)  # its device has compute capability 1.0
KIB = 1024


@pytest.mark.parametrize(
    ("blocks", "threads", "shared"),
    [(8, 96, 2 * KIB), (6, 128, 2560), (4, 192, 4 * KIB), (3, 256, 5 * KIB), (2, 384, 8 * KIB)],
)
def test_ideal_pairs_of_threads_and_memory_fill_the_warps(
    blocks: int, threads: int, shared: int
) -> None:
    found = occupancy(THESIS, threads, shared=shared)
    assert (found.blocks, found.warps, found.most) == (blocks, 24, 24)
    assert occupancy(THESIS, threads + 1).blocks < blocks


def test_two_blocks_have_384_threads_and_not_the_334_of_the_thesis() -> None:
    """Its table has 334; two blocks of them leave two of 24 warps empty."""
    two = [n for n in range(1, 513) if occupancy(THESIS, n).blocks == 2]
    assert max(two) == 384
    assert occupancy(THESIS, 334).warps == 22


def test_blocks_of_140_threads_are_four_and_not_the_five_of_the_thesis() -> None:
    """It counts threads: 5 * 140 are below 768. But a block of them takes 5 warps, and 24 are
    there."""
    assert occupancy(THESIS, 140) == (4, 20, 24, ("warps",))


@pytest.mark.parametrize(
    ("threads", "shared", "expected"),
    [
        (64, 0, (8, 16, 24, ("blocks",))),  # 256 threads of 768 cannot be used
        (64, 3 * KIB, (5, 10, 24, ("shared memory",))),  # 1 KiB of 16 cannot be used
    ],
)
def test_what_the_thesis_says_of_its_device(
    threads: int, shared: int, expected: tuple[object, ...]
) -> None:
    assert occupancy(THESIS, threads, shared=shared) == expected


@pytest.mark.parametrize(("threads", "blocks"), [(64, 8), (128, 4), (256, 2), (512, 1)])
@pytest.mark.parametrize("registers", [57, 63])
def test_the_calibration_of_the_first_paper(threads: int, blocks: int, registers: int) -> None:
    """Figure IV: a third of the warps of a device of 2.1 for each of these blocks."""
    found = occupancy((2, 1), threads, registers)
    assert (found.blocks, found.warps / found.most) == (blocks, 1 / 3)
    assert "registers" in found.limits


@pytest.mark.parametrize(
    "row", [row for row in MULTIPROCESSORS if row.since >= OLDEST], ids=lambda row: str(row.since)
)
def test_blocks_are_those_of_the_calculator(row: Multiprocessor) -> None:
    ours = [occupancy(row.since, *case).blocks for case in cases(row)]
    assert ours == RECORDED["{}.{}".format(*row.since)]
    assert len(set(ours)) > 4


def test_a_warp_that_keeps_its_twister_in_shared_memory_fills_a_device_of_today() -> None:
    """640 words a warp: on the thesis's device six warps find them."""
    assert occupancy((9, 0), 128, shared=4 * 2560).warps == 64
    assert occupancy(THESIS, 32, shared=2560).warps == 6


@pytest.mark.parametrize("shared", [0, 20_000])
@pytest.mark.parametrize("threads", [32, 100, 256, 1024])
def test_one_register_more_and_fewer_blocks_are_resident(threads: int, shared: int) -> None:
    most, without = most_registers((8, 6), threads, shared), occupancy((8, 6), threads, 0, shared)
    assert occupancy((8, 6), threads, most, shared).blocks == without.blocks
    if most < 255:
        assert occupancy((8, 6), threads, most + 1, shared).blocks < without.blocks


def test_a_device_is_the_row_it_stands_in() -> None:
    assert multiprocessor((10, 3)).since == (9, 0)
    assert multiprocessor((12, 1)).since == (12, 0)
    assert [row.since for row in MULTIPROCESSORS] == sorted(row.since for row in MULTIPROCESSORS)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (((0, 9), 32), "compute capability 0.9, known are 1.x to 12.x"),
        (((8, 0), 0), "threads 0, expected 1 to 1024"),
        (((8, 0), 1025), "threads 1025, expected 1 to 1024"),
        (((8, 0), 32, 256), "registers 256, expected 0 to 255"),
        (((8, 0), 32, 0, 166913), "shared 166913 bytes, expected 0 to 166912"),
        (((8, 0), 32, 0, -1), "shared -1 bytes"),
    ],
)
def test_what_no_launch_may_ask_for_is_refused(arguments: tuple[int, ...], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        occupancy(*arguments)  # type: ignore[arg-type]
