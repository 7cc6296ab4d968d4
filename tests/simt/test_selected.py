"""Words that a predicate selects, behind branches on that predicate: what they are on each edge."""

from __future__ import annotations

from pathlib import Path

import numpy as np

import ptxlint
from ptxlint import Contract
from ptxlint.api import infer

PATH = Path(__file__).parents[2] / "corpus/regressions/pointer_or_null.ptx"
NAMES = ("x", "y", "n")


def test_a_selected_word_is_its_operand_on_each_edge() -> None:
    x = np.arange(80, dtype=np.int32) * 3
    contract = Contract(
        params=NAMES, block=32, grid=1, args={"n": 80}, buffers={"x": 320, "y": 320}
    )
    done = ptxlint.run(PATH, contract, {"x": x, "y": np.zeros(80, np.int32)})
    index = np.arange(80)
    assert done.report.findings == ()
    assert (done.arrays["y"] == np.where(index % 2, x - 200, x + 100)).all()


def test_the_contract_speaks_of_the_pointer() -> None:
    (contract,) = infer(PATH, params=NAMES)
    assert contract.complete
    assert contract.buffers == {"x": "4*n@4 or null", "y": "4*n@4"}
