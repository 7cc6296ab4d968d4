"""Loads by one of several pointers: the contract speaks of each, and launches that meet it stay
inside."""

from __future__ import annotations

from random import Random

from ptxlint.api import infer

from .kernels import ROOT, subjects
from .launches import Launches

PATH = ROOT / "regressions/two_arrays_as_one.ptx"
NAMES = ("x", "y", "z", "n", "m")
LAUNCHES = 60


def test_each_array_has_an_extent_of_its_own() -> None:
    (contract,) = infer(PATH, params=NAMES)
    assert contract.complete
    assert contract.buffers == {"x": "4*n@4", "y": "4*m@4", "z": "4*m + 4*n@4"}
    assert set(contract.distinct) == {"x, z", "y, z"}


def test_launches_that_meet_the_contract_stay_inside() -> None:
    (subject,) = subjects(PATH)
    drawn, ran = Launches(subject, Random("arrays")), 0
    while ran < LAUNCHES:
        draw = drawn.random.choice((drawn.draw, drawn.far))()
        if not drawn.meets(draw) or (candidate := drawn.concrete(draw, drawn.sizes(draw))) is None:
            continue
        ran += 1
        assert not drawn.faults(candidate)


def test_a_short_array_is_refused_and_left() -> None:
    (subject,) = subjects(PATH)
    drawn = Launches(subject, Random("short"))
    draw = drawn.draw().but("nctaid.x", 2).but("ntid.x", 32).but("n", 20).but("m", 30)
    sizes = {**drawn.sizes(draw), "y": 116}
    assert drawn.refusals(draw, sizes)
    candidate = drawn.concrete(draw, sizes)
    assert candidate is not None and drawn.faults(candidate)
