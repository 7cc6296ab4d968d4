"""Texture and surface instructions (PTX ISA 9.4, sections of those names).

A coordinate list is one operand, in brackets with its texture or surface. Not modelled: what a
texture holds and how it is filtered is bound at launch, outside of PTX. Whatever its coordinates
are, a fetch does not leave its texture: they are clamped, wrapped or mirrored, or it reads the
border or zero. A surface may trap instead.
"""

from __future__ import annotations

from analyses.program import Effect
from ptxlint.isa.row import op

TEXTURE = "texture-instructions-"
SURFACE = "surface-instructions-"
GEOMETRY = "1d 2d 3d a1d a2d cube acube 2dms a2dms"
RESULT = "u32 s32 f16 f16x2 f32"
COORDINATE = "s32 f32"
SURFACES = "1d 2d 3d a1d a2d"
CLAMP = "trap clamp zero"
UNKNOWN = Effect.UNMODELLED
FETCH = "load global a:inside"
LOAD = "load global"

ROWS = (
    op("tex.geom{.vec}.dtype.ctype d{|p}, [a, c]{, e}{, f}", at=TEXTURE + "tex",
       geom=GEOMETRY, dtype=RESULT, ctype=COORDINATE, effects=UNKNOWN, memory=FETCH),
    op("tex.base.geom.vec.dtype.ctype d{|p}, [a, c]{, e}{, f}", at=TEXTURE + "tex",
       geom=GEOMETRY, dtype=RESULT, ctype=COORDINATE, effects=UNKNOWN, memory=FETCH),
    op("tex.level.geom.vec.dtype.ctype d{|p}, [a, c], lod{, e}{, f}", at=TEXTURE + "tex",
       geom=GEOMETRY, dtype=RESULT, ctype=COORDINATE, effects=UNKNOWN, memory=FETCH),
    op("tex.grad.geom.vec.dtype.ctype d{|p}, [a, c], dx, dy{, e}{, f}", at=TEXTURE + "tex",
       geom=GEOMETRY, dtype=RESULT, ctype=COORDINATE, effects=UNKNOWN, memory=FETCH),
    op("tld4.comp.geom.vec.dtype.ctype d{|p}, [a, c]{, e}{, f}", at=TEXTURE + "tld4",
       comp="r g b a", geom="2d a2d cube acube", dtype="u32 s32 f32", ctype="f32",
       effects=UNKNOWN, memory=FETCH),
    op("txq.query.type d, [a]", at=TEXTURE + "txq", types="b32", effects=UNKNOWN,
       memory="",
       query="width height depth channel_data_type channel_order normalized_coords array_size "
       "num_mipmap_levels num_samples filter_mode addr_mode_0 addr_mode_1 addr_mode_2 "
       "force_unnormalized_coords"),
    op("txq.level.query.type d, [a], lod:u32", at=TEXTURE + "txq", types="b32",
       query="width height depth", effects=UNKNOWN, memory=""),
    op("istypep.kind p, a:b64", at=TEXTURE + "istypep", kind="texref samplerref surfref",
       effects=UNKNOWN),
    op("suld.b.geom{.cop}{.vec}.type.clamp d, [a, c]", at=SURFACE + "suld", geom=SURFACES,
       types="b8 b16 b32 b64", clamp=CLAMP, effects=UNKNOWN, memory=LOAD),
    op("sust.b.geom{.cop}{.vec}.type.clamp [a, c], b", at=SURFACE + "sust", geom=SURFACES,
       types="b8 b16 b32 b64", clamp=CLAMP, effects=UNKNOWN, memory="store global"),
    op("sust.p.geom{.vec}.type.clamp [a, c], b", at=SURFACE + "sust", geom=SURFACES,
       types="b32 u32 s32 f32", clamp=CLAMP, effects=UNKNOWN,
       memory="store global"),
    op("sured.form.op.geom.type.clamp [a, c], b", at=SURFACE + "sured", form="b p",
       op="add min max and or", geom=SURFACES, types="u32 u64 s32 s64 b32 b64", clamp=CLAMP,
       effects=UNKNOWN, memory="atomic global"),
    op("suq.query.type d, [a]", at=SURFACE + "suq", types="b32", effects=UNKNOWN, memory="",
       query="width height depth channel_data_type channel_order array_size memory_layout"),
)  # fmt: skip
