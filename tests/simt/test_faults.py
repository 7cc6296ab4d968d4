"""Every kind of fault names the instruction, the thread and the place; and the run goes on."""

from __future__ import annotations

import numpy as np
import pytest

from ptxlint.simt import Allocation, Fault

from .programs import STORE, Ran, ran

ARRAYS = ".shared .align 4 .b8 a[64]; .shared .align 4 .b8 b[64]; .local .align 4 .b8 own[16];"
OWN = f"{ARRAYS} mov.u64 %rd7, a; mov.u64 %rd8, own; mul.wide.u32 %rd9, %r1, 4;\n"


def only(result: Ran, kind: str, line: str) -> Fault:
    """The one fault, of this kind, on the line that begins so."""
    assert [fault.kind for fault in result.faults] == [kind], list(map(str, result.faults))
    assert result.line(result.faults[0]).startswith(line)
    return result.faults[0]


def test_a_load_past_the_end_of_a_buffer() -> None:
    result = ran(f"\nld.global.u32 %r9, [%rd6+8];\n{STORE}", 16, 2, x=np.arange(32, dtype="u4"))
    fault = only(result, "out-of-bounds", "ld.global.u32")
    assert (fault.ctaid, fault.tid, fault.count) == ((1, 0, 0), (14, 0, 0), 2)
    assert (fault.region, fault.distance, fault.bytes) == ("x", 128, 4)
    assert result.y().tolist() == [*range(2, 32), 0, 0]  # what was not loaded is 0


def test_a_load_before_the_start_of_a_buffer() -> None:
    result = ran(f"\nld.global.u32 %r9, [%rd6+-4];\n{STORE}", 4, x=np.arange(4, dtype="u4"))
    fault = only(result, "out-of-bounds", "ld.global.u32")
    assert (fault.tid, fault.region, fault.distance) == ((0, 0, 0), "x", -4)


def test_an_index_that_wraps_finds_no_other_buffer() -> None:
    """One word too many for 32 signed bits: 8 GiB below the buffer, where y could stand."""
    body = f"""
        mov.u32 %r7, 0x7fffffff; add.s32 %r7, %r7, 1; mul.wide.s32 %rd7, %r7, 4;
        add.s64 %rd8, %rd2, %rd7;
        ld.global.u32 %r9, [%rd8];
        {STORE}"""
    result = ran(body, 1, x=np.arange(4, dtype="u4"), y=Allocation(None))
    fault = only(result, "out-of-bounds", "ld.global.u32")
    assert (fault.region, fault.distance) == ("x", -(2**33))


def test_a_store_past_the_end_changes_nothing() -> None:
    result = ran("\nst.global.u32 [%rd5], %r4;\nst.global.u32 [%rd5+4], 9;\n", 4)
    only(result, "out-of-bounds", "st.global.u32 [%rd5+4]")
    assert result.y().tolist() == [0, 9, 9, 9]


def test_an_atomic_past_the_end() -> None:
    result = ran("\nred.global.add.u32 [%rd5+4], 1;\n", 4)
    assert only(result, "out-of-bounds", "red.global").tid == (3, 0, 0)
    assert result.y().tolist() == [0, 1, 1, 1]


@pytest.mark.parametrize(
    ("access", "region", "distance"),
    [
        ("st.shared.u32 [%rd10+4], 1;", "a", 64),
        ("st.shared.v2.u32 [a+60], {%r1, %r1};", None, 0),
        ("ld.local.u32 %r8, [own+16];", "own", 16),
        ("ld.local.u32 %r8, [own+-4];", "own", -4),
        ("ld.const.u32 %r8, [t+8];", "t", 8),
        ("ld.param.u32 %r8, [n+4];", "n", 4),
    ],
)
def test_each_array_has_bounds_of_its_own(access: str, region: str | None, distance: int) -> None:
    body = f"{OWN} add.u64 %rd10, %rd7, %rd9;\n{access}\n"
    result = ran(body, 16, module=".const .align 4 .u32 t[2] = {1, 2};")
    if region is None:
        only(result, "misaligned-access", access[:8])
        return
    outside_parameter = access.startswith("ld.param")
    kind = "param-out-of-bounds" if outside_parameter else "out-of-bounds"
    fault = only(result, kind, access[:8])
    assert (fault.region, fault.distance) == (region, distance)


