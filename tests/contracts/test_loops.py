"""Contracts of loops as nvcc writes them: each is what the source says, and no more."""

from __future__ import annotations

import pytest

from ptxlint.api import infer
from ptxlint.contracts.contract import Contract
from tests.corpus.test_corpus import ROOT

LOOPS = {
    "grid_stride_of_ints": [
        "nctaid.x*ntid.x <= 2**31", "4*nctaid.x*ntid.x + n <= 2**31",
    ],
    "grid_stride_of_longs": ["n <= 2**62"],
    "grid_stride_with_a_branch": [
        "nctaid.x*ntid.x + n <= 2**31", "nctaid.x*ntid.x <= 2**31",
    ],
}  # fmt: skip


@pytest.mark.parametrize("name", LOOPS)
def test_every_buffer_has_as_many_elements_as_the_loop_counts(name: str) -> None:
    path = ROOT / f"regressions/{name}.ptx"
    params = tuple(Contract.from_comments(path.read_text("utf-8")).params)
    (contract,) = infer(path, params=params)
    assert not contract.unknown
    assert set(contract.buffers.values()) == {"4*n@4"}
    assert list(contract.needs) == LOOPS[name]
