"""Kernels whose races depend on their data, and slips in them.

Each program is clean: no data that its caller may give make two threads race. ``legal`` draws such
data. A slip drops a barrier, splits an atomic into a load and a store, lets indices collide, and so
on. Whether a slip is harmful is for the interpreter to say, on legal data.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]

THREADS, BLOCKS, BINS = 64, 2, 32
N = THREADS * BLOCKS
M = 4 * N  # edges, or cells

HEAD = """
.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 x, .param .u64 at, .param .u64 y, .param .u64 z, .param .u32 n) {
    .reg .pred %p<8>;
    .reg .b32 %r<20>;
    .reg .f32 %f<8>;
    .reg .b32 %t, %g, %n, %b, %d;
    .reg .b64 %x, %at, %y, %z, %a<12>;
    .shared .align 4 .b8 s[1024];
    .shared .align 4 .b8 many[4];
    ld.param.u64 %x, [x];
    cvta.to.global.u64 %x, %x;
    ld.param.u64 %at, [at];
    cvta.to.global.u64 %at, %at;
    ld.param.u64 %y, [y];
    cvta.to.global.u64 %y, %y;
    ld.param.u64 %z, [z];
    cvta.to.global.u64 %z, %z;
    ld.param.u32 %n, [n];
    mov.u32 %t, %tid.x;
    mov.u32 %b, %ctaid.x;
    mov.u32 %d, %ntid.x;
    mad.lo.u32 %g, %b, %d, %t;
"""
TAIL = "\nDONE:\n    ret;\n}\n"

OWN = """
    setp.ge.u32 %p7, %g, %n;
    @%p7 bra DONE;
"""
LOAD_X = """
    mad.wide.u32 %a1, %g, 4, %x;
    ld.global.u32 %r1, [%a1];
"""
LOAD_AT = """
    mad.wide.u32 %a2, %g, 4, %at;
    ld.global.u32 %r2, [%a2];
"""
CLEAR = f"""
    mov.u32 %r10, s;
    mad.lo.u32 %r11, %t, 4, %r10;
    setp.lt.u32 %p1, %t, {BINS};
    @%p1 st.shared.u32 [%r11], 0;
    bar.sync 0;
"""
FLUSH = f"""
    bar.sync 0;
    mad.lo.u32 %r12, %b, {BINS}, %t;
    mad.wide.u32 %a4, %r12, 4, %y;
    @%p1 ld.shared.u32 %r13, [%r11];
    @%p1 st.global.u32 [%a4], %r13;
"""
PUSH = """
    mov.u32 %r10, s;
    mov.u32 %r14, many;
    setp.eq.u32 %p1, %t, 0;
    @%p1 st.shared.u32 [%r14], 0;
    bar.sync 0;
    mad.wide.u32 %a1, %g, 4, %x;
    ld.global.f32 %f1, [%a1];
    setp.gt.f32 %p2, %f1, 0f00000000;
    @!%p2 bra SKIP;
    atom.shared.add.u32 %r3, [%r14], 1;
    mad.lo.u32 %r4, %r3, 4, %r10;
    st.shared.u32 [%r4], %g;
SKIP:
    bar.sync 0;
    ld.shared.u32 %r5, [%r14];
    setp.ge.u32 %p3, %t, %r5;
    @%p3 bra DONE;
    mad.lo.u32 %r6, %t, 4, %r10;
    ld.shared.u32 %r7, [%r6];
    mad.wide.u32 %a3, %g, 4, %y;
    st.global.u32 [%a3], %r7;
"""
ROWS = """
    mad.wide.u32 %a2, %g, 4, %at;
    ld.global.u32 %r2, [%a2];
    ld.global.u32 %r3, [%a2+4];
LOOP:
    setp.ge.u32 %p1, %r2, %r3;
    @%p1 bra DONE;
    mad.wide.u32 %a3, %r2, 4, %x;
    ld.global.u32 %r4, [%a3];
    mad.wide.u32 %a4, %r2, 4, %y;
    st.global.u32 [%a4], %r4;
    add.u32 %r2, %r2, 1;
    bra LOOP;
"""
TILE = """
    mad.wide.u32 %a2, %b, 4, %at;
    ld.global.u32 %r2, [%a2];
    add.u32 %r3, %r2, %t;
    mad.wide.u32 %a3, %r3, 4, %y;
    st.global.u32 [%a3], %g;
"""


@dataclass(frozen=True)
class Program:
    """A clean kernel, what is declared of its buffers, and its legal data."""

    body: str
    values: Mapping[str, str]
    legal: Callable[[np.random.Generator], dict[str, Array]]
    sizes: Mapping[str, int] = field(default_factory=dict)

    @property
    def text(self) -> str:
        return HEAD + self.body + TAIL

    def words(self, name: str) -> int:
        return {"x": N, "at": N, "y": M, "z": N, **self.sizes}[name]

    def options(self, values: bool = True) -> list[str]:
        """The declaration of its launch."""
        found = ["--grid", f"{BLOCKS}", "--block", f"{THREADS}", "--arg", f"n={N}"]
        for name in ("x", "at", "y", "z"):
            found += ["--buffer", f"{name}={4 * self.words(name)}"]
        for name, said in self.values.items() if values else ():
            found += ["--values", f"{name}={said}"]
        return found


def bins(random: np.random.Generator) -> dict[str, Array]:
    return {"x": random.integers(0, BINS, N, np.int32)}


def permutation(random: np.random.Generator) -> dict[str, Array]:
    return {"at": random.permutation(N).astype(np.int32), "x": random.integers(0, 9, N, np.int32)}


def keys(random: np.random.Generator) -> dict[str, Array]:
    return {
        "x": random.integers(0, 8, N, np.int32),
        "at": random.permutation(N).astype(np.int32),
        "z": np.zeros(8, np.int32),
    }


def floats(random: np.random.Generator) -> dict[str, Array]:
    return {"x": random.standard_normal(N).astype(np.float32)}


def rows(random: np.random.Generator) -> dict[str, Array]:
    ends = np.sort(random.integers(0, M, N - 1))
    return {"at": np.concatenate(([0], ends, [M])).astype(np.int32)}


def tiles(random: np.random.Generator) -> dict[str, Array]:
    return {"at": (random.permutation(N) * THREADS % (M - THREADS)).astype(np.int32)}


def colours(random: np.random.Generator) -> dict[str, Array]:
    mixed = random.permutation(M).astype(np.int32)
    return {"at": mixed[:N], "x": mixed[N : 2 * N]}


def edges(random: np.random.Generator) -> dict[str, Array]:
    """A level of a search: the threads in the front are visited, the others are not."""
    front = random.integers(0, 2, N, np.int32)
    return {"x": front, "z": front, "at": random.integers(0, N, N, np.int32)}


PROGRAMS: dict[str, Program] = {
    "a histogram of each block": Program(
        CLEAR + LOAD_X + "mad.lo.u32 %r3, %r1, 4, %r10;\n red.shared.add.u32 [%r3], 1;\n" + FLUSH,
        {"x": f"0..{BINS - 1}"}, bins,
    ),
    "a histogram of masked words": Program(
        CLEAR + LOAD_X + f"and.b32 %r1, %r1, {BINS - 1};\n mad.lo.u32 %r3, %r1, 4, %r10;\n"
        " red.shared.add.u32 [%r3], 1;\n" + FLUSH,
        {}, lambda random: {"x": random.integers(0, 1 << 20, N, np.int32)},
    ),
    "a histogram of the grid": Program(
        LOAD_X + "mad.wide.u32 %a3, %r1, 4, %y;\n red.global.add.u32 [%a3], 1;\n",
        {"x": f"0..{BINS - 1}"}, bins, {"y": BINS},
    ),
    "a histogram with a bin for each thread": Program(
        LOAD_X + "mad.wide.u32 %a3, %r1, 4, %y;\n red.global.add.u32 [%a3], 1;\n",
        {"x": f"0..{N - 1}"}, lambda random: {"x": random.integers(0, N, N, np.int32)}, {"y": N},
    ),
    "a histogram under a guard": Program(
        CLEAR + LOAD_X + f"setp.ge.u32 %p2, %r1, {BINS};\n @%p2 bra SKIP;\n"
        " mad.lo.u32 %r3, %r1, 4, %r10;\n red.shared.add.u32 [%r3], 1;\nSKIP:\n" + FLUSH,
        {}, lambda random: {"x": random.integers(0, 2 * BINS, N, np.int32)},
    ),
    "a weighted histogram": Program(
        LOAD_AT + "mad.wide.u32 %a1, %g, 4, %x;\n ld.global.f32 %f1, [%a1];\n"
        " mad.wide.u32 %a3, %r2, 4, %y;\n red.global.add.f32 [%a3], %f1;\n",
        {"at": f"0..{BINS - 1}"},
        lambda random: floats(random) | {"at": random.integers(0, BINS, N, np.int32)}, {"y": BINS},
    ),
    "a scatter": Program(
        OWN + LOAD_AT + LOAD_X + "mad.wide.u32 %a3, %r2, 4, %y;\n st.global.u32 [%a3], %r1;\n",
        {"at": f"0..{N - 1}"}, permutation, {"y": N},
    ),
    "a scatter by threads": Program(
        LOAD_AT + "mad.wide.u32 %a3, %r2, 4, %y;\n st.global.u32 [%a3], %g;\n",
        {"at": f"0..{N - 1}"}, permutation, {"y": N},
    ),
    "a permutation in place of words": Program(
        LOAD_AT + "mad.wide.u32 %a4, %r2, 4, %x;\n ld.global.u32 %r3, [%a4];\n"
        " mad.wide.u32 %a3, %r2, 4, %y;\n st.global.u32 [%a3], %r3;\n",
        {"at": f"0..{N - 1}"}, permutation, {"y": N},
    ),
    "a gather": Program(
        OWN + LOAD_AT + "mad.wide.u32 %a4, %r2, 4, %x;\n ld.global.u32 %r3, [%a4];\n"
        " mad.wide.u32 %a3, %g, 4, %y;\n st.global.u32 [%a3], %r3;\n",
        {"at": f"0..{N - 1}"}, permutation, {"y": N},
    ),
    "a gather through shared memory": Program(
        LOAD_X + LOAD_AT + "mov.u32 %r10, s;\n mad.lo.u32 %r11, %t, 4, %r10;\n"
        f" st.shared.u32 [%r11], %r1;\n bar.sync 0;\n and.b32 %r2, %r2, {THREADS - 1};\n"
        " mad.lo.u32 %r3, %r2, 4, %r10;\n ld.shared.u32 %r4, [%r3];\n"
        " mad.wide.u32 %a3, %g, 4, %y;\n st.global.u32 [%a3], %r4;\n",
        {}, permutation,
    ),
    "flags that are set": Program(
        LOAD_AT + "mad.wide.u32 %a3, %r2, 4, %y;\n st.global.u32 [%a3], 1;\n",
        {"at": f"0..{N - 1}"}, lambda random: {"at": random.integers(0, N, N, np.int32)}, {"y": N},
    ),
    "a list of each block": Program(PUSH, {}, floats),
    "a list of the grid": Program(
        "mad.wide.u32 %a1, %g, 4, %x;\n ld.global.f32 %f1, [%a1];\n"
        " setp.gt.f32 %p2, %f1, 0f00000000;\n @!%p2 bra DONE;\n"
        " atom.global.add.u32 %r3, [%z], 1;\n mad.wide.u32 %a3, %r3, 4, %y;\n"
        " st.global.u32 [%a3], %g;\n",
        {}, lambda random: floats(random) | {"z": np.zeros(N, np.int32)},
    ),
    "places by key": Program(
        LOAD_X + "mad.wide.u32 %a4, %r1, 4, %z;\n atom.global.add.u32 %r3, [%a4], 1;\n"
        " mad.lo.u32 %r3, %r1, 64, %r3;\n mad.wide.u32 %a3, %r3, 4, %y;\n"
        " st.global.u32 [%a3], %g;\n",
        {"x": "0..7"}, keys, {"z": 8, "y": 1024},
    ),
    "the least": Program(
        LOAD_X + "red.global.min.u32 [%y], %r1;\n", {}, permutation,
    ),
    "the least of each key": Program(
        LOAD_X + LOAD_AT + "mad.wide.u32 %a3, %r1, 4, %y;\n red.global.min.u32 [%a3], %r2;\n",
        {"x": "0..7"}, keys, {"y": 8},
    ),
    "the one that matches": Program(
        LOAD_AT + "setp.eq.u32 %p1, %r2, 5;\n @%p1 st.global.u32 [%y], %g;\n",
        {"at": f"0..{N - 1}"}, permutation,
    ),
    "rows of a table": Program(ROWS, {"at": f"0..{M}"}, rows, {"at": N + 1, "x": M}),
    "tiles": Program(TILE, {"at": f"0..{M - THREADS}"}, tiles),
    "lists that share nothing": Program(
        LOAD_AT + LOAD_X + "mad.wide.u32 %a4, %r1, 4, %y;\n ld.global.u32 %r3, [%a4];\n"
        " mad.wide.u32 %a3, %r2, 4, %y;\n st.global.u32 [%a3], %r3;\n",
        {"at": f"0..{M - 1}", "x": f"0..{M - 1}"}, colours,
    ),
    "a level of a search": Program(
        "mad.wide.u32 %a1, %g, 4, %x;\n ld.global.u32 %r1, [%a1];\n"
        " setp.eq.u32 %p1, %r1, 0;\n @%p1 bra DONE;\n"
        " mad.wide.u32 %a4, %g, 4, %y;\n ld.global.u32 %r3, [%a4];\n" + LOAD_AT
        + "mad.wide.u32 %a5, %r2, 4, %z;\n ld.global.u32 %r4, [%a5];\n"
        " setp.ne.u32 %p2, %r4, 0;\n @%p2 bra DONE;\n"
        " mad.wide.u32 %a3, %r2, 4, %y;\n st.global.u32 [%a3], 7;\n",
        {"at": f"0..{N - 1}"}, edges, {"y": N},
    ),
    "sums of edges": Program(
        LOAD_AT + "mad.wide.u32 %a1, %g, 4, %x;\n ld.global.f32 %f1, [%a1];\n"
        " mad.wide.u32 %a4, %r2, 4, %z;\n ld.global.f32 %f2, [%a4];\n"
        " mul.f32 %f1, %f1, %f2;\n mad.wide.u32 %a3, %r2, 4, %y;\n"
        " red.global.add.f32 [%a3], %f1;\n",
        {"at": f"0..{N - 1}"},
        lambda random: floats(random) | {"at": random.integers(0, N, N, np.int32)}, {"y": N},
    ),
}  # fmt: skip


@dataclass(frozen=True)
class Slip:
    kind: str
    text: str


def slips(program: Program) -> Iterator[Slip]:
    """All slips in the body of a program."""
    for kind, change in KINDS.items():
        for text in change(program.body):
            if text != program.body:
                yield Slip(kind, HEAD + text + TAIL)


def each(pattern: str, new: str | Callable[[re.Match[str]], str], body: str) -> Iterator[str]:
    """The body with one match replaced, for each match."""
    for found in re.finditer(pattern, body):
        by = found.expand(new) if isinstance(new, str) else new(found)
        yield body[: found.start()] + by + body[found.end() :]


def split(found: re.Match[str]) -> str:
    """An atomic as a load, an operation and a store."""
    space, op, kind, old, address, by = found.groups()
    word, plain = ("%f6", "%f7") if kind == "f32" else ("%r18", "%r19")
    keeps = f"mov.b32 {old}, {word};\n" if old else ""
    store = f"st.{space}.{kind} [{address}], {plain};"
    update = f"{op}.{kind} {plain}, {word}, {by};"
    return f"ld.{space}.{kind} {word}, [{address}];\n{keeps}{update}\n{store}"


def compared(found: re.Match[str]) -> str:
    """A minimum as a load, a comparison and a store."""
    space, _, kind, _, address, by = found.groups()
    return (
        f"ld.{space}.{kind} %r18, [{address}];\nsetp.lt.{kind} %p6, {by}, %r18;\n"
        f"@%p6 st.{space}.{kind} [{address}], {by};"
    )


ATOMIC = r"(?:red|atom)\.(\w+)\.(\w+)\.(\w+)\s+(?:(%\w+), )?\[(%\w+)\], ([%\w]+);"
MINIMUM = ATOMIC.replace(r"(\w+)\.(\w+)\s", r"(min)\.(\w+)\s", 1)
INDEX = r"(ld\.global\.u32 (%r[12]), \[%a[12]\];)"

KINDS: dict[str, Callable[[str], Iterator[str]]] = {
    "no barrier": lambda body: each(r"bar\.sync 0;", "", body),
    "a warp's barrier": lambda body: each(r"bar\.sync 0;", "bar.warp.sync 0xffffffff;", body),
    "no atomic": lambda body: each(ATOMIC, split, body),
    "a comparison": lambda body: each(MINIMUM, compared, body),
    "few indices": lambda body: each(INDEX, r"\1\n and.b32 \2, \2, 15;", body),
    "half of the index": lambda body: each(INDEX, r"\1\n shr.u32 \2, \2, 1;", body),
    "a clamp": lambda body: each(INDEX, r"\1\n min.u32 \2, \2, 9;", body),
    "in place": lambda body: each(r"mad\.wide\.u32 (%a3, %r\d+), 4, %y;",
                                  r"mad.wide.u32 \1, 4, %x;", body),
    "the list in place": lambda body: each(r"mad\.wide\.u32 (%a3, %r\d+), 4, %y;",
                                           r"mad.wide.u32 \1, 4, %at;", body),
    "all lead": lambda body: each(r"@%p1 (st\.)", r"\1", body),
    "the next word": lambda body: each(r"(st\.(?:shared|global)\.u32) \[(%[ar]\d+)\]",
                                       r"\1 [\2+4]", body),
    "no guard": lambda body: each(r"@!?%p2 bra \w+;", "", body),
    "the thread for the word": lambda body: each(r"(mad\.\w+\.u32 %[ar]3), %r[123],", r"\1, %t,",
                                                 body),
}  # fmt: skip