@pytest.mark.parametrize("bytes_", [4, 256, 300, 4096])
def test_no_array_has_a_neighbour(bytes_: int) -> None:
    arrays = "".join(f".shared .align 4 .b8 {name}[{bytes_}];" for name in "uvw")
    result = ran(f"{arrays}\nst.shared.u32 [v+{bytes_}], 1;\nst.shared.u32 [v+-4], 1;\n", 1)
    assert {(f.kind, f.region, f.distance) for f in result.faults} == {
        ("out-of-bounds", "v", bytes_),
        ("out-of-bounds", "v", -4),
    }


def test_a_vector_that_does_not_fit_at_the_end() -> None:
    x = np.arange(6, dtype=np.uint32)
    fault = only(ran("\nld.global.v4.u32 {%r9, _, _, _}, [%rd2+16];\n", 1, x=x),
                 "out-of-bounds", "ld.global.v4")  # fmt: skip
    assert (fault.distance, fault.bytes) == (16, 16)


def test_a_masked_lane_touches_nothing() -> None:
    body = f"setp.lt.u32 %p1, %r1, 3;\n@%p1 ld.global.u32 %r9, [%rd6];\n@%p1 {STORE}"
    assert not ran(body, 8, x=np.zeros(3, "u4")).faults


def test_an_address_that_is_no_multiple() -> None:
    fault = only(ran("\nld.global.u32 %r9, [%rd2+2];\n", 4, x=np.zeros(9, "u4")),
                 "misaligned-access", "ld.global.u32")  # fmt: skip
    assert (fault.tid, fault.count) == ((0, 0, 0), 4)


@pytest.mark.parametrize(
    "access",
    [
        "ld.u32 %r8, [%rd7];",  # a raw shared offset as a generic address
        "ld.u32 %r8, [%rd8];",
        "ld.u32 %r8, [%rd13];",  # null
        "ld.global.u32 %r8, [%rd7];",
        "ld.global.u32 %r8, [%rd11];",  # a shared address in its window
        "ld.shared.u32 %r8, [%rd11];",
        "ld.shared.u32 %r8, [%rd2];",
        "ld.local.u32 %r8, [%rd11];",
        "atom.shared.add.u32 %r8, [%rd12], 1;",
    ],
)
def test_an_address_of_another_space(access: str) -> None:
    body = f"{OWN} cvta.shared.u64 %rd11, %rd7; cvta.local.u64 %rd12, %rd8; mov.u64 %rd13, 0;\n"
    result = ran(f"{body}{access}\n", 4, 2, x=np.zeros(1, "u4"))
    fault = only(result, "address-space-mismatch", access)
    assert (fault.ctaid, fault.tid, fault.count) == ((0, 0, 0), (0, 0, 0), 8)


def test_lanes_that_disagree_at_a_uniform_branch() -> None:
    body = "setp.eq.u32 %p1, %r4, 37;\n@%p1 bra.uni OUT;\nmov.u32 %r9, 1;\nOUT:"
    fault = only(ran(body, 32, 3), "divergent-uniform-branch", "@%p1 bra.uni OUT;")
    assert (fault.ctaid, fault.tid) == ((1, 0, 0), (5, 0, 0))


def test_warps_may_disagree_at_a_uniform_branch() -> None:
    body = "setp.lt.u32 %p1, %r1, 32;\n@%p1 bra.uni OUT;\nmov.u32 %r9, 1;\nOUT:"
    assert not ran(body, 64, 3).faults


def test_a_barrier_that_part_of_the_block_left_out() -> None:
    body = f"setp.ge.u32 %p1, %r1, 5; @%p1 bra OUT;\nbar.sync 0;\nmov.u32 %r9, 1; {STORE}\nOUT:"
    assert ran(body, 32, 2).faults == (), "whoever has returned is not waited for"
    result = ran(body + " membar.cta;", 32, 2)
    fault = only(result, "divergent-barrier", "bar.sync 0;")
    assert (fault.ctaid, fault.tid, fault.other) == ((0, 0, 0), (0, 0, 0), (5, 0, 0))
    assert fault.count == 2
    assert result.y().tolist() == ([1] * 5 + [0] * 27) * 2  # and the rest went on


