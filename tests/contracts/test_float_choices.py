"""What a test of floats selects is known where the test is branched by, under any name of it."""

from __future__ import annotations

import pytest

from .__main__ import assert_exact
from .launches import launches_of

KERNEL = """
.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 x, .param .u64 y) {{
    .reg .pred %p<4>; .reg .b32 %r<20>; .reg .b64 %d<20>; .reg .f32 %f<8>;
    ld.param.u64 %d0, [x];
    ld.param.u64 %d1, [y];
    mov.u32 %r1, %tid.x;
    mul.wide.u32 %d2, %r1, 4;
    add.s64 %d1, %d1, %d2;
    ld.global.f32 %f1, [%d1];
    setp.gt.f32 %p0, %f1, 0f00000000;
    selp.u32 %r2, 100, 7, %p0;
    {branch}
    mul.wide.u32 %d3, %r2, 4;
    add.s64 %d0, %d0, %d3;
    ld.global.u32 %r3, [%d0];
done:
    ret;
}}
"""

BRANCHES = {
    "by the test": ("@!%p0 bra done;", 404),
    "by its opposite": ("setp.leu.f32 %p1, %f1, 0f00000000; @%p1 bra done;", 404),
    "where it is false": ("@%p0 bra done;", 32),
    "where its opposite is true": ("setp.leu.f32 %p1, %f1, 0f00000000; @!%p1 bra done;", 32),
    "by the mirrored test": ("setp.lt.f32 %p1, 0f00000000, %f1; @!%p1 bra done;", 404),
    "by another test, which is true more often": (
        "setp.gtu.f32 %p1, %f1, 0f00000000; @!%p1 bra done;",
        404,
    ),
}


@pytest.mark.parametrize("branch, bytes_", BRANCHES.values(), ids=BRANCHES)
def test_an_index_is_what_the_test_selected(branch: str, bytes_: int) -> None:
    assert_exact(launches_of(KERNEL.format(branch=branch), "x", "y"), f"{bytes_}")
