"""What programs leave in memory is what numpy says: the spaces, words of all sizes, atomics."""

from __future__ import annotations

import numpy as np
import pytest

from ptxlint.simt import Allocation, ConcreteLaunch, run

from .programs import HEAD, STORE, gives, kernel_of, ran, text_of

# --- spaces


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


@pytest.mark.parametrize(
    ("kind", "value", "low"),
    [
        ("f64", "0f3F800000", 0x3F800000), ("b64", "0f3F800000", 0x3F800000),
        ("f32", "0d3FF123456789ABCD", 0x3F891A2B), ("b16", "0d3FF123456789ABCD", 0xABCD),
        ("b8", "0f7FC01234", 0x34),
    ],
)  # fmt: skip
def test_a_float_in_a_table_of_another_width_is_its_bits(kind: str, value: str, low: int) -> None:
    """As ptxas 13.0 writes it; only a double among words of 32 bits is rounded."""
    module = f".const .align 8 .{kind} t[8] = {{{value}}};"
    gives(ran(f"ld.const.u32 %r9, [t]; {STORE}", 1, module=module), [low])


DOUBLES = [
    ("0d7E37E43C8800759C", 0x7F800000), ("1.0e300", 0x7F800000), ("0dFFE0000000000000", 0xFF800000),
    ("0d47EFFFFFF0000000", 0x7F800000), ("0d47EFFFFFEFFFFFFF", 0x7F7FFFFF),
    ("0d3FF0000010000000", 0x3F800000), ("0d3FF0000010000001", 0x3F800001),
    ("0d3690000000000001", 1), ("0dFFF8000000000001", 0xFFC00000),
]  # fmt: skip


@pytest.mark.parametrize(("value", "bits"), DOUBLES)
def test_a_double_constant_in_a_float_is_rounded(value: str, bits: int) -> None:
    """As ptxas 13.0 writes it."""
    gives(ran(f"mov.f32 %f1, {value}; mov.b32 %r9, %f1; {STORE}", 1), [bits])
    module = f".const .f32 t = {value};"
    gives(ran(f"ld.const.u32 %r9, [t]; {STORE}", 1, module=module), [bits])


def test_a_float_constant_in_a_double_stands_as_its_bits() -> None:
    """As ptxas 13.0 writes it, which would be no reason to write one."""
    text = f"mov.f64 %fd1, 0f3F800000; mov.b64 {{%r9, %r8}}, %fd1; or.b32 %r9, %r9, %r8; {STORE}"
    gives(ran(text, 1), [0x3F800000])


@pytest.mark.parametrize("statement", ["mov.b16 %h1, 1.0;", "add.f16 %h1, %h1, 0f3F800000;"])
def test_half_words_take_no_float_constant(statement: str) -> None:
    """ptxas 13.0 refuses them: no literal has 16 bits."""
    with pytest.raises(AssertionError, match="found a float constant, expected a register or an"):
        kernel_of(text_of(statement))


def test_an_element_of_an_array_is_its_address() -> None:
    """The index times the bytes of the type, as ptxas 13.0 counts."""
    module = ".global .align 8 .u16 t[4][8];\n.const .align 4 .u32 c[3] = {5, 6, 7};"
    body = f"""
        mov.u64 %rd7, t[10]; mov.u64 %rd8, t; sub.u64 %rd9, %rd7, %rd8; cvt.u32.u64 %r9, %rd9;
        ld.const.u32 %r8, c[2]; mad.lo.u32 %r9, %r8, 100, %r9; {STORE}"""
    gives(ran(body, 1, module=module), [720])


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


def test_a_prefetch_touches_nothing() -> None:
    body = f"prefetch.global.L2 [%rd1+4096]; prefetchu.L1 [%rd6]; mov.u32 %r9, 1; {STORE}"
    gives(ran(body, 4), [1] * 4)


def test_of_two_stores_to_one_word_the_last_lane_wins() -> None:
    gives(ran("st.global.u32 [%rd1], %r4;", 64, 2, y=1), [127])


