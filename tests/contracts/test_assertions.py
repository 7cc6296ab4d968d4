"""A failed assertion reads the strings that a compiler made for it, and ends the launch."""

from __future__ import annotations

import pytest

from ptxlint.checker import check
from ptxlint.options import Options
from ptxlint.results.contract import InferredContract
from ptxlint.source import Source

TEXT = """.version 8.0
.target sm_80
.address_size 64
.extern .func __assertfail
(.param .b64 a, .param .b64 b, .param .b32 c, .param .b64 d, .param .b64 e);
.global .align 1 .b8 $str[6] = {105, 32, 60, 32, 110};
.global .align 1 .b8 $str$1[5] = {107, 46, 99, 117, 0};
.global .align 1 .b8 open[5] = {107, 46, 99, 117, 120};
.visible .entry k(.param .u64 x, .param .u32 n)
{
    .reg .pred %p<2>;
    .reg .b32 %r<4>;
    .reg .b64 %d<9>;
    ld.param.u64 %d0, [x];
    ld.param.u32 %r0, [n];
    mov.u64 %d1, $str;
    cvta.global.u64 %d2, %d1;
    mov.u64 %d3, $str$1;
    cvta.global.u64 %d4, %d3;
    mov.u32 %r1, %tid.x;
    setp.lt.u32 %p0, %r1, %r0;
    @%p0 bra $in;
    {
    .param .b64 param0;
    st.param.b64 [param0+0], %d2;
    .param .b64 param1;
    st.param.b64 [param1+0], %d4;
    .param .b32 param2;
    st.param.b32 [param2+0], 7;
    .param .b64 param3;
    st.param.b64 [param3+0], %d4;
    .param .b64 param4;
    st.param.b64 [param4+0], 1;
    call.uni __assertfail, (param0, param1, param2, param3, param4);
    }
$in:
    mul.wide.u32 %d5, %r1, 4;
    add.s64 %d6, %d0, %d5;
    st.global.u32 [%d6], %r1;
    ret;
}
"""

ELSEWHERE = {
    "of a buffer": ("[param1+0], %d4", "[param1+0], %d0"),
    "of an array that ends with no zero": ("mov.u64 %d3, $str$1", "mov.u64 %d3, open"),
    "inside of a string": ("cvta.global.u64 %d4, %d3", "add.s64 %d4, %d3, 1"),
    "of a string that is written": ("mul.wide", "st.u8 [%d4+4], 1; mul.wide"),
    "of a string whose address is stored": ("mul.wide", "st.global.u64 [%d0], %d2; mul.wide"),
    "not passed": ("st.param.b64 [param3+0], %d4;", ""),
    "passed to another function": ("call.uni __assertfail", "call.uni vprintf"),
}


def contract(text: str) -> InferredContract:
    (found,) = check([Source("k.ptx", text)], Options(infer=True, rules=False)).contracts
    return found


def test_an_assertion_guards_what_is_behind_it() -> None:
    found = contract(TEXT)
    assert found.complete
    assert found.written == ("x",)
    assert dict(found.writes) == {"x": "4*n"}


def test_a_failed_assertion_is_a_trap_and_nothing_else() -> None:
    report = check([Source("k.ptx", TEXT)])
    (kernel,) = report.kernels
    assert report.diagnostics == () and kernel.unmodelled == {}
    assert "call" not in str(report)


@pytest.mark.parametrize("edit", ELSEWHERE.values(), ids=ELSEWHERE)
def test_the_strings_of_other_calls_are_not_accounted_for(edit: tuple[str, str]) -> None:
    text = TEXT.replace(*edit).replace(
        ".extern", ".extern .func vprintf (.param .b64 a, .param .b64 b, .param .b32 c,"
        " .param .b64 d, .param .b64 e);\n.extern", 1
    )  # fmt: skip
    assert text != TEXT
    assert "opaque" in [one.reason for one in contract(text).unknown]
