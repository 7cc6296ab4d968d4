"""Loops that lanes leave one by one: an iteration costs what the lanes that are still there ask."""

from __future__ import annotations

import pytest

from .kernels import accesses, exact, text

FLAT = """
mov.u32 %n, %t;
L:
setp.ge.u32 %c1, %n, {bound};
@%c1 bra OUT;
shl.b32 %i, %n, 2;
STORE
add.u32 %n, %n, {step};
bra L;
OUT:
"""


@pytest.mark.parametrize(
    ("bound", "block", "turns"),
    [
        (48, "32", [4, 2]),  # the second time half of the lanes are there
        (33, "32", [4, 1]),
        (64, "32", [4, 4]),
        (96, "64", [4, 4]),  # the second time one warp of two
        (20, "32", [3]),
    ],
)
def test_a_flat_index_over_a_tile(bound: int, block: str, turns: list[int]) -> None:
    lines = FLAT.format(bound=bound, step=block)
    (access,) = accesses(text(lines, "global"), block)
    assert [iteration.worst for iteration in exact(access).iterations] == turns


def test_a_triangle_of_rows() -> None:
    """Lane l goes on for l iterations: from one to the next there is a lane less."""
    lines = """
    mov.u32 %n, 0;
    L:
    setp.ge.u32 %c1, %n, %t;
    @%c1 bra OUT;
    mad.lo.u32 %i, %t, 32, %n;
    shl.b32 %i, %i, 2;
    STORE
    add.u32 %n, %n, 1;
    bra L;
    OUT:
    """
    (access,) = accesses(text(lines, "global"), "32")
    assert [iteration.worst for iteration in exact(access).iterations] == list(range(31, 0, -1))


def test_a_counter_is_what_each_lane_left_the_loop_with() -> None:
    """Lane l leaves at the least multiple of 8 above l: four lines of neighbours by eights."""
    lines = """
    mov.u32 %n, 0;
    L:
    add.u32 %n, %n, 8;
    setp.le.u32 %c1, %n, %t;
    @%c1 bra L;
    shl.b32 %i, %n, 4;
    """
    (access,) = accesses(text(lines, "global"), "32")
    assert exact(access).worst == 4
    (access,) = accesses(text(lines.replace("shl.b32 %i, %n, 4", "mov.b32 %i, %n"), "global"), "32")
    assert exact(access).worst == 2


def test_lanes_that_break_are_not_there_after_it() -> None:
    """Even lanes leave in the middle of the first iteration, by an exit of their own."""
    lines = """
    mov.u32 %n, 0;
    and.b32 %r1, %t, 1;
    L:
    setp.eq.u32 %c1, %r1, 0;
    @%c1 bra OUT;
    mad.lo.u32 %i, %t, 32, 0;
    STORE
    add.u32 %n, %n, 1;
    setp.lt.u32 %c2, %n, 3;
    @%c2 bra L;
    OUT:
    """
    (access,) = accesses(text(lines, "global"), "32")
    assert exact(access).worst == 16


def test_ways_out_that_data_decide_leave_the_lanes_open() -> None:
    lines = """
    mov.u32 %n, %t;
    ld.param.u64 %p, [y];
    cvta.to.global.u64 %p, %p;
    mul.wide.u32 %q, %t, 4;
    add.s64 %q, %p, %q;
    ld.global.u32 %r1, [%q];
    L:
    setp.ge.u32 %c1, %n, %r1;
    @%c1 bra OUT;
    shl.b32 %i, %n, 2;
    STORE
    add.u32 %n, %n, 32;
    bra L;
    OUT:
    """
    (access,) = accesses(text(lines, "global"), "32")
    assert not isinstance(access.pattern, str) and access.pattern.guarded


NEST = """
mov.u32 %i, 0;
mov.u32 %n, 0;
L:
mov.u32 %r1, 0;
M:
mad.lo.u32 %i, %t, 4, %i;
add.u32 %r1, %r1, 1;
setp.lt.u32 %c1, %r1, {rounds};
@%c1 bra M;
and.b32 %i, %i, 65532;
STORE
add.u32 %n, %n, 1;
setp.lt.u32 %c1, %n, {rounds};
@%c1 bra L;
"""


def test_iterations_in_one_another_are_told_apart_up_to_a_number() -> None:
    """64 times 64 of them are not looked at: a check must end soon."""
    (few,) = accesses(text(NEST.format(rounds=4), "global"), "32")
    (many,) = accesses(text(NEST.format(rounds=64), "global"), "32")
    assert [iteration.worst for iteration in exact(few).iterations] == [16, 32, 32, 32]
    assert many.pattern == "nonlinear-lane"
