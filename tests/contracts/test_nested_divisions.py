"""Divisions of what another division leaves, by products of parameters, and what these leave:
contracts are those of the source, and no launch that meets them faults."""

from __future__ import annotations

from collections import Counter

import pytest

from .__main__ import assert_exact, held
from .launches import Launches, launches_of

KERNEL = """
.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 x, .param .s32 n, .param .s32 a, .param .s32 b, .param .s32 s) {{
    .reg .pred %p<4>; .reg .b32 %r<30>; .reg .b64 %d<20>; .reg .f32 %f<4>;
    ld.param.u64 %d0, [x];
    cvta.to.global.u64 %d0, %d0;
    ld.param.s32 %r0, [n];
    ld.param.s32 %r10, [a];
    ld.param.s32 %r11, [b];
    ld.param.s32 %r12, [s];
    mov.u32 %r1, %ctaid.x;
    mov.u32 %r2, %ntid.x;
    mov.u32 %r3, %tid.x;
    mad.lo.s32 %r4, %r1, %r2, %r3;
    {guard}
    {body}
    cvt.s64.s32 %d9, %r9;
    shl.b64 %d9, %d9, 2;
    add.s64 %d0, %d0, %d9;
    ld.global.f32 %f0, [%d0];
done:
    ret;
}}
"""
GUARD = "setp.ge.s32 %p0, %r4, %r0; @%p0 bra done;"
PLANE = "mul.lo.s32 %r13, %r10, %r11;"
# i3 = i/(a*b), left = i - i3*a*b, i2 = left/a, i1 = left - i2*a
DIVIDED = f"""{PLANE} {{div}} %r14, %r4, %r13; mul.lo.s32 %r15, %r14, %r13; sub.s32 %r16, %r4, %r15;
    {{div}} %r17, %r16, %r10; mul.lo.s32 %r18, %r17, %r10; sub.s32 %r19, %r16, %r18;"""
CASES = {
    "a row": (GUARD, "div.s32", "mov.b32 %r9, %r19;", "4*a"),
    "a column": (GUARD, "div.s32", "mov.b32 %r9, %r17;", "4*b"),
    "unsigned columns": (GUARD, "div.u32", "mov.b32 %r9, %r17;", "4*b"),
    "a plane": (GUARD, "div.s32", "mov.b32 %r9, %r14;", "4*((n - 1)//(a*b)) + 4"),
    "planes of the grid": ("", "div.s32", "mov.b32 %r9, %r14;",
                           "4*((nctaid.x*ntid.x - 1)//(a*b)) + 4"),
    "a row and a column": (GUARD, "div.s32", "mad.lo.s32 %r9, %r17, %r12, %r19;",
                           "4*b*s + 4*a - 4*s"),
    # left + i2*(s - a)
    "a row and a column at once": (GUARD, "div.s32", """sub.s32 %r20, %r12, %r10;
    mad.lo.s32 %r9, %r17, %r20, %r16;""", "4*b*s + 4*a - 4*s"),
    "a row back together": (GUARD, "div.s32", "mad.lo.s32 %r9, %r17, %r10, %r19;", "4*n"),
    "all back together": (GUARD, "div.s32", """mad.lo.s32 %r9, %r17, %r10, %r19;
    mad.lo.s32 %r9, %r14, %r13, %r9;""", "4*n"),
}  # fmt: skip


def made(guard: str, body: str) -> Launches:
    return launches_of(KERNEL.format(guard=guard, body=body), "x", "n", "a", "b", "s")


@pytest.mark.parametrize("name", CASES)
def test_what_a_division_leaves_is_divided_again(name: str) -> None:
    guard, div, index, expected = CASES[name]
    assert_exact(made(guard, DIVIDED.format(div=div) + index), expected)


def test_a_division_by_another_number_leaves_something_else() -> None:
    body = DIVIDED.format(div="div.s32").replace(
        "mul.lo.s32 %r18, %r17, %r10", "mul.lo.s32 %r18, %r17, %r12"
    )
    launches = made(GUARD, body + "mov.b32 %r9, %r19;")
    assert launches.subject.contract.extents().get("x", ("",))[0] != "4*a"
    assert held(launches, 60, Counter()) == []
