"""CUDA C is compiled where a compiler is found; its errors are one line with their place."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

import ptxlint
from ptxlint.extraction import cuda
from ptxlint.extraction.errors import ExtractionError

CODE = """
extern "C" __global__ void shift(float* x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] = x[i + 1];
}
"""
PTX = ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k() { ret; }\n"
LAUNCH = ptxlint.Contract(params="x,n", block=64, grid=2, args={"n": 128}, buffers={"x": 512})

nvrtc = pytest.mark.skipif(cuda.nvrtc_library() is None, reason="no NVRTC")
nvcc = pytest.mark.skipif(not shutil.which("nvcc"), reason="no nvcc")


@nvrtc
def test_a_text_of_cuda_c_is_a_source() -> None:
    (finding,) = ptxlint.check(CODE, contract=LAUNCH, select="out-of-bounds").findings
    assert finding.location.line == 4 or finding.ptx.line
    assert "512" in finding.message


@pytest.mark.parametrize(
    "compiler",
    [pytest.param("nvrtc", marks=nvrtc), pytest.param("nvcc", marks=[nvcc, pytest.mark.slow])],
)
def test_findings_are_at_the_line_of_the_file(
    tmp_path: Path, compiler: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if compiler == "nvrtc":
        monkeypatch.setenv("PATH", str(tmp_path))
    file = tmp_path / "shift.cu"
    file.write_text(CODE)
    (finding,) = ptxlint.check(file, contract=LAUNCH, select="out-of-bounds").findings
    assert (Path(finding.location.path), finding.location.line) == (file, 4)


@nvrtc
def test_an_error_is_one_line_with_its_place() -> None:
    with pytest.raises(ExtractionError, match=r'^k\.cu:1: identifier "y" is undefined$'):
        cuda.compiled("__global__ void f(int* x) { *x = y; }", "k.cu")


@nvrtc
def test_a_broken_file_does_not_stop_the_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from ptxlint.cli.inputs import read

    monkeypatch.setenv("PATH", str(tmp_path))
    (tmp_path / "a.cu").write_text("__global__ void f() { x = 1; }")
    (tmp_path / "b.cu").write_text(CODE)
    sources, (problem,) = read([str(tmp_path / "a.cu"), str(tmp_path / "b.cu")], None)
    assert [Path(source.path).name for source in sources] == ["b.ptx"]
    assert problem.path == str(tmp_path / "a.cu") and problem.line == 1


def test_a_file_is_read_once_however_it_is_spelt(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from ptxlint.cli.inputs import read

    monkeypatch.chdir(tmp_path)
    Path("k.cu").write_text("this is not compiled")
    Path("k.ptx").write_text(PTX)
    note = "k.cu: note: not compiled: k.ptx is named too, and is taken for its PTX"
    for paths in (["k.cu", "k.ptx", "./k.ptx"], ["k.ptx", str(tmp_path / "k.ptx"), "k.cu"]):
        sources, problems = read(paths, None)
        assert [source.path for source in sources] == ["k.ptx"]
        assert list(map(str, problems)) == [note]
        summary = ptxlint.check(paths).summary
        assert (summary.files, summary.analysed, summary.present) == (1, 1, 1)


def test_without_a_compiler_one_line_says_how_to_get_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(cuda, "nvrtc_library", lambda: None)
    file = tmp_path / "k.cu"
    file.write_text(CODE)
    (problem,) = ptxlint.check(file).diagnostics
    assert problem.message.startswith("no compiler for CUDA C: pip install nvidia-cuda-nvrtc")
