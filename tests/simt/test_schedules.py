"""Threads that are scheduled independently: what a program synchronises is the same under every
seed, what it forgets shows under some."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ptxlint.simt import Fault

from .programs import STORE, Ran, gives, ran
from .test_random_programs import expected, phases, whole

S = """.shared .align 4 .b8 s[512]; mov.u64 %rd7, s; mul.wide.u32 %rd8, %r1, 4;
    add.u64 %rd9, %rd7, %rd8; xor.b32 %r8, %r1, 1; mul.wide.u32 %rd10, %r8, 4;
    add.u64 %rd11, %rd7, %rd10;
"""
SEEDS = range(12)
T = np.arange(64)
SWAP = "st.shared.u32 [%rd9], %r1; {} ld.shared.u32 %r9, [%rd11]; "


def results(body: str, threads: int = 64, blocks: int = 1) -> set[bytes]:
    outcomes = [ran(body, threads, blocks, schedule=seed) for seed in SEEDS]
    assert not any(result.faults for result in outcomes)
    return {result.y().tobytes() for result in outcomes}


def only(result: Ran, kind: str, line: str) -> Fault:
    assert [fault.kind for fault in result.faults] == [kind], list(map(str, result.faults))
    assert result.line(result.faults[0]).startswith(line)
    return result.faults[0]


def test_a_missing_barrier_of_the_warp_is_another_result() -> None:
    missing = S + SWAP.format("") + STORE
    gives(ran(missing, 64), T ^ 1)
    assert len(results(missing)) > 1
    synced = results(S + SWAP.format("bar.warp.sync -1;") + STORE)
    assert synced == {(T ^ 1).astype("u4").tobytes()}


def test_a_missing_barrier_of_the_block_is_another_result() -> None:
    far = SWAP.replace("%rd11", "%rd13") + STORE
    body = f"{S} xor.b32 %r7, %r1, 32; mul.wide.u32 %rd12, %r7, 4; add.u64 %rd13, %rd7, %rd12;"
    assert len(results(body + far.format("bar.warp.sync -1;"))) > 1
    assert results(body + far.format("bar.sync 0;")) == {(T ^ 32).astype("u4").tobytes()}


def test_blocks_run_in_any_order_too() -> None:
    body = f"atom.global.add.u32 %r20, [%rd2], 1; mov.u32 %r9, %r20; {STORE}"
    x = np.zeros(1, np.uint32)
    orders = {ran(body, 1, 8, x=x, schedule=seed).y().tobytes() for seed in SEEDS}
    assert len(orders) > 1
    assert all(sorted(np.frombuffer(o, "u4")) == list(range(8)) for o in orders)


def test_a_seed_is_one_order() -> None:
    body = S + SWAP.format("") + STORE
    assert ran(body, 64, schedule=3).y().tolist() == ran(body, 64, schedule=3).y().tolist()


@pytest.mark.parametrize(
    ("body", "result"),
    [
        ("shfl.sync.bfly.b32 %r9, %r1, 1, 31, -1;", T ^ 1),
        ("setp.lt.u32 %p1, %r1, 40; vote.sync.ballot.b32 %r9, %p1, -1;",
         np.where(T < 32, 0xFFFFFFFF, 0xFF)),
        ("and.b32 %r20, %r1, 1; setp.eq.u32 %p1, %r20, 0; mov.u32 %r9, 7; @%p1 bra EVEN;"
         "shfl.sync.idx.b32 %r9, %r1, 31, 31, 0xaaaaaaaa; bra.uni OUT;"
         "EVEN: shfl.sync.idx.b32 %r9, %r1, 2, 31, 0x55555555; OUT:",
         np.where(T % 2, T // 32 * 32 + 31, T // 32 * 32 + 2)),
    ],
)  # fmt: skip
def test_lanes_wait_for_those_that_the_mask_names(body: str, result: object) -> None:
    assert results(f"{body} {STORE}") == {np.asarray(result).astype("u4").tobytes()}


def test_lanes_of_a_warp_meet_at_different_barriers_of_the_warp() -> None:
    body = f"""{S} setp.lt.u32 %p1, %r1, 16; @%p1 bra LOW;
        {SWAP.format("bar.warp.sync -1;")} bra OUT;
    LOW: {SWAP.format("bar.warp.sync -1;")}
    OUT: {STORE}"""
    assert results(body, 32) == {(T[:32] ^ 1).astype("u4").tobytes()}
    gives(ran(body, 32, checks="sync"), T[:32] ^ 1)


PRODUCE = f"""setp.ge.u32 %p1, %r1, 32; mov.u32 %r20, 0; @%p1 bra CONSUME;
    PRODUCE: bar.sync 2, 64; add.u32 %r21, %r1, %r20; st.shared.u32 [%rd9], %r21;
        bar.arrive 1, 64; add.u32 %r20, %r20, 1; setp.lt.u32 %p2, %r20, 4; @%p2 bra PRODUCE;
        bra OUT;
    CONSUME: bar.arrive 2, 64; bar.sync 1, 64; ld.shared.u32 %r9, [%rd12];
        add.u32 %r20, %r20, 1; setp.lt.u32 %p2, %r20, 4; @%p2 bra CONSUME;
        {STORE}
    OUT:"""


@pytest.mark.parametrize("seed", range(8))
def test_a_warp_arrives_as_a_whole(seed: int) -> None:
    """A producer and a consumer over two barriers, eight of them each in its own order."""
    other = "xor.b32 %r7, %r1, 32; mul.wide.u32 %rd12, %r7, 4; add.u64 %rd12, %rd7, %rd12;"
    result = ran(S + other + PRODUCE, 64, schedule=seed, checks="race sync")
    gives(result, np.where(T < 32, 0, T - 32 + 3))


def test_who_has_exited_is_not_waited_for() -> None:
    body = f"setp.ge.u32 %p1, %r1, 20; @%p1 exit; shfl.sync.idx.b32 %r9, %r1, 3, 31, -1; {STORE}"
    for seed in SEEDS:
        gives(ran(body, 40, schedule=seed), np.where(np.arange(40) < 20, 3, 0))


def test_an_early_return_before_a_barrier_is_right_in_any_order() -> None:
    body = f"setp.ge.u32 %p1, %r1, 32; @%p1 bra OUT; bar.sync 0; mov.u32 %r9, 1; {STORE} OUT:"
    assert results(body) == {(T < 32).astype("u4").tobytes()}


@pytest.mark.parametrize("schedule", [None, 0, 1, 2])
def test_a_lane_that_never_comes(schedule: int | None) -> None:
    body = f"""setp.lt.u32 %p1, %r1, 16; mov.u32 %r9, 1; @%p1 bra LOW;
        bar.sync 0; bra OUT;
    LOW:
        bar.warp.sync 0xffffffff;
        bar.sync 0;
    OUT: {STORE}"""
    result = ran(body, 32, schedule=schedule, checks="sync")
    faults = [fault for fault in result.faults if fault.kind == "bad-membermask"]
    assert [result.line(fault) for fault in faults] == ["bar.warp.sync 0xffffffff;"]
    assert faults[0].tid[0] < 16 <= faults[0].other[0]  # type: ignore[index]
    assert result.y().tolist() == [1] * 32


def test_a_lane_that_its_own_mask_does_not_name() -> None:
    result = ran(f"\nshfl.sync.idx.b32 %r9, %r1, 0, 31, 0xff;\n{STORE}", 32, checks="sync")
    fault = only(result, "bad-membermask", "shfl.sync")
    assert (fault.tid, fault.count) == ((8, 0, 0), 24)


def test_nobody_waits_unless_asked() -> None:
    body = f"setp.lt.u32 %p1, %r1, 16; @%p1 bra LOW; bra OUT;\nLOW: bar.warp.sync -1;\nOUT: {STORE}"
    assert not ran("mov.u32 %r9, 1;" + body, 32).faults


def test_a_lock_is_passed_on() -> None:
    """A thread of another block spins until the first has stored: in step, that never ends."""
    body = f"""setp.eq.u32 %p1, %r2, 0; mov.u32 %r9, 5; @%p1 bra FIRST;
    AGAIN: ld.volatile.global.u32 %r10, [%rd2]; setp.eq.u32 %p2, %r10, 0; @%p2 bra AGAIN;
        bra OUT;
    FIRST: bar.sync 0; st.volatile.global.u32 [%rd2], 1;
    OUT: {STORE}"""
    for seed in SEEDS:
        gives(ran(body, 1, 2, x=np.zeros(1, "u4"), schedule=seed, max_steps=20_000), [5, 5])


@settings(max_examples=25, deadline=None, derandomize=True)
@given(phases, st.integers(0, 2**32))
def test_programs_with_their_barriers_do_not_depend_on_the_seed(body: object, seed: int) -> None:
    gives(ran(whole(body), 40, 2, schedule=seed), expected(body))  # type: ignore[arg-type]
