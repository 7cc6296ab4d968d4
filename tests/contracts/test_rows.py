"""Rows of several elements: contracts end where the last row does, and no launch that meets them
faults."""

from __future__ import annotations

import pytest

from .__main__ import assert_exact
from .launches import Launches, launches_of

HEAD = """
.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 x, .param .s{bits} n, .param .s{bits} m) {{
    .reg .pred %p<9>; .reg .b32 %r<30>; .reg .b64 %d<30>; .reg .f32 %f<4>;
    ld.param.u64 %d0, [x];
    cvta.to.global.u64 %d0, %d0;
    mov.u32 %r1, %ctaid.x;
    mov.u32 %r2, %ntid.x;
    mov.u32 %r3, %tid.x;
    mov.u32 %r4, %nctaid.x;
    mov.u32 %r5, %ctaid.y;
    mov.f32 %f0, 0f00000000;
"""
# x[row*n + i] for i = t, t + 32, ..., as nvcc unrolls that by four
UNROLLED = """
    ld.param.s32 %r0, [n];
    mov.u32 %r10, %ctaid.z;
    mov.u32 %r11, %nctaid.y;
    mad.lo.s32 %r6, %r10, %r11, %r5;
    mad.lo.s32 %r6, %r6, %r4, %r1;
    mul.lo.s32 %r6, %r6, %r0;
    cvt.s64.s32 %d1, %r6;
    setp.ge.s32 %p0, %r3, %r0;
    @%p0 bra done;
    not.b32 %r7, %r3;
    add.s32 %r7, %r7, %r0;
    shr.u32 %r8, %r7, 5;
    add.s32 %r8, %r8, 1;
    and.b32 %r9, %r8, 3;
    setp.eq.s32 %p1, %r9, 0;
    @%p1 bra whole;
    cvt.s64.s32 %d2, %r3;
    add.s64 %d2, %d2, %d1;
    shl.b64 %d2, %d2, 2;
    add.s64 %d3, %d0, %d2;
single:
    st.global.f32 [%d3], %f0;
    add.s32 %r3, %r3, 32;
    add.s64 %d3, %d3, 128;
    add.s32 %r9, %r9, -1;
    setp.ne.s32 %p2, %r9, 0;
    @%p2 bra single;
whole:
    setp.lt.u32 %p3, %r7, 96;
    @%p3 bra done;
    shl.b64 %d4, %d1, 2;
    add.s64 %d5, %d0, %d4;
    mul.wide.s32 %d6, %r3, 4;
four:
    add.s64 %d7, %d5, %d6;
    st.global.f32 [%d7], %f0;
    st.global.f32 [%d7+128], %f0;
    st.global.f32 [%d7+256], %f0;
    st.global.f32 [%d7+384], %f0;
    add.s64 %d5, %d5, 512;
    add.s32 %r3, %r3, 128;
    setp.lt.s32 %p4, %r3, %r0;
    @%p4 bra four;
done:
    ret;
}}
"""
# pairs of elements at 2*i or, in every second block, at i*m
PAIRS = """
    ld.param.s32 %r0, [n];
    ld.param.s32 %r10, [m];
    mad.lo.s32 %r6, %r1, %r2, %r3;
    setp.ge.s32 %p0, %r6, %r0;
    @%p0 bra done;
    shl.b32 %r7, %r6, 1;
    and.b32 %r8, %r1, 1;
    setp.eq.s32 %p1, %r8, 0;
    @%p1 bra store;
    mul.lo.s32 %r7, %r6, %r10;
store:
    mul.wide.s32 %d2, %r7, 4;
    add.s64 %d3, %d0, %d2;
    st.global.v2.f32 [%d3], {{%f0, %f0}};
done:
    ret;
}}
"""
# a loop over the grid that ends at n*m, as nvcc unrolls that by four
PRODUCT = """
    ld.param.s64 %d1, [n];
    ld.param.s64 %d2, [m];
    mul.lo.s64 %d1, %d1, %d2;
    mul.wide.u32 %d3, %r1, %r2;
    cvt.u64.u32 %d4, %r3;
    add.s64 %d3, %d3, %d4;
    setp.ge.s64 %p0, %d3, %d1;
    @%p0 bra done;
    mul.wide.u32 %d5, %r4, %r2;
    not.b64 %d6, %d3;
    add.s64 %d6, %d6, %d1;
    or.b64 %d7, %d6, %d5;
    and.b64 %d7, %d7, -4294967296;
    setp.eq.s64 %p1, %d7, 0;
    @%p1 bra short;
    div.u64 %d8, %d6, %d5;
    bra.uni count;
short:
    cvt.u32.u64 %r6, %d5;
    cvt.u32.u64 %r7, %d6;
    div.u32 %r8, %r7, %r6;
    cvt.u64.u32 %d8, %r8;
count:
    add.s64 %d9, %d8, 1;
    and.b64 %d9, %d9, 3;
    setp.eq.s64 %p2, %d9, 0;
    @%p2 bra whole;
single:
    add.s64 %d10, %d0, %d3;
    st.global.u8 [%d10], %r1;
    add.s64 %d3, %d3, %d5;
    add.s64 %d9, %d9, -1;
    setp.ne.s64 %p3, %d9, 0;
    @%p3 bra single;
whole:
    setp.lt.u64 %p4, %d8, 3;
    @%p4 bra done;
four:
    add.s64 %d10, %d0, %d3;
    st.global.u8 [%d10], %r1;
    add.s64 %d10, %d10, %d5;
    st.global.u8 [%d10], %r1;
    add.s64 %d10, %d10, %d5;
    st.global.u8 [%d10], %r1;
    add.s64 %d10, %d10, %d5;
    st.global.u8 [%d10], %r1;
    add.s64 %d3, %d3, %d5;
    add.s64 %d3, %d3, %d5;
    add.s64 %d3, %d3, %d5;
    add.s64 %d3, %d3, %d5;
    setp.lt.s64 %p5, %d3, %d1;
    @%p5 bra four;
done:
    ret;
}}
"""


def made(bits: int, body: str) -> Launches:
    return launches_of((HEAD + body).format(bits=bits), "x", "n", "m")


@pytest.mark.parametrize(
    ("bits", "body", "expected"),
    [
        (32, UNROLLED, "4*n*nctaid.x*nctaid.y*nctaid.z"),
        (32, PAIRS, "max(4*m*n - 4*m + 8, 8*n)"),
        (64, PRODUCT, "m*n"),
    ],
)
def test_the_last_row_ends_where_the_buffer_does(bits: int, body: str, expected: str) -> None:
    assert_exact(made(bits, body), expected, 40, 30)


def test_each_of_two_indices_is_aligned() -> None:
    needs = {need.condition for need in made(32, PAIRS).subject.contract.needs}
    assert "m % 2 == 0" in needs
