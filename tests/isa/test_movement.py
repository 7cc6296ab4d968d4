"""Memory, atomics, warps, barriers, copies and matrices: what the rows leave in memory is what
numpy says. Every case runs on the interpreter, on the kernel (y, x, n) of ``simt.programs``."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.simt.programs import STORE, gives, ran

Array = NDArray[Any]

LANE = np.arange(32, dtype=np.uint32)
WORDS = np.random.default_rng(94).integers(0, 1 << 32, 64, dtype=np.uint32)
SHARED = ".shared .align 128 .b8 tile[4096];"


# --- loads and stores


@pytest.mark.parametrize(
    "load",
    [
        "ld.global.u32",
        "ld.volatile.global.u32",
        "ld.relaxed.gpu.global.u32",
        "ld.acquire.sys.global.u32",
        "ld.mmio.relaxed.sys.global.u32",
        "ld.global.nc.u32",
        "ld.global.nc.L1::no_allocate.L2::128B.u32",
        "ld.weak.global.ca.u32",
        "ldu.global.u32",
        "ld.u32",
    ],
)
def test_loads_of_every_order_and_cache(load: str) -> None:
    x = WORDS[:32]
    gives(ran(f"{load} %r9, [%rd6]; {STORE}", x=x), x)


@pytest.mark.parametrize(("parts", "bits"), [(2, 32), (4, 32), (8, 32), (2, 64), (4, 64)])
def test_vectors(parts: int, bits: int) -> None:
    size = parts * bits // 8
    kind = "r" if bits == 32 else "rd"
    names = ", ".join(f"%{kind}{20 + i}" for i in range(parts))
    body = f"""
        mul.wide.u32 %rd10, %r4, {size}; add.u64 %rd11, %rd1, %rd10; add.u64 %rd12, %rd2, %rd10;
        ld.global.v{parts}.b{bits} {{{names}}}, [%rd12];
        st.global.v{parts}.b{bits} [%rd11], {{{names}}};"""
    x = np.resize(WORDS, 32 * size // 4)
    gives(ran(body, x=x, y=x.size), x)


def test_words_of_128_bits() -> None:
    body = """
        .reg .b128 %q; mul.wide.u32 %rd10, %r4, 16;
        add.u64 %rd11, %rd1, %rd10; add.u64 %rd12, %rd2, %rd10;
        ld.global.b128 %q, [%rd12]; st.global.b128 [%rd11], %q;"""
    x = np.resize(WORDS, 128)
    gives(ran(body, x=x, y=128), x)


@pytest.mark.parametrize(
    "hint",
    [
        "prefetch.global.L2 [%rd5];",
        "prefetchu.L1 [%rd5];",
        "prefetch.global.L2::evict_last [%rd5];",
        "applypriority.global.L2::evict_normal [%rd5], 128;",
        "discard.global.L2 [%rd5], 128;",
        "createpolicy.fractional.L2::evict_last.b64 %rd20, 0.5;",
        "createpolicy.fractional.L2::evict_last.b64 %rd20;",
        "createpolicy.range.L2::evict_last.L2::evict_first.b64 %rd20, [%rd5], 64, 128;",
        "fence.proxy.async;",
        "fence.acq_rel.gpu;",
        "griddepcontrol.wait;",
        "setmaxnreg.inc.sync.aligned.u32 40;",
        "pmevent 3;",
        "nanosleep.u32 20;",
    ],
)
def test_hints_change_nothing(hint: str) -> None:
    gives(ran(f"mov.u32 %r9, 7; {hint} {STORE}"), [7] * 32)


# --- atomics


def folded(function: Callable[[int, int], int], first: int, words: Array) -> int:
    for word in words.tolist():
        first = function(first, word)
    return first


INTEGER: dict[str, Callable[[int, int], int]] = {
    "add.u32": lambda a, b: (a + b) % (1 << 32),
    "min.u32": min,
    "max.u32": max,
    "and.b32": lambda a, b: a & b,
    "or.b32": lambda a, b: a | b,
    "xor.b32": lambda a, b: a ^ b,
    "inc.u32": lambda a, b: 0 if a >= b else a + 1,
    "dec.u32": lambda a, b: b if a == 0 or a > b else a - 1,
}


@pytest.mark.parametrize("name", INTEGER)
@pytest.mark.parametrize("opcode", ["atom", "red"])
def test_integer_atomics(opcode: str, name: str) -> None:
    x = WORDS[:32]
    result = "%r8, " if opcode == "atom" else ""
    body = f"ld.global.u32 %r9, [%rd6]; {opcode}.relaxed.gpu.global.{name} {result}[%rd1], %r9;"
    gives(ran(body, x=x, y=1), [folded(INTEGER[name], 0, x)])


def test_old_words_come_in_lane_order() -> None:
    gives(ran(f"atom.global.inc.u32 %r9, [%rd2], 4; {STORE}", x=np.zeros(1, "u4")), LANE % 5)
    gives(ran(f"atom.global.exch.b32 %r9, [%rd2], %r1; {STORE}", x=np.zeros(1, "u4")),
          [0, *range(31)])  # fmt: skip


@pytest.mark.parametrize(("bits", "register"), [(16, "h"), (32, "r"), (64, "rd")])
def test_compare_and_swap(bits: int, register: str) -> None:
    value = f"%{register}"
    cvt = {16: "cvt.u16.u32 %h1, %r1; mov.u16 %h2, 9;", 32: "mov.u32 %r21, %r1; mov.u32 %r22, 9;",
           64: "cvt.u64.u32 %rd21, %r1; mov.u64 %rd22, 9;"}[bits]  # fmt: skip
    one, two, out = (f"{value}{n}" for n in ((1, 2, 3) if bits == 16 else (21, 22, 23)))
    back = {16: "cvt.u32.u16 %r9, %h3;", 32: "mov.u32 %r9, %r23;",
            64: "cvt.u32.u64 %r9, %rd23;"}[bits]  # fmt: skip
    body = f"{cvt} atom.global.cas.b{bits} {out}, [%rd2], {one}, {two}; {back} {STORE}"
    gives(ran(body, x=np.zeros(2, "u4")), [0] + [9] * 31)


@pytest.mark.parametrize(("bits", "register"), [(32, "f"), (64, "fd")])
@pytest.mark.parametrize("opcode", ["atom", "red"])
def test_float_sums(opcode: str, bits: int, register: str) -> None:
    value, result = f"%{register}1", f"%{register}2, " if opcode == "atom" else ""
    body = f"cvt.rn.f{bits}.u32 {value}, %r1; {opcode}.global.add.f{bits} {result}[%rd1], {value};"
    gives(ran(body, y=bits // 32), np.array([496], f"f{bits // 8}").view("u4"))


@pytest.mark.parametrize(("kind", "ones"), [("f16x2", 0x3C00), ("bf16x2", 0x3F80)])
@pytest.mark.parametrize("opcode", ["atom", "red"])
def test_packed_sums(opcode: str, kind: str, ones: int) -> None:
    result = "%r8, " if opcode == "atom" else ""
    body = f"""
        mov.b32 %r9, {ones << 16 | ones}; {opcode}.global.add.noftz.{kind} {result}[%rd1], %r9;"""
    total = {"f16x2": 0x5000, "bf16x2": 0x4200}[kind]  # 32
    gives(ran(body, y=1), [total << 16 | total])


def test_vector_sums() -> None:
    body = """
        cvt.rn.f32.u32 %f1, %r1; add.f32 %f2, %f1, %f1;
        red.global.v2.f32.add [%rd1], {%f1, %f2};
        atom.global.v2.f32.add {%f3, %f4}, [%rd1], {%f1, %f2};"""
    gives(ran(body, y=2), np.array([992, 1984], "f4").view("u4"))


def test_a_sum_of_half_precision_rounds_each_time() -> None:
    body = "mov.b32 %r9, 0x64000001; red.global.add.noftz.f16x2 [%rd1], %r9;"
    total = np.float16(0)
    for _ in range(32):
        total = np.float16(total + np.float16(1024))
    small = np.array([32], "u2").view("f2")  # 32 of the least positive number
    expected = int(total.view("u2")) << 16 | int(small.view("u2")[0])
    gives(ran(body, y=1), [expected])


# --- warps


def test_match() -> None:
    body = f"""
        rem.u32 %r8, %r1, 3; match.any.sync.b32 %r9, %r8, 0xffffffff; {STORE}"""
    expected = [sum(1 << k for k in range(32) if k % 3 == i % 3) for i in range(32)]
    gives(ran(body), expected)
    body = f"match.all.sync.b32 %r9|%p1, %r3, 0xffffffff; @!%p1 mov.u32 %r9, 1; {STORE}"
    gives(ran(body), [0xFFFFFFFF] * 32)
    body = f"match.all.sync.b32 %r9|%p1, %r1, 0xffffffff; @!%p1 add.u32 %r9, %r9, 5; {STORE}"
    gives(ran(body), [5] * 32)


REDUCTIONS: dict[str, Callable[[Array], int]] = {
    "add.u32": lambda x: int(x.sum(dtype=np.uint64)) % (1 << 32),
    "min.u32": lambda x: int(x.min()),
    "max.u32": lambda x: int(x.max()),
    "min.s32": lambda x: int(x.view("i4").min()),
    "max.s32": lambda x: int(x.view("i4").max()),
    "and.b32": lambda x: int(np.bitwise_and.reduce(x)),
    "or.b32": lambda x: int(np.bitwise_or.reduce(x)),
    "xor.b32": lambda x: int(np.bitwise_xor.reduce(x)),
}


@pytest.mark.parametrize("name", REDUCTIONS)
def test_redux(name: str) -> None:
    x = WORDS[:32]
    body = f"ld.global.u32 %r8, [%rd6]; redux.sync.{name} %r9, %r8, 0xffffffff; {STORE}"
    gives(ran(body, x=x), np.full(32, REDUCTIONS[name](x) % (1 << 32)))


NAN = float("nan")
FLOATS = {
    "max": ([-1.5, 2.0, -np.inf], 2.0), "min": ([-1.5, -1.0, np.inf], -1.5),
    "max.abs": ([-3.5, 2.0], 3.5), "min.abs": ([-3.5, 2.0], 2.0),
    "min of zeros": ([0.0, -0.0], -0.0), "max of zeros": ([-0.0, 0.0], 0.0),
    "max without NaN": ([NAN, -5.0], -5.0), "min without NaN": ([-NAN, 5.0], 5.0),
    "max of NaN": ([NAN, -NAN], NAN), "max.NaN": ([1.0, -NAN], NAN),
    "min.abs.NaN": ([1.0, NAN], NAN), "max of infinity": ([np.inf, 1.0], np.inf),
}  # fmt: skip


@pytest.mark.parametrize("name", FLOATS)
def test_redux_of_floats(name: str) -> None:
    some, result = FLOATS[name]
    x = np.resize(np.array(some, np.float32), 32)
    opcode = f"redux.sync.{name.partition(' ')[0]}.f32"
    body = f"ld.global.u32 %r8, [%rd6]; {opcode} %r9, %r8, 0xffffffff; {STORE}"
    wanted = 0x7FFFFFFF if np.isnan(result) else np.float32(result).view("u4")
    gives(ran(body, x=x.view("u4")), np.full(32, wanted))


def test_redux_of_some_members() -> None:
    body = f"""
        mov.u32 %r9, 0; and.b32 %r7, %r1, 1; setp.eq.u32 %p1, %r7, 0;
        @%p1 bra EVEN;
        redux.sync.max.u32 %r9, %r1, 0xaaaaaaaa; bra JOIN;
    EVEN: redux.sync.add.u32 %r9, %r1, 0x55555555;
    JOIN: {STORE}"""
    gives(ran(body), [31 if i % 2 else 240 for i in range(32)])


def test_elect() -> None:
    body = f"elect.sync %r9|%p1, 0xfffffff0; @%p1 add.u32 %r9, %r9, 100; {STORE}"
    gives(ran(f"setp.lt.u32 %p2, %r1, 4; @%p2 exit; {body}"), [0] * 4 + [104] + [4] * 27)
    gives(ran(f"mov.u32 %r9, 0; elect.sync _|%p1, -1; @%p1 mov.u32 %r9, 1; {STORE}"),
          [1] + [0] * 31)  # fmt: skip


def test_a_mask_of_active_lanes() -> None:
    body = f"mov.u32 %r9, 0; setp.lt.u32 %p1, %r1, 5; @%p1 activemask.b32 %r9; {STORE}"
    gives(ran(body), [31] * 5 + [0] * 27)


# --- barriers that count


@pytest.mark.parametrize("opcode", ["bar.red", "barrier.red", "bar.cta.red"])
def test_barriers_count_votes(opcode: str) -> None:
    setup = "setp.ge.u32 %p1, %r4, 40;"
    body = f"{setup} {opcode}.popc.u32 %r9, 0, %p1; {STORE}"
    gives(ran(body, 64, 3), [24] * 64 + [64] * 128)
    for name, expected in (("and", [0] * 64 + [1] * 128), ("or", [1] * 192)):
        body = f"{setup} {opcode}.{name}.pred %p2, 0, %p1; selp.u32 %r9, 1, 0, %p2; {STORE}"
        gives(ran(body, 64, 3), expected)


def test_a_vote_of_some_threads() -> None:
    body = f"""
        mov.u32 %r9, 99; setp.ge.u32 %p1, %r1, 64; @%p1 bra OUT;
        setp.lt.u32 %p2, %r1, 10; bar.red.popc.u32 %r9, 1, 64, !%p2;
    OUT: {STORE}"""
    gives(ran(body, 96), [54] * 64 + [99] * 32)


def test_votes_come_from_both_sides_of_a_branch() -> None:
    body = f"""
        setp.lt.u32 %p1, %r1, 32; @%p1 bra LOW;
        mul.lo.u32 %r8, %r1, 2; bra MEET;
    LOW: mov.u32 %r8, 1;
    MEET: setp.gt.u32 %p2, %r8, 80; barrier.red.popc.u32 %r9, 0, %p2; {STORE}"""
    gives(ran(body, 64), [sum(2 * i > 80 for i in range(32, 64))] * 64)


# --- asynchronous copies


@pytest.mark.parametrize("size", [4, 8, 16])
def test_cp_async(size: int) -> None:
    words = size // 4
    body = f"""
        {SHARED} mov.u32 %r10, tile; mad.lo.u32 %r10, %r1, {size}, %r10;
        mul.wide.u32 %rd10, %r1, {size}; add.u64 %rd11, %rd2, %rd10; add.u64 %rd12, %rd1, %rd10;
        cp.async.ca.shared.global [%r10], [%rd11], {size};
        cp.async.commit_group; cp.async.wait_group 0; bar.sync 0;"""
    for i in range(words):
        body += f"ld.shared.u32 %r9, [%r10+{4 * i}]; st.global.u32 [%rd12+{4 * i}], %r9;"
    x = np.resize(WORDS, 32 * words)
    gives(ran(body, x=x, y=x.size), x)


def copy_of_some(operand: str, x: Array) -> Any:
    return ran(f"""
        {SHARED} mov.u32 %r10, tile; mad.lo.u32 %r10, %r1, 4, %r10; mov.u32 %r11, -1;
        st.shared.u32 [%r10], %r11; setp.lt.u32 %p1, %r1, 8; selp.u32 %r12, 4, 0, %p1;
        cp.async.ca.shared.global [%r10], [%rd6], 4, {operand};
        cp.async.wait_all; ld.shared.u32 %r9, [%r10]; {STORE}""", x=x)  # fmt: skip


def test_what_is_not_copied_is_zero_and_not_read() -> None:
    expected = [*WORDS[:8].tolist(), *[0] * 24]
    gives(copy_of_some("%r12", WORDS[:8]), expected)
    gives(copy_of_some("!%p1", WORDS[:8]), expected)
    gives(copy_of_some("2", WORDS[:32]), WORDS[:32] & 0xFFFF)


@pytest.mark.parametrize(("side", "space"), [("[%rd6+4]", "global"), ("[%rd6]", "shared")])
def test_a_copy_is_checked_on_both_sides(side: str, space: str) -> None:
    shift = 4 if space == "shared" else 0
    result = ran(f"""
        .shared .align 128 .b8 tile[128]; mov.u32 %r10, tile; mad.lo.u32 %r10, %r1, 4, %r10;
        cp.async.ca.shared.global [%r10+{shift}], {side}, 4; cp.async.wait_all;""",
        x=WORDS[:32])  # fmt: skip
    (fault,) = result.faults
    assert (fault.kind, fault.space, fault.tid) == ("out-of-bounds", space, (31, 0, 0))


# --- matrices


def matrix_program(body: str, count: int, x: Array) -> Any:
    """Copies x to ``tile``, runs the body, and stores %r20 and its neighbours for each lane."""
    fill = "".join(
        f"ld.global.u32 %r9, [%rd6+{128 * i}]; st.shared.u32 [%r10+{128 * i}], %r9;"
        for i in range(x.size // 32)
    )
    keep = "".join(f"st.global.u32 [%rd5+{128 * i}], %r{20 + i};" for i in range(count))
    return ran(f"""
        {SHARED} mov.u32 %r10, tile; mad.lo.u32 %r10, %r1, 4, %r10; {fill} bar.sync 0;
        mov.u32 %r11, tile; mad.lo.u32 %r12, %r1, 16, %r11; {body} {keep}""",
        x=x, y=32 * count)  # fmt: skip


HALVES = np.arange(512, dtype=np.uint16)  # eight matrices of 8 x 8


def fragments(matrices: Array) -> Array:
    """What the lanes hold of matrices of 8 x 8 halves: a row for each register."""
    return np.stack([m.reshape(32, 2).copy().view("u4").reshape(32) for m in matrices])


@pytest.mark.parametrize("count", [1, 2, 4])
@pytest.mark.parametrize("trans", ["", ".trans"])
def test_ldmatrix(count: int, trans: str) -> None:
    names = ", ".join(f"%r{20 + i}" for i in range(count))
    body = f"ldmatrix.sync.aligned.m8n8.x{count}{trans}.shared.b16 {{{names}}}, [%r12];"
    matrices = HALVES.reshape(-1, 8, 8)[:count]
    expected = fragments(matrices.transpose(0, 2, 1) if trans else matrices)
    gives(matrix_program(body, count, HALVES.view("u4")), expected.ravel())


def test_ldmatrix_reads_rows_of_the_first_lanes_only() -> None:
    body = """
        setp.lt.u32 %p1, %r1, 8; selp.u32 %r12, %r12, 0x7fffff00, %p1;
        ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r20}, [%r12];"""
    assert not matrix_program(body, 1, HALVES.view("u4")).faults
    wrong = matrix_program(body.replace("8;", "7;", 1), 1, HALVES.view("u4"))
    (fault,) = wrong.faults
    assert (fault.kind, fault.tid, fault.bytes) == ("out-of-bounds", (7, 0, 0), 16)


@pytest.mark.parametrize("count", [1, 2, 4])
@pytest.mark.parametrize("trans", ["", ".trans"])
def test_stmatrix_undoes_ldmatrix(count: int, trans: str) -> None:
    names = ", ".join(f"%r{30 + i}" for i in range(count))
    body = f"""
        ldmatrix.sync.aligned.m8n8.x{count}{trans}.shared.b16 {{{names}}}, [%r12];
        add.u32 %r13, %r12, 2048; bar.sync 0;
        stmatrix.sync.aligned.m8n8.x{count}{trans}.shared.b16 [%r13], {{{names}}}; bar.sync 0;
        """
    body += "".join(f"ld.shared.u32 %r{20 + i}, [%r10+{2048 + 128 * i}];" for i in range(count))
    gives(matrix_program(body, count, HALVES.view("u4")), HALVES.view("u4")[: 32 * count])


def test_movmatrix() -> None:
    body = """
        ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r30}, [%r12];
        movmatrix.sync.aligned.m8n8.trans.b16 %r20, %r30;"""
    expected = fragments(HALVES.reshape(-1, 8, 8)[:1].transpose(0, 2, 1))
    gives(matrix_program(body, 1, HALVES.view("u4")), expected.ravel())


def brain(a: Array) -> Array:
    return (a.astype(np.float32).view(np.uint32) >> 16).astype(np.uint16)


def packed(a: Array, bits: int) -> Array:
    """Neighbours of a row as words of 32 bits."""
    a = a.astype(np.uint32) & ((1 << bits) - 1)
    each = 32 // bits
    shifts = np.arange(each, dtype=np.uint32) * bits
    return (a.reshape(*a.shape[:-1], -1, each) << shifts).sum(-1, dtype=np.uint32)


ENCODINGS: dict[str, tuple[int, Callable[[Array], Array]]] = {
    "f16": (16, lambda a: a.astype(np.float16).view(np.uint16)),
    "bf16": (16, brain),
    "tf32": (32, lambda a: a.astype(np.float32).view(np.uint32)),
    "s8": (8, lambda a: a.astype(np.int8).view(np.uint8)),
    "u8": (8, lambda a: np.abs(a).astype(np.uint8)),
    "s4": (4, lambda a: a.astype(np.int8).view(np.uint8)),
    "u4": (4, lambda a: np.abs(a).astype(np.uint8)),
}


def accumulators(c: Array, dtype: str) -> Array:
    """The registers of C or D: the two neighbours in one word of halves, or in a word each."""
    number = {"f16": "f2", "f32": "f4", "s32": "i4"}[dtype]
    pairs = c.astype(number).reshape(-1, 32, 2)  # block of eight rows, lane, neighbour
    if dtype == "f16":
        return pairs.copy().view("u4")[..., 0]
    return pairs.transpose(0, 2, 1).reshape(-1, 32).copy().view("u4")


def fragment(a: Array, bits: int) -> Array:
    """The registers of the lanes, as the figures of the manual draw them: blocks of eight rows and
    of four registers, one row of the result a register."""
    words = packed(a, bits)
    rows, across = words.shape
    blocks = words.reshape(rows // 8, 8, across // 4, 4)
    order = blocks.transpose(2, 0, 1, 3)  # by column block, then by row block
    return order.reshape(-1, 32)


MMA = [
    ("m16n8k8", "f32", "f16"), ("m16n8k16", "f32", "f16"), ("m16n8k16", "f16", "f16"),
    ("m16n8k8", "f32", "bf16"), ("m16n8k16", "f32", "bf16"), ("m16n8k4", "f32", "tf32"),
    ("m16n8k8", "f32", "tf32"), ("m8n8k16", "s32", "s8"), ("m16n8k16", "s32", "u8"),
    ("m16n8k32", "s32", "s8"), ("m8n8k32", "s32", "s4"), ("m16n8k32", "s32", "u4"),
    ("m16n8k64", "s32", "s4"),
]  # fmt: skip


@pytest.mark.parametrize(("shape", "dtype", "atype"), MMA)
def test_mma(shape: str, dtype: str, atype: str) -> None:
    """Small integers: every order of sums gives the same."""
    m, n, k = map(int, re.findall(r"\d+", shape))
    random = np.random.default_rng(k)
    bits, encode = ENCODINGS[atype]
    low = 0 if atype[0] == "u" else -7
    a, b = (random.integers(low, 8, size) for size in ((m, k), (k, n)))
    c = random.integers(-9, 9, (m, n))
    left, right = fragment(encode(a), bits), fragment(encode(b).T, bits)
    third = accumulators(c, dtype)
    x = np.concatenate([left, right, third]).astype(np.uint32)
    names = [f"%r{30 + i}" for i in range(len(x))]
    first, second = len(left), len(left) + len(right)
    out = [f"%r{20 + i}" for i in range(len(third))]
    lists = [out, names[:first], names[first:second], names[second:]]
    operands = ", ".join(f"{{{', '.join(words)}}}" for words in lists)
    body = "".join(f"ld.global.u32 {name}, [%rd6+{128 * i}];" for i, name in enumerate(names))
    body += f"mma.sync.aligned.{shape}.row.col.{dtype}.{atype}.{atype}.{dtype} {operands};"
    body += "".join(f"st.global.u32 [%rd5+{128 * i}], {name};" for i, name in enumerate(out))
    result = ran(body, x=x.ravel(), y=32 * len(third))
    gives(result, accumulators(a @ b + c, dtype).ravel())


def test_mma_of_doubles() -> None:
    random = np.random.default_rng(5)
    a, b, c = (random.normal(size=size) for size in ((8, 4), (4, 8), (8, 8)))
    third = c.reshape(32, 2).T
    x = np.concatenate([a.ravel(), b.T.ravel(), *third])
    body = """
        mul.wide.u32 %rd10, %r1, 8; add.u64 %rd11, %rd2, %rd10; add.u64 %rd12, %rd1, %rd10;
        ld.global.f64 %fd1, [%rd11]; ld.global.f64 %fd2, [%rd11+256];
        ld.global.f64 %fd3, [%rd11+512]; ld.global.f64 %fd4, [%rd11+768];
        mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64
            {%fd5, %fd6}, {%fd1}, {%fd2}, {%fd3, %fd4};
        st.global.f64 [%rd12], %fd5; st.global.f64 [%rd12+256], %fd6;"""
    result = ran(body, x=x, y=128)
    assert not result.faults
    total = (a @ b + c).reshape(32, 2).T.ravel()
    assert np.allclose(result.y("f8"), total, rtol=1e-14, atol=1e-14)


def test_integers_of_a_matrix_wrap_or_saturate() -> None:
    for word, expected in (("", 0x80000000), (".satfinite", 0x7FFFFFFF)):
        body = f"""
            mov.b32 %r30, 0x00000001; mov.b32 %r31, 0x7fffffff; mov.b32 %r32, 0;
            and.b32 %r8, %r1, 3; setp.ne.u32 %p1, %r8, 0; @%p1 mov.b32 %r30, 0;
            mma.sync.aligned.m8n8k16.row.col{word}.s32.s8.s8.s32
                {{%r20, %r21}}, {{%r30}}, {{%r30}}, {{%r31, %r31}};
            mov.u32 %r9, %r20; {STORE}"""
        gives(ran(body), [expected] * 32)
