"""One kind of access in many patterns: a warp makes it once for each, each on a line of its own.

Every case has one outcome: memory that is read was written, lanes that store to one address store
the same, and atomics of one address have the same operand, so that only the sum of what they return
is kept.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from random import Random

import numpy as np

from ptxlint.contracts.contract import Contract

from .launches import Case

BYTES = 1 << 14  # that the lanes reach
LANES = range(32)
ATOMICS = (
    "red.{}.add.u32", "red.{}.max.s32", "red.{}.and.b32", "atom.{}.add.u32", "atom.{}.inc.u32",
    "atom.{}.min.s32", "atom.{}.or.b32", "atom.{}.exch.b32", "atom.{}.cas.b32",
    "atom.{}.exch.b64", "atom.{}.cas.b64", "atom.{}.add.u64", "atom.{}.max.u64",
    "atom.{}.add.f32", "red.{}.add.f32", "atom.{}.add.f64",
)  # fmt: skip
TYPES = {1: "u8", 2: "u16", 4: "u32", 8: "u64", 16: "v2.u64"}
REGISTERS = {1: "%h", 2: "%h", 4: "%w", 8: "%v0", 16: "{%v0, %v1}"}
MATRIX = "{%m0, %m1, %m2, %m3}"
SET = {  # a register of each kind from a number, and back into %r
    "%h": ("cvt.u16.u32 %h, {};", "cvt.u64.u16 %r, %h;"),
    "%w": ("mov.u32 %w, {};", "cvt.u64.u32 %r, %w;"),
    "%f": ("cvt.rn.f32.u32 %f, {};", "mov.b32 %w, %f; cvt.u64.u32 %r, %w;"),
    "%d": ("cvt.rn.f64.u32 %d, {};", "mov.b64 %r, %d;"),
    "%v0": ("cvt.u64.u32 %v0, {};", "mov.u64 %r, %v0;"),
    "{%v0, %v1}": ("cvt.u64.u32 %v0, {}; mov.u64 %v1, %v0;", "add.u64 %r, %v0, %v1;"),
    MATRIX: ("", "add.u32 %w, %m0, %m1; add.u32 %w, %w, %m2; add.u32 %w, %w, %m3; "
                 "cvt.u64.u32 %r, %w;"),
    "[%a]": ("sub.s64 %c, %a, %b; add.s64 %c, %c, %s; shr.u32 %m0, {0}, 4; and.b32 %m1, %m0, 3; "
             "and.b32 %m0, {0}, 4;", "mov.u64 %r, 0;"),  # of a copy, and sizes by address
}  # fmt: skip
HEAD = """.version 8.5
.target sm_90
.address_size 64
.visible .entry k(.param .u64 at, .param .u64 x, .param .u64 y, .param .u32 n) {{
{memory}
.reg .pred %q; .reg .b16 %h; .reg .b32 %w, %o, %t, %n, %m<4>; .reg .f32 %f; .reg .f64 %d;
.reg .b64 %v<2>, %r, %a, %b, %c, %s, %p, %sum;
mov.u32 %t, %tid.x;
mov.u64 %sum, 0;
ld.param.u32 %n, [n];
ld.param.u64 %p, [at];
mad.wide.u32 %p, %t, 4, %p;
{base}
"""
EACH = """bar.sync 0;
{first}
{name}:
cvt.u64.u32 %a, %w;
add.u64 %a, %b, %a;
{access}
add.u32 %w, %w, {step};
setp.lt.u32 %q, %w, {bytes};
@%q bra {name};
bar.sync 0;
"""
ROUND = """ld.global.s32 %o, [%p+{place}];
setp.ge.s32 %q, %o, 0;
cvt.s64.s32 %a, %o;
add.s64 %a, %b, %a;
{before}
{guard}{access}
{after}
add.u64 %sum, %sum, %r;
"""
TAIL = """ld.param.u64 %p, [y];
mad.wide.u32 %p, %t, {stride}, %p;
red.global.add.u64 [%p], %sum;
ret;
}}
"""
SHARED = f".shared .align 128 .b8 s[{BYTES}];"
MEMORY = {
    "global": ("", "ld.param.u64 %b, [x];"),
    "shared": (SHARED, "mov.u64 %b, s;"),
    "local": (f".local .align 16 .b8 l[{BYTES}];", "mov.u64 %b, l;"),
    "const": (f".const .align 16 .b8 c[{BYTES}];", "mov.u64 %b, c;"),
    "copied": (SHARED, "mov.u64 %b, s; ld.param.u64 %s, [x];"),
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


def pairs() -> list[Sequence[int | None]]:
    """Lanes n and n^1, or n and n^2, have the same address: in all, in some, with a conflict, and
    where one of them or both have none."""
    twos = [i % 2 + 2 * (i // 4) for i in LANES]  # of lanes n and n^2
    found: list[Sequence[int | None]] = [
        twos,
        [i % 4 + 4 * (i // 8) for i in LANES],
        [(0, 1, 1, 0)[i % 4] + 2 * (i // 4) for i in LANES],
        [i // 2 if i < 16 else twos[i] for i in LANES],
        [i // 2 if i % 8 < 4 else twos[i] for i in LANES],
        *([i // 2 if i < k else i for i in LANES] for k in (4, 8, 16, 24, 31)),
        *([i if i < k else i // 2 for i in LANES] for k in (2, 16)),
        [0 if i < 31 else 1 for i in LANES],
        *([i // 2 % k for i in LANES] for k in (4, 8)),
        *([16 * (i // 2 % k) for i in LANES] for k in (2, 4, 8)),
        *([16 * (i // 2 % 2) + 2 * (i // k) for i in LANES] for k in (8, 16)),
        [16 * (i // 2 % 2) if i < 16 else 4 for i in LANES],
        [16 * (i // 2) if i < 16 else 1 for i in LANES],
        [16 * (i % 2) + 2 * (i // 8) for i in LANES],
    ]
    switched = (
        lambda i: i // 2 % 2, lambda i: i % 2, lambda i: i % 4 > 1, lambda i: i == 5,
        lambda i: i in (4, 5), lambda i: i in (4, 6), lambda i: i > 7, lambda i: i > 15,
        lambda i: i > 16, lambda i: i > 17, lambda i: i > 23, lambda i: i < 16, lambda i: i % 8,
    )  # fmt: skip
    for row in ([0] * 32, [i // 2 for i in LANES], twos):
        found += [[None if off(i) else row[i] for i in LANES] for off in switched]
    found += [[None if i // 2 % 2 else 16 * (i // 4) for i in LANES]]
    return found


@cache
def accessing(space: str, opcode: str, size: int, operands: str = "") -> Case:
    """``opcode`` with the space in it, for words of ``size`` bytes."""
    kind = opcode.partition(".")[0]
    name = f"{opcode} {operands.rpartition(']')[2].removeprefix(', ')}".strip()
    register = {"f32": "%f", "f64": "%d"}.get(opcode[-3:], REGISTERS[size])
    if operands:
        register = operands.rpartition(", [")[0] or register
    elif kind == "atom":
        operands = f"{register}, [%a], {'0, ' * ('.cas.' in opcode)}{register}"
    else:
        operands = f"{register}, [%a]" if kind == "ld" else f"[%a], {register}"
    whole = kind in ("ldmatrix", "cp")  # no lane may be off
    known = patterns() + (pairs() if space == "shared" and size > 4 else [])
    rows = [row for row in known if not whole or None not in row]
    given = kind in ("ld", "ldmatrix", "cp")  # what the lanes find is their own
    before, after = SET[register]
    memory, base = MEMORY["copied" if kind == "cp" else space]
    text = HEAD.format(memory=memory, base=base)
    inside = space in ("shared", "local")  # only the kernel can fill them
    if inside:
        text += filled(space, given)
    before = before.format("%o" if kind in ("st", "cp") else "%n")
    for i in range(len(rows)):
        text += ROUND.format(
            place=128 * i, before=before, after=after,
            guard="" if whole else "@%q ", access=f"{opcode} {operands};",
        )  # fmt: skip
    if kind == "cp":
        text += "cp.async.wait_all;\n"
    if inside and (kind == "cp" or not given):
        text += summed(space)
    text += TAIL.format(stride=0 if kind in ("atom", "red") else 8)
    at = np.array([[-1 if i is None else size * i for i in row] for row in rows], np.int32)
    contract = Contract.of(
        block="32", grid="1", buffer=[f"at={at.nbytes}", f"x={BYTES}", "y=256"], arg=["n=3"]
    )
    x = np.arange(BYTES // 4, dtype=np.int32) * given
    return Case.of(f"access/{name}", text, contract, {0: at, 1: x})


def filled(space: str, given: bool) -> str:
    """Stores to all the memory: the numbers of its bytes, or 0."""
    value = "%w" if given else "0"
    return everywhere(
        "fill", space, f"cvt.u64.u32 %v0, {value};\nadd.u64 %v1, %v0, %v0;\n"
        f"st.{space}.v2.u64 [%a], {{%v0, %v1}};",
    )  # fmt: skip


def summed(space: str) -> str:
    """Adds up all the memory."""
    return everywhere(
        "sum", space, f"ld.{space}.v2.u64 {{%v0, %v1}}, [%a];\nadd.u64 %sum, %sum, %v0;\n"
        "add.u64 %sum, %sum, %v1;",
    )  # fmt: skip


def everywhere(name: str, space: str, access: str) -> str:
    alone = space == "local"
    first, step = ("mov.u32 %w, 0;", 16) if alone else ("shl.b32 %w, %t, 4;", 512)
    return EACH.format(first=first, name=name, access=access, step=step, bytes=BYTES)


def accesses() -> Iterator[Case]:
    for space in ("global", "shared", "local"):
        for size, kind in TYPES.items():
            yield accessing(space, f"ld.{space}.{kind}", size)
            yield accessing(space, f"st.{space}.{kind}", size)
    yield accessing("const", "ld.const.u32", 4)
    for atomic in ATOMICS:
        for space in ("global", "shared"):
            yield accessing(space, atomic.format(space), int(atomic[-2:]) // 8)
    yield accessing("shared", "red.shared.add.u32", 4, "[%a], 1")
    yield accessing("shared", "atom.shared.add.u32", 4, "%w, [%a], 1")
    yield accessing("shared", "atom.shared.inc.u32", 4, "%w, [%a], 99")
    yield accessing("shared", "ldmatrix.sync.aligned.m8n8.x4.shared.b16", 16, f"{MATRIX}, [%a]")
    for size in (4, 8, 16):
        for cached in ("ca", "cg") if size == 16 else ("ca",):
            for read in ("", ", %n", ", %m0", ", %m1"):  # bytes that are read
                opcode = f"cp.async.{cached}.shared.global"
                yield accessing("shared", opcode, size, f"[%a], [%c], {size}{read}")
