"""Checks that are asked for: races between threads, and reads of memory that nobody has written."""

from __future__ import annotations

import numpy as np
import pytest

from ptxlint.simt import Fault

from .programs import STORE, Ran, gives, ran

S = """.shared .align 4 .b8 s[512]; mov.u64 %rd7, s; mul.wide.u32 %rd8, %r1, 4;
    add.u64 %rd9, %rd7, %rd8; xor.b32 %r8, %r1, 1; mul.wide.u32 %rd10, %r8, 4;
    add.u64 %rd11, %rd7, %rd10; xor.b32 %r7, %r1, 32; mul.wide.u32 %rd12, %r7, 4;
    add.u64 %rd13, %rd7, %rd12;   // s[t], s[t ^ 1] in the same warp, s[t ^ 32] in the other
"""
PUT, NEAR, FAR = "st.shared.u32 [%rd9], %r1;", "ld.shared.u32 %r9, [%rd11];", "%rd13"
GET_FAR = "ld.shared.u32 %r9, [%rd13];"
T = np.arange(64)


def raced(body: str, threads: int = 64, blocks: int = 1, **more: object) -> Ran:
    return ran(S + body, threads, blocks, checks="race", **more)  # type: ignore[arg-type]


def only(result: Ran, kind: str, line: str) -> Fault:
    assert [fault.kind for fault in result.faults] == [kind], list(map(str, result.faults))
    assert result.line(result.faults[0]).startswith(line)
    return result.faults[0]


def test_a_read_of_what_another_warp_writes() -> None:
    fault = only(raced(f"{PUT}\n{GET_FAR}\n{STORE}"), "data-race", "ld.shared")
    assert (fault.tid, fault.other, fault.region, fault.distance) == (
        (0, 0, 0), (32, 0, 0), "s", 128,
    )  # fmt: skip
    assert fault.other_instr is not None and fault.other_instr.text == "st.shared.u32"
    gives(raced(f"{PUT} bar.sync 0; {GET_FAR} {STORE}"), T ^ 32)


def test_a_write_of_what_another_warp_has_read() -> None:
    body = f"{PUT} bar.sync 0; {GET_FAR} {STORE}\n{PUT}\n"
    only(raced(body), "data-race", "st.shared")
    gives(raced(body.replace("\n", "bar.sync 0;", 1)), T ^ 32)


def test_two_that_write_the_same_word() -> None:
    fault = only(raced("\nst.shared.u32 [s], %r1;\n"), "data-race", "st.shared")
    assert fault.other_ctaid == (0, 0, 0)
    assert not raced("st.shared.u32 [s], 7;").faults, "the same word does no harm"
    assert not raced("st.shared.u32 [s], 7; st.shared.u32 [s], 7;").faults
    only(raced("\nst.global.u32 [%rd1], %r1;\n"), "data-race", "st.global")


def test_lanes_of_a_warp_need_a_barrier_of_their_own() -> None:
    body = f"{PUT}\n{NEAR}\n{STORE}"
    only(raced(body), "data-race", "ld.shared")
    gives(raced(body.replace("\n", "bar.warp.sync 0xffffffff;", 1)), T ^ 1)


def test_a_barrier_of_the_warp_does_not_order_warps() -> None:
    body = f"{PUT} bar.warp.sync -1;\n{GET_FAR}\n{STORE}"
    only(raced(body), "data-race", "ld.shared")


def test_a_shuffle_orders_nothing() -> None:
    body = f"{PUT} shfl.sync.bfly.b32 %r20, %r1, 1, 31, -1;\n{NEAR}\n{STORE}"
    only(raced(body), "data-race", "ld.shared")


def test_order_is_handed_on_from_thread_to_thread() -> None:
    """Warp 0 writes, its lanes meet; lane 0's block barrier tells the other warp of all."""
    body = f"{PUT} bar.warp.sync -1; barrier.sync 0; bar.warp.sync -1; {GET_FAR} {STORE}"
    gives(raced(body), T ^ 32)


