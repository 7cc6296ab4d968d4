"""A pointer that may be null is not where a flag says so, or a null check of what it was chosen by:
the access has one buffer."""

from __future__ import annotations

import pytest

from .launches import launches_of

KERNEL = """
.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 x, .param .u64 y, .param .u32 n) {{
    .reg .pred %p<9>; .reg .b32 %r<9>; .reg .b64 %d<9>; .reg .f32 %f<3>;
    ld.param.u64 %d0, [x];
    ld.param.u64 %d1, [y];
    ld.param.u32 %r0, [n];
    mov.u32 %r1, %tid.x;
    mul.wide.u32 %d2, %r1, 4;
    setp.eq.s64 %p0, %d0, 0;
    {chosen}
    {guard}
    ld.global.f32 %f0, [%d3];
done:
    ret;
}}
"""
SET = """
    mov.pred %p1, -1;
    mov.u64 %d3, 0;
    @%p0 bra join;
    add.s64 %d3, %d0, %d2;
    mov.pred %p1, 0;
join:
"""
AGAIN = """
    setp.lt.s32 %p2, %r0, 5;
    @%p2 bra last;
    mov.u64 %d3, 0;
last:
"""
SELECTED = "add.s64 %d3, %d0, %d2; selp.b64 %d3, 0, %d3, %p0; add.s64 %d3, %d3, 8;"
OTHER = "setp.eq.s64 %p3, %d1, 0; @%p3 bra done;"

KERNELS = {
    "a flag": (SET, "@%p1 bra done;", "4*ntid.x"),
    "a flag as a mask": (
        SET,
        "not.pred %p4, %p1; @%p4 ld.global.f32 %f1, [%d3]; bra done;",
        "4*ntid.x",
    ),
    "a flag that says the contrary": (SET, "@!%p1 bra done;", None),
    "a flag of a pointer that is chosen again": (SET + AGAIN, "@%p1 bra done;", None),
    "no flag": (SET, "", None),
    "a null check": (SELECTED, "@%p0 bra done;", "4*ntid.x + 8"),
    "a null check of another pointer": (SELECTED, OTHER, None),
}


@pytest.mark.parametrize("chosen, guard, bytes_", KERNELS.values(), ids=KERNELS)
def test_an_access_is_to_the_buffer_that_is_left(
    chosen: str, guard: str, bytes_: str | None
) -> None:
    subject = launches_of(KERNEL.format(chosen=chosen, guard=guard), "x", "y", "n").subject
    assert bool(subject.result.unknown) is (bytes_ is None)
    if bytes_ is not None:
        assert subject.result.buffers == {"x": f"{bytes_}@4 or null"}
