"""The launch of a kernel of the corpus meets the condition that a check prints without it."""

from __future__ import annotations

import pytest

from bench.declared import failed_by_own_launch

from .kernels import ROOT

NAMES = (
    "bits_tested",
    "one_weight_of_nine",
    "pairs_rotated_in_rows",
    "planes_moved",
    "tiles_of_a_row_unrolled",
)


@pytest.mark.parametrize("name", NAMES)
def test_sizes_alone_ask_for_no_more_than_the_launch_has(name: str) -> None:
    ((_, failed),) = failed_by_own_launch(ROOT / f"clean/{name}.ptx")
    assert not failed
