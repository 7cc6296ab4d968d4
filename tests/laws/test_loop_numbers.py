"""Where the numbers of a loop's counter stop growing: at what the loop compares it with."""

from __future__ import annotations

import pytest

from ptxlint.contracts.resolution import resolved
from ptxlint.facts.kernel_facts import Facts
from tests.observation.launches import kernels_of

HEAD = """.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 out, .param .u32 n)
{
.reg .pred %p<2>; .reg .b32 %i, %n; .reg .b64 %out;
ld.param.u64 %out, [out]; ld.param.u32 %n, [n];
"""
STORE = "st.global.u32 [%out], %i; "

AT_THE_END = "mov.u32 %i, {}; L: " + STORE + "add.s32 %i, %i, {}; setp.{} %p0, %i, %n; @%p0 bra L;"
AT_THE_HEAD = (
    "mov.u32 %i, {}; L: setp.{} %p0, %i, %n; @%p0 bra OUT; " + STORE
    + "add.s32 %i, %i, {}; bra L; OUT:"
)  # fmt: skip

COUNTERS = [
    (AT_THE_END.format(0, 1, "lt.s32"), (0, 2**31 - 2)),
    (AT_THE_END.format(0, 1, "lt.u32"), (0, 2**32 - 2)),
    (AT_THE_END.format(9, -1, "gt.s32"), (-(2**31) + 1, 9)),
    (AT_THE_HEAD.format(0, "ge.s32", 1), (0, 2**31 - 1)),
    (AT_THE_HEAD.format(0, "ge.u32", 1), (0, 2**32 - 1)),
]


@pytest.mark.parametrize(("loop", "ends"), COUNTERS)
def test_a_counter_stays_between_its_start_and_the_bound(loop: str, ends: tuple[int, int]) -> None:
    (kernel,) = kernels_of(f"{HEAD}{loop}\nret;\n}}\n")
    values = Facts(kernel, resolved((), kernel), "sm_80").values
    ((head, _),) = values.loops.items()
    (phi,) = kernel.blocks[head].phis
    numbers = values.interval(values.number(phi.target))
    signed = ends[0] < 0 or ends[1] < 2**31
    assert ends == (numbers.signed_bounds() if signed else numbers.unsigned_bounds())
