"""Divisions that a compiler does in half the width where both operands allow it: contracts are
those of the division, and no launch that meets them faults."""

from __future__ import annotations

from collections import Counter

import pytest

from .__main__ import assert_exact, held
from .launches import Launches, launches_of

KERNEL = """
.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 x, .param .s64 n, .param .s64 m, .param .s64 s) {{
    .reg .pred %p<4>; .reg .b32 %r<20>; .reg .b64 %d<20>; .reg .f32 %f<4>;
    ld.param.u64 %d0, [x];
    cvta.to.global.u64 %d0, %d0;
    ld.param.s64 %d1, [n];
    ld.param.s64 %d2, [m];
    ld.param.s64 %d3, [s];
    mov.u32 %r1, %ctaid.x;
    mov.u32 %r2, %ntid.x;
    mov.u32 %r3, %tid.x;
    mul.wide.u32 %d4, %r1, %r2;
    cvt.u64.u32 %d5, %r3;
    add.s64 %d4, %d4, %d5;
    setp.ge.s64 %p0, %d4, %d1;
    @%p0 bra done;
    {test}
    setp.eq.s64 %p1, %d6, 0;
    {body}
index:
    {index}
    shl.b64 %d9, %d9, 2;
    add.s64 %d0, %d0, %d9;
    ld.global.f32 %f0, [%d0];
done:
    ret;
}}
"""
TEST = "or.b64 %d6, %d4, %d2; and.b64 %d6, %d6, -4294967296;"
SHORT = "cvt.u32.u64 %r4, %d4; cvt.u32.u64 %r5, %d2;"
FAST = f"{SHORT} div.u32 %r6, %r4, %r5; cvt.u64.u32 %d7, %r6;"
FAST_LEFT = f"{SHORT} rem.u32 %r6, %r4, %r5; cvt.u64.u32 %d8, %r6;"
FORK = f"@%p1 bra fast; div.s64 %d7, %d4, %d2; bra.uni index; fast: {FAST}"
UNSIGNED = FORK.replace("div.s64", "div.u64")
REMAINDERS = f"@%p1 bra fast; rem.s64 %d8, %d4, %d2; bra.uni index; fast: {FAST_LEFT}"
WHOLE = "mov.b64 %d7, %d4; setp.lt.u64 %p2, %d2, 2; @%p2 bra index;"
QUOTIENT = "mov.b64 %d9, %d7;"
REMAINDER = "mov.b64 %d9, %d8;"
LEFT = "mul.lo.s64 %d8, %d7, %d2; sub.s64 %d9, %d4, %d8;"
BOTH = "mul.lo.s64 %d8, %d7, %d2; sub.s64 %d8, %d4, %d8; mad.lo.s64 %d9, %d7, %d3, %d8;"

ROWS = "4*((n - 1)//m) + 4"
CASES = {
    "quotient": (FORK, QUOTIENT, ROWS),
    "unsigned quotient": (UNSIGNED, QUOTIENT, ROWS),
    "unless by 1": (f"{WHOLE} {UNSIGNED}", QUOTIENT, ROWS),
    "of one width, unless by 1": (f"{WHOLE} div.u64 %d7, %d4, %d2;", QUOTIENT, ROWS),
    "remainder": (REMAINDERS, REMAINDER, "4*m"),
    "what is left": (FORK, LEFT, "4*m"),
    "rows": (FORK, BOTH, "4*((n - 1)//m)*s + 4*m"),
}
OTHERS = {
    "with more bits": (TEST.replace("-4294967296", "-8589934592"), FORK),
    "of a row of ones": (TEST.replace("-4294967296", "1095216660480"), FORK),
    "of another number": (TEST.replace("%d2", "%d3"), FORK),
    "of one of them": (TEST.replace("%d2", "%d4"), FORK),
    "of the larger half": (TEST, FORK.replace("@%p1", "@!%p1")),
    "without a test": (TEST, FAST),
    "by another number": (TEST, FORK.replace("div.s64 %d7, %d4, %d2", "div.s64 %d7, %d4, %d3")),
    "of another index": (TEST, FORK.replace("div.s64 %d7, %d4", "div.s64 %d7, %d1")),
    "unless by 1 or 2": (TEST, WHOLE.replace(", 2;", ", 3;") + UNSIGNED),
    "but by 1": (TEST, WHOLE.replace("@%p2", "@!%p2") + UNSIGNED),
    "unless another number is 1": (TEST, WHOLE.replace("%d2", "%d3") + UNSIGNED),
    "unless by 1, then of another index": (TEST, WHOLE.replace("%d7, %d4", "%d7, %d1") + UNSIGNED),
    "of other words": (TEST, FORK.replace("cvt.u32.u64 %r4, %d4", "cvt.u32.u64 %r4, %d1")),
}


def made(test: str, body: str, index: str) -> Launches:
    return launches_of(KERNEL.format(test=test, body=body, index=index), "x", "n", "m", "s")


@pytest.mark.parametrize("name", CASES)
def test_a_division_of_short_operands_and_of_others_is_one(name: str) -> None:
    body, index, expected = CASES[name]
    assert_exact(made(TEST, body, index), expected)


@pytest.mark.parametrize("name", OTHERS)
def test_what_is_no_such_division_has_another_contract(name: str) -> None:
    launches = made(*OTHERS[name], QUOTIENT)
    contract, division = launches.subject.contract, made(TEST, FORK, QUOTIENT)
    needs = {need.condition for need in contract.needs}
    same = needs == {need.condition for need in division.subject.contract.needs}
    assert not same or contract.extents().get("x", ("",))[0] != ROWS
    assert held(launches, 40, Counter()) == []
