"""Loads, stores, caches and address spaces (PTX ISA 9.4, "Data Movement and Conversion").

Loads and stores have no ``sem``: their effect and their access say everything. Cache hints have no
effect that a thread can see. A cache policy is opaque: it is 0 here, and only hints read it. An
asynchronous store happens where it is issued, and then tells its barrier object. Not modelled:
addresses of another CTA of a cluster, and accesses to all members of a multicast object.
"""

from __future__ import annotations

from analyses.algebra import Algebra, V
from analyses.program import Effect
from ptxlint.isa.row import Form, op

AT = "data-movement-and-conversion-instructions-"
MEMORY = "b8 b16 b32 b64 b128 u8 u16 u32 u64 s8 s16 s32 s64 f32 f64"
LEVEL = "{.sem}{.scope}{.space}{.sub}{.cop}{.hint}{.vec}{.unified}"
PRIORITY = "L2::evict_last L2::evict_normal L2::evict_first L2::evict_unchanged"
SPACES = ("global", "local", "shared", "const", "param")
REMOTE = Effect.UNMODELLED


def space_of(f: Form) -> str:
    """The state space that the instruction names; a sub-space counts as its space."""
    return f.one_of(*SPACES) or next(
        space for space in SPACES if any(word.startswith(f"{space}::") for word in f.words)
    )


def nothing(o: Algebra[V], f: Form, *operands: V) -> tuple[V, ...]:
    """No result, and no effect that a thread can see."""
    return ()


def isspacep(o: Algebra[V], f: Form, a: V) -> V:
    return o.is_space(space_of(f), a)


def cvta(o: Algebra[V], f: Form, a: V) -> V:
    return o.convert_address(space_of(f), not f.has("to"), a)


def policy(o: Algebra[V], f: Form, *operands: V) -> V:
    return o.const(64, 0)


ROWS = (
    op(f"ld{LEVEL}.type d, [a]{{, policy:b64}}", at=AT + "ld", types=MEMORY, effects=Effect.LOAD),
    op(f"ldu{LEVEL}.type d, [a]", at=AT + "ldu", types=MEMORY, effects=Effect.LOAD),
    op(f"st{LEVEL}.type [a], b{{, policy:b64}}", at=AT + "st", types=MEMORY,
       effects=Effect.STORE),
    op("st.async{.weak}.done{.sub}{.vec}.type [a], b, [c]",
       at=AT + "st-async", done="mbarrier::complete_tx::bytes",
       types="b32 b64 u32 u64 s32 s64 f32 f64", effects=Effect.STORE),
    op("st.async{.mmio}.release.scope{.global}.type [a], b", at=AT + "st-async",
       types="b8 b16 b32 b64 u8 u16 u32 u64 s8 s16 s32 s64 f32 f64", effects=Effect.STORE),
    op(f"multimem.st.async{LEVEL}.type [a], b", at=AT + "multimem-st-async",
       types="b8 b16 b32 b64 u8 u16 u32 u64 s8 s16 s32 s64 f32 f64", effects=REMOTE,
       memory="store global"),
    op("st.bulk{.weak}{.shared}{.sub} [a], b:u64, c:u64", at=AT + "st-bulk",
       effects=Effect.STORE),
    op("multimem.ld_reduce{.sem}{.scope}{.global}.op{.vec}{.acc}.type d, [a]",
       at=AT + "multimem", op="min max add and or xor", acc="acc::f32 acc::f16",
       types="u32 u64 s32 s64 b32 b64 f16 bf16 f16x2 bf16x2 f32 f64 e4m3 e5m2 e4m3x4 e5m2x4",
       effects=REMOTE, memory="load global"),
    op("multimem.st{.sem}{.scope}{.global}{.vec}.type [a], b", at=AT + "multimem",
       types="u32 u64 s32 s64 b32 b64 f16 bf16 f16x2 bf16x2 f32 f64", effects=REMOTE,
       memory="store global"),
    op("multimem.red{.sem}{.scope}{.global}.op{.vec}.type [a], b", at=AT + "multimem",
       op="min max add and or xor",
       types="u32 u64 s32 s64 b32 b64 f16 bf16 f16x2 bf16x2 f32 f64", effects=REMOTE,
       memory="atomic global"),
    op("prefetch{.space}.level [a:b64]", at=AT + "prefetch-prefetchu", level="L1 L2",
       sem=nothing),
    op("prefetch.global.level [a:b64]", at=AT + "prefetch-prefetchu",
       level="L2::evict_last L2::evict_normal", sem=nothing),
    op("prefetch{.space}.tensormap [a:b64]", at=AT + "prefetch-prefetchu", sem=nothing),
    op("prefetch.size.valid_addr [a:b64]", at=AT + "prefetch-prefetchu", size="L1::32B",
       sem=nothing),
    op("prefetchu.L1 [a:b64]", at=AT + "prefetch-prefetchu", sem=nothing),
    op("applypriority{.global}.level [a:b64], b:int", at=AT + "applypriority",
       level="L2::evict_normal", sem=nothing),
    op("applypriority.async.bulk{.global}.bulk_group.level [a:b64], b:u32",
       at=AT + "applypriority-async-bulk", level="L2::evict_normal", sem=nothing),
    op("applypriority.async.bulk.tensor.dim{.mode}.bulk_group.level [a, c]",
       at=AT + "applypriority-async-bulk-tensor", dim="1d 2d 3d 4d 5d",
       mode="tile tile::gather4 im2col im2col::w im2col::w::128 im2col_no_offs",
       level="L2::evict_normal", sem=nothing),
    op("discard{.global}.L2 [a:b64], b:int", at=AT + "discard", sem=nothing),
    op("createpolicy.range{.global}.priority.type d, [a:b64], b:u32, c:u32",
       at=AT + "createpolicy", priority=PRIORITY, types="b64", sem=policy),
    op("createpolicy.fractional.priority.type d{, a:f32}", at=AT + "createpolicy",
       priority=PRIORITY, types="b64", sem=policy),
    op("createpolicy.cvt.L2.type d, a", at=AT + "createpolicy", types="b64", sem=policy),
    op("isspacep.space p, a:u64", at=AT + "isspacep",
       space="global local shared const param shared::cta param::entry",
       sem=isspacep),
    op("isspacep.space p, a:u64", at=AT + "isspacep", space="shared::cluster", effects=REMOTE),
    op("cvta.space.type d, a", at=AT + "cvta", types="u32 u64",
       space="global local shared const param shared::cta shared::cluster param::entry",
       sem=cvta),
    op("cvta.to.space.type d, a", at=AT + "cvta", types="u32 u64",
       space="global local shared const param shared::cta shared::cluster param::entry",
       sem=cvta),
    op("mapa{.space}.type d, a, b:u32", at=AT + "mapa", space="shared::cluster",
       types="u32 u64", effects=REMOTE),
    op("getctarank{.space}.type d:u32, a", at=AT + "getctarank", space="shared::cluster",
       types="u32 u64", effects=REMOTE),
)  # fmt: skip
