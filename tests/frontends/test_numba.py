"""Kernels of Numba run on arrays of numpy, and their launches are checked. Needs numba-cuda."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import ptxlint
import ptxlint.numba
from ptxlint.frontends.guard import inferred

cuda = pytest.importorskip("numba.cuda")
from numba.cuda import dispatcher as numba_dispatcher  # noqa: E402
from numba.cuda.random import (  # noqa: E402
    init_xoroshiro128p_states_cpu,
    xoroshiro128p_dtype,
    xoroshiro128p_uniform_float64,
)

pytestmark = pytest.mark.filterwarnings("ignore")


@cuda.jit
def saxpy(n, a, x, y):  # type: ignore[no-untyped-def]
    i = cuda.grid(1)
    if i < n:
        y[i] += a * x[i]


@cuda.jit
def shift(x, n):  # type: ignore[no-untyped-def]
    i = cuda.grid(1)
    if i < n:
        x[i] = x[i + 1]  # the planted bug


@cuda.jit
def transpose(source, target):  # type: ignore[no-untyped-def]
    i, j = cuda.grid(2)
    if i < source.shape[0] and j < source.shape[1]:
        target[j, i] = source[i, j]


@cuda.jit
def mixed(pair, scale, turn, out):  # type: ignore[no-untyped-def]
    out[0] = pair[0] + pair[1] * scale.real + scale.imag
    if turn:
        out[0] = -out[0]


@cuda.jit(device=True)
def last_of(x, n):  # type: ignore[no-untyped-def]
    return x[n]  # past the end


@cuda.jit(device=True)
def nested(x, n):  # type: ignore[no-untyped-def]
    return last_of(x, n) + 1


@cuda.jit
def by_a_function(x, y, n):  # type: ignore[no-untyped-def]
    y[0] = nested(x, n)


@cuda.jit
def by_it_again(x, y, n):  # type: ignore[no-untyped-def]
    y[0] = 2 * nested(x, n)


@cuda.jit
def drawn(states, out):  # type: ignore[no-untyped-def]
    i = cuda.grid(1)
    if i < out.size:
        out[i] = xoroshiro128p_uniform_float64(states, i)


@cuda.jit(device=True)
def unknown_attribute(x):  # type: ignore[no-untyped-def]
    return x.nothing  # of this line


@cuda.jit
def refused_inside(x):  # type: ignore[no-untyped-def]
    x[0] = unknown_attribute(x)


@cuda.jit
def median(src, dst):  # type: ignore[no-untyped-def]
    y, x = cuda.grid(2)
    if 1 <= y < src.shape[0] - 1 and 1 <= x < src.shape[1] - 1:
        w = cuda.local.array(9, np.uint8)
        for k in range(9):
            w[k] = src[y + k // 3 - 1, x + k % 3 - 1]
        dst[y, x] = w[4]


def line_of(text: str) -> int:
    lines = Path(__file__).read_text().splitlines()
    return next(number for number, line in enumerate(lines, 1) if text in line)


def test_a_kernel_runs_on_arrays_of_numpy() -> None:
    x, y = np.arange(1000, dtype=np.float32), np.ones(1000, np.float32)
    with ptxlint.numba.interpret():
        saxpy[4, 256](1000, np.float32(2), x, y)
    assert np.array_equal(y, 2 * np.arange(1000, dtype=np.float32) + 1)


def test_strides_and_shapes_are_those_of_the_array() -> None:
    source = np.arange(70, dtype=np.float64).reshape(7, 10)[:, 2:8]
    target = np.zeros((6, 7), order="F")
    with ptxlint.numba.interpret():
        transpose[(1, 1), (8, 8)](source, target)
    assert np.array_equal(target, source.T)


def test_an_array_that_is_refused_goes_by_its_name() -> None:
    x, y = np.zeros(1000, np.float32), np.zeros(8, np.float32)
    with pytest.raises(ptxlint.Error, match=r"^argument x: an array with negative strides"):
        ptxlint.numba.check(saxpy[4, 256], 1000, np.float32(2), x[::-1], y)


def test_tuples_complex_numbers_and_booleans_are_arguments() -> None:
    out = np.zeros(1)
    with ptxlint.numba.interpret():
        mixed[1, 1]((3, 4.0), 2 + 5j, True, out)
    assert out[0] == -16


def test_a_fault_is_raised_at_its_line_of_this_file() -> None:
    with pytest.raises(ptxlint.NotClean) as raised, ptxlint.numba.interpret(checks="memory"):
        shift[2, 64](np.zeros(128, np.float32), 128)
    assert f"test_numba.py:{line_of('the planted bug')}:" in str(raised.value)
    assert "out of bounds of x" in str(raised.value)


def test_a_launch_is_checked_without_running_it() -> None:
    x = np.zeros(128, np.float32)
    report = ptxlint.numba.check(shift[2, 64], x, 128)
    assert "out-of-bounds" in {finding.rule for finding in report.findings}
    assert {finding.location.line for finding in report.findings} == {line_of("the planted bug")}


def test_all_accesses_of_a_right_launch_are_proved() -> None:
    x, y = np.zeros(1000, np.float32), np.zeros(1000, np.float32)
    report = ptxlint.numba.check(saxpy[4, 256], 1000, np.float32(2), x, y)
    assert not report.findings
    accesses = report.summary.accesses
    assert accesses.proved == accesses.total == 3


def test_a_wrong_number_of_arguments_is_refused() -> None:
    with pytest.raises(ptxlint.Error, match="saxpy takes 4 arguments, not 1: n, a, x, y"):
        ptxlint.numba.check(saxpy[1, 1], 7)


def test_a_watch_checks_what_is_launched(monkeypatch: pytest.MonkeyPatch) -> None:
    dispatcher = ptxlint.numba.dispatcher_class()
    monkeypatch.setattr(dispatcher, "call", lambda *_: None)  # there is no GPU
    with pytest.raises(ptxlint.NotClean, match="out-of-bounds"):  # noqa: SIM117
        with ptxlint.numba.watch(on_finding="raise") as seen:
            shift[2, 64](np.zeros(128, np.float32), 128)
            shift[2, 64](np.zeros(128, np.float32), 128)
    assert [one.count for one in seen.launches] == [2]


def test_device_functions_are_compiled_without_a_gpu() -> None:
    x, y = np.arange(8, dtype=np.float64), np.zeros(1)
    with ptxlint.numba.interpret():
        by_a_function[1, 1](x, y, 7)
        assert y[0] == 8
        by_it_again[1, 1](x, y, 6)
        assert y[0] == 14


def test_a_fault_inside_of_a_device_function_has_its_line() -> None:
    x, y = np.zeros(8), np.zeros(1)
    report = ptxlint.numba.check(by_a_function[1, 1], x, y, 8)
    (found,) = report.findings
    assert (found.rule, found.location.line) == ("out-of-bounds", line_of("# past the end"))


def test_numba_is_left_as_it_was() -> None:
    known = (numba_dispatcher.get_current_device, numba_dispatcher.CUDADispatcher.compile_device)
    options = last_of.targetoptions
    ptxlint.numba.check(by_a_function[1, 1], np.zeros(8), np.zeros(1, np.float32), 8)
    with pytest.raises(ptxlint.Error):
        ptxlint.numba.check(refused_inside[1, 1], np.zeros(8))
    after = (numba_dispatcher.get_current_device, numba_dispatcher.CUDADispatcher.compile_device)
    assert after == known
    assert not last_of.overloads and not nested.overloads and not unknown_attribute.overloads
    assert last_of.targetoptions is options


def test_random_numbers_of_numba_are_drawn() -> None:
    states, out = np.zeros(8, xoroshiro128p_dtype), np.zeros(5)
    init_xoroshiro128p_states_cpu(states, 7, 0)
    first = states.copy()
    with ptxlint.numba.interpret():
        drawn[1, 8](states, out)
    sums = (first["s0"] + first["s1"])[:5]
    assert np.array_equal(out, (sums >> np.uint64(11)) * 2.0**-53)


def test_an_error_of_numba_is_told_in_whole() -> None:
    with pytest.raises(ptxlint.Error) as raised:
        ptxlint.numba.check(refused_inside[1, 1], np.zeros(8))
    first, *more = str(raised.value).splitlines()
    assert first.startswith(
        "refused_inside: Numba does not compile it: Unknown attribute 'nothing'"
    )
    line = line_of("# of this line")
    assert any(f"line {line}:" in one for one in more)
    assert all(one.startswith("  ") for one in more)


def test_the_contract_asks_of_arrays_alone() -> None:
    """What is added to an address, as the length of a row is, is no buffer."""
    src, dst = np.zeros((18, 21), np.uint8), np.zeros((18, 21), np.uint8)
    loaded, _ = ptxlint.numba.prepared(median, [src, dst])
    contract = inferred(loaded)
    assert set(contract.buffers) == {"src", "dst"}
    assert [str(each) for each in contract.distinct or ()]
