"""A contract does not depend on where the symbols of an analysis lie in memory."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from .kernels import ROOT

ALLOCATORS = ("pymalloc", "malloc", "debug")


def contract(name: str, allocator: str) -> str:
    command = [sys.executable, "-m", "ptxlint", "contract", "--no-cache", str(ROOT / name)]
    environment = {**os.environ, "PYTHONMALLOC": allocator}
    return subprocess.run(command, env=environment, capture_output=True, text=True).stdout


HEADS = "regressions/steps_behind_heads.ptx"
WHOLE = "[0 .. 4*param_2*param_3*param_4*param_5)"


@pytest.mark.parametrize(
    ("name", "bytes_"), [(HEADS, WHOLE), ("clean/planes_moved.ptx", "param_1[0 .. 4*param_2")]
)
def test_contracts_are_the_same_with_each_allocator(name: str, bytes_: str) -> None:
    found = {contract(name, allocator) for allocator in ALLOCATORS}
    assert len(found) == 1
    assert bytes_ in found.pop()
