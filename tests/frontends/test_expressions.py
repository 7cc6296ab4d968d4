"""CuPy's kernels of expressions run on arrays of numpy, and their calls are checked. Needs cupy,
which writes their CUDA C without a GPU."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ptxlint
import ptxlint.cupy
from ptxlint.contracts.contract import Contract
from ptxlint.contracts.launch import ConcreteLaunch
from ptxlint.contracts.launch_check import check_launch
from ptxlint.contracts.resolution import resolved
from ptxlint.extraction import cuda
from ptxlint.frontends.cupy_expressions import (
    ExpressionLaunch,
    directed,
    elementwise,
    reduction,
    unplaced,
)
from ptxlint.inference.contract import contract_of
from tests.contracts.kernels import Subject

cupy = pytest.importorskip("cupy")
pytestmark = pytest.mark.skipif(cuda.nvrtc_library() is None, reason="no NVRTC")

F = np.float32
PLANE = np.arange(35, dtype=F).reshape(5, 7)
SHIFT = """
    int next = i + 1;
    z = x[next];  // beyond the end
"""


def add() -> ptxlint.cupy.ElementwiseKernel:
    return ptxlint.cupy.ElementwiseKernel("T x, T y", "T z", "z = x + y", "add")


def squares() -> ptxlint.cupy.ReductionKernel:
    return ptxlint.cupy.ReductionKernel("T x", "T y", "x * x", "a + b", "y = a", "0", "squares")


def line_of(text: str) -> int:
    lines = Path(__file__).read_text().splitlines()
    return next(number for number, line in enumerate(lines, 1) if text in line)


@pytest.mark.parametrize(
    ("x", "y"),
    [
        (PLANE, PLANE[::-1].copy()),
        (PLANE, F(3)),
        (PLANE.T, PLANE.T[0]),
        (PLANE[:, ::2], PLANE[:, 1:5]),
        (PLANE[:1], PLANE[:, :1]),
        (np.array(2, F), np.array(3, F)),
        (PLANE[:0], F(3)),
        (PLANE.astype(np.complex64), np.complex64(1j)),
    ],
)
def test_an_elementwise_kernel_computes_what_numpy_does(x: Any, y: Any) -> None:
    assert np.array_equal(add()(x, y), x + y)


@pytest.mark.parametrize("axis", [None, 0, 1, (0, 1)])
@pytest.mark.parametrize("keepdims", [False, True])
@pytest.mark.parametrize("x", [PLANE, PLANE.T, PLANE[:, ::2]], ids=["rows", "columns", "gaps"])
def test_a_reduction_computes_what_numpy_does(x: Any, axis: Any, keepdims: bool) -> None:
    found = squares()(x, axis=axis, keepdims=keepdims)
    assert np.array_equal(found, (x * x).sum(axis=axis, keepdims=keepdims))


@pytest.mark.parametrize("scale", [np.array(2, F), np.array([2, 5], F), PLANE])
def test_a_whole_array_beside_a_reduction_keeps_its_shape(scale: Any) -> None:
    kernel = ptxlint.cupy.ReductionKernel(
        "T x, raw T scale", "T y", "x", "a + b", "y = a * scale[0]", "0", "scaled"
    )
    assert kernel(PLANE, scale) == pytest.approx(PLANE.sum() * scale.flat[0])
    assert kernel.check(PLANE, scale).findings == ()


@pytest.mark.parametrize("spare", ["T", "raw T"])
def test_an_array_that_is_not_read_is_no_part_of_the_launch(spare: str) -> None:
    kernel = ptxlint.cupy.ElementwiseKernel(f"T x, {spare} spare", "T y", "y = x", "copied")
    other = PLANE[::-1].copy()
    assert (kernel(PLANE, other) == PLANE).all()
    assert kernel.check(PLANE, other).findings == ()


def test_results_may_be_given() -> None:
    out = np.zeros_like(PLANE)
    assert add()(PLANE, PLANE, out) is out and np.array_equal(out, 2 * PLANE)
    total = np.zeros((), F)
    assert squares()(PLANE, out=total) is total and total == (PLANE * PLANE).sum()


def test_calls_are_proved() -> None:
    for report in (add().check(PLANE, PLANE), squares().check(np.ones(1000, F))):
        assert not [each for each in report.findings if each.severity.value == "error"]
        assert not report.diagnostics
        bounds = next(each for each in report.kernels[0].verdicts if each.name.value == "bounds")
        assert bounds.proved > 0 and not (bounds.undecided or bounds.flagged or bounds.conditional)


def test_a_fault_is_found_at_the_line_of_the_expression() -> None:
    shift = ptxlint.cupy.ElementwiseKernel("raw T x", "T z", SHIFT, "shift")
    args = np.ones(100, F), np.zeros(100, F)
    place = f"test_expressions.py:{line_of('beyond the end')}:"
    with pytest.raises(ptxlint.NotClean) as raised:
        shift(*args)
    assert place in str(raised.value)
    (finding,) = shift.check(*args).findings
    assert place in f"{finding.location.short}:" and finding.rule == "out-of-bounds"


def test_accesses_of_a_reduction_are_at_the_lines_of_its_expressions() -> None:
    report = ptxlint.cupy.ReductionKernel(
        "T x",
        "T y",
        "x * x",  # the load
        "a + b",
        "y = a",  # the store
        "0",
    ).check(PLANE)
    lines = {each.location.line for each in report.accesses if each.location.path.endswith(".py")}
    assert lines == {line_of("# the load"), line_of("# the store")}


@pytest.mark.parametrize(
    ("args", "message"),
    [
        ((PLANE,), "add takes 2 arguments, or 3 with results, not 1"),
        ((F(1), F(2)), "no array says how many elements there are"),
        ((PLANE, PLANE.T), r"arrays of shapes \(5, 7\), \(7, 5\) do not broadcast"),
        ((PLANE, np.ones(7, np.int32)), "Type is mismatched"),
    ],
)
def test_what_cupy_refuses_is_refused(args: Any, message: str) -> None:
    with pytest.raises(ptxlint.Error, match=message):
        add()(*args)


def test_a_watch_sees_calls() -> None:
    with ptxlint.cupy.watch(on_finding="ignore") as seen:
        shift = cupy.ElementwiseKernel("raw T x", "T z", SHIFT, "shift")
        total = cupy.ReductionKernel("T x", "T y", "x", "a + b", "y = a", "0", "total")
        for kernel, *args in ((shift, np.ones(100, F), np.zeros(100, F)), (total, np.ones(100, F))):
            with suppress(Exception):  # there is no GPU, and these are no arrays of CuPy
                kernel(*args)
    assert [one.kernel for one in seen.launches] == ["shift", "total"]
    assert {finding.rule for finding in seen.findings if finding.severity.value == "error"} == {
        "out-of-bounds"
    }
    assert not seen.skipped


def test_directives_name_lines_of_other_files() -> None:
    lines = list(directed("a\nb\nc\nd", {2: ("k.py", 7), 3: ("k.py", 8)}, "x/k.cu"))
    assert lines == ["a", '#line 7 "k.py"', "b", "c", '#line 4 "k.cu"', "d"]


# --- inferred contracts

SOLID = np.zeros((6, 8, 10, 12), F)[::2, ::2, ::2, ::2]


def inferred(launched: ExpressionLaunch) -> tuple[Subject, ConcreteLaunch]:
    """What a kernel needs with nothing declared, and the launch of a call."""
    loaded = launched.loaded
    assert loaded is not None
    named = resolved([Contract(params=loaded.called)], loaded.kernel)
    subject = Subject(Path("k.ptx"), loaded.kernel, contract_of(loaded.kernel, named))
    return subject, loaded.launch(launched.grid, launched.block, 0, launched.values)


@pytest.mark.parametrize(
    "x", [PLANE, PLANE[:, ::2], SOLID[0], SOLID, np.zeros((8, 16), F).T], ids=lambda x: str(x.shape)
)
def test_calls_meet_the_contract_of_their_kernel(x: Any) -> None:
    """Arrays of several axes, of powers of two elements and of others: the contract is complete,
    and every buffer is as large as the call makes it."""
    subject, launch = inferred(
        elementwise(add()._written, (x, np.zeros((*x.shape[:-1], 1), F)), unplaced)
    )
    assert not subject.contract.unknown
    assert check_launch(subject.result.contract(), launch) == []


REDUCED = [PLANE, PLANE[:, ::2], SOLID[0]]
AXES = [None, 0, 1]


@pytest.mark.parametrize(
    ("x", "axis"),
    [
        pytest.param(x, axis, marks=() if i == j else pytest.mark.slow, id=f"{x.shape}-{axis}")
        for i, x in enumerate(REDUCED)
        for j, axis in enumerate(AXES)
    ],
)
def test_reductions_meet_the_contract_of_their_kernel(x: Any, axis: int | None) -> None:
    """Each array and each axis once; ``-m slow`` runs every pair."""
    subject, launch = inferred(reduction(squares()._written, (x,), unplaced, axis))
    assert not subject.contract.unknown
    assert check_launch(subject.result.contract(), launch) == []