def test_two_halves_at_two_barriers() -> None:
    body = """setp.ge.u32 %p1, %r1, 16; @%p1 bra HIGH;
        bar.sync 0; // low
        bra OUT;
        HIGH: bar.sync 0; // high
        OUT:"""
    result = ran(body, 32)
    assert {(fault.kind, result.line(fault)) for fault in result.faults} == {
        ("divergent-barrier", "bar.sync 0; // low"),
        ("divergent-barrier", "HIGH: bar.sync 0; // high"),
    }


@pytest.mark.parametrize(
    ("barrier", "n"),
    [
        ("bar.sync %r0;", 16),
        ("barrier.sync %r0;", 0xFFFFFFFF),
        ("bar.sync 1, %r0;", 31),
        ("bar.arrive 1, %r0;", 0),
        ("bar.arrive %r0, 32;", 17),
        ("bar.red.popc.u32 %r9, %r0, %p1;", 16),
    ],
)
def test_operands_that_no_barrier_has(barrier: str, n: int) -> None:
    result = ran(f"setp.eq.u32 %p1, %r1, 0;\n{barrier}\n", 32, n=n)
    assert only(result, "bad-barrier", barrier).count == 32


def test_warps_that_give_different_counts() -> None:
    body = "setp.ge.u32 %p1, %r1, 32; @%p1 bra OTHER;\nbar.sync 1, 32;\nbra OUT;\n"
    body += "OTHER:\nbar.sync 1, 64;\nOUT:"
    fault = only(ran(body, 64), "bad-barrier", "bar.sync 1, 64;")
    assert fault.detail == "warps give different thread counts for one barrier"


def test_a_warp_that_arrives_again_before_the_barrier_opens() -> None:
    body = """setp.ge.u32 %p1, %r1, 64; @%p1 bra LAST; bar.arrive 1, 96;
        bar.arrive 1, 96; // again
        bar.arrive 2, 96; bra OUT;
    LAST: bar.sync 2, 96; bar.sync 1, 96;
    OUT:"""
    fault = only(ran(body, 96), "bad-barrier", "bar.arrive 1, 96; // again")
    assert fault.detail.startswith("the warp has arrived at this barrier")


def test_a_vote_of_warps_at_two_instructions() -> None:
    body = f"""setp.ge.u32 %p1, %r1, 32; setp.lt.u32 %p2, %r1, 40; @%p1 bra OTHER;
        bar.red.popc.u32 %r9, 0, %p2; bra OUT;
    OTHER: bar.red.popc.u32 %r9, 0, %p2;
    OUT: {STORE}"""
    assert ran(body, 64).y().tolist() == [40] * 64
    assert not ran(body, 64).faults


def test_a_barrier_that_nobody_else_will_reach() -> None:
    body = "setp.ge.u32 %p1, %r1, 32; @%p1 bra OTHER;\nbar.sync 1, 64;\nbra OUT;\n"
    body += f"OTHER: bar.sync 2, 64;\nOUT: mov.u32 %r9, 1; {STORE}"
    result = ran(body, 64)
    assert {fault.kind for fault in result.faults} == {"divergent-barrier"}
    assert result.y().tolist() == [1] * 64


def test_a_warp_torn_at_a_counted_barrier() -> None:
    body = "setp.ge.u32 %p1, %r1, 20; @%p1 bra OTHER;\nbar.sync 1, 32;\nbra OUT;\n"
    body += "OTHER: bar.sync 2, 32;\nOUT:"
    assert {fault.kind for fault in ran(body, 32).faults} == {"divergent-barrier"}


