"""Words that the guards before a block simplify."""

from __future__ import annotations

import pytest

from ptxlint.contracts.resolution import resolved
from ptxlint.facts.kernel_facts import Facts
from tests.observation.launches import kernels_of

PTX = """.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 y, .param .u32 a, .param .u32 b)
{
    .reg .pred %p<4>; .reg .b32 %a, %b, %c, %m, %t; .reg .b64 %d<9>;
    ld.param.u64 %d1, [y]; ld.param.u32 %a, [a]; ld.param.u32 %b, [b];
    BEFORE
    GUARD
    BEHIND
    mul.wide.s32 %d2, %m, 4; add.s64 %d3, %d1, %d2;
    st.global.u32 [%d3], %a;
OUT:
    ret;
}
"""
LESS = "setp.ge.s32 %p0, %a, %b; @%p0 bra OUT;"
MORE = "setp.lt.s32 %p0, %a, %b; @%p0 bra OUT;"
COUNT = "add.s32 %t, %a, 1; max.s32 %m, %b, %t;"
CHOSEN = "setp.gt.s32 %p1, %b, %a; selp.b32 %t, %b, 7, %p1;"
OTHER = "setp.le.s32 %p1, %b, %a; selp.b32 %t, 7, %b, %p1;"


def word(before: str, guard: str, behind: str) -> str:
    """What is the index of the store, in parameters."""
    lines = PTX.replace("BEFORE", before).replace("GUARD", guard).replace("BEHIND", behind)
    (kernel,) = kernels_of(lines)
    symbolic = Facts(kernel, resolved((), kernel), "sm_80").symbolic
    (found,) = (w for value, w in symbolic.words.items() if value.name.startswith("%m"))
    return str(found.offset.polynomial)


@pytest.mark.parametrize(
    ("before", "behind"),
    [("", COUNT), (CHOSEN, "mov.b32 %m, %t;"), (OTHER, "add.s32 %m, %t, 0;")],
    ids=["maximum", "select", "its-complement"],
)
def test_a_guard_decides_what_a_word_is_made_of(before: str, behind: str) -> None:
    assert word(before, LESS, behind) == "b"


def test_the_other_guard_decides_the_other_case() -> None:
    assert word(CHOSEN, MORE, "mov.b32 %m, %t;") == "7"


def test_a_guard_of_other_words_decides_nothing() -> None:
    other = "setp.ge.s32 %p0, %a, 5; @%p0 bra OUT;"
    assert word("", other, COUNT).startswith("max")


def test_a_maximum_that_was_computed_before_the_guard_stays() -> None:
    """What was made of it there is alike."""
    assert word(COUNT.replace("%m", "%c"), LESS, "mov.b32 %m, %c;").startswith("max")
