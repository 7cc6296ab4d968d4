"""One access on devices of every generation, and rows of the table that everybody knows."""

from __future__ import annotations

from typing import get_args

import pytest

from analyses.traffic.devices import DEVICES, Device, RequestKind, device

ROW = tuple(4 * lane for lane in range(32))
SHIFTED = tuple(4 * lane + 4 for lane in range(32))
SWAPPED = tuple(4 * (lane ^ 1) for lane in range(32))
EVEN = tuple(8 * lane for lane in range(32))


@pytest.mark.parametrize(
    ("capability", "unit", "row", "shifted", "swapped", "even"),
    [
        ((1, 0), "transactions", 2, 32, 32, 32),  # joined in order and aligned, or not at all
        ((1, 1), "transactions", 2, 32, 32, 32),
        ((1, 3), "segments", 2, 3, 2, 2),  # the upper half-warp reaches into the next segment
        ((2, 0), "lines", 1, 2, 1, 2),
        ((3, 5), "sectors", 4, 5, 4, 8),
        ((8, 6), "sectors", 4, 5, 4, 8),
        ((12, 1), "sectors", 4, 5, 4, 8),
    ],
)  # fmt: skip
def test_global_memory(
    capability: tuple[int, int], unit: str, row: int, shifted: int, swapped: int, even: int
) -> None:
    by = device(capability).measure("global", "load")
    assert by is not None and by.unit == unit
    counted = [by.least(lanes, 4) for lanes in (ROW, SHIFTED, SWAPPED, EVEN)]
    assert counted == [row, shifted, swapped, even]


@pytest.mark.parametrize(
    ("capability", "stride", "wanted"),
    [
        ((1, 0), 1, 2),  # a pass for each half-warp
        ((1, 0), 2, 4),
        ((1, 0), 16, 32),
        ((1, 0), 17, 2),
        ((2, 0), 2, 2),
        ((3, 0), 2, 1),  # words i and i + 32 share a row of the wide bank
        ((3, 0), 4, 2),
        ((5, 0), 2, 2),
        ((9, 0), 32, 32),
        ((10, 0), 33, 1),
    ],
)
def test_shared_memory(capability: tuple[int, int], stride: int, wanted: int) -> None:
    by = device(capability).measure("shared", "load")
    assert by is not None
    assert by.least([4 * stride * lane for lane in range(32)], 4) == wanted


def test_the_table_is_in_order_and_names_its_sources() -> None:
    assert [row.since for row in DEVICES] == sorted(row.since for row in DEVICES)
    assert all(row.source for row in DEVICES)
    with pytest.raises(ValueError, match=r"0\.9"):
        device((0, 9))


def test_ideals_are_never_above_what_is_counted() -> None:
    for row in DEVICES:
        for measure in filter(None, row.measures.values()):
            for lanes in (ROW, SHIFTED, SWAPPED, EVEN, tuple([0] * 32)):
                least, most = measure.least(lanes, 4), measure.most(lanes, 4)
                assert measure.ideal(lanes, 4) <= least <= most, (row.since, measure.unit)


@pytest.mark.parametrize("row", DEVICES, ids=lambda row: str(row.since))
def test_every_measure_is_of_a_kind_of_request(row: Device) -> None:
    kinds = {kind for _, _, kind in (key.partition(" ") for key in row.measures)}
    assert kinds <= {"", *get_args(RequestKind)}
