"""Kernels of Triton run on arrays of numpy, and their launches are checked. Needs triton."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ptxlint
import ptxlint.triton
from tests.frontends.tensors import Tensor

triton = pytest.importorskip("triton")
tl = pytest.importorskip("triton.language")
pytestmark = pytest.mark.filterwarnings("ignore")


@triton.jit
def add(x, y, out, n, BLOCK: tl.constexpr):  # type: ignore[no-untyped-def]  # noqa: N803
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    total = tl.load(x + offsets, mask=mask) + tl.load(y + offsets, mask=mask)
    tl.store(out + offsets, total, mask=mask)


@triton.jit
def shift(x, out, n, BLOCK: tl.constexpr):  # type: ignore[no-untyped-def]  # noqa: N803
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    value = tl.load(x + offsets + 1, mask=offsets < n)  # the planted bug
    tl.store(out + offsets, value, mask=offsets < n)


@triton.jit
def row_sums(x, out, columns, BLOCK: tl.constexpr):  # type: ignore[no-untyped-def]  # noqa: N803
    row = tl.program_id(0)
    offsets = tl.arange(0, BLOCK)
    values = tl.load(x + row * columns + offsets, mask=offsets < columns, other=0.0)
    tl.store(out + row, tl.sum(values, axis=0))


def line_of(text: str) -> int:
    lines = Path(__file__).read_text().splitlines()
    return next(number for number, line in enumerate(lines, 1) if text in line)


def errors(report: ptxlint.Report) -> list[ptxlint.Finding]:
    """The findings that are no matter of speed."""
    return [finding for finding in report.findings if finding.severity.value == "error"]


def zeros(count: int = 1000) -> Any:
    return np.zeros(count, np.float32)


def test_a_kernel_runs_on_arrays_of_numpy() -> None:
    x, y, out = np.arange(1000, dtype=np.float32), np.ones(1000, np.float32), zeros()
    with ptxlint.triton.interpret():
        add[(4,)](x, y, out, 1000, BLOCK=256)
    assert np.array_equal(out, x + y)


def test_the_grid_may_be_a_function_of_the_arguments() -> None:
    x, out = np.ones(100, np.float32), zeros(100)
    with ptxlint.triton.interpret():
        add[lambda all: (triton.cdiv(all["n"], all["BLOCK"]),)](x, x, out, 100, BLOCK=64)
    assert (out == 2).all()


def test_shared_memory_and_shuffles_sum_up() -> None:
    x, out = np.arange(300, dtype=np.float32).reshape(3, 100), zeros(3)
    with ptxlint.triton.interpret():
        row_sums[(3,)](x, out, 100, BLOCK=128)
    assert out.tolist() == x.sum(axis=1).tolist()


def test_a_fault_is_raised_at_its_line_of_this_file() -> None:
    with pytest.raises(ptxlint.NotClean) as raised, ptxlint.triton.interpret():
        shift[(4,)](zeros(), zeros(), 1000, BLOCK=256)
    assert f"test_triton.py:{line_of('the planted bug')}:" in str(raised.value)
    assert "out of bounds of x" in str(raised.value)


def test_a_launch_is_checked_without_running_it() -> None:
    report = ptxlint.triton.check(shift, (4,), zeros(), zeros(), 1000, BLOCK=256)
    (finding,) = errors(report)
    assert (finding.rule, finding.location.line) == ("out-of-bounds", line_of("the planted bug"))


@pytest.mark.parametrize("count", [1, 16, 1000, 1024])
def test_all_accesses_of_a_right_launch_are_proved(count: int) -> None:
    arrays = zeros(count), zeros(count), zeros(count)
    report = ptxlint.triton.check(add, (4,), *arrays, count, BLOCK=256, num_warps=2)
    accesses = report.summary.accesses
    assert not errors(report) and accesses.proved == accesses.total > 0
    assert "block 64" in report.kernels[0].launch


def test_a_pointer_that_is_not_divisible_is_compiled_for() -> None:
    whole = zeros(1025)
    report = ptxlint.triton.check(add, (4,), whole[1:], zeros(1024), zeros(1024), 1024, BLOCK=256)
    assert not errors(report)


def test_a_missing_argument_is_refused() -> None:
    with pytest.raises(ptxlint.Error, match="add: missing a required argument: 'out'"):
        ptxlint.triton.check(add, (4,), zeros(), zeros())


def test_a_watch_checks_what_is_launched(monkeypatch: pytest.MonkeyPatch) -> None:
    function = ptxlint.triton.function_class()
    monkeypatch.setattr(function, "run", lambda *_, **__: None)  # there is no GPU
    with pytest.raises(ptxlint.NotClean, match="out-of-bounds"):  # noqa: SIM117
        with ptxlint.triton.watch(on_finding="raise") as seen:
            for _ in range(3):
                shift[(4,)](zeros(), zeros(), 1000, BLOCK=256)
    assert sum(one.count for one in seen.launches) == 3


def test_a_watch_takes_the_kernel_that_was_made(monkeypatch: pytest.MonkeyPatch) -> None:
    """Here for another architecture, and for more warps than the call says."""
    function = ptxlint.triton.function_class()
    pointers = dict.fromkeys(("x", "y", "out"), "*fp32")
    signature = {**pointers, "n": "i32", "BLOCK": "constexpr"}
    source = triton.compiler.ASTSource(add, signature, {"BLOCK": 256}, {})
    target = triton.backends.compiler.GPUTarget("cuda", 90, 32)
    made = triton.compile(source, target=target, options={"num_warps": 8})
    monkeypatch.setattr(function, "run", lambda *_, **__: made)
    with ptxlint.triton.watch() as seen:
        assert add[(4,)](zeros(), zeros(), zeros(), 1000, BLOCK=256) is made
    ((loaded, one),) = seen.launched
    assert one.launch.block == (256, 1, 1)
    assert ".target sm_90" in loaded.source.text
    assert not [each for each in seen.findings if each.severity.value == "error"]


def unlaunched(monkeypatch: pytest.MonkeyPatch) -> None:
    """There is no GPU."""
    monkeypatch.setattr(ptxlint.triton.function_class(), "run", lambda *_, **__: None)


@pytest.mark.parametrize(("dtype", "size"), [("bfloat16", 2), ("float16", 2), ("float64", 8)])
def test_tensors_of_all_types_are_seen(
    dtype: str, size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    unlaunched(monkeypatch)
    x, out = (Tensor(1000, 1 << at, f"torch.{dtype}", size) for at in (20, 21))
    with ptxlint.triton.watch(on_finding="ignore") as seen:
        add[(4,)](x, x, out, 1000, BLOCK=256)
    (one,) = seen.launches
    assert [getattr(each, "size", each) for each in one.launch.arguments][:1] == [1000 * size]
    assert not seen.skipped and not [f for f in seen.findings if f.severity.value == "error"]


def test_the_grid_is_that_of_the_time_of_the_launch(monkeypatch: pytest.MonkeyPatch) -> None:
    unlaunched(monkeypatch)
    with ptxlint.triton.watch(on_finding="ignore") as seen:
        for n in (100, 1000):
            grid = lambda all: (triton.cdiv(n, all["BLOCK"]),)  # noqa: E731, B023
            add[grid](zeros(), zeros(), zeros(), n, BLOCK=64)
    assert [one.launch.grid for one in seen.launches] == [(2, 1, 1), (16, 1, 1)]


def test_what_cannot_be_captured_is_told_and_the_program_goes_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    unlaunched(monkeypatch)
    with ptxlint.triton.watch(on_finding="ignore") as seen:
        add[(4,)](Tensor(8, 0, "torch.complex128"), zeros(), zeros(), 8, BLOCK=64)
        add[lambda _: 1 // 0](zeros(), zeros(), zeros(), 8, BLOCK=64)
    seen.settle()
    reasons = [why.partition(": ")[2] for why in seen.skipped]
    assert sorted(reasons) == [
        "ZeroDivisionError: integer division or modulo by zero",
        "elements of type complex128 are not supported",
    ]


def test_the_reason_of_an_error_of_triton_is_behind_the_text_of_the_kernel() -> None:
    error = ValueError("at 3:20:\n    i = tl.arange(0, n)\n    ^")
    assert ptxlint.triton.reason(error) == "at 3:20: ^"
    error.__cause__ = TypeError("ranks differ")
    assert ptxlint.triton.reason(error) == "at 3:20: ranks differ"
    assert ptxlint.triton.reason(ValueError("no kernel\nat all")) == "no kernel"
