"""The cost of a request behind a guard that compares an index with an undeclared number."""

from __future__ import annotations

import pytest

from ptxlint.contracts.contract import Contract
from ptxlint.contracts.resolution import resolved
from ptxlint.facts.kernel_facts import AccessFacts, Facts
from ptxlint.facts.requests import near_ideal
from tests.observation.launches import kernels_of

from .kernels import text

INDEX = """
ld.param.u32 %n, [n];
mov.u32 %r0, %ctaid.x;
mov.u32 %r1, %ntid.x;
mad.lo.u32 %i, %r0, %r1, %t;
"""
SCALED = "shl.b32 %i, %i, {by};\nSTORE\nOUT:"
GUARDS = {
    "first": "setp.ge.s32 %c1, %i, %n;\n@%c1 bra OUT;",
    "last": "setp.lt.s32 %c1, %i, %n;\n@%c1 bra OUT;",
    "between": "setp.lt.s32 %c1, %i, 1;\nsetp.ge.s32 %c2, %i, %n;\nor.pred %c1, %c1, %c2;\n"
    "@%c1 bra OUT;",
    "two": "setp.lt.s32 %c1, %i, 7;\n@%c1 bra OUT;\nsetp.gt.s32 %c2, %i, %n;\n@%c2 bra OUT;",
    "outer": "setp.ge.s32 %c1, %i, 9;\nsetp.lt.s32 %c2, %i, %n;\nand.pred %c1, %c1, %c2;\n"
    "@%c1 bra OUT;",
    "bits": "and.b32 %r2, %i, %n;\nsetp.ne.s32 %c1, %r2, 0;\n@%c1 bra OUT;",
}
STRIDE = """
mov.u32 %r2, %nctaid.x;
mul.lo.u32 %r2, %r2, %r1;
mov.u32 %r3, %i;
LOOP:
setp.ge.s32 %c1, %r3, %n;
@%c1 bra OUT;
shl.b32 %i, %r3, 2;
STORE
add.u32 %r3, %r3, %r2;
bra LOOP;
OUT:
"""


def access(lines: str, block: str | None, space: str = "global") -> tuple[Facts, AccessFacts]:
    (kernel,) = kernels_of(text(INDEX + lines, space, params=", .param .u32 n"))
    facts = Facts(kernel, resolved([Contract.of(block=block)], kernel), "sm_80")
    (found,) = (one for one in facts.accesses if one.place.access.kind == "store")
    return facts, found


@pytest.mark.parametrize("space", ["global", "shared"])
@pytest.mark.parametrize("guard", ["first", "last", "between", "two"])
def test_neighbours_behind_a_guard_are_ideal_for_every_size(guard: str, space: str) -> None:
    lines = f"{GUARDS[guard]}\n{SCALED.format(by=2)}"
    assert near_ideal(*access(lines, "256", space)) == frozenset()
    assert near_ideal(*access(lines, None, space)) == {"rows-of-32"}


@pytest.mark.parametrize("guard", ["outer", "bits"])
def test_lanes_that_are_apart_are_not(guard: str) -> None:
    assert near_ideal(*access(f"{GUARDS[guard]}\n{SCALED.format(by=2)}", "256")) is None


@pytest.mark.parametrize("guard", GUARDS)
def test_a_stride_is_ideal_behind_no_guard(guard: str) -> None:
    assert near_ideal(*access(f"{GUARDS[guard]}\n{SCALED.format(by=5)}", "256")) is None


def test_a_loop_that_lanes_leave_in_turn_is_ideal_in_each_iteration() -> None:
    assert near_ideal(*access(STRIDE, "256")) == frozenset()
    assert near_ideal(*access(STRIDE, None)) == {"rows-of-32"}
    assert near_ideal(*access(STRIDE.replace("%r3, 2", "%r3, 5"), "256")) is None
