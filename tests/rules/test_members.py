"""Masks that name lanes which never come, and traps: reported where the launch decides it, whatever
the data are."""

from __future__ import annotations

import pytest

from ptxlint.checker import check
from ptxlint.contracts.contract import Contract
from ptxlint.options import Options
from ptxlint.results.verdict import Property, Status
from ptxlint.source import Source

HEAD = """
.version 9.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 x, .param .u32 n) {
    .reg .pred %p<4>;
    .reg .b32 %r<12>;
    .reg .b64 %rd<6>;
    ld.param.u64 %rd1, [x];
    cvta.to.global.u64 %rd1, %rd1;
    ld.param.u32 %r1, [n];
    mov.u32 %r2, %tid.x;
    mov.u32 %r3, -1;
    and.b32 %r4, %r2, 1;
    setp.eq.u32 %p1, %r4, 0;
"""
TAIL = """
WAIT:
    bar.sync 0;
    st.global.u32 [%rd1], 7;
DONE:
    ret;
}
"""
LOADED = "ld.global.u32 %r5, [%rd1];\n"
SHUFFLE = "shfl.sync.idx.b32 %r6, %r2, 0, 31, %r3;\n"
ODD = "@%p1 bra WAIT;\n" + SHUFFLE
FIRST_N = "setp.ge.u32 %p2, %r2, %r1;\n @%p2 bra WAIT;\n" + SHUFFLE
IF_ZERO = LOADED + "setp.ne.u32 %p3, %r5, 0;\n @%p3 bra WAIT;\n"
HALF_IF_ZERO = LOADED + "setp.ne.u32 %p3, %r5, 0;\n @%p3 bra ON;\n mov.u32 %r3, 1;\nON:\n"
TRAPS = "setp.lt.u32 %p2, %r2, %r1;\n @%p2 bra WAIT;\n trap;\n"
ONE = "--block 64 --grid 1 --buffer x=256"


def rules_of(body: str, options: str) -> list[str]:
    source = Source("k.ptx", HEAD + body + TAIL)
    contract = Contract.from_options([*options.split(), "--params", "x,n"])
    select = ("bad-membermask", "trap")
    return [f.rule for f in check([source], Options((contract,), select=select)).findings]


@pytest.mark.parametrize("body", [ODD, "mov.u32 %r3, 1;\n" + SHUFFLE])
def test_a_lane_that_never_comes_and_one_that_is_left_out_are_reported(body: str) -> None:
    assert rules_of(body, ONE) == ["bad-membermask"]


@pytest.mark.parametrize("body", [SHUFFLE, "@%p1 bra DONE;\n" + SHUFFLE])
def test_lanes_that_come_and_those_that_have_ended_are_not(body: str) -> None:
    assert rules_of(body, ONE) == []


def test_some_declared_number_shows_it() -> None:
    assert rules_of(FIRST_N, f"{ONE} --arg n=1..64") == ["bad-membermask"]
    assert rules_of(FIRST_N, f"{ONE} --arg n=64") == []
    assert rules_of(TRAPS, f"{ONE} --arg n=1..64") == ["trap"]
    assert rules_of(TRAPS, f"{ONE} --arg n=64..128") == []


@pytest.mark.parametrize("missing", ["--block 64", "--grid 1"])
@pytest.mark.parametrize("body", [ODD, TRAPS])
def test_a_launch_that_is_not_declared_is_not_blamed(body: str, missing: str) -> None:
    assert rules_of(body, ONE.replace(missing, "--arg n=1")) == []


def test_a_number_that_decides_is_declared() -> None:
    assert rules_of(FIRST_N, ONE) == []
    assert rules_of(TRAPS, ONE) == []


@pytest.mark.parametrize("body", [IF_ZERO + ODD, HALF_IF_ZERO + SHUFFLE, IF_ZERO + TRAPS])
def test_what_data_decide_is_no_error(body: str) -> None:
    """The buffers of the replay hold zeros, so it comes there."""
    assert rules_of(body, f"{ONE} --arg n=1") == []


def test_data_that_decide_something_else_do_not_matter() -> None:
    body = LOADED + "setp.ne.u32 %p3, %r5, 0;\n @%p3 bra ON;\n add.u32 %r5, %r5, 1;\nON:\n"
    assert rules_of(body + ODD, ONE) == ["bad-membermask"]


@pytest.mark.parametrize(
    ("body", "status"),
    [(SHUFFLE, Status.PROVED), (ODD, Status.FLAGGED), (IF_ZERO + ODD, Status.UNDECIDED)],
)
def test_the_verdict_says_so(body: str, status: Status) -> None:
    source = Source("k.ptx", HEAD + body.replace("%r3;", "0xffffffff;") + TAIL)
    contract = Contract.from_options([*ONE.split(), "--params", "x,n"])
    verdicts = check([source], Options((contract,))).summary.verdicts
    assert next(v for v in verdicts if v.name is Property.UNIFORMITY).status is status