def test_blocks_of_a_large_grid_share_global_memory() -> None:
    body = "red.global.add.u32 [%rd1], %r4;"
    gives(ran(body, 256, 1000, y=1), [(256000 * 255999 // 2) % 2**32])


def test_a_buffer_of_undeclared_extent_is_there() -> None:
    body = f"st.global.u32 [%rd5+4000000], %r4; ld.global.u32 %r9, [%rd5+4000000]; {STORE}"
    result = ran(body, 64, y=Allocation(None))
    assert not result.faults
    assert result.y()[:64].tolist() == list(range(64))


def test_a_structure_as_parameter() -> None:
    text = f"""{HEAD}.visible .entry k(.param .u64 y, .param .align 4 .b8 pair[8], .param .f32 f)
    {{ .reg .b32 %r<4>; .reg .b64 %rd<3>; ld.param.u64 %rd1, [y]; ld.param.u32 %r1, [pair];
       ld.param.u32 %r2, [pair+4]; ld.param.b32 %r3, [f]; st.global.u32 [%rd1], %r1;
       st.global.u32 [%rd1+4], %r2; st.global.u32 [%rd1+8], %r3; ret; }}"""
    one = ConcreteLaunch((1, 1, 1), (1, 1, 1), 0, (Allocation(12), 7 + (9 << 32), 1.0))
    outcome = run(kernel_of(text), one)
    assert outcome.buffers[0].view("u4").tolist() == [7, 9, 0x3F800000]


def test_an_argument_is_missing() -> None:
    kernel = kernel_of(f"{HEAD}.visible .entry k(.param .u64 y) {{ ret; }}")
    with pytest.raises(ValueError, match="k: expected 1 arguments, got 0"):
        run(kernel, ConcreteLaunch((1, 1, 1), (1, 1, 1)))


# --- atomics

BIN = "rem.u32 %r8, %r4, 7; mul.wide.u32 %rd7, %r8, 4; add.u64 %rd8, %rd1, %rd7;"


@pytest.mark.parametrize(
    ("name", "first"),
    [("add", 0), ("min", 2**32 - 1), ("max", 0), ("and", 2**32 - 1), ("or", 0), ("xor", 0)],
)
def test_red_of_many_lanes(name: str, first: int) -> None:
    kind = "b32" if name in ("and", "or", "xor") else "u32"
    x = np.random.default_rng(2).integers(0, 2**32, 128, np.uint32)
    y = Allocation.of(np.full(7, first, np.uint32))
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


@pytest.mark.parametrize("align", [1, 2, 4, 8])
def test_a_word_is_where_its_address_says_however_the_buffer_begins(align: int) -> None:
    """A buffer that is aligned to less than a word: the first whole word is a few bytes inside."""
    data = np.arange(64, dtype=np.uint8)
    out = Allocation(data.size, data, align)
    body = "mov.u64 %rd7, 8; sub.u64 %rd8, %rd7, %rd1; and.b64 %rd8, %rd8, 7;"
    body += "add.u64 %rd9, %rd1, %rd8; ld.global.u64 %rd10, [%rd9]; st.global.u64 [%rd9+8], %rd10;"
    result = ran(body, 1, y=out)
    assert not result.faults
    first = -align % 8
    expected = data.copy()
    expected[first + 8 : first + 16] = data[first : first + 8]
    assert result.y("u1").tolist() == expected.tolist()


@pytest.mark.parametrize("size", [None, 1 << 40])
def test_a_large_buffer_holds_each_word_by_itself(size: int | None) -> None:
    """Words 16 MiB apart, and a load of each afterwards."""
    body = f"""mul.wide.u32 %rd7, %r1, 16777216; add.u64 %rd8, %rd2, %rd7;
        st.global.u32 [%rd8], %r1; ld.global.u32 %r9, [%rd8]; {STORE}"""
    gives(ran(body, 64, x=Allocation(size)), np.arange(64))


def test_a_race_far_inside_of_a_buffer_is_placed() -> None:
    body = "mul.wide.u32 %rd7, 5, 16777216; add.u64 %rd8, %rd2, %rd7; st.global.u32 [%rd8], %r1;"
    (fault,) = ran(body, 2, checks="race", x=Allocation(None)).faults
    assert (fault.kind, fault.distance) == ("data-race", 5 << 24)


def test_more_words_than_are_stored_are_an_error() -> None:
    body = """mul.wide.u32 %rd7, %r4, 65536; add.u64 %rd8, %rd2, %rd7;
        st.global.u32 [%rd8], %r1;"""
    with pytest.raises(MemoryError, match="bytes of x"):
        ran(body, 1024, 40, x=Allocation(None))