def test_who_arrives_tells_who_waits() -> None:
    body = f"""setp.ge.u32 %p1, %r1, 32; mov.u32 %r9, 0; @%p1 bra WAIT;
        {PUT} bar.arrive 1, 64; bra OUT;
    WAIT: bar.sync 1, 64; {GET_FAR}
    OUT: {STORE}"""
    gives(raced(body), np.where(T < 32, 0, T - 32))


def test_warps_at_different_barriers_do_not_wait_for_each_other() -> None:
    body = f"""setp.ge.u32 %p1, %r1, 32; @%p1 bra OTHER;
        {PUT} bar.sync 1, 32; bra OUT;
    OTHER: {PUT} bar.sync {{}}, 32;
    OUT:
        {{}}
        {{}}
        {STORE}"""
    only(raced(body.format(2, "", GET_FAR)), "data-race", "ld.shared")
    assert not raced(body.format(2, "", NEAR)).faults
    gives(raced(body.format(2, "barrier.sync 0;", GET_FAR)), T ^ 32)


def test_whole_warps_at_two_barriers_of_one_number_wait_for_each_other() -> None:
    body = f"""setp.ge.u32 %p1, %r1, 32; @%p1 bra OTHER;
        {PUT} bar.sync 0; bra OUT;
    OTHER: {PUT} bar.sync 0;
    OUT: {GET_FAR} {STORE}"""
    gives(raced(body), T ^ 32)
    gives(raced(body, schedule=3), T ^ 32)


def test_warp_barriers_order_the_lanes_of_one_mask() -> None:
    body = f"""and.b32 %r20, %r1, 1; setp.eq.u32 %p1, %r20, 0;
        selp.b32 %r21, 0x55555555, {{}}, %p1;
        {PUT} bar.warp.sync %r21;
        {NEAR}
        {STORE}"""
    only(raced(body.format("0xaaaaaaaa")), "data-race", "ld.shared")
    whole = body.replace("0x55555555", "0xffffffff").format("0xffffffff")
    gives(raced(whole), T ^ 1)
    gives(raced(body.replace(NEAR, "ld.shared.u32 %r9, [%rd9];").format("0xaaaaaaaa")), T)


def test_lanes_leave_a_barrier_of_the_warp_together_from_different_instructions() -> None:
    body = f"""and.b32 %r20, %r1, 1; setp.eq.u32 %p1, %r20, 0; @%p1 bra EVEN;
        {PUT} bar.warp.sync -1; {NEAR} bra OUT;
    EVEN: {PUT} bar.warp.sync -1; {NEAR}
    OUT: {STORE}"""
    for seed in (None, *range(6)):
        gives(raced(body, schedule=seed), T ^ 1)


@pytest.mark.parametrize("all_write", ["st.shared.u32 [s], 7;", "red.shared.add.u32 [s], 1;"])
def test_the_last_of_those_that_wrote_writes_again(all_write: str) -> None:
    body = all_write + "{} setp.ne.u32 %p1, %r1, 63; @%p1 bra OUT;\nst.shared.u32 [s], 8;\nOUT:"
    only(raced(body.format("")), "data-race", "st.shared")
    assert not raced(body.format("bar.sync 0;")).faults


def test_readers_and_writers_of_another_batch_keep_their_own_order() -> None:
    """Blocks of the first batch write and release before those of the second write."""
    body = """mov.u32 %r9, 1; red.global.add.u32 [%rd1], 1; membar.gl;
        atom.global.inc.u32 %r20, [%rd1+4], 99; setp.ne.u32 %p1, %r20, 39; @%p1 bra OUT;
        ld.global.u32 %r10, [%rd1]; OUT:"""
    assert not ran(body, 1, 40, y=5, checks="race").faults


def test_atomics_do_not_race_with_each_other() -> None:
    assert not raced("red.shared.add.u32 [s], 1; red.global.add.u32 [%rd1], 1;", 64, 3).faults
    body = "red.shared.add.u32 [s], 1;\nst.shared.u32 [s], 1;\n"
    only(raced(body), "data-race", "st.shared")


