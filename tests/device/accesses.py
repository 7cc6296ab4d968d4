"""One kind of access in many patterns: a warp makes it once for each, each on a line of its own."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random

import numpy as np

from ptxlint.contracts.contract import Contract

from .launches import Case

BYTES = 1 << 15  # that the lanes reach
LANES = range(32)
ATOMICS = (
    "red.{}.add.u32", "red.{}.max.s32", "red.{}.and.b32", "atom.{}.add.u32", "atom.{}.inc.u32",
    "atom.{}.min.s32", "atom.{}.or.b32", "atom.{}.exch.b32", "atom.{}.cas.b32",
    "atom.{}.exch.b64", "atom.{}.cas.b64", "atom.{}.add.u64", "atom.{}.max.u64",
    "atom.{}.add.f32", "red.{}.add.f32", "atom.{}.add.f64",
)  # fmt: skip
TYPES = {1: "u8", 2: "u16", 4: "u32", 8: "u64", 16: "v2.u64"}
REGISTERS = {1: "%h", 2: "%h", 4: "%w", 8: "%v0", 16: "{%v0, %v1}"}
SET = {  # a register of each kind from the thread, and back into %r
    "%h": ("cvt.u16.u32 %h, %t;", "cvt.u64.u16 %r, %h;"),
    "%w": ("mov.u32 %w, %t;", "cvt.u64.u32 %r, %w;"),
    "%f": ("cvt.rn.f32.u32 %f, %t;", "mov.b32 %w, %f; cvt.u64.u32 %r, %w;"),
    "%d": ("cvt.rn.f64.u32 %d, %t;", "mov.b64 %r, %d;"),
    "%v0": ("cvt.u64.u32 %v0, %t;", "mov.u64 %r, %v0;"),
    "{%v0, %v1}": ("cvt.u64.u32 %v0, %t; mov.u64 %v1, %v0;", "add.u64 %r, %v0, %v1;"),
}
HEAD = """.version 8.5
.target sm_90
.address_size 64
.visible .entry k(.param .u64 at, .param .u64 x, .param .u64 y) {{
{memory}
.reg .pred %q; .reg .b16 %h; .reg .b32 %w, %o, %t; .reg .f32 %f; .reg .f64 %d;
.reg .b64 %v<2>, %r, %a, %b, %p, %sum;
mov.u32 %t, %tid.x;
mov.u64 %sum, 0;
ld.param.u64 %p, [at];
mad.wide.u32 %p, %t, 4, %p;
{base}
"""
ROUND = """ld.global.s32 %o, [%p+{place}];
setp.ge.s32 %q, %o, 0;
cvt.s64.s32 %a, %o;
add.s64 %a, %b, %a;
{before}
@%q {access}
{after}
add.u64 %sum, %sum, %r;
"""
TAIL = """ld.param.u64 %p, [y];
mad.wide.u32 %p, %t, 8, %p;
st.global.u64 [%p], %sum;
ret;
}
"""
MEMORY = {
    "global": ("", "ld.param.u64 %b, [x];"),
    "shared": (f".shared .align 128 .b8 s[{BYTES}];", "mov.u64 %b, s;"),
    "local": (f".local .align 16 .b8 l[{BYTES}];", "mov.u64 %b, l;"),
}


def patterns() -> list[Sequence[int | None]]:
    """The number of the element that each lane accesses, or None."""
    random = Random(1)
    found: list[Sequence[int | None]] = [
        *([k * i for i in LANES] for k in (0, 1, 2, 3, 4, 5, 8, 16, 17, 32, 33)),
        *([i // k for i in LANES] for k in (2, 4, 8, 16)),
        *([i % k for i in LANES] for k in (2, 4, 8, 16)),
        *([32 * (i // k) for i in LANES] for k in (2, 8, 16)),
        [31 - i for i in LANES],
        [i ^ 5 for i in LANES],
        [i % 16 + 32 * (i // 16) for i in LANES],
        *([None if i % k else i for i in LANES] for k in (2, 4, 32)),
        *([i if i < k else None for i in LANES] for k in (8, 16, 17)),
        *([random.randint(0, most) for _ in LANES] for most in (31, 31, 63, 255, 1023, 1023)),
        *([random.choice((None, random.randint(0, 200))) for _ in LANES] for _ in range(4)),
    ]
    return found


def accessing(space: str, opcode: str, size: int) -> Case:
    """``opcode`` with the space in it, for words of ``size`` bytes."""
    register = {"f32": "%f", "f64": "%d"}.get(opcode[-3:], REGISTERS[size])
    operands = {"ld": f"{register}, [%a]", "atom": f"{register}, [%a], {register}"}.get(
        opcode.partition(".")[0], f"[%a], {register}"
    ) + f", {register}" * (".cas." in opcode)
    before, after = SET[register]
    memory, base = MEMORY[space]
    rounds = "".join(
        ROUND.format(place=128 * i, before=before, after=after, access=f"{opcode} {operands};")
        for i in range(len(patterns()))
    )
    offsets = [[-1 if i is None else size * i for i in row] for row in patterns()]
    at = np.array(offsets, np.int32)
    contract = Contract.of(
        block="32", grid="1", buffer=[f"at={at.nbytes}", f"x={BYTES}", "y=256"]
    )  # fmt: skip
    text = HEAD.format(memory=memory, base=base) + rounds + TAIL
    return Case.of(f"access/{opcode}", text, contract, {0: at})


def accesses() -> Iterator[Case]:
    for space in MEMORY:
        for size, kind in TYPES.items():
            yield accessing(space, f"ld.{space}.{kind}", size)
            yield accessing(space, f"st.{space}.{kind}", size)
    for atomic in ATOMICS:
        for space in ("global", "shared"):
            yield accessing(space, atomic.format(space), int(atomic[-2:]) // 8)
