"""A guard of a multiple of a number bounds it by a parameter in whole groups: an upper bound that
is a sum has no more bytes than that."""

from __future__ import annotations

import pytest

from .__main__ import assert_exact
from .launches import launches_of

KERNEL = """
.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 x, .param .s32 n, .param .s32 s) {{
    .reg .pred %p<4>; .reg .b32 %r<20>; .reg .b64 %d<20>; .reg .f32 %f<4>;
    ld.param.u64 %d0, [x];
    cvta.to.global.u64 %d0, %d0;
    ld.param.s32 %r1, [n];
    ld.param.s32 %r2, [s];
    mov.u32 %r3, %tid.x;
    {first}
    setp.ge.s32 %p0, %r4, %r1;
    @%p0 bra done;
    mov.u32 %r5, %ctaid.x;
    mul.wide.s32 %d1, %r5, %r2;
    cvt.s64.s32 %d2, %r4;
    add.s64 %d1, %d1, %d2;
    shl.b64 %d1, %d1, 2;
    add.s64 %d0, %d0, %d1;
    ld.global.f32 %f0, [%d0{behind}];
done:
    ret;
}}
"""
ROWS = "4*nctaid.x*s"
CASES = {
    "a pair": ("shl.b32 %r4, %r3, 1;", "+4", f"{ROWS} + 8*((n + 1)//2) - 4*s"),
    "its first": ("shl.b32 %r4, %r3, 1;", "", f"{ROWS} + 4*n - 4*s"),
    "four, from the second": (
        "shl.b32 %r4, %r3, 2; add.s32 %r4, %r4, 1;",
        "+8",
        f"{ROWS} + 16*((n + 2)//4) - 4*s",
    ),
    "one and the next": ("mov.b32 %r4, %r3;", "+4", f"{ROWS} + 4*n - 4*s + 4"),
}


@pytest.mark.parametrize("name", CASES)
def test_a_row_ends_with_a_whole_group(name: str) -> None:
    first, behind, expected = CASES[name]
    assert_exact(launches_of(KERNEL.format(first=first, behind=behind), "x", "n", "s"), expected)
