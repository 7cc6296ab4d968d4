"""A 64-bit division that a compiler wrote with a faster path for small operands is one division."""

from __future__ import annotations

import numpy as np
import pytest

from tests.simt.programs import kernel_of, ran, text_of

FAST = """
    ld.global.u64 %rd10, [%rd2]; ld.global.u64 %rd11, [%rd2+8];
    or.b64 %rd12, %rd10, %rd11; and.b64 %rd13, %rd12, {mask}; setp.eq.s64 %p1, %rd13, 0;
    @%p1 bra FAST;
    {op}.{sign}64 %rd14, %rd10, %rd11;
    bra.uni JOIN;
FAST:
    cvt.u32.u64 %r10, %rd10; cvt.u32.u64 %r11, %rd11;
    {op}.u32 %r12, %r10, {divisor};
    cvt.u64.u32 %rd14, %r12;
JOIN:
    cvt.u32.u64 %r13, %rd14; add.u32 %r9, %r13, {more};
    st.global.u32 [%rd5], %r9;
"""
HIGH = "-4294967296"


def body(op: str = "div", sign: str = "s", mask: str = HIGH, divisor: str = "%r11") -> str:
    return FAST.format(op=op, sign=sign, mask=mask, divisor=divisor, more=0)


def merged(text: str) -> bool:
    kernel = kernel_of(text_of(text))
    return not any(phi.target.width == 64 for block in kernel.blocks for phi in block.phis)


@pytest.mark.parametrize("op", ["div", "rem"])
@pytest.mark.parametrize("sign", ["s", "u"])
def test_it_is_one_division_with_the_same_result(op: str, sign: str) -> None:
    assert merged(body(op, sign))
    pairs = [(7, 3), (2**40 + 5, 3), (2**40, 2**35 + 1), (2**32 - 1, 2**31), (2**62, 2**32)]
    for a, b in pairs:
        x = np.array([a, b], np.uint64)
        expected = a // b if op == "div" else a % b
        assert ran(body(op, sign), 1, x=x).y().tolist()[:1] == [expected % 2**32]


@pytest.mark.parametrize(
    "text", [body(mask="-65536"), body(divisor="%r10"), body().replace("@%p1", "@!%p1")]
)
def test_another_condition_or_operand_keeps_both(text: str) -> None:
    assert not merged(text)