def test_bytes_of_one_word_are_different_places() -> None:
    body = "cvt.u64.u32 %rd20, %r1; add.u64 %rd20, %rd7, %rd20; st.shared.u8 [%rd20], %r1;"
    assert not raced(body).faults
    vectors = f"{PUT} bar.sync 0;\nld.shared.v2.u32 {{%r9, %r10}}, [s];\n{PUT}"
    only(raced(vectors), "data-race", vectors.splitlines()[-1])


TWO_OBJECTS = f""".shared .align 8 .b8 b[16]; setp.ne.u32 %p3, %r1, 0; @%p3 bra MADE;
    mbarrier.init.shared.b64 [b], 32; mbarrier.init.shared.b64 [b+8], 32;
    MADE: bar.sync 0; setp.lt.u32 %p1, %r1, 32; mov.u32 %r9, 0; @%p1 bra PUTS;
    mbarrier.arrive.shared.b64 %rd31, [b+8];
    {{test}}
    {GET_FAR}
    bra OUT;
    PUTS: {PUT} mbarrier.arrive.shared.b64 %rd31, [b];
    OUT: {STORE}"""
AWAIT = "AGAIN: mbarrier.try_wait.parity.shared.b64 %p4, [b{}], 0; @!%p4 bra AGAIN;"


@pytest.mark.parametrize("schedule", [None, 0, 1, 2, 3])
def test_a_barrier_object_orders_what_was_done_before_arrivals_at_it(schedule: int | None) -> None:
    def races(test: str) -> set[str]:
        body = TWO_OBJECTS.format(test=test)
        return raced(body, schedule=schedule).outcome.kinds()

    assert races(AWAIT.format("")) == set()
    assert races(AWAIT.format("+8")) == {"data-race"}
    assert races("") == {"data-race"}


def test_an_incomplete_phase_orders_nothing() -> None:
    """32 of 33 threads have arrived."""
    test = "mbarrier.try_wait.parity.shared.b64 %p4, [b], 0;"
    body = TWO_OBJECTS.format(test=test).replace("[b], 32", "[b], 33")
    for seed in (None, 1, 2):
        assert raced(body, schedule=seed).outcome.kinds() == {"data-race"}


COPY = """cvta.to.global.u64 %rd30, %rd2; add.u64 %rd30, %rd30, %rd8;
    cp.async.ca.shared.global [%rd9], [%rd30], 4;"""
OWN = "ld.shared.u32 %r9, [%rd9];"
COMMIT, LEAVE = "cp.async.commit_group;", "cp.async.wait_group {};"
OBJECT = """.shared .align 8 .b8 b[8]; setp.ne.u32 %p3, %r1, 0;
    @!%p3 mbarrier.init.shared.b64 [b], 64; bar.sync 0;"""
COUNTED = "cp.async.mbarrier.arrive.noinc.shared.b64 [b];"
TEST = "AGAIN: mbarrier.try_wait.parity.shared.b64 %p4, [b], 0; @!%p4 bra AGAIN;"


@pytest.mark.parametrize(
    ("body", "read"),
    [
        (COPY, OWN),
        (COPY + "bar.sync 0;", GET_FAR),
        (COPY + "cp.async.wait_all;", GET_FAR),
        (COPY + "bar.sync 0; cp.async.wait_all;", GET_FAR),
        (COPY + LEAVE.format(0), OWN),
        (COPY + COMMIT + LEAVE.format(1), OWN),
        (OBJECT + COPY + COUNTED, OWN),
        (OBJECT + COPY + "mbarrier.arrive.shared.b64 %rd31, [b];" + TEST, GET_FAR),
        (COPY, "st.shared.u32 [%rd9], 1;"),
    ],
)
def test_a_copy_that_is_not_waited_for(body: str, read: str) -> None:
    fault = only(raced(f"{body}\n{read}\n", x=T.astype("u4")), "data-race", read[:9])
    assert fault.other_instr is not None and fault.other_instr.text.startswith("cp.async")


