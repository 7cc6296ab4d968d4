"""A check with nothing declared says of each access what the inferred contract says: where that is
complete, no access is undecided."""

from __future__ import annotations

from pathlib import Path

import pytest

from ptxlint.checker import check
from ptxlint.results.verdict import Property
from ptxlint.source import Source
from tests.sampled import sampled

from .kernels import ROOT, subjects

FILES = sorted((ROOT / "clean").glob("*.ptx"))
CUT = {
    "history_backwards",
    "image_blurred_with_clamps",
    "image_pooled",
    "rows_joined_in_a_loop",
    "rows_of_warps_up_to_n",
    "scales_of_groups_in_rows",
    "sparse_rows_by_warps",
    "stages_of_dynamic_shared",
    "stencil_with_clamped_halo",
    "tile_halo_2d",
    "tiles_in_groups_of_any_size",
}
"""Kernels that take more steps than a check spends on conditions."""


@pytest.mark.parametrize(
    "path",
    sampled([file for file in FILES if file.stem not in CUT], 12),
    ids=lambda path: path.stem,
)
def test_a_complete_contract_leaves_no_access_of_a_check_undecided(path: Path) -> None:
    report = check([Source(path.name, path.read_text("utf-8"))])
    (bounds,) = (one for one in report.summary.verdicts if one.name is Property.BOUNDS)
    complete = all(not subject.contract.unknown for subject in subjects(path))
    assert not (complete and bounds.undecided)
