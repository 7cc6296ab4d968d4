"""Which of two parameters of 64 bits in one address is the pointer: the base of its addends."""

from __future__ import annotations

import pytest

from ptxlint import Contract
from ptxlint.checker import check
from ptxlint.lowering.module import lower_module
from ptxlint.options import Options
from ptxlint.results.contract import InferredContract
from ptxlint.source import Source
from ptxlint.syntax import parse

TEXT = """.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 unused, .param .u64 x, .param .u64 n, .param .u64 y)
{
    .reg .pred %p; .reg .b16 %h; .reg .b32 %r<3>; .reg .b64 %d<13>;
    ld.param.u64 %d1, [x];
    ld.param.u64 %d2, [n];
    ld.param.u64 %d3, [y];
    mov.u32 %r1, %tid.x;
    cvt.u64.u32 %d4, %r1;
    setp.ge.s64 %p, %d4, %d2;
    @%p bra done;
    BODY
    cvta.to.global.u64 %d11, %d3;
    add.s64 %d12, %d11, %d4;
    st.global.u8 [%d12], %h;
done:
    ret;
}
"""
CONVERTED = "cvta.to.global.u64 %d5, %d1; add.s64 %d6, %d5, %d4;"
ALONE = "add.s64 %d6, %d1, %d4; ld.global.u8 %h, [%d6];"
ROWS = "add.s64 %d7, %d6, %d2; add.s64 %d8, %d7, %d2; ld.global.u8 %h, [%d8];"
INDEX = "add.s64 %d7, %d4, %d2; add.s64 %d8, %d7, %d1; ld.global.u8 %h, [%d8];"
LOOP = """mov.u64 %d7, %d6; mov.u32 %r2, 0;
again: add.s64 %d7, %d7, %d2; ld.global.u8 %h, [%d7]; add.s32 %r2, %r2, 1;
    setp.lt.s32 %p, %r2, 3; @%p bra again;"""
NUMBERS = {
    "a converted pointer": CONVERTED + ROWS,
    "a pointer that is alone elsewhere": ALONE + ROWS,
    "a number in the index": ALONE + INDEX,
    "a loop that adds a number": CONVERTED + LOOP,
}
FIRST = "add.s64 %d9, %d2, %d4; ld.global.u8 %h, [%d9];"
POINTERS = {
    "a pointer of its own": FIRST + CONVERTED + ROWS,
    "a masked pointer and a number": "and.b64 %d5, %d1, -16; add.s64 %d6, %d5, %d2;"
    "ld.global.u8 %h, [%d6]; add.s64 %d9, %d2, %d4; ld.global.u8 %h, [%d9];",
    "the distance of two": CONVERTED + "sub.s64 %d7, %d2, %d1; add.s64 %d8, %d6, %d7;"
    "ld.global.u8 %h, [%d8];" + FIRST,
    "one of two": "setp.eq.u32 %p, %r1, 0; selp.b64 %d7, %d1, %d2, %p; ld.global.u8 %h, [%d7];",
}


def numbers(body: str) -> set[str]:
    """The parameters that the kernel does not use as addresses."""
    source = Source("k.ptx", TEXT.replace("BODY", body))
    module = parse(source).module
    assert module is not None
    (kernel,) = lower_module(module, source).kernels
    return {parameter.name for parameter in kernel.parameters if parameter.number}


def inferred(body: str) -> InferredContract:
    source = Source("k.ptx", TEXT.replace("BODY", body))
    asked = Options((Contract(params=("unused", "x", "n", "y")),), infer=True, rules=False)
    (found,) = check([source], asked).contracts
    return found


@pytest.mark.parametrize("body", NUMBERS.values(), ids=list(NUMBERS))
def test_what_is_added_to_an_address_is_a_number(body: str) -> None:
    assert numbers(body) == {"n"}


@pytest.mark.parametrize("body", POINTERS.values(), ids=list(POINTERS))
def test_what_may_be_a_base_is_none(body: str) -> None:
    assert not numbers(body)


def test_the_accesses_are_those_of_the_base() -> None:
    found = inferred(CONVERTED + ROWS)
    assert not found.unknown
    assert found.params == ("unused: s64", "x: u64", "n: s64", "y: u64")
    assert found.buffers == {"x": "3*n@1", "y": "n@1"}
    assert found.distinct == ("x, y",)


def test_no_scalar_must_be_distinct() -> None:
    """Of an access at an unknown address, by a pointer in memory, only what may be a pointer."""
    found = inferred(CONVERTED + "ld.global.u64 %d7, [%d5]; ld.global.u8 %h, [%d7];")
    assert found.unknown
    assert found.distinct == ("x, y",)