@pytest.mark.parametrize(
    ("body", "read", "result"),
    [
        (COPY + "cp.async.wait_all;", OWN, T),
        (COPY + "cp.async.wait_all; bar.sync 0;", GET_FAR, T ^ 32),
        (COPY + COMMIT + LEAVE.format(0) + "bar.sync 0;", GET_FAR, T ^ 32),
        (COPY + 2 * COMMIT + LEAVE.format(1), OWN, T),
        (OBJECT + COPY + COUNTED + TEST, GET_FAR, T ^ 32),
    ],
)
def test_a_copy_that_is_waited_for(body: str, read: str, result: object) -> None:
    for seed in (None, 1, 2):
        gives(raced(f"{body} {read} {STORE}", x=T.astype("u4"), schedule=seed), result)  # type: ignore[arg-type]


def test_the_first_and_the_last_reader_are_known() -> None:
    body = "setp.eq.u32 %p1, %r1, {}; ld.shared.u32 %r9, [s];\n@%p1 st.shared.u32 [s], 1;\n"
    for thread in (0, 31, 32, 63):
        only(raced(body.format(thread)), "data-race", "@%p1 st.shared")


def test_blocks_share_global_memory_and_nothing_else() -> None:
    assert not raced(PUT, 64, 4).faults
    fault = only(raced("\nst.global.u32 [%rd1], %r2;\n", 1, 3), "data-race", "st.global")
    assert (fault.ctaid, fault.other_ctaid) == ((1, 0, 0), (0, 0, 0))
    body = "mul.wide.u32 %rd20, %r1, 4; add.u64 %rd20, %rd1, %rd20;\nst.global.u32 [%rd20], %r4;\n"
    assert raced(body, 1024, 9).faults[0].kind == "data-race", "in other batches too"


LAST = """mov.u32 %r9, 1; {put}
    {fence} atom.global.inc.u32 %r20, [%rd1+{count}], 99; setp.ne.u32 %p1, %r20, 3; @%p1 bra OUT;
    ld.global.u32 %r10, [%rd1]; ld.global.u32 %r11, [%rd1+4]; ld.global.u32 %r12, [%rd1+8];
    OUT:"""


def test_the_last_block_may_read_what_the_others_wrote() -> None:
    body = LAST.format(put=STORE, fence="membar.gl;", count=16)
    assert not ran(body, 1, 4, y=5, checks="race").faults
    body = LAST.format(put=STORE, fence="", count=16)
    assert {f.kind for f in ran(body, 1, 4, y=5, checks="race").faults} == {"data-race"}


def test_atomics_of_one_scope_are_ordered_inside_of_it() -> None:
    body = "\natom.global.cta.add.u32 %r9, [%rd1], 1;\n"
    assert not raced(body, 64, 1).faults
    for threads, blocks in ((1, 2), (64, 4)):
        fault = only(raced(body, threads, blocks), "data-race", "atom.global.cta")
        assert fault.ctaid != fault.other_ctaid
        assert not raced(body.replace(".cta", ""), threads, blocks).faults


def test_the_word_that_a_compare_and_swap_expects_races_with_no_atomic() -> None:
    """A loop begins with a plain load. A load of another word, or whose word goes elsewhere, races;
    so does a plain store beside the load."""
    loop = """\nld.shared.u32 %r8, [s]; {} TRY: add.u32 %r9, %r8, %r1;
    atom.shared.cas.b32 %r10, [s+{}], %r8, %r9;
    setp.ne.u32 %p1, %r10, %r8; mov.u32 %r8, %r10; @%p1 bra TRY;"""
    first = "setp.eq.u32 %p2, %r1, 0; @%p2 st.shared.u32 [s], 0; bar.sync 0;"
    assert not raced(first + loop.format("", 0)).faults
    assert not raced(first + loop.format("", 0), 1, 4).faults
    base = "mov.u32 %r12, s;" + loop.replace("[s+{}]", "[%r12+{}]")
    assert not raced(first + base.format("", 0)).faults, "one address in two operands"
    assert raced(first + loop.format("and.b32 %r8, %r8, 7;", 0)).faults
    assert raced(first + loop.format("", 0) + "@%p2 st.shared.u32 [s], 5;").faults
    assert raced(first + loop.format("", 4) + "red.shared.add.u32 [s], 1;").faults


