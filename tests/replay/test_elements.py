"""A note names an input array whose element type is not the one that the kernel accesses."""

from __future__ import annotations

import numpy as np
import pytest

import ptxlint
from ptxlint.execution.elements import other_elements

KERNEL = """.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 x, .param .u64 y, .param .u64 n) {{
    .reg .b16 %h<2>; .reg .b32 %r<5>; .reg .f32 %f<2>; .reg .f64 %d<3>; .reg .b64 %rd<9>;
    .reg .pred %p;
    ld.param.u64 %rd1, [x]; ld.param.u64 %rd2, [y]; ld.param.u64 %rd8, [n];
    cvta.to.global.u64 %rd3, %rd1; mov.u32 %r1, %tid.x; setp.eq.u32 %p, %r1, 0;
    mad.wide.u32 %rd4, %r1, 8, %rd3; selp.u64 %rd5, %rd1, %rd2, %p; add.u64 %rd6, %rd4, %rd8;
    ld.global.u64 %rd7, [%rd2];
    {access}
    ret;
}}
"""


@pytest.mark.parametrize(
    ("access", "dtype", "told"),
    [
        ("ld.global.f32 %f1, [%rd4];", "f8", "f32"),
        ("ld.global.f32 %f1, [%rd4];", "f4", ""),
        ("ld.global.f32 %f1, [%rd4];", "i4", "f32"),
        ("ld.global.f32 %f1, [%rd4];", "u1", ""),
        ("ld.global.f64 %d1, [%rd4];", "f4", "f64"),
        ("ld.global.u32 %r1, [%rd4];", "i8", "u32"),
        ("ld.global.u32 %r1, [%rd4];", "f4", ""),
        ("ld.global.v2.u32 {%r1, %r2}, [%rd4];", "f8", ""),
        ("ld.global.u64 %rd7, [%rd4];", "i4", ""),
        ("ld.global.u64 %rd7, [%rd6];", "i8", ""),
        ("ld.global.f32 %f1, [%rd6+4];", "f8", "f32"),
        ("st.global.f32 [%rd4], %f1; st.global.b16 [%rd4+4], %h1;", "i8", "f32, b16"),
        ("st.global.f32 [%rd4], %f1; st.global.b64 [%rd4], %rd4;", "i8", ""),
        ("ld.global.f32 %f1, [%rd5];", "f8", ""),
        ("ld.global.f32 %f1, [%rd7];", "f8", ""),
    ],
)
def test_other_elements(access: str, dtype: str, told: str) -> None:
    (kernel,) = ptxlint.kernels(KERNEL.format(access=access))
    assert other_elements(kernel, 0, [0, 1], np.dtype(dtype)) == told
