"""The real code that checks are measured on is built from what is installed, or left out aloud."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest

from bench import real_code
from ptxlint.checker import check
from ptxlint.source import Source

nvcc = pytest.mark.skipif(not shutil.which("nvcc"), reason="no nvcc")


def test_each_algorithm_is_instantiated_for_its_types() -> None:
    texts = dict(real_code.sources())
    assert len(texts) == 34
    assert "using T = double;" in texts["merge_double"]
    assert "cub::DeviceMergeSort::SortKeys(storage, bytes, a, n, Less())" in texts["merge_double"]
    assert "storage" not in texts["thrust_transform_int"]


@pytest.mark.parametrize(
    ("names", "found"),
    [
        (["scan"], ["scan_int", "scan_float", "scan_double"]),
        (["scan_float", "radix_pairs"], ["scan_float", "radix_pairs"]),
    ],
)
def test_names_select_files(names: list[str], found: list[str]) -> None:
    assert [name for name, _ in real_code.sources(names)] == found


def test_without_a_compiler_it_is_said_what_is_left_out(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(sys, "argv", ["real_code", str(tmp_path / "real")])
    with pytest.raises(SystemExit, match="CUB and Thrust left out: no nvcc found"):
        real_code.main()
    assert not (tmp_path / "real").exists()


@nvcc
def test_a_header_that_is_missing_is_named(tmp_path: Path) -> None:
    problem = real_code.compiled("#include <no/such/header.h>\n", tmp_path / "x.ptx")
    assert "no/such/header.h" in problem
    assert not (tmp_path / "x.ptx").exists()


@nvcc
@pytest.mark.slow
def test_what_is_built_is_checked(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["real_code", str(tmp_path), "thrust_transform_int"])
    real_code.main()
    path = tmp_path / "thrust_transform_int.ptx"
    assert capsys.readouterr().out.split() == [str(path)]
    report = check([Source(str(path), path.read_text("utf-8"))])
    assert report.kernels
    assert not report.diagnostics