def test_an_atomic_does_not_hide_the_store_before_it() -> None:
    body = """setp.ne.u32 %p1, %r1, 0; @%p1 bra OTHERS; st.shared.u32 [s], 0;
    atom.shared.add.u32 %r9, [s], 1; OTHERS: setp.ne.u32 %p1, %r1, 32; @%p1 bra OUT;
    \natom.shared.add.u32 %r9, [s], 2;\nOUT:"""
    only(raced(body), "data-race", "atom.shared")


def test_a_fence_orders_the_threads_in_its_scope() -> None:
    """The first thread sets a flag, and the last one, or that of another block, waits for it."""
    body = """mov.u32 %r12, %ctaid.x; add.u32 %r12, %r12, %r1; setp.ne.u32 %p1, %r12, 0;
    @%p1 bra LAST;
    \nst.global.u32 [%rd1+4], 5;\n{} atom.global.exch.b32 %r10, [%rd1], 1; bra.uni OUT;
    LAST: setp.ne.u32 %p1, %r12, {}; @%p1 bra OUT;
    SPIN: atom.global.add.u32 %r10, [%rd1], 0; setp.eq.u32 %p1, %r10, 0; @%p1 bra SPIN;
    membar.gl;\nld.global.u32 %r11, [%rd1+4];\nOUT:"""
    for threads, blocks, last in ((64, 1, 63), (1, 2, 1)):
        inside, around = body.format("membar.cta;", last), body.format("membar.gl;", last)
        assert not raced(around, threads, blocks).faults
        assert bool(raced(inside, threads, blocks).faults) == (blocks > 1)
        only(raced(body.format("", last), threads, blocks), "data-race", "ld.global")


def test_a_release_orders_the_threads_of_its_block_in_shared_memory_too() -> None:
    body = """setp.ne.u32 %p1, %r1, 0; @%p1 bra LAST;
    st.shared.u32 [s+4], 5; st.release.cta.shared.u32 [s], 1; bra.uni OUT;
    LAST: setp.ne.u32 %p1, %r1, 63; @%p1 bra OUT;
    SPIN: ld.acquire.cta.shared.u32 %r10, [s]; setp.eq.u32 %p1, %r10, 0; @%p1 bra SPIN;
    \nld.shared.u32 %r11, [s+4];\nOUT:"""
    assert not raced(body).faults
    only(raced(body.replace("release", "relaxed")), "data-race", "ld.shared")


def test_threads_that_wait_for_a_lock_let_its_owner_run() -> None:
    body = """SPIN: atom.global.cas.b32 %r10, [%rd1], 0, 1; setp.ne.u32 %p1, %r10, 0; @%p1 bra SPIN;
    membar.gl; ld.global.u32 %r11, [%rd1+4]; add.u32 %r11, %r11, 1; st.global.u32 [%rd1+4], %r11;
    membar.gl; atom.global.exch.b32 %r10, [%rd1], 0;"""
    result = raced(body, 64, 2)
    assert not result.faults and result.outcome.steps < 10_000
    waiting = "SPIN: ld.volatile.global.u32 %r10, [%rd1]; setp.eq.u32 %p1, %r10, 0; @%p1 bra SPIN;"
    assert ran(waiting).outcome.endless, "no thread answers"


def test_nobody_looks_unless_asked() -> None:
    assert not ran(f"{S}{PUT} {GET_FAR} {STORE}", 64).faults


# --- memory that nothing has written


@pytest.mark.parametrize(
    ("body", "line"),
    [
        (f"\n{NEAR}\n", "ld.shared"),
        ("\natom.shared.add.u32 %r9, [s], 1;\n", "atom.shared"),
        ("st.shared.u8 [s], 1; bar.sync 0;\nld.shared.u32 %r9, [s];\n", "ld.shared"),
        (".local .align 4 .b8 own[8]; st.local.u32 [own+4], 1;\nld.local.u32 %r9, [own];\n", "ld."),
        (f"setp.lt.u32 %p1, %r1, 60; @%p1 {PUT} bar.sync 0;\n{NEAR}\n", "ld.shared"),
    ],
)
def test_a_read_before_any_write(body: str, line: str) -> None:
    fault = only(ran(S + body, 64, checks="init"), "uninitialized-read", line)
    assert fault.region in ("s", "own")


