"""Moves and byte permutations (PTX ISA 9.4, "Data Movement and Conversion Instructions").

``mov`` of a vector packs or unpacks: the argument arrives as one word, and ``f.parts`` is the
number of results. The modes of ``prmt`` are tables of selectors of its general form. Conversions
are in ``conversion``, loads, stores and address spaces in ``memory``, shuffles in ``warp``.
"""

from __future__ import annotations

from analyses.algebra import Algebra, V
from ptxlint.isa.row import Form, op

AT = "data-movement-and-conversion-instructions-"
WORDS = "b16 b32 b64 b128 u16 u32 u64 s16 s32 s64 f32 f64 pred"

SELECTORS = {
    "f4e": (0x3210, 0x4321, 0x5432, 0x6543),  # four bytes from the n-th up
    "b4e": (0x5670, 0x6701, 0x7012, 0x0123),  # or down
    "rc8": (0x0000, 0x1111, 0x2222, 0x3333),  # the n-th byte everywhere
    "ecl": (0x3210, 0x3211, 0x3222, 0x3333),  # bytes up to the n-th clamped to it
    "ecr": (0x0000, 0x1110, 0x2210, 0x3210),  # bytes from the n-th on clamped to it
    "rc16": (0x1010, 0x3232, 0x1010, 0x3232),  # one half everywhere
}


def mov(o: Algebra[V], f: Form, *parts: V) -> V | tuple[V, ...]:
    a = o.concat(*parts) if len(parts) > 1 else parts[0]
    if f.parts == 1:
        return a
    bits = f.type.bits // f.parts
    return tuple(o.extract(bits, i * bits, a) for i in range(f.parts))


def prmt(o: Algebra[V], f: Form, a: V, b: V, c: V) -> V:
    mode = f.one_of(*SELECTORS)
    if mode:
        table = sum(selector << (16 * n) for n, selector in enumerate(SELECTORS[mode]))
        place = o.shl(o.and_(c, o.const(32, 3)), o.const(32, 4))
        c = o.trunc(32, o.shr_u(o.const(64, table), place))
    return o.prmt(a, b, c)


ROWS = (
    op("mov.type d, a", at=AT + "mov", types=WORDS, sem=mov),
    op("prmt.type{.mode} d, a, b, c", at=AT + "prmt", types="b32",
       mode="f4e b4e rc8 ecl ecr rc16", sem=prmt),
)  # fmt: skip
