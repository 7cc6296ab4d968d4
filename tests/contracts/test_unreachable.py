"""Accesses that have no bound but in launches without a thread that executes them: the contract
says so, and a launch that breaks that faults."""

from __future__ import annotations

from random import Random

from ptxlint.api import infer

from .kernels import ROOT, subjects
from .launches import Launches

PATH = ROOT / "regressions/rows_of_two_joined.ptx"
NAMES = ("x", "y", "z", "planes", "rows", "own", "cols", "pitch", "height")


def test_a_guard_that_no_launch_fails_is_a_requirement() -> None:
    (contract,) = infer(PATH, params=NAMES)
    assert contract.complete
    assert {"cols <= own", "nctaid.y <= planes"} <= set(contract.needs)
    assert "nctaid.x <= rows" not in contract.needs


def test_a_launch_that_fails_the_guard_faults() -> None:
    (subject,) = subjects(PATH)
    drawn = Launches(subject, Random("joined"))
    draw = drawn.draw()
    for name, number in {"nctaid.x": 2, "nctaid.y": 1, "ntid.x": 32, "planes": 1, "rows": 2,
                         "own": 20, "cols": 20, "pitch": 20, "height": 40}.items():  # fmt: skip
        draw = draw.but(name, number)
    sizes = drawn.sizes(draw)
    assert drawn.meets(draw)
    wider = draw.but("cols", 21)
    assert not drawn.meets(wider)
    candidate = drawn.concrete(wider, sizes)
    assert candidate is not None and drawn.faults(candidate)
