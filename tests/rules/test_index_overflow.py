"""Where an index leaves its type, from which size on, and where that is not claimed."""

from __future__ import annotations

import pytest

from ptxlint.checker import check
from ptxlint.contracts.contract import Contract
from ptxlint.options import Options
from ptxlint.results.finding import Certainty, Finding
from ptxlint.source import Source

HEAD = """
.version 9.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 p, .param .u32 n) {
    .reg .pred %p<3>;
    .reg .b32 %r<12>;
    .reg .b64 %rd<6>;
    ld.param.u64 %rd1, [p];
    cvta.to.global.u64 %rd1, %rd1;
    ld.param.u32 %r1, [n];
    mov.u32 %r2, %ctaid.x;
    mov.u32 %r3, %ntid.x;
    mov.u32 %r4, %tid.x;
    mad.lo.s32 %r5, %r2, %r3, %r4;
"""
WIDEN = """
    mul.wide.{type} %rd2, %r6, 4;
    add.s64 %rd3, %rd1, %rd2;
    st.global.u32 [%rd3], %r4;
"""
TAIL = "\nDONE:\n    ret;\n}\n"
SIGNED, UNSIGNED = WIDEN.format(type="s32"), WIDEN.format(type="u32")

TIMES = "mul.lo.s32 %r6, %r5, %r1;"
GUARDED = "setp.ge.s32 %p1, %r5, 1024;\n @%p1 bra DONE;\n mul.lo.s32 %r6, %r5, %r1;"
ONE_OF_TWO = "setp.gt.u32 %p1, %r4, 7;\n selp.b32 %r7, %r1, 1, %p1;\n mul.lo.s32 %r6, %r5, %r7;"
MASKED = "mul.lo.s32 %r7, %r5, %r1;\n and.b32 %r6, %r7, 1023;"


def findings(body: str, options: str, pedantic: bool = False) -> list[Finding]:
    source = Source("k.ptx", HEAD + body + TAIL)
    contract = Contract.from_options(options.split())
    report = check([source], Options((contract,), select=("index-overflow",), pedantic=pedantic))
    assert not report.diagnostics
    return list(report.findings)


@pytest.mark.parametrize(
    ("body", "options", "first"),
    [
        (TIMES + SIGNED, "--grid 4 --block 256 --arg n=1..2**24", 2099203),
        (TIMES + UNSIGNED, "--grid 4 --block 256 --arg n=1..2**24", 4198405),
        (GUARDED + SIGNED, "--grid 16 --block 256 --arg n=1..2**24", 2099203),
        (TIMES + SIGNED, "--grid 4 --block 256 --arg n=1..2**20", None),
        (TIMES + SIGNED, "--grid 4 --arg n=1..2**24", None),
        (TIMES + SIGNED, "--grid 4 --block 256", None),
        (TIMES + SIGNED, "--block 256 --arg n=1..2**24", None),
        (MASKED + SIGNED, "--grid 4 --block 256 --arg n=1..2**24", None),
    ],
)
def test_the_least_size_that_fails(body: str, options: str, first: int | None) -> None:
    found = findings(body, options)
    if first is None:
        assert not found
        return
    (finding,) = found
    assert finding.certainty is Certainty.WITNESS
    assert finding.condition == f"n >= {first}"
    assert finding.message.endswith(f"int32 from n = {first} on")
    assert finding.witness is not None and finding.witness.arguments["n"] == first


def test_the_least_size_is_the_least() -> None:
    """By the greatest index: of thread 1023, or of thread 31 in the fifth round."""
    assert 1023 * 2099202 < 2**31 <= 1023 * 2099203
    assert 1023 * 4198404 < 2**32 <= 1023 * 4198405
    assert 4 * (2**30 - 8) + 31 < 2**32 <= 4 * (2**30 - 7) + 31


def test_a_choice_of_factors_is_seen_through() -> None:
    (finding,) = findings(ONE_OF_TWO + SIGNED, "--grid 4 --block 256 --arg n=1..2**24")
    assert finding.witness is not None


def test_iterations_are_counted() -> None:
    body = """
    mov.u32 %r6, %r4;
    mov.u32 %r8, 0;
LOOP:
    mul.wide.u32 %rd2, %r6, 4;
    add.s64 %rd3, %rd1, %rd2;
    st.global.u32 [%rd3], %r4;
    add.s32 %r6, %r6, %r1;
    add.s32 %r8, %r8, 1;
    setp.lt.u32 %p1, %r8, 5;
    @%p1 bra LOOP;
"""
    (finding,) = findings(body, "--grid 1 --block 32 --arg n=1..2**30")
    assert finding.witness is not None and finding.witness.arguments["n"] == 2**30 - 7
    assert not findings(body, "--grid 1 --block 32 --arg n=1..2**30-8")


def test_without_a_launch_nothing_is_said() -> None:
    """What any launch must keep to, a contract says."""
    assert not findings(TIMES + SIGNED, "--params p,n", pedantic=True)
