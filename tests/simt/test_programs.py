"""What a program leaves in memory is what numpy says: control, memories, atomics, warps."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from analyses.domains.lanes import Word
from analyses.domains.words import Array
from analyses.program import Assume, Phi, Terminator, Value
from ptxlint.ir import Instr
from ptxlint.simt import Buffer, Machine, Setup, run

from .programs import HEAD, Ran, kernel_of, ran

STORE = "st.global.u32 [%rd5], %r9;"


def gives(result: Ran, expected: NDArray[Any] | list[int], dtype: str = "u4") -> None:
    """No fault, and y holds these words."""
    assert not result.faults, "\n".join(map(str, result.faults))
    assert not result.outcome.exhausted
    assert result.y(dtype).tolist() == np.asarray(expected).astype(dtype).tolist()


# --- control


@pytest.mark.parametrize("threads", [1, 31, 32, 33, 96])
def test_threads_that_do_not_fill_a_warp(threads: int) -> None:
    gives(ran(f"mad.lo.u32 %r9, %r4, 3, 1; {STORE}", threads, 3), np.arange(3 * threads) * 3 + 1)


def test_a_loop_turns_as_often_as_its_lane_says() -> None:
    body = f"""
        mov.u32 %r9, 0; mov.u32 %r8, 0;
    AGAIN: setp.ge.u32 %p1, %r8, %r4; @%p1 bra DONE;
        add.u32 %r9, %r9, %r8; add.u32 %r8, %r8, 1; bra AGAIN;
    DONE: {STORE}"""
    i = np.arange(64, dtype=np.uint32)
    gives(ran(body, 64), i * (i - 1) // 2)


def test_a_loop_in_a_loop_left_in_the_middle() -> None:
    body = f"""
        mov.u32 %r9, 0; mov.u32 %r8, 0;
    OUTER: mov.u32 %r7, 0;
    INNER: add.u32 %r9, %r9, 1; setp.gt.u32 %p1, %r9, 40; @%p1 bra DONE;
        add.u32 %r7, %r7, 1; setp.lt.u32 %p2, %r7, %r4; @%p2 bra INNER;
        add.u32 %r8, %r8, 1; setp.lt.u32 %p3, %r8, 5; @%p3 bra OUTER;
    DONE: {STORE}"""
    gives(ran(body, 64), [min(5 * max(i, 1), 41) for i in range(64)])


def test_branches_in_branches_meet_again() -> None:
    body = f"""
        and.b32 %r8, %r4, 1; setp.eq.u32 %p1, %r8, 0; and.b32 %r7, %r4, 2; setp.eq.u32 %p2, %r7, 0;
        @%p1 bra EVEN;
        @%p2 bra ONE; mov.u32 %r9, 3; bra ODD;
    ONE: mov.u32 %r9, 1;
    ODD: add.u32 %r9, %r9, 100; bra JOIN;
    EVEN: @%p2 bra ZERO; mov.u32 %r9, 2; bra JOIN;
    ZERO: mov.u32 %r9, 0;
    JOIN: activemask.b32 %r6; popc.b32 %r6, %r6; mad.lo.u32 %r9, %r6, 1000, %r9; {STORE}"""
    gives(ran(body, 32), [32000 + (i & 3) + 100 * (i & 1) for i in range(32)])


def test_swapped_phis_are_copied_together() -> None:
    body = f"""
        mov.u32 %r9, 1; mov.u32 %r8, 0; mov.u32 %r7, 0;
    AGAIN: add.u32 %r6, %r9, %r8; mov.u32 %r9, %r8; mov.u32 %r8, %r6;
        add.u32 %r7, %r7, 1; setp.le.u32 %p1, %r7, %r4; @%p1 bra AGAIN;
    {STORE}"""
    fibonacci = [0, 1]
    while len(fibonacci) < 32:
        fibonacci.append(fibonacci[-1] + fibonacci[-2])
    gives(ran(body, 32), fibonacci)


def test_a_thread_that_exits_early_leaves_the_rest_alone() -> None:
    body = f"setp.ge.u32 %p1, %r4, %r0; @%p1 exit; mov.u32 %r9, 7; {STORE}"
    gives(ran(body, 32, 2, n=40, y=40), [7] * 40)


def test_a_guarded_definition_keeps_the_old_word() -> None:
    body = f"mov.u32 %r9, 5; setp.lt.u32 %p1, %r1, 3; @%p1 mov.u32 %r9, 8; {STORE}"
    gives(ran(body, 8), [8] * 3 + [5] * 5)


def test_an_indexed_branch() -> None:
    body = f"""
    TABLE: .branchtargets A, B, A, C;
        and.b32 %r8, %r4, 3; brx.idx %r8, TABLE;
    A: mov.u32 %r9, 10; bra J;
    B: mov.u32 %r9, 20; bra J;
    C: mov.u32 %r9, 30;
    J: {STORE}"""
    gives(ran(body, 32), [10, 20, 10, 30] * 8)


def test_a_value_survives_the_lanes_that_come_later() -> None:
    """The loop's last index is used behind the loop, which lanes leave at different turns."""
    body = f"""
        mov.u32 %r8, 0;
    AGAIN: mul.lo.u32 %r7, %r8, 3; setp.ge.u32 %p1, %r8, %r4; @%p1 bra DONE;
        add.u32 %r8, %r8, 1; bra AGAIN;
    DONE: mov.u32 %r9, %r7; {STORE}"""
    gives(ran(body, 64), np.arange(64, dtype=np.uint32) * 3)


