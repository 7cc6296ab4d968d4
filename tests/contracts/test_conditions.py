"""The launch of a kernel of the corpus meets the condition that a check prints without it."""

from __future__ import annotations

import pytest

from bench.declared import failed_by_own_launch

from .kernels import ROOT

NAMES = (
    "bits_tested",
    "edges_of_padded_rows",
    "one_weight_of_nine",
    "pairs_rotated_in_rows",
    "planes_moved",
    "tiles_of_a_row_unrolled",
    "triton_mask_of_rows_and_columns",
)


@pytest.mark.parametrize("name", NAMES)
def test_sizes_alone_ask_for_no_more_than_the_launch_has(name: str) -> None:
    ((_, failed),) = failed_by_own_launch(ROOT / f"clean/{name}.ptx")
    assert not failed
