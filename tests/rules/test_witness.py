"""Which launches show a finding, and which are to blame themselves."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from ptxlint.checker import check
from ptxlint.contracts.contract import Contract
from ptxlint.options import Options
from ptxlint.results.finding import Certainty, Finding
from ptxlint.rule import rule_names
from ptxlint.source import Source

KERNEL = """
.version 9.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 x, .param .u32 n, .param .u32 m) {{
    .shared .align 4 .b8 tile[256];
    .shared .align 4 .b8 wide[4096];
    .reg .pred %p<3>;
    .reg .b32 %r<12>;
    .reg .b64 %rd<6>;
    ld.param.u64 %rd1, [x];
    cvta.to.global.u64 %rd1, %rd1;
    ld.param.u32 %r1, [n];
    ld.param.u32 %r2, [m];
    mov.u32 %r3, %tid.x;
    mov.u32 %r4, %ctaid.x;
    mov.u32 %r5, %ntid.x;
    mad.lo.s32 %r6, %r4, %r5, %r3;
    {body}
DONE:
    ret;
}}
"""
STORE = """
    mul.wide.s32 %rd2, %r6, 4;
    add.s64 %rd3, %rd1, %rd2;
    st.global.u32 [%rd3], %r6;
"""
ONE_TOO_MANY = "setp.gt.s32 %p1, %r6, %r1;\n @%p1 bra DONE;" + STORE
GUARDED = "setp.ge.s32 %p1, %r6, %r1;\n @%p1 bra DONE;" + STORE
MOVED = "setp.ge.s32 %p1, %r6, %r1;\n @%p1 bra DONE;\n add.s32 %r6, %r6, %r2;" + STORE
TILE = """
    setp.ge.s32 %p1, %r6, %r1;
    @%p1 bra DONE;
    mov.u32 %r7, tile;
    shl.b32 %r8, %r3, 2;
    add.s32 %r9, %r7, %r8;
    st.shared.u32 [%r9], %r3;
"""
WRAPPED = "and.b32 %r3, %r6, 127;" + TILE


COLUMN = """
    mul.lo.s32 %r7, %r3, %r1;
    and.b32 %r7, %r7, 1023;
    shl.b32 %r8, %r7, 2;
    mov.u32 %r9, wide;
    add.s32 %r9, %r9, %r8;
    st.shared.u32 [%r9], %r3;
"""


def findings(
    body: str, options: str, rule: str = "out-of-bounds", z3: bool = False
) -> list[Finding]:
    source = Source("k.ptx", KERNEL.format(body=body))
    declared = Contract.from_options(options.split())
    report = check([source], Options((declared,), select=(rule,), z3=z3))
    assert not report.diagnostics
    return list(report.findings)


@pytest.mark.parametrize(
    ("body", "options", "address"),
    [
        (ONE_TOO_MANY, "--buffer x=4*n", 4),
        (ONE_TOO_MANY, "--buffer x=4*n --arg n=1000", 4000),
        (ONE_TOO_MANY, "--buffer x=4*n --arg n=1..1000", 4000),
        (ONE_TOO_MANY, "--buffer x=4*n --block 64", 4),
        (ONE_TOO_MANY, "--buffer x=4*n --grid 4 --assume n<=100", 4),
        (ONE_TOO_MANY, "--buffer x=4*n --grid 300 --block 256 --arg n=40000", 160000),
        (WRAPPED, "--arg n=1000", 256),
        (STORE, "--buffer x=4*n --grid 4 --block 64 --arg n=255", 1020),
    ],
)
def test_what_goes_wrong_in_every_launch_that_is_large_enough_is_shown(
    body: str, options: str, address: int
) -> None:
    (finding,) = findings(body, options)
    assert finding.certainty is Certainty.WITNESS
    assert finding.witness is not None
    assert finding.witness.address == address


@pytest.mark.parametrize(
    ("body", "options"),
    [
        (GUARDED, "--buffer x=4*n"),
        (STORE, "--buffer x=4*n"),
        (STORE, "--buffer x=4*n --arg n=1000"),
        (STORE, "--buffer x=4*n --block 128 --arg n=1000"),
        (STORE, "--buffer x=4*n --grid 4 --arg n=300"),
        (MOVED, "--buffer x=4*n+4 --arg n=1000"),
        (TILE, "--arg n=1000"),
        (TILE, "--arg n=1..120"),
    ],
)
def test_a_launch_that_nobody_declared_is_not_held_against_a_kernel(
    body: str, options: str
) -> None:
    """No guard, an offset that nobody gives, an array for blocks of 64: they need a launch of the
    right size, and nothing says that this one is not."""
    assert not findings(body, options)


MADE_FOR_256 = """
    sub.s32 %r7, 256, %r5;
    shl.b32 %r8, %r7, 2;
    mov.u32 %r9, tile;
    add.s32 %r9, %r9, %r8;
    st.shared.u32 [%r9], %r3;
