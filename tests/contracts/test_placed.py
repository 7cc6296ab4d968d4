"""Arrays of bytes in shared memory that hold wider elements, as those of generated kernels do."""

from __future__ import annotations

import pytest

from ptxlint.api import infer

KERNEL = """
.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 x) {{
    .reg .b32 %r<4>;
    .shared .align 1 .b8 bytes[1024];
    {other}
    mov.u32 %r0, %tid.x;
    shl.b32 %r1, %r0, {log};
    mov.u32 %r2, bytes;
    add.s32 %r2, %r2, %r1;
    st.shared.{type} [%r2], %r0;
    ret;
}}
"""
OTHER = ".shared .align 1 .b8 others[3];\n    st.shared.u8 [others], 0;"


def test_the_only_array_is_aligned() -> None:
    (contract,) = infer(KERNEL.format(other="", log=2, type="u32"))
    assert contract.complete
    assert contract.needs == ("ntid.x <= 256",)
    assert contract.assumed == ()


def test_bytes_need_no_assumption() -> None:
    (contract,) = infer(KERNEL.format(other="", log=0, type="u8"))
    assert contract.complete
    assert contract.assumed == ()


@pytest.mark.parametrize("log", [1, 2])
def test_of_two_arrays_either_may_be_displaced(log: int) -> None:
    (contract,) = infer(KERNEL.format(other=OTHER, log=log, type="u32"))
    assert {one.reason for one in contract.unknown} == {"alignment"}
    assert contract.assumed == ()


def test_of_arrays_of_whole_vectors_none_is_displaced() -> None:
    other = OTHER.replace("others[3]", "others[48]")
    (contract,) = infer(KERNEL.format(other=other, log=2, type="u32"))
    assert contract.complete
    assert contract.assumed == ("bytes is aligned to 4 bytes",)
    assert "# assumed: bytes is aligned to 4 bytes" in contract.as_toml()