# --- memories


def test_a_reduction_in_shared_memory() -> None:
    body = """
        .shared .align 4 .b8 s[1024];
        ld.global.u32 %r8, [%rd6]; mul.wide.u32 %rd7, %r1, 4; mov.u64 %rd8, s;
        add.u64 %rd9, %rd8, %rd7; st.shared.u32 [%rd9], %r8; mov.u32 %r7, 128;
    AGAIN: bar.sync 0; setp.ge.u32 %p1, %r1, %r7; @%p1 bra NEXT;
        mul.wide.u32 %rd10, %r7, 4; add.u64 %rd11, %rd9, %rd10;
        ld.shared.u32 %r6, [%rd11]; ld.shared.u32 %r5, [%rd9];
        add.u32 %r5, %r5, %r6; st.shared.u32 [%rd9], %r5;
    NEXT: shr.u32 %r7, %r7, 1; setp.ne.u32 %p2, %r7, 0; @%p2 bra AGAIN;
        setp.ne.u32 %p3, %r1, 0; @%p3 exit;
        ld.shared.u32 %r9, [s]; mul.wide.u32 %rd12, %r2, 4; add.u64 %rd13, %rd1, %rd12;
        st.global.u32 [%rd13], %r9;"""
    x = np.random.default_rng(1).integers(0, 2**32, 300 * 256, np.uint32)
    gives(ran(body, 256, 300, x=x, y=300), x.reshape(300, 256).sum(axis=1, dtype=np.uint32))


def test_dynamic_shared_memory_begins_behind_the_static() -> None:
    body = f"""
        .shared .align 4 .b8 fixed[64];
        mov.u64 %rd7, a; mov.u64 %rd8, b; sub.u64 %rd9, %rd7, %rd8; cvt.u32.u64 %r9, %rd9;
        st.shared.u32 [fixed+60], %r1; mul.wide.u32 %rd10, %r1, 4; add.u64 %rd10, %rd10, %rd8;
        st.shared.u32 [%rd10], %r1; bar.sync 0; ld.shared.u32 %r8, [a+124];
        mov.u32 %r7, %dynamic_smem_size; mad.lo.u32 %r9, %r7, %r8, %r9; {STORE}"""
    module = ".extern .shared .align 16 .b8 a[];\n.extern .shared .align 4 .b8 b[];"
    gives(ran(body, 32, module=module, shared=128), [128 * 31] * 32)


