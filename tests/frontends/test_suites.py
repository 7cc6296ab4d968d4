"""Kernels of each front end: what the interpreter computes is what numpy computes, launches are
decided without a false alarm, and defects are found at their lines."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import pytest

from ptxlint.extraction import cuda
from tests.frontends.suites.case import Figures, lines_of

NEEDED = {"cupy": "numpy", "numba": "numba.cuda", "triton": "triton"}
DECIDED = {"cupy": 0.97, "numba": 0.97, "triton": 0.97}
"""The least share of accesses that are decided."""

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore")]


def suite(name: str) -> Any:
    """The kernels of a front end; skips the test where its compiler is not there."""
    pytest.importorskip(NEEDED[name])
    if name != "triton" and cuda.nvrtc_library() is None:
        pytest.skip("no NVRTC")
    return import_module(f"tests.frontends.suites.{name}_kernels")


@pytest.mark.parametrize("name", NEEDED)
def test_right_kernels(name: str) -> None:
    figures = Figures.of(suite(name).CASES)
    assert (figures.alarms, figures.different) == ((), ())
    assert figures.decided >= DECIDED[name] * figures.accesses


@pytest.mark.parametrize("name", NEEDED)
def test_defects(name: str) -> None:
    assert lines_of(suite(name).defects()) == []
