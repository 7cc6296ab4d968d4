"""The numbers of an address under the guards of its place: what a guard says of words that were
computed before it, and of words that are made of them in other ways."""

from __future__ import annotations

import pytest

from ptxlint.contracts.resolution import resolved
from ptxlint.facts.kernel_facts import Facts
from tests.observation.launches import kernels_of

HEAD = """.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u32 n)
.reqntid 128, 1, 1
{
.reg .pred %p<4>; .reg .b32 %t, %i, %j, %a, %base, %n;
.shared .align 4 .b8 tile[4096];
mov.u32 %t, %tid.x; mov.u32 %base, tile; ld.param.u32 %n, [n];
"""
STORE = "add.u32 %a, %base, %j; {}st.shared.u32 [%a], %t; OUT: ret;\n}}\n"
TIMES_4 = "shl.b32 %j, %i, 2; "

GUARDED = [
    (TIMES_4.replace("%i", "%t") + "setp.gt.u32 %p0, %t, 9; @%p0 bra OUT;", "", (0, 36)),
    ("sub.s32 %i, %t, 20; setp.gt.u32 %p0, %i, 69; " + TIMES_4 + "@%p0 bra OUT;", "", (0, 276)),
    ("xor.b32 %i, %t, 1; " + TIMES_4 + "setp.gt.u32 %p0, %t, 31; @%p0 bra OUT;", "", (0, 124)),
    ("add.s32 %i, %t, 3; " + TIMES_4 + "setp.ne.s32 %p0, %t, 5; @%p0 bra OUT;", "", (32, 32)),
    ("setp.lt.s32 %p0, %t, 7; mov.u32 %i, %t; " + TIMES_4, "@%p0 ", (0, 24)),
    (
        "shr.u32 %i, %t, 5; setp.gt.u32 %p0, %i, 1; " + TIMES_4.replace("%i", "%t")
        + "@%p0 bra OUT;", "", (0, 252),
    ),
]  # fmt: skip
NAMES = ["before", "unsigned", "xor", "equal", "mask", "quotient"]


@pytest.mark.parametrize(("lines", "mask", "ends"), GUARDED, ids=NAMES)
def test_guards_bound_what_is_made_of_a_word(lines: str, mask: str, ends: tuple[int, int]) -> None:
    (kernel,) = kernels_of(HEAD + lines + STORE.format(mask))
    facts = Facts(kernel, resolved((), kernel), "sm_80")
    (place,) = (a.place for a in facts.accesses)
    assert (place.low, place.high) == ends
    assert place.in_bounds


def test_what_guards_exclude_is_not_reached() -> None:
    lines = "shl.b32 %j, %t, 2; add.s32 %i, %t, 200; setp.lt.s32 %p0, %i, 100; @!%p0 bra OUT;"
    (kernel,) = kernels_of(HEAD + lines + STORE.format(""))
    facts = Facts(kernel, resolved((), kernel), "sm_80")
    (place,) = (a.place for a in facts.accesses)
    assert not place.reached


LOOPS = [
    ("mov.u32 %i, 0; L: shl.b32 %j, %i, 2; {}; add.s32 %i, %i, 1; setp.lt.s32 %p0, %i, 9;", 8),
    ("mov.u32 %i, 40; L: shl.b32 %j, %i, 2; {}; sub.s32 %i, %i, 8; setp.gt.s32 %p0, %i, 0;", 4),
]


@pytest.mark.parametrize(("loop", "most"), LOOPS)
def test_numbers_bound_the_counter_of_a_loop(loop: str, most: int) -> None:
    store = "add.u32 %a, %base, %j; st.shared.u32 [%a], %t"
    (kernel,) = kernels_of(HEAD + loop.format(store) + " @%p0 bra L; ret;\n}\n")
    facts = Facts(kernel, resolved((), kernel), "sm_80")
    (counter,) = facts.symbolic.counters.values()
    assert (counter.low, counter.high) == (0, most)


BACK = "setp.lt.s32 %p0, %i, 1; selp.b32 %j, 7, %i, %p0; sub.s32 %i, %j, 1; "
CLAMPS = [
    ("setp.gt.s32 %p0, %t, 9; selp.b32 %i, 9, %t, %p0; ", (0, 9)),
    ("setp.lt.s32 %p0, %t, 5; selp.b32 %i, %t, 2, %p0; ", (0, 4)),
    ("setp.ge.s32 %p0, %t, 5; not.pred %p1, %p0; selp.b32 %i, %t, 2, %p1; ", (0, 4)),
    ("rem.s32 %i, %n, 7; setp.lt.s32 %p0, %i, 0; selp.b32 %i, 0, %i, %p0; " + BACK * 6, (0, 6)),
    ("setp.lt.s32 %p0, %t, 5; selp.b32 %i, %t, %t, %p0; ", (0, 127)),
]
CLAMPED = ["from above", "where it is true", "by a complement", "a ring backwards", "one word"]


@pytest.mark.parametrize(("lines", "ends"), CLAMPS, ids=CLAMPED)
def test_a_select_has_the_range_that_its_predicate_leaves(
    lines: str, ends: tuple[int, int]
) -> None:
    (kernel,) = kernels_of(HEAD + lines + TIMES_4 + STORE.format(""))
    facts = Facts(kernel, resolved((), kernel), "sm_80")
    (place,) = (a.place for a in facts.accesses)
    assert (place.low, place.high) == (4 * ends[0], 4 * ends[1])
