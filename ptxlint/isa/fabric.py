"""Fabric instructions: copies between devices through a handle (PTX ISA 9.3 and later, section of
that name). Not modelled: the other side of a fabric handle is another device's memory.
"""

from __future__ import annotations

from analyses.program import Effect
from ptxlint.isa.row import op

AT = "fabric-instructions-"
UNKNOWN = Effect.UNMODELLED
ANYWHERE = "load generic, store generic"
DONE = (
    "mbarrier::complete_tx::bytes mbarrier::complete_tx::16B mbarrier::report::fabric "
    "counted::bytes"
)
MODES = "tile im2col im2col::w"
DIM = "1d 2d 3d 4d 5d"

ROWS = (
    *(op(f"fabric.{name}.async{{.multimem}}.sub.done{{.cp_mask}}.sem.scope.type "
         "[a, b], [c], n:u32, [e]{, mask:b16}", at=AT + anchor, done=DONE, types="b128",
         effects=UNKNOWN, memory=ANYWHERE)
      for name, anchor in (("try_get", "try-get"), ("try_put", "try-put"))),
    *(op(f"fabric.{name}.async{{.multimem}}.sub.done.sem.scope.op.type [a, b], [c], n:u32, [e]",
         at=AT + anchor, done=DONE, op="add min max inc dec and or xor",
         types="u32 s32 u64 s64 b32 b64 f16 bf16 f32 f64 f16x2 bf16x2", effects=UNKNOWN,
         memory=ANYWHERE)
      for name, anchor in (("try_red", "try-red"), ("try_pullred", "try-pullred"))),
    *(op(f"fabric.{name}.async.tensor.dim{{.mode}}.sub.done{{.sem}}{{.scope}}{{.op}} "
         "[a, b], [c, e], [g]", at=AT + anchor, dim=DIM, mode=MODES, done=DONE,
         op="add min max inc dec and or xor", effects=UNKNOWN, memory=ANYWHERE)
      for name, anchor in (("try_get", "try-get-async-tensor"),
                           ("try_put", "try-put-async-tensor"),
                           ("try_red", "try-red-async-tensor"))),
    op("fabric.try_atom.async.sub.done.sem.scope.op.type [a, b], [c], [e]{, g}{, h}",
       at=AT + "try-atom", done=DONE, op="add min max inc dec and or xor exch cas",
       types="u32 s32 u64 s64 b32 b64 b128 f32 f64", effects=UNKNOWN, memory=ANYWHERE),
    op("fabric.submit{.op_restrict::fetching}", at=AT + "submit", effects=UNKNOWN,
       memory=ANYWHERE),
    op("fabric.wait{.sync_restrict::reads}", at=AT + "wait", effects=UNKNOWN,
       memory=ANYWHERE),
)  # fmt: skip
