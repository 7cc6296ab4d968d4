"""A comment that silences no finding.

What it does
    Reports comments ``ptxlint: ignore[RULE]`` in sources and PTX whose rule finds nothing on their
    line, although its property is decided there. Only in a check of all kernels, for rules that
    were asked.

Why it is bad
    It hides the next mistake on that line, and tells readers of one that is not there.

How to fix
    Remove the comment, or the rule from its list.

Known limitations
    A finding that is only possible counts with ``--pedantic`` alone. A finding that another launch
    would have does not count.

References
    None: this is about ptxlint.
"""

from __future__ import annotations

from collections.abc import Iterable

from ptxlint.claim import Claim
from ptxlint.facts.kernel_facts import Facts
from ptxlint.results.finding import Severity
from ptxlint.rule import Rule

RULE = Rule(
    id="unused-ignore",
    severity=Severity.NOTE,
    tags=("comments",),
    summary="a comment that silences no finding",
)

BAD = """
.visible .entry copy(.param .u64 x) {
    .reg .b32 %r<2>;
    .reg .b64 %rd<4>;
    // launch: --block 32 --grid 1 --buffer x=128 --params x
    ld.param.u64 %rd1, [x];
    mov.u32 %r1, %tid.x;
    mul.wide.u32 %rd2, %r1, 4;
    add.s64 %rd3, %rd1, %rd2;
    // ptxlint: ignore[uncoalesced-access] strided once  // expect: unused-ignore
    st.global.u32 [%rd3], %r1;
    ret;
}
"""
GOOD = """
.visible .entry copy(.param .u64 x) {
    .reg .b32 %r<2>;
    .reg .b64 %rd<4>;
    // launch: --block 32 --grid 1 --buffer x=8192 --params x
    ld.param.u64 %rd1, [x];
    mov.u32 %r1, %tid.x;
    mul.wide.u32 %rd2, %r1, 256;
    add.s64 %rd3, %rd1, %rd2;
    // ptxlint: ignore[uncoalesced-access] one row of a matrix, strided once
    st.global.u32 [%rd3], %r1;
    ret;
}
"""


def check(facts: Facts) -> Iterable[Claim]:
    """No claim: ``ptxlint.ignores`` compares the comments with all findings of a check."""
    return ()
