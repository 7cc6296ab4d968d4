"""Kernels of CuPy run on arrays of numpy, and their launches are captured and checked."""

from __future__ import annotations

import json
import warnings
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ptxlint
import ptxlint.cupy
from ptxlint.extraction import cuda
from ptxlint.frontends.cuda_text import parameter_names
from ptxlint.frontends.watching import KernelWarning

pytestmark = pytest.mark.skipif(cuda.nvrtc_library() is None, reason="no NVRTC")

SAXPY = r"""
extern "C" __global__ void saxpy(int n, float a, const float* x, float* y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = a * x[i] + y[i];  // the access
}
"""
BAD = r"""
extern "C" __global__ void shift(float* x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        x[i] = x[i + 1];  // the planted bug
}
"""


def line_of(text: str) -> int:
    """The line of this file that has a text."""
    lines = Path(__file__).read_text().splitlines()
    return next(number for number, line in enumerate(lines, 1) if text in line)


def test_a_kernel_runs_on_arrays_of_numpy() -> None:
    saxpy = ptxlint.cupy.RawKernel(SAXPY, "saxpy")
    x, y = np.arange(1000, dtype=np.float32), np.ones(1000, np.float32)
    saxpy((4,), (256,), (np.int32(1000), np.float32(2), x, y))
    assert np.array_equal(y, 2 * np.arange(1000, dtype=np.float32) + 1)


def test_views_are_read_and_written_in_their_array() -> None:
    saxpy = ptxlint.cupy.RawKernel(SAXPY, "saxpy")
    whole = np.arange(20, dtype=np.float32)
    saxpy((1,), (32,), (10, np.float32(1), whole[:10], whole[10:]))
    assert whole.tolist() == [*range(10), *range(10, 30, 2)]


def test_a_fault_is_raised_at_its_line_of_this_file() -> None:
    shift = ptxlint.cupy.RawKernel(BAD, "shift", checks="memory")
    with pytest.raises(ptxlint.NotClean) as raised:
        shift(2, 64, (np.zeros(128, np.float32), 128))
    assert f"test_cupy.py:{line_of('the planted bug')}:" in str(raised.value)
    assert "out of bounds of x" in str(raised.value)


def test_a_race_is_found_by_default() -> None:
    shift = ptxlint.cupy.RawKernel(BAD, "shift")
    with pytest.raises(ptxlint.NotClean, match="data-race"):
        shift(2, 64, (np.zeros(129, np.float32), 128))


def test_a_launch_is_checked_without_running_it() -> None:
    shift = ptxlint.cupy.RawKernel(BAD, "shift")
    x = np.zeros(128, np.float32)
    report = ptxlint.cupy.check(shift, 2, 64, (x, 128))
    assert {finding.rule for finding in report.findings} >= {"out-of-bounds"}
    assert {finding.location.line for finding in report.findings} == {line_of("the planted bug")}
    assert "x 512 bytes" in report.kernels[0].launch and "n=128" in report.kernels[0].launch
    assert not x.any()


@pytest.mark.parametrize(
    ("args", "message"),
    [
        ((1, 2.0, None, None), "argument a: a float of 8 bytes, the kernel takes .f32"),
        ((1, np.float64(2), None, None), "argument a: 8 bytes (float64), the kernel takes 4"),
        ((np.int64(1), np.float32(2), None, None), "argument n: 8 bytes (int64)"),
        ((1, np.int32(2), None, None), "argument a: int32, the kernel takes .f32"),
        ((1, np.float32(2), None), "saxpy takes 4 arguments, not 3: n, a, x, y"),
        ((1, np.float32(2), None, np.ones(4)[::-1]), "argument y: an array with negative strides"),
        ((1, np.float32(2), "x", None), "argument x: expected a number or an array, not str"),
    ],
)
def test_what_cupy_would_take_for_other_bytes_is_refused(args: Any, message: str) -> None:
    with pytest.raises(ptxlint.Error) as refused:
        ptxlint.cupy.RawKernel(SAXPY, "saxpy")(1, 1, args)
    assert message in str(refused.value)


def test_a_template_is_instantiated() -> None:
    code = "template<int N> __global__ void fill(float* p) { p[threadIdx.x] = N; }"
    module = ptxlint.cupy.RawModule(code=code, name_expressions=["fill<7>", "fill<8>"])
    p = np.zeros(4, np.float32)
    module.get_function("fill<8>")(1, 4, (p,))
    assert p.tolist() == [8, 8, 8, 8]


def test_a_structure_is_given_by_its_bytes() -> None:
    code = """
    struct Pair { int a; float b; };
    extern "C" __global__ void put(Pair pair, float* p) { p[0] = pair.a + pair.b; }
    """
    pair = np.array([(3, 0.5)], np.dtype([("a", np.int32), ("b", np.float32)]))[0]
    p = np.zeros(1, np.float32)
    put = ptxlint.cupy.RawKernel(code, "put")
    put(1, 1, (pair, p))
    assert p[0] == 3.5
    assert put.check(1, 1, (pair, p)).summary.accesses.proved == 1


