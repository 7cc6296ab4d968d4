"""Packing and unpacking of structured sparse words (PTX ISA 9.4, under "Data Movement and
Conversion"). Not modelled.
"""

from __future__ import annotations

from analyses.program import Effect
from ptxlint.isa.row import op

AT = "data-movement-and-conversion-instructions-"
TIMES = "x1 x2 x4 x8 x16 x32 x64"

ROWS = (
    op("spcompress.type.index.factor.num d, p:words, a:words, b", at=AT + "spcompress",
       types="b8 b16", index="b2 b4", factor="sp::2:4", num=TIMES, effects=Effect.UNMODELLED),
    op("spdecompress.type.index.factor.num d, a:words, b:words", at=AT + "spdecompress",
       types="b8 b16", index="b2 b4", num=TIMES, effects=Effect.UNMODELLED,
       factor="sp::1:2 sp::1:4 sp::1:8 sp::1:16 sp::2:4 sp::2:8 sp::2:16 sp::4:8 sp::4:16"),
)  # fmt: skip
