"""Bounds of words that other threads give: through shared memory and by shuffles."""

from __future__ import annotations

import pytest

from .__main__ import assert_exact
from .launches import launches_of

THROUGH_SHARED = """
.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 x, .param .s32 n) {{
    .reg .pred %p<4>; .reg .b32 %r<20>; .reg .b64 %d<20>;
    .shared .align 8 .b8 s[64];
    ld.param.u64 %d0, [x];
    cvta.to.global.u64 %d0, %d0;
    ld.param.s32 %r1, [n];
    mov.u32 %r2, %tid.x;
    mov.u32 %r9, 0;
    setp.ge.s32 %p0, %r2, %r1;
    @%p0 bra done;
    setp.ge.u32 %p1, %r2, 16;
    @%p1 bra behind;
    shl.b32 %r3, %r2, 2;
    mov.u32 %r4, s;
    add.s32 %r4, %r4, %r3;
    st.shared.u32 [%r4], %r2;
    {more}
behind:
    bar.warp.sync 0xffffffff;
    ld.shared.u32 %r5, [s+8];
    {then}
    mul.wide.s32 %d1, %r5, 4;
    add.s64 %d1, %d0, %d1;
    ld.global.u32 %r6, [%d1];
done:
    ret;
}}
"""

OPEN = {
    "any word": "st.shared.u32 [s+8], %r10;",
    "a longer word": "st.shared.u64 [s+8], %d0;",
    "a byte": "st.shared.u8 [s+9], %r2;",
    "an atomic": "atom.shared.add.u32 %r7, [s+8], 1;",
    "at an unknown address": "st.shared.u32 [%r10], %r2;",
    "one more than there was": "ld.shared.u32 %r8, [s+4]; add.s32 %r8, %r8, 1;"
    " st.shared.u32 [%r4], %r8;",
}


def test_a_word_of_an_array_is_one_that_was_stored_there() -> None:
    """Of the first sixteen threads."""
    launches = launches_of(THROUGH_SHARED.format(more="", then=""), "x", "n")
    assert_exact(launches, "64")
    contract = launches.subject.contract
    assert "shared memory is written before it is read" in [
        one.condition for one in contract.assumed
    ]


@pytest.mark.parametrize("more", OPEN.values(), ids=OPEN)
def test_nothing_is_known_of_an_array_that_may_have_other_words(more: str) -> None:
    launches = launches_of(THROUGH_SHARED.format(more=more, then=""), "x", "n")
    assert "loaded-index" in [one.reason for one in launches.subject.contract.unknown]
