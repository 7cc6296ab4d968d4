"""Division by a parameter whose reciprocal the host gives: the contract says what a reciprocal is,
and launches that meet it divide."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from ptxlint.api import infer
from ptxlint.checker import check
from ptxlint.contracts.contract import Contract
from ptxlint.contracts.expression import conditions
from ptxlint.contracts.reciprocals import Reciprocal, reciprocals
from ptxlint.options import Options
from ptxlint.syntax import read_source

from .kernels import ROOT, subjects
from .launches import Draw, Launches

PATH = ROOT / "regressions/fast_division.ptx"
GROUPS = ROOT / "regressions/fast_division_of_groups.ptx"
NAMES = ("x", "y", "n", "m", "s", "d", "stride")
RECIPROCAL = Reciprocal("m", "s", "d")
LAUNCHES = 60


def prepared(divisor: int) -> tuple[int, int]:
    """The multiplier and the shift that a host computes."""
    shift = (divisor - 1).bit_length()
    return (2**32 * (2**shift - divisor)) // divisor + 1, shift


def launches(seed: str, path: Path = PATH) -> Launches:
    (subject,) = subjects(path)
    return Launches(subject, Random(seed))


@pytest.mark.parametrize("divisor", [1, 2, 3, 7, 64, 641, 2**20 - 1, 2**31 - 1])
def test_what_a_host_computes_is_a_reciprocal(divisor: int) -> None:
    multiplier, shift = prepared(divisor)
    of = {"m": multiplier, "s": shift, "d": divisor}.__getitem__
    assert all(one.holds(of) for one in conditions(RECIPROCAL.text))
    other = {"m": multiplier + 2**22, "s": shift, "d": divisor}.__getitem__
    assert not all(one.holds(other) for one in conditions(RECIPROCAL.text))


def test_the_contract_is_what_the_source_says() -> None:
    (contract,) = infer(PATH, params=NAMES)
    assert contract.complete
    assert contract.needs == (RECIPROCAL.text, "nctaid.x*ntid.x <= 2**31", "stride >= 0")
    assert contract.buffers == {"x": "4*((n - 1)//d)*stride + 4*d@4", "y": "4*n@4"}
    assert list(reciprocals(conditions(contract.needs[0]))) == [RECIPROCAL]


def test_a_row_has_whole_groups() -> None:
    (contract,) = infer(GROUPS, params=NAMES)
    assert contract.complete
    assert "d % 4 == 0" in contract.needs
    assert contract.buffers == {"x": "4*((4*n - 4)//d)*stride + 4*d@4", "y": "4*n@4"}


@pytest.mark.parametrize("path", [PATH, GROUPS])
def test_launches_that_meet_the_contract_stay_inside(path: Path) -> None:
    drawn, ran = launches("divide", path), 0
    pick = drawn.random
    while ran < LAUNCHES:
        draw: Draw = pick.choice((drawn.draw, drawn.far))()
        divisor = pick.choice((1, 2, 3, 4, 5, 7, 8, 31, 32, 100, 1000, pick.randrange(1, 2**31)))
        multiplier, shift = prepared(divisor)
        draw = draw.but("d", divisor).but("m", multiplier).but("s", shift)
        if not drawn.meets(draw) or (candidate := drawn.concrete(draw, drawn.sizes(draw))) is None:
            continue
        ran += 1
        assert not drawn.faults(candidate)


def test_another_multiplier_is_refused_and_leaves_the_buffer() -> None:
    drawn = launches("wrong")
    draw = drawn.draw().but("nctaid.x", 1).but("ntid.x", 32).but("n", 32).but("stride", 7)
    draw = draw.but("d", 7).but("m", 0).but("s", 0)
    sizes = drawn.sizes(draw)
    assert any(RECIPROCAL.text in said for said in drawn.refusals(draw, sizes))
    candidate = drawn.concrete(draw, sizes)
    assert candidate is not None and drawn.faults(candidate)


def test_the_contract_may_be_declared_again() -> None:
    (contract,) = infer(PATH, params=NAMES)
    declared = Contract(
        params=NAMES, requires=contract.needs, buffers=dict(contract.buffers)
    )  # fmt: skip
    report = check([read_source(str(PATH))], Options((declared,)))
    assert report.summary.accesses.proved == 2
