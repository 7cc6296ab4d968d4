"""What holds where a value is set holds behind a guard that the value passes: the array ends with
the threads that may have set it."""

from __future__ import annotations

import pytest

from .launches import launches_of

KERNEL = """
.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 y, .param .u32 n, .param .u32 m) {{
    .reg .pred %p<9>; .reg .b16 %h<9>; .reg .b32 %r<20>; .reg .b64 %d<9>;
    ld.param.u64 %d0, [y];
    ld.param.u32 %r0, [n];
    ld.param.u32 %r1, [m];
    mov.u32 %r2, %tid.x;
    setp.lt.s32 %p0, %r2, %r0;
    mov.s32 %r3, {first};
    mov.u32 %r4, 0;
again:
    setp.ge.s32 %p1, %r4, %r1;
    @%p1 bra behind;
    {set}
next:
    add.u32 %r4, %r4, 1;
    bra again;
behind:
    {guard}
    mul.wide.u32 %d1, %r2, 4;
    add.s64 %d0, %d0, %d1;
    st.global.u32 [%d0], %r3;
done:
    ret;
}}
"""
NOT_NEGATIVE = "setp.lt.s32 %p2, %r3, 0; @%p2 bra done;"
LOW_BYTE = "and.b32 %r5, %r3, 255; setp.eq.u32 %p2, %r5, 0; @%p2 bra done;"
WIDER = "cvt.u16.u32 %h0, %r3; cvt.u32.u16 %r5, %h0; setp.lt.s32 %p2, %r5, 0; @%p2 bra done;"
ELEMENTS, THREADS = "4*n@4", "4*ntid.x@4"

KERNELS = {
    "in the array": ("-1", "@!%p0 bra next; mov.u32 %r3, %r4;", NOT_NEGATIVE, ELEMENTS),
    "by a select": ("-1", "selp.b32 %r3, %r4, %r3, %p0;", NOT_NEGATIVE, ELEMENTS),
    "by a mask": ("-1", "@%p0 mov.u32 %r3, 5;", NOT_NEGATIVE, ELEMENTS),
    "to another number that does not pass": (
        "-1",
        "@%p0 mov.u32 %r3, 5; @!%p0 mov.s32 %r3, -2;",
        NOT_NEGATIVE,
        ELEMENTS,
    ),
    "by threads outside, too": (
        "-1",
        "@%p0 mov.u32 %r3, 5; @!%p0 mov.u32 %r3, 6;",
        NOT_NEGATIVE,
        THREADS,
    ),
    "before the loop": ("0", "@%p0 mov.u32 %r3, 5;", NOT_NEGATIVE, THREADS),
    "to a sum of what it was": ("-1", "add.s32 %r3, %r3, 1;", NOT_NEGATIVE, THREADS),
    "as a flag in a byte": ("256", "@%p0 mov.u32 %r3, 1;", LOW_BYTE, ELEMENTS),
    "as a flag that was raised": ("257", "@%p0 mov.u32 %r3, 1;", LOW_BYTE, THREADS),
    "to a short that is no negative word": ("-1", "@%p0 mov.u32 %r3, 5;", WIDER, THREADS),
}


@pytest.mark.parametrize("first, set_, guard, bytes_", KERNELS.values(), ids=KERNELS)
def test_a_store_ends_with_the_threads_that_set(
    first: str, set_: str, guard: str, bytes_: str
) -> None:
    launches = launches_of(KERNEL.format(first=first, set=set_, guard=guard), "y")
    assert launches.subject.result.buffers == {"y": bytes_}