def test_a_barrier_in_a_loop_of_different_lengths() -> None:
    body = f"""mov.u32 %r8, 0;
    AGAIN: setp.ge.u32 %p1, %r8, %r1; @%p1 bra OUT; add.u32 %r8, %r8, 1;
        bar.sync 0;
        bra AGAIN;
    OUT: mov.u32 %r9, %r8; {STORE}"""
    result = ran(body, 32)
    only(result, "divergent-barrier", "bar.sync 0;")
    assert result.y().tolist() == list(range(32))


def test_an_instruction_that_nobody_models_ends_its_lanes() -> None:
    body = f"setp.lt.u32 %p1, %r1, 3; @%p1 bra BAD;\nmov.u32 %r9, 1; {STORE} bra OUT;\n"
    result = ran(f"{body}BAD:\nfrobnicate.u32 %r9, %r1;\n{STORE}\nOUT:", 8)
    fault = only(result, "unmodelled", "frobnicate.u32")
    assert (fault.text, fault.tid, fault.count) == ("frobnicate.u32", (0, 0, 0), 3)
    assert result.y().tolist() == [0] * 3 + [1] * 5


@pytest.mark.parametrize(
    "text",
    ["setp.lt.u32 %p1|%p1, %r1, 3;", "mov.b64 {%r9, %r9}, %rd1;",
     "ld.global.v2.u32 {%r9, %r9}, [%rd1];", "@%p1 mov.b64 {%r9, %r9}, %rd1;"],
)  # fmt: skip
def test_a_register_that_is_written_twice_has_no_word(text: str) -> None:
    """PTX does not say which result stays; of setp ptxas 13.0 keeps the first, of mov the last."""
    only(ran(f"setp.lt.u32 %p1, %r1, 32;\n{text}\n{STORE}", 32), "unmodelled", text.split(" {")[0])
    assert (
        len(ran(text.replace("%p1|%p1", "%p1|_").replace("{%r9, %r9}", "{%r9, _}"), 32).faults) == 0
    )


def test_a_trap_ends_its_lanes() -> None:
    result = ran(f"mov.u32 %r9, 1; setp.eq.u32 %p1, %r1, 6;\n@%p1 trap;\n{STORE}", 8, 2)
    fault = only(result, "trap", "@%p1 trap;")
    assert (fault.ctaid, fault.tid, fault.count) == ((0, 0, 0), (6, 0, 0), 2)
    assert result.y().tolist() == ([1] * 6 + [0, 1]) * 2


def test_a_register_that_nothing_has_written() -> None:
    result = ran(f"\nadd.u32 %r9, %r1, %r40;\n{STORE}", 8)
    only(result, "undefined-register", "st.global.u32")
    assert result.y().tolist() == list(range(8))


def test_an_index_past_the_table_of_a_branch() -> None:
    body = f"TABLE: .branchtargets A, B;\nbrx.idx %r1, TABLE;\nA: mov.u32 %r9, 7;\nB: {STORE}"
    result = ran(f"mov.u32 %r9, 8;\n{body}", 4)
    assert only(result, "branch-index", "brx.idx").tid == (2, 0, 0)
    assert result.y().tolist() == [7, 8, 0, 0]


def test_a_fault_says_where_it_was() -> None:
    (fault,) = ran("\nst.global.u32 [%rd5+64], 1;\n", 16).faults
    assert str(fault) == (
        "out-of-bounds: st.global.u32 at y+64 in block (0, 0, 0) thread (0, 0, 0) (16 times)"
    )


def test_an_unwritten_register_keeps_to_its_side_when_two_are_exchanged() -> None:
    """Both phis of the loop are copied at once: %r20 is written, %r21 is not, then they change."""
    body = """mov.u32 %r20, 1; mov.u32 %r8, 0;
    AGAIN: mov.u32 %r22, %r20; mov.u32 %r20, %r21; mov.u32 %r21, %r22; add.u32 %r8, %r8, 1;
        setp.lt.u32 %p1, %r8, 3; @%p1 bra AGAIN;
        add.u32 %r9, %r21, 1;"""
    assert not ran(f"{body} {STORE}", 4).faults
    fault = only(ran(f"{body}\nadd.u32 %r9, %r20, 1;\n{STORE}", 4), "undefined-register", STORE[:9])
    assert fault.count == 4
