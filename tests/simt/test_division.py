"""A 64-bit division that a compiler wrote with a faster path for small operands is recognised."""

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


def known(text: str) -> bool:
    kernel = kernel_of(text_of(text))
    (phi,) = (p.target for block in kernel.blocks for p in block.phis if p.target.width == 64)
    return phi in kernel.fast_divisions


@pytest.mark.parametrize("op", ["div", "rem"])
@pytest.mark.parametrize("sign", ["s", "u"])
def test_it_is_known_and_has_the_result_of_one_division(op: str, sign: str) -> None:
    assert known(body(op, sign))
    pairs = [(7, 3), (2**40 + 5, 3), (2**40, 2**35 + 1), (2**32 - 1, 2**31), (2**62, 2**32)]
    for a, b in pairs:
        x = np.array([a, b], np.uint64)
        expected = a // b if op == "div" else a % b
        assert ran(body(op, sign), 1, x=x).y().tolist()[:1] == [expected % 2**32]


@pytest.mark.parametrize(
    "text", [body(mask="-65536"), body(divisor="%r10"), body().replace("@%p1", "@!%p1")]
)
def test_another_condition_or_operand_is_no_fast_path(text: str) -> None:
    assert not known(text)


@pytest.mark.parametrize("op", ["div", "rem"])
def test_by_zero_it_leaves_the_ones_of_the_path_taken(op: str) -> None:
    """A device leaves all ones of the width that it divides in."""
    high = body(op).replace(
        "cvt.u32.u64 %r13, %rd14", "shr.u64 %rd15, %rd14, 32; cvt.u32.u64 %r13, %rd15"
    )
    for dividend, left in [(7, 0), (2**32 - 1, 0), (2**32, 2**32 - 1), (2**63, 2**32 - 1)]:
        x = np.array([dividend, 0], np.uint64)
        assert ran(high, 1, x=x).y().tolist()[:1] == [left]