def test_each_thread_has_its_own_local_array() -> None:
    body = f"""
        .local .align 4 .b8 own[16];
        mov.u64 %rd7, own; and.b32 %r8, %r1, 3; mul.wide.u32 %rd8, %r8, 4; add.u64 %rd9, %rd7, %rd8;
        st.local.u32 [%rd9], %r4; cvta.local.u64 %rd10, %rd9; ld.u32 %r9, [%rd10]; {STORE}"""
    gives(ran(body, 64, 600), np.arange(64 * 600))


def test_tables_with_rows_that_are_too_short() -> None:
    module = ".const .align 4 .u32 t[3][4] = {{1, 2}, {3, 4, 5, 6}, {7}};"
    body = f"""
        mov.u64 %rd7, t; mul.wide.u32 %rd8, %r1, 4; add.u64 %rd9, %rd7, %rd8;
        ld.const.u32 %r9, [%rd9]; {STORE}"""
    gives(ran(body, 12, module=module), [1, 2, 0, 0, 3, 4, 5, 6, 7, 0, 0, 0])


def test_a_variable_that_points_to_another() -> None:
    module = """.global .align 4 .u32 data[3] = {5, 6, 7};
        .global .align 8 .u64 to[2] = {data, data+4};
        .global .align 4 .f32 half = 0.5;"""
    body = f"""
        ld.global.u64 %rd7, [to+8]; ld.global.u32 %r8, [%rd7+4]; ld.u32 %r7, [data];
        ld.global.u32 %r6, [half]; shr.u32 %r6, %r6, 20; mad.lo.u32 %r9, %r8, 100, %r7;
        mad.lo.u32 %r9, %r6, 10000, %r9; {STORE}"""
    gives(ran(body, 4, module=module), [0x3F0 * 10000 + 705] * 4)


def test_small_words_are_extended_by_their_own_sign() -> None:
    x = np.array([1, -1, 127, -128] * 8, np.int8)
    body = f"""
        cvt.u64.u32 %rd7, %r4; add.u64 %rd8, %rd2, %rd7; ld.global.s8 %r8, [%rd8];
        ld.global.u8 %r7, [%rd8]; add.s32 %r9, %r8, %r7; {STORE}"""
    wide = x.astype(np.int32)
    gives(ran(body, 32, x=x), wide + wide % 256, "i4")


def test_half_words_are_stored_side_by_side() -> None:
    body = "cvt.u16.u32 %h1, %r4; sub.u64 %rd7, %rd5, %rd4; mul.wide.u32 %rd8, %r4, 2;"
    body += "add.u64 %rd7, %rd7, %rd8; st.global.u16 [%rd7], %h1;"
    gives(ran(body, 64, y=32), np.arange(64), "u2")


def test_vectors_of_four() -> None:
    body = """
        mul.wide.u32 %rd7, %r4, 16; add.u64 %rd8, %rd2, %rd7; add.u64 %rd9, %rd1, %rd7;
        ld.global.v4.u32 {%r8, %r7, _, %r6}, [%rd8];
        st.global.v4.u32 [%rd9], {%r6, %r7, %r8, %r4};"""
    x = np.arange(128, dtype=np.uint32).reshape(32, 4) ** 2
    expected = np.stack((x[:, 3], x[:, 1], x[:, 0], np.arange(32)), axis=1)
    gives(ran(body, 32, x=x, y=128), expected.reshape(-1))


def test_words_of_128_bits() -> None:
    body = """
        .reg .b128 %q1; mul.wide.u32 %rd7, %r4, 16; add.u64 %rd8, %rd2, %rd7;
        add.u64 %rd9, %rd1, %rd7; ld.global.b128 %q1, [%rd8]; mov.b128 {%rd10, %rd11}, %q1;
        mov.b128 %q1, {%rd11, %rd10}; st.global.b128 [%rd9], %q1;"""
    x = np.arange(64, dtype=np.uint64) * 0x123456789ABCDEF
    gives(ran(body, 32, x=x, y=128), x.reshape(32, 2)[:, ::-1].reshape(-1), "u8")


