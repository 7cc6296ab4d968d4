"""Parts of an array that a loop hands round."""

from __future__ import annotations

from pathlib import Path

import pytest

from analyses.polynomials.formatting import at_least
from ptxlint.contracts.contract import Contract
from ptxlint.contracts.resolution import resolved
from ptxlint.facts.kernel_facts import Facts
from ptxlint.inference.exchanged import exchanged
from ptxlint.inference.reasons import EXCHANGED
from tests.observation.launches import kernels_of

from .kernels import ROOT


@pytest.mark.parametrize(
    ("name", "params", "needs"),
    [
        ("halves_at_a_distance", ("x", "y", "apart", "steps"), {"apart >= 0"}),
        ("thirds_in_turns", ("x", "y", "n", "steps"), {"n >= -1"}),
        ("saxpy_grid_stride", ("n", "a", "x", "y"), set()),
    ],
)
def test_the_parts_are_to_lie_one_behind_the_other(
    name: str, params: tuple[str, ...], needs: set[str]
) -> None:
    path: Path = ROOT / "clean" / f"{name}.ptx"
    (of,) = kernels_of(path.read_text("utf-8"))
    facts = Facts(of, resolved([Contract(params=params)], of), "sm_80")
    found = {at_least(p.terms, facts.decided) for p, why, _ in exchanged(facts) if why == EXCHANGED}
    assert found == needs
