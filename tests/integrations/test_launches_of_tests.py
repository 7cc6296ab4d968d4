"""``pytest --ptxlint`` checks the kernels that tests launch, and records their launches."""

from __future__ import annotations

import json
from typing import Any

import pytest

import ptxlint
import ptxlint.cupy
import ptxlint.integrations.launches_of_tests  # what is imported now stays so, as numpy must
from ptxlint.extraction import cuda

cupy = pytest.importorskip("cupy")
pytestmark = pytest.mark.skipif(cuda.nvrtc_library() is None, reason="no NVRTC")

PLUGIN = ("-p", "ptxlint.integrations.pytest_plugin", "-p", "no:cacheprovider")
PROJECT = '''
import numpy as np
import pytest
import ptxlint.cupy

CODE = r"""
extern "C" __global__ void copy(const float* x, float* y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = x[i];
}
extern "C" __global__ void both(float* x) {
    x[0] = threadIdx.x;
}
extern "C" __global__ void gather(const short* at, const float* x, float* y) {
    y[threadIdx.x] = x[at[threadIdx.x]];
}
"""

def arrays(size):
    return np.ones(size, np.float32), np.zeros(size, np.float32)

def test_right():
    copy = ptxlint.cupy.RawKernel(CODE, "copy")
    for _ in range(2):
        copy(2, 64, (*arrays(100), 100))

def test_wrong():
    both = ptxlint.cupy.RawKernel(CODE, "both", checks="memory")
    both(1, 64, (np.zeros(1, np.float32),))

def gathered():
    at = np.arange(32, dtype=np.int16)
    gather = ptxlint.cupy.RawKernel(CODE, "gather")
    gather(1, 32, (at, *arrays(32)))

def test_open():
    gathered()

@pytest.mark.ptxlint(require="bounds")
def test_required():
    gathered()

@pytest.mark.ptxlint(ignore="data-race")
def test_ignored():
    both = ptxlint.cupy.RawKernel(CODE, "both", checks="memory")
    both(1, 64, (np.zeros(1, np.float32),))
'''


@pytest.fixture(autouse=True)
def only_this_plugin(monkeypatch: pytest.MonkeyPatch, pytester: pytest.Pytester) -> None:
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    monkeypatch.delenv("PYTEST_ADDOPTS", raising=False)
    pytester.makepyfile(PROJECT)


def test_launches_are_checked_and_recorded(pytester: pytest.Pytester) -> None:
    result = pytester.runpytest(*PLUGIN, "--ptxlint", "--ptxlint-record", "launches.jsonl")
    result.assert_outcomes(passed=3, failed=2)
    result.stdout.fnmatch_lines(
        [
            "*test_wrong launched block 64, grid 1, *x 4 bytes*",
            "*test_launches_are_checked_and_recorded.py:11:*: error?data-race? *",
            "*test_required launched block 32, grid 1, *",
        ]
    )
    lines = pytester.path.joinpath("launches.jsonl").read_text().splitlines()
    recorded = [json.loads(line) for line in lines]
    assert [(one["kernel"], one["count"], one["site"].rpartition("::")[2]) for one in recorded] == [
        ("copy", 2, "test_right"),
        ("both", 2, "test_wrong"),
        ("gather", 2, "test_open"),
    ]


def test_a_record_is_checked_where_there_is_no_gpu(pytester: pytest.Pytester) -> None:
    pytester.runpytest(
        *PLUGIN, "--ptxlint-record", "launches.jsonl", "-k", "wrong"
    ).assert_outcomes(passed=1, deselected=4)
    namespace: dict[str, Any] = {"__name__": "kernels"}
    exec(PROJECT.partition("def arrays")[0], namespace)
    report = ptxlint.check(namespace["CODE"], launches="launches.jsonl", kernel="both")
    (finding,) = report.findings
    assert finding.rule == "data-race"
    assert "::test_wrong" in report.kernels[0].launch
