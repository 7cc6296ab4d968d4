"""The range in a message is the closest one that is known."""

from __future__ import annotations

import pytest

import ptxlint
from ptxlint import Contract

KERNEL = """.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 x, .param .u64 y)
{
    .reg .b32 %r<9>; .reg .b64 %d<9>;
    ld.param.u64 %d1, [x]; ld.param.u64 %d2, [y];
    cvta.to.global.u64 %d3, %d1; cvta.to.global.u64 %d4, %d2;
    mov.u32 %r1, %tid.x; mul.wide.s32 %d5, %r1, 4; add.s64 %d5, %d3, %d5;
    INDEX
    mul.wide.s32 %d6, %r2, 4; add.s64 %d6, %d4, %d6;
    st.global.u32 [%d6], %r1;
    ret;
}
"""
LOADED = "ld.global.u32 %r2, [%d5];"
TURNED = (  # t/3*3 + (t + 1)%3
    "div.s32 %r3, %r1, 3; mul.lo.s32 %r3, %r3, 3; add.s32 %r4, %r1, 1; rem.s32 %r4, %r4, 3;"
    " add.s32 %r2, %r3, %r4;"
)


@pytest.mark.parametrize(
    ("index", "values", "low", "high"),
    [
        (LOADED, {"x": "0..64"}, 0, 260),
        (LOADED, {"x": "-3..5"}, -12, 24),
        (LOADED, {"x": "ntid.x..2*ntid.x"}, 256, 516),
        (LOADED, {}, -(2**33), 2**33),
        (LOADED.replace("u32", "u8").replace("%d5", "%d3"), {}, 0, 1024),
        (TURNED, {}, 0, 264),
    ],
)
def test_the_range_is_the_closest_that_is_known(
    index: str, values: dict[str, str], low: int, high: int
) -> None:
    launch = Contract(block=64, grid=1, buffers={"x": 256, "y": 252}, values=values)
    text = KERNEL.replace("INDEX", index)
    report = ptxlint.check(text, contract=launch, select="out-of-bounds", pedantic=True)
    (finding,) = report.findings
    assert f"access range [{low}, {high}) exceeds size 252 bytes" in finding.message
    assert finding.access is not None and finding.access.range == (low, high - 4)


def test_an_offset_without_a_bound_is_that_of_the_witness() -> None:
    """The logarithm of a power is the thread's number, which no analysis knows."""
    index = """.reg .f32 %f; cvt.rn.f32.u32 %f, %r1; ex2.approx.f32 %f, %f; lg2.approx.f32 %f, %f;
    cvt.rni.s64.f32 %d6, %f; shl.b64 %d6, %d6, 2; add.s64 %d7, %d4, %d6; st.global.u32 [%d7], %r1;
    ret;"""
    launch = Contract(block=64, grid=1, buffers={"x": 256, "y": 252})
    text = KERNEL.replace("INDEX", index)
    report = ptxlint.check(text, contract=launch, select="out-of-bounds")
    (finding,) = report.findings
    assert finding.message.endswith("a thread accesses bytes [252, 256), size 252 bytes")
    assert finding.witness is not None and finding.witness.address == 252
