"""Divisions that a shift and a mask do where the divisor is a power of two: contracts are those of
the division, and no launch that meets them faults."""

from __future__ import annotations

from collections import Counter

import pytest

from .__main__ import assert_exact, held
from .launches import Launches, launches_of

KERNEL = """
.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 x, .param .u32 n, .param .u32 m, .param .u32 s) {{
    .reg .pred %p<4>; .reg .b32 %r<20>; .reg .b64 %d<20>; .reg .f32 %f<4>;
    ld.param.u64 %d0, [x];
    cvta.to.global.u64 %d0, %d0;
    ld.param.u32 %r0, [n];
    ld.param.u32 %r10, [m];
    ld.param.u32 %r11, [s];
    mov.u32 %r1, %ctaid.x;
    mov.u32 %r2, %ntid.x;
    mov.u32 %r3, %tid.x;
    mad.lo.s32 %r4, %r1, %r2, %r3;
    setp.ge.u32 %p0, %r4, %r0;
    @%p0 bra done;
    add.s32 %r5, %r10, -1;
    {test}
    setp.eq.s32 %p1, %r6, 0;
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
TEST = "and.b32 %r6, %r5, %r10;"
FAST = "popc.b32 %r7, %r5; shr.u32 %r8, %r4, %r7; and.b32 %r9, %r5, %r4;"
SLOW = "div.u32 %r8, %r4, %r10; mul.lo.u32 %r12, %r8, %r10; sub.u32 %r9, %r4, %r12;"
FORK = f"@%p1 bra fast; {SLOW} bra.uni index; fast: {FAST}"
FORK_BY_REM = f"@%p1 bra fast; {SLOW} rem.u32 %r9, %r4, %r10; bra.uni index; fast: {FAST}"
BEFORE = f"{FAST} @%p1 bra index; {SLOW}"  # the fast values are there anyway
ONLY_POWERS = f"@!%p1 bra done; {FAST}"
ONLY_OTHERS = f"@%p1 bra done; {SLOW}"
QUOTIENT = "cvt.u64.u32 %d9, %r8;"
REMAINDER = "cvt.u64.u32 %d9, %r9;"
BOTH = "mul.wide.u32 %d9, %r8, %r11; cvt.u64.u32 %d8, %r9; add.s64 %d9, %d9, %d8;"

QUOTIENTS, REMAINDERS = "4*((n - 1)//m) + 4", "4*m"
ROWS = "4*((n - 1)//m)*s + 4*m"
CASES = {
    "quotient": (FORK, QUOTIENT, QUOTIENTS),
    "remainder": (FORK, REMAINDER, REMAINDERS),
    "rows": (FORK, BOTH, ROWS),
    "rows by rem": (FORK_BY_REM, BOTH, ROWS),
    "rows, computed before": (BEFORE, BOTH, ROWS),
    "rows of powers": (ONLY_POWERS, BOTH, ROWS),
    "rows of others": (ONLY_OTHERS, BOTH, ROWS),
}
OTHERS = {
    "of other powers": ("and.b32 %r6, %r5, %r0;", FORK),
    "of the larger half": ("and.b32 %r6, %r5, %r10;", FORK.replace("@%p1", "@!%p1")),
    "without a test": (TEST, FAST),
    "by another number": (TEST, FORK.replace("div.u32 %r8, %r4, %r10", "div.u32 %r8, %r4, %r11")),
    "of another index": (TEST, FORK.replace("div.u32 %r8, %r4", "div.u32 %r8, %r0")),
    "with more ones": (TEST, FORK.replace("popc.b32 %r7, %r5", "popc.b32 %r7, %r4")),
}


def made(test: str, body: str, index: str) -> Launches:
    return launches_of(KERNEL.format(test=test, body=body, index=index), "x", "n", "m", "s")


@pytest.mark.parametrize("name", CASES)
def test_a_division_by_powers_of_two_and_by_others_is_one(name: str) -> None:
    body, index, expected = CASES[name]
    assert_exact(made(TEST, body, index), expected)


@pytest.mark.parametrize("name", OTHERS)
def test_what_is_no_such_division_has_another_bound_or_a_requirement(name: str) -> None:
    test, body = OTHERS[name]
    launches = made(test, body, QUOTIENT)
    contract = launches.subject.contract
    required = "2**31 % m == 0" in [need.condition for need in contract.needs]
    assert required or contract.extents().get("x", ("",))[0] != QUOTIENTS
    assert held(launches, 40, Counter()) == []
