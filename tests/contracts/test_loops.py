"""Contracts of loops as nvcc writes them: each is what the source says, and no more."""

from __future__ import annotations

from pathlib import Path

import pytest

from ptxlint.api import infer
from ptxlint.contracts.contract import Contract
from ptxlint.contracts.resolution import resolved
from ptxlint.facts.kernel_facts import Facts
from ptxlint.inference.loop_counters import no_overflow
from tests.corpus.test_corpus import ROOT, origin

from .kernels import subjects

LOOPS = {
    "grid_stride_of_ints": ["4*nctaid.x*ntid.x + n <= 2**31"],
    "grid_stride_of_longs": [],  # no buffer has elements for a counter that overflows
    "grid_stride_with_a_branch": [
        "nctaid.x*ntid.x + n <= 2**31", "nctaid.x*ntid.x <= 2**31",
    ],
}  # fmt: skip


@pytest.mark.parametrize("name", LOOPS)
def test_every_buffer_has_as_many_elements_as_the_loop_counts(name: str) -> None:
    path = ROOT / f"regressions/{name}.ptx"
    params = tuple(Contract.from_comments(path.read_text("utf-8")).params)
    (contract,) = infer(path, params=params)
    assert not contract.unknown
    assert set(contract.buffers.values()) == {"4*n@4"}
    assert list(contract.needs) == LOOPS[name]


def test_a_flag_is_no_end_of_a_loop() -> None:
    (subject,) = subjects(ROOT / "regressions/sum_if_wanted.ptx")
    facts = Facts(subject.kernel, resolved([], subject.kernel), "sm_80")
    needs = [need.stated(facts.decided).condition for need in no_overflow(facts)]
    assert needs and not any("param_3" in need for need in needs)


def test_a_counter_that_is_also_kept_in_64_bits() -> None:
    path = ROOT / "regressions/counter_kept_in_64_bits.ptx"
    (contract,) = infer(path, params=("x", "y", "n"))
    assert contract.complete
    assert contract.needs == ("n + ntid.x <= 2**31",)
    assert contract.buffers == {"x": "4*n*nctaid.x@4", "y": "4*nctaid.x*ntid.x@4"}


