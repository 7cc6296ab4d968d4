"""The launch that a kernel of the corpus is written for meets its inferred contract."""

from __future__ import annotations

from pathlib import Path

import pytest

from ptxlint.contracts.launch_check import check_launch
from ptxlint.contracts.resolution import resolved
from tests.corpus.judging import contract_of
from tests.sampled import sampled

from .kernels import ROOT, subjects

FILES = sorted((ROOT / "clean").glob("*.ptx"))
TOO_STRICT = {
    "batched_product_of_small",
    "constant_weights_of_a_filter",
    "image_scaled",
    "index64_offset_counted",
    "lines_counted",
    "rows_by_warps",
    "rows_scaled_by_fours",
    "template_of_tile",
    "triton_add_vectors",
}
"""Kernels whose inferred contract refuses it so far. Those that leave this list must not return."""


@pytest.mark.parametrize("path", sampled(FILES, 12), ids=lambda path: path.stem)
def test_the_launch_of_a_kernel_meets_its_contract(path: Path) -> None:
    declared, refused = contract_of(path), False
    for subject in subjects(path):
        concrete = resolved([declared], subject.kernel).concrete(subject.kernel)
        refused |= bool(check_launch(subject.result.contract(), concrete))
    assert refused == (path.stem in TOO_STRICT)
