"""The metadata of Triton's cache declare shared memory and the names of parameters."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import ptxlint

KERNEL = """\
.version 8.8
.target sm_80
.address_size 64
.extern .shared .align 16 .b8 global_smem[];
.visible .entry fill(.param .u64 .ptr .global .align 1 fill_param_0, .param .u64 fill_param_1)
.reqntid 128
{
    .reg .b32 %r<5>;
    mov.u32 %r1, %tid.x;
    shl.b32 %r2, %r1, 2;
    mov.b32 %r3, global_smem;
    add.s32 %r4, %r3, %r2;
    st.shared.b32 [%r4], %r1;
    ret;
}
"""
FIRST_FORM = """\
module {
  tt.func public @fill(%out: !tt.ptr<f32> {tt.divisibility = 16 : i32} loc("out"(#loc))) {
    %n = tt.get_program_id x : i32
"""


def cached(folder: Path, shared: object) -> Path:
    """A kernel that writes 512 bytes of shared memory, in a folder of Triton's cache."""
    place = folder / "2O4U37BK"
    place.mkdir()
    (place / "fill.ptx").write_text(KERNEL)
    (place / "fill.ttir").write_text(FIRST_FORM)
    metadata = {"name": "fill", "num_warps": 4, "shared": shared, "triton_version": "3.9.0"}
    (place / "fill.json").write_text(json.dumps(metadata))
    return folder


def test_a_cache_is_checked_with_its_metadata(tmp_path: Path) -> None:
    report = ptxlint.check(cached(tmp_path, 512))
    assert [(a.status.value, a.access.region) for a in report.accesses] == [
        ("proved", "global_smem")
    ]
    assert "512 bytes of dynamic shared memory" in report.kernels[0].launch


def test_too_little_shared_memory_is_an_error(tmp_path: Path) -> None:
    (finding,) = ptxlint.check(cached(tmp_path, 508)).findings
    assert (finding.rule, finding.certainty.value) == ("out-of-bounds", "witness")


def test_what_is_declared_counts_before_the_metadata(tmp_path: Path) -> None:
    large = ptxlint.Contract(shared=1024)
    assert not ptxlint.check(cached(tmp_path, 508), contract=large).findings


def test_parameters_have_the_names_of_the_source(tmp_path: Path) -> None:
    (contract,) = ptxlint.infer(cached(tmp_path, 512))
    assert contract.params[0].startswith("out")


def test_these_names_can_be_declared(tmp_path: Path) -> None:
    named = ptxlint.Contract(buffers={"out": 4096})
    report = ptxlint.check(cached(tmp_path, 512), contract=named)
    assert "out 4096 bytes" in report.kernels[0].launch
    other = ptxlint.Contract(buffers={"in": 4096})
    with pytest.raises(ptxlint.Error, match="no kernel has a parameter in, this kernel's are out"):
        ptxlint.check(tmp_path, contract=other)


@pytest.mark.parametrize("shared", [None, "many", [1], True, -1, 10**40])
def test_metadata_of_others_are_passed_over(tmp_path: Path, shared: object) -> None:
    report = ptxlint.check(cached(tmp_path, shared))
    assert report.accesses[0].status.value != "proved"


def test_metadata_that_are_nested_too_deep_are_passed_over(tmp_path: Path) -> None:
    folder = cached(tmp_path, 512)
    (folder / "2O4U37BK" / "fill.json").write_text("[" * 200_000)
    assert ptxlint.check(folder).accesses[0].status.value != "proved"
