"""Asynchronous copies (PTX ISA 9.4, "Asynchronous copy" under "Data Movement and Conversion").

``cp.async`` loads and stores: lowering makes two instructions of it, and its ``sem`` says what the
load's word becomes on the way. The copy happens where it is issued, the earliest moment that the
manual allows; the race check takes it to be unordered until its thread waits for it. So do
``cp.async.bulk`` and ``cp.reduce.async.bulk``: lowering makes a loop of them, and then tells the
barrier object.
Not modelled: copies to several CTAs, under a mask, and those that a tensor map describes. Of these,
the first row of the tensor in shared memory has 16 bytes or more.
"""

from __future__ import annotations

from analyses.algebra import Algebra, V
from analyses.program import Effect
from ptxlint.isa.formats import packed
from ptxlint.isa.memory import nothing
from ptxlint.isa.row import Form, op
from ptxlint.isa.synchronization import updated

AT = "data-movement-and-conversion-instructions-"
UNKNOWN = Effect.UNMODELLED
MOVES = Effect.LOAD | Effect.STORE
UPDATES = Effect.LOAD | Effect.ATOMIC
DONE = "mbarrier::complete_tx::bytes mbarrier::report::error"
MULTICAST = "multicast::cluster multicast::cluster::32b"
DIM = "1d 2d 3d 4d 5d"
LOAD_MODE = (
    "tile tile::gather4 im2col im2col::w im2col::w::128 im2col_no_offs im2col_no_offs::w "
    "override::global_address"
)
STORE_MODE = "tile tile::scatter4 im2col_no_offs override::global_address"
REDUCED = "and or xor add inc dec min max"
NUMBERS = "f16 bf16 b32 u32 s32 b64 u64 s64 f32 f64"
HINTS = "L2::cache_hint L2::evict_last L2::evict_normal L2::evict_first L2::64B L2::128B L2::256B"


