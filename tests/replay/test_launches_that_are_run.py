"""Which launches a search for witnesses runs: none that cannot change what is reported."""

from __future__ import annotations

from pathlib import Path

import pytest

import ptxlint
from ptxlint.contracts.launch import ConcreteLaunch
from ptxlint.simt import Interpreter

CLEAN = Path(__file__).parents[2] / "corpus" / "clean"

VECTORS = """
.version 8.0
.target sm_80
.address_size 64
.visible .entry vectors(.param .u64 x) {
    .reg .b32 %r<6>;
    .reg .b64 %rd<4>;
    ld.param.u64 %rd1, [x];
    cvta.to.global.u64 %rd1, %rd1;
    mov.u32 %r1, %tid.x;
    mul.wide.u32 %rd2, %r1, BYTES;
    add.s64 %rd3, %rd1, %rd2;
    ld.global.v4.u32 {%r2, %r3, %r4, %r5}, [%rd3];
    st.global.u32 [%rd3], %r2;
    ret;
}
"""

ROWS = """
.version 8.0
.target sm_80
.address_size 64
.visible .entry rows(.param .u64 x, .param .u32 n, .param .u32 m) {
    .reg .pred %p;
    .reg .b32 %r<8>;
    .reg .b64 %rd<4>;
    ld.param.u64 %rd1, [x];
    ld.param.u32 %r1, [n];
    ld.param.u32 %r6, [m];
    mov.u32 %r2, %tid.x;
    mov.u32 %r3, %ctaid.x;
    setp.ge.u32 %p, %r3, %r1;
    @%p bra $done;
    mul.lo.s32 %r4, %r3, %r6;
    shl.b32 %r5, %r2, 5;
    add.s32 %r5, %r5, %r4;
    mul.wide.s32 %rd2, %r5, 4;
    add.s64 %rd3, %rd1, %rd2;
    st.global.u32 [%rd3], %r2;
$done:
    ret;
}
"""

LOADED = """
.version 8.0
.target sm_80
.address_size 64
.visible .entry loaded(.param .u64 x, .param .u32 n) {
    .reg .pred %p;
    .reg .b32 %r<8>;
    .reg .b64 %rd<4>;
    .shared .align 4 .b8 tile[64];
    ld.param.u64 %rd1, [x];
    cvta.to.global.u64 %rd1, %rd1;
    ld.param.u32 %r4, [n];
    ld.global.u32 %r1, [%rd1];
    setp.ne.u32 %p, %r1, 7;
    @%p bra $done;
    shl.b32 %r2, %r4, 2;
    mov.u32 %r3, tile;
    add.s32 %r3, %r3, %r2;
    st.shared.u32 [%r3], %r1;
$done:
    ret;
}
"""

PAST_THE_ARRAY = """
.version 8.0
.target sm_80
.address_size 64
.visible .entry past(.param .u32 n) {
    .reg .pred %p;
    .reg .b32 %r<8>;
    .shared .align 4 .b8 tile[4096];
    mov.u32 %r1, %tid.x;
    mov.u32 %r2, %ctaid.x;
    and.b32 %r3, %r1, %r2;
    setp.ne.u32 %p, %r3, 0;
    @%p bra $done;
    shl.b32 %r4, %r1, 2;
    mad.lo.s32 %r4, %r2, 4096, %r4;
    mov.u32 %r5, tile;
    add.s32 %r5, %r5, %r4;
    st.shared.u32 [%r5], %r1;
$done:
    ret;
}
"""

TILE = """
.version 8.0
.target sm_80
.address_size 64
.visible .entry tiled(.param .u32 n) {
    .reg .pred %p;
    .reg .b32 %r<8>;
    .shared .align 4 .b8 tile[256];
    ld.param.u32 %r1, [n];
    mov.u32 %r2, %tid.x;
    mov.u32 %r4, tile;
    setp.eq.u32 %p, %r1, 0;
    @%p bra $done;
    shl.b32 %r3, %r2, 2;
    add.s32 %r4, %r4, %r3;
    st.shared.u32 [%r4], %r2;
$done:
    ret;
}
"""