def test_a_generic_load_finds_every_space() -> None:
    body = f"""
        .shared .align 4 .b8 s[128]; .local .align 4 .b8 l[4]; mov.u64 %rd7, s;
        mul.wide.u32 %rd8, %r1, 4; add.u64 %rd9, %rd7, %rd8; add.u32 %r8, %r1, 1000;
        st.shared.u32 [%rd9], %r8; cvta.shared.u64 %rd10, %rd9; add.u32 %r8, %r1, 2000;
        st.local.u32 [l], %r8; mov.u64 %rd12, l;
        cvta.local.u64 %rd11, %rd12; rem.u32 %r7, %r1, 3; setp.eq.u32 %p1, %r7, 1;
        setp.eq.u32 %p2, %r7, 2; selp.b64 %rd13, %rd10, %rd6, %p1;
        selp.b64 %rd13, %rd11, %rd13, %p2;
        isspacep.shared %p3, %rd13; isspacep.global %p4, %rd13;
        ld.u32 %r9, [%rd13]; @%p3 add.u32 %r9, %r9, 10000; @%p4 add.u32 %r9, %r9, 20000; {STORE}"""
    x = np.arange(32, dtype=np.uint32) + 5
    added = [20005, 11000, 2000]
    gives(ran(body, 32, x=x), [t + added[t % 3] for t in range(32)])


def test_of_two_stores_to_one_word_the_last_lane_wins() -> None:
    gives(ran("st.global.u32 [%rd1], %r4;", 64, 2, y=1), [127])