def copied(o: Algebra[V], f: Form, a: V, size: V | None = None) -> V:
    """The word that arrives: bytes from ``size`` on are 0; a predicate ``size`` ignores all."""
    if size is None:
        return a
    parts = []
    for first in range(0, o.width(a) // 8, 4):
        part, zero = o.extract(32, 8 * first, a), o.const(32, 0)
        if o.width(size) == 1:
            parts.append(o.select(size, zero, part))
            continue
        start = o.const(32, first)
        here = o.min_u(o.const(32, 4), o.sub(o.max_u(size, start), start))
        lost = o.shl(o.const(32, -1), o.shl(here, o.const(32, 3)))
        parts.append(o.and_(part, o.not_(lost)))
    while len(parts) > 1:
        parts = [o.concat(*pair) for pair in zip(parts[::2], parts[1::2], strict=True)]
    return parts[0]


FILLS, DRAINS = "load global, store shared", "load shared, store global"
ADDS = "load shared, atomic global"
MAP = "store a:128"
TENSOR = "cp.async.bulk.tensor.dim"

ROWS = (
    op("cp.async.cop.shared{.sub}.global{.hint} [a], [b], n:int{, size:u32}{, policy:b64}",
       at=AT + "cp-async", cop="ca cg", effects=MOVES, sem=copied),
    op("cp.async.cop.sub.global{.hint} [a], [b], n:int{, size:u32}{, policy:b64}",
       at=AT + "cp-async", cop="ca cg", sub="shared::cta",
       effects=MOVES, sem=copied),
    op("cp.async.commit_group", at=AT + "cp-async-commit-group", effects=Effect.COMMIT),
    op("cp.async.wait_group a:int", at=AT + "cp-async-wait-group-cp-async-wait-all",
       effects=Effect.AWAIT),
    op("cp.async.wait_all", at=AT + "cp-async-wait-group-cp-async-wait-all",
       effects=Effect.COMMIT | Effect.AWAIT),
    op("cp.async.bulk.sub.global.done{.hint} [a], [b], n:u32, [c]{, policy:b64}",
       at=AT + "cp-async-bulk", sub="shared::cta shared::cluster", done=DONE, effects=MOVES),
    op("cp.async.bulk.sub.global.done{.multicast}{.ignore_oob}{.hint} "
       "[a], [b], n:u32, [c]{, e}{, f}{, g}", at=AT + "cp-async-bulk", done=DONE,
       multicast=MULTICAST, effects=UNKNOWN, memory=f"{FILLS}, atomic shared c:8"),
    op("cp.async.bulk.shared::cluster.shared::cta.done [a], [b], n:u32, [c]",
       at=AT + "cp-async-bulk", done=DONE, effects=MOVES),
    op("cp.async.bulk.global.shared::cta.bulk_group{.hint} [a], [b], n:u32{, policy:b64}",
       at=AT + "cp-async-bulk", effects=MOVES),
    op("cp.async.bulk.global.shared::cta.bulk_group{.hint}{.cp_mask} "
       "[a], [b], n:u32{, policy:b64}{, mask:b16}", at=AT + "cp-async-bulk", effects=UNKNOWN,
       memory=DRAINS),
    op("cp.reduce.async.bulk.shared::cluster.shared::cta.done.op.type [a], [b], n:u32, [c]",
       at=AT + "cp-reduce-async-bulk", done=DONE, op=REDUCED, types="u32 s32 u64 s64 b32 b64",
       effects=UPDATES, sem=packed(updated)),
    op("cp.reduce.async.bulk.global.shared::cta.bulk_group{.hint}.op{.noftz}.type "
       "[a], [b], n:u32{, policy:b64}", at=AT + "cp-reduce-async-bulk", op=REDUCED,
       types=NUMBERS, effects=UPDATES, sem=packed(updated)),
    op("cp.async.bulk.prefetch.L2.global{.hint} [a], n:u32{, policy:b64}",
       at=AT + "cp-async-bulk-prefetch", hint=HINTS, sem=nothing),
    op("multimem.cp.async.bulk.global.shared::cta.bulk_group{.cp_mask} "
       "[a], [b], n:u32{, mask:b16}", at=AT + "multimem-cp-async-bulk", effects=UNKNOWN,
       memory=DRAINS),
    op("multimem.cp.reduce.async.bulk.global.shared::cta.bulk_group.op{.noftz}.type "
       "[a], [b], n:u32", at=AT + "multimem-cp-reduce-async-bulk", op=REDUCED, types=NUMBERS,
       effects=UNKNOWN, memory=ADDS),
    op(f"{TENSOR}.sub.global{{.mode}}.done{{.multicast}}{{.cta}}{{.hint}} "
       "[a], [b, c], [e]{, f}{, g}{, h}{, i}", at=AT + "cp-async-bulk-tensor", dim=DIM,
       mode=LOAD_MODE, done=DONE, multicast=MULTICAST, cta="cta_group::1 cta_group::2",
       effects=UNKNOWN, memory=f"{FILLS}, store shared a:16, atomic shared e:8"),
    op(f"{TENSOR}.global.shared::cta{{.mode}}.bulk_group{{.hint}} [a, c], [b]{{, policy:b64}}",
       at=AT + "cp-async-bulk-tensor", dim=DIM, mode=STORE_MODE, effects=UNKNOWN,
       memory=f"{DRAINS}, load shared b:16"),
    op("cp.reduce.async.bulk.tensor.dim.global.shared::cta.op{.mode}.bulk_group{.hint} "
       "[a, c], [b]{, policy:b64}", at=AT + "cp-reduce-async-bulk-tensor", dim=DIM, op=REDUCED,
       mode=STORE_MODE, effects=UNKNOWN, memory=f"{ADDS}, load shared b:16"),
    op("cp.async.bulk.prefetch.tensor.dim.L2.global{.mode}{.hint} [a, c]{, e}{, f}",
       at=AT + "cp-async-bulk-prefetch-tensor", dim=DIM, mode=LOAD_MODE, hint=HINTS,
       sem=nothing),
    op("cp.async.bulk.commit_group", at=AT + "cp-async-bulk-commit-group",
       effects=Effect.FENCE),
    op("cp.async.bulk.wait_group{.read} a:int", at=AT + "cp-async-bulk-wait-group",
       effects=Effect.FENCE),
    op("tensormap.replace.tile.field{.space}{.sub}.b1024.type [a], b",
       at=AT + "tensormap-replace", field="global_address rank", types="b32 b64",
       effects=UNKNOWN, memory=MAP),
    op("tensormap.replace.tile.field{.space}{.sub}.b1024.type [a], n:int, b",
       at=AT + "tensormap-replace", field="box_dim global_dim global_stride element_stride",
       types="b32 b64", effects=UNKNOWN, memory=MAP),
    op("tensormap.replace.tile.field{.space}{.sub}.b1024.type [a], n:int",
       at=AT + "tensormap-replace",
       field="elemtype interleave_layout swizzle_mode fill_mode swizzle_atomicity",
       types="b32", effects=UNKNOWN, memory=MAP),
)  # fmt: skip
