"""What a program leaves in memory is what numpy says: control, warps, barriers, specials."""

from __future__ import annotations

import numpy as np
import pytest

from analyses.concrete.bitvectors import Array
from analyses.concrete.machine import BitVector
from analyses.program import Assume, Phi, Terminator, Value
from ptxlint.ir import PtxInstr
from ptxlint.simt import Machine, Observer

from .programs import STORE, gives, ran

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
        mov.u32 %r9, 1; mov.u32 %r8, 2; mov.u32 %r7, 0;
    AGAIN: mov.u32 %r6, %r9; mov.u32 %r9, %r8; mov.u32 %r8, %r6;
        add.u32 %r7, %r7, 1; setp.lt.u32 %p1, %r7, %r4; @%p1 bra AGAIN;
    mad.lo.u32 %r9, %r9, 10, %r8; {STORE}"""
    gives(ran(body, 32), [21, *[21, 12] * 15, 21])


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


def test_a_barrier_of_all_waits_for_a_barrier_of_some() -> None:
    body = f"""
        .shared .align 4 .b8 s[4];
        setp.lt.u32 %p1, %r1, 32; @%p1 bra JOIN; bar.sync 2, 32; st.shared.u32 [s], 5;
    JOIN: bar.sync 1; ld.shared.u32 %r9, [s]; {STORE}"""
    gives(ran(body, 64), [5] * 64)


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


class Watcher(Observer):
    """Writes down what it sees."""

    def __init__(self) -> None:
        self.machine: Machine | None = None
        self.seen: list[tuple[str, str, int]] = []
        self.addresses: list[int] = []

    def begin(self, machine: Machine) -> None:
        self.machine = machine

    def entered(self, block: int, active: Array) -> None:
        self.seen.append(("entered", str(block), int(active.sum())))

    def defined(
        self, cause: PtxInstr | Phi | Assume, value: Value, word: BitVector, active: Array
    ) -> None:
        assert word.width == value.width and word.bits.shape[-1] in (1, active.size)

    def accessed(self, instr: PtxInstr, space: str, addresses: Array, active: Array) -> None:
        self.seen.append((instr.text, space, int(active.sum())))
        self.addresses = addresses[active].tolist()

    def branched(
        self, block: int, terminator: Terminator, condition: BitVector | None, active: Array
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
    assert sorted(entered) == [5, 15, 20, 20]
    assert ("branched", "0", 5) in watcher.seen
    assert watcher.seen[-2] == ("st.shared.u32", "shared", 3)
    machine = watcher.machine
    assert machine is not None
    base = next(at for region, at in machine.memory.addresses.items() if region.name == "s")
    assert [address - base for address in watcher.addresses] == [0, 4, 8]
    assert machine.layout.thread(7) == ((0, 0, 0), (7, 0, 0))