def test_blocks_of_a_large_grid_share_global_memory() -> None:
    body = "red.global.add.u32 [%rd1], %r4;"
    gives(ran(body, 256, 1000, y=1), [(256000 * 255999 // 2) % 2**32])


def test_a_buffer_of_undeclared_extent_is_there() -> None:
    body = f"st.global.u32 [%rd5+4000000], %r4; ld.global.u32 %r9, [%rd5+4000000]; {STORE}"
    result = ran(body, 64, y=Buffer.undeclared())
    assert not result.faults
    assert result.y()[:64].tolist() == list(range(64))


def test_a_structure_as_parameter() -> None:
    text = f"""{HEAD}.visible .entry k(.param .u64 y, .param .align 4 .b8 pair[8], .param .f32 f)
    {{ .reg .b32 %r<4>; .reg .b64 %rd<3>; ld.param.u64 %rd1, [y]; ld.param.u32 %r1, [pair];
       ld.param.u32 %r2, [pair+4]; ld.param.b32 %r3, [f]; st.global.u32 [%rd1], %r1;
       st.global.u32 [%rd1+4], %r2; st.global.u32 [%rd1+8], %r3; ret; }}"""
    setup = Setup((1, 1, 1), (1, 1, 1), 0, (Buffer.zeros(12), 7 + (9 << 32), 1.0))
    outcome = run(kernel_of(text), setup)
    assert outcome.buffers[0].view("u4").tolist() == [7, 9, 0x3F800000]


def test_an_argument_is_missing() -> None:
    kernel = kernel_of(f"{HEAD}.visible .entry k(.param .u64 y) {{ ret; }}")
    with pytest.raises(ValueError, match="k: expected 1 arguments, got 0"):
        run(kernel, Setup((1, 1, 1), (1, 1, 1)))


# --- atomics

BIN = "rem.u32 %r8, %r4, 7; mul.wide.u32 %rd7, %r8, 4; add.u64 %rd8, %rd1, %rd7;"


@pytest.mark.parametrize(
    ("name", "first"),
    [("add", 0), ("min", 2**32 - 1), ("max", 0), ("and", 2**32 - 1), ("or", 0), ("xor", 0)],
)
def test_red_of_many_lanes(name: str, first: int) -> None:
    kind = "b32" if name in ("and", "or", "xor") else "u32"
    x = np.random.default_rng(2).integers(0, 2**32, 128, np.uint32)
    y = Buffer.of(np.full(7, first, np.uint32))
    body = f"{BIN} ld.global.u32 %r9, [%rd6]; red.global.{name}.{kind} [%rd8], %r9;"
    ufunc = {"add": np.add, "min": np.minimum, "max": np.maximum, "and": np.bitwise_and,
             "or": np.bitwise_or, "xor": np.bitwise_xor}[name]  # fmt: skip
    gives(ran(body, 64, 2, x=x, y=y), np.array([ufunc.reduce(x[i::7]) for i in range(7)]))


def test_signed_minimum_and_float_sum() -> None:
    body = """neg.s32 %r9, %r1; red.global.min.s32 [%rd1], %r9;
        cvt.rn.f32.u32 %f1, %r1; mul.f32 %f1, %f1, 0f3DCCCCCD; red.global.add.f32 [%rd1+4], %f1;"""
    total = np.float32(0)
    for t in range(64):
        total += np.float32(t) * np.float32(0.1)
    result = ran(body, 64, y=2)
    assert result.y("i4")[0] == -63
    assert result.y("f4")[1] == total


@pytest.mark.parametrize("space", ["global", "shared"])
def test_every_lane_gets_the_sum_before_its_turn(space: str) -> None:
    where = "[%rd2]" if space == "global" else "[s]"
    body = f".shared .align 4 .b8 s[4]; atom.{space}.add.u32 %r9, {where}, %r1; {STORE}"
    t = np.arange(96)
    gives(ran(body, 96, x=np.zeros(1, np.uint32)), t * (t - 1) // 2)


def test_compare_and_swap_has_one_winner() -> None:
    body = f"atom.global.cas.b32 %r9, [%rd2], 0, %r8; {STORE}"
    body = f"add.u32 %r8, %r4, 1; {body}"
    gives(ran(body, 64, x=np.zeros(1, np.uint32)), [0] + [1] * 63)


def test_exchange_and_wrapping_count() -> None:
    body = f"""add.u32 %r8, %r4, 1; atom.global.exch.b32 %r7, [%rd2], %r8;
        atom.global.inc.u32 %r6, [%rd2+4], 4; mad.lo.u32 %r9, %r6, 1000, %r7; {STORE}"""
    gives(ran(body, 40, x=np.zeros(2, np.uint32)), [i + 1000 * (i % 5) for i in range(40)])


def test_a_histogram_in_shared_memory() -> None:
    body = """
        .shared .align 4 .b8 bins[64];
        setp.ge.u32 %p1, %r1, 16; mov.u64 %rd7, bins; mul.wide.u32 %rd8, %r1, 4;
        add.u64 %rd9, %rd7, %rd8; @!%p1 st.shared.u32 [%rd9], 0; bar.sync 0;
        ld.global.u32 %r8, [%rd6]; and.b32 %r8, %r8, 15; mul.wide.u32 %rd10, %r8, 4;
        add.u64 %rd11, %rd7, %rd10; atom.shared.add.u32 %r7, [%rd11], 1; bar.sync 0;
        @%p1 bra DONE; ld.shared.u32 %r6, [%rd9]; add.u64 %rd12, %rd1, %rd8;
        red.global.add.u32 [%rd12], %r6;
    DONE:"""
    x = np.random.default_rng(3).integers(0, 2**32, 20 * 128, np.uint32)
    gives(ran(body, 128, 20, x=x, y=16), np.bincount(x & 15, minlength=16))


# --- warps and barriers


def test_a_warp_adds_by_shuffles() -> None:
    steps = "".join(
        f"shfl.sync.down.b32 %r8, %r9, {d}, 31, -1; add.u32 %r9, %r9, %r8;\n"
        for d in (16, 8, 4, 2, 1)
    )
    body = f"""ld.global.u32 %r9, [%rd6]; {steps} mov.u32 %r7, %laneid; setp.ne.u32 %p1, %r7, 0;
        @%p1 exit; shr.u32 %r6, %r4, 5; mul.wide.u32 %rd7, %r6, 4; add.u64 %rd8, %rd1, %rd7;
        st.global.u32 [%rd8], %r9;"""
    x = np.arange(128, dtype=np.uint32) ** 2
    gives(ran(body, 64, 2, x=x, y=4), x.reshape(4, 32).sum(axis=1, dtype=np.uint32))


def test_a_vote_counts_the_lanes_that_are_there() -> None:
    body = f"""
        mov.u32 %r9, 0; setp.lt.u32 %p1, %r1, 20; @!%p1 bra OUT; and.b32 %r8, %r1, 1;
        setp.eq.u32 %p2, %r8, 0; vote.sync.ballot.b32 %r9, %p2, 0xFFFFF;
    OUT: bar.warp.sync -1; {STORE}"""
    gives(ran(body, 32), [0x55555] * 20 + [0] * 12)


def test_warps_that_only_arrive_open_a_counted_barrier() -> None:
    """Producers arrive, consumers wait, at one number and with one count."""
    body = f"""
        .shared .align 4 .b8 s[128];
        and.b32 %r8, %r1, 31; mul.wide.u32 %rd7, %r8, 4; mov.u64 %rd8, s; add.u64 %rd9, %rd8, %rd7;
        mov.u32 %r9, 0; setp.ge.u32 %p1, %r1, 32; @%p1 bra CONSUME;
        add.u32 %r7, %r1, 50; st.shared.u32 [%rd9], %r7; bar.arrive 1, 64; bra DONE;
    CONSUME: bar.sync 1, 64; ld.shared.u32 %r9, [%rd9];
    DONE: {STORE}"""
    gives(ran(body, 64), [0] * 32 + list(range(50, 82)))


def test_groups_of_warps_meet_at_barriers_of_their_own() -> None:
    body = f"""
        mov.u32 %r9, 0; setp.ge.u32 %p1, %r1, 64; @%p1 bra SECOND;
        bar.sync 1, 64; mov.u32 %r9, 1; bar.sync 1, 64; bra DONE;
    SECOND: bar.sync 2, 64; mov.u32 %r9, 2;
    DONE: {STORE}"""
    gives(ran(body, 128, 3), ([1] * 64 + [2] * 64) * 3)


def test_threads_that_left_do_not_count_at_an_unaligned_barrier() -> None:
    body = f"setp.ge.u32 %p1, %r1, 40; @%p1 exit; barrier.sync 0; mov.u32 %r9, 1; {STORE}"
    result = ran(body, 64)
    gives(result, [1] * 40 + [0] * 24)


# --- specials and the launch


def test_three_dimensions() -> None:
    body = """
        mov.u32 %r8, %tid.y; mov.u32 %r7, %tid.z; mov.u32 %r6, %ctaid.y; mov.u32 %r5, %ctaid.z;
        mov.u32 %r10, %ntid.y; mov.u32 %r11, %ntid.z; mov.u32 %r12, %nctaid.x;
        mov.u32 %r13, %nctaid.y; mad.lo.u32 %r14, %r5, %r13, %r6; mad.lo.u32 %r14, %r14, %r12, %r2;
        mad.lo.u32 %r14, %r14, %r11, %r7; mad.lo.u32 %r14, %r14, %r10, %r8;
        mad.lo.u32 %r14, %r14, %r3, %r1; mul.wide.u32 %rd7, %r14, 4; add.u64 %rd8, %rd1, %rd7;
        st.global.u32 [%rd8], %r14;"""
    count = 5 * 3 * 2 * 2 * 3 * 2
    gives(ran(body, (5, 3, 2), (2, 3, 2), y=count), np.arange(count))


def test_names_of_the_lane_and_the_warp() -> None:
    body = f"""
        mov.u32 %r8, %laneid; mov.u32 %r7, %warpid; mov.u32 %r6, %nwarpid;
        mov.u32 %r5, %lanemask_lt; popc.b32 %r5, %r5; mov.u32 %r10, %lanemask_ge;
        popc.b32 %r10, %r10; add.u32 %r5, %r5, %r10; mad.lo.u32 %r9, %r6, 100, %r7;
        mad.lo.u32 %r9, %r9, 100, %r8; mad.lo.u32 %r9, %r9, 100, %r5; {STORE}"""
    gives(ran(body, 70), [((300 + t // 32) * 100 + t % 32) * 100 + 32 for t in range(70)])


def test_some_blocks_of_a_grid() -> None:
    body = f"mov.u32 %r8, %nctaid.x; mul.lo.u32 %r9, %r8, 2; {STORE}"
    result = ran(body, 4, 5, some=[(1, 0, 0), (4, 0, 0)])
    gives(result, [0] * 4 + [10] * 4 + [0] * 8 + [10] * 4)


def test_time_goes_on() -> None:
    body = "mov.u64 %rd7, %clock64; bar.sync 0; mov.u64 %rd8, %clock64; sub.u64 %rd9, %rd8, %rd7;"
    body += f"setp.gt.u64 %p1, %rd9, 0; selp.u32 %r9, 1, 0, %p1; {STORE}"
    gives(ran(body, 4), [1] * 4)


def test_an_endless_loop_ends_with_the_budget() -> None:
    result = ran("AGAIN: bra AGAIN;", 32, max_steps=1000)
    assert result.outcome.exhausted
    assert 1000 < result.outcome.steps < 1100


# --- watching


class Watcher:
    """Writes down what it sees."""

    def __init__(self) -> None:
        self.machine: Machine | None = None
        self.seen: list[tuple[str, str, int]] = []
        self.addresses: list[int] = []

    def begin(self, machine: Machine) -> None:
        self.machine = machine

    def entered(self, block: int, active: Array) -> None:
        self.seen.append(("entered", str(block), int(active.sum())))

    def defined(self, cause: Instr | Phi | Assume, value: Value, word: Word, active: Array) -> None:
        assert word.width == value.width and word.bits.shape[-1] in (1, active.size)

    def accessed(self, instr: Instr, space: str, addresses: Array, active: Array) -> None:
        self.seen.append((instr.text, space, int(active.sum())))
        self.addresses = addresses[active].tolist()

    def branched(
        self, block: int, terminator: Terminator, condition: Word | None, active: Array
    ) -> None:
        lanes = active if condition is None else active & condition.bits
        self.seen.append(("branched", str(block), int(lanes.sum())))


def test_an_observer_sees_blocks_branches_and_addresses() -> None:
    watcher = Watcher()
    body = """
        .shared .align 4 .b8 first[4]; .shared .align 4 .b8 s[128]; st.shared.u32 [first], 0;
        setp.lt.u32 %p1, %r1, 5; @%p1 bra LOW; mov.u32 %r9, 1; bra DONE;
    LOW: mov.u32 %r9, 2;
    DONE: mov.u64 %rd7, s; mul.wide.u32 %rd8, %r1, 4; add.u64 %rd7, %rd7, %rd8;
        setp.lt.u32 %p2, %r1, 3; @%p2 st.shared.u32 [%rd7], %r9;"""
    gives(ran(body, 20, observer=watcher), [0] * 20)
    entered = [count for kind, _, count in watcher.seen if kind == "entered"]
    assert sorted(entered) == [5, 15, 20, 20, 20]  # the last one is where threads end
    assert ("branched", "0", 5) in watcher.seen
    assert watcher.seen[-4] == ("st.shared.u32", "shared", 3)
    machine = watcher.machine
    assert machine is not None
    base = next(at for region, at in machine.memory.addresses.items() if region.name == "s")
    assert [address - base for address in watcher.addresses] == [0, 4, 8]
    assert machine.layout.thread(7) == ((0, 0, 0), (7, 0, 0))
