"""What blocks inherit from their dominators is what lists of the blocks behind each branch say."""

from __future__ import annotations

from typing import Any

import pytest

from analyses import divergence as under_test
from analyses.domains.uniformity import Uniformities
from analyses.flow import Flow
from analyses.program import SsaFunction
from bench.scale import generated
from tests.observation.generate import generate
from tests.observation.launches import kernels_of

SHAPES = ("ladder", "guarded", "nested_ifs", "nested_loops")


def facts(function: SsaFunction) -> tuple[Any, ...]:
    found = under_test.divergence(Flow(function), Uniformities())
    found.rest()
    splits = [sorted(of) for of in found.controlling]
    marks = found.partially_exited, found.exit_levels
    return found.levels, found.control, found.branches, splits, *marks


@pytest.mark.parametrize(
    "text",
    [*map(generate, range(40)), *(generated(shape, 300) for shape in SHAPES)],
    ids=[*map(str, range(40)), *SHAPES],
)
def test_nothing_is_lost_by_inheriting(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for kernel in kernels_of(text):
        inherited = facts(kernel)
        with monkeypatch.context() as listing:
            listing.setattr(under_test.DivergenceSolver, "single_exit", lambda self, block: False)
            assert facts(kernel) == inherited