def test_headers_of_the_toolkit_are_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "include").mkdir()
    (tmp_path / "include" / "of_the_toolkit.h").write_text("#define ONE 1.f\n")
    monkeypatch.setenv("CUDA_PATH", str(tmp_path))
    code = """#include <of_the_toolkit.h>
    extern "C" __global__ void ones(float* x) { x[threadIdx.x] = ONE; }"""
    x = np.zeros(32, np.float32)
    ptxlint.cupy.RawKernel(code, "ones")((1,), (32,), (x,))
    assert (x == 1).all()


def test_text_that_is_in_no_file_is_quoted_from_memory() -> None:
    code = BAD.replace("shift", "moved")
    report = ptxlint.cupy.RawKernel(code, "moved").check(2, 64, (np.zeros(128, np.float32), 128))
    assert {finding.location.short.rpartition("/")[2] for finding in report.findings} == {
        "moved.cu:5"
    }


# --- the watch


class DeviceArray:
    """What CuPy's arrays say of themselves: an address of a GPU that is not here."""

    def __init__(self, count: int, address: int) -> None:
        self.count, self.address = count, address

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        place = (self.address, False)
        return {"shape": (self.count,), "typestr": "<f4", "data": place, "version": 3}


def launched(kernel: Any, *call: Any) -> None:
    """A launch on a machine without a GPU: CuPy refuses it, when it is seen already."""
    with suppress(Exception):
        kernel(*call)


def test_a_watch_checks_each_distinct_launch_once(tmp_path: Path) -> None:
    cupy = pytest.importorskip("cupy")
    original = cupy.RawKernel
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        with ptxlint.cupy.watch() as seen:
            shift = cupy.RawKernel(BAD, "shift")
            assert isinstance(shift, original)
            for count in (129, 128, 128):
                launched(shift, (2,), (64,), (DeviceArray(count, 1 << 20), np.int32(128)))
    assert cupy.RawKernel is original
    assert [(one.count, one.launch.arguments[0].size) for one in seen.launches] == [  # type: ignore[union-attr]
        (1, 516),
        (2, 512),
    ]
    texts = [str(each.message) for each in warned if each.category is KernelWarning]
    assert any("out-of-bounds read of `x`" in text for text in texts)
    assert all(f"test_cupy.py:{line_of('the planted bug')}:" in text for text in texts)
    seen.save(tmp_path / "launches.jsonl")
    first, _ = (tmp_path / "launches.jsonl").read_text().splitlines()
    assert json.loads(first)["arguments"][0] == {
        "name": "x", "address": 1 << 20, "bytes": 516, "align": 256,
    }  # fmt: skip


def test_a_watch_can_raise() -> None:
    cupy = pytest.importorskip("cupy")
    with pytest.raises(ptxlint.NotClean, match="out-of-bounds"):  # noqa: SIM117
        with ptxlint.cupy.watch(on_finding="raise"):
            launched(cupy.RawKernel(BAD, "shift"), (2,), (64,), (DeviceArray(128, 0), 128))


def test_what_cannot_be_captured_is_said() -> None:
    cupy = pytest.importorskip("cupy")
    with ptxlint.cupy.watch(on_finding="ignore") as seen:
        launched(cupy.RawKernel(BAD, "shift"), (2,), (64,), (DeviceArray(128, 0),))
    with pytest.raises(ptxlint.NotClean, match=r"not captured: .*shift takes 2 arguments, not 1"):
        seen.assert_clean()


def test_the_program_goes_on_where_an_argument_cannot_be_described() -> None:
    cupy = pytest.importorskip("cupy")

    class Gone:
        def data_ptr(self) -> int:
            raise RuntimeError("it was freed")

        def element_size(self) -> int:
            return 4

        def stride(self) -> tuple[int, ...]:
            return ()

        shape = ()

    with ptxlint.cupy.watch(on_finding="ignore") as seen:
        launched(cupy.RawKernel(BAD, "shift"), (2,), (64,), (Gone(), 128))
    (why,) = seen.skipped
    assert why.startswith("tests/frontends/test_cupy.py:") and "it was freed" in why


def test_a_watch_that_saw_nothing_says_so() -> None:
    pytest.importorskip("cupy")
    with pytest.warns(KernelWarning, match="no launch was captured"), ptxlint.cupy.watch():
        pass


# --- names


@pytest.mark.parametrize(
    ("code", "names"),
    [
        ("__global__ void k(int n, float *__restrict__ x)", ("n", "x")),
        ("__global__ void __launch_bounds__(256, 2) k(const int (&a)[3], int b[])", ("a", "b")),
        ("__global__ void k(A<int, 3> a, B b /* , int c */)", ("a", "b")),
        ("__global__ void other(int z); __global__ void k()", ()),
        ("__global__ void other(int z) {} template<class T> __global__ void k(T t)", ("t",)),
    ],
)
def test_names_of_parameters_are_those_of_the_text(code: str, names: tuple[str, ...]) -> None:
    assert parameter_names(code, "k<int>") == names
