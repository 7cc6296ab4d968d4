"""Warp-level matrix instructions (PTX ISA 9.4, "Warp Level Matrix Multiply-Accumulate").

A matrix lies spread over the lanes of a warp. ``ldmatrix`` loads one row of 16 bytes a lane, and
its ``sem`` deals the rows out; ``stmatrix`` collects rows, then each lane stores one; lowering
makes two instructions of either. ``mma`` is one operator of the world. An 8x8 matrix of 16-bit
elements: lane ``l`` holds row ``l / 4``, columns ``2 * (l % 4)`` and the next.

Not modelled: sparse and block-scaled ``mma``, ``m8n8k4`` of halves, floats of 8 bits and less,
8-bit ``ldmatrix`` and ``stmatrix``. ``wmma`` has a module of its own.
"""

from __future__ import annotations

from collections.abc import Sequence

from analyses.algebra import Algebra, MatrixProduct, V
from analyses.program import Effect
from ptxlint.isa.row import Form, Row, op

AT = "warp-level-matrix-instructions-"
WARP = Effect.CONVERGENT | Effect.ALIGNED
UNKNOWN = WARP | Effect.UNMODELLED
TIMES = {"x1": 1, "x2": 2, "x4": 4}
ROW_BYTES = 16
NARROW = "e4m3 e5m2 e3m2 e2m3 e2m1"


def other_lane(o: Algebra[V], a: V, lane: V) -> V:
    """The word that another lane of the warp holds."""
    return o.shuffle("idx", a, lane, o.const(32, 31), o.const(32, -1))[0]


def place(o: Algebra[V]) -> tuple[V, V]:
    """The lane's number as ``4 * row + column``."""
    lane = o.special("laneid", 32)
    return o.shr_u(lane, o.const(32, 2)), o.and_(lane, o.const(32, 3))


def fetched(o: Algebra[V], words: Sequence[V], lane: V, index: V) -> V:
    """One of the words that another lane holds, at an index that differs from lane to lane."""
    result, *others = [other_lane(o, word, lane) for word in words]
    for i, word in enumerate(others, 1):
        result = o.select(o.eq(index, o.const(32, i)), word, result)
    return result


def half(o: Algebra[V], word: V, upper: V) -> V:
    """The upper half of a word where ``upper`` is 1, else the lower."""
    return o.trunc(16, o.shr_u(word, o.shl(upper, o.const(32, 4))))


def spread(o: Algebra[V], f: Form, line: V) -> V | tuple[V, ...]:
    """``ldmatrix``: each lane has loaded a row of 16 bytes; row r of matrix j is lane 8j + r's."""
    words = [o.extract(32, 32 * i, line) for i in range(4)]
    row, column = place(o)
    results = []
    for j in range(f.parts):
        if not f.has("trans"):
            source = o.add(row, o.const(32, 8 * j))
            results.append(fetched(o, words, source, column))
            continue
        halves = []
        for e in (0, 1):  # element (row, 2 * column + e) of the transposed matrix
            source = o.add(o.shl(column, o.const(32, 1)), o.const(32, 8 * j + e))
            word = fetched(o, words, source, o.shr_u(row, o.const(32, 1)))
            halves.append(half(o, word, o.and_(row, o.const(32, 1))))
        results.append(o.concat(*halves))
    return results[0] if f.parts == 1 else tuple(results)


def collected(o: Algebra[V], f: Form, *words: V) -> V:
    """``stmatrix``: the row of 16 bytes that each lane is to store."""
    lane = o.special("laneid", 32)
    row, matrix = o.and_(lane, o.const(32, 7)), o.shr_u(lane, o.const(32, 3))
    line = []
    for k in range(4):
        if not f.has("trans"):
            source = o.add(o.shl(row, o.const(32, 2)), o.const(32, k))
            line.append(fetched(o, words, source, matrix))
            continue
        halves = []
        for column in (2 * k, 2 * k + 1):  # element (column, row) of what the lanes hold
            source = o.add(o.shr_u(row, o.const(32, 1)), o.const(32, 4 * column))
            word = fetched(o, words, source, matrix)
            halves.append(half(o, word, o.and_(row, o.const(32, 1))))
        line.append(o.concat(*halves))
    return o.concat(o.concat(*line[:2]), o.concat(*line[2:]))


def transposed(o: Algebra[V], f: Form, a: V) -> V:
    """``movmatrix``: element (row, column) comes from (column, row)."""
    row, column = place(o)
    halves = []
    for e in (0, 1):
        source = o.add(o.shl(column, o.const(32, 3)), o.const(32, 4 * e))
        source = o.add(source, o.shr_u(row, o.const(32, 1)))
        halves.append(half(o, other_lane(o, a, source), o.and_(row, o.const(32, 1))))
    return o.concat(*halves)


def extents(f: Form) -> tuple[int, int, int]:
    """m, n and k of the shape that an instruction names."""
    shape = next(word for word in f.words if word.startswith("m") and "n" in word and "k" in word)
    m, rest = shape[1:].split("n")
    n, k = rest.split("k")
    return int(m), int(n), int(k)


def product(f: Form) -> MatrixProduct:
    d, a, b, _ = (kind.name for kind in f.types)
    return MatrixProduct(*extents(f), a, b, d, f.has("satfinite"))


def mma(o: Algebra[V], f: Form, *words: V) -> V | tuple[V, ...]:
    results = o.matrix_product(product(f), *words)
    return results[0] if f.parts == 1 else results