@pytest.fixture
def launches(monkeypatch: pytest.MonkeyPatch) -> list[ConcreteLaunch]:
    """The launches that are run."""
    seen: list[ConcreteLaunch] = []
    plain = Interpreter.run

    def run(self: Interpreter, launch: ConcreteLaunch, *rest: object) -> object:
        seen.append(launch)
        return plain(self, launch, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(Interpreter, "run", run)
    return seen


def test_alignment_that_an_allocation_has_is_not_replayed(launches: list[ConcreteLaunch]) -> None:
    vectors = VECTORS.replace("BYTES", "16")
    report = ptxlint.check(vectors, select=["misaligned-access"], pedantic=True)
    assert [finding.certainty.value for finding in report.findings] == ["possible"]
    assert not launches


def test_an_index_that_may_be_misaligned_in_an_allocation_is_replayed(
    launches: list[ConcreteLaunch],
) -> None:
    vectors = VECTORS.replace("BYTES", "4")
    ptxlint.check(vectors, select=["misaligned-access"])
    assert launches


def test_a_cost_that_follows_from_the_lanes_is_replayed_once(
    launches: list[ConcreteLaunch],
) -> None:
    """No other row of threads, and no other ``n`` or ``m``, has a request that costs less."""
    report = ptxlint.check(ROWS, select=["uncoalesced-access"])
    (found,) = report.findings
    assert found.certainty.value == "witness"
    assert found.cost is not None and found.cost.actual == 32
    assert len(launches) == 1


def test_the_smallest_launch_with_a_fault_answers_for_all(
    launches: list[ConcreteLaunch],
) -> None:
    """More blocks go farther past the array, and one block fits: it is a precondition. No guard
    took part where it fits, so other launches might show a fault, but that in the smallest launch
    is not one."""
    report = ptxlint.check(PAST_THE_ARRAY, select=["out-of-bounds"], pedantic=True)
    (found,) = report.findings
    assert found.certainty.value == "possible"
    assert 2 < len(launches) < 10


def test_an_instruction_that_no_launch_executes_is_given_up(
    launches: list[ConcreteLaunch], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The report says that the claim is not decided; a declared launch is run all the same."""
    monkeypatch.setattr("ptxlint.replay.attribution.REACH_STEPS", 2000)
    report = ptxlint.check(LOADED, select=["out-of-bounds"])
    assert 2 < len(launches) < 20
    assert ["not decided by replays" in each.message for each in report.diagnostics] == [True]
    before = len(launches)
    contract = ptxlint.Contract.of(block="32", grid="1", arg=["n=1..99"], buffer=["x=4"])
    report = ptxlint.check(LOADED, contract=contract, select=["out-of-bounds"])
    assert not report.diagnostics
    assert len(launches) > before


def test_the_first_launch_that_fits_answers_where_no_thread_is_guarded(
    launches: list[ConcreteLaunch],
) -> None:
    """All threads make the access, or none: no launch could test a guard better."""
    report = ptxlint.check(TILE, select=["out-of-bounds"], pedantic=True)
    assert [finding.certainty.value for finding in report.findings] == ["possible"]
    *larger, last = launches
    assert larger and all(launch.block[0] > 64 for launch in larger)
    assert last.block[0] <= 64


def test_guards_do_not_test_alignment() -> None:
    """A launch whose threads are all before the end of the row shows that the store may be aligned,
    though its guard takes no part."""
    path = CLEAN / "rows_behind_a_header.ptx"
    report = ptxlint.check(path, select=["misaligned-access"], pedantic=True)
    (found,) = report.findings
    assert found.certainty.value == "possible"
    assert not report.diagnostics


FEW_WORDS = """
.version 8.0
.target sm_80
.address_size 64
.visible .entry few(.param .u32 words, .param .u32 n) {
    .reg .pred %p;
    .reg .b32 %r<8>;
    .shared .align 4 .b8 tile[20];
    ld.param.u32 %r1, [words];
    setp.lt.u32 %p, %r1, 2;
    @%p bra $done;
    rem.u32 %r2, %r1, 13;
    shl.b32 %r2, %r2, 2;
    mov.u32 %r3, tile;
    add.s32 %r3, %r3, %r2;
    st.shared.u32 [%r3], %r1;
$done:
    ret;
}
"""


def test_a_parameter_that_may_be_small_is_the_caller_s_choice() -> None:
    """With 100 and 1024 words, and twice as many, the store leaves the array; with two it does
    not, and with one nothing is stored."""
    assert not ptxlint.check(FEW_WORDS, select="out-of-bounds").findings
    beyond = FEW_WORDS.replace("rem.u32 %r2, %r1, 13", "or.b32 %r2, %r1, 8")
    (finding,) = ptxlint.check(beyond, select="out-of-bounds").findings
    assert finding.witness is not None