GRID = "nctaid.x*nctaid.y*nctaid.z*ntid.x*ntid.y*ntid.z"
CLEAN = {
    "range_over_rows": ([], {"x": "4*columns*rows@4", "y": "4*columns@4"}),
    "counter_doubled": (["n <= 2**30"], {"x": "4*n - 4@4", "y": "4*n@4"}),
    "loop_down_unrolled": ([], {"x": "4*n@4", "y": "4*ntid.x@4"}),
    "loop_to_an_end": ([], {"x": "4*n@4", "y": "4*ntid.x@4"}),
    "middle_of_two_ends": (
        ["2*length <= 2**31 + 1", "nctaid.x*ntid.x <= 2**31"],
        {"table": "4*length - 4@4", "keys": "4*n@4", "place": "4*n@4"},
    ),
    "middle_of_unsigned_ends": (
        ["length >= 0"], {"table": "4*length@4", "keys": "4*n@4", "place": "4*n@4"},
    ),
    "words_of_rows_to_their_ends": (
        ["nctaid.x*ntid.y <= 2**31", "pitch >= 0", "pitch*rows <= pitch + 2**31 - 1"],
        {"x": "4*pitch*rows + 4*length - 4*pitch@4", "sums": "4*ntid.x + 128*rows - 128@4"},
    ),
    "columns_from_the_last_row": (
        ["pitch >= 0", "rows >= 1", "nctaid.x*ntid.x <= 2**31"],
        {
            "x": "max(4*pitch*rows + 4*columns - 4*pitch,"
            " 4*pitch*rows + 4*columns - 8*pitch)@4"
        },
    ),
    "samples_until_a_delay": (
        ["n <= 2**31 - 32", "nctaid.x*ntid.y <= 2**31"],
        {"x": "4*n*signals@4", "y": "4*n*signals@4"},
    ),
    "numbers_of_set_bits": ([], {"table": "128@4", "y": "4*n@4"}),
    "elements_by_a_mask": (
        ["nctaid.x*ntid.x <= 2**31"], {"x": "4096@4", "weights": "4*taps@4", "y": "4*n@4"},
    ),
    "ring_by_remainders": (
        ["step >= 0", "n + step <= 2**31", "nctaid.x*ntid.x <= 2**31", "n*width <= 2**31"],
        {"x": "4*n*width@4", "y": "4*n*width@4"},
    ),
    "stages_filled_ahead": (
        ["ntid.x <= 128", "ntid.x + 128*tiles <= 2**31 + 128"],
        {
            "x": "max(512*nctaid.x*tiles + 4*ntid.x - 512*tiles + 512,"
            " 512*nctaid.x*tiles + 4*ntid.x - 512)@4",
            "y": "512*nctaid.x + 4*ntid.x - 512@4",
        },
    ),
    "stages_of_dynamic_shared": (
        ["stages >= 1", "ntid.x*stages <= 2**32"],
        {"x": "4*nctaid.x*ntid.x*tiles@4", "y": "4*nctaid.x*ntid.x@4"},
    ),
    "sums_kept_every_so_often": (
        [
            "nctaid.x*ntid.x <= 2**31", "((rows - 4)//every)*n + n <= 2**31", "every >= 1",
            "((rows - 3)//every)*n + n <= 2**31", "((rows - 2)//every)*n + n <= 2**31",
            "((rows - 1)//every)*n + n <= 2**31", "n*rows <= 2**31",
        ],
        {
            "x": "4*n*rows@4",
            "y": "max(4*((rows - 4)//every)*n + 4*n, 4*((rows - 3)//every)*n + 4*n,"
            " 4*((rows - 2)//every)*n + 4*n, 4*((rows - 1)//every)*n + 4*n)@4",
        },
    ),
    "int_over_the_grid": (
        [f"{GRID} + n <= 2**31", f"{GRID} <= 2**31"], {"x": "4*n@4", "y": "4*n@4"},
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CLEAN)
def test_a_loop_that_counts_otherwise(name: str) -> None:
    """Two words that a compiler counts in step, a counter that doubles, one that runs down by four,
    a pointer that runs to an end or back to a place, the ends of a search, a place in a ring, and
    an integer kept in a longer word."""
    path = ROOT / f"clean/{name}.ptx"
    params = tuple(Contract.from_comments(origin(path).read_text("utf-8")).params)
    (contract,) = infer(path, params=params)
    assert contract.complete
    assert (list(contract.needs), contract.buffers) == CLEAN[name]


GUARD = """
.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 x, .param .u32 n) {
    .reg .pred %p; .reg .b32 %r<9>; .reg .b64 %d<4>; .reg .f32 %f<4>;
    ld.param.u64 %d0, [x];
    cvta.to.global.u64 %d0, %d0;
    ld.param.u32 %r0, [n];
    mov.u32 %r1, %ctaid.x;
    mov.u32 %r2, %ntid.x;
    mov.u32 %r3, %tid.x;
    mad.lo.s32 %r4, %r1, %r2, %r3;
    shr.s32 %r5, %r0, 31;
    shr.u32 %r5, %r5, 30;
    add.s32 %r5, %r0, %r5;
    shr.s32 %r5, %r5, 2;
    setp.ge.s32 %p, %r4, %r5;
    @%p bra done;
    mul.wide.s32 %d1, %r4, 16;
    add.s64 %d0, %d0, %d1;
    ld.global.v4.f32 {%f0, %f1, %f2, %f3}, [%d0];
done:
    ret;
}
"""


def test_a_guard_by_a_quarter_of_the_elements() -> None:
    """``if (t < n / 4)`` before the load of a float4, as a compiler divides by 4."""
    (contract,) = infer(GUARD)
    assert contract.reads == {"x": "16*(n//4)"}


LEFT = """.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 x, .param .u32 n, .param .u32 m)
{
.reg .pred %p<3>; .reg .b32 %n, %left, %first, %m, %k; .reg .b64 %x;
ld.param.u64 %x, [x]; ld.param.u32 %n, [n]; ld.param.u32 %m, [m];
add.s32 %n, %n, 2; and.b32 %first, %n, 3; mov.u32 %k, 0;
setp.eq.s32 %p0, %first, 0; @%p0 ret;
outer:
setp.ge.s32 %p2, %k, %m; @%p2 ret;
st.global.u32 [%x], %n;
mov.u32 %left, %first;
inner:
add.s64 %x, %x, 4; add.s32 %left, %left, -1; setp.ne.s32 %p1, %left, 0; @%p1 bra inner;
add.s32 %k, %k, 1;
bra outer;
}
"""


def test_what_is_left_of_a_word_that_wraps_moves_an_address(tmp_path: Path) -> None:
    """It is that of the word, not of ``n + 2``, which differs from that by 2**32 where it wraps:
    an address of 64 bits would, too."""
    path = tmp_path / "k.ptx"
    path.write_text(LEFT, encoding="utf-8")
    (contract,) = infer(path)
    assert contract.complete
    assert contract.needs == ()
    assert contract.buffers == {"x": "12*m - 8@4"}


CHANGED = """.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 a, .param .u32 n, .param .u32 first)
{
.reg .pred %p<4>; .reg .b32 %n, %k, %x, %i; .reg .b64 %a, %at<3>;
ld.param.u64 %a, [a]; ld.param.u32 %n, [n]; ld.param.u32 %x, [first];
mov.u32 %k, 0;
loop:
add.s32 %i, %k, %x;
setp.ge.s32 %p1, %i, %n; @%p1 ret;
setp.lt.s32 %p2, %x, 0; @%p2 bra on;
mul.wide.s32 %at0, %x, 4; add.s64 %at1, %a, %at0;
st.global.u32 [%at1], %k;
on:
mul.lo.s32 %x, %x, %x; add.s32 %x, %x, 1;
add.s32 %k, %k, 1;
bra loop;
}
"""


def test_a_sum_with_what_each_iteration_changes_may_wrap(tmp_path: Path) -> None:
    """``k + x < n`` bounds no x that is as great as the type allows."""
    path = tmp_path / "k.ptx"
    path.write_text(CHANGED, encoding="utf-8")
    (contract,) = infer(path)
    assert [open_.reason for open_ in contract.unknown] == ["loop"]


DOWN = """.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 x, .param .u32 n, .param .u32 m)
{{
.reg .pred %p<4>; .reg .b32 %n, %m, %k, %left, %by, %i; .reg .b64 %x, %at<3>;
ld.param.u64 %x, [x]; ld.param.u32 %n, [n]; ld.param.u32 %m, [m];
setp.lt.s32 %p0, %m, 1; @%p0 ret;
setp.gt.s32 %p0, %m, %n; @%p0 ret;
mov.u32 %k, 0; add.s32 %left, %n, -1;
loop:
add.s32 %i, %k, %left;
mul.wide.s32 %at0, %i, 4; add.s64 %at1, %x, %at0;
st.global.u32 [%at1], %k;
{tested}
selp.b32 %by, 1, 0, %p1; sub.s32 %left, %left, %by;
add.s32 %k, %k, 1; setp.lt.s32 %p2, %k, %m; @%p2 bra loop;
ret;
}}
"""


def test_what_counts_down_to_0_moves_until_then(tmp_path: Path) -> None:
    """So what it counts and what is left are ``n - 1`` together, in no more than n iterations."""
    path = tmp_path / "k.ptx"
    path.write_text(DOWN.format(tested="setp.gt.s32 %p1, %left, 0;"), encoding="utf-8")
    (contract,) = infer(path)
    assert contract.complete
    assert contract.buffers == {"x": "4*n@4"}


def test_what_moves_in_every_other_iteration_does_not(tmp_path: Path) -> None:
    path = tmp_path / "k.ptx"
    tested = "and.b32 %by, %k, 1; setp.eq.s32 %p1, %by, 0;"
    path.write_text(DOWN.format(tested=tested), encoding="utf-8")
    (contract,) = infer(path)
    assert [open_.reason for open_ in contract.unknown] == ["loop"]