def dense(shapes: str, dtype: str, atype: str, btype: str = "", more: str = "") -> Row:
    return op(f"mma.sync.aligned.shape.row.col{more}.dtype.atype.btype.ctype "
              "d:words, a:words, b:words, c:words", at=AT + "mma", shape=shapes, dtype=dtype,
              atype=atype, btype=btype or atype, ctype=dtype, effects=WARP, sem=mma)  # fmt: skip


ROWS = (
    dense("m16n8k8 m16n8k16", "f16 f32", "f16"),
    dense("m16n8k8 m16n8k16", "f32", "bf16"),
    dense("m16n8k4 m16n8k8", "f32", "tf32"),
    dense("m8n8k4 m16n8k4 m16n8k8 m16n8k16", "f64", "f64", more="{.rnd}"),
    dense("m8n8k16 m16n8k16 m16n8k32", "s32", "u8 s8", "u8 s8", "{.satfinite}"),
    dense("m8n8k32 m16n8k32 m16n8k64", "s32", "u4 s4", "u4 s4", "{.satfinite}"),
    op("mma.sync.aligned.m8n8k4.alayout.blayout.dtype.atype.btype.ctype "
       "d:words, a:words, b:words, c:words", at=AT + "mma", alayout="row col",
       blayout="row col", dtype="f16 f32", atype="f16", btype="f16", ctype="f16 f32",
       effects=UNKNOWN),
    op("mma.sync.aligned.shape.row.col.dtype.atype.btype.ctype.bits.popc "
       "d:words, a:words, b:words, c:words", at=AT + "mma",
       shape="m8n8k128 m16n8k128 m16n8k256", bits="xor and", dtype="s32", atype="b1",
       btype="b1", ctype="s32", effects=UNKNOWN),
    op("mma.sync.aligned.shape.row.col{.kind}.dtype.atype.btype.ctype "
       "d:words, a:words, b:words, c:words", at=AT + "mma", shape="m16n8k16 m16n8k32",
       kind="kind::f8f6f4", dtype="f16 f32", atype=NARROW, btype=NARROW, ctype="f16 f32",
       effects=UNKNOWN),
    op("mma.sync.aligned.shape.row.col.kind.block_scale{.scale}.dtype.atype.btype.ctype.stype "
       "d:words, a:words, b:words, c:words, e, g, h, i", at=AT + "mma",
       shape="m16n8k32 m16n8k64", kind="kind::mxf8f6f4 kind::mxf4 kind::mxf4nvf4",
       scale="scale_vec::1X scale_vec::2X scale_vec::4X", dtype="f32", atype=NARROW,
       btype=NARROW, ctype="f32", stype="ue8m0 ue4m3", effects=UNKNOWN),
    op("mma.sparse.sync.aligned.shape.row.col{.satfinite}{.kind}.dtype.atype.btype.ctype "
       "d:words, a:words, b:words, c:words, e, n", at=AT + "sparse-mma",
       sparse="sp sp::ordered_metadata", shape="m16n8k8 m16n8k16 m16n8k32 m16n8k64 m16n8k128",
       kind="kind::f8f6f4", dtype="f16 f32 s32",
       atype=f"f16 bf16 tf32 s8 u8 s4 u4 {NARROW}", btype=f"f16 bf16 tf32 s8 u8 s4 u4 {NARROW}",
       ctype="f16 f32 s32", effects=UNKNOWN),
    op("mma.sparse.sync.aligned.shape.row.col.kind.block_scale{.scale}"
       ".dtype.atype.btype.ctype.stype d:words, a:words, b:words, c:words, e, n, g, h, i, j",
       at=AT + "sparse-mma", sparse="sp::ordered_metadata", shape="m16n8k64 m16n8k128",
       kind="kind::mxf8f6f4 kind::mxf4 kind::mxf4nvf4",
       scale="scale_vec::1X scale_vec::2X scale_vec::4X", dtype="f32", atype=NARROW,
       btype=NARROW, ctype="f32", stype="ue8m0 ue4m3", effects=UNKNOWN),
    op("ldmatrix.sync.aligned.m8n8.num{.trans}{.shared}{.sub}.type d:words, [a]",
       at=AT + "ldmatrix", num=" ".join(TIMES), types="b16", effects=WARP | Effect.LOAD,
       sem=spread),
    op("ldmatrix.sync.aligned.shape.num{.trans}{.shared}{.sub}.type d:words, [a]",
       at=AT + "ldmatrix", shape="m16n16", num="x1 x2", types="b8", effects=UNKNOWN,
       memory="load shared"),
    op("ldmatrix.sync.aligned.shape.num{.trans}{.shared}{.sub}.to.format d:words, [a]",
       at=AT + "ldmatrix", shape="m8n16 m16n16", num=" ".join(TIMES),
       to="b8x16", format="b6x16_p32 b4x16_p64", effects=UNKNOWN, memory="load shared"),
    op("stmatrix.sync.aligned.m8n8.num{.trans}{.shared}{.sub}.type [a], b:words",
       at=AT + "stmatrix", num=" ".join(TIMES), types="b16", effects=WARP | Effect.STORE,
       sem=collected),
    op("stmatrix.sync.aligned.m16n8.num.trans{.shared}{.sub}.type [a], b:words",
       at=AT + "stmatrix", num=" ".join(TIMES), types="b8", effects=UNKNOWN,
       memory="store shared"),
    op("movmatrix.sync.aligned.m8n8.trans.type d:b32, a:b32", at=AT + "movmatrix",
       types="b16", effects=WARP, sem=transposed),
)  # fmt: skip
