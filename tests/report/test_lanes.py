"""The map of lanes shows what is counted."""

from __future__ import annotations

import pytest

from analyses.traffic.costs import sectors, wavefronts
from ptxlint.reports.lanes import lane_map

ROW = tuple(4 * lane for lane in range(32))
COLUMN = tuple(128 * lane for lane in range(32))
HALF = tuple(8 * lane if lane < 16 else None for lane in range(32))


def test_a_row_is_a_diagonal_of_banks() -> None:
    head, *rows, last = lane_map(ROW, "shared", 4)
    assert head == "lane   32 banks of 4 bytes"
    assert [row.replace(" ", "").index("#") - len(str(i)) for i, row in enumerate(rows)] == [
        *range(32)
    ]
    assert last == "words  11111111 11111111 11111111 11111111   1 wavefronts"


def test_a_column_is_one_bank() -> None:
    *rows, last = lane_map(COLUMN, "shared", 4)
    assert all(row.endswith("#....... ........ ........ ........") for row in rows[1:])
    assert last == "words  w....... ........ ........ ........   32 wavefronts"


@pytest.mark.parametrize("offsets", [ROW, COLUMN, HALF], ids=["row", "column", "half"])
@pytest.mark.parametrize("size", [1, 4, 8, 16])
def test_a_map_says_what_is_counted(offsets: tuple[int | None, ...], size: int) -> None:
    aligned = tuple(None if o is None else o // 4 * size for o in offsets)
    head = lane_map(aligned, "global", size)[0]
    assert head.split()[1] == str(sectors(aligned, size))
    degrees = [
        int(line.split()[-2]) for line in lane_map(aligned, "shared", size) if "words" in line
    ]
    assert sum(degrees) == wavefronts(aligned, size)


def test_a_lane_that_is_off_touches_nothing() -> None:
    rows = lane_map(HALF, "global", 8)[1:]
    assert all("#" in row for row in rows[:16]) and not any("#" in row for row in rows[16:])