def test_memory_that_was_written_may_be_read() -> None:
    gives(ran(f"{S}{PUT} bar.sync 0; {NEAR} {STORE}", 64, 3, checks="init"), np.tile(T ^ 1, 3))
    own = ".local .align 4 .b8 own[8]; st.local.u32 [own+4], %r1; ld.local.u32 %r9, [own+4];"
    gives(ran(f"{own} {STORE}", checks="init"), range(32))
    gives(ran("ld.global.u32 %r9, [%rd5];" + STORE, checks="init race"), [0] * 32)


def test_the_lane_that_ends_a_barrier_object_waits_for_its_warp() -> None:
    """All lanes arrive, and meet at a vote; the first one ends the object. Of another warp it needs
    to know more."""
    body = """.shared .align 8 .b8 b[8];
        setp.eq.u32 %p1, %r1, 0; @%p1 mbarrier.init.shared.b64 [b], 64; bar.sync 0;
        mbarrier.arrive.shared.b64 %rd31, [b]; vote.sync.any.pred %p2, %p1, -1;
        @%p1 mbarrier.inval.shared.b64 [b];"""
    assert not ran(body, 32, checks="race").faults
    assert ran(body, 64, checks="race").outcome.kinds() == {"data-race"}


def test_a_word_that_its_thread_uses_nowhere_races_with_nothing() -> None:
    """All threads load the words of the first 32, which store them back; who else stores one, or
    branches on it, has a race."""
    loads = """and.b32 %r8, %r1, 31; mul.wide.u32 %rd8, %r8, 4; add.u64 %rd9, %rd2, %rd8;
        ld.global.u32 %r9, [%rd9]; add.u32 %r10, %r9, 1; setp.lt.u32 %p1, %r1, 32;
        @%p1 st.global.u32 [%rd9], %r10;"""
    x = np.arange(32, dtype=np.uint32)
    result = ran(loads, 64, checks="race", x=x)
    assert not result.faults, list(map(str, result.faults))
    used = "add.u64 %rd10, %rd1, %rd4; st.global.u32 [%rd10], %r10;"
    branch = "setp.eq.u32 %p2, %r9, 5; @%p2 bra DONE; mov.u32 %r11, 1; DONE:"
    for more in (used, branch):
        assert ran(loads + more, 64, checks="race", x=x).outcome.kinds() == {"data-race"}


def test_lanes_that_store_sums_rounded_in_another_order() -> None:
    """A butterfly whose first step is fused. Words that differ by more race, and so do the sums of
    two warps."""
    steps = "".join(
        f"shfl.sync.bfly.b32 %r8, %r7, {n}, 31, -1; mov.b32 %f2, %r8;"
        f"{'fma.rn.f32 %f3, %f0, %f0, %f2' if n == 16 else 'add.f32 %f3, %f3, %f2'};"
        "mov.b32 %r7, %f3;"
        for n in (16, 8, 4, 2, 1)
    )
    squares = f"ld.global.f32 %f0, [%rd6]; mul.f32 %f1, %f0, %f0; mov.b32 %r7, %f1; {steps}"
    x = np.random.default_rng(1).random(64, np.float32)
    stored = ran(f"{squares} st.global.f32 [%rd1], %f3;", 32, checks="race", x=x)
    assert not stored.faults, list(map(str, stored.faults))
    for word in ("%f1", "%f0"):
        store = f"{squares} st.global.b32 [%rd1], {word};"
        assert ran(store, 32, checks="race", x=x).outcome.kinds() == {"data-race"}, word
    both = ran(f"{squares} st.global.f32 [%rd1], %f3;", 64, checks="race", x=x)
    assert "data-race" in both.outcome.kinds()
