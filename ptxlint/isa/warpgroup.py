"""Matrix instructions of a warpgroup (PTX ISA 9.4, "Asynchronous Warpgroup Level Matrix").

Matrices lie in shared memory, where a descriptor says: products are opaque loads of it, and their
results are unknown. Not modelled: that the results arrive after a wait.
"""

from __future__ import annotations

from analyses.program import Effect
from ptxlint.isa.row import op

AT = "asynchronous-warpgroup-level-matrix-instructions-"
TOGETHER = Effect.CONVERGENT | Effect.ALIGNED
UNKNOWN, FENCE = TOGETHER | Effect.UNMODELLED, TOGETHER | Effect.FENCE
SHAPES = " ".join(f"m64n{n}k{k}" for k in (8, 16, 32, 64, 128, 256) for n in range(8, 257, 8))
NUMBERS = "f16 bf16 tf32 e4m3 e5m2 s8 u8 b1"
MMA = ".sync.aligned.shape{.satfinite}.dtype.atype.btype{.bits}{.popc}"

ROWS = (
    op(f"wgmma.mma_async{MMA} d:words, a:words, b:b64, c:pred{{, e}}{{, g}}{{, h}}{{, i}}",
       at=AT + "wgmma-mma-async", shape=SHAPES, bits="and", dtype="f16 f32 s32", atype=NUMBERS,
       btype=NUMBERS, effects=UNKNOWN, memory="load shared"),
    op(f"wgmma.mma_async.sp{MMA} "
       "d:words, a:words, b:b64, meta:b32, n, c:pred{, e}{, g}{, h}{, i}",
       at=AT + "wgmma-mma-async-sp", shape=SHAPES, bits="and", dtype="f16 f32 s32",
       atype=NUMBERS, btype=NUMBERS, effects=UNKNOWN, memory="load shared"),
    op("wgmma.fence.sync.aligned", at=AT + "wgmma-fence", effects=FENCE),
    op("wgmma.commit_group.sync.aligned", at=AT + "wgmma-commit-group", effects=FENCE),
    op("wgmma.wait_group.sync.aligned a:int", at=AT + "wgmma-wait-group", effects=FENCE),
)  # fmt: skip