"""
TWO_A_THREAD = MADE_FOR_256.replace("256, %r5", "%r1, %r5").replace(
    "shl.b32 %r8", "sub.s32 %r7, %r7, %r5;\n shl.b32 %r8"
)
BEHIND = MADE_FOR_256.replace("sub.s32 %r7, 256, %r5", "add.s32 %r7, %r5, 64")


@pytest.mark.parametrize(
    ("body", "options"),
    [(MADE_FOR_256, ""), (MADE_FOR_256, "--arg n=100"), (TWO_A_THREAD, "--arg n=100")],
)
def test_a_fault_that_some_block_avoids_is_a_precondition(body: str, options: str) -> None:
    """A kernel for blocks of 256 threads, and one for as many pairs of elements as threads."""
    assert not findings(body, options)
    assert findings(body, f"{options} --block 128")
    assert not findings(body, f"{options} --block {256 if body == MADE_FOR_256 else 50}")


def test_a_precondition_names_a_launch_that_meets_it() -> None:
    """The condition cannot be inferred if the index is loaded."""
    loaded = "shl.b32 %r8, %r7, 2;\n st.shared.u32 [wide], %r8;\n ld.shared.u32 %r8, [wide];"
    source = Source(
        "k.ptx", KERNEL.format(body=MADE_FOR_256.replace("shl.b32 %r8, %r7, 2;", loaded))
    )
    (finding,) = check([source], Options(select=("out-of-bounds",), pedantic=True)).findings
    assert finding.certainty is Certainty.POSSIBLE
    assert finding.reason is not None
    assert finding.reason.startswith("a precondition, which block 256, grid")


@pytest.mark.parametrize("options", ["", "--arg n=100", "--block 128", "--grid 4"])
def test_a_fault_that_no_block_avoids_is_shown_without_a_block(options: str) -> None:
    """The array has 64 elements, and the one behind as many as there are threads is written."""
    assert findings(BEHIND, options)


SUM = """
    mul.lo.s32 %r7, %r1, 5;
    mad.lo.s32 %r7, %r2, 7, %r7;
    setp.ne.s32 %p1, %r7, 391;
    @%p1 bra DONE;
"""


@pytest.mark.parametrize(
    ("body", "options"),
    [
        (SUM + STORE, "--block 64 --grid 4 --arg n=1..100 --arg m=1..100 --buffer x=1020"),
        (SUM + GUARDED, "--arg n=1..100 --arg m=1..100 --buffer x=4*m --assume m<n"),
    ],
)
def test_the_solver_finds_numbers_that_do_it(body: str, options: str) -> None:
    pytest.importorskip("z3", reason="z3 is not installed")
    assert not findings(body, options)
    (finding,) = findings(body, options, z3=True)
    assert finding.witness is not None
    numbers = finding.witness.arguments
    assert 5 * numbers["n"] + 7 * numbers["m"] == 391


def test_a_stride_inside_of_its_range_is_tried() -> None:
    """Words 31 or 33 apart are in banks of their own, words 32 apart are all in one."""
    options = "--block 32 --grid 1 --arg n=31..33"
    (finding,) = findings(COLUMN, options, "shared-bank-conflict")
    assert finding.witness is not None
    assert finding.witness.arguments["n"] == 32


def test_two_rules_count_one_access_each_by_its_own_unit() -> None:
    path = Path(__file__).parents[2] / "corpus" / "regressions" / "atomic_counted_by_two_rules.ptx"
    text = path.read_text("utf-8")
    found = check([Source(path.name, text)], Options((Contract.from_comments(text),))).findings
    assert {(f.rule, f.cost.unit, f.cost.actual) for f in found if f.cost} == {
        ("contended-atomic", "updates of one address", 8),
        ("uncoalesced-access", "sectors", 25),
    }


def test_the_search_knows_no_rule() -> None:
    """What is looked for stands in the harm of a claim: no rule's id is in its text."""
    from ptxlint.replay import witness

    words = set(re.findall(r"[a-z]+(?:-[a-z]+)+", Path(witness.__file__).read_text("utf-8")))
    assert not words & set(rule_names())


def test_all_ends_of_a_declared_value_range_are_tried() -> None:
    """The word behind the last one is out of bounds, and no number of the launch decides."""
    body = """
    mul.wide.u32 %rd2, %r3, 4;
    add.s64 %rd3, %rd1, %rd2;
    ld.global.u32 %r7, [%rd3];
    mov.u32 %r8, tile;
    mad.lo.u32 %r8, %r7, 4, %r8;
    ld.shared.u32 %r9, [%r8];
"""
    launch = "--block 32 --grid 1 --arg n=1 --arg m=1 --buffer x=128 --values "
    assert not findings(body, f"{launch} x=0..63")
    (above,) = findings(body, f"{launch} x=0..64")
    (below,) = findings(body, f"{launch} x=-1..63")
    assert [one.witness and one.witness.address for one in (above, below)] == [256, 2**32 - 4]
