"""Instructions of the fifth generation of tensor cores (PTX ISA 9.4, "TensorCore 5th Generation").

Not modelled: tensor memory, which is no state space that a thread could load from. What its
instructions do to shared memory may happen until a barrier object says that they are complete.
"""

from __future__ import annotations

from analyses.program import Effect
from ptxlint.isa.row import op

AT = "tcgen05-instructions-tcgen05-"
UNKNOWN = Effect.UNMODELLED
TOGETHER = Effect.CONVERGENT | Effect.ALIGNED
WARP = UNKNOWN | TOGETHER
MATRICES = "load shared"  # where descriptors say
GROUP = "cta_group::1 cta_group::2"
SHAPE = "16x64b 16x128b 16x256b 32x32b 16x32bx2"
TIMES = "x1 x2 x4 x8 x16 x32 x64 x128"
KIND = "kind::f16 kind::tf32 kind::f8f6f4 kind::i8 kind::ti16"
SCALED = "kind::mxf8f6f4 kind::mxf4 kind::mxf4nvf4"
SCALE = "scale_vec::1X scale_vec::2X scale_vec::4X block16 block32"
COLLECTOR = " ".join(
    f"collector::{matrix}::{use}"
    for matrix in ("a", "b", "b0", "b1", "b2", "b3")
    for use in ("fill", "use", "lastuse", "discard")
)
MORE = "ashift decompress::lut::b"

ROWS = (
    op("tcgen05.alloc{.exclusive}.group.sync.aligned{.sub}.type [a], b:u32",
       at=AT + "alloc-dealloc-relinquish-alloc-permit", group=GROUP, types="b32", effects=WARP,
       memory="store shared a:4"),
    op("tcgen05.dealloc{.exclusive}.group.sync.aligned.type a, b:u32",
       at=AT + "alloc-dealloc-relinquish-alloc-permit", group=GROUP, types="b32", effects=WARP),
    op("tcgen05.relinquish_alloc_permit.group.sync.aligned",
       at=AT + "alloc-dealloc-relinquish-alloc-permit", group=GROUP, effects=WARP),
    op("tcgen05.ld.sync.aligned.shape.num{.pack}.type d:words, [a]{, b:int}", at=AT + "ld",
       shape=SHAPE, num=TIMES, pack="pack::16b", types="b32", effects=WARP, memory=""),
    op("tcgen05.ld.red.sync.aligned.shape.num.op{.abs}{.NaN}.type d:words, p:words, [a]{, b:int}",
       at=AT + "ld", shape=SHAPE, num=TIMES, op="min max", types="f32 u32 s32", effects=WARP,
       memory=""),
    op("tcgen05.ld{.red}.spcompress.sync.aligned{.shape}{.num}{.factor}{.op}{.abs}{.NaN}.type "
       "d:words, p:words, [a]{, b}{, c}", at=AT + "ld", shape=SHAPE, num=TIMES,
       factor="sp::2:4", op="min max", types="b32 f32 u32 s32 b8 b16", effects=WARP, memory=""),
    op("tcgen05.st.sync.aligned.shape.num{.unpack}.type [a], b:words", at=AT + "st",
       shape="16x64b 16x128b 16x256b 32x32b", num=TIMES, unpack="unpack::16b", types="b32",
       effects=WARP, memory=""),
    op("tcgen05.st.sync.aligned.shape.num{.unpack}.type [a], n:int, b:words", at=AT + "st",
       shape="16x32bx2", num=TIMES, unpack="unpack::16b", types="b32", effects=WARP, memory=""),
    op("tcgen05.which.sync.aligned", at=AT + "wait", which="wait::ld wait::st",
       effects=Effect.FENCE | TOGETHER),
    op("tcgen05.cp.group.shape{.multicast}{.to}{.format} [a], b:b64", at=AT + "cp", group=GROUP,
       shape="128x256b 4x256b 128x128b 64x128b 32x128b",
       multicast="warpx2::02_13 warpx2::01_23 warpx4", to="b8x16",
       format="b6x16_p32 b4x16_p64", effects=UNKNOWN, memory="load shared"),
    op("tcgen05.shift.group.down [a]", at=AT + "shift", group=GROUP, effects=UNKNOWN,
       memory=""),
    op("tcgen05.mma.group.kind{.more}{.collector} [a], b, c:b64, e, g{, h}{, i}",
       at=AT + "mma", group=GROUP, kind=KIND, more=MORE, collector=COLLECTOR, effects=UNKNOWN,
       memory=MATRICES),
    op("tcgen05.mma.group.kind.block_scale{.scale}{.more}{.collector} "
       "[a], b, c:b64, e, [g], [h], i", at=AT + "mma", group=GROUP, kind=SCALED, scale=SCALE,
       more=MORE, collector=COLLECTOR, effects=UNKNOWN,
       memory=MATRICES),
    op("tcgen05.mma.sp.group.kind{.more}{.collector} [a], b, c:b64, [meta], e, g{, h}{, i}",
       at=AT + "mma-sp", group=GROUP, kind=KIND, more=MORE, collector=COLLECTOR,
       effects=UNKNOWN, memory=MATRICES),
    op("tcgen05.mma.sp.group.kind.block_scale{.scale}{.more}{.collector} "
       "[a], b, c:b64, [meta], e, [g], [h], i", at=AT + "mma-sp", group=GROUP, kind=SCALED,
       scale=SCALE, more=MORE, collector=COLLECTOR, effects=UNKNOWN,
       memory=MATRICES),
    op("tcgen05.mma.ws.group.kind{.more}{.collector} [a], b, c:b64, e, g{, h}", at=AT + "mma-ws",
       group=GROUP, kind=KIND, more=MORE, collector=COLLECTOR, effects=UNKNOWN,
       memory=MATRICES),
    op("tcgen05.mma.ws.sp.group.kind{.more}{.collector} [a], b, c:b64, [meta], e, g{, h}",
       at=AT + "mma-ws-sp", group=GROUP, kind=KIND, more=MORE, collector=COLLECTOR,
       effects=UNKNOWN, memory=MATRICES),
    op("tcgen05.commit.group.done{.sub}{.multicast}.type [a]{, b:b16}", at=AT + "commit",
       group=GROUP, done="mbarrier::arrive::one",
       multicast="multicast::cluster multicast::cluster::32b", types="b64", effects=UNKNOWN,
       memory="atomic shared a:8"),
    op("tcgen05.which", at=AT + "fence", effects=Effect.FENCE,
       which="fence::before_thread_sync fence::after_thread_sync"),
)  # fmt: skip
