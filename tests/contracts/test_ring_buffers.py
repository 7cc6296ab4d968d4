"""Places that a loop moves around a ring, or back to where it began: what a contract says of them,
and that it says nothing where they leave it."""

from __future__ import annotations

from pathlib import Path

import pytest

from ptxlint.api import infer
from ptxlint.results.contract import InferredContract

RING = """.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 x, .param .u32 n, .param .u32 step, .param .u32 count)
{{
.reg .pred %p<4>; .reg .b32 %at, %n, %step, %count, %k, %by, %t; .reg .b64 %x, %a<3>;
ld.param.u64 %x, [x]; ld.param.u32 %n, [n]; ld.param.u32 %step, [step];
ld.param.u32 %count, [count];
mov.u32 %at, %tid.x; setp.ge.s32 %p0, %at, %n; @%p0 ret;
mov.u32 %k, 0;
loop:
setp.ge.s32 %p1, %k, %count; @%p1 ret;
mul.wide.s32 %a0, %at, 4; add.s64 %a1, %x, %a0;
st.global.u32 [%a1], %k;
{moved}
add.s32 %k, %k, 1;
bra loop;
}}
"""
MOVED = {
    "forwards": "add.s32 %at, %at, %step; setp.ge.s32 %p2, %at, %n; selp.b32 %by, %n, 0, %p2; "
    "sub.s32 %at, %at, %by;",
    "backwards": "add.s32 %at, %at, -1; setp.lt.s32 %p2, %at, 0; selp.b32 %by, %n, 0, %p2; "
    "add.s32 %at, %at, %by;",
    "twice": "add.s32 %at, %at, %step; setp.ge.s32 %p2, %at, %n; selp.b32 %by, %n, 0, %p2; "
    "sub.s32 %at, %at, %by; add.s32 %at, %at, 1; setp.ge.s32 %p3, %at, %n; "
    "selp.b32 %t, %n, 0, %p3; sub.s32 %at, %at, %t;",
    "divided": "add.s32 %at, %at, %step; rem.s32 %at, %at, %n;",
    "as often as needed": "add.s32 %at, %at, %step; more: setp.lt.s32 %p2, %at, %n; "
    "@%p2 bra on; sub.s32 %at, %at, %n; bra more; on:",
}
LEFT = {
    "one too late": "add.s32 %at, %at, %step; setp.gt.s32 %p2, %at, %n; "
    "selp.b32 %by, %n, 0, %p2; sub.s32 %at, %at, %by;",
    "one too early": "add.s32 %at, %at, -1; setp.lt.s32 %p2, %at, -1; "
    "selp.b32 %by, %n, 0, %p2; add.s32 %at, %at, %by;",
    "wrong size": "add.s32 %at, %at, 1; setp.ge.s32 %p2, %at, %n; selp.b32 %by, %step, 0, %p2; "
    "sub.s32 %at, %at, %by;",
    "more often": "add.s32 %at, %at, %step; more: setp.lt.s32 %p2, %at, %step; "
    "@%p2 bra on; sub.s32 %at, %at, %n; bra more; on:",
    "other end": "add.s32 %at, %at, -1; setp.ge.s32 %p2, %at, %n; selp.b32 %by, %n, 0, %p2; "
    "sub.s32 %at, %at, %by;",
}


def contract_of(tmp_path: Path, text: str) -> InferredContract:
    path = tmp_path / "k.ptx"
    path.write_text(text, encoding="utf-8")
    (contract,) = infer(path)
    return contract


@pytest.mark.parametrize("name", MOVED)
def test_a_place_stays_in_its_ring(tmp_path: Path, name: str) -> None:
    contract = contract_of(tmp_path, RING.format(moved=MOVED[name]))
    assert contract.complete
    assert contract.buffers == {"x": "4*n@4"}
    limit = "n + step <= 2**31"
    stepped, once = ("step >= 0", limit), ("step >= 0", "step <= n", limit)
    steps = {"forwards": once, "twice": once, "divided": stepped, "as often as needed": stepped}
    assert contract.needs == steps.get(name, ())


@pytest.mark.parametrize("name", LEFT)
def test_a_place_that_leaves_it_has_no_bound(tmp_path: Path, name: str) -> None:
    assert not contract_of(tmp_path, RING.format(moved=LEFT[name])).complete


POPPED = """.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 x, .param .u64 y, .param .u32 count)
{
.reg .pred %p<5>; .reg .b32 %top, %count, %k, %v; .reg .b64 %x, %y, %a<3>;
ld.param.u64 %x, [x]; ld.param.u64 %y, [y]; ld.param.u32 %count, [count];
mov.u32 %top, 0; mov.u32 %k, 0;
loop:
setp.ge.s32 %p1, %k, %count; @%p1 ret;
setp.lt.s32 %p2, %top, 1; @%p2 bra on;
more:
ld.global.u32 %v, [%y]; setp.eq.s32 %p3, %v, 0; @%p3 bra on;
add.s32 %top, %top, -1; setp.gt.s32 %p4, %top, 0; @%p4 bra more;
on:
mul.wide.s32 %a0, %top, 4; add.s64 %a1, %x, %a0;
st.global.u32 [%a1], %k;
add.s32 %top, %top, 1; add.s32 %k, %k, 1;
bra loop;
}
"""


def test_an_inner_loop_that_is_not_entered_says_nothing(tmp_path: Path) -> None:
    """As many elements of a stack as there were iterations may be left."""
    contract = contract_of(tmp_path, POPPED)
    assert contract.buffers.get("x", "4*count@4") == "4*count@4"


BACK = """.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 x, .param .u32 rows, .param .u64 pitch)
{{
.reg .pred %p; .reg .b32 %rows, %last; .reg .b64 %x, %at, %end, %wide, %pitch, %bytes;
ld.param.u64 %x, [x]; ld.param.u32 %rows, [rows]; ld.param.u64 %pitch, [pitch];
add.s32 %last, %rows, -1; cvt.s64.s32 %wide, %last; mul.lo.s64 %wide, %wide, %pitch;
add.s64 %end, %x, {end};
shl.b64 %bytes, %pitch, 3; shl.b64 %wide, %wide, 3; add.s64 %at, %x, %wide;
add.s64 %at, %at, {begin};
setp.eq.s64 %p, %at, %end; @%p ret;
loop:
sub.s64 %at, %at, %bytes;
st.global.u64 [%at], %wide;
setp.ne.s64 %p, %at, %end; @%p bra loop;
ret;
}}
"""


@pytest.mark.parametrize(("begin", "end", "ends"), [(0, 0, True), (16, 16, True), (8, 0, False)])
def test_a_place_runs_back_by_a_pitch(tmp_path: Path, begin: int, end: int, ends: bool) -> None:
    """To where it is whole pitches away from, and no place else."""
    contract = contract_of(tmp_path, BACK.format(begin=begin, end=end))
    assert contract.complete == ends
    assert not ends or contract.needs[:2] == ("pitch >= 0", "rows >= 1")
